//! What can go wrong at the plug.

use core::fmt;

use crate::{Digest, Lifecycle};

/// Why a robot, a clock or a wrapper could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IoError {
    /// A transition that the life cycle does not have.
    Transition {
        /// The present state.
        from: Lifecycle,
        /// The state asked for.
        to: Lifecycle,
    },
    /// The robot cannot be read in its present state.
    NotReadable {
        /// The present state.
        state: Lifecycle,
    },
    /// A buffer was made for another layout.
    Size {
        /// What was counted, for example `joint commands`.
        what: &'static str,
        /// The layout's number.
        expected: usize,
        /// The buffer's number.
        found: usize,
    },
    /// A name that the robot's layout does not have.
    UnknownName {
        /// What kind of name, for example `joint`.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The robot.
        robot: String,
    },
    /// A value outside what makes sense.
    Value {
        /// Which value, with its unit.
        what: &'static str,
        /// What was expected, in words.
        expected: &'static str,
        /// The value found, as text.
        found: String,
    },
    /// A saved state of another program or configuration.
    Snapshot {
        /// How many bytes it has too many; negative if too few.
        surplus_bytes: i64,
    },
    /// A saved state refers to a sealed value whose contents are not there, or are others.
    Contents {
        /// The digest of the sealed value.
        expected: Digest,
        /// The digest of what its contents make; `None` if there are none.
        found: Option<Digest>,
    },
    /// There is nothing more: the log or the scenario has ended.
    End,
    /// The other side failed: bus, file or device.
    Device(String),
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IoError::Transition { from, to } => write!(f, "no transition leads from {from} to {to}"),
            IoError::NotReadable { state } => write!(f, "a robot that is {state} cannot be read"),
            IoError::Size { what, expected, found } => write!(f, "expected {expected} {what}, found {found}"),
            IoError::UnknownName { what, name, robot } => write!(f, "{robot} has no {what} named '{name}'"),
            IoError::Value { what, expected, found } => write!(f, "{what}: expected {expected}, found {found}"),
            IoError::Snapshot { surplus_bytes } if *surplus_bytes < 0 => {
                write!(f, "the saved state is {} bytes too short", -surplus_bytes)
            }
            IoError::Snapshot { surplus_bytes } => write!(f, "the saved state is {surplus_bytes} bytes too long"),
            IoError::Contents { expected, found: None } => {
                write!(f, "the saved state: expected the contents of the sealed value {expected}, found none")
            }
            IoError::Contents { expected, found: Some(found) } => {
                write!(f, "the saved state: expected contents with the digest {expected}, found {found}")
            }
            IoError::End => f.write_str("there is no further cycle"),
            IoError::Device(message) => f.write_str(message),
        }
    }
}

impl core::error::Error for IoError {}

/// Refuses a buffer of another size.
pub(crate) fn same_number(what: &'static str, expected: usize, found: usize) -> Result<(), IoError> {
    if expected == found { Ok(()) } else { Err(IoError::Size { what, expected, found }) }
}
