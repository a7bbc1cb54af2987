//! Driving to poses.

use robot_io::math::{atan2, cos, hypot, sin, wrap_angle};
use robot_io::{Pose2, Settings, State, Twist};
use serde::{Deserialize, Serialize};

use crate::LocomotionError;

/// Parameters of [`PoseFollower`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct FollowerSettings {
    /// Cruising speed [m/s].
    #[setting(0.4, positive)]
    pub speed: f64,
    /// Highest turn rate [rad/s].
    #[setting(0.5, positive)]
    pub turn_rate: f64,
    /// Deceleration towards the goal [m/s²]; less than the drive's.
    #[setting(0.25, positive)]
    pub deceleration: f64,
    /// Deceleration of turning [rad/s²]; less than the drive's.
    #[setting(0.4, positive)]
    pub turn_deceleration: f64,
    /// How near the goal is reached [m].
    #[setting(0.02, positive)]
    pub distance_tolerance: f64,
    /// How near the goal's heading is reached [rad].
    #[setting(0.02, positive)]
    pub heading_tolerance: f64,
    /// How near a pose counts as passed that is not stopped at [m].
    #[setting(0.25, positive)]
    pub pass_distance: f64,
    /// A goal that moves by less than this keeps what has been reached so far [m].
    #[setting(0.05, positive)]
    pub same_goal_distance: f64,
    /// A goal that turns by less than this keeps what has been reached so far [rad].
    #[setting(0.1, positive)]
    pub same_goal_angle: f64,
    /// Gain from distance to speed close to the goal [1/s].
    #[setting(1.5, positive)]
    pub distance_gain: f64,
    /// Gain from heading error to turn rate [1/s].
    #[setting(1.5, positive)]
    pub heading_gain: f64,
}

/// Where to look on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, State)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    /// As at the start of the way: pure omnidirectional driving.
    #[default]
    Keep,
    /// Where the robot goes.
    Travel,
    /// Already as at the goal.
    Goal,
}

/// A pose to drive to.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Goal {
    /// The pose in the odometry frame.
    pub pose: Pose2,
    /// Where to look on the way.
    pub heading: Heading,
    /// True to drive through without stopping or turning to the pose's heading.
    pub pass: bool,
}

/// How far the way has got. "Latching" (paper, section 6.2.2): first the place, then the heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
enum Latch {
    #[default]
    Idle,
    Approach,
    Turn,
    Reached,
}

/// Turns a pose and a goal into a velocity.
#[derive(Clone, Copy, Debug, State)]
pub struct PoseFollower {
    #[state(skip = "follows from the tuning, which is remembered")]
    settings: FollowerSettings,
    goal: Goal,
    latch: Latch,
    /// Heading at the start of the way [rad].
    kept: Option<f64>,
    distance_error: f64,
    heading_error: f64,
}

impl PoseFollower {
    /// A follower without a goal.
    pub fn new(settings: FollowerSettings) -> Result<PoseFollower, LocomotionError> {
        settings.check()?;
        let (goal, latch) = (Goal::default(), Latch::Idle);
        Ok(PoseFollower { settings, goal, latch, kept: None, distance_error: 0.0, heading_error: 0.0 })
    }

    /// Takes other settings from now on, or refuses them and goes on as before.
    pub fn retune(&mut self, settings: FollowerSettings) -> Result<(), LocomotionError> {
        settings.check()?;
        self.settings = settings;
        Ok(())
    }

    /// Sets a goal. One that hardly differs from the last keeps the latch, so that a planner that repeats itself causes
    /// no oscillation.
    pub fn set_goal(&mut self, goal: Goal) {
        let moved = goal.pose.distance(&self.goal.pose) > self.settings.same_goal_distance;
        let turned = wrap_angle(goal.pose.yaw - self.goal.pose.yaw).abs() > self.settings.same_goal_angle;
        if moved || turned || goal.pass != self.goal.pass || self.latch == Latch::Idle {
            (self.latch, self.kept) = (Latch::Approach, None);
        }
        self.goal = goal;
    }

