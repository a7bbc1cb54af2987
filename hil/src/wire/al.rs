//! The application layer's states and what a board says when it refuses one (ETG.1000.6, ETG.1020).

use core::fmt;

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

impl AlCode {
    /// Nothing is wrong.
    pub const NONE: AlCode = AlCode(0x0000);
    /// No transition leads there.
    pub const INVALID_CHANGE: AlCode = AlCode(0x0011);
    /// No such state.
    pub const UNKNOWN_STATE: AlCode = AlCode(0x0012);
    /// There is no firmware download.
    pub const NO_BOOTSTRAP: AlCode = AlCode(0x0013);
    /// The mailbox's sync managers are not as the board wants them.
    pub const MAILBOX_CONFIGURATION: AlCode = AlCode(0x0016);
    /// A sync manager is not as the board wants it.
    pub const SYNC_MANAGER_CONFIGURATION: AlCode = AlCode(0x0017);
    /// Synchronisation was lost.
    pub const SYNC_ERROR: AlCode = AlCode(0x001a);
    /// Outputs stayed away longer than the watchdog allows.
    pub const SYNC_MANAGER_WATCHDOG: AlCode = AlCode(0x001b);
    /// The outputs' sync manager does not fit the mapping.
    pub const OUTPUT_CONFIGURATION: AlCode = AlCode(0x001d);
    /// The inputs' sync manager does not fit the mapping.
    pub const INPUT_CONFIGURATION: AlCode = AlCode(0x001e);
    /// The watchdog's settings make no sense.
    pub const WATCHDOG_CONFIGURATION: AlCode = AlCode(0x001f);
    /// A sync manager for mapped inputs is missing.
    pub const INPUT_MAPPING: AlCode = AlCode(0x0024);
    /// A sync manager for mapped outputs is missing.
    pub const OUTPUT_MAPPING: AlCode = AlCode(0x0025);
    /// SYNC0 is not as the board wants it.
    pub const DC_CONFIGURATION: AlCode = AlCode(0x0030);
    /// The board restarted itself.
    pub const LOCAL_RESTART: AlCode = AlCode(0x0060);

    /// What the number means.
    pub const fn text(self) -> &'static str {
        match self.0 {
            0x0000 => "no error",
            0x0001 => "unspecified error",
            0x0011 => "invalid requested state change",
            0x0012 => "unknown requested state",
            0x0013 => "bootstrap not supported",
            0x0014 => "no valid firmware",
            0x0016 => "invalid mailbox configuration",
            0x0017 => "invalid sync manager configuration",
            0x0018 => "no valid inputs available",
            0x0019 => "no valid outputs",
            0x001a => "synchronisation error",
            0x001b => "sync manager watchdog",
            0x001d => "invalid output configuration",
            0x001e => "invalid input configuration",
            0x001f => "invalid watchdog configuration",
            0x0024 => "invalid input mapping",
            0x0025 => "invalid output mapping",
            0x0026 => "inconsistent settings",
            0x0027 => "free run not supported",
            0x002c => "fatal synchronisation error",
            0x002d => "no synchronisation signal",
            0x0030 => "invalid distributed clocks configuration",
            0x0032 => "phase-locked loop error",
            0x0035 => "invalid SYNC0 cycle time",
            0x0050 => "no access to the EEPROM",
            0x0051 => "EEPROM error",
            0x0060 => "restarted locally",
            _ => "a code that is not in the standard",
        }
    }
}

impl fmt::Display for AlCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AL status code {:#06x} ({})", self.0, self.text())
    }
}
