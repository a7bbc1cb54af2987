//! What a chart can ask of the base: drive somewhere, look at a region, change its stance.

use locomotion::Heading as Look;
use robot_io::{Pose2, State};
use runtime::chart::{Need, Parameter, Type, Value};
use serde::Deserialize;

use super::{Feedback, Skill, SkillContext, SkillRefusal, SkillSetup, Skills};
use crate::base::{BaseProgress, BaseTask, Destination, StanceChange};
use crate::stance::Stance;

/// How `goto` ends where there is no way.
const OUT_OF_REACH: &str = "out_of_reach";

impl Skills {
    /// The same with what charts can ask of the base: `goto`, `explore` and `stance`.
    #[must_use]
    pub(super) fn with_base(self) -> Skills {
        let parameter = |name: &str, kind: Type, unit: &str| Parameter::required(name, kind, unit);
        let usual = |name: &str, unit: &str, value: f64| Parameter {
            need: Need::Default(Value::Number(value)),
            ..parameter(name, Type::Number, unit)
        };
        let optional =
            |name: &str, kind: Type, unit: &str| Parameter { need: Need::Optional, ..parameter(name, kind, unit) };
        let heading = Parameter { need: Need::Default(Value::Flag(true)), ..parameter("heading", Type::Flag, "") };
        let to = parameter("to", Type::Pose, "m, m, rad");
        let (near, turned) = (usual("tolerance", "m", 0.05), usual("heading_tolerance", "rad", 0.05));
        let pass = Parameter { need: Need::Default(Value::Flag(false)), ..parameter("pass", Type::Flag, "") };
        let look = optional("look", Type::Text, "");
        let (speed, navigate) = (optional("speed", Type::Number, "m/s"), optional("navigate", Type::Flag, ""));
        let pose = |name: &str| optional(name, Type::Pose, "m, m, rad");
        let corner = |name: &str| parameter(name, Type::Numbers, "m");
        let (height, pitch) = (optional("height", Type::Number, "m"), usual("pitch", "rad", 0.0));
        let (roll, seconds) = (usual("roll", "rad", 0.0), usual("seconds", "s", 3.0));
        self.with("goto", Sent::to_a_place)
            .told("goto", [to, heading, near, turned, speed, look, pass, navigate])
            .ends("goto", [OUT_OF_REACH], [pose("at"), pose("nearest")])
            .with("explore", Sent::to_explore)
            .told("explore", [corner("min"), corner("max")])
            .with("stance", Sent::into_a_stance)
            .told("stance", [height, pitch, roll, seconds])
    }
}

/// The base is sent somewhere, and that is all there is to do.
#[derive(Debug, State)]
struct Sent {
    #[state(fixed)]
    task: BaseTask,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    to: Pose2,
    heading: bool,
    tolerance: f64,
    heading_tolerance: f64,
    speed: Option<f64>,
    look: Option<Look>,
    pass: bool,
    navigate: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Region {
    min: [f64; 2],
    max: [f64; 2],
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Posture {
    height: Option<f64>,
    pitch: f64,
    roll: f64,
    seconds: f64,
}

impl Sent {
    fn to_a_place(setup: &SkillSetup<'_>) -> Result<Sent, SkillRefusal> {
        let Place { to, heading, tolerance, heading_tolerance, speed, look, pass, navigate } = setup.goal()?;
        [("to: x [m]", to.x), ("to: y [m]", to.y)]
            .iter()
            .try_for_each(|(name, found)| expect(name, *found, -1e5, 1e5))?;
        expect("to: yaw [rad]", to.yaw, -7.0, 7.0)?;
        expect("tolerance [m]", tolerance, 0.001, 100.0)?;
        expect("heading_tolerance [rad]", heading_tolerance, 0.001, 7.0)?;
        speed.map_or(Ok(()), |speed| expect("speed [m/s]", speed, 0.001, 100.0))?;
        let (pose_in_world, with_heading) = (to, heading && !pass);
        Ok(Sent {
            task: BaseTask::GoTo(Destination {
                pose_in_world,
                with_heading,
                tolerance,
                heading_tolerance,
                speed,
                look,
                pass,
                navigate,
            }),
        })
    }

    fn to_explore(setup: &SkillSetup<'_>) -> Result<Sent, SkillRefusal> {
        let Region { min, max } = setup.goal()?;
        if min.iter().zip(&max).any(|(min, max)| min >= max) {
            return Err(SkillRefusal(format!("expected max above min in x and y, found {min:?} and {max:?} [m]")));
        }
        Ok(Sent { task: BaseTask::Explore([min, max]) })
    }

    fn into_a_stance(setup: &SkillSetup<'_>) -> Result<Sent, SkillRefusal> {
        let Posture { height, pitch, roll, seconds } = setup.goal()?;
        height.map_or(Ok(()), |height| expect("height [m]", height, 0.01, 10.0))?;
        for (name, found) in [("pitch [rad]", pitch), ("roll [rad]", roll)] {
            expect(name, found, -0.8, 0.8)?;
        }
        expect("seconds [s]", seconds, 0.0, 1e6)?;
        let stance = Stance { height: height.unwrap_or(f64::NAN), pitch, roll };
        Ok(Sent { task: BaseTask::Stance(StanceChange { stance, seconds }) })
    }
}

impl Skill for Sent {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        context.send_base(self.task);
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let at = |feedback: Feedback| match (self.task, context.pose_in_world) {
            (BaseTask::GoTo(_), Some(pose)) => feedback.with("at", Value::Pose(pose)),
            _ => feedback,
        };
        match context.base {
            Some(BaseProgress::Done) => at(Feedback::Done),
            Some(BaseProgress::OutOfReach(nearest)) => {
                at(Feedback::ended(OUT_OF_REACH)).with("nearest", Value::Pose(nearest))
            }
            Some(BaseProgress::Failed(why)) => Feedback::Failed(why.to_string()),
            Some(BaseProgress::Left(left)) => Feedback::Left(left),
            Some(BaseProgress::Begun) | None => Feedback::turn_left(f64::INFINITY),
        }
    }
}

fn expect(name: &str, found: f64, least: f64, most: f64) -> Result<(), SkillRefusal> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(SkillRefusal(format!("{name}: expected {least} to {most}, found {found}")))
}
