//! The battery and its monitor.

use robot_io::{Battery, State, Time};
use robot_model::description::BatteryMount;

use super::on_bus;

/// A voltage source with an internal resistance. The open-circuit voltage stays constant over the charge, and what the
/// drives brake is not fed back. Plett, "Battery management systems" vol. 1, 2015, section 2.3, the R-int model. The drives' own capacitors
/// hold the voltage for a moment.
#[derive(Clone, Debug, State)]
pub(crate) struct BatteryMonitor {
    #[state(fixed)]
    mount: BatteryMount,
    /// Given so far [J].
    used: f64,
    voltage: f64,
    current: f64,
}

impl BatteryMonitor {
    /// Time constant in which the voltage follows what is drawn [s].
    const CAPACITORS: f64 = 0.02;

    /// A full battery.
    pub fn new(mount: &BatteryMount) -> BatteryMonitor {
        BatteryMonitor { mount: mount.clone(), used: 0.0, voltage: mount.voltage, current: 0.0 }
    }

    /// Gives `power` [W] to the drives for `step` [s], and the idle power beside it.
    pub fn supply(&mut self, power: f64, step: f64) {
        let BatteryMount { voltage: open, internal_resistance, idle_power_w, .. } = self.mount;
        let wanted = power + idle_power_w;
        // P = V (V₀ − V) / R, of whose two solutions the higher voltage; the most it can give is V₀²/4R
        let root = (open * open - 4.0 * internal_resistance * wanted).max(0.0).sqrt();
        self.voltage += step / (step + Self::CAPACITORS) * (0.5 * (open + root) - self.voltage);
        self.current = wanted / self.voltage;
        self.used += self.current * open * step;
    }

    /// Its voltage as a share of that at rest.
    pub fn share(&self) -> f64 {
        self.voltage / self.mount.voltage
    }

    /// What the cells have given, losses included [J].
    pub fn used(&self) -> f64 {
        self.used
    }

    /// The monitor's reading.
    pub fn read(&self, stamp: Time) -> Battery {
        let charge = (1.0 - self.used / (self.mount.energy_wh * 3600.0)).clamp(0.0, 1.0);
        Battery { stamp, voltage: on_bus(self.voltage), current: on_bus(self.current), charge: on_bus(charge) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn battery() -> BatteryMonitor {
        BatteryMonitor::new(&BatteryMount {
            name: "battery".to_owned(),
            energy_wh: 355.0,
            voltage: 22.2,
            internal_resistance: 0.05,
            idle_power_w: 120.0,
        })
    }

    #[test]
    fn the_voltage_sags_by_current_times_resistance() {
        let mut battery = battery();
        (0..500).for_each(|_| battery.supply(380.0, 1e-3));
        let reading = battery.read(Time::ZERO);
        assert!((reading.voltage * reading.current - 500.0).abs() < 1e-4);
        assert!((22.2 - reading.voltage - 0.05 * reading.current).abs() < 1e-5);
    }

    #[test]
    fn idle_power_alone_empties_it_in_three_hours() {
        let mut battery = battery();
        battery.supply(0.0, 3.0 * 3600.0);
        assert!(battery.read(Time::ZERO).charge < 0.01);
    }
}
