//! What can go wrong between the bridge and the boards.

use robot_io::IoError;
use thiserror::Error;

use crate::wire::{AlCode, AlState};

/// Why the bus could not do what it was asked. Every message names the board, what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HilError {
    /// A mistake in a bus file, a calibration or an ESI file.
    #[error(transparent)]
    File(#[from] page::Fault),
    /// The boards on the cable are not those of the bus file.
    #[error("{0}")]
    Boards(String),
    /// A board refused a state.
    #[error("board '{board}' did not reach {wanted}: it is {found}, {code}")]
    State {
        /// The board's name in the bus file.
        board: String,
        /// The state asked for.
        wanted: AlState,
        /// The state it is in.
        found: AlState,
        /// Why, in the board's own words.
        code: AlCode,
    },
    /// A board refused an object or its mailbox stayed silent.
    #[error("board '{board}', object {index:#06x}:{sub}: {message}")]
    Sdo {
        /// The board's name in the bus file.
        board: String,
        /// The object.
        index: u16,
        /// Its part.
        sub: u8,
        /// What happened.
        message: String,
    },
    /// The cable, the card or the program at the other end.
    #[error("{0}")]
    Link(String),
    /// The robot behind the boards or the plug before them.
    #[error(transparent)]
    Io(#[from] IoError),
}

impl From<HilError> for IoError {
    fn from(error: HilError) -> IoError {
        match error {
            HilError::Io(error) => error,
            other => IoError::Device(other.to_string()),
        }
    }
}
