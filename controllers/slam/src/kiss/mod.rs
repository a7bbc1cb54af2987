//! A baseline: sweep after sweep, point to point, against a map of points.
//!
//! In the manner of KISS-ICP: Vizzo, Guadagnino, Mersch, Wiesmann, Behley and Stachniss, "KISS-ICP: In Defense of
//! Point-to-Point ICP – Simple, Accurate, and Robust Registration If Done the Right Way" (RA-L 2023). It is here to be
//! compared with on the same logs, so it has what its users would give it. What differs from the paper:
//!
//! - The scanner reaches 30 m instead of 100 m, so voxels are 0.3 m wide. A sweep's pose is that of its end, the paper's
//!   that of its middle.
//! - [`Prediction::Odometry`] is the default: a sweep takes 1.26 s instead of 0.1 s, the robot turns on the spot and rocks,
//!   and no velocity is constant that long. Registration, map and threshold are the paper's.
//! - Points of the map keep a distance, as in the authors' program since: voxels do not fill up with the lines of a rest.
//!
//! Its weak point here: the scans of our sweep stand 7.2° apart, and the nearest point is one on the old scan's line, so
//! that sweeps turn with the lines unless the guess is good. Numbers: the example `baseline`.

mod icp;
mod settings;
mod voxels;

use nalgebra::{Isometry3, Point3, UnitQuaternion};
use robot_io::{Settings as _, State, Time};

pub(crate) use icp::about;
pub use settings::{KissSettings, Prediction};

use self::icp::{Limits, register};
use self::voxels::{VoxelMap, subsample};
use crate::{Flaw, SlamError, Sweep, SweepEstimate, SweepOdometer, SweepPoint, Verdict};

/// The baseline. Its map frame is the base frame at the end of the first sweep.
#[derive(Clone, Debug, State)]
pub struct KissIcp {
    #[state(fixed)]
    settings: KissSettings,
    map: VoxelMap,
    /// The base at the end of the last sweep, in the map frame.
    pose: Isometry3<f64>,
    /// The base at the end of the last sweep, in the base at the end of the sweep before.
    step: Isometry3<f64>,
    /// The end of the last sweep and how long after the one before it came [s].
    last: Time,
    duration: f64,
    /// The base in the odometry frame at the end of the last sweep.
    base_in_odom: Isometry3<f64>,
    threshold: AdaptiveThreshold,
}

impl KissIcp {
    /// An empty map.
    pub fn new(settings: KissSettings) -> Result<KissIcp, SlamError> {
        settings.check()?;
        Ok(KissIcp {
            map: VoxelMap::new(settings.voxel, settings.points_per_voxel),
            pose: Isometry3::identity(),
            step: Isometry3::identity(),
            last: Time::ZERO,
            duration: 0.0,
            base_in_odom: Isometry3::identity(),
            threshold: AdaptiveThreshold::default(),
            settings,
        })
    }

    /// How many points the map has.
    pub fn map_points(&self) -> usize {
        self.map.len()
    }

    /// The motion since the last sweep, which ended `passed` [s] before.
    fn predict(&self, sweep: &Sweep, passed: f64) -> Isometry3<f64> {
        match self.settings.prediction {
            _ if self.map.is_empty() => Isometry3::identity(),
            Prediction::Odometry => self.base_in_odom.inv_mul(&sweep.base_in_odom),
            Prediction::ConstantVelocity if self.duration > 0.0 => part(&self.step, passed / self.duration),
            Prediction::ConstantVelocity => Isometry3::identity(),
        }
    }

    /// All points within range in the base frame at the sweep's end, if the base moves by `step` in `passed` [s].
    fn deskew(&self, sweep: &Sweep, step: &Isometry3<f64>, passed: f64) -> Vec<Point3<f64>> {
        let range = self.settings.min_range..self.settings.max_range;
        let within = sweep.points.iter().filter(|point| range.contains(&distance(&point.as_measured)));
        let before_in_end = step.inverse();
        let place = |point: &SweepPoint| match self.settings.prediction {
            Prediction::Odometry => Point3::from(point.position).cast(),
            Prediction::ConstantVelocity => {
                let measured = Point3::from(point.as_measured).cast::<f64>();
                before_in_end * part(step, 1.0 + f64::from(point.time) / passed) * measured
            }
        };
        within.map(place).collect()
    }

