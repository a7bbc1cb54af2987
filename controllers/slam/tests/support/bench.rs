//! Sweeps with ground truth, one after the other.

use nalgebra::{Isometry3, Point3, Vector3};
use robot_io::{Period, Time};
use slam::{Motion, Sweep, SweepPoint};

use super::{Drift, Scanner, Trajectory, World};

/// Between two places that odometry knows [s].
const CYCLE: f64 = 0.004;

/// A world, a motion, a scanner and an odometry. It yields sweep after sweep.
pub struct Bench {
    pub world: World,
    pub trajectory: Trajectory,
    pub scanner: Scanner,
    pub drift: Drift,
    /// Take every so many misses.
    pub miss_step: usize,
    number: u64,
    cycle: u64,
    odometry: Isometry3<f64>,
    track: Vec<Isometry3<f64>>,
}

/// One sweep and the truth about it.
pub struct Step {
    pub sweep: Sweep,
    /// The base at the sweep's begin and end in the world, whose floor is z = 0.
    pub begin_in_world: Isometry3<f64>,
    pub base_in_world: Isometry3<f64>,
    /// The same as `base_in_world` in the frame of odometry without drift: it starts with the base above the origin,
    /// heading zero.
    pub base_in_start: Isometry3<f64>,
}

impl Bench {
    /// With a scanner that has a quarter of the usual beams (about 13,000 a sweep), and a perfect odometry.
    pub fn new(world: World, trajectory: Trajectory) -> Bench {
        let scanner = Scanner::default().thinned(4);
        let odometry = start(&trajectory).inv_mul(&trajectory.at(0.0));
        let bench = Bench {
            world,
            trajectory,
            scanner,
            drift: Drift::default(),
            miss_step: 8,
            number: 0,
            cycle: 0,
            odometry,
            track: Vec::new(),
        };
        Bench { track: vec![odometry], ..bench }
    }

    /// The same bench with all the beams that the real scanner has.
    #[must_use]
    pub fn dense(mut self) -> Bench {
        self.scanner = Scanner::default();
        self
    }

    /// The same bench with a bad odometry.
    #[must_use]
    pub fn drifting(mut self, drift: Drift) -> Bench {
        self.drift = drift;
        self
    }

    /// Where odometry starts in the world: under the base, level.
    pub fn start_in_world(&self) -> Isometry3<f64> {
        start(&self.trajectory)
    }

    /// Takes the next sweep.
    pub fn step(&mut self) -> Step {
        let scans = (self.scanner.turn_time() / self.scanner.geometry.period.seconds()).round() as u64;
        let period = self.scanner.geometry.period.nanoseconds();
        let begin = Time::from_nanoseconds(self.number * scans * period);
        let end = begin + Period::from_nanoseconds(scans * period);
        self.follow(end);
        let mut sweep = self.empty_sweep(begin, end);
        for scan in 0..scans {
            self.add_scan(&mut sweep, begin + Period::from_nanoseconds(scan * period));
        }
        self.number += 1;
        let base_in_world = self.trajectory.at(end.seconds());
        Step {
            sweep,
            begin_in_world: self.trajectory.at(begin.seconds()),
            base_in_world,
            base_in_start: self.start_in_world().inv_mul(&base_in_world),
        }
    }

    /// Lets odometry follow up to a time.
    fn follow(&mut self, until: Time) {
        while self.cycle as f64 * CYCLE < until.seconds() + CYCLE {
            let (before, after) = (self.cycle as f64 * CYCLE, (self.cycle + 1) as f64 * CYCLE);
            self.odometry = self.drift.follow(&self.odometry, &self.trajectory.at(before), &self.trajectory.at(after));
            self.track.push(self.odometry);
            self.cycle += 1;
        }
    }

    /// The base in the odometry frame.
    fn odometry_at(&self, time: Time) -> Isometry3<f64> {
        let cycles = time.seconds() / CYCLE;
        let before = (cycles as usize).min(self.track.len() - 2);
        self.track[before].lerp_slerp(&self.track[before + 1], cycles - before as f64)
    }

    fn empty_sweep(&self, begin: Time, end: Time) -> Sweep {
        let (begin_in_odom, base_in_odom) = (self.odometry_at(begin), self.odometry_at(end));
        let mut motion = self.motion(begin.seconds(), end.seconds());
        let moved = begin_in_odom.inv_mul(&base_in_odom);
        (motion.distance, motion.turn) = (moved.translation.vector.norm(), moved.rotation.angle());
        Sweep { number: self.number, begin, end, begin_in_odom, base_in_odom, motion, ..Sweep::default() }
    }

    fn add_scan(&self, sweep: &mut Sweep, stamp: Time) {
        let geometry = self.scanner.geometry;
        let odom_in_end = sweep.base_in_odom.inverse();
        let middle = stamp + geometry.delay(geometry.beams / 2);
        let laser_in_end = odom_in_end * self.odometry_at(middle) * self.scanner.laser_in_base(middle.seconds());
        let origin = sweep.origins.len() as u16;
        sweep.origins.push(single(&laser_in_end.translation.vector));
        for beam in 0..geometry.beams {
            let time = stamp + geometry.delay(beam);
            let base_in_world = self.trajectory.at(time.seconds());
            let laser_in_base = self.scanner.laser_in_base(time.seconds());
            let base_in_end = odom_in_end * self.odometry_at(time);
            if let Some(hit) = self.scanner.beam(&self.world, &base_in_world, time, beam) {
                let as_measured = laser_in_base * hit;
                sweep.points.push(SweepPoint {
                    position: single(&(base_in_end * as_measured).coords),
                    as_measured: single(&as_measured.coords),
                    time: -sweep.end.since(time).seconds() as f32,
                    origin,
                    intensity: 1000,
                });
            } else if beam % self.miss_step == 0 {
                let end = Point3::from(geometry.direction(beam).into_inner() * geometry.max_range);
                sweep.misses.push(single(&(base_in_end * laser_in_base * end).coords));
            }
        }
    }

    /// What gyroscope and accelerometer say.
    fn motion(&self, begin: f64, end: f64) -> Motion {
        let mut motion = Motion { longest_gap: self.scanner.geometry.period.seconds(), ..Motion::default() };
        let mut time = begin + CYCLE;
        while time < end {
            let [before, now, after] = [time - CYCLE, time, time + CYCLE].map(|time| self.trajectory.at(time));
            let turn = now.inv_mul(&after).rotation.angle() / CYCLE;
            let [a, b, c] = [before, now, after].map(|pose| pose.translation.vector);
            let acceleration = ((c - b) - (b - a)).norm() / (CYCLE * CYCLE);
            motion.peak_angular_rate = motion.peak_angular_rate.max(turn);
            motion.peak_acceleration = motion.peak_acceleration.max(acceleration);
            time += CYCLE;
        }
        motion.up_in_base = self.trajectory.at(end).rotation.inverse() * Vector3::z();
        motion
    }
}

impl Iterator for Bench {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        Some(self.step())
    }
}

/// On the floor under the base, level, with its heading.
fn start(trajectory: &Trajectory) -> Isometry3<f64> {
    let base = trajectory.at(0.0);
    let (_, _, yaw) = base.rotation.euler_angles();
    Isometry3::new(Vector3::new(base.translation.x, base.translation.y, 0.0), Vector3::z() * yaw)
}

fn single(vector: &Vector3<f64>) -> [f32; 3] {
    vector.map(|value| value as f32).into()
}
