//! The joints that do not drive: held, brought into a pose, or kept turning.

use robot_io::{Commands, JointCommand, JointKind, Readings, SettingError, State};
use robot_model::RobotModel;

use crate::LocomotionError;
use crate::settings::PostureSettings;

#[derive(Clone, Copy, Debug)]
struct Held {
    joint: usize,
    stiffness: f64,
    damping: f64,
    endless: bool,
    pose: Option<f64>,
}

/// Holds what does not drive.
#[derive(Clone, Debug, State)]
pub(crate) struct UpperBody {
    #[state(fixed)]
    rate: f64,
    #[state(fixed)]
    spin_rate: f64,
    #[state(fixed)]
    held: Vec<Held>,
    positions: Vec<f64>,
    targets: Vec<f64>,
}

impl UpperBody {
    /// All joints but `driving`.
    pub fn new(model: &RobotModel, driving: &[usize], settings: &PostureSettings) -> Result<Self, LocomotionError> {
        let description = &model.description;
        let pose = description.poses.iter().find(|pose| pose.name == settings.upper_body);
        if pose.is_none() && !settings.upper_body.is_empty() {
            let names: Vec<&str> = description.poses.iter().map(|pose| pose.name.as_str()).collect();
            let (expected, found) = (format!("one of {names:?}"), format!("\"{}\"", settings.upper_body));
            return Err(SettingError::new("posture.upper_body", "", &expected, found).into());
        }
        let joints = model.tree.joints.iter().enumerate().filter(|(joint, _)| !driving.contains(joint));
        let held: Vec<Held> = joints
            .map(|(joint, kind)| Held {
                joint,
                stiffness: description.joints[joint].stiffness,
                damping: description.joints[joint].damping,
                endless: kind.kind == JointKind::Continuous,
                pose: pose.map(|pose| pose.positions[joint]),
            })
            .collect();
        let rest = vec![0.0; held.len()];
        Ok(UpperBody {
            rate: settings.rate,
            spin_rate: settings.spin_rate,
            held,
            positions: rest.clone(),
            targets: rest,
        })
    }

    pub fn reset(&mut self, readings: &Readings) {
        self.take_up(readings);
        for (index, held) in self.held.iter().enumerate() {
            self.targets[index] = held.pose.unwrap_or(self.positions[index]);
        }
    }

    /// They begin where they are; where they are to be stays.
    pub fn take_up(&mut self, readings: &Readings) {
        for (position, held) in self.positions.iter_mut().zip(&self.held) {
            *position = readings.joints[held.joint].position;
        }
    }

    /// Writes the commands, with `efforts` per joint of the robot fed forward [N·m].
    pub fn update(&mut self, efforts: &[f64], share: f64, dt: f64, commands: &mut Commands) {
        for (index, held) in self.held.iter().enumerate() {
            let command = &mut commands.joints[held.joint];
            if held.endless {
                *command = JointCommand::turn(self.spin_rate, held.damping);
                continue;
            }
            let step = (self.targets[index] - self.positions[index]).clamp(-self.rate * dt, self.rate * dt);
            self.positions[index] += step;
            *command = JointCommand::hold(self.positions[index], held.stiffness, held.damping);
            command.velocity = step / dt;
            command.effort = share * efforts[held.joint];
        }
    }
}
