//! How the robot moves when it is steered in some way: the model behind a rollout.

use robot_io::math::{atan2, cos, hypot, sin, wrap_angle};
use robot_io::{Pose2, State, StateVisitor, Twist};

use super::RolloutSettings;
use super::way::Way;
use crate::Footprint;

/// Where a rollout drives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Aim {
    /// Nowhere.
    #[default]
    Stand,
    /// To a place ahead on the way.
    Pursue,
    /// In a direction on the map [rad].
    Along(f64),
    /// The same, but not to the end of the way: to have more room.
    Away(f64),
}

/// How a rollout turns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Turn {
    /// Not at all.
    #[default]
    Keep,
    /// To the wanted heading, not faster than this [rad/s].
    Toward(f64),
    /// At this rate [rad/s].
    Constant(f64),
}

/// How a rollout is steered. It is a law and not a velocity: what is chosen ten times a second may be followed at any rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Policy {
    /// Where it drives.
    pub aim: Aim,
    /// How fast [m/s].
    pub speed: f64,
    /// How it turns.
    pub turn: Turn,
}

/// What is to be followed, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    /// The way.
    pub way: &'a Way,
    /// How far along the way the robot is [m].
    pub along: f64,
    /// The heading to have [rad]; `None`: that of the way.
    pub heading: Option<f64>,
    /// Where on the way the robot comes to rest [m].
    pub end: f64,
    /// Highest speed [m/s].
    pub speed: f64,
}

/// A velocity on the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Velocity {
    /// Along the map's x [m/s].
    pub x: f64,
    /// Along the map's y [m/s].
    pub y: f64,
    /// Counter-clockwise [rad/s].
    pub yaw: f64,
}

impl Velocity {
    /// The velocity on the map of a robot whose base has this heading.
    pub fn of(twist: &Twist, yaw: f64) -> Velocity {
        let (s, c) = (sin(yaw), cos(yaw));
        Velocity { x: c * twist.x - s * twist.y, y: s * twist.x + c * twist.y, yaw: twist.yaw }
    }

    /// The velocity in the frame of a base with this heading.
    pub fn seen_from(&self, yaw: f64) -> Twist {
        let (s, c) = (sin(yaw), cos(yaw));
        Twist { x: c * self.x + s * self.y, y: c * self.y - s * self.x, yaw: self.yaw }
    }

    /// Speed over ground [m/s].
    pub fn speed(&self) -> f64 {
        hypot(self.x, self.y)
    }

    /// This velocity moved towards another by what the accelerations allow in `dt` [s]; both parts arrive together.
    pub fn toward(&self, to: &Velocity, settings: &RolloutSettings, dt: f64) -> Velocity {
        if dt <= 0.0 {
            return *self;
        }
        let (dx, dy, dyaw) = (to.x - self.x, to.y - self.y, to.yaw - self.yaw);
        let steps = (hypot(dx, dy) / (settings.acceleration * dt)).max(dyaw.abs() / (settings.turn_acceleration * dt));
        let share = if steps <= 1.0 { 1.0 } else { 1.0 / steps };
        Velocity { x: self.x + share * dx, y: self.y + share * dy, yaw: self.yaw + share * dyaw }
    }
}

impl Task<'_> {
    /// The velocity that a policy wants at a pose that is `along` the way [m].
    pub fn wanted(&self, policy: &Policy, pose: &Pose2, along: f64, settings: &RolloutSettings) -> Velocity {
        let yaw = match policy.turn {
            Turn::Keep => 0.0,
            Turn::Constant(rate) => rate,
            Turn::Toward(limit) => turn_rate(self.heading_error(pose, along), limit, settings),
        };
        let (direction, speed) = match policy.aim {
            Aim::Stand => return Velocity { x: 0.0, y: 0.0, yaw },
            Aim::Along(direction) => (direction, policy.speed),
            Aim::Away(direction) => {
                let (x, y) = (policy.speed * cos(direction), policy.speed * sin(direction));
                return Velocity { x, y, yaw };
            }
            Aim::Pursue => {
                let ahead = self.way.at(along + self.look_ahead(policy.speed, settings));
                (atan2(ahead.y - pose.y, ahead.x - pose.x), policy.speed)
            }
        };
        let speed = speed.min(self.brake(pose, along, settings));
        Velocity { x: speed * cos(direction), y: speed * sin(direction), yaw }
    }

    /// How far ahead on the way to aim [m].
    pub fn look_ahead(&self, speed: f64, settings: &RolloutSettings) -> f64 {
        settings.least_look_ahead + settings.look_ahead_time * speed
    }

    /// Turn that is left to the wanted heading [rad].
    pub fn heading_error(&self, pose: &Pose2, along: f64) -> f64 {
        const AHEAD: f64 = 0.4;
        wrap_angle(self.heading.unwrap_or_else(|| self.way.heading(along + AHEAD)) - pose.yaw)
    }

    /// v² = 2 a d, and softer close to the end [m/s].
    fn brake(&self, pose: &Pose2, along: f64, settings: &RolloutSettings) -> f64 {
        let left = (self.end - along).max(0.0);
        let end = self.way.at(self.end);
        // beside the end of the way there is still something to drive, beside a place on it there is not
        let aside = if self.end < self.way.length() { 0.0 } else { hypot(end.x - pose.x, end.y - pose.y) };
        let left = left.max(aside);
        (1.4 * settings.acceleration * left).sqrt().min(settings.distance_gain * left)
    }
}

