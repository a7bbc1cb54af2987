//! Looking until an object is known.

use mission::chart::{Parameter, Type, Value};
use mission::{Feedback, Skill, SkillContext, SkillRefusal, SkillSetup, Skills};
use robot_io::{Pose2, ShortName, State, Time};
use serde::Deserialize;

use super::{flag, number, optional, short, text};
use crate::desk::Desk;
use crate::known::KnownObject;

/// How `look_for` ends where there is none.
const NOT_FOUND: &str = "not_found";
/// So long is looked at the most unless a chart says otherwise [s].
const SECONDS: f64 = 10.0;

pub(super) fn add(skills: Skills) -> Skills {
    let at = optional(Parameter::required("at", Type::Pose, "m, m, rad"));
    let told = [text("object"), number("seconds", "s", SECONDS), flag("far")];
    skills.with("look_for", LookFor::new).told("look_for", told).ends("look_for", [NOT_FOUND], [at])
}

/// Looks until an object of a model is known and was seen since this began; with `far` it is enough that its colour was.
#[derive(Debug, State)]
struct LookFor {
    #[state(fixed)]
    object: ShortName,
    #[state(fixed)]
    seconds: f64,
    #[state(fixed)]
    far: bool,
    began: Time,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Goal {
    object: String,
    seconds: f64,
    far: bool,
}

impl LookFor {
    fn new(setup: &SkillSetup<'_>) -> Result<LookFor, SkillRefusal> {
        let Goal { object, seconds, far } = setup.goal()?;
        super::expect("seconds [s]", seconds, 0.1, 600.0)?;
        Ok(LookFor { object: short("object", &object)?, seconds, far, began: Time::ZERO })
    }

    /// The nearest object of the model that was seen since this began; if there is none and it may be far, one whose colour was.
    fn found(&self, desk: &Desk, from: &nalgebra::Isometry3<f64>) -> Option<KnownObject> {
        let known = desk.known().nearest(&self.object, from);
        let seen = known.filter(|object| object.seen >= self.began);
        let far = known.or_else(|| desk.known().nearest_glimpse(&self.object, from));
        let far = far.filter(|object| self.far && object.glimpsed >= self.began);
        seen.or(far).copied()
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
            let how = if object.is_glimpse() { "is glimpsed about" } else { "is at" };
            let what = format!(
                "{} {how} {:.3}, {:.3}, {:.3} m in the odometry frame, to {:.1} mm",
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
