//! The state machine of a drive (CiA 402-2, "finite state automaton"): states, words, transitions.

use core::fmt;

/// A state of the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DriveState {
    /// Powering up.
    #[default]
    NotReady,
    /// No high voltage may be applied.
    SwitchOnDisabled,
    /// High voltage may be applied.
    ReadyToSwitchOn,
    /// High voltage is applied, no torque.
    SwitchedOn,
    /// Torque: the only state in which commands act.
    OperationEnabled,
    /// Braking on its own.
    QuickStopActive,
    /// Braking on its own because of a fault.
    FaultReaction,
    /// No torque until the fault is acknowledged.
    Fault,
}

/// The bits of the statusword beside the state's own.
pub mod status {
    /// High voltage is applied.
    pub const VOLTAGE: u16 = 1 << 4;
    /// Warning; ours: the winding is hot and the torque reduced.
    pub const WARNING: u16 = 1 << 7;
    /// The controlword counts.
    pub const REMOTE: u16 = 1 << 9;
    /// A halt has come to rest.
    pub const REACHED: u16 = 1 << 10;
    /// A limit acts.
    pub const LIMIT: u16 = 1 << 11;
    /// The drive follows the command value (cyclic modes).
    pub const FOLLOWS: u16 = 1 << 12;
    /// Following error (CSP).
    pub const FOLLOWING_ERROR: u16 = 1 << 13;
}

/// Commands of the controlword.
pub mod control {
    /// No torque, to switch-on disabled.
    pub const DISABLE_VOLTAGE: u16 = 0x0000;
    /// Brake.
    pub const QUICK_STOP: u16 = 0x0002;
    /// To ready to switch on.
    pub const SHUTDOWN: u16 = 0x0006;
    /// To switched on, also down from operation enabled.
    pub const SWITCH_ON: u16 = 0x0007;
    /// To operation enabled.
    pub const ENABLE_OPERATION: u16 = 0x000f;
    /// Homing mode: its rising edge begins to look for home.
    pub const START_HOMING: u16 = 0x0010;
    /// Its rising edge acknowledges a fault.
    pub const FAULT_RESET: u16 = 0x0080;
    /// Stop, in operation enabled.
    pub const HALT: u16 = 0x0100;
}

impl DriveState {
    /// All of them.
    pub const ALL: [DriveState; 8] = [
        DriveState::NotReady,
        DriveState::SwitchOnDisabled,
        DriveState::ReadyToSwitchOn,
        DriveState::SwitchedOn,
        DriveState::OperationEnabled,
        DriveState::QuickStopActive,
        DriveState::FaultReaction,
        DriveState::Fault,
    ];

    /// The state that a statusword says; `None` for a combination that is not in the standard.
    pub const fn from_statusword(word: u16) -> Option<DriveState> {
        match (word & 0x4f, word & 0x6f) {
            (0x00, _) => Some(DriveState::NotReady),
            (0x40, _) => Some(DriveState::SwitchOnDisabled),
            (0x0f, _) => Some(DriveState::FaultReaction),
            (0x08, _) => Some(DriveState::Fault),
            (_, 0x21) => Some(DriveState::ReadyToSwitchOn),
            (_, 0x23) => Some(DriveState::SwitchedOn),
            (_, 0x27) => Some(DriveState::OperationEnabled),
            (_, 0x07) => Some(DriveState::QuickStopActive),
            _ => None,
        }
    }

    /// Its bits of the statusword.
    pub const fn statusword(self) -> u16 {
        match self {
            DriveState::NotReady => 0x00,
            DriveState::SwitchOnDisabled => 0x40,
            DriveState::ReadyToSwitchOn => 0x21,
            DriveState::SwitchedOn => 0x23,
            DriveState::OperationEnabled => 0x27,
            DriveState::QuickStopActive => 0x07,
            DriveState::FaultReaction => 0x0f,
            DriveState::Fault => 0x08,
        }
    }

    /// The next state by a controlword that is not about faults: one transition at most. Enable operation in ready to
    /// switch on goes to switched on first. The way out of a quick stop is open only if the drive `may_resume`.
    #[must_use]
    pub const fn after(self, controlword: u16, may_resume: bool) -> DriveState {
        use DriveState::{OperationEnabled, QuickStopActive, ReadyToSwitchOn, SwitchOnDisabled, SwitchedOn};
        match (self, Command::of(controlword)) {
            (ReadyToSwitchOn | SwitchedOn | OperationEnabled | QuickStopActive, Command::DisableVoltage)
            | (ReadyToSwitchOn | SwitchedOn, Command::QuickStop) => SwitchOnDisabled,
            (OperationEnabled, Command::QuickStop) => QuickStopActive,
            (SwitchOnDisabled | SwitchedOn | OperationEnabled, Command::Shutdown) => ReadyToSwitchOn,
            (ReadyToSwitchOn, Command::SwitchOn | Command::EnableOperation) | (OperationEnabled, Command::SwitchOn) => {
                SwitchedOn
            }
            (SwitchedOn, Command::EnableOperation) => OperationEnabled,
            (QuickStopActive, Command::EnableOperation) if may_resume => OperationEnabled,
            _ => self,
        }
    }

