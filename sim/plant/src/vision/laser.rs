//! A scanning range finder.

use nalgebra::Vector3;
use robot_io::{LaserScan, Period, RandomStream, ScanGeometry, Sealed, State, Time};
use robot_model::description::LaserMount;

use super::beam::Beam;
use super::ray::Ray;
use super::scene::Scene;
use super::watch::{Leg, Mounted};

/// A spinning mirror. Each beam is cast from where the sensor is when the beam leaves it.
#[derive(Clone, Debug)]
pub(crate) struct Laser {
    pub mounted: Mounted,
    mount: LaserMount,
    /// `None` for a perfect device.
    noise: Option<RandomStream>,
    /// Direction of each beam in the sensor's frame.
    directions: Vec<Vector3<f64>>,
    /// How long after the scan's stamp each beam is measured.
    delays: Vec<Period>,
    /// Solids that beams of the present step can meet: working memory.
    candidates: Vec<usize>,
}

/// What a range finder remembers: the scan that it is in, and the one that waits to be read.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct LaserMemory {
    /// How many scans are complete.
    scans: u64,
    /// Of the present scan, one for each beam so far [mm].
    #[state(packed)]
    ranges: Vec<u16>,
    #[state(packed)]
    intensities: Vec<u16>,
    complete: Option<Sealed<LaserScan>>,
}

impl Laser {
    /// A device that begins its first scan at time zero.
    pub fn new(mount: &LaserMount, mounted: Mounted, solids: usize, noise: Option<RandomStream>) -> Laser {
        let geometry = &mount.geometry;
        Laser {
            mounted,
            noise,
            directions: (0..geometry.beams).map(|beam| geometry.direction(beam).into_inner()).collect(),
            delays: (0..geometry.beams).map(|beam| geometry.delay(beam)).collect(),
            candidates: Vec::with_capacity(solids),
            mount: mount.clone(),
        }
    }

    /// Measures the beams that fall into a step, `begin` included and `end` not.
    pub fn sweep(&mut self, memory: &mut LaserMemory, leg: &Leg, scene: &Scene) {
        let mut first = memory.ranges.len();
        loop {
            let stamp = self.stamp(memory);
            let due = |delay: &Period| stamp + *delay < leg.end;
            let last = first + self.delays[first..].iter().take_while(|delay| due(delay)).count();
            if last > first {
                self.find_candidates(leg, scene, first, last);
            }
            for beam in first..last {
                self.measure(memory, leg, scene, beam, stamp);
            }
            if last < self.delays.len() {
                return;
            }
            memory.finish(stamp, &self.mount.geometry);
            first = 0;
        }
    }

    fn stamp(&self, memory: &LaserMemory) -> Time {
        Time::from_nanoseconds(memory.scans * self.mount.geometry.period.nanoseconds())
    }

    fn measure(&self, memory: &mut LaserMemory, leg: &Leg, scene: &Scene, beam: usize, stamp: Time) {
        let pose = leg.pose_at(stamp + self.delays[beam]);
        let ray = Ray { origin: pose.translation.vector, direction: pose.rotation * self.directions[beam] };
        let beam = Beam {
            scene,
            candidates: &self.candidates,
            mount: &self.mount,
            noise: self.noise.as_ref(),
            scan: memory.scans,
            index: beam,
            ray,
            rotation: pose.rotation,
        };
        let (range, intensity) = beam.measure();
        memory.ranges.push(range);
        memory.intensities.push(intensity);
    }

    /// The solids that the beams from `first` to `last` can meet: those whose ball touches the sector that they sweep, made
    /// thicker by the beam's opening and by how the sensor moves in this step.
    fn find_candidates(&mut self, leg: &Leg, scene: &Scene, first: usize, last: usize) {
        let (shift, turn) = leg.extent();
        let opening = turn + self.mount.beam_divergence;
        let centre = self.mount.geometry.angle(first) + 0.5 * (last - first) as f64 * self.mount.geometry.angle_step;
        let half = 0.5 * (last - first) as f64 * self.mount.geometry.angle_step.abs() + opening;
        let reach = self.mount.geometry.max_range;
        let (origin, up) = (leg.from.translation.vector, leg.from.rotation * Vector3::z());
        self.candidates.clear();
        for (index, solid) in scene.solids.iter().enumerate() {
            let to = solid.centre - origin;
            let distance = to.norm();
            let radius = solid.radius + shift + distance * opening;
            if to.dot(&up).abs() > radius || distance - radius > reach || self.mounted.housing[index] {
                continue;
            }
            let at = leg.from.rotation.inverse_transform_vector(&to);
            let aside = robot_io::math::wrap_angle(robot_io::math::atan2(at.y, at.x) - centre).abs();
            let across = robot_io::math::hypot(at.x, at.y);
            let is_within = across <= radius || aside <= half + robot_io::math::asin(radius / across);
            if is_within {
                self.candidates.push(index);
            }
        }
    }
}

impl LaserMemory {
    /// A device that begins its first scan.
    pub fn with_beams(beams: usize) -> LaserMemory {
        let room = || Vec::with_capacity(beams);
        LaserMemory { scans: 0, ranges: room(), intensities: room(), complete: None }
    }

    /// The scan that became complete since the last call.
    pub fn take(&mut self) -> Option<Sealed<LaserScan>> {
        self.complete.take()
    }

    fn finish(&mut self, stamp: Time, geometry: &ScanGeometry) {
        let next = LaserMemory::with_beams(geometry.beams);
        let done = core::mem::replace(self, LaserMemory { scans: self.scans + 1, ..next });
        let scan = LaserScan { stamp, geometry: *geometry, ranges: done.ranges, intensities: done.intensities };
        self.complete = Some(Sealed::new(scan));
    }
}