    /// Forgets the goal.
    pub fn clear(&mut self) {
        (self.latch, self.kept) = (Latch::Idle, None);
        (self.distance_error, self.heading_error) = (0.0, 0.0);
    }

    /// The goal, while there is one.
    pub fn goal(&self) -> Option<Goal> {
        (self.latch != Latch::Idle).then_some(self.goal)
    }

    /// True once the goal has been reached.
    pub fn is_reached(&self) -> bool {
        self.latch == Latch::Reached
    }

    /// Distance that is left to the goal's place [m].
    pub fn distance_error(&self) -> f64 {
        self.distance_error
    }

    /// Turn that is left to the goal's heading [rad].
    pub fn heading_error(&self) -> f64 {
        self.heading_error
    }

    /// The speed from which it can still brake on this distance [m/s], no faster than it cruises.
    pub fn braking(&self, distance: f64) -> f64 {
        (2.0 * self.settings.deceleration * distance.max(0.0)).sqrt().min(self.settings.speed)
    }

    /// The velocity, in the base frame, that leads from `pose` to the goal, not faster than `speed` [m/s].
    pub fn update(&mut self, pose: &Pose2, speed: f64) -> Twist {
        if self.latch == Latch::Idle {
            return Twist::default();
        }
        let left = self.goal.pose.seen_from(pose);
        self.distance_error = hypot(left.x, left.y);
        self.heading_error = left.yaw;
        self.advance_latch();
        let kept = *self.kept.get_or_insert(pose.yaw);
        match self.latch {
            Latch::Approach => self.approach(pose, &left, kept, speed.min(self.settings.speed)),
            Latch::Turn => Twist { yaw: self.turn_rate(left.yaw), ..Twist::default() },
            Latch::Idle | Latch::Reached => Twist::default(),
        }
    }

    fn advance_latch(&mut self) {
        let with = &self.settings;
        let near = self.distance_error < with.distance_tolerance;
        let facing = self.heading_error.abs() < with.heading_tolerance;
        self.latch = match self.latch {
            Latch::Approach if self.goal.pass && self.distance_error < with.pass_distance => Latch::Reached,
            Latch::Approach if near && !self.goal.pass => Latch::Turn,
            // a turn that has drifted off its place goes back to it
            Latch::Turn if self.distance_error > 3.0 * with.distance_tolerance => Latch::Approach,
            latch => latch,
        };
        if self.latch == Latch::Turn && facing {
            self.latch = Latch::Reached;
        }
    }

    /// Straight to the goal's place, braking with v² = 2 a d.
    fn approach(&self, pose: &Pose2, left: &Pose2, kept: f64, speed: f64) -> Twist {
        let with = &self.settings;
        let distance = self.distance_error;
        let direction = atan2(left.y, left.x);
        let brake = (2.0 * with.deceleration * distance).sqrt().min(with.distance_gain * distance);
        let mut speed = if self.goal.pass { speed } else { speed.min(brake) };
        let turn = match self.goal.heading {
            Heading::Keep => wrap_angle(kept - pose.yaw),
            Heading::Goal => left.yaw,
            // close to the goal the direction means nothing any more
            Heading::Travel if distance < 5.0 * with.distance_tolerance => 0.0,
            Heading::Travel => direction,
        };
        if self.goal.heading == Heading::Travel {
            // turn first, as far as the place lies aside
            speed *= cos(turn).max(0.0);
        }
        Twist { x: speed * cos(direction), y: speed * sin(direction), yaw: self.turn_rate(turn) }
    }

