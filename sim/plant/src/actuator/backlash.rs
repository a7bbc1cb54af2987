//! Play between gear and link.

use robot_io::State;

/// A gap between two stops: the rotor is ahead of the link by an angle within ± half the play, and only at a stop is
/// torque passed on (Nordin and Gutman, "Controlling mechanical systems with backlash — a survey", Automatica 38, 2002:
/// the dead-zone model; touching a stop is inelastic).
///
/// In the gap the rotor moves for itself, relative to the link, by motor and friction. Its inertia stays on the link
/// there too, which a gap of some minutes of arc, crossed within milliseconds, hardly shows.
#[derive(Clone, Copy, Debug, State)]
pub(crate) struct Backlash {
    #[state(fixed)]
    half_play: f64,
    /// Rotor ahead of the link [rad].
    gap: f64,
    /// How fast the gap changes [rad/s].
    speed: f64,
    /// At which stop: +1, −1; 0 between them.
    side: f64,
}

impl Backlash {
    /// A gear with `play` [rad] from stop to stop, in the middle.
    pub fn new(play: f64) -> Backlash {
        Backlash { half_play: 0.5 * play, gap: 0.0, speed: 0.0, side: 0.0 }
    }

    /// Whether torque is passed on. A gear without play always does.
    pub fn is_engaged(&self) -> bool {
        self.half_play == 0.0 || self.side != 0.0
    }

    /// How far the rotor is ahead of the link [rad].
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// Moves the rotor in its gap by an `effort` [N·m] on its inertia [kg·m²] for a step [s].
    pub fn drive(&mut self, effort: f64, rotor: f64, step: f64) {
        if self.half_play == 0.0 {
            return;
        }
        // a stop pushes and does not pull
        if effort * self.side >= 0.0 && self.side != 0.0 {
            return;
        }
        self.side = 0.0;
        self.speed += step / rotor * effort;
        self.gap += step * self.speed;
        if self.gap.abs() >= self.half_play {
            self.side = self.gap.signum();
            self.gap = self.side * self.half_play;
            self.speed = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reversal_crosses_the_whole_play() {
        let mut gear = Backlash::new(0.02);
        let mut steps_until = |effort: f64, side: f64| {
            (1..1_000).find(|_| {
                gear.drive(effort, 0.5, 1e-3);
                gear.is_engaged() && gear.gap() == side * 0.01
            })
        };
        assert!(steps_until(5.0, 1.0).is_some());
        // ½ (5 N·m / 0.5 kg·m²) t² = 0.02 rad
        let steps = steps_until(-5.0, -1.0).map_or(0.0, f64::from);
        assert!((steps - 63.0).abs() < 2.0, "{steps}");
    }

    #[test]
    fn at_a_stop_it_stays_while_it_pushes() {
        let mut gear = Backlash::new(0.02);
        (0..100).for_each(|_| gear.drive(5.0, 0.5, 1e-3));
        assert!(gear.is_engaged());
        gear.drive(-5.0, 0.5, 1e-3);
        assert!(!gear.is_engaged());
    }

    #[test]
    fn a_gear_without_play_never_lets_go() {
        let mut gear = Backlash::new(0.0);
        gear.drive(-1.0, 0.5, 1e-3);
        assert!(gear.is_engaged());
        assert_eq!(gear.gap(), 0.0);
    }
}
