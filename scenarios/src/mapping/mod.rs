//! Mapping from a log: the skills that run in the robot, fed with what was recorded.

mod heights;
mod methods;
mod ply;
mod sweeps;
mod tum;

pub use heights::{HeightPicture, to_picture};
pub use methods::Method;
pub use ply::to_ply;
pub use sweeps::LoggedSweeps;
pub use tum::to_tum;

use std::time::Duration;

use nalgebra::Isometry3;
use robot_io::{MapViews, Time};
use rustix::time::{ClockId, clock_gettime};
use slam::{SweepEstimate, Verdict};

use crate::ScenarioError;
use crate::evaluation::{Evaluation, PoseError};
use crate::progress::Progress;
use crate::recording::Recording;

/// What one method makes of a log.
#[derive(Debug)]
pub struct Mapped {
    /// Which.
    pub method: Method,
    /// Where it believed the base to be at the end of each sweep, on the map.
    pub estimates: Vec<SweepEstimate>,
    /// The map as it is at the end.
    pub views: MapViews,
    /// Points of each sweep.
    pub points: Vec<usize>,
    /// What it believed against the truth, where the log has it.
    pub evaluation: Evaluation,
    /// Error at the end of each sweep, where the log has the truth.
    pub errors: Vec<PoseError>,
    /// How long a core of this machine computed for it, without reading the log.
    pub took: Duration,
}

impl Mapped {
    /// How many sweeps were left out of the map.
    pub fn left_out(&self) -> usize {
        self.estimates.iter().filter(|estimate| estimate.verdict != Verdict::Accepted).count()
    }

    /// The largest attitude error of all sweeps [rad]; not-a-number without truth.
    pub fn largest_angle(&self) -> f64 {
        self.errors.iter().map(|error| error.angle).fold(f64::NAN, f64::max)
    }
}

/// Feeds a log's sweeps to `methods`, one after the other for each sweep.
pub fn map_log(
    recording: &Recording,
    methods: &[Method],
    progress: &mut Progress,
) -> Result<Vec<Mapped>, ScenarioError> {
    let truth = recording.log.truth()?;
    let mut sweeps = LoggedSweeps::new(recording)?;
    let mut runs: Vec<(Box<dyn methods::Mapping>, Mapped)> = Vec::new();
    for method in methods {
        runs.push((method.begin(recording)?, Mapped::new(*method)));
    }
    while let Some(sweep) = sweeps.next_sweep()? {
        for (mapping, mapped) in &mut runs {
            let begin = computing_time();
            let estimate = mapping.process(&sweep);
            mapped.took += computing_time().saturating_sub(begin);
            mapped.points.push(sweep.points.len());
            mapped.note(estimate, truth_at(&truth, estimate.stamp));
        }
        progress.show(sweep.end, &format!("{} sweeps", sweep.number));
    }
    Ok(runs.into_iter().map(|(mapping, mapped)| Mapped { views: mapping.views(), ..mapped }).collect())
}

/// How long this thread has been computing, which other work on the machine does not change.
fn computing_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

impl Mapped {
    fn new(method: Method) -> Mapped {
        Mapped {
            method,
            estimates: Vec::new(),
            views: MapViews::default(),
            points: Vec::new(),
            evaluation: Evaluation::default(),
            errors: Vec::new(),
            took: Duration::ZERO,
        }
    }

    fn note(&mut self, estimate: SweepEstimate, truth: Option<Isometry3<f64>>) {
        self.estimates.push(estimate);
        if let Some(truth) = truth {
            self.evaluation.observe(estimate.stamp, &estimate.base_in_map, &truth);
            self.errors.extend(self.evaluation.error());
        }
    }
}

/// The truth at a time, between the two moments that the log has about it.
pub fn truth_at(truth: &[(Time, Isometry3<f64>)], time: Time) -> Option<Isometry3<f64>> {
    let after = truth.partition_point(|(stamp, _)| *stamp < time);
    let (end, late) = truth.get(after)?;
    let Some((begin, early)) = after.checked_sub(1).and_then(|before| truth.get(before)) else { return Some(*late) };
    let whole = end.since(*begin).seconds();
    let share = if whole > 0.0 { time.since(*begin).seconds() / whole } else { 0.0 };
    Some(early.try_lerp_slerp(late, share, 1e-12).unwrap_or(*late))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_truth_between_two_moments_lies_between_them_and_there_is_none_beyond() {
        let at = |ms: u64| Time::from_nanoseconds(ms * 1_000_000);
        let truth = [(at(10), Isometry3::translation(1.0, 0.0, 0.0)), (at(20), Isometry3::translation(2.0, 0.0, 0.0))];
        assert!((truth_at(&truth, at(15)).unwrap().translation.x - 1.5).abs() < 1e-12);
        assert_eq!(truth_at(&truth, at(5)).unwrap().translation.x, 1.0);
        assert_eq!(truth_at(&truth, at(21)), None);
    }
}
