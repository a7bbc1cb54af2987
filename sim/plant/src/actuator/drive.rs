//! A geared drive: from the command at the plug to the torque on the link.

use robot_io::{JointCommand, JointState, JointStatus, Period, RandomStream, State, Time};
use robot_model::description::{ActuatorClass, EncoderAt};

use super::backlash::Backlash;
use super::delay::Delay;
use super::encoder::Encoder;
use super::fault::{Fault, FaultLatch};
use super::friction::Bristle;
use super::spring::Spring;
use super::stability::Timing;
use super::thermal::Winding;
use super::torque_speed::TorqueSpeed;
use crate::sensor::on_bus;
use mechanics::Drive as JointDrive;

/// What a drive is attached to and at which step it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// What the joint moves, all others free, without its own rotor [kg·m² or kg].
    pub link_inertia: f64,
    /// Position at the beginning [rad or m].
    pub position: f64,
    /// The physics step [s].
    pub step: f64,
    /// The least of all limits of the effort [N·m or N].
    pub effort_limit: f64,
}

/// What a drive has measured after a step.
#[derive(Clone, Copy, Debug, Default, State)]
struct Measured {
    /// [rad]
    position: f64,
    /// [rad/s]
    velocity: f64,
    /// [N·m]
    effort: f64,
}

/// A drive and all it remembers.
#[derive(Clone, Debug, State)]
pub(crate) struct Drive {
    #[state(fixed)]
    class: ActuatorClass,
    #[state(fixed)]
    motor: TorqueSpeed,
    /// Reflected inertia [kg·m²].
    #[state(fixed)]
    rotor: f64,
    #[state(fixed)]
    step: f64,
    #[state(fixed)]
    noise: RandomStream,

    delay: Delay<JointCommand>,
    /// On their way to whoever reads them.
    told: Delay<Measured>,
    measured: Measured,
    friction: Bristle,
    play: Backlash,
    #[state(elements)]
    spring: Option<Spring>,
    /// On the motor.
    encoder: Encoder,
    /// On the link, if there is one.
    #[state(elements)]
    link_encoder: Option<Encoder>,
    winding: Winding,
    fault: FaultLatch,
    /// Of the rotor, on the link's side of the gear [rad/s].
    rotor_velocity: f64,
    /// Of the rotor, on the link's side of the gear [rad].
    rotor_position: f64,
    /// The motor's torque, before friction [N·m].
    motor_effort: f64,
    /// Motor less friction [N·m].
    net_effort: f64,
    /// On the link, by the last step [N·m].
    link_effort: f64,
    /// Drawn by the motor in the last step [W].
    power: f64,
    saturated: bool,
    enabled: bool,
}

impl Drive {
    /// A drive at rest. `noise` names its own random numbers.
    pub fn new(class: &ActuatorClass, load: &Load, noise: RandomStream) -> Drive {
        let Load { link_inertia, position, step, effort_limit } = *load;
        let rotor = class.reflected_inertia();
        let moved = if class.spring.is_some() { rotor } else { rotor + link_inertia };
        let peak_effort = class.peak_effort.min(effort_limit);
        let timing = timing(class, step);
        let encoder = Encoder::new(class.encoder_step(), position, timing.share);
        let measured = Measured { position: encoder.position(), ..Measured::default() };
        Drive {
            class: class.clone(),
            motor: TorqueSpeed { peak_effort, no_load_speed: class.no_load_speed },
            rotor,
            step,
            noise,
            delay: Delay::new(timing.delay, JointCommand::default()),
            told: Delay::new(steps(class.feedback_delay, step), measured),
            measured,
            friction: Bristle::new(class.coulomb_friction, moved, step),
            play: Backlash::new(class.backlash),
            spring: class.spring.map(|stiffness| Spring::new(stiffness, rotor, position, step)),
            encoder,
            link_encoder: (class.encoder_at == EncoderAt::Link).then_some(encoder),
            winding: Winding::new(class.thermal),
            fault: FaultLatch::default(),
            rotor_velocity: 0.0,
            rotor_position: position,
            motor_effort: 0.0,
            net_effort: 0.0,
            link_effort: 0.0,
            power: 0.0,
            saturated: false,
            enabled: false,
        }
    }

    /// Before the physics step: how it acts on the joint. A drive that is not enabled is limp. `supply` is its voltage as a share of
    /// the nominal one.
    pub fn drive(&mut self, command: &JointCommand, enabled: bool, supply: f64) -> JointDrive {
        let command = self.delay.pass(*command);
        if enabled && !command.is_finite() {
            self.fault.set(Fault::NoNumber);
        }
        self.enabled = enabled && self.fault.get().is_none();
        let (position, velocity) = (self.reported_encoder().position(), self.encoder.servo_velocity());
        let wanted = if self.enabled { command.effort_at(position, velocity) } else { 0.0 };
        let (effort, short) = self.motor.limit(wanted, self.rotor_velocity, self.winding.share(), supply);
        self.saturated = short;
        self.motor_effort = effort;
        let rubbing = self.friction.effort(self.rotor_velocity, self.coulomb());
        let viscous = if self.spring.is_some() { self.class.viscous_friction * self.rotor_velocity } else { 0.0 };
        self.net_effort = effort - rubbing - viscous;
        self.action()
    }

