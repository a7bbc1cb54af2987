//! From wanted accelerations and torques to what servos are told.
//!
//! A servo gets the torque that its link needs, with what its rotor and its gear's friction take, and a reference that moves as the accelerations say.
//! References are drawn to what is measured, so that they do not wander off, nor strain joints that the ground holds.

use robot_io::{Commands, JointCommand, JointKind, Readings, State};
use robot_model::RobotModel;

/// Below this velocity friction is made up for in part only [rad/s].
const STICKS: f64 = 0.05;

/// The joints' references.
#[derive(Clone, Debug, State)]
pub(super) struct Servos {
    #[state(fixed)]
    drives: Vec<Drive>,
    positions: Vec<f64>,
    velocities: Vec<f64>,
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
}

/// How they do it.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    /// Share of the servos' own gains.
    pub gains: f64,
    /// How fast references are drawn to what is measured [1/s].
    pub forget: f64,
    /// Of a cycle [s].
    pub dt: f64,
}

impl Servos {
    pub fn new(model: &RobotModel) -> Servos {
        let description = &model.description;
        let drives = model.tree.joints.iter().enumerate().map(|(index, joint)| {
            let (settings, class) = (&description.joints[index], description.actuator_of(index));
            Drive {
                stiffness: settings.stiffness,
                damping: settings.damping,
                rotor: class.map_or(0.0, |class| class.reflected_inertia()),
                coulomb: class.map_or(0.0, |class| class.coulomb_friction),
                viscous: class.map_or(0.0, |class| class.viscous_friction),
                turns: joint.kind == JointKind::Continuous,
            }
        });
        let drives: Vec<Drive> = drives.collect();
        Servos { positions: vec![0.0; drives.len()], velocities: vec![0.0; drives.len()], drives }
    }

    /// Begins where the joints are.
    pub fn reset(&mut self, readings: &Readings) {
        for (position, joint) in self.positions.iter_mut().zip(&readings.joints) {
            *position = joint.position;
        }
        self.velocities.fill(0.0);
    }

    /// Holds all joints where the references are.
    pub fn hold(&self, commands: &mut Commands) {
        for ((drive, position), command) in self.drives.iter().zip(&self.positions).zip(&mut commands.joints) {
            let stiffness = if drive.turns { 0.0 } else { drive.stiffness };
            *command = JointCommand::hold(*position, stiffness, drive.damping);
        }
    }

    /// Damps all joints.
    pub fn give_way(&self, commands: &mut Commands) {
        for (drive, command) in self.drives.iter().zip(&mut commands.joints) {
            *command = JointCommand::turn(0.0, drive.damping);
        }
    }

    /// Follows.
    pub fn follow(&mut self, wanted: Wanted, Manner { gains, forget, dt }: Manner, commands: &mut Commands) {
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
            let friction = drive.coulomb * (*velocity / STICKS).clamp(-1.0, 1.0) + drive.viscous * *velocity;
            *command = JointCommand {
                position: *position,
                velocity: *velocity,
                effort: wanted.torques[joint] + drive.rotor * acceleration + friction,
                stiffness: gains * drive.stiffness,
                damping: gains * drive.damping,
            };
        }
    }
}
