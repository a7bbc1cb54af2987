//! A spring between gear and link: a series-elastic actuator.

use robot_io::State;

use mechanics::Drive as JointDrive;

/// A motor that moves for itself and pulls its link by a spring (Pratt and Williamson, "Series elastic actuators",
/// IROS 1995). Motor and link are integrated one after the other, the motor with the spring's torque of the last step,
/// the link implicitly with its own dynamics.
#[derive(Clone, Copy, Debug, State)]
pub(crate) struct Spring {
    /// [N·m/rad]
    #[state(fixed)]
    stiffness: f64,
    /// The material's own damping [N·m·s/rad].
    #[state(fixed)]
    damping: f64,
    /// Motor position on the link's side of the gear [rad].
    position: f64,
    /// Motor velocity on the link's side of the gear [rad/s].
    velocity: f64,
    /// Torque on the link in the last step [N·m].
    effort: f64,
}

impl Spring {
    /// Damping ratio of the motor on its spring with the link held: 5 %, the usual guess for a steel spring in a gearbox.
    const DAMPING_RATIO: f64 = 0.05;
    /// The motor's own step is explicit: stiffness · step² / inertia must stay below this.
    pub const MOST_RATIO: f64 = 1.0;

    /// A relaxed spring of `stiffness` [N·m/rad] between a rotor of reflected inertia `rotor` [kg·m²] and a link at
    /// `position` [rad].
    pub fn new(stiffness: f64, rotor: f64, position: f64) -> Spring {
        let damping = 2.0 * Self::DAMPING_RATIO * (stiffness * rotor).sqrt();
        Spring { stiffness, damping, position, velocity: 0.0, effort: 0.0 }
    }

    /// Motor position [rad].
    pub fn position(&self) -> f64 {
        self.position
    }

    /// Motor velocity [rad/s].
    pub fn velocity(&self) -> f64 {
        self.velocity
    }

    /// The spring's torque on the link [N·m].
    pub fn effort(&self) -> f64 {
        self.effort
    }

    /// Moves the motor by `net` [N·m], drive less friction, and says what pulls the link.
    pub fn pull(&mut self, net: f64, rotor: f64, step: f64) -> JointDrive {
        self.velocity += step / rotor * (net - self.effort);
        self.position += step * self.velocity;
        JointDrive {
            stiffness: self.stiffness,
            damping: self.damping,
            rest_position: self.position,
            rest_velocity: self.velocity,
            ..JointDrive::default()
        }
    }

    /// Measures its own torque where the link now is.
    pub fn stretched(&mut self, q: f64, q_dot: f64) {
        self.effort = self.stiffness * (self.position - q) + self.damping * (self.velocity - q_dot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_motor_swings_on_its_spring_at_its_natural_frequency() {
        let (stiffness, rotor, step) = (2_000.0, 0.2, 1e-3);
        let mut spring = Spring::new(stiffness, rotor, 0.0);
        spring.position = 0.05;
        spring.stretched(0.0, 0.0);
        let mut crossings = Vec::new();
        for k in 0..1_000 {
            let before = spring.position;
            spring.pull(0.0, rotor, step);
            spring.stretched(0.0, 0.0);
            if before < 0.0 && spring.position >= 0.0 {
                crossings.push(f64::from(k) * step);
            }
        }
        let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        let expected = core::f64::consts::TAU / (stiffness / rotor).sqrt();
        assert!((period / expected - 1.0).abs() < 0.02, "{period} s, expected {expected} s");
    }

    #[test]
    fn the_link_feels_what_the_motor_loses() {
        let mut spring = Spring::new(1_000.0, 0.2, 0.3);
        spring.stretched(0.29, 0.0);
        assert!((spring.effort() - 10.0).abs() < 1e-9);
    }
}
