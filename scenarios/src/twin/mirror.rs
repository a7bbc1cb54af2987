//! The mirror: a robot that is not simulated, shown as its own sensors say it is.

use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use plant::Frame;
use robot_io::{Imu, Readings, Telemetry};
use robot_model::description::ImuMount;
use robot_model::{Configuration, Data, RobotModel, center_of_mass_in_world, forward_kinematics};
use worlds::World;

use crate::checks::pose_of;
use crate::{ScenarioError, Stage};

/// Makes frames from readings: joints by their encoders, attitude by the controller's estimate or the first IMU, place by
/// odometry, height by the ground below. There are no contact forces in it, and objects lie where the world file says.
#[derive(Clone, Debug)]
pub struct Mirror {
    robot: Arc<RobotModel>,
    world: Arc<World>,
    /// Where a simulation would begin.
    start: plant::Truth,
    objects: Vec<Isometry3<f64>>,
}

impl Mirror {
    /// A mirror for a stage.
    pub fn new(stage: &Stage) -> Result<Mirror, ScenarioError> {
        let (robot, world) = (Arc::clone(&stage.robot), Arc::clone(&stage.world));
        let objects = world.objects.iter().map(|object| object.pose_in_world).collect();
        Ok(Mirror { start: stage.lone_simulation()?.truth(), robot, world, objects })
    }

    /// Fills a frame with what the readings say.
    pub fn frame_into(&self, readings: &Readings, telemetry: &Telemetry, frame: &mut Frame) {
        let mut data = Data::new(&self.robot.tree);
        let mut configuration = Configuration::zero(&self.robot.tree);
        let measured = readings.joints.iter().map(|joint| joint.position);
        configuration.joints.iter_mut().zip(measured).for_each(|(joint, position)| *joint = position);
        forward_kinematics(&self.robot.tree, &configuration, &mut data);
        configuration.base_in_world = self.base_in_world(readings, telemetry, &data);
        forward_kinematics(&self.robot.tree, &configuration, &mut data);
        (frame.cycle, frame.time) = (readings.cycle, readings.time);
        frame.links_in_world.clone_from(&data.link_in_world);
        frame.objects_in_world.clone_from(&self.objects);
        frame.joint_positions.clone_from(&configuration.joints);
        frame.contacts.clear();
        frame.com_in_world = center_of_mass_in_world(&self.robot.tree, &data);
    }

    fn base_in_world(&self, readings: &Readings, telemetry: &Telemetry, data: &Data) -> Isometry3<f64> {
        let start = pose_of(&self.start);
        let odometry = telemetry.odometry.as_ref();
        let place = odometry.map_or(start, |odometry| odometry.pose().placed_at(&start));
        let rotation = match (odometry, readings.imus.first(), self.robot.description.imus.first()) {
            (Some(odometry), ..) => odometry.base_in_odom.rotation,
            (None, Some(imu), Some(mount)) => base_by(imu, mount, data),
            _ => self.start.base_in_world.rotation,
        };
        let (roll, pitch, _) = rotation.euler_angles();
        let ground = |x, y| self.world.terrain.height_at(x, y).unwrap_or(0.0);
        let height = self.start.base_in_world.translation.z + ground(place.x, place.y) - ground(start.x, start.y);
        let rotation = UnitQuaternion::from_euler_angles(roll, pitch, place.yaw);
        Isometry3::from_parts(Translation3::new(place.x, place.y, height), rotation)
    }
}

/// The base's attitude by an IMU, however that is mounted.
fn base_by(imu: &Imu, mount: &ImuMount, data: &Data) -> UnitQuaternion<f64> {
    let imu_in_base = data.link_in_base[mount.link].rotation * mount.pose_in_link.rotation;
    imu.orientation * imu_in_base.inverse()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_imu_that_is_mounted_on_its_side_tells_the_bases_attitude_all_the_same() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../robot_models/centaur/centaur.toml");
        let mut robot = RobotModel::load(&file).unwrap();
        let mount = robot.description.imus.first_mut().unwrap();
        mount.pose_in_link.rotation = UnitQuaternion::from_euler_angles(1.5, 0.2, -0.7);
        let mut data = Data::new(&robot.tree);
        forward_kinematics(&robot.tree, &Configuration::zero(&robot.tree), &mut data);
        let base = UnitQuaternion::from_euler_angles(0.1, -0.2, 0.3);
        let mount = &robot.description.imus[0];
        let orientation = base * data.link_in_base[mount.link].rotation * mount.pose_in_link.rotation;
        let seen = base_by(&Imu { orientation, ..Imu::default() }, mount, &data);
        assert!(seen.angle_to(&base) < 1e-12, "{seen}");
    }
}
