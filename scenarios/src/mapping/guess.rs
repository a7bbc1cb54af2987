//! Where a scanner was while it measured, as far as that is known before a sweep is registered: by odometry, or because it goes on as
//! it did.

use clouds::{Cloud, PointClock, StampedPose};
use nalgebra::{Isometry3, Point3, UnitQuaternion};
use robot_io::Time;
use slam::{KissIcp, KissSettings, Motion, Prediction, SlamError, Sweep, SweepEstimate, SweepOdometer, SweepPoint};

use crate::evaluation::truth_at;

/// Points measured within the same one of so many parts of a sweep are moved alike.
const PARTS: usize = 100;

/// A sweep as the scanner saw it, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    number: u64,
    begin: Time,
    /// When its last point was measured.
    pub end: Time,
    points: Vec<[f32; 3]>,
    /// When each was measured, from the end on [s]; empty if nobody knows.
    times: Vec<f32>,
}

impl Seen {
    /// Of a cloud, without the points nearer or farther than `range` [m].
    pub fn of(cloud: Cloud, clock: Option<&PointClock>, range: &std::ops::Range<f64>) -> Seen {
        let seconds = clock.map(|clock| clock.seconds(&cloud)).unwrap_or_default();
        let (first, last) = seconds
            .iter()
            .fold((0.0_f64, f64::NEG_INFINITY), |(first, last), time| (first.min(*time), last.max(*time)));
        let last = if last.is_finite() { last } else { 0.0 };
        let kept: Vec<usize> =
            (0..cloud.points.len()).filter(|index| is_within(&cloud.points[*index], range)).collect();
        Seen {
            number: cloud.number,
            begin: shifted(cloud.stamp, first.min(last)),
            end: shifted(cloud.stamp, last),
            times: if seconds.is_empty() {
                Vec::new()
            } else {
                kept.iter().map(|index| (seconds[*index] - last) as f32).collect()
            },
            points: kept.iter().map(|index| cloud.points[*index]).collect(),
        }
    }

    /// The sweep with its motion undone; `at` tells where the scanner was, this long from the end on [s].
    fn sweep(&self, at: &dyn Fn(f64) -> Isometry3<f64>) -> Sweep {
        let length = self.end.since(self.begin).seconds();
        let base_in_odom = at(0.0);
        let middle = |part: usize| -length * (1.0 - (part as f64 + 0.5) / PARTS as f64);
        let place = |seconds: f64| base_in_odom.inv_mul(&at(seconds));
        let places: Vec<Isometry3<f64>> = if self.times.is_empty() {
            vec![Isometry3::identity()]
        } else {
            (0..PARTS).map(|part| place(middle(part))).collect()
        };
        let part = |time: f32| (PARTS as f64 * (1.0 + f64::from(time) / length.max(1e-9))) as usize;
        let points = self.points.iter().enumerate().map(|(index, point)| {
            let time = self.times.get(index).copied().unwrap_or(0.0);
            let part = part(time).min(places.len() - 1);
            SweepPoint {
                position: moved(&places[part], point),
                as_measured: *point,
                time,
                origin: part as u16,
                intensity: 0,
            }
        });
        let points: Vec<SweepPoint> = points.collect();
        let within = at(-length).inv_mul(&base_in_odom);
        Sweep {
            number: self.number,
            begin: self.begin,
            end: self.end,
            points,
            origins: places.iter().map(|place| place.translation.vector.map(|at| at as f32).into()).collect(),
            begin_in_odom: at(-length),
            base_in_odom,
            motion: Motion {
                distance: within.translation.vector.norm(),
                turn: within.rotation.angle(),
                ..Motion::default()
            },
            ..Sweep::default()
        }
    }
}

/// Tells where the scanner is before a sweep is registered.
#[derive(Clone, Debug)]
pub enum Guess {
    /// By odometry: poses in order of time.
    Odometry(std::sync::Arc<Vec<StampedPose>>),
    /// It goes on as it did.
    Steady(Box<Steady>),
}