    fn limits(&self) -> Limits {
        let deviation = self.threshold.deviation(self.settings.first_threshold);
        let KissSettings { convergence, most_steps, .. } = self.settings;
        Limits { threshold: 3.0 * deviation, kernel: deviation / 3.0, convergence, most_steps }
    }
}

impl SweepOdometer for KissIcp {
    fn process(&mut self, sweep: &Sweep) -> SweepEstimate {
        let length = sweep.end.since(sweep.begin).seconds().max(1e-3);
        let passed = if self.map.is_empty() { length } else { sweep.end.since(self.last).seconds().max(1e-3) };

        // motion prediction and deskewing
        let prediction = self.predict(sweep, passed);
        let points = self.deskew(sweep, &prediction, passed);
        let guess = self.pose * prediction;

        // subsampling: for the map, and of that for the registration
        let for_map = subsample(&points, self.settings.map_subsampling * self.settings.voxel);
        let source = subsample(&for_map, self.settings.registration_subsampling * self.settings.voxel);

        // registration
        let estimate = SweepEstimate { stamp: sweep.end, base_in_map: guess, ..SweepEstimate::default() };
        if source.len() < 6 {
            return SweepEstimate { verdict: Verdict::LeftOut(Flaw::Sparse), ..estimate };
        }
        let is_first = self.map.is_empty();
        let found = register(&source, &self.map, &guess, &self.limits());
        let pose = if is_first { guess } else { found.pose };

        // adaptive threshold, from how far the prediction was off
        if !is_first {
            let deviation = guess.inv_mul(&pose);
            self.threshold.observe(&deviation, self.settings.max_range, self.settings.least_deviation);
            self.step = self.pose.inv_mul(&pose);
            self.duration = passed;
        }

        // map update
        self.map.add(for_map.iter().map(|point| pose * point));
        self.map.keep_within(&pose.translation.vector.into(), self.settings.max_range);
        (self.pose, self.last, self.base_in_odom) = (pose, sweep.end, sweep.base_in_odom);
        let verdict =
            if is_first || found.converged { Verdict::Accepted } else { Verdict::LocalizedOnly(Flaw::Diverged) };
        SweepEstimate {
            base_in_map: pose,
            covariance: found.covariance,
            verdict,
            matched_share: found.matched_share,
            mean_distance: found.mean_distance,
            ..estimate
        }
    }
}

/// Paper, section III-C: partners may be three standard deviations of past predictions' errors away.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct AdaptiveThreshold {
    squares: f64,
    count: f64,
}

impl AdaptiveThreshold {
    /// Standard deviation of the predictions [m]; a third of `first` before there are any.
    fn deviation(&self, first: f64) -> f64 {
        if self.count > 0.0 { (self.squares / self.count).sqrt() } else { first / 3.0 }
    }

    /// Takes in by how much a prediction had to be put right; `range` [m] turns an angle into a distance.
    fn observe(&mut self, correction: &Isometry3<f64>, range: f64, least: f64) {
        let turned = 2.0 * range * robot_io::math::sin(0.5 * correction.rotation.angle());
        let deviation = turned + correction.translation.vector.norm();
        if deviation > least {
            self.squares += deviation * deviation;
            self.count += 1.0;
        }
    }
}

fn distance(point: &[f32; 3]) -> f64 {
    Point3::from(*point).cast::<f64>().coords.norm()
}

/// A part of a motion at constant velocity.
fn part(motion: &Isometry3<f64>, share: f64) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(motion.rotation.scaled_axis() * share);
    Isometry3::from_parts((motion.translation.vector * share).into(), turn)
}
