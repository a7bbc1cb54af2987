//! Play between gear and link.

use robot_io::{State, StateVisitor};

/// A gap between two stops: the rotor is ahead of the link by an angle within ± half the play, and only at a stop is
/// torque passed on (Nordin and Gutman, "Controlling mechanical systems with backlash — a survey", Automatica 38, 2002,
/// the dead-zone model with rigid stops; touching a stop is inelastic).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlash {
    half_play: f64,
    /// Rotor ahead of the link [rad].
    gap: f64,
    /// At which stop: +1, −1; 0 between them.
    side: f64,
}

impl Backlash {
    /// A gear with `play` [rad] from stop to stop, resting at the upper one.
    pub fn new(play: f64) -> Backlash {
        Backlash { half_play: 0.5 * play, gap: 0.5 * play, side: 1.0 }
    }

    /// Whether rotor and link move together. A gear without play always does.
    pub fn is_engaged(&self) -> bool {
        self.half_play == 0.0 || self.side != 0.0
    }

    /// How far the rotor is ahead of the link [rad].
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// After a step together in which the rotor passed on `effort` [N·m]: a stop pushes and does not pull.
    pub fn pushed(&mut self, effort: f64) {
        if effort * self.side < 0.0 {
            self.side = 0.0;
        }
    }

    /// After a step apart in which the rotor moved by `displacement` [rad] relative to the link.
    pub fn moved(&mut self, displacement: f64) {
        self.gap += displacement;
        if self.gap.abs() >= self.half_play {
            self.side = self.gap.signum();
            self.gap = self.side * self.half_play;
        }
    }
}

impl State for Backlash {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("gap", &mut self.gap);
        visitor.field("side", &mut self.side);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reversal_crosses_the_whole_play() {
        let mut gear = Backlash::new(0.02);
        assert!(gear.is_engaged());
        gear.pushed(1.0);
        assert!(gear.is_engaged());
        gear.pushed(-1.0);
        assert!(!gear.is_engaged());
        gear.moved(-0.015);
        assert!(!gear.is_engaged());
        gear.moved(-0.015);
        assert!(gear.is_engaged());
        assert_eq!(gear.gap(), -0.01);
    }

    #[test]
    fn a_gear_without_play_never_lets_go() {
        let mut gear = Backlash::new(0.0);
        gear.pushed(-1.0);
        assert!(gear.is_engaged());
        assert_eq!(gear.gap(), 0.0);
    }
}
