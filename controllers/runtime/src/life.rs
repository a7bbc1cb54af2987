//! The life of a component, after Walk-Man's modules (Ferrati et al., "The Walk-Man robot software architecture", 2016,
//! figure 8).

use core::fmt;

use robot_io::{State, Switch};
use serde::{Deserialize, Serialize};

/// Where a component is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, State)]
#[serde(rename_all = "snake_case")]
pub enum Life {
    /// Made, and never started.
    #[default]
    Constructed,
    /// It is updated at its rate.
    Running,
    /// It keeps what it knows, holds no joint and is not updated.
    Paused,
    /// It has let go of everything; it can be started afresh.
    Stopped,
    /// Gone for good.
    Ended,
}

impl Life {
    /// All of them, in order.
    pub const ALL: [Life; 5] = [Life::Constructed, Life::Running, Life::Paused, Life::Stopped, Life::Ended];

    /// Where a command leads; nothing if it cannot be obeyed here.
    pub const fn after(self, switch: Switch) -> Option<Life> {
        match (self, switch) {
            (Life::Constructed | Life::Stopped, Switch::Start) | (Life::Paused, Switch::Resume) => Some(Life::Running),
            (Life::Running, Switch::Pause) => Some(Life::Paused),
            (Life::Running | Life::Paused, Switch::Stop) => Some(Life::Stopped),
            (Life::Constructed | Life::Running | Life::Paused | Life::Stopped, Switch::Quit) => Some(Life::Ended),
            _ => None,
        }
    }
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Life::Constructed => "constructed",
            Life::Running => "running",
            Life::Paused => "paused",
            Life::Stopped => "stopped",
            Life::Ended => "ended",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the paper, with a row for each life and a column for each command.
    #[test]
    fn every_command_in_every_state_leads_where_the_table_says() {
        use Life::{Ended, Paused, Running, Stopped};
        let table = [
            [Some(Running), None, None, None, Some(Ended)],
            [None, Some(Paused), None, Some(Stopped), Some(Ended)],
            [None, None, Some(Running), Some(Stopped), Some(Ended)],
            [Some(Running), None, None, None, Some(Ended)],
            [None, None, None, None, None],
        ];
        for (life, row) in Life::ALL.into_iter().zip(table) {
            assert_eq!(Switch::ALL.map(|switch| life.after(switch)), row, "{life}");
        }
    }
}