/// Turn rate that takes an error of heading away and comes to rest there [rad/s].
pub(crate) fn turn_rate(error: f64, limit: f64, settings: &RolloutSettings) -> f64 {
    let brake = (1.4 * settings.turn_acceleration * error.abs()).sqrt();
    brake.min(settings.heading_gain * error.abs()).min(limit) * error.signum()
}

/// How far the wheel pairs have to turn from one motion of the base to another [rad]: the farthest of those that move. A pair
/// rolls both ways.
pub(crate) fn steering_angle(from: &Twist, to: &Twist, footprint: &Footprint) -> f64 {
    const CREEP: f64 = 0.02;
    let velocity = |twist: &Twist, x: f64, y: f64| (twist.x - twist.yaw * y, twist.y + twist.yaw * x);
    let mut largest: f64 = 0.0;
    for [x, y, _] in &footprint.feet {
        let (a, b) = (velocity(from, *x, *y), velocity(to, *x, *y));
        if hypot(a.0, a.1) > CREEP && hypot(b.0, b.1) > CREEP {
            let angle = atan2(a.0 * b.1 - a.1 * b.0, a.0 * b.0 + a.1 * b.1).abs();
            largest = largest.max(angle.min(core::f64::consts::PI - angle));
        }
    }
    largest
}

impl State for Policy {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let (mut aim, mut direction) = match self.aim {
            Aim::Stand => (0_u64, 0.0),
            Aim::Pursue => (1, 0.0),
            Aim::Along(direction) => (2, direction),
            Aim::Away(direction) => (3, direction),
        };
        visitor.field("aim", &mut aim);
        visitor.field("direction", &mut direction);
        self.aim = match aim {
            1 => Aim::Pursue,
            2 => Aim::Along(direction),
            3 => Aim::Away(direction),
            _ => Aim::Stand,
        };
        visitor.field("speed", &mut self.speed);
        let (mut turn, mut rate) = match self.turn {
            Turn::Keep => (0_u64, 0.0),
            Turn::Toward(rate) => (1, rate),
            Turn::Constant(rate) => (2, rate),
        };
        visitor.field("turn", &mut turn);
        visitor.field("rate", &mut rate);
        self.turn = match turn {
            1 => Turn::Toward(rate),
            2 => Turn::Constant(rate),
            _ => Turn::Keep,
        };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;
    use robot_io::{Path, StateReader, StateWriter};

    fn robot() -> Footprint {
        let feet = [[0.3, 0.28], [0.3, -0.28], [-0.3, 0.28], [-0.3, -0.28]].map(|[x, y]| [x, y, -0.5]);
        Footprint::on_feet(&feet, 0.1, [0.0, 0.0, 0.6])
    }

    #[test]
    fn backwards_needs_no_steering_and_sideways_a_quarter_turn() {
        let ahead = Twist { x: 0.4, y: 0.0, yaw: 0.0 };
        let back = Twist { x: -0.2, ..ahead };
        let left = Twist { x: 0.0, y: 0.4, yaw: 0.0 };
        assert!(steering_angle(&ahead, &back, &robot()) < 1e-9);
        assert!((steering_angle(&ahead, &left, &robot()) - FRAC_PI_2).abs() < 1e-9);
        assert_eq!(steering_angle(&ahead, &Twist::default(), &robot()), 0.0);
    }

    #[test]
    fn the_end_of_the_way_is_approached_slowly() {
        let settings = RolloutSettings::default();
        let pose = |x: f64| Pose2 { x, y: 0.0, yaw: 0.0 };
        let mut way = Way::default();
        way.set(&Path { poses: vec![pose(0.0), pose(4.0)] }, robot_io::Digest(1));
        let task = Task { way: &way, along: 0.0, heading: None, end: 4.0, speed: 0.5 };
        let policy = Policy { aim: Aim::Pursue, speed: 0.5, turn: Turn::Toward(0.6) };
        let speed = |x: f64| task.wanted(&policy, &pose(x), x, &settings).speed();
        assert_eq!(speed(1.0), 0.5);
        assert!(speed(3.9) < 0.13 && speed(3.5) < 0.5, "{} {}", speed(3.9), speed(3.5));
        let held = Task { end: 2.0, ..task };
        assert_eq!(held.wanted(&policy, &pose(2.0), 2.0, &settings).speed(), 0.0);
        assert_eq!(held.wanted(&policy, &pose(2.5), 2.5, &settings).speed(), 0.0);
    }

    #[test]
    fn a_policy_survives_being_saved() {
        for policy in [
            Policy::default(),
            Policy { aim: Aim::Pursue, speed: 0.3, turn: Turn::Toward(0.5) },
            Policy { aim: Aim::Along(-2.0), speed: 0.1, turn: Turn::Constant(-0.4) },
            Policy { aim: Aim::Away(1.0), speed: 0.2, turn: Turn::Keep },
        ] {
            let mut restored = Policy::default();
            StateReader::restore(&mut restored, &StateWriter::save(&mut policy.clone())).unwrap();
            assert_eq!(restored, policy);
        }
    }
}
