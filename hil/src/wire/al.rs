//! The application layer's states and what a board says when it refuses one (ETG.1000.6, ETG.1020).

use core::fmt;

use crate::codes::codes;

/// A state of EtherCAT's application layer, with its number on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum AlState {
    /// Nothing but registers.
    #[default]
    Init = 1,
    /// Mailbox.
    PreOp = 2,
    /// Firmware download; no board here has it.
    Bootstrap = 3,
    /// Mailbox and inputs.
    SafeOp = 4,
    /// Everything.
    Op = 8,
}

impl AlState {
    /// The state with this number in the low four bits.
    pub const fn from_bits(bits: u8) -> Option<AlState> {
        match bits & 0x0f {
            1 => Some(AlState::Init),
            2 => Some(AlState::PreOp),
            3 => Some(AlState::Bootstrap),
            4 => Some(AlState::SafeOp),
            8 => Some(AlState::Op),
            _ => None,
        }
    }
}

impl fmt::Display for AlState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AlState::Init => "INIT",
            AlState::PreOp => "PRE-OP",
            AlState::Bootstrap => "BOOT",
            AlState::SafeOp => "SAFE-OP",
            AlState::Op => "OP",
        })
    }
}

/// Why a board left a state or refused one: register 0x0134 (ETG.1000.6 table 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlCode(pub u16);

codes! {
    AlCode, "AL status code {:#06x} ({})";
    /// Nothing is wrong.
    NONE = 0x0000, "no error";
    /// No transition leads there.
    INVALID_CHANGE = 0x0011, "invalid requested state change";
    /// No such state.
    UNKNOWN_STATE = 0x0012, "unknown requested state";
    /// There is no firmware download.
    NO_BOOTSTRAP = 0x0013, "bootstrap not supported";
    /// The mailbox's sync managers are not as the board wants them.
    MAILBOX_CONFIGURATION = 0x0016, "invalid mailbox configuration";
    /// A sync manager is not as the board wants it.
    SYNC_MANAGER_CONFIGURATION = 0x0017, "invalid sync manager configuration";
    /// Synchronisation was lost.
    SYNC_ERROR = 0x001a, "synchronisation error";
    /// Outputs stayed away longer than the watchdog allows.
    SYNC_MANAGER_WATCHDOG = 0x001b, "sync manager watchdog";
    /// The outputs' sync manager does not fit the mapping.
    OUTPUT_CONFIGURATION = 0x001d, "invalid output configuration";
    /// The inputs' sync manager does not fit the mapping.
    INPUT_CONFIGURATION = 0x001e, "invalid input configuration";
    /// The watchdog's settings make no sense.
    WATCHDOG_CONFIGURATION = 0x001f, "invalid watchdog configuration";
    /// A sync manager for mapped inputs is missing.
    INPUT_MAPPING = 0x0024, "invalid input mapping";
    /// A sync manager for mapped outputs is missing.
    OUTPUT_MAPPING = 0x0025, "invalid output mapping";
    /// SYNC0 is not as the board wants it.
    DC_CONFIGURATION = 0x0030, "invalid distributed clocks configuration";
    /// The board restarted itself.
    LOCAL_RESTART = 0x0060, "restarted locally";
    0x0001, "unspecified error";
    0x0014, "no valid firmware";
    0x0018, "no valid inputs available";
    0x0019, "no valid outputs";
    0x0026, "inconsistent settings";
    0x0027, "free run not supported";
    0x002c, "fatal synchronisation error";
    0x002d, "no synchronisation signal";
    0x0032, "phase-locked loop error";
    0x0035, "invalid SYNC0 cycle time";
    0x0050, "no access to the EEPROM";
    0x0051, "EEPROM error";
}
