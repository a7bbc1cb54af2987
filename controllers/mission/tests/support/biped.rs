//! A humanoid that stands still, and what its sensors say.
#![allow(clippy::unwrap_used, dead_code, reason = "tests, each of which uses a part")]

use std::path::Path;

use nalgebra::Vector3;
use robot_io::{Commands, Readings, Time};
use robot_model::RobotModel;

pub fn robot(name: &str) -> RobotModel {
    let file = format!("../../robot_models/{name}/{name}.toml");
    RobotModel::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

pub fn humanoid() -> RobotModel {
    robot("humanoid")
}

/// What its sensors say while it stands, half of the weight on each foot.
pub fn standing(model: &RobotModel) -> Readings {
    let mut readings = Readings::new(&model.layout());
    let pose = &model.description.pose("stand").unwrap().positions;
    readings.joints.iter_mut().zip(pose).for_each(|(joint, position)| joint.position = *position);
    readings.imus[0].linear_acceleration = Vector3::new(0.0, 0.0, 9.81);
    for cell in readings.force_torques.iter_mut().take(2) {
        cell.force.z = 0.5 * 9.81 * model.tree.mass();
    }
    readings.batteries.iter_mut().for_each(|battery| battery.charge = 1.0);
    readings
}

/// A cycle of 1 ms later: nothing has moved, and what drives were told is felt behind their springs.
pub fn stand_on(cycle: u64, commands: &Commands, readings: &mut Readings) {
    readings.time = Time::from_nanoseconds(cycle * 1_000_000);
    readings.imus.iter_mut().for_each(|imu| imu.stamp = readings.time);
    for (joint, command) in readings.joints.iter_mut().zip(&commands.joints) {
        (joint.stamp, joint.effort) = (readings.time, command.effort);
    }
}
