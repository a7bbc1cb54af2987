//! The life cycle of a robot: the words of ros2_control, the states of EtherCAT.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::State;

/// Where a robot is in its life. Readings are valid from [`Inactive`](Lifecycle::Inactive) on, commands act only in
/// [`Active`](Lifecycle::Active).
///
/// | state | EtherCAT | readings | commands |
/// |---|---|---|---|
/// | Unconfigured | INIT, PRE-OP | no | no |
/// | Inactive | SAFE-OP | yes | no |
/// | Active | OP, CiA 402 "operation enabled" | yes | yes |
/// | Fault | SAFE-OP + error, CiA 402 "fault" | yes | no |
/// | Finalized | INIT | no | no |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, State)]
pub enum Lifecycle {
    /// Nothing is known of the hardware yet.
    #[default]
    Unconfigured,
    /// Sensors can be read, drives are off.
    Inactive,
    /// Drives are on and follow commands.
    Active,
    /// Something is latched; the way back is a transition to Inactive.
    Fault,
    /// Switched off for good.
    Finalized,
}

impl Lifecycle {
    /// True if one transition leads from here to `to`. A robot may fall into [`Fault`](Lifecycle::Fault) by itself;
    /// nobody asks it to.
    pub const fn allows(self, to: Lifecycle) -> bool {
        use Lifecycle::{Active, Fault, Finalized, Inactive, Unconfigured};
        matches!(
            (self, to),
            (Unconfigured, Inactive | Finalized)
                | (Inactive, Active | Unconfigured | Finalized)
                | (Active, Inactive | Finalized)
                | (Fault, Inactive | Finalized)
        )
    }

    /// True where readings are valid.
    pub const fn can_read(self) -> bool {
        matches!(self, Lifecycle::Inactive | Lifecycle::Active | Lifecycle::Fault)
    }
}

impl fmt::Display for Lifecycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lifecycle::Unconfigured => "unconfigured",
            Lifecycle::Inactive => "inactive",
            Lifecycle::Active => "active",
            Lifecycle::Fault => "fault",
            Lifecycle::Finalized => "finalized",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Lifecycle::{self, Active, Fault, Finalized, Inactive, Unconfigured};

    #[test]
    fn nothing_becomes_active_but_an_inactive_robot() {
        for from in [Unconfigured, Active, Fault, Finalized] {
            assert!(!from.allows(Active), "{from}");
        }
        assert!(Inactive.allows(Active));
    }

    #[test]
    fn finalized_is_the_end_and_nobody_asks_for_a_fault() {
        let all = [Unconfigured, Inactive, Active, Fault, Finalized];
        assert!(all.iter().all(|to| !Finalized.allows(*to)));
        assert!(all.iter().all(|from: &Lifecycle| !from.allows(Fault)));
    }
}
