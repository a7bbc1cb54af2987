//! What breaks on the bus, on purpose and on time.

use robot_io::Time;
use serde::{Deserialize, Serialize};

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
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
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
    /// Something in a board.
    Board {
        /// The board.
        board: String,
        /// What.
        #[serde(flatten)]
        fault: BoardFault,
    },
}

const fn yes() -> bool {
    true
}

/// What can break in a board.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum BoardFault {
    /// Its processor hangs: inputs stay what they are, the sample counter too.
    FrozenInputs,
    /// The encoder keeps its position, while samples go on.
    FrozenEncoder,
    /// The position jumps [rad].
    EncoderJump {
        /// By how much [rad].
        by: f64,
    },
    /// The winding's sensor says this temperature [°C]; the board trips on it as on a real one.
    Hot {
        /// [°C].
        temperature: f64,
    },
    /// The drive trips with this code (CiA 402 object 0x603F).
    DriveFault {
        /// For example 0x2310, over-current.
        code: u16,
    },
}
