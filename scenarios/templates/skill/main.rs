//! A chiron with a skill of its own: a joint waves, as a step of a mission.

use std::f64::consts::TAU;
use std::process::ExitCode;

use chiron::{Feedback, Registry, Skill, SkillContext, SkillJoint, SkillRefusal, SkillSetup};
use robot_io::{State, math};
use serde::Deserialize;

/// A wave takes so long [s].
const PERIOD: f64 = 2.0;
/// A joint that is farther than this from where it is told to be is held by something [rad].
const FAR: f64 = 0.5;

/// What a step says of it: `wave = { joint = "left_arm_elbow_pitch", times = 3 }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Goal {
    /// The joint that waves.
    joint: String,
    /// How far it goes [rad].
    #[serde(default = "usual_swing")]
    swing: f64,
    /// How often.
    times: u32,
}

fn usual_swing() -> f64 {
    0.4
}

/// Waves with a joint, from where it is and back.
#[derive(Debug, State)]
pub struct Wave {
    #[state(fixed)]
    goal: Goal,
    #[state(fixed)]
    joint: SkillJoint,
    /// Where the joint was when it began [rad].
    found: f64,
}

impl Wave {
    pub fn new(setup: &SkillSetup<'_>) -> Result<Wave, SkillRefusal> {
        let goal: Goal = setup.goal()?;
        let joint = setup.joint(&goal.joint)?;
        Ok(Wave { goal, joint, found: 0.0 })
    }
}

impl Skill for Wave {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        self.found = context.told(&self.joint);
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let left = f64::from(self.goal.times) * PERIOD - context.elapsed;
        if left <= 0.0 {
            context.move_joint(&self.joint, self.found, 0.0);
            return Feedback::Done;
        }
        let error = context.told(&self.joint) - context.position(&self.joint);
        if error.abs() > FAR {
            return Feedback::Failed(format!("{} does not follow: {error:.2} rad behind", self.goal.joint));
        }
        let phase = TAU * context.elapsed / PERIOD;
        let half = 0.5 * self.goal.swing;
        let (way, speed) = (half * (1.0 - math::cos(phase)), half * TAU / PERIOD * math::sin(phase));
        context.move_joint(&self.joint, self.found + way, speed);
        Feedback::time_left(left)
    }
}

pub fn skills() -> Registry {
    Registry::standard().with_skill("wave", Wave::new)
}

fn main() -> ExitCode {
    chiron::main(skills())
}
