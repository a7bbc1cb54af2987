//! What takes its time: the way of a command to the air gap, and of a measurement back.

use robot_io::State;

/// A queue of fixed length: what goes in comes out so many physics steps later.
///
/// It lumps fieldbus, sampling and current loop into one dead time, the usual model for a drive whose current loop is
/// much faster than its link (Franklin, Powell and Emami-Naeini, "Feedback control of dynamic systems", dead time).
#[derive(Clone, Debug, State)]
#[state(then = "bound")]
pub(crate) struct Delay<T: State + Copy> {
    #[state(elements)]
    queue: Vec<T>,
    next: usize,
}

impl<T: State + Copy> Delay<T> {
    /// A delay of `steps` physics steps; until then `first` comes out.
    pub fn new(steps: usize, first: T) -> Delay<T> {
        Delay { queue: vec![first; steps], next: 0 }
    }

    /// Takes what goes in at this step and gives what went in then.
    pub fn pass(&mut self, now: T) -> T {
        if self.queue.is_empty() {
            return now;
        }
        let delayed = core::mem::replace(&mut self.queue[self.next], now);
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
    use robot_io::JointCommand;

    use super::*;

    #[test]
    fn a_command_arrives_so_many_steps_later() {
        let mut delay = Delay::new(3, JointCommand::default());
        let efforts: Vec<f64> = (1..=6)
            .map(|k| delay.pass(JointCommand { effort: f64::from(k), ..JointCommand::default() }).effort)
            .collect();
        assert_eq!(efforts, [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
        let now = Delay::new(0, JointCommand::default()).pass(JointCommand { effort: 5.0, ..JointCommand::default() });
        assert_eq!(now.effort, 5.0);
    }
}
