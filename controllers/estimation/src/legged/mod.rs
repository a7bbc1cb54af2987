//! Where the base of a robot that walks is.

mod covariance;
mod footing;
mod ground;
mod invariant;
mod settings;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use robot_io::{Odometry, Readings, RobotLayout, Settings as _, State};
use robot_model::{
    BASE_DOF, Configuration, Data, GRAVITY_IN_WORLD, RobotModel, Tree, forward_kinematics, forward_velocities,
    link_velocity_in_world,
};

use crate::EstimationError;
use crate::attitude::Attitude;
use crate::undercarriage::check_layout;
use footing::{Sole, Touch};
use invariant::{Filter, ImuNoise, Start};

pub use footing::Footing;
pub use settings::LeggedSettings;

/// A foot that carries less than half of the weight may wander by so many times faster at most.
const LIGHT: f64 = 10.0;

/// Pose and velocity of the base from an IMU's rates and accelerations, the legs' joints and what the feet feel.
///
/// The odometry frame is Z up; at [`reset`](LeggedEstimator::reset) the base stands above its origin with heading zero, and z = 0 is the ground
/// below the lowest foot.
#[derive(Clone, Debug, State)]
pub struct LeggedEstimator {
    #[state(fixed)]
    settings: LeggedSettings,
    #[state(fixed)]
    tree: Tree,
    #[state(fixed)]
    soles: Vec<Sole>,
    #[state(fixed)]
    imu: (usize, Isometry3<f64>),
    #[state(fixed)]
    start: Start,
    /// Of the robot [N].
    #[state(fixed)]
    weight: f64,
    #[state(fixed)]
    cycle: f64,
    #[state(scratch)]
    data: Data,
    #[state(scratch)]
    configuration: Configuration,
    #[state(scratch)]
    velocities: Vec<f64>,
    filter: Filter,
    footings: Vec<Footing>,
    /// How often each foot has slipped.
    slips: Vec<u64>,
    #[state(scratch)]
    stands_anew: Vec<bool>,
    odometry: Odometry,
}

impl LeggedEstimator {
    /// An estimator with the default settings.
    pub fn new(model: &RobotModel, layout: &RobotLayout) -> Result<Self, EstimationError> {
        LeggedEstimator::with_settings(model, layout, LeggedSettings::default())
    }

    /// An estimator with other settings.
    pub fn with_settings(
        model: &RobotModel,
        layout: &RobotLayout,
        settings: LeggedSettings,
    ) -> Result<Self, EstimationError> {
        settings.check()?;
        check_layout(model, layout)?;
        let (tree, description) = (&model.tree, &model.description);
        let lacks = |expected, found| EstimationError::Lacks { robot: model.name.clone(), expected, found };
        let soles: Vec<Sole> = description.feet.iter().filter_map(|foot| Sole::new(foot, tree, description)).collect();
        if soles.is_empty() || soles.len() < description.feet.len() {
            return Err(lacks("feet, each with a force_torque cell or a contact switch", soles.len()));
        }
        let imu = description.imus.first().ok_or_else(|| lacks("an IMU", 0))?;
        let both = |one: f64, other: f64| (one * one + other * other).sqrt();
        let noise = ImuNoise {
            gyro: both(imu.gyroscope.noise_density, settings.gyro_density),
            accel: both(imu.accelerometer.noise_density, settings.accel_density),
            gyro_walk: imu.gyroscope.bias_walk,
            accel_walk: imu.accelerometer.bias_walk,
        };
        let start = Start {
            tilt: settings.start_tilt,
            velocity: 0.01,
            gyro_bias: imu.gyroscope.turn_on_bias,
            accel_bias: imu.accelerometer.turn_on_bias,
        };
        let feet = soles.len();
        Ok(LeggedEstimator {
            settings,
            soles,
            imu: (imu.link, imu.pose_in_link),
            start,
            weight: -GRAVITY_IN_WORLD.z * tree.mass(),
            cycle: layout.period.seconds(),
            data: Data::new(tree),
            configuration: Configuration::zero(tree),
            velocities: vec![0.0; tree.velocity_dof()],
            filter: Filter::new(feet, noise),
            footings: vec![Footing::default(); feet],
            slips: vec![0; feet],
            stands_anew: vec![false; feet],
            odometry: Odometry::default(),
            tree: tree.clone(),
        })
    }

    /// Starts afresh: the robot stands at rest, and here is the origin.
    pub fn reset(&mut self, readings: &Readings) {
        self.place_joints(readings);
        let imu_in_base = self.imu_in_base();
        let up = imu_in_base.rotation * (readings.imus[0].orientation.inverse() * Vector3::z());
        let level = Attitude::level(&up).base_in_odom;
        let low = |sole: &Sole| (level * self.data.link_in_base[sole.link].translation.vector).z;
        let lowest = self.soles.iter().map(low).fold(f64::INFINITY, f64::min);
        let base_in_odom = Isometry3::from_parts(Translation3::new(0.0, 0.0, -lowest), level);
        let imu_in_odom = base_in_odom * imu_in_base;
        self.filter.begin(imu_in_odom.rotation, imu_in_odom.translation.vector, self.start);
        self.footings.fill(Footing::default());
        self.slips.fill(0);
        self.odometry = Odometry { stamp: readings.time, base_in_odom, ..Odometry::default() };
        self.feel(readings, &level, 0.0);
        self.see();
    }

