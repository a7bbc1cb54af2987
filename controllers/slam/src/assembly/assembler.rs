//! The assembler: a place in every cycle, a scan now and then, and once a turn a [`Turn`].

use core::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use robot_io::{
    Commands, LaserScan, Odometry, Readings, RobotLayout, ScanGeometry, Sealed, Settings as _, State, Time,
};
use robot_model::{Attached, Chain, GRAVITY_IN_WORLD, RobotModel, Tree};

use super::axis::Axis;
use super::body::{Body, Gaze};
use super::glance::Glance;
use super::history::{History, Line, Moment, share_of_way};
use super::jump_edges::JumpEdges;
use super::turn::{ScanPoints, single};
use super::{AssemblySettings, MOST_SCAN_DELAY, Turn};
use crate::SlamError;
use crate::correction::Correction;

/// How late a scan may come after its last beam, by its stamps [s].
const LATEST: f64 = 0.05;

/// Assembles the scans of a laser on a turning axis.
#[derive(Clone, Debug, State)]
pub struct SweepAssembler {
    #[state(fixed)]
    settings: AssemblySettings,
    #[state(fixed)]
    imu: ImuPlace,
    /// Joint positions, as far as they matter.
    #[state(scratch)]
    joints: Vec<f64>,
    /// Those at a scan's begin, middle and end.
    #[state(scratch)]
    postures: [Vec<f64>; 3],
    /// Direction of each beam in the laser's frame; of the geometry beside them.
    #[state(scratch)]
    directions: (ScanGeometry, Vec<Vector3<f64>>),
    /// The motion of the joints that carry the laser during a scan, the axis last.
    #[state(scratch)]
    lines: Vec<Line>,
    /// The scan that has arrived in this cycle.
    #[state(scratch)]
    latest: Option<Glance>,
    history: History,
    body: Body,
    turn: Turn,
    /// Angle of the axis at which the turn began [rad], whole turns counted.
    began_at: Option<f64>,
    /// The last scan of the turn before.
    last_scan: Option<Time>,
    given_up: u64,
    /// From the next turn on.
    correction: Correction,
    /// All of it is fixed but the correction of the present turn.
    #[state(part = "correction")]
    axis: Axis,
}

#[derive(Clone, Debug)]
struct ImuPlace {
    tree: Tree,
    chain: Chain,
    in_link: UnitQuaternion<f64>,
}

