//! Looking until an object is known.

use mission::chart::{Parameter, Type, Value};
use mission::{Feedback, Skill, SkillContext, SkillRefusal, SkillSetup, Skills};
use robot_io::{Pose2, ShortName, State, Time};
use serde::Deserialize;

use super::{number, optional, short, text};
use crate::desk::Desk;
use crate::known::KnownObject;

/// How `look_for` ends where there is none.
const NOT_FOUND: &str = "not_found";
/// So long is looked at the most unless a chart says otherwise [s].
const SECONDS: f64 = 10.0;

pub(super) fn add(skills: Skills) -> Skills {
    let at = optional(Parameter::required("at", Type::Pose, "m, m, rad"));
    skills.with("look_for", LookFor::new).told("look_for", [text("object"), number("seconds", "s", SECONDS)]).ends(
        "look_for",
        [NOT_FOUND],
        [at],
    )
}

/// Looks until an object of a model is known and was seen since this began.
#[derive(Debug, State)]
struct LookFor {
    #[state(fixed)]
    object: ShortName,
    #[state(fixed)]
    seconds: f64,
    began: Time,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Goal {
    object: String,
    seconds: f64,
}

impl LookFor {
    fn new(setup: &SkillSetup<'_>) -> Result<LookFor, SkillRefusal> {
        let Goal { object, seconds } = setup.goal()?;
        super::expect("seconds [s]", seconds, 0.1, 600.0)?;
        Ok(LookFor { object: short("object", &object)?, seconds, began: Time::ZERO })
    }

    /// The nearest object of the model that was seen since this began.
    fn found(&self, desk: &Desk, from: &nalgebra::Isometry3<f64>) -> Option<KnownObject> {
        desk.known().nearest(&self.object, from).filter(|object| object.seen >= self.began).copied()
    }
}

impl Skill for LookFor {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        self.began = context.now();
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let base_in_odom =
            context.odometry.map_or_else(nalgebra::Isometry3::identity, |odometry| odometry.base_in_odom);
        let Some(desk) = context.ends::<Desk>() else { return Feedback::Failed("nobody looks".to_owned()) };
        desk.look();
        if let Some(object) = self.found(desk, &base_in_odom) {
            let place = object.pose_in_odom.translation.vector;
            let deviation = object.covariance.fixed_view::<3, 3>(0, 0).trace().max(0.0).sqrt();
            let what = format!(
                "{} is at {:.3}, {:.3}, {:.3} m in the odometry frame, to {:.1} mm",
                self.object,
                place.x,
                place.y,
                place.z,
                1e3 * deviation
            );
            context.note(what);
            let ended = Feedback::ended("done");
            return match in_world(context, &object) {
                Some(pose) => ended.with("at", Value::Pose(pose)),
                None => ended,
            };
        }
        let left = self.seconds - context.elapsed;
        if left > 0.0 { Feedback::time_left(left) } else { Feedback::ended(NOT_FOUND) }
    }
}

/// Where an object is in the world, turned as it is about the vertical.
pub(super) fn in_world(context: &SkillContext<'_>, object: &KnownObject) -> Option<Pose2> {
    let (pose, odometry) = (context.pose_in_world?, context.odometry?);
    Some(Pose2::from(&object.pose_in_odom).seen_from(&odometry.pose()).placed_at(&pose))
}