impl Guess {
    /// Without odometry. `kiss` finds out how fast the scanner is when the recording begins, which no guess can know.
    pub fn steady(kiss: KissSettings) -> Result<Guess, SlamError> {
        let kiss = KissIcp::new(KissSettings { prediction: Prediction::ConstantVelocity, ..kiss })?;
        let (base_in_odom, step, found) = (Isometry3::identity(), Isometry3::identity(), None);
        Ok(Guess::Steady(Box::new(Steady {
            base_in_odom,
            step,
            last: None,
            duration: 0.0,
            found,
            beginner: Some(kiss),
        })))
    }

    /// The sweep for registration.
    pub fn sweep(&mut self, seen: &Seen) -> Sweep {
        match self {
            Guess::Odometry(poses) => seen.sweep(&|seconds| pose_at(poses, shifted(seen.end, seconds))),
            Guess::Steady(steady) => steady.sweep(seen),
        }
    }

    /// Takes in where the scanner was found to be.
    pub fn learn(&mut self, estimate: &SweepEstimate) {
        if let Guess::Steady(steady) = self {
            let now = estimate.base_in_map;
            if let Some(before) = steady.found.replace(now) {
                steady.step = before.inv_mul(&now);
            }
        }
    }
}

/// What goes on as it did.
#[derive(Clone, Debug)]
pub struct Steady {
    /// Where the guesses have led.
    base_in_odom: Isometry3<f64>,
    /// The last motion, and how long it took [s].
    step: Isometry3<f64>,
    duration: f64,
    last: Option<Time>,
    /// Where the last sweep was found.
    found: Option<Isometry3<f64>>,
    beginner: Option<KissIcp>,
}

impl Steady {
    fn sweep(&mut self, seen: &Seen) -> Sweep {
        let first_length = seen.end.since(seen.begin).seconds();
        let passed = self.last.map_or(first_length, |last| seen.end.since(last).seconds()).max(1e-3);
        let step = if self.duration > 0.0 { part(&self.step, passed / self.duration) } else { self.begin(seen) };
        (self.duration, self.last) = (if self.last.is_some() { passed } else { 0.0 }, Some(seen.end));
        let before = self.base_in_odom;
        let sweep = seen.sweep(&|seconds| before * part(&step, 1.0 + seconds / passed));
        self.base_in_odom = sweep.base_in_odom;
        sweep
    }

    /// The motion between the first two sweeps.
    fn begin(&mut self, seen: &Seen) -> Isometry3<f64> {
        let Some(beginner) = &mut self.beginner else { return Isometry3::identity() };
        let pose = beginner.process(&seen.sweep(&|_| Isometry3::identity())).base_in_map;
        if self.last.is_some() {
            self.beginner = None;
        }
        pose
    }
}

/// Where something was, between the two poses about a time; before the first and after the last it stands still.
fn pose_at(poses: &[StampedPose], time: Time) -> Isometry3<f64> {
    truth_at(poses, time).unwrap_or_else(|| poses.last().map_or_else(Isometry3::identity, |(_, pose)| *pose))
}

/// Part of a motion at constant velocity.
fn part(motion: &Isometry3<f64>, share: f64) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(motion.rotation.scaled_axis() * share);
    Isometry3::from_parts((motion.translation.vector * share).into(), turn)
}

fn moved(place: &Isometry3<f64>, point: &[f32; 3]) -> [f32; 3] {
    (place * Point3::from(point.map(f64::from))).coords.map(|at| at as f32).into()
}

fn is_within(point: &[f32; 3], range: &std::ops::Range<f64>) -> bool {
    range.contains(&Point3::from(point.map(f64::from)).coords.norm())
}

fn shifted(time: Time, seconds: f64) -> Time {
    let nanoseconds = (seconds.abs() * 1e9).round() as u64;
    let shifted = if seconds < 0.0 {
        time.nanoseconds().saturating_sub(nanoseconds)
    } else {
        time.nanoseconds().saturating_add(nanoseconds)
    };
    Time::from_nanoseconds(shifted)
}
