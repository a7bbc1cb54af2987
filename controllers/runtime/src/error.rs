//! What can be wrong with how components are put together.

use thiserror::Error;

/// Why components cannot work together. Each names components and channels, what was expected and what was found.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RuntimeError {
    /// A channel carries one kind of message, and somebody wants another.
    #[error("channel '{channel}': expected {expected}, as it was named first, found {found}")]
    Channel {
        /// Its name.
        channel: String,
        /// What it is.
        expected: String,
        /// What somebody takes it for.
        found: String,
    },
    /// Components wait for each other.
    #[error(
        "expected an order of components, found a circle: {circle}; one of them can read what was there before the cycle"
    )]
    Circle {
        /// `mapping → navigation ('goal') → mapping ('localization')`.
        circle: String,
    },
    /// A stream that several write and no arbiter decides.
    #[error("channel '{channel}': expected one writer, or an arbiter, found {}", writers.join(", "))]
    Writers {
        /// Its name.
        channel: String,
        /// Who writes it.
        writers: Vec<String>,
    },
    /// A writer of a channel on which rules decide, without one.
    #[error(
        "channel '{channel}': expected a connection with a rule for {writer}, since rules decide there, found none"
    )]
    NoRule {
        /// Its name.
        channel: String,
        /// Who writes it.
        writer: String,
    },
    /// A channel that is read and that nobody writes.
    #[error("channel '{channel}': expected somebody who writes what {reader} reads, found nobody")]
    NoWriter {
        /// Its name.
        channel: String,
        /// Who reads it.
        reader: String,
    },
    /// A component reads its own words.
    #[error("{component}: expected to read what others write, found its own channel '{channel}'")]
    Own {
        /// The component.
        component: String,
        /// The channel.
        channel: String,
    },
    /// Joints that the robot does not have.
    #[error("{component}: expected a joint group of the robot ({}), found '{found}'", known.join(", "))]
    Group {
        /// Who asks for it.
        component: String,
        /// The groups that there are.
        known: Vec<String>,
        /// What was asked for.
        found: String,
    },
    /// A rate that cannot be kept.
    #[error("{component}: expected an interval of at least a cycle, {cycle}, found {found}")]
    Interval {
        /// The component.
        component: String,
        /// The robot's cycle.
        cycle: robot_io::Period,
        /// The interval.
        found: robot_io::Period,
    },
    /// Two things of one name.
    #[error("expected {what} of different names, found '{name}' twice")]
    Twice {
        /// `components`, `deadline tasks`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// No component of this name.
    #[error("expected a component ({}), found '{found}'", known.join(", "))]
    Unknown {
        /// The components that there are.
        known: Vec<String>,
        /// What was asked for.
        found: String,
    },
    /// A command that cannot be obeyed in this state.
    #[error("{component}: expected a command for one that is {life}, found '{switch}'")]
    Switch {
        /// The component.
        component: String,
        /// Where it is in its life.
        life: crate::Life,
        /// What it was told.
        switch: crate::Switch,
    },
}
