//! What every robot can do in a chart: wait, move a joint, take a pose; what its base can do stands in [`base`](super::base).

use robot_io::{Period, State};
use runtime::chart::{Need, Parameter, Type, Value};
use serde::Deserialize;

use super::{Feedback, Skill, SkillContext, SkillJoint, SkillRefusal, SkillSetup, Skills};
use crate::posture::{PEAK_OVER_MEAN, SHORTEST, minimum_jerk};

/// A joint that is so close has arrived, unless a chart says otherwise [rad or m].
const TOLERANCE: f64 = 0.05;

impl Skills {
    /// The same with what every robot can do in a chart: `wait`, `move` and `pose`, and `goto`, `explore` and `stance` for the base.
    #[must_use]
    pub fn with_standard(self) -> Skills {
        let number = |name: &str, unit: &str| Parameter::required(name, Type::Number, unit);
        let tolerance = || Parameter { need: Need::Default(Value::Number(TOLERANCE)), ..number("tolerance", "rad") };
        let name = |name: &str| Parameter::required(name, Type::Text, "");
        self.with_base()
            .with("wait", Wait::new)
            .told("wait", [number("seconds", "s")])
            .with("move", Motion::of_joint)
            .told("move", [name("joint"), number("to", "rad"), tolerance()])
            .with("pose", Motion::to_pose)
            .told("pose", [name("name"), tolerance()])
    }
}

/// Lets time pass.
#[derive(Debug, State)]
struct Wait {
    #[state(fixed)]
    goal: WaitGoal,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaitGoal {
    seconds: f64,
}

impl Wait {
    fn new(setup: &SkillSetup<'_>) -> Result<Wait, SkillRefusal> {
        Ok(Wait { goal: setup.goal()? })
    }
}

impl Skill for Wait {
    fn start(&mut self, _context: &mut SkillContext<'_>) {}

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let left = self.goal.seconds - context.elapsed;
        if left > 0.0 { Feedback::time_left(left) } else { Feedback::Done }
    }
}

/// Moves joints that do not carry the robot, all of which arrive together.
#[derive(Debug, State)]
struct Motion {
    #[state(fixed)]
    joints: Vec<SkillJoint>,
    #[state(fixed)]
    to: Vec<f64>,
    #[state(fixed)]
    tolerance: f64,
    #[state(elements)]
    from: Vec<f64>,
    duration: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct JointGoal {
    joint: String,
    to: f64,
    tolerance: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseGoal {
    name: String,
    tolerance: f64,
}

impl Motion {
    fn of_joint(setup: &SkillSetup<'_>) -> Result<Motion, SkillRefusal> {
        let JointGoal { joint, to, tolerance } = setup.goal()?;
        let joint = setup.joint(&joint)?;
        let (lower, upper) = (joint.limits().lower, joint.limits().upper);
        if !(lower..=upper).contains(&to) {
            return Err(SkillRefusal(format!("to: expected {lower} to {upper} [rad or m], found {to}")));
        }
        Ok(Motion::new(vec![joint], vec![to], tolerance))
    }

    fn to_pose(setup: &SkillSetup<'_>) -> Result<Motion, SkillRefusal> {
        let PoseGoal { name, tolerance } = setup.goal()?;
        let poses = &setup.robot.description.poses;
        let known = || poses.iter().map(|pose| pose.name.clone()).collect::<Vec<_>>().join(", ");
        let refuse = || SkillRefusal(format!("name: expected a pose of the robot ({}), found '{name}'", known()));
        let pose = poses.iter().find(|pose| pose.name == name).ok_or_else(refuse)?;
        let joints = setup.joints()?;
        let to = joints.iter().map(|joint| pose.positions[joint.index()]).collect();
        Ok(Motion::new(joints, to, tolerance))
    }

    fn new(joints: Vec<SkillJoint>, to: Vec<f64>, tolerance: f64) -> Motion {
        Motion { from: vec![0.0; to.len()], joints, to, tolerance, duration: SHORTEST }
    }
}

impl Skill for Motion {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        self.duration = SHORTEST;
        for ((joint, from), to) in self.joints.iter().zip(&mut self.from).zip(&self.to) {
            *from = context.told(joint);
            self.duration = self.duration.max(PEAK_OVER_MEAN * (to - *from).abs() / joint.speed().max(1e-3));
        }
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let (share, rate) = minimum_jerk(Period::from_seconds(context.elapsed), self.duration);
        let mut worst = 0.0_f64;
        for ((joint, from), to) in self.joints.iter().zip(&self.from).zip(&self.to) {
            context.move_joint(joint, from + share * (to - from), rate * (to - from));
            worst = worst.max((to - context.position(joint)).abs());
        }
        let has_arrived = context.elapsed >= self.duration && worst <= self.tolerance;
        if has_arrived { Feedback::Done } else { Feedback::turn_left(worst) }
    }
}
