//! How far the navigator has got with its goal.

use robot_io::State;

/// "Latching" (Momaro, section 6.2.2): first the place, then the heading, and a new plan does not begin again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub(crate) enum Phase {
    /// No goal.
    #[default]
    Idle,
    /// On the way.
    Approach,
    /// At the place, turning to the heading.
    Turn,
    /// In front of an edge, waiting for whoever moves the legs.
    Edge,
    /// There.
    Arrived,
    /// There is no way.
    Unreachable,
    /// All recoveries have failed.
    Stuck,
}
