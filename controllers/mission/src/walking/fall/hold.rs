//! Joints on their way into a pose, softer than a servo would hold them.

use robot_io::{Commands, JointCommand, JointKind, Readings, State};
use robot_model::RobotModel;

use super::super::head::head;

/// The joints' references.
#[derive(Clone, Debug, State)]
pub(super) struct Hold {
    #[state(fixed)]
    servos: Vec<Servo>,
    positions: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Servo {
    stiffness: f64,
    damping: f64,
    /// The most that its drive can do [N·m].
    peak: f64,
    /// It turns without end, and is never held.
    turns: bool,
    /// It is of a leg.
    carries: bool,
    /// It is of the head, which is held up whatever else gives way.
    heads: bool,
}

/// How soft joints are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softness {
    /// Share of the servos' stiffness, and of the head's.
    pub stiffness: [f64; 2],
    /// Share of their damping.
    pub damping: f64,
    /// Share of the peak effort with which their springs pull at most, and of the legs'.
    pub effort: [f64; 2],
    /// How fast references move [rad/s].
    pub speed: f64,
}

impl Hold {
    pub fn new(model: &RobotModel) -> Hold {
        let description = &model.description;
        let head = head(model);
        let joints = model.tree.joints.iter().zip(&description.joints).enumerate();
        let servos: Vec<Servo> = joints
            .map(|(index, (joint, settings))| Servo {
                stiffness: settings.stiffness,
                damping: settings.damping,
                peak: description.actuator_of(index).map_or(0.0, |class| class.peak_effort),
                turns: joint.kind == JointKind::Continuous,
                heads: head.is_some_and(|head| head.joints.contains(&index)),
                carries: description.feet.iter().any(|foot| description.limbs[foot.limb].joints.contains(&index)),
            })
            .collect();
        Hold { positions: vec![0.0; servos.len()], servos }
    }

    /// Begins where the joints are.
    pub fn begin(&mut self, readings: &Readings) {
        self.positions.iter_mut().zip(&readings.joints).for_each(|(position, joint)| *position = joint.position);
    }

    /// Legs, or all joints, begin where they are: until now others have moved them.
    pub fn give_up(&mut self, readings: &Readings, all: bool) {
        for ((servo, position), joint) in self.servos.iter().zip(&mut self.positions).zip(&readings.joints) {
            if all || servo.carries {
                *position = joint.position;
            }
        }
    }

    /// Moves all but the legs towards a pose.
    pub fn brace(&mut self, pose: &[f64], soft: Softness, dt: f64, readings: &Readings, commands: &mut Commands) {
        self.go((pose, false), soft, dt, readings, commands);
    }

    /// Moves all joints towards a pose.
    pub fn towards(&mut self, pose: &[f64], soft: Softness, dt: f64, readings: &Readings, commands: &mut Commands) {
        self.go((pose, true), soft, dt, readings, commands);
    }

    /// Moves the references towards a pose, and holds the joints there, with or without the legs.
    fn go(
        &mut self,
        (pose, legs): (&[f64], bool),
        soft: Softness,
        dt: f64,
        readings: &Readings,
        commands: &mut Commands,
    ) {
        for (joint, (servo, command)) in self.servos.iter().zip(&mut commands.joints).enumerate() {
            if servo.carries && !legs {
                continue;
            }
            if servo.turns {
                *command = JointCommand::turn(0.0, servo.damping);
                continue;
            }
            let (reference, here) = (&mut self.positions[joint], readings.joints[joint].position);
            let stiffness = soft.stiffness[usize::from(servo.heads)] * servo.stiffness;
            // a spring that is strained no more than this gives way to what is stronger, and does not throw it back
            let strain =
                if stiffness > 0.0 { soft.effort[usize::from(servo.carries)] * servo.peak / stiffness } else { 0.0 };
            let most = soft.speed * dt;
            let step = (pose[joint] - *reference).max(-most).min(most);
            *reference = (*reference + step).max(here - strain).min(here + strain);
            let velocity = step / dt;
            let damping = soft.damping * servo.damping;
            *command = JointCommand { position: *reference, velocity, effort: 0.0, stiffness, damping };
        }
    }

    /// Damps all joints.
    pub fn damp(&self, commands: &mut Commands) {
        for (servo, command) in self.servos.iter().zip(&mut commands.joints) {
            *command = JointCommand::turn(0.0, servo.damping);
        }
    }
}
