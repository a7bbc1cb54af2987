//! What can break in a board.

/// What can break in a board.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// The drive's safe torque off is open.
    StoOpen,
    /// The drive trips with this code (CiA 402 object 0x603F).
    DriveFault {
        /// For example 0x2310, over-current.
        code: u16,
    },
}
