//! What the navigator does when it gets no farther.

use robot_io::math::{cos, sin};
use robot_io::{Path, Pose2, Sealed, Severity, State, Time};

use super::request::Penalty;
use super::{Navigator, Phase};
use crate::recovery::Measure;
use crate::rollout::Velocity;
use crate::{Goal, Status};

/// A short way that is driven to get free.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Manoeuvre {
    /// The heading to keep or to turn to [rad].
    heading: f64,
    /// When it ends at the latest.
    until: Time,
}

/// A place where the robot was stuck costs so much.
const STUCK_COST: f64 = 0.85;
/// So far ahead of the robot's base is what it is stuck at [m].
const AHEAD: f64 = 0.5;
/// A manoeuvre is over this near to its end [m].
const NEAR: f64 = 0.1;
/// A robot that has no room aside turns by this [rad].
const TWIST: f64 = 0.6;

impl Navigator {
    /// Takes note of what is left [m]; true if there has been no progress for too long.
    pub(super) fn watch_progress(&mut self, left: f64) -> bool {
        let with = self.settings.recovery;
        let stalled = self.progress.note(self.now, left).seconds();
        if left < self.trouble_left - with.relief && self.tries.count() > 0 {
            self.tries.clear();
            self.tell(Severity::Info, "free again; way left [m]", left, f64::NAN);
        }
        stalled >= if self.is_blocked { with.patience } else { with.stall_time }
    }

    /// The next means to get free.
    pub(super) fn take_measures(&mut self) -> (Option<Velocity>, Status) {
        if self.tries.count() == 0 {
            self.trouble_left = self.progress.best();
        }
        let measure = self.tries.next();
        let tries = f64::from(self.tries.count());
        match measure {
            Measure::Warn => {
                self.tell(
                    Severity::Warning,
                    "no progress: planning again; way left [m]",
                    self.distance_left(),
                    f64::NAN,
                );
            }
            Measure::Penalize => {
                self.tell(Severity::Warning, "stuck: another way is looked for; try", tries, f64::NAN);
                let ahead = self.way.at(self.along + AHEAD);
                let (x, y, radius) = (ahead.x, ahead.y, self.settings.recovery.penalty_radius);
                self.penalize(Penalty { x, y, radius, cost: STUCK_COST });
            }
            Measure::BackOff => {
                self.tell(Severity::Warning, "stuck: going back on the way that was driven; try", tries, f64::NAN);
                let back = self.trail.back(&self.pose, &self.odom_in_map, self.settings.recovery.back_off);
                self.manoeuvre(back, self.pose.yaw);
            }
            Measure::SideStep => {
                self.tell(Severity::Warning, "stuck: stepping aside; try", tries, f64::NAN);
                self.step_aside();
            }
            Measure::GiveUp => {
                self.tell(Severity::Error, "stuck for good; tries", tries - 1.0, f64::NAN);
                self.phase = Phase::Stuck;
                return (None, Status::Stuck);
            }
        }
        self.urgent = true;
        self.progress.try_again(self.now);
        (None, Status::Recovering(self.tries.count()))
    }

    pub(super) fn manoeuvre(&mut self, path: Path, heading: f64) {
        let until = self.now + robot_io::Period::from_seconds(self.settings.recovery.manoeuvre_time);
        self.manoeuvre = Some(Manoeuvre { heading, until });
        (self.blocked_since, self.is_blocked) = (None, false);
        self.follow(path);
    }

    /// To the side where there is most room; where there is none, a turn on the spot.
    fn step_aside(&mut self) {
        let reach = self.settings.recovery.side_step;
        let aside = |eighth: u32| {
            let direction = self.pose.yaw + f64::from(eighth) * core::f64::consts::FRAC_PI_4;
            Pose2 { x: self.pose.x + reach * cos(direction), y: self.pose.y + reach * sin(direction), ..self.pose }
        };
        let room = |pose: &Pose2| self.local.room(pose, &self.surroundings);
        // the tries in a row go to different sides: what has the most room has not helped
        let mut sides: Vec<(f64, Pose2)> = (0..8).map(|eighth| (room(&aside(eighth)), aside(eighth))).collect();
        sides.sort_by(|a, b| b.0.total_cmp(&a.0));
        let turn = if self.tries.count().is_multiple_of(4) { TWIST } else { -TWIST };
        match sides.get(usize::from(self.tries.count() > 4)) {
            Some((room, pose)) if *room > self.settings.rollout.room => {
                let path = Path { poses: vec![self.pose, *pose] };
                self.manoeuvre(path, self.pose.yaw);
            }
            _ => self.manoeuvre(Path { poses: vec![self.pose] }, self.pose.yaw + turn),
        }
    }

    /// Drives the manoeuvre, and plans again when it is over.
    pub(super) fn get_free(&mut self, manoeuvre: &Manoeuvre, goal: &Goal) -> (Option<Velocity>, Status) {
        let end = self.path.poses.last().copied().unwrap_or(self.pose);
        let turned = robot_io::math::wrap_angle(manoeuvre.heading - self.pose.yaw).abs() < NEAR;
        let arrived = self.pose.distance(&end) < NEAR && turned;
        if arrived || self.now >= manoeuvre.until || self.is_blocked && turned {
            self.manoeuvre = None;
            self.plan = Sealed::default();
            self.piece = 0;
            (self.blocked_since, self.is_blocked, self.nearest_since) = (None, false, None);
            self.urgent = true;
            self.progress.try_again(self.now);
            return (None, Status::Recovering(self.tries.count()));
        }
        let wanted = self.drive(goal, Some(manoeuvre.heading));
        (wanted, Status::Recovering(self.tries.count()))
    }
}