    /// Its place in [`ALL`](DriveState::ALL).
    pub const fn number(self) -> u64 {
        self as u64
    }

    /// The state at a place in [`ALL`](DriveState::ALL); not ready beyond its end.
    pub fn from_number(number: u64) -> DriveState {
        usize::try_from(number).ok().and_then(|place| Self::ALL.get(place).copied()).unwrap_or_default()
    }
}

/// What bits 0 to 3 of a controlword ask for (CiA 402-2, "command coding").
#[derive(Clone, Copy)]
enum Command {
    DisableVoltage,
    QuickStop,
    Shutdown,
    SwitchOn,
    EnableOperation,
}

impl Command {
    const fn of(controlword: u16) -> Command {
        match controlword & 0x0f {
            word if word & 0x02 == 0 => Command::DisableVoltage,
            word if word & 0x04 == 0 => Command::QuickStop,
            word if word & 0x01 == 0 => Command::Shutdown,
            word if word & 0x08 == 0 => Command::SwitchOn,
            _ => Command::EnableOperation,
        }
    }
}

impl fmt::Display for DriveState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DriveState::NotReady => "not ready to switch on",
            DriveState::SwitchOnDisabled => "switch on disabled",
            DriveState::ReadyToSwitchOn => "ready to switch on",
            DriveState::SwitchedOn => "switched on",
            DriveState::OperationEnabled => "operation enabled",
            DriveState::QuickStopActive => "quick stop active",
            DriveState::FaultReaction => "fault reaction active",
            DriveState::Fault => "fault",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DriveState::{
        Fault, FaultReaction, NotReady, OperationEnabled, QuickStopActive, ReadyToSwitchOn, SwitchOnDisabled,
        SwitchedOn,
    };

    #[test]
    fn every_state_is_read_back_from_its_word_whatever_the_other_bits() {
        for state in DriveState::ALL {
            for others in 0..=u16::MAX {
                let word = state.statusword() | (others & !0x6f);
                assert_eq!(DriveState::from_statusword(word), Some(state), "{word:#06x}");
            }
            assert_eq!(DriveState::from_number(state.number()), state);
        }
        assert_eq!(DriveState::from_statusword(0x6f), None);
    }

    /// All states × the commands of the standard; a column per command: 0x00, 0x02, 0x06, 0x07, 0x0F.
    #[test]
    fn the_matrix_of_states_and_controlwords() {
        let matrix = [
            (NotReady, [NotReady; 5]),
            (
                SwitchOnDisabled,
                [SwitchOnDisabled, SwitchOnDisabled, ReadyToSwitchOn, SwitchOnDisabled, SwitchOnDisabled],
            ),
            (ReadyToSwitchOn, [SwitchOnDisabled, SwitchOnDisabled, ReadyToSwitchOn, SwitchedOn, SwitchedOn]),
            (SwitchedOn, [SwitchOnDisabled, SwitchOnDisabled, ReadyToSwitchOn, SwitchedOn, OperationEnabled]),
            (OperationEnabled, [SwitchOnDisabled, QuickStopActive, ReadyToSwitchOn, SwitchedOn, OperationEnabled]),
            (QuickStopActive, [SwitchOnDisabled, QuickStopActive, QuickStopActive, QuickStopActive, OperationEnabled]),
            (FaultReaction, [FaultReaction; 5]),
            (Fault, [Fault; 5]),
        ];
        let words = [0x00, 0x02, 0x06, 0x07, 0x0f];
        for (state, expected) in matrix {
            for (word, next) in words.into_iter().zip(expected) {
                // bits 4 to 15 do not matter here
                for others in [0, 0xfff0_u16, 0x0100, 0x0080] {
                    assert_eq!(state.after(word | others, true), next, "{state} by {word:#04x}");
                }
            }
        }
        assert_eq!(QuickStopActive.after(0x0f, false), QuickStopActive);
    }

    #[test]
    fn every_controlword_is_one_of_five_commands() {
        for state in DriveState::ALL {
            for word in 0..=u16::MAX {
                let next = state.after(word, true);
                let torque = next == OperationEnabled && state != OperationEnabled;
                assert!(!torque || word & 0x0f == 0x0f, "{state} by {word:#06x}");
            }
        }
    }
}
