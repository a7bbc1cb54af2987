//! What breaks on the bus, on purpose and on time.

use robot_io::{IoError, Time};
use serde::{Deserialize, Serialize};

use crate::board::BoardFault;

/// One fault of the bus on the timeline of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BusFault {
    /// When it begins.
    pub from: Time,
    /// When it heals; `None` for never.
    pub until: Option<Time>,
    /// What breaks.
    pub kind: BusFaultKind,
}

/// What can break. Boards are named as in the bus file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum BusFaultKind {
    /// Frames vanish, each with this probability.
    FrameLoss {
        /// 0 to 1.
        probability: f64,
    },
    /// Frames come back this much too late to be of use: each counts as lost and arrives with the next.
    FrameDelay {
        /// 0 to 1.
        probability: f64,
    },
    /// One byte of a frame is flipped, each frame with this probability; the receiver's checksum drops it.
    CorruptBytes {
        /// 0 to 1.
        probability: f64,
        /// False for a flip that the checksum does not see, in the process data.
        #[serde(default = "yes")]
        caught: bool,
    },
    /// The cable behind this board is cut: every later board is gone.
    CableCut {
        /// The last board that is still there.
        after: String,
    },
    /// A board loses its power and gets it back at once: its address, configuration and state are gone.
    BoardReset {
        /// The board.
        board: String,
    },
    /// A board is without power; the frame passes it by.
    BoardOff {
        /// The board.
        board: String,
    },
    /// Two boards sit in each other's place on the cable, for the whole run.
    SwappedBoards {
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// A board leaves OP with an error.
    AlError {
        /// The board.
        board: String,
        /// The AL status code.
        code: u16,
    },
    /// A board's clock runs fast.
    ClockDrift {
        /// The board.
        board: String,
        /// Parts per million.
        ppm: f64,
    },
    /// A board takes part and counts wrong.
    WrongCount {
        /// The board.
        board: String,
        /// What it adds to the working counter beside what is due, −3 to 3.
        by: i16,
    },
    /// A board's processor hangs: inputs stay what they are, the sample counter too.
    FrozenInputs {
        /// The board.
        board: String,
    },
    /// A board's encoder keeps its position, while samples go on.
    FrozenEncoder {
        /// The board.
        board: String,
    },
    /// A board's position jumps.
    EncoderJump {
        /// The board.
        board: String,
        /// By how much [rad].
        by: f64,
    },
    /// A board's winding sensor says this; the board trips on it as on a real one.
    HotBoard {
        /// The board.
        board: String,
        /// [°C].
        temperature: f64,
    },
    /// A drive's safe torque off is open: its emergency stop was pressed, or a wire broke.
    StoOpen {
        /// The board.
        board: String,
    },
    /// A drive trips.
    DriveFault {
        /// The board.
        board: String,
        /// CiA 402 object 0x603F, for example 0x2310, over-current.
        code: u16,
    },
}

impl BusFaultKind {
    /// The board that it is about, if it is about one.
    pub fn board(&self) -> Option<&str> {
        match self {
            BusFaultKind::CableCut { after: board }
            | BusFaultKind::BoardReset { board }
            | BusFaultKind::BoardOff { board }
            | BusFaultKind::AlError { board, .. }
            | BusFaultKind::ClockDrift { board, .. }
            | BusFaultKind::WrongCount { board, .. }
            | BusFaultKind::FrozenInputs { board }
            | BusFaultKind::FrozenEncoder { board }
            | BusFaultKind::EncoderJump { board, .. }
            | BusFaultKind::HotBoard { board, .. }
            | BusFaultKind::StoOpen { board }
            | BusFaultKind::DriveFault { board, .. } => Some(board),
            BusFaultKind::FrameLoss { .. }
            | BusFaultKind::FrameDelay { .. }
            | BusFaultKind::CorruptBytes { .. }
            | BusFaultKind::SwappedBoards { .. } => None,
        }
    }

    /// What breaks inside that board, if it is that.
    pub fn board_fault(&self) -> Option<BoardFault> {
        match *self {
            BusFaultKind::FrozenInputs { .. } => Some(BoardFault::FrozenInputs),
            BusFaultKind::FrozenEncoder { .. } => Some(BoardFault::FrozenEncoder),
            BusFaultKind::EncoderJump { by, .. } => Some(BoardFault::EncoderJump { by }),
            BusFaultKind::HotBoard { temperature, .. } => Some(BoardFault::Hot { temperature }),
            BusFaultKind::StoOpen { .. } => Some(BoardFault::StoOpen),
            BusFaultKind::DriveFault { code, .. } => Some(BoardFault::DriveFault { code }),
            _ => None,
        }
    }

    /// All boards that it names.
    pub fn boards(&self) -> Vec<&str> {
        match self {
            BusFaultKind::SwappedBoards { first, second } => vec![first, second],
            other => other.board().into_iter().collect(),
        }
    }

    /// Refuses numbers that make no sense.
    pub fn check(&self) -> Result<(), IoError> {
        let (what, expected, found, sensible) = match *self {
            BusFaultKind::FrameLoss { probability: p }
            | BusFaultKind::FrameDelay { probability: p }
            | BusFaultKind::CorruptBytes { probability: p, .. } => {
                ("probability of a frame's fault", "0 to 1", p, (0.0..=1.0).contains(&p))
            }
            BusFaultKind::ClockDrift { ppm, .. } => {
                ("drift of a clock [ppm]", "-10000 to 10000", ppm, (-1e4..=1e4).contains(&ppm))
            }
            BusFaultKind::EncoderJump { by, .. } => {
                ("jump of an encoder [rad]", "-1e4 to 1e4", by, (-1e4..=1e4).contains(&by))
            }
            BusFaultKind::WrongCount { by, .. } => {
                ("error of a working counter", "-3 to 3", f64::from(by), (-3..=3).contains(&by))
            }
            BusFaultKind::HotBoard { temperature: t, .. } => {
                ("temperature [°C]", "-50 to 300", t, (-50.0..=300.0).contains(&t))
            }
            _ => return Ok(()),
        };
        if sensible { Ok(()) } else { Err(IoError::Value { what, expected, found: found.to_string() }) }
    }
}

const fn yes() -> bool {
    true
}
