//! How the winding warms up.

use robot_io::State;
use robot_model::description::Thermal;

/// One thermal node: copper loss heats it, the ambient cools it, and the heat takes torque away. It is the winding node
/// of the catalogues' two-node model (maxon, "Key information", thermal behaviour) with the housing lumped in.
#[derive(Clone, Copy, Debug, State)]
pub(crate) struct Winding {
    #[state(fixed)]
    thermal: Thermal,
    /// [°C]
    temperature: f64,
}

impl Winding {
    /// A winding that has been switched off for long.
    pub fn new(thermal: Thermal) -> Winding {
        Winding { thermal, temperature: thermal.ambient }
    }

    /// Its temperature [°C].
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// The share of the peak effort that is left: 1 up to `derate_from`, then falling linearly to none at `trip_at`.
    pub fn share(&self) -> f64 {
        let Thermal { derate_from, trip_at, .. } = self.thermal;
        ((trip_at - self.temperature) / (trip_at - derate_from)).clamp(0.0, 1.0)
    }

    /// Whether the drive has to switch off. The share of a winding that heats itself reaches none only in the limit,
    /// so the last hundredth counts as there.
    pub fn is_too_hot(&self) -> bool {
        self.share() < 0.01
    }

    /// Heats for `step` [s] with the copper loss of `effort` [N·m]; returns that loss [W].
    pub fn heat(&mut self, effort: f64, step: f64) -> f64 {
        let Thermal { resistance, capacitance, ambient, copper_loss, .. } = self.thermal;
        let loss = copper_loss * effort * effort;
        self.temperature += step / capacitance * (loss - (self.temperature - ambient) / resistance);
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THERMAL: Thermal = Thermal {
        resistance: 2.0,
        capacitance: 50.0,
        ambient: 25.0,
        derate_from: 80.0,
        trip_at: 100.0,
        copper_loss: 0.05,
    };

    #[test]
    fn it_follows_the_exponential() {
        let mut winding = Winding::new(THERMAL);
        for _ in 0..100_000 {
            winding.heat(20.0, 1e-3);
        }
        // 20 W on 2 K/W is 40 K, reached by 1 − 1/e after the time constant of 100 s
        let expected = 25.0 + 40.0 * (1.0 - libm::exp(-1.0));
        assert!((winding.temperature() - expected).abs() < 0.01, "{}", winding.temperature());
        assert_eq!(winding.share(), 1.0);
    }

    #[test]
    fn heat_takes_the_torque_away_and_then_trips() {
        let mut winding = Winding { thermal: THERMAL, temperature: 90.0 };
        assert_eq!(winding.share(), 0.5);
        assert!(!winding.is_too_hot());
        winding.temperature = 99.9;
        assert!(winding.is_too_hot());
        winding.temperature = 120.0;
        assert_eq!(winding.share(), 0.0);
    }
}