    /// Takes in one cycle.
    pub fn update(&mut self, readings: &Readings) -> &Odometry {
        let dt = match readings.time.seconds() - self.odometry.stamp.seconds() {
            passed if passed > 0.0 => passed,
            _ => self.cycle,
        };
        self.place_joints(readings);
        let imu = &readings.imus[0];
        let (footings, half, settings) = (&self.footings, 0.5 * self.weight, &self.settings);
        let creep = |foot: usize| match &footings[foot] {
            footing if footing.lasting > settings.rest_time => settings.rest_creep,
            footing => settings.creep * (half / footing.force.z).clamp(1.0, LIGHT),
        };
        self.filter.predict(&imu.angular_velocity, &imu.linear_acceleration, dt, creep);
        let level = self.filter.rotation * self.imu_in_base().rotation.inverse();
        self.feel(readings, &level, dt);
        self.see();
        self.tell(readings);
        &self.odometry
    }

    /// The last estimate.
    pub fn odometry(&self) -> &Odometry {
        &self.odometry
    }

    /// What each foot feels, in the order of the robot's file.
    pub fn footings(&self) -> &[Footing] {
        &self.footings
    }

    /// A foot's frame in the odometry frame.
    pub fn foot_in_odom(&self, foot: usize) -> Isometry3<f64> {
        self.odometry.base_in_odom * self.data.link_in_base[self.soles[foot].link]
    }

    /// Of the robot [N].
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// How often a foot has been found elsewhere than where it stood.
    pub fn slips(&self, foot: usize) -> u64 {
        self.slips[foot]
    }

    /// How well the velocity is known, standard deviation [m/s].
    pub fn velocity_deviation(&self) -> f64 {
        self.filter.velocity_deviation()
    }

    fn place_joints(&mut self, readings: &Readings) {
        for (joint, state) in readings.joints.iter().enumerate() {
            self.configuration.joints[joint] = state.position;
            self.velocities[BASE_DOF + joint] = state.velocity;
        }
        forward_kinematics(&self.tree, &self.configuration, &mut self.data);
    }

    fn imu_in_base(&self) -> Isometry3<f64> {
        self.data.link_in_base[self.imu.0] * self.imu.1
    }

    /// What the feet feel, where the base's frame is turned so.
    fn feel(&mut self, readings: &Readings, level: &UnitQuaternion<f64>, dt: f64) {
        let touch = Touch { begins: self.settings.touch, ends: self.settings.lift };
        let pose = |link: usize| *level * self.data.link_in_base[link];
        for (sole, footing) in self.soles.iter().zip(&mut self.footings) {
            sole.feel(readings, pose, &touch, self.weight, dt, footing);
        }
    }

    /// Takes in where the feet are that stand.
    fn see(&mut self) {
        let LeggedSettings { kinematics_deviation: deviation, slip_gate, .. } = self.settings;
        let base_in_imu = self.imu_in_base().inverse();
        let before = self.filter.ground();
        let place =
            |sole: &Sole, data: &Data| base_in_imu * Point3::from(data.link_in_base[sole.link].translation.vector);
        for (foot, (sole, footing)) in self.soles.iter().zip(&self.footings).enumerate() {
            self.stands_anew[foot] = false;
            if footing.stands && self.filter.feet[foot].is_some() {
                let seen = place(sole, &self.data);
                self.stands_anew[foot] = !self.filter.see(foot, &seen.coords, deviation, slip_gate);
                self.slips[foot] += u64::from(self.stands_anew[foot]);
            }
        }
        // before feet come and go, and before one stands elsewhere that has slipped
        self.filter.keep_ground(&before);
        for (foot, (sole, footing)) in self.soles.iter().zip(&self.footings).enumerate() {
            match (footing.stands, self.filter.feet[foot].is_some()) {
                (true, false) => self.filter.stand(foot, &place(sole, &self.data).coords, deviation),
                (true, true) if self.stands_anew[foot] => {
                    self.filter.stand(foot, &place(sole, &self.data).coords, deviation);
                }
                (false, true) => self.filter.lift(foot),
                _ => {}
            }
        }
    }

    /// The base's motion from the IMU's.
    fn tell(&mut self, readings: &Readings) {
        let imu_in_base = self.imu_in_base();
        let imu_in_odom = Isometry3::from_parts(self.filter.position.into(), self.filter.rotation);
        let base_in_odom = imu_in_odom * imu_in_base.inverse();
        // the IMU's own motion on the base, where joints carry it
        forward_velocities(&self.tree, &self.velocities, &mut self.data);
        let link = link_velocity_in_world(&self.tree, &self.data, self.imu.0);
        let arm = imu_in_base.translation.vector - self.data.link_in_base[self.imu.0].translation.vector;
        let own_velocity = link.linear + link.angular.cross(&arm);
        let turning = imu_in_base.rotation * self.filter.turning(&readings.imus[0].angular_velocity) - link.angular;
        let velocity = base_in_odom.rotation.inverse() * self.filter.velocity;
        self.odometry = Odometry {
            stamp: readings.time,
            base_in_odom,
            linear_velocity_in_base: velocity - own_velocity - turning.cross(&imu_in_base.translation.vector),
            angular_velocity_in_base: turning,
        };
    }
}
