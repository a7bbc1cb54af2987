//! What is left of an action, and what may be left of it.

use robot_io::math::wrap_angle;

use super::{Phase, Sequencer};
use crate::order::ActionOrder;
use crate::progress::Remaining;
use crate::skill::Progress;
use crate::task::{View, Way};

impl Sequencer {
    pub(super) fn measure(&self, view: &View) -> Remaining {
        let order = self.present();
        if self.phase == Phase::Driving {
            let turn = wrap_angle(self.goal_in_odom.yaw - view.pose_in_odom.yaw).abs();
            let pass = order.leg.is_some_and(|leg| leg.pass);
            let distance = view.pose_in_odom.distance(&self.goal_in_odom);
            return Remaining { distance, turn: if pass { 0.0 } else { turn }, time: 0.0 };
        }
        // what is ordered in the first moment of an action is not finished in it
        let first = view.now == self.begun;
        let time_left = |seconds: f64| (seconds - view.now.since(self.begun).seconds()).max(0.0);
        match order.action {
            Some(ActionOrder::Wait { seconds }) => Remaining { time: time_left(seconds), ..Remaining::default() },
            Some(ActionOrder::Stance { seconds, .. }) => {
                let time = time_left(seconds).max(if first { f64::MIN_POSITIVE } else { 0.0 });
                Remaining { time, ..Remaining::default() }
            }
            Some(ActionOrder::Pose { .. }) => {
                let turn = if first { f64::INFINITY } else { view.posture_error };
                Remaining { turn, ..Remaining::default() }
            }
            Some(ActionOrder::Explore { .. }) => {
                let turn = if first || view.way != Way::Done { f64::INFINITY } else { 0.0 };
                Remaining { turn, ..Remaining::default() }
            }
            Some(ActionOrder::Skill { .. } | ActionOrder::Motion { .. }) => {
                match self.own_progress(view).unwrap_or_default() {
                    Progress::Left(left) if !first => left,
                    Progress::Done if !first => Remaining::default(),
                    _ => Remaining { turn: f64::INFINITY, ..Remaining::default() },
                }
            }
            None => Remaining::default(),
        }
    }

    pub(super) fn is_finished(&self, view: &View) -> bool {
        if let Some(progress) = self.own_progress(view) {
            // what is told in the first moment is the last one's
            return progress == Progress::Done && view.now > self.begun;
        }
        let (distance, turn) = self.tolerances();
        let Remaining { distance: way, turn: angle, time } = self.left;
        let stops = self.present().leg.is_some_and(|leg| !leg.pass);
        let is_walking = self.phase == Phase::Driving && (view.steps_left || stops && view.steps);
        way <= distance && angle <= turn && time <= 0.0 && !is_walking
    }

    /// What may be left of way [m] and turn [rad] of the present action.
    pub(super) fn tolerances(&self) -> (f64, f64) {
        let order = self.present();
        match (self.phase, order.leg, order.action) {
            (Phase::Driving, Some(leg), _) => (leg.tolerance, leg.heading_tolerance),
            (Phase::Acting, _, Some(ActionOrder::Pose { tolerance, .. })) => (0.0, tolerance),
            _ => (0.0, 0.0),
        }
    }

    /// Whether it is way that is left, else turn; how much of it, and how much may be [m or rad].
    pub(super) fn worst_left(&self) -> (bool, f64, f64) {
        let (way, turn) = self.tolerances();
        let Remaining { distance, turn: angle, .. } = self.left;
        if distance > way { (true, distance, way) } else { (false, angle, turn) }
    }
}
