//! What an emulated joint board knows of its joint, broken or not, and how its loop acts on that.

use robot_io::{JointCommand, JointState, State, StateVisitor};

use super::scaling::{Scale, Unwrap};
use crate::board::BoardFault;

/// The encoder of an emulated board.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Encoder {
    endless: bool,
    /// Without wraps [increments].
    pub counts: Unwrap,
    /// The position it says [rad].
    pub position: f64,
    /// The velocity it says [rad/s].
    pub velocity: f64,
    /// What it would count where it says 0, if it had never lost itself [increments]: 0 but for drives that home.
    zero: i64,
    /// The same in the joint's units [rad].
    shift: f64,
}

impl Encoder {
    /// An encoder at zero. The counter of an `endless` joint wraps around, that of another one stops at the ends of its
    /// 32 bits.
    pub fn new(endless: bool) -> Encoder {
        Encoder { endless, counts: Unwrap::new(endless), ..Encoder::default() }
    }

    /// Reads the joint. What is no number leaves the last value.
    pub fn read(&mut self, joint: &JointState, scale: &Scale, broken: Option<BoardFault>) {
        if broken == Some(BoardFault::FrozenEncoder) {
            self.velocity = 0.0;
            return;
        }
        let jump = if let Some(BoardFault::EncoderJump { by }) = broken { by } else { 0.0 };
        let most = if self.endless { i64::MAX } else { i32::MAX.into() };
        let counts = scale.increments(joint.position + jump).map(|counts| (counts - self.zero).clamp(-most - 1, most));
        if let Some(counts) = counts {
            self.counts.next(counts as i32);
            self.position = scale.value(self.counts.last());
        }
        if !joint.velocity.is_nan() {
            self.velocity = joint.velocity;
        }
    }

    /// From here on the encoder says 0 where the joint is now.
    pub fn restart(&mut self, scale: &Scale) {
        self.zero += self.counts.last();
        self.shift = scale.value(self.zero) - scale.value(0);
        self.counts = Unwrap::new(self.endless);
        self.counts.next(0);
        self.position = scale.value(0);
    }

    /// How far the joint is from where an encoder that never lost itself counts 0 [increments].
    pub fn distance_from_home(&self) -> i64 {
        self.counts.last() + self.zero
    }

    /// The command that makes the joint move as a loop on this encoder would move it: a broken encoder says where the joint
    /// is not.
    pub fn as_believed(&self, command: JointCommand, broken: Option<BoardFault>) -> JointCommand {
        match broken {
            Some(BoardFault::FrozenEncoder) => {
                let effort = command.effort_at(self.position, self.velocity);
                JointCommand { effort, ..JointCommand::default() }
            }
            Some(BoardFault::EncoderJump { by }) => {
                JointCommand { position: command.position - by + self.shift, ..command }
            }
            _ if self.zero != 0 => JointCommand { position: command.position + self.shift, ..command },
            _ => command,
        }
    }

    /// A command that asks for more than `most` [N·m] at the joint's present position becomes that torque alone, and the
    /// second value true.
    pub fn within_effort(&self, command: JointCommand, most: f64) -> (JointCommand, bool) {
        let effort = command.effort_at(self.position, self.velocity);
        if effort.abs() <= most {
            return (command, false);
        }
        (JointCommand { effort: effort.max(-most).min(most), ..JointCommand::default() }, true)
    }
}

impl State for Encoder {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("counts", &mut self.counts);
        visitor.field("position", &mut self.position);
        visitor.field("velocity", &mut self.velocity);
        let mut zero = self.zero as u64;
        visitor.field("zero", &mut zero);
        self.zero = zero as i64;
        visitor.field("shift", &mut self.shift);
    }
}

/// Shows a fault of a board; a reader replaces it.
pub(super) fn visit_fault(fault: &mut Option<BoardFault>, visitor: &mut dyn StateVisitor) {
    let (mut kind, mut value) = match *fault {
        None => (0_u64, 0.0),
        Some(BoardFault::FrozenInputs) => (1, 0.0),
        Some(BoardFault::FrozenEncoder) => (2, 0.0),
        Some(BoardFault::EncoderJump { by }) => (3, by),
        Some(BoardFault::Hot { temperature }) => (4, temperature),
        Some(BoardFault::DriveFault { code }) => (5, f64::from(code)),
        Some(BoardFault::StoOpen) => (6, 0.0),
    };
    visitor.field("fault", &mut kind);
    visitor.field("size", &mut value);
    *fault = match kind {
        1 => Some(BoardFault::FrozenInputs),
        2 => Some(BoardFault::FrozenEncoder),
        3 => Some(BoardFault::EncoderJump { by: value }),
        4 => Some(BoardFault::Hot { temperature: value }),
        5 => Some(BoardFault::DriveFault { code: value as u16 }),
        6 => Some(BoardFault::StoOpen),
        _ => None,
    };
}
