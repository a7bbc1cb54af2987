//! Driving to where an object can be worked on.

use mission::chart::{Parameter, Type};
use mission::{BaseProgress, BaseTask, Destination, Feedback, Skill, SkillContext, SkillRefusal, SkillSetup, Skills};
use robot_io::{Pose2, ShortName, State};
use serde::Deserialize;

use super::{expect, flag, number, optional, short, text};
use crate::desk::Desk;

/// The base has arrived within this: on wheels [m, rad], and on two feet, which take small steps until it has [m].
const NEAR: f64 = 0.03;
const NEAR_ON_FEET: f64 = 0.02;
/// A base that is slower than this is at rest [m/s].
const STILL: f64 = 0.015;
/// An object that is known to have moved by so much is driven to anew [m].
const MOVED: f64 = 0.05;

pub(super) fn add(skills: Skills) -> Skills {
    let told = [
        text("object"),
        number("ahead", "m", 0.8),
        number("left", "m", 0.0),
        optional(Parameter::required("from", Type::Numbers, "m, rad")),
        number("speed", "m/s", 0.3),
        flag("navigate"),
        flag("far"),
        optional(Parameter::required("within", Type::Number, "m, rad")),
    ];
    skills.with("approach", Approach::new).told("approach", told).ends("approach", ["not_found", "out_of_reach"], [])
}

/// Drives so that an object is in front of the base, and follows it if it is seen elsewhere on the way. With `far` it also goes to where only its colour
/// was seen, until it is recognised.
#[derive(Debug, State)]
struct Approach {
    #[state(fixed)]
    object: ShortName,
    #[state(fixed)]
    goal: Numbers,
    /// Where the object was when the base was sent, in the odometry frame.
    sent_for: Pose2,
    is_sent: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Goal {
    object: String,
    ahead: f64,
    left: f64,
    from: Option<[f64; 3]>,
    speed: f64,
    navigate: bool,
    far: bool,
    within: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Numbers {
    ahead: f64,
    left: f64,
    from: Option<Pose2>,
    speed: f64,
    navigate: bool,
    far: bool,
    near: f64,
    near_turned: f64,
}

impl Approach {
    fn new(setup: &SkillSetup<'_>) -> Result<Approach, SkillRefusal> {
        let Goal { object, ahead, left, from, speed, navigate, far, within } = setup.goal()?;
        expect("ahead [m]", ahead, -10.0, 10.0)?;
        expect("left [m]", left, -10.0, 10.0)?;
        expect("speed [m/s]", speed, 0.001, 10.0)?;
        let from = from.map(|[x, y, yaw]| Pose2 { x, y, yaw });
        if let Some(Pose2 { x, y, yaw }) = from {
            expect("from: x [m]", x, -10.0, 10.0)?;
            expect("from: y [m]", y, -10.0, 10.0)?;
            expect("from: yaw [rad]", yaw, -7.0, 7.0)?;
        }
        if let Some(within) = within {
            expect("within [m, rad]", within, 0.002, 1.0)?;
        }
        let usual = if setup.robot.description.feet.is_empty() { NEAR } else { NEAR_ON_FEET };
        let (near, near_turned) = (within.unwrap_or(usual), within.unwrap_or(NEAR));
        let goal = Numbers { ahead, left, from, speed, navigate, far, near, near_turned };
        let object = short("object", &object)?;
        Ok(Approach { object, goal, sent_for: Pose2::default(), is_sent: false })
    }

    /// The base's pose in the odometry frame: the one that is told in the object's, or from which the object is seen where it shall be, on the line from
    /// the base to the object.
    fn destination(&self, base: &Pose2, object: &Pose2) -> Pose2 {
        if let Some(from) = self.goal.from {
            return from.placed_at(object);
        }
        let (dx, dy) = (object.x - base.x, object.y - base.y);
        let Numbers { ahead, left, .. } = self.goal;
        // the object's bearing in the base frame when it is where it shall be is atan2(left, ahead)
        let yaw = libm::atan2(dy, dx) - libm::atan2(left, ahead);
        let there = Pose2 { x: object.x, y: object.y, yaw };
        Pose2 { x: -ahead, y: -left, yaw: 0.0 }.placed_at(&there)
    }
}

impl Skill for Approach {
    fn start(&mut self, _context: &mut SkillContext<'_>) {
        self.is_sent = false;
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let (Some(odometry), Some(pose_in_world)) = (context.odometry, context.pose_in_world) else {
            return Feedback::Failed("nobody knows where the robot is".to_owned());
        };
        let (base, from) = (odometry.pose(), odometry.base_in_odom);
        let sways = odometry.linear_velocity_in_base.norm() > STILL;
        let Some(desk) = context.ends::<Desk>() else { return Feedback::Failed("nobody looks".to_owned()) };
        desk.look();
        let known = desk.known();
        let glimpse = || known.nearest_glimpse(&self.object, &from).filter(|_| self.goal.far);
        let Some(object) = known.nearest(&self.object, &from).or_else(glimpse).copied() else {
            return Feedback::ended("not_found");
        };
        let place = Pose2::from(&object.pose_in_odom);
        let moved = (place.x - self.sent_for.x).hypot(place.y - self.sent_for.y);
        if !self.is_sent || moved > MOVED {
            let pose_in_odom = self.destination(&base, &place);
            let Numbers { speed, navigate, near, near_turned, .. } = self.goal;
            context.send_base(BaseTask::GoTo(Destination {
                pose_in_world: pose_in_odom.seen_from(&base).placed_at(&pose_in_world),
                with_heading: true,
                tolerance: near,
                heading_tolerance: near_turned,
                speed: Some(speed),
                look: None,
                pass: false,
                navigate: Some(navigate),
            }));
            (self.sent_for, self.is_sent) = (place, true);
            return Feedback::way_left(f64::INFINITY);
        }
        match context.base {
            // after its last step a robot on two feet sways on for a while
            Some(BaseProgress::Done) if sways => Feedback::way_left(0.0),
            Some(BaseProgress::Done) => Feedback::Done,
            Some(BaseProgress::OutOfReach(_)) => Feedback::ended("out_of_reach"),
            Some(BaseProgress::Failed(why)) => Feedback::Failed(why.to_string()),
            Some(BaseProgress::Left(left)) => Feedback::Left(left),
            Some(BaseProgress::Begun) | None => Feedback::way_left(f64::INFINITY),
        }
    }
}
