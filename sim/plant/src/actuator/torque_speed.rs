//! What torque a motor can give at its speed.

/// The straight torque–speed line of a permanent-magnet motor at constant voltage, from peak effort at standstill to
/// none at no-load speed (any motor catalogue; for example maxon, "Key information", motor characteristics). Against
/// the motion a drive brakes with up to its peak effort.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TorqueSpeed {
    /// At standstill [N·m].
    pub peak_effort: f64,
    /// Where nothing is left [rad/s].
    pub no_load_speed: f64,
}

impl TorqueSpeed {
    /// The effort [N·m] given for the `wanted` one at `velocity` [rad/s], and whether it is less than wanted.
    /// `share` of the peak is left to a hot winding; `supply` is the voltage as a share of that for which the line holds. A lower one
    /// moves the line down, as the motor's own voltage takes its part of less; a higher one does not help, since the drive limits its current.
    pub fn limit(&self, wanted: f64, velocity: f64, share: f64, supply: f64) -> (f64, bool) {
        let most = self.peak_effort * share;
        let along = most * (supply - velocity / self.no_load_speed).clamp(0.0, 1.0);
        let against = most * (supply + velocity / self.no_load_speed).clamp(0.0, 1.0);
        let given = wanted.clamp(-against, along);
        (given, given != wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOTOR: TorqueSpeed = TorqueSpeed { peak_effort: 40.0, no_load_speed: 4.0 };

    #[test]
    fn effort_falls_along_the_line_and_braking_is_free() {
        assert_eq!(MOTOR.limit(100.0, 0.0, 1.0, 1.0), (40.0, true));
        assert_eq!(MOTOR.limit(100.0, 2.0, 1.0, 1.0), (20.0, true));
        assert_eq!(MOTOR.limit(100.0, 5.0, 1.0, 1.0), (0.0, true));
        assert_eq!(MOTOR.limit(-100.0, 2.0, 1.0, 1.0), (-40.0, true));
        assert_eq!(MOTOR.limit(15.0, 2.0, 1.0, 1.0), (15.0, false));
    }

    #[test]
    fn it_is_the_same_in_both_directions_and_less_when_hot() {
        assert_eq!(MOTOR.limit(-100.0, -2.0, 1.0, 1.0), (-20.0, true));
        assert_eq!(MOTOR.limit(100.0, 0.0, 0.25, 1.0), (10.0, true));
    }
    #[test]
    fn a_battery_that_sags_takes_speed_and_torque_away() {
        assert_eq!(MOTOR.limit(100.0, 0.0, 1.0, 0.75), (30.0, true));
        assert_eq!(MOTOR.limit(100.0, 3.0, 1.0, 0.75), (0.0, true));
        assert_eq!(MOTOR.limit(100.0, 2.0, 1.0, 1.25), (30.0, true));
    }
}
