//! A drive that has switched itself off stays off.

use robot_io::State;

/// Why a drive has latched a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The winding reached its trip temperature.
    TooHot,
    /// A command held a number that is not finite.
    NoNumber,
}

impl Fault {
    /// The cause in words, with the unit of the number that goes with it.
    pub fn text(self) -> &'static str {
        match self {
            Fault::TooHot => "drive switched off: winding too hot [°C]",
            Fault::NoNumber => "drive switched off: the command is not a number",
        }
    }
}

/// Keeps the first fault until it is reset, as CiA 402's "fault" state does.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct FaultLatch {
    /// 0 none, 1 too hot, 2 not a number.
    code: u64,
}

impl FaultLatch {
    /// Latches `fault` unless one is there.
    pub fn set(&mut self, fault: Fault) {
        if self.code == 0 {
            self.code = match fault {
                Fault::TooHot => 1,
                Fault::NoNumber => 2,
            };
        }
    }

    /// The latched fault.
    pub fn get(&self) -> Option<Fault> {
        match self.code {
            0 => None,
            1 => Some(Fault::TooHot),
            _ => Some(Fault::NoNumber),
        }
    }

    /// Forgets it.
    pub fn reset(&mut self) {
        self.code = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fault_stays_until_reset() {
        let mut latch = FaultLatch::default();
        latch.set(Fault::NoNumber);
        latch.set(Fault::TooHot);
        assert_eq!(latch.get(), Some(Fault::NoNumber));
        latch.reset();
        assert_eq!(latch.get(), None);
    }
}
