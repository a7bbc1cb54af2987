//! Where a camera was in the last cycles.

use std::collections::VecDeque;

use nalgebra::{Isometry3, UnitQuaternion};
use robot_io::{State, StateVisitor, Time};

/// So long is remembered: a picture comes sooner than that after its exposure [s].
const LONGEST: f64 = 0.256;

/// A camera's poses in the odometry frame, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Trail(VecDeque<Moment>);

#[derive(Clone, Copy, Debug, State)]
struct Moment {
    time: Time,
    pose: Isometry3<f64>,
}

impl Trail {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn push(&mut self, time: Time, pose: Isometry3<f64>) {
        while self.0.front().is_some_and(|oldest| time.since(oldest.time).seconds() >= LONGEST) {
            self.0.pop_front();
        }
        self.0.push_back(Moment { time, pose });
    }

    /// Where it was in the last cycle.
    pub fn last(&self) -> Option<Isometry3<f64>> {
        self.0.back().map(|moment| moment.pose)
    }

    /// Where it was at a time, between the cycles before and after it; `None` for times that are not remembered.
    pub fn at(&self, time: Time) -> Option<Isometry3<f64>> {
        let after = self.0.iter().position(|moment| moment.time >= time)?;
        let after_it = self.0[after];
        if after_it.time == time {
            return Some(after_it.pose);
        }
        let before = self.0[after.checked_sub(1)?];
        let share = time.since(before.time).seconds() / after_it.time.since(before.time).seconds();
        let turn = (before.pose.rotation.inverse() * after_it.pose.rotation).scaled_axis();
        let place = before.pose.translation.vector.lerp(&after_it.pose.translation.vector, share);
        let rotation = before.pose.rotation * UnitQuaternion::from_scaled_axis(turn * share);
        Some(Isometry3::from_parts(place.into(), rotation))
    }
}

impl Default for Moment {
    fn default() -> Self {
        Moment { time: Time::ZERO, pose: Isometry3::identity() }
    }
}

impl State for Trail {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut moments: Vec<Moment> = self.0.iter().copied().collect();
        moments.visit_state(visitor);
        self.0 = moments.into();
    }
}
