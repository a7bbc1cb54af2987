//! A spring between gear and link: a series-elastic actuator.

use robot_io::State;

use mechanics::Drive as JointDrive;

/// A motor that moves for itself and pulls its link by a spring (Pratt and Williamson, "Series elastic actuators", IROS 1995).
///
/// Motor and link take a step of h together, by the midpoint rule: with δ how far the motor is ahead of the link when it begins, and m and
/// v the mean velocities of motor and link, the spring pulls with τ = k δ + (k h/2 + c)(m − v), and the motor has 2 J (m − m₀)/h = net − τ.
/// Without m that is an effort less a damper on v, which the link's own equations take; once they have said v, m follows.
#[derive(Clone, Copy, Debug, State)]
pub(crate) struct Spring {
    /// [N·m/rad]
    #[state(fixed)]
    stiffness: f64,
    /// k h/2 + c [N·m·s/rad].
    #[state(fixed)]
    impedance: f64,
    /// 2 J/h [N·m·s/rad].
    #[state(fixed)]
    inertance: f64,
    /// [s]
    #[state(fixed)]
    step: f64,
    motor: Side,
    link: Side,
    /// What drives the motor in this step, less friction [N·m].
    net: f64,
    /// Mean torque on the link in the last step [N·m].
    effort: f64,
}

/// One end of the spring, on the link's side of the gear.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Side {
    /// [rad]
    pub position: f64,
    /// [rad/s]
    pub velocity: f64,
}

impl Spring {
    /// Damping ratio of the motor on its spring with the link held: 5 %, the usual guess for a steel spring in a gearbox.
    const DAMPING_RATIO: f64 = 0.05;

    /// A relaxed spring of `stiffness` [N·m/rad] between a rotor of reflected inertia `rotor` [kg·m²] and a link at `position` [rad], for
    /// steps of `step` [s].
    pub fn new(stiffness: f64, rotor: f64, position: f64, step: f64) -> Spring {
        let damping = 2.0 * Self::DAMPING_RATIO * (stiffness * rotor).sqrt();
        let (impedance, inertance) = (0.5 * step * stiffness + damping, 2.0 * rotor / step);
        let side = Side { position, velocity: 0.0 };
        Spring { stiffness, impedance, inertance, step, motor: side, link: side, net: 0.0, effort: 0.0 }
    }

    /// The motor.
    pub fn motor(&self) -> Side {
        self.motor
    }

    /// The spring's mean torque on the link in the last step [N·m].
    pub fn effort(&self) -> f64 {
        self.effort
    }

    /// What acts on the link while `net` [N·m], drive less friction, acts on the motor.
    pub fn pull(&mut self, net: f64) -> JointDrive {
        self.net = net;
        let yielding = self.impedance / (self.impedance + self.inertance);
        let driven = self.inertance * self.motor.velocity + net;
        let effort = (1.0 - yielding) * self.stretch() + yielding * driven;
        JointDrive { effort, damping: yielding * self.inertance, ..JointDrive::default() }
    }

    /// The step has taken the link to `position` [rad] and `velocity` [rad/s], and takes the motor along.
    pub fn settle(&mut self, position: f64, velocity: f64) {
        let (stretch, of_link) = (self.stretch(), 0.5 * (self.link.velocity + velocity));
        let driven = self.inertance * self.motor.velocity + self.net - stretch;
        let of_motor = (driven + self.impedance * of_link) / (self.inertance + self.impedance);
        self.effort = stretch + self.impedance * (of_motor - of_link);
        self.motor.position += self.step * of_motor;
        self.motor.velocity = 2.0 * of_motor - self.motor.velocity;
        self.link = Side { position, velocity };
    }

    /// The spring's own torque now [N·m].
    fn stretch(&self) -> f64 {
        self.stiffness * (self.motor.position - self.link.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_motor_swings_on_its_spring_at_its_natural_frequency() {
        let (stiffness, rotor, step) = (2_000.0, 0.2, 1e-3);
        let mut spring = Spring::new(stiffness, rotor, 0.0, step);
        spring.motor.position = 0.05;
        let mut crossings = Vec::new();
        for k in 0..1_000 {
            let before = spring.motor.position;
            spring.pull(0.0);
            spring.settle(0.0, 0.0);
            if before < 0.0 && spring.motor.position >= 0.0 {
                crossings.push(f64::from(k) * step);
            }
        }
        let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        let expected = core::f64::consts::TAU / (stiffness / rotor).sqrt();
        assert!((period / expected - 1.0).abs() < 0.005, "{period} s, expected {expected} s");
    }

    #[test]
    fn the_link_feels_what_the_motor_loses() {
        let (mut spring, step) = (Spring::new(1_000.0, 0.2, 0.3, 1e-3), 1e-3);
        let acting = spring.pull(5.0);
        // a link of 0.1 kg·m² at rest, moved by that alone
        let velocity = acting.effort / (0.1 / step + 0.5 * acting.damping);
        spring.settle(0.3 + 0.5 * step * velocity, velocity);
        assert!((spring.effort() * step - 0.1 * velocity).abs() < 1e-15);
        assert!((0.2 * spring.motor().velocity - (5.0 - spring.effort()) * step).abs() < 1e-15);
    }
}