impl SweepAssembler {
    /// For the robot's first laser; refused if no axis turns it.
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: AssemblySettings) -> Result<Self, SlamError> {
        settings.check()?;
        let axis = Axis::find(model, layout, settings.axis_rate)?;
        let scan = layout.lasers[axis.laser].geometry.duration().seconds();
        let remembered = scan + (0.5 * settings.axis_fit).max(scan) + LATEST + MOST_SCAN_DELAY;
        let cycles = (remembered / layout.period.seconds().max(1e-4)).ceil() as usize;
        Ok(SweepAssembler {
            body: Body::new(model, layout, axis.laser, settings.body_margin)?,
            imu: ImuPlace::find(model)?,
            joints: vec![0.0; model.tree.dof()],
            postures: core::array::from_fn(|_| vec![0.0; model.tree.dof()]),
            directions: (ScanGeometry::default(), Vec::new()),
            lines: Vec::with_capacity(axis.joints().count()),
            history: History::new(cycles + 2, model.tree.dof()),
            turn: Turn::default(),
            latest: None,
            began_at: None,
            last_scan: None,
            given_up: 0,
            correction: Correction::default(),
            settings,
            axis,
        })
    }

    /// Starts afresh, with the next scan.
    pub fn reset(&mut self) {
        self.history.clear();
        self.turn = Turn { number: self.turn.number, ..Turn::default() };
        (self.began_at, self.last_scan) = (None, None);
    }

    /// Takes in a cycle; a turn of the axis in the cycle in which its last scan arrives.
    pub fn update(&mut self, readings: &Readings, odometry: &Odometry) -> Option<Turn> {
        self.latest = None;
        self.remember(readings, odometry);
        let scan = readings.scans.get(self.axis.laser)?.as_ref()?;
        let is_first = self.turn.scans.is_empty();
        if is_first {
            (self.turn.correction, self.axis.correction) = (self.correction, self.correction);
        }
        let begin = self.measured_at(scan.stamp)?;
        let last_beam = begin + scan.geometry.delay(scan.ranges.len().saturating_sub(1));
        let middle = begin + scan.geometry.delay(scan.ranges.len() / 2);
        // a scan from before the history cannot be placed
        if self.history.oldest()?.time > begin {
            return None;
        }
        self.lines.clear();
        for joint in self.axis.joints() {
            self.lines.push(self.history.line(joint, middle, 0.5 * self.settings.axis_fit)?);
        }
        let axis = self.lines.last_mut()?;
        *axis = axis.lagging(self.settings.axis_lag * self.axis.play).told_late(self.axis.told_late);
        let axis = *axis;
        for (time, posture) in [begin, middle, last_beam].into_iter().zip(&mut self.postures) {
            self.history.positions_at(time, posture);
        }
        if is_first {
            (self.turn.outwards, self.turn.axis) = (self.axis.outwards(), self.axis.direction.into_inner());
            let mount = self.mount_in_base(middle);
            self.turn.turning = self.axis.turning(&mount) * axis.rate();
        }
        let points = self.measure(scan, readings, begin)?;
        self.note_motion(&points);
        let points = Sealed::new(points);
        self.latest = Some(Glance::of(&points));
        self.turn.scans.push(points);
        self.complete(&axis, begin, last_beam)
    }

    /// What the robot holds from now on, in place of what was told before: like the robot itself it is no part of the world.
    /// A mesh is refused.
    pub fn hold(&mut self, held: &[Attached]) -> Result<(), SlamError> {
        self.body.hold(held)
    }

    /// Where laser and axis really are, from the next turn on.
    pub fn correct(&mut self, correction: Correction) {
        self.correction = correction;
    }

    /// What is corrected from the next turn on.
    pub fn correction(&self) -> &Correction {
        &self.correction
    }

    /// The robot may have slid so far in this cycle without its odometry showing it [m].
    pub fn note_slide(&mut self, distance: f64) {
        self.turn.motion.slid += distance;
    }

    /// The scan that has arrived in this cycle.
    pub fn latest(&self) -> Option<&Glance> {
        self.latest.as_ref()
    }

    /// Tells the laser's axis to turn.
    pub fn spin(&self, commands: &mut Commands) {
        self.axis.spin(commands);
    }

    /// Index of the axis' joint in readings and commands.
    pub fn axis_joint(&self) -> usize {
        self.axis.joint
    }

    /// How many turns were given up because the axis did not turn.
    pub fn given_up(&self) -> u64 {
        self.given_up
    }

    fn remember(&mut self, readings: &Readings, odometry: &Odometry) {
        let mut moment = Moment { time: readings.time, base_in_odom: odometry.base_in_odom, ..Moment::default() };
        if let Some(imu) = readings.imus.first() {
            let up_in_base = odometry.base_in_odom.rotation.inverse() * Vector3::z();
            let up_in_imu = self.imu.rotation_in_base(readings, &mut self.joints).inverse() * up_in_base;
            moment.angular_rate = imu.angular_velocity.norm();
            moment.acceleration = (imu.linear_acceleration + up_in_imu * GRAVITY_IN_WORLD.z).norm();
        }
        self.history.push(moment, readings.joints.iter().map(|joint| joint.position));
    }

    /// When what is stamped with a time was measured; nothing before the run began.
    fn measured_at(&self, stamp: Time) -> Option<Time> {
        let late = 1e9 * (self.settings.scan_delay + self.axis.correction.delay);
        let measured = stamp.nanoseconds().checked_add_signed(-libm::round(late) as i64)?;
        Some(Time::from_nanoseconds(measured))
    }

    /// The axis' frame at angle zero, in the base frame at a time within the scan.
    fn mount_in_base(&mut self, time: Time) -> Isometry3<f64> {
        for (joint, line) in self.axis.joints().zip(&self.lines) {
            self.joints[joint] = line.position(time);
        }
        self.axis.mount_in_base(&self.joints)
    }

    /// Where the beams of a scan ended that was measured from `begin` on.
    fn measure(&mut self, scan: &LaserScan, readings: &Readings, begin: Time) -> Option<ScanPoints> {
        let geometry = &scan.geometry;
        let last_beam = begin + geometry.delay(scan.ranges.len().saturating_sub(1));
        let middle = begin + geometry.delay(scan.ranges.len() / 2);
        let mounts = [self.mount_in_base(begin), self.mount_in_base(last_beam)];
        let (axis, duration) = (*self.lines.last()?, last_beam.since(begin).seconds().max(1e-9));
        let mut track = Track::begin(&self.history, begin)?;
        let begin_in_odom = track.at(begin);
        let odom_in_begin = begin_in_odom.inverse();
        let laser_at = |share: f64, time: Time| {
            between(&mounts[0], &mounts[1], share) * self.axis.laser_in_mount(axis.position(time))
        };
        let share = middle.since(begin).seconds() / duration;
        let turned_in_base = between(&mounts[0], &mounts[1], share) * self.axis.turned_in_mount(axis.position(middle));
        let lasers = [begin, middle, last_beam].map(|time| laser_at(time.since(begin).seconds() / duration, time));
        self.body.pose(
            &readings.joints,
            core::array::from_fn(|place| self.postures[place].as_slice()),
            &Gaze::during(geometry, &lasers),
        );
        if self.directions.0 != *geometry {
            let directions = (0..geometry.beams).map(|beam| geometry.direction(beam).into_inner());
            self.directions = (*geometry, directions.collect());
        }
        let edges = JumpEdges::new(geometry.angle_step, self.settings.grazing_angle, self.settings.edge_tolerance);
        let mut measured = ScanPoints {
            begin,
            end: last_beam,
            begin_in_odom,
            origin: single(&lasers[0].translation.vector.into()),
            points: Vec::with_capacity(scan.ranges.len()),
            misses: Vec::with_capacity(scan.ranges.len() / self.settings.miss_step + 1),
            ..ScanPoints::default()
        };
        for (beam, direction) in self.directions.1.iter().enumerate().take(scan.ranges.len()) {
            let range = scan.range(beam);
            if range.is_none() && beam % self.settings.miss_step != 0 || edges.is_one(scan, beam) {
                continue;
            }
            let time = begin + geometry.delay(beam);
            let after_begin = time.since(begin).seconds();
            let laser = laser_at(after_begin / duration, time);
            let (origin, direction) = (Point3::from(laser.translation.vector), laser.rotation * direction);
            if self.body.owns(beam, &origin, &direction, range) {
                continue;
            }
            track.follow(&self.history, time);
            let as_measured = origin + direction * range.unwrap_or(geometry.max_range);
            let position = single(&(odom_in_begin * (track.at(time) * as_measured)));
            match range {
                None => measured.misses.push(position),
                Some(_) => measured.points.push(crate::SweepPoint {
                    position,
                    as_measured: single(&as_measured),
                    time: after_begin as f32,
                    origin: 0,
                    intensity: scan.intensities.get(beam).copied().unwrap_or(0),
                }),
            }
        }
        track.follow(&self.history, last_beam);
        measured.end_in_odom = track.at(last_beam);
        let in_the_middle = self.history.around(middle).map(|(before, after)| Track { before, after }.at(middle));
        measured.turned = odom_in_begin * in_the_middle.unwrap_or(begin_in_odom) * turned_in_base;
        Some(measured)
    }

    /// Adds what the robot did during a scan, and since the one before.
    fn note_motion(&mut self, scan: &ScanPoints) {
        let before = self.turn.scans.last().map(|scan| scan.begin).or(self.last_scan).unwrap_or(scan.begin);
        let motion = &mut self.turn.motion;
        for moment in self.history.iter().filter(|moment| moment.time >= before && moment.time <= scan.end) {
            motion.peak_angular_rate = motion.peak_angular_rate.max(moment.angular_rate);
            motion.peak_acceleration = motion.peak_acceleration.max(moment.acceleration);
        }
        motion.longest_gap = motion.longest_gap.max(scan.begin.since(before).seconds());
    }

    /// The turn, if it is a whole one; the next one begins where it ends.
    fn complete(&mut self, axis: &Line, stamp: Time, last_beam: Time) -> Option<Turn> {
        let began_at = *self.began_at.get_or_insert(axis.position(stamp));
        let turned = axis.position(last_beam) - began_at;
        let took = last_beam.since(self.turn.begin()).seconds();
        let hangs = took > self.settings.longest_turn;
        if turned.abs() < TAU && !hangs {
            return None;
        }
        let next = Turn { number: self.turn.number + u64::from(!hangs), ..Turn::default() };
        let mut turn = core::mem::replace(&mut self.turn, next);
        self.last_scan = Some(stamp);
        if hangs {
            self.began_at = None;
            self.given_up += 1;
            return None;
        }
        self.began_at = Some(began_at + TAU * (turned / TAU).trunc());
        self.turn.scans.reserve(turn.scans.len());
        let (first, last) = (turn.scans.first()?.begin_in_odom, turn.base_in_odom());
        let moved = first.inv_mul(&last);
        turn.motion.distance = moved.translation.vector.norm();
        turn.motion.turn = moved.rotation.angle();
        turn.motion.up_in_base = last.rotation.inverse() * Vector3::z();
        Some(turn)
    }
}

