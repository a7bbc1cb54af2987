//! From accelerations and torques to what servos are told.

use robot_io::{Commands, JointCommand, JointKind, Readings, State};
use robot_model::RobotModel;

/// Joints' references, which follow the wanted accelerations and are drawn to what is measured.
#[derive(Clone, Debug, State)]
pub(super) struct Servos {
    #[state(fixed)]
    drives: Vec<Drive>,
    positions: Vec<f64>,
    velocities: Vec<f64>,
}

/// What a joint's drive takes beside the torque at its link.
#[derive(Clone, Copy, Debug)]
struct Drive {
    stiffness: f64,
    damping: f64,
    /// Rotor behind the gear [kg·m²].
    rotor: f64,
    coulomb: f64,
    viscous: f64,
    turns: bool,
}

/// Below this velocity friction is made up for in part only [rad/s].
const STICKS: f64 = 0.05;

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

    pub fn reset(&mut self, readings: &Readings) {
        for (position, joint) in self.positions.iter_mut().zip(&readings.joints) {
            *position = joint.position;
        }
        self.velocities.fill(0.0);
    }

    /// Holds where the references are.
    pub fn hold(&mut self, commands: &mut Commands) {
        for ((drive, position), command) in self.drives.iter().zip(&self.positions).zip(&mut commands.joints) {
            let stiffness = if drive.turns { 0.0 } else { drive.stiffness };
            *command = JointCommand::hold(*position, stiffness, drive.damping);
        }
    }

    /// Follows these accelerations [rad/s²] and torques [N·m].
    #[allow(clippy::too_many_arguments)]
    pub fn follow(
        &mut self,
        accelerations: &[f64],
        torques: &[f64],
        (gains, forget): (f64, f64),
        dt: f64,
        positions: &[f64],
        velocities: &[f64],
        commands: &mut Commands,
    ) {
        let share = (forget * dt).min(1.0);
        for (joint, drive) in self.drives.iter().enumerate() {
            if drive.turns {
                commands.joints[joint] = JointCommand::hold(positions[joint], 0.0, drive.damping);
                continue;
            }
            let (position, velocity) = (&mut self.positions[joint], &mut self.velocities[joint]);
            *velocity += accelerations[joint] * dt;
            *position += *velocity * dt;
            *velocity += (velocities[joint] - *velocity) * share;
            *position += (positions[joint] - *position) * share;
            let friction = drive.coulomb * (*velocity / STICKS).clamp(-1.0, 1.0) + drive.viscous * *velocity;
            let effort = torques[joint] + drive.rotor * accelerations[joint] + friction;
            commands.joints[joint] = JointCommand {
                position: *position,
                velocity: *velocity,
                effort,
                stiffness: gains * drive.stiffness,
                damping: gains * drive.damping,
            };
        }
    }
}
