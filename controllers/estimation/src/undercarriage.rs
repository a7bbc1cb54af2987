//! The wheels and the IMU, and how they move with the joints.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use robot_io::math::wrap_angle;
use robot_io::{JointKind, Readings, RobotLayout, State};
use robot_model::{
    BASE_DOF, Chain, Configuration, Data, RobotModel, Tree, forward_kinematics, forward_velocities,
    link_velocity_in_world,
};

use crate::EstimationError;
use crate::settings::share;

/// Over what time joint velocities are averaged to tell whether anything moves [s].
const MEAN_TIME: f64 = 0.1;

/// What is constant about a wheel.
#[derive(Clone, Debug)]
struct WheelPlace {
    link: usize,
    axis_in_link: Vector3<f64>,
    radius: f64,
    half_width: f64,
    contact: Option<usize>,
}

/// A wheel in one cycle, relative to the base and in the base frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WheelMotion {
    /// The wheel's centre [m].
    pub center: Vector3<f64>,
    /// Its axle.
    pub axle: Vector3<f64>,
    /// Velocity of the centre [m/s].
    pub velocity: Vector3<f64>,
    /// Angular velocity of the wheel [rad/s]: legs, steering and drive together.
    pub angular_velocity: Vector3<f64>,
    /// Radius [m].
    pub radius: f64,
    /// Half its width [m].
    pub half_width: f64,
    /// False if its contact switch says that it is in the air.
    pub touching: bool,
}

impl WheelMotion {
    /// How fast it is steered on ground with this normal: its turn rate about the normal times its radius [m/s].
    pub fn scrubs(&self, normal: &Vector3<f64>) -> f64 {
        self.angular_velocity.dot(normal).abs() * self.radius
    }
}

/// Follows the joints from cycle to cycle: positions half-way, velocities from the difference of positions, so that
/// what is integrated never loses an encoder step.
#[derive(Clone, Debug, State)]
pub(crate) struct Undercarriage {
    #[state(fixed)]
    tree: Tree,
    /// The joints between base and wheels or IMU.
    #[state(fixed)]
    joints: Vec<usize>,
    #[state(fixed)]
    wheels: Vec<WheelPlace>,
    #[state(fixed)]
    imu_link: usize,
    #[state(fixed)]
    imu_in_link: Isometry3<f64>,
    #[state(scratch)]
    data: Data,
    /// Positions in the last cycle [rad].
    last: Vec<f64>,
    /// Averaged velocities [rad/s]: what remains of an encoder's noise is little.
    mean_velocities: Vec<f64>,
    #[state(part = "joints")]
    middle: Configuration,
    velocities: Vec<f64>,
}

impl Undercarriage {
    pub fn new(model: &RobotModel, layout: &RobotLayout) -> Result<Undercarriage, EstimationError> {
        check_layout(model, layout)?;
        let description = &model.description;
        let lacks = |expected, found| EstimationError::Lacks { robot: model.name.clone(), expected, found };
        if description.wheels.len() < 3 {
            return Err(lacks("three wheels or more", description.wheels.len()));
        }
        let imu = description.imus.first().ok_or_else(|| lacks("an IMU", 0))?;
        let tree = model.tree.clone();
        let wheels = description.wheels.iter().map(|wheel| WheelPlace {
            link: wheel.link,
            axis_in_link: tree.links[wheel.link].axis_in_link.into_inner(),
            radius: wheel.radius,
            half_width: 0.5 * wheel.width,
            contact: description.contacts.iter().position(|contact| contact.link == wheel.link),
        });
        let wheels: Vec<WheelPlace> = wheels.collect();
        let tips = wheels.iter().map(|wheel| wheel.link).chain([imu.link]);
        let mut joints: Vec<usize> =
            tips.filter_map(|tip| Chain::new(&tree, 0, tip).ok()).flat_map(|chain| chain.joints).collect();
        joints.sort_unstable();
        joints.dedup();
        Ok(Undercarriage {
            data: Data::new(&tree),
            middle: Configuration::zero(&tree),
            velocities: vec![0.0; tree.velocity_dof()],
            last: vec![0.0; tree.dof()],
            mean_velocities: vec![0.0; tree.dof()],
            joints,
            wheels,
            imu_link: imu.link,
            imu_in_link: imu.pose_in_link,
            tree,
        })
    }

