//! A mission as the robot carries it out: poses in the odometry frame, named poses as indices, nothing on the heap.

use locomotion::Heading as Look;
use robot_io::math::atan2;
use robot_io::{Pose2, State, StateVisitor};

use crate::plan::Leg;

/// Nearer than this one does not speak of a direction of travel [m].
const NEAR: f64 = 0.3;

/// A place to drive to, something to do there, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Order {
    /// Where to drive first.
    pub leg: Option<LegOrder>,
    /// What to do then.
    pub action: Option<ActionOrder>,
}

/// One drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegOrder {
    /// The pose to drive to, in the odometry frame.
    pub goal_in_odom: Pose2,
    /// True if the goal's heading is the direction of travel, known only when the leg begins.
    pub heading_of_travel: bool,
    /// How near counts as reached [m].
    pub tolerance: f64,
    /// How well turned counts as reached [rad].
    pub heading_tolerance: f64,
    /// Where to look on the way.
    pub look: Look,
    /// Not faster than this [m/s].
    pub speed: f64,
    /// Drive through without stopping.
    pub pass: bool,
    /// Find the way on the map.
    pub navigate: bool,
    /// How long it should take [s]; infinite if nobody said.
    pub timeout: f64,
}

/// One thing to do on the spot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActionOrder {
    /// Stand still for so long [s].
    Wait {
        /// For so long [s].
        seconds: f64,
    },
    /// Look at all of a region.
    Explore {
        /// Its corners with the smallest and the largest x and y [m], on the map.
        region_in_map: [[f64; 2]; 2],
    },
    /// Change the base's height and attitude.
    Stance {
        /// Height over the ground [m]; not-a-number leaves it as it is.
        height: f64,
        /// Nose down is positive [rad].
        pitch: f64,
        /// Right side down is positive [rad].
        roll: f64,
        /// Time to get there [s].
        seconds: f64,
    },
    /// Bring joints into a pose.
    Pose {
        /// Index among the robot's poses.
        pose: usize,
        /// How near each joint must come [rad].
        tolerance: f64,
    },
    /// Move the whole body.
    Motion {
        /// Its index among those of the mission.
        motion: usize,
    },
    /// Let a skill work.
    Skill {
        /// Its index among those of the mission.
        skill: usize,
    },
}

impl From<ActionOrder> for Order {
    fn from(action: ActionOrder) -> Order {
        Order { leg: None, action: Some(action) }
    }
}

impl LegOrder {
    /// The order for `leg`, whose frame stands at `frame_in_odom`.
    pub fn new(leg: &Leg, frame_in_odom: &Pose2, cruise_speed: f64) -> LegOrder {
        let goal = Pose2 { x: leg.x, y: leg.y, yaw: leg.yaw.unwrap_or(0.0) };
        LegOrder {
            goal_in_odom: goal.placed_at(frame_in_odom),
            heading_of_travel: leg.yaw.is_none(),
            tolerance: leg.tolerance,
            heading_tolerance: leg.heading_tolerance,
            look: leg.look.unwrap_or(if leg.yaw.is_some() { Look::Goal } else { Look::Travel }),
            speed: leg.speed.unwrap_or(cruise_speed),
            pass: leg.pass,
            navigate: leg.navigate,
            timeout: leg.timeout.unwrap_or(f64::INFINITY),
        }
    }

    /// The goal with its heading settled, for a robot that sets out from `from`. Too near to the goal to speak of a
    /// direction of travel, it keeps its heading.
    pub fn goal_from(&self, from: &Pose2) -> Pose2 {
        if !self.heading_of_travel {
            return self.goal_in_odom;
        }
        let (dx, dy) = (self.goal_in_odom.x - from.x, self.goal_in_odom.y - from.y);
        let far = from.distance(&self.goal_in_odom) > NEAR.max(2.0 * self.tolerance);
        Pose2 { yaw: if far { atan2(dy, dx) } else { from.yaw }, ..self.goal_in_odom }
    }
}

impl Default for LegOrder {
    fn default() -> Self {
        LegOrder::new(&Leg::to(0.0, 0.0, Some(0.0)), &Pose2::default(), 0.0)
    }
}

impl Default for ActionOrder {
    fn default() -> Self {
        ActionOrder::Wait { seconds: 0.0 }
    }
}

impl State for LegOrder {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("goal_in_odom", &mut self.goal_in_odom);
        visitor.field("heading_of_travel", &mut self.heading_of_travel);
        visitor.field("tolerance", &mut self.tolerance);
        visitor.field("heading_tolerance", &mut self.heading_tolerance);
        let mut look = self.look as u64;
        visitor.field("look", &mut look);
        self.look = match look {
            1 => Look::Travel,
            2 => Look::Goal,
            _ => Look::Keep,
        };
        visitor.field("speed", &mut self.speed);
        let mut manner = u64::from(self.pass) | u64::from(self.navigate) << 1;
        visitor.field("pass", &mut manner);
        (self.pass, self.navigate) = (manner & 1 != 0, manner & 2 != 0);
        visitor.field("timeout", &mut self.timeout);
    }
}

impl State for ActionOrder {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let (mut kind, mut numbers) = match *self {
            ActionOrder::Wait { seconds } => (0_u64, [seconds, 0.0, 0.0, 0.0]),
            ActionOrder::Stance { height, pitch, roll, seconds } => (1, [height, pitch, roll, seconds]),
            ActionOrder::Pose { pose, tolerance } => (2, [pose as f64, tolerance, 0.0, 0.0]),
            ActionOrder::Explore { region_in_map: [min, max] } => (3, [min[0], min[1], max[0], max[1]]),
            ActionOrder::Skill { skill } => (4, [skill as f64, 0.0, 0.0, 0.0]),
            ActionOrder::Motion { motion } => (5, [motion as f64, 0.0, 0.0, 0.0]),
        };
        visitor.field("kind", &mut kind);
        visitor.field("numbers", &mut numbers);
        let [a, b, c, d] = numbers;
        *self = match kind {
            1 => ActionOrder::Stance { height: a, pitch: b, roll: c, seconds: d },
            2 => ActionOrder::Pose { pose: a as usize, tolerance: b },
            3 => ActionOrder::Explore { region_in_map: [[a, b], [c, d]] },
            4 => ActionOrder::Skill { skill: a as usize },
            5 => ActionOrder::Motion { motion: a as usize },
            _ => ActionOrder::Wait { seconds: a },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    #[test]
    fn a_goal_in_the_world_lies_where_it_should_for_a_robot_that_starts_turned_to_the_left() {
        let start_in_world = Pose2 { x: 1.0, y: 2.0, yaw: FRAC_PI_2 };
        let world_in_odom = Pose2::default().seen_from(&start_in_world);
        let leg = LegOrder::new(&Leg::to(1.0, 5.0, Some(FRAC_PI_2)), &world_in_odom, 0.5);
        let goal = leg.goal_in_odom;
        assert!((goal.x - 3.0).abs() < 1e-12 && goal.y.abs() < 1e-12 && goal.yaw.abs() < 1e-12, "{goal:?}");
    }

    #[test]
    fn without_a_heading_one_arrives_in_the_direction_of_travel() {
        let leg = LegOrder::new(&Leg::to(0.0, 2.0, None), &Pose2::default(), 0.5);
        assert_eq!(leg.goal_from(&Pose2::default()).yaw, FRAC_PI_2);
        let near = Pose2 { x: 0.0, y: 1.9, yaw: 0.3 };
        assert_eq!(leg.goal_from(&near).yaw, 0.3, "too near to turn");
    }
}
