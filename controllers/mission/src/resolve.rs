//! From a plan to orders: frames and names.

use std::ops::RangeFrom;

use robot_io::{Pose2, SettingError, State};
use robot_model::RobotModel;

use crate::MissionError;
use crate::order::{ActionOrder, LegOrder, Order};
use crate::plan::{Action, Frame, Leg, Step};
use crate::settings::MissionSettings;

/// Counts the skills and the motions that steps name.
struct Counts {
    skills: RangeFrom<usize>,
    motions: RangeFrom<usize>,
}

/// Knows where the plan's frame is and which poses the robot has.
#[derive(Clone, Debug, State)]
pub struct Resolver {
    #[state(fixed)]
    robot: String,
    #[state(fixed)]
    poses: Vec<String>,
    #[state(fixed)]
    frame: Frame,
    #[state(fixed)]
    start_in_world: Pose2,
    start_in_odom: Pose2,
    #[state(fixed)]
    cruise_speed: f64,
    /// How near and how well turned the follower arrives [m, rad]; nobody may ask for more.
    #[state(fixed)]
    finest: (f64, f64),
}

impl Resolver {
    /// A resolver for a robot that has been told where in the world it starts.
    pub fn new(model: &RobotModel, frame: Frame, start_in_world: Pose2, settings: &MissionSettings) -> Resolver {
        let follower = &settings.follower;
        Resolver {
            robot: model.name.clone(),
            poses: model.description.poses.iter().map(|pose| pose.name.clone()).collect(),
            frame,
            start_in_world,
            start_in_odom: Pose2::default(),
            cruise_speed: settings.cruise_speed,
            finest: (follower.distance_tolerance, follower.heading_tolerance),
        }
    }

    /// The robot starts at this place of the odometry frame.
    pub fn start(&mut self, start_in_odom: &Pose2) {
        self.start_in_odom = *start_in_odom;
    }

    /// The odometry frame has been found to lie elsewhere: what was at a pose is now at `corrected` of it.
    pub fn rebase(&mut self, corrected: impl Fn(&Pose2) -> Pose2) {
        self.start_in_odom = corrected(&self.start_in_odom);
    }

    /// The world frame in the odometry frame, if the robot starts where it was told.
    pub fn world_in_odom(&self) -> Pose2 {
        Pose2::default().seen_from(&self.start_in_world).placed_at(&self.start_in_odom)
    }

    /// The odometry frame in the world frame.
    pub fn odom_in_world(&self) -> Pose2 {
        Pose2::default().seen_from(&self.start_in_odom).placed_at(&self.start_in_world)
    }

    /// The speed of legs that do not say their own [m/s].
    pub fn cruise_speed(&self) -> f64 {
        self.cruise_speed
    }

    /// The orders for `steps`.
    pub fn orders(&self, steps: &[Step]) -> Result<Vec<Order>, MissionError> {
        let mut counts = Counts { skills: 0.., motions: 0.. };
        steps.iter().enumerate().map(|(index, step)| self.order(index, step, &mut counts)).collect()
    }

    /// The order for a step.
    fn order(&self, index: usize, step: &Step, counts: &mut Counts) -> Result<Order, MissionError> {
        let frame_in_odom = match self.frame {
            Frame::World => self.world_in_odom(),
            Frame::Start => self.start_in_odom,
        };
        if let Some(leg) = step.leg.as_ref().filter(|leg| !leg.pass) {
            self.check_tolerances(leg)?;
        }
        let leg = step.leg.as_ref().map(|leg| LegOrder::new(leg, &frame_in_odom, self.cruise_speed));
        let action = step.action.as_ref().map(|action| self.action(index, action, counts)).transpose()?;
        Ok(Order { leg, action })
    }

    pub fn check_tolerances(&self, leg: &Leg) -> Result<(), MissionError> {
        let (distance, heading) = self.finest;
        let expected = "not less than the follower's tolerance";
        if leg.tolerance < distance {
            return Err(SettingError::new("goto.tolerance", "m", expected, leg.tolerance).into());
        }
        if leg.heading_tolerance < heading {
            return Err(SettingError::new("goto.heading_tolerance", "rad", expected, leg.heading_tolerance).into());
        }
        Ok(())
    }

    fn action(&self, index: usize, action: &Action, counts: &mut Counts) -> Result<ActionOrder, MissionError> {
        Ok(match action {
            Action::Wait { seconds } => ActionOrder::Wait { seconds: *seconds },
            Action::Stance { height, pitch, roll, seconds } => {
                let (pitch, roll, seconds) = (*pitch, *roll, *seconds);
                ActionOrder::Stance { height: height.unwrap_or(f64::NAN), pitch, roll, seconds }
            }
            Action::Explore { min, max } => ActionOrder::Explore { region_in_map: self.region_in_map(*min, *max) },
            Action::Pose { name, tolerance } => {
                let pose = self.poses.iter().position(|known| known == name);
                let pose = pose.ok_or_else(|| self.unknown(index, name))?;
                ActionOrder::Pose { pose, tolerance: *tolerance }
            }
            Action::Motion(_) => ActionOrder::Motion { motion: counts.motions.next().unwrap_or_default() },
            Action::Skill(_) => ActionOrder::Skill { skill: counts.skills.next().unwrap_or_default() },
        })
    }

    /// A region of the plan's frame on the map, whose axes are the world's.
    fn region_in_map(&self, min: [f64; 2], max: [f64; 2]) -> [[f64; 2]; 2] {
        box_around(min, max, &self.frame.in_world(&self.start_in_world))
    }

    fn unknown(&self, index: usize, pose: &str) -> MissionError {
        let known = if self.poses.is_empty() { "(none)".to_owned() } else { self.poses.join(", ") };
        MissionError::UnknownPose { step: index + 1, pose: pose.to_owned(), robot: self.robot.clone(), known }
    }
}

/// The box around a region of a frame, along the axes of the one in which that lies.
pub(crate) fn box_around(min: [f64; 2], max: [f64; 2], frame: &Pose2) -> [[f64; 2]; 2] {
    let corners = [[min[0], min[1]], [min[0], max[1]], [max[0], min[1]], [max[0], max[1]]];
    let mut region = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    for [x, y] in corners {
        let corner = Pose2 { x, y, yaw: 0.0 }.placed_at(frame);
        for (axis, value) in [corner.x, corner.y].into_iter().enumerate() {
            region[0][axis] = region[0][axis].min(value);
            region[1][axis] = region[1][axis].max(value);
        }
    }
    region
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn world_and_odometry_frames_are_each_others_inverse() {
        let start_in_world = Pose2 { x: 3.0, y: -2.0, yaw: 0.7 };
        let resolver = Resolver {
            robot: String::new(),
            poses: Vec::new(),
            frame: Frame::World,
            start_in_world,
            start_in_odom: Pose2 { x: 0.1, y: 0.2, yaw: -0.3 },
            cruise_speed: 0.5,
            finest: (0.02, 0.02),
        };
        let there_and_back = resolver.world_in_odom().placed_at(&resolver.odom_in_world());
        assert!(there_and_back.distance(&Pose2::default()) < 1e-12 && there_and_back.yaw.abs() < 1e-12);
        let start = resolver.start_in_odom.placed_at(&resolver.odom_in_world());
        assert!(start.distance(&start_in_world) < 1e-12);
    }
}