    fn turn_rate(&self, turn: f64) -> f64 {
        let with = &self.settings;
        let brake = (2.0 * with.turn_deceleration * turn.abs()).sqrt();
        let rate = brake.min(with.heading_gain * turn.abs()).min(with.turn_rate);
        // what is within half the tolerance is not worth a turn of the wheels
        if turn.abs() < 0.5 * with.heading_tolerance { 0.0 } else { rate * turn.signum() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const DT: f64 = 0.004;

    /// A robot that moves as it is told; returns the time it took.
    fn drive(follower: &mut PoseFollower, pose: &mut Pose2, seconds: f64) -> f64 {
        let mut t = 0.0;
        while t < seconds && !follower.is_reached() {
            let twist = follower.update(pose, 1.0);
            let (s, c) = (sin(pose.yaw), cos(pose.yaw));
            pose.x += (c * twist.x - s * twist.y) * DT;
            pose.y += (s * twist.x + c * twist.y) * DT;
            pose.yaw += twist.yaw * DT;
            t += DT;
        }
        t
    }

    fn goal(x: f64, y: f64, yaw: f64, heading: Heading, pass: bool) -> Goal {
        Goal { pose: Pose2 { x, y, yaw }, heading, pass }
    }

    #[test]
    fn every_way_of_looking_ends_at_the_pose() {
        for heading in [Heading::Keep, Heading::Travel, Heading::Goal] {
            let mut follower = PoseFollower::new(FollowerSettings::default()).unwrap();
            let mut pose = Pose2::default();
            follower.set_goal(goal(-1.0, 2.0, 2.5, heading, false));
            let time = drive(&mut follower, &mut pose, 60.0);
            assert!(follower.is_reached(), "{heading:?}: {pose:?}");
            assert!(
                pose.distance(&follower.goal.pose) < 0.02 && (pose.yaw - 2.5).abs() < 0.02,
                "{heading:?}: {pose:?}"
            );
            assert!(time < 22.0, "{heading:?}: {time} s");
        }
    }

    #[test]
    fn first_the_place_then_the_heading() {
        let mut follower = PoseFollower::new(FollowerSettings::default()).unwrap();
        let mut pose = Pose2::default();
        follower.set_goal(goal(1.0, 0.0, 1.0, Heading::Keep, false));
        while follower.distance_error() > 0.02 || pose.x == 0.0 {
            drive(&mut follower, &mut pose, DT);
            assert!(pose.yaw == 0.0 || follower.distance_error() < 0.02, "at {pose:?}");
        }
        // a goal that is repeated with a small change does not begin again
        follower.set_goal(goal(1.01, 0.01, 1.0, Heading::Keep, false));
        let twist = follower.update(&pose, 1.0);
        assert!(twist.yaw > 0.0 && twist.x == 0.0, "{twist:?}");
        follower.set_goal(goal(2.0, 0.0, 1.0, Heading::Keep, false));
        assert!(follower.update(&pose, 1.0).x > 0.1);
    }

    #[test]
    fn a_pose_to_pass_is_passed_at_speed() {
        let mut follower = PoseFollower::new(FollowerSettings::default()).unwrap();
        let mut pose = Pose2::default();
        follower.set_goal(goal(2.0, 0.0, 1.0, Heading::Travel, true));
        while !follower.is_reached() {
            let twist = follower.update(&pose, 0.3);
            assert!((twist.x - 0.3).abs() < 1e-12 || follower.is_reached(), "{twist:?}");
            pose.x += twist.x * DT;
        }
        assert!((pose.x - 1.75).abs() < 0.01);
    }

    #[test]
    fn it_brakes_no_harder_than_it_says() {
        let mut follower = PoseFollower::new(FollowerSettings::default()).unwrap();
        follower.set_goal(goal(2.0, 0.0, 0.0, Heading::Keep, false));
        let (mut pose, mut before) = (Pose2::default(), None);
        while !follower.is_reached() {
            let twist = follower.update(&pose, 1.0);
            let braked = before.map_or(0.0, |before| (before - twist.x) / DT);
            assert!(braked < 0.6 || follower.is_reached(), "{braked} m/s² at {} m", pose.x);
            pose.x += twist.x * DT;
            before = Some(twist.x);
        }
    }
}
