//! Holds the joints that nobody has.

use robot_io::{Commands, JointCommand, JointKind, Readings, State};
use robot_model::RobotModel;

/// The owner of last resort: a joint that nobody holds stays where it was told to be last, or where it is found.
#[derive(Clone, Debug, State)]
pub struct Holder {
    #[state(fixed)]
    joints: Vec<Held>,
    /// Where each joint is held [rad or m]; nothing for those that somebody has.
    #[state(elements)]
    positions: Vec<Option<f64>>,
}

/// How a joint is held.
#[derive(Clone, Copy, Debug)]
struct Held {
    stiffness: f64,
    damping: f64,
    /// A wheel is braked, for it has no place to stay at.
    turns_without_end: bool,
}

impl Holder {
    /// For a robot, with the stiffness and damping of its file.
    pub fn new(model: &RobotModel) -> Holder {
        let joints = model.tree.joints.iter().zip(&model.description.joints);
        let joints: Vec<Held> = joints
            .map(|(joint, described)| Held {
                stiffness: described.stiffness,
                damping: described.damping,
                turns_without_end: joint.kind == JointKind::Continuous,
            })
            .collect();
        Holder { positions: vec![None; joints.len()], joints }
    }

    /// For joints with limits that are held with this stiffness and damping each.
    pub fn with_gains(gains: &[(f64, f64)]) -> Holder {
        let joint = |(stiffness, damping): &(f64, f64)| Held {
            stiffness: *stiffness,
            damping: *damping,
            turns_without_end: false,
        };
        Holder { joints: gains.iter().map(joint).collect(), positions: vec![None; gains.len()] }
    }

    /// Everything is let go of: the next cycle finds out where to hold.
    pub fn reset(&mut self) {
        self.positions.fill(None);
    }

    /// Commands the joints that `is_held` by nobody; `before` are the commands of the last cycle.
    pub fn hold(
        &mut self,
        readings: &Readings,
        before: &[JointCommand],
        is_held: impl Fn(usize) -> bool,
        commands: &mut Commands,
    ) {
        for (joint, with) in self.joints.iter().enumerate() {
            if is_held(joint) {
                self.positions[joint] = None;
                continue;
            }
            let found = || match before[joint] {
                told if told.stiffness > 0.0 => told.position,
                _ => readings.joints[joint].position,
            };
            let position = *self.positions[joint].get_or_insert_with(found);
            commands.joints[joint] = match with.turns_without_end {
                true => JointCommand::turn(0.0, with.damping),
                false => JointCommand::hold(position, with.stiffness, with.damping),
            };
        }
    }
}