    /// Starts at the positions of `readings`, at rest.
    pub fn reset(&mut self, readings: &Readings) {
        for &joint in &self.joints {
            self.last[joint] = readings.joints[joint].position;
        }
        self.mean_velocities.fill(0.0);
        self.follow(readings, 1.0);
    }

    /// Takes in the positions of a cycle that came `dt` [s] after the last.
    pub fn follow(&mut self, readings: &Readings, dt: f64) {
        let new = share(dt, MEAN_TIME);
        for &joint in &self.joints {
            let (before, now) = (self.last[joint], readings.joints[joint].position);
            let step = match self.tree.joints[joint].kind {
                JointKind::Continuous => wrap_angle(now - before),
                JointKind::Revolute | JointKind::Prismatic => now - before,
            };
            self.middle.joints[joint] = before + 0.5 * step;
            self.velocities[BASE_DOF + joint] = step / dt;
            self.mean_velocities[joint] += new * (step / dt - self.mean_velocities[joint]);
            self.last[joint] = now;
        }
        forward_kinematics(&self.tree, &self.middle, &mut self.data);
        forward_velocities(&self.tree, &self.velocities, &mut self.data);
    }

    /// Averaged speed of the fastest of the joints [rad/s].
    pub fn fastest_joint(&self) -> f64 {
        self.joints.iter().map(|&joint| self.mean_velocities[joint].abs()).fold(0.0, f64::max)
    }

    pub fn wheel_count(&self) -> usize {
        self.wheels.len()
    }

    pub fn wheel(&self, index: usize, readings: &Readings) -> WheelMotion {
        let wheel = &self.wheels[index];
        let pose: &Isometry3<f64> = &self.data.link_in_base[wheel.link];
        let twist = link_velocity_in_world(&self.tree, &self.data, wheel.link);
        WheelMotion {
            center: pose.translation.vector,
            axle: pose.rotation * wheel.axis_in_link,
            velocity: twist.linear,
            angular_velocity: twist.angular,
            radius: wheel.radius,
            half_width: wheel.half_width,
            touching: wheel.contact.is_none_or(|contact| readings.contacts[contact].touching),
        }
    }

    /// Rotation from the IMU's frame to the base's.
    pub fn imu_in_base(&self) -> UnitQuaternion<f64> {
        self.data.link_in_base[self.imu_link].rotation * self.imu_in_link.rotation
    }

    /// The IMU's place in the base frame [m] and its velocity relative to the base [m/s].
    pub fn imu_motion_in_base(&self) -> (Vector3<f64>, Vector3<f64>) {
        let link: &Isometry3<f64> = &self.data.link_in_base[self.imu_link];
        let twist = link_velocity_in_world(&self.tree, &self.data, self.imu_link);
        let arm = link.rotation * self.imu_in_link.translation.vector;
        (link.translation.vector + arm, twist.linear + twist.angular.cross(&arm))
    }

    /// Angular velocity of the IMU relative to the base, in the base frame [rad/s].
    pub fn imu_turn_rate_in_base(&self) -> Vector3<f64> {
        link_velocity_in_world(&self.tree, &self.data, self.imu_link).angular
    }
}

/// Indices of the model are used in readings, so the two must agree.
pub(crate) fn check_layout(model: &RobotModel, layout: &RobotLayout) -> Result<(), EstimationError> {
    fn compare<'a>(
        what: &'static str,
        model: impl Iterator<Item = &'a String>,
        layout: impl Iterator<Item = &'a String>,
    ) -> Result<(), EstimationError> {
        let nobody = String::new();
        let mut layout = layout;
        for (index, expected) in model.enumerate() {
            let found = layout.next().unwrap_or(&nobody);
            if expected != found {
                let (expected, found) = (expected.clone(), found.clone());
                return Err(EstimationError::Layout { what, index, expected, found });
            }
        }
        Ok(())
    }
    let description = &model.description;
    compare("joint", model.tree.joints.iter().map(|joint| &joint.name), layout.joints.iter().map(|joint| &joint.name))?;
    compare("imu", description.imus.iter().map(|imu| &imu.name), layout.imus.iter().map(|imu| &imu.name))?;
    compare("contact", description.contacts.iter().map(|c| &c.name), layout.contacts.iter().map(|c| &c.name))
}