    /// After the physics step, which took the link to `q` [rad] at `q_dot` [rad/s].
    pub fn settle(&mut self, q: f64, q_dot: f64) {
        let before = self.rotor_position;
        if let Some(spring) = &mut self.spring {
            spring.settle(q, q_dot);
            self.link_effort = spring.effort();
            (self.rotor_position, self.rotor_velocity) = (spring.motor().position, spring.motor().velocity);
        } else {
            let passed_on = if self.play.is_engaged() { self.net_effort } else { 0.0 };
            let inertial = self.rotor * (q_dot - self.rotor_velocity) / self.step;
            self.link_effort = passed_on - self.class.viscous_friction * q_dot - inertial;
            self.play.drive(self.net_effort, self.rotor, self.step);
            self.rotor_velocity = q_dot;
            self.rotor_position = q + self.play.gap();
        }
        self.friction.bend(self.rotor_position - before, self.coulomb());
        self.encoder.track(self.rotor_position, self.step);
        if let Some(encoder) = &mut self.link_encoder {
            encoder.track(q, self.step);
        }
        self.measured = self.told.pass(self.measure());
        let loss = self.winding.heat(self.motor_effort, self.step);
        // what the motor brakes goes into a resistor, not back into the battery
        self.power = (self.motor_effort * self.rotor_velocity + loss).max(0.0);
        if self.winding.is_too_hot() {
            self.fault.set(Fault::TooHot);
        }
    }

    /// What the drive reports of itself in a cycle.
    pub fn report(&self, cycle: u64, stamp: Time, noisy: bool) -> JointState {
        let draw = |index: u32, deviation: f64| {
            if noisy && deviation > 0.0 { deviation * self.noise.normal(cycle, index) } else { 0.0 }
        };
        let status = JointStatus::default()
            .with(JointStatus::ENABLED, self.enabled)
            .with(JointStatus::FAULT, self.fault.get().is_some())
            .with(JointStatus::DERATED, self.winding.share() < 1.0)
            .with(JointStatus::SATURATED, self.saturated);
        JointState {
            stamp,
            position: on_bus(
                self.reported_encoder().reading(self.measured.position, draw(0, self.class.position_noise)),
            ),
            velocity: on_bus(self.measured.velocity + draw(1, self.class.velocity_noise)),
            effort: on_bus(self.measured.effort + draw(2, self.class.effort_noise)),
            temperature: on_bus(self.winding.temperature()),
            status,
        }
    }

    /// The torque on the link by the last step [N·m].
    pub fn link_effort(&self) -> f64 {
        self.link_effort
    }

    /// Of the rotor [J].
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.rotor * self.rotor_velocity * self.rotor_velocity
    }

    /// Electric power by the last step [W].
    pub fn power(&self) -> f64 {
        self.power
    }

    /// Winding temperature [°C].
    pub fn temperature(&self) -> f64 {
        self.winding.temperature()
    }

    /// Whether heat has taken torque away.
    pub fn is_derated(&self) -> bool {
        self.winding.share() < 1.0
    }

    /// Where heat begins to take torque away [°C].
    pub fn derating_from(&self) -> f64 {
        self.class.thermal.derate_from
    }

    /// Where the drive switches itself off [°C].
    pub fn trip_temperature(&self) -> f64 {
        self.class.thermal.trip_at
    }

    /// The latched fault.
    pub fn fault(&self) -> Option<Fault> {
        self.fault.get()
    }

    /// Forgets a fault.
    pub fn reset_fault(&mut self) {
        self.fault.reset();
    }

    /// The Coulomb level [N·m]: bearings and seals, and of the load what the gear's efficiency does not let through.
    fn coulomb(&self) -> f64 {
        self.class.coulomb_friction + (1.0 - self.class.efficiency) * self.motor_effort.abs()
    }

    /// The encoder whose position is reported.
    fn reported_encoder(&self) -> &Encoder {
        self.link_encoder.as_ref().unwrap_or(&self.encoder)
    }

    /// What the drive sees of itself. By its current it knows nothing of the friction behind it; by a spring between two encoders it
    /// does.
    fn measure(&self) -> Measured {
        let reported = self.reported_encoder();
        let (position, velocity) = (reported.position(), reported.velocity());
        let spring = self.class.spring.filter(|_| self.link_encoder.is_some());
        let effort = spring.map_or(self.motor_effort, |stiffness| stiffness * (self.encoder.position() - position));
        Measured { position, velocity, effort }
    }

    fn action(&mut self) -> JointDrive {
        if let Some(spring) = &mut self.spring {
            return spring.pull(self.net_effort);
        }
        let effort = if self.play.is_engaged() { self.net_effort } else { 0.0 };
        // friction that grows with speed is taken at the end of the step
        let damping = self.class.viscous_friction;
        JointDrive { effort, damping, ..JointDrive::default() }
    }
}

/// When a class's servo does what, at physics steps of `step` [s].
pub(crate) fn timing(class: &ActuatorClass, step: f64) -> Timing {
    let share = step / (step + class.velocity_filter.seconds());
    Timing { step, delay: steps(class.delay, step), share }
}

/// A dead time in physics steps of `step` [s], rounded.
fn steps(time: Period, step: f64) -> usize {
    libm::round(time.seconds() / step) as usize
}
