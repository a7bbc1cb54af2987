//! What an arm is about.

use robot_io::State;

/// What an arm is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub(super) enum Phase {
    /// It stays where it is.
    #[default]
    Rests,
    /// It wants a plan.
    Asks,
    /// A plan is being made.
    Thinks,
    /// It is on its way.
    Moves,
    /// It comes to rest on its way: for good, or to ask again.
    Stops { asks_again: bool },
    /// It has arrived and comes to rest.
    Settles,
    /// The fingers close on something.
    Closes,
    /// The fingers open.
    Opens,
}

impl Phase {
    /// Whether the arm shall be where it is told to be, at rest or on its way, and holds nothing that keeps it from there.
    pub fn is_led(self) -> bool {
        !matches!(self, Phase::Closes | Phase::Opens)
    }
}
