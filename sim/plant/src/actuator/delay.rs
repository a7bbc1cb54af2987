//! The way of a command from the plug to the air gap.

use robot_io::{JointCommand, State, StateVisitor};

/// A queue of fixed length: what goes in comes out so many physics steps later.
///
/// It lumps fieldbus, sampling and current loop into one dead time, the usual model for a drive whose current loop is
/// much faster than its link (Franklin, Powell and Emami-Naeini, "Feedback control of dynamic systems", dead time).
#[derive(Clone, Debug)]
pub(crate) struct Delay {
    queue: Vec<JointCommand>,
    next: usize,
}

impl Delay {
    /// A delay of `steps` physics steps; the queue starts limp.
    pub fn new(steps: usize) -> Delay {
        Delay { queue: vec![JointCommand::default(); steps], next: 0 }
    }

    /// Takes this step's command and gives that of the past.
    pub fn pass(&mut self, command: JointCommand) -> JointCommand {
        if self.queue.is_empty() {
            return command;
        }
        let delayed = core::mem::replace(&mut self.queue[self.next], command);
        self.next = (self.next + 1) % self.queue.len();
        delayed
    }
}

impl State for Delay {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("queue", self.queue.as_mut_slice());
        visitor.field("next", &mut self.next);
        if !self.queue.is_empty() {
            self.next %= self.queue.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_arrives_so_many_steps_later() {
        let mut delay = Delay::new(3);
        let efforts: Vec<f64> = (1..=6)
            .map(|k| delay.pass(JointCommand { effort: f64::from(k), ..JointCommand::default() }).effort)
            .collect();
        assert_eq!(efforts, [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
        let now = Delay::new(0).pass(JointCommand { effort: 5.0, ..JointCommand::default() });
        assert_eq!(now.effort, 5.0);
    }
}