impl ImuPlace {
    fn find(model: &RobotModel) -> Result<ImuPlace, SlamError> {
        let lacks = |found: String| SlamError::Robot { expected: "an IMU".to_owned(), found };
        let imu = model.description.imus.first().ok_or_else(|| lacks("none in the description".to_owned()))?;
        let chain = Chain::new(&model.tree, 0, imu.link).map_err(|error| lacks(error.to_string()))?;
        Ok(ImuPlace { tree: model.tree.clone(), chain, in_link: imu.pose_in_link.rotation })
    }

    /// `joints` is scratch memory.
    fn rotation_in_base(&self, readings: &Readings, joints: &mut [f64]) -> UnitQuaternion<f64> {
        for &joint in &self.chain.joints {
            joints[joint] = readings.joints[joint].position;
        }
        self.chain.tip_in_root(&self.tree, joints).rotation * self.in_link
    }
}

/// The base between two moments.
struct Track<'a> {
    before: &'a Moment,
    after: &'a Moment,
}

impl<'a> Track<'a> {
    fn begin(history: &'a History, time: Time) -> Option<Track<'a>> {
        history.around(time).map(|(before, after)| Track { before, after })
    }

    /// Goes on to a later time.
    fn follow(&mut self, history: &'a History, time: Time) {
        if time > self.after.time
            && let Some((before, after)) = history.around(time)
        {
            (self.before, self.after) = (before, after);
        }
    }

    /// The base in the odometry frame.
    fn at(&self, time: Time) -> Isometry3<f64> {
        let share = share_of_way(time, self.before, self.after);
        between(&self.before.base_in_odom, &self.after.base_in_odom, share)
    }
}

/// A pose on the way from one to another that is near: rotations along the chord, which is off the arc by 7·10⁻⁶ rad at most
/// between poses 7° apart, and by less between nearer ones.
fn between(from: &Isometry3<f64>, to: &Isometry3<f64>, share: f64) -> Isometry3<f64> {
    let (a, b) = (from.rotation.coords, to.rotation.coords);
    let b = if a.dot(&b) < 0.0 { -b } else { b };
    let rotation = UnitQuaternion::new_normalize(a.lerp(&b, share).into());
    Isometry3::from_parts(from.translation.vector.lerp(&to.translation.vector, share).into(), rotation)
}
