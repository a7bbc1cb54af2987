//! From wanted accelerations and torques to what servos are told.
//!
//! A servo gets the torque that its link needs, with what its rotor and its gear's friction take, and a reference that moves as the accelerations say.
//! References are drawn to what is measured, so that they do not wander off, nor strain joints that the ground holds.

use robot_io::{Commands, JointCommand, JointKind, Readings, State};
use robot_model::RobotModel;

/// Below this velocity friction is made up for in part only [rad/s].
const STICKS: f64 = 0.05;
/// So many times its Coulomb friction is made up for at most.
const TRIM: f64 = 2.0;
/// The rate of a torque is seen so fast [rad/s]: faster, and the delay of a bus makes light links ring.
const BANDWIDTH: f64 = 200.0;
/// Damping takes no more than this share of the peak effort.
const MOST: f64 = 0.25;

/// The joints' references.
#[derive(Clone, Debug, State)]
pub(super) struct Servos {
    #[state(fixed)]
    drives: Vec<Drive>,
    positions: Vec<f64>,
    velocities: Vec<f64>,
    /// What is wanted at the link but not felt there: filtered, and its integral [N·m].
    misses: Vec<f64>,
    trims: Vec<f64>,
}

/// A joint's servo, and what its drive takes beside the torque at the link.
#[derive(Clone, Copy, Debug)]
struct Drive {
    stiffness: f64,
    damping: f64,
    /// Rotor behind the gear [kg·m²].
    rotor: f64,
    coulomb: f64,
    viscous: f64,
    /// The time in which the rotor swings on its spring, by 2π [s]; none without a spring.
    swing: Option<f64>,
    /// The most that it can do [N·m].
    peak: f64,
    /// Where its ends are [rad].
    range: [f64; 2],
    /// It turns without end, and is no part of the body's motion.
    turns: bool,
}

/// What the joints shall do.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// [rad/s²]
    pub accelerations: &'a [f64],
    /// At the links [N·m].
    pub torques: &'a [f64],
    /// Measured [rad] and [rad/s].
    pub positions: &'a [f64],
    pub velocities: &'a [f64],
    /// Measured at the links [N·m].
    pub efforts: &'a [f64],
    /// Joints that rather give way, and do as their torques say.
    pub gives: &'a [bool],
}

/// How they do it.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    /// Share of the servos' own gains, and that of joints that rather give way.
    pub gains: [f64; 2],
    /// How fast references are drawn to what is measured [1/s].
    pub forget: f64,
    /// How fast what is felt at the link is brought to what is wanted there [1/s].
    pub trim: f64,
    /// Damping ratio that the rotor's swing on its spring gets.
    pub resonance: f64,
    /// Of a cycle [s].
    pub dt: f64,
}

impl Servos {
    pub fn new(model: &RobotModel) -> Servos {
        let description = &model.description;
        let drives = model.tree.joints.iter().enumerate().map(|(index, joint)| {
            let (settings, class) = (&description.joints[index], description.actuator_of(index));
            let rotor = class.map_or(0.0, |class| class.reflected_inertia());
            Drive {
                swing: class.and_then(|class| class.spring).map(|spring| (rotor / spring).sqrt()),
                peak: class.map_or(0.0, |class| class.peak_effort),
                stiffness: settings.stiffness,
                damping: settings.damping,
                rotor,
                coulomb: class.map_or(0.0, |class| class.coulomb_friction),
                viscous: class.map_or(0.0, |class| class.viscous_friction),
                range: [joint.limits.lower, joint.limits.upper],
                turns: joint.kind == JointKind::Continuous,
            }
        });
        let drives: Vec<Drive> = drives.collect();
        let zeros = vec![0.0; drives.len()];
        Servos { positions: zeros.clone(), velocities: zeros.clone(), misses: zeros.clone(), trims: zeros, drives }
    }

    /// Stiffness and damping of a joint's servo.
    pub fn gains(&self, joint: usize) -> (f64, f64) {
        let Drive { stiffness, damping, turns, .. } = self.drives[joint];
        (if turns { 0.0 } else { stiffness }, damping)
    }

    /// Begins where the joints are.
    pub fn reset(&mut self, readings: &Readings) {
        for (position, joint) in self.positions.iter_mut().zip(&readings.joints) {
            *position = joint.position;
        }
        self.velocities.fill(0.0);
        self.misses.fill(0.0);
        self.trims.fill(0.0);
    }

    /// Holds all joints where the references are.
    pub fn hold(&self, commands: &mut Commands) {
        for ((drive, position), command) in self.drives.iter().zip(&self.positions).zip(&mut commands.joints) {
            let stiffness = if drive.turns { 0.0 } else { drive.stiffness };
            *command = JointCommand::hold(*position, stiffness, drive.damping);
        }
    }

    /// Follows.
    pub fn follow(
        &mut self,
        wanted: Wanted,
        Manner { gains, forget, trim, resonance, dt }: Manner,
        commands: &mut Commands,
    ) {
        let share = (forget * dt).min(1.0);
        for (joint, (drive, command)) in self.drives.iter().zip(&mut commands.joints).enumerate() {
            if drive.turns {
                *command = JointCommand::turn(0.0, drive.damping);
                continue;
            }
            let acceleration = wanted.accelerations[joint];
            let (position, velocity) = (&mut self.positions[joint], &mut self.velocities[joint]);
            *velocity += acceleration * dt;
            *position += *velocity * dt;
            *velocity += (wanted.velocities[joint] - *velocity) * share;
            *position += (wanted.positions[joint] - *position) * share;
            *position = position.max(drive.range[0]).min(drive.range[1]);
            let gains = gains[usize::from(wanted.gives[joint])];
            let (stiffness, damping) = (gains * drive.stiffness, gains * drive.damping);
            let pull =
                stiffness * (*position - wanted.positions[joint]) + damping * (*velocity - wanted.velocities[joint]);
            let miss = wanted.torques[joint] + pull - wanted.efforts[joint];
            let spring = drive.swing.map_or(0.0, |swing| {
                let rate = (miss - self.misses[joint]) * BANDWIDTH;
                self.misses[joint] += rate * dt;
                let most = TRIM * drive.coulomb;
                self.trims[joint] = (self.trims[joint] + miss * (trim * dt)).clamp(-most, most);
                let damps = 2.0 * resonance * swing * rate;
                self.trims[joint] + damps.clamp(-MOST * drive.peak, MOST * drive.peak)
            });
            let friction = drive.coulomb * (*velocity / STICKS).clamp(-1.0, 1.0) + drive.viscous * *velocity;
            *command = JointCommand {
                position: *position,
                velocity: *velocity,
                effort: wanted.torques[joint] + drive.rotor * acceleration + friction + spring,
                stiffness,
                damping,
            };
        }
    }
}
