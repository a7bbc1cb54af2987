//! The way of a command from the plug to the air gap.

use robot_io::{JointCommand, State};

/// A queue of fixed length: what goes in comes out so many physics steps later.
///
/// It lumps fieldbus, sampling and current loop into one dead time, the usual model for a drive whose current loop is
/// much faster than its link (Franklin, Powell and Emami-Naeini, "Feedback control of dynamic systems", dead time).
#[derive(Clone, Debug, State)]
#[state(then = "bound")]
pub(crate) struct Delay {
    #[state(elements)]
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

    /// A broken snapshot must not lead outside.
    fn bound(&mut self) {
        self.next = self.next.checked_rem(self.queue.len()).unwrap_or(0);
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
