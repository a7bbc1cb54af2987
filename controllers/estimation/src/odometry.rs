//! The estimator.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};
use robot_io::{Odometry, Readings, RobotLayout, Settings as _, State, Telemetry};
use robot_model::RobotModel;

use crate::attitude::Attitude;
use crate::bump::{Bump, BumpSense, Felt};
use crate::ground::{contact_point, mean_contact, plane_normal};
use crate::level::Level;
use crate::settings::share;
use crate::standstill::Standstill;
use crate::twist::{WheelRows, belief, solve};
use crate::undercarriage::{Undercarriage, WheelMotion};
use crate::{EstimationError, OdometrySettings};

/// Pose and velocity of the base from wheels, legs, IMU and contact switches.
///
/// The odometry frame is Z up; at [`reset`](OdometryEstimator::reset) the base stands above its origin with heading
/// zero, and z = 0 is the ground below it.
#[derive(Clone, Debug, State)]
pub struct OdometryEstimator {
    #[state(fixed)]
    settings: OdometrySettings,
    #[state(fixed)]
    cycle: f64,
    undercarriage: Undercarriage,
    attitude: Attitude,
    level: Level,
    standstill: Standstill,
    stands: bool,
    /// Twist of the last cycle: linear, then angular, in the base frame.
    twist: Vector6<f64>,
    normal_in_odom: Vector3<f64>,
    odometry: Odometry,
    /// Per wheel: averaged slip along and across [m/s].
    slip: Vec<[f64; 2]>,
    #[state(scratch)]
    wheels: Vec<WheelMotion>,
    #[state(scratch)]
    rows: Vec<WheelRows>,
    weights: Vec<f64>,
    centers_in_base: Vec<Vector3<f64>>,
    contacts_in_base: Vec<Vector3<f64>>,
    touching: Vec<bool>,
    bumps: BumpSense,
}

impl OdometryEstimator {
    /// An estimator with the default settings.
    pub fn new(model: &RobotModel, layout: &RobotLayout) -> Result<Self, EstimationError> {
        OdometryEstimator::with_settings(model, layout, OdometrySettings::default())
    }

    /// An estimator with other settings.
    pub fn with_settings(
        model: &RobotModel,
        layout: &RobotLayout,
        settings: OdometrySettings,
    ) -> Result<Self, EstimationError> {
        settings.check()?;
        let undercarriage = Undercarriage::new(model, layout)?;
        let wheels = undercarriage.wheel_count();
        Ok(OdometryEstimator {
            settings,
            cycle: layout.period.seconds(),
            undercarriage,
            attitude: Attitude::default(),
            level: Level::default(),
            standstill: Standstill::default(),
            stands: false,
            twist: Vector6::zeros(),
            normal_in_odom: Vector3::z(),
            odometry: Odometry::default(),
            slip: vec![[0.0; 2]; wheels],
            wheels: Vec::with_capacity(wheels),
            rows: Vec::with_capacity(wheels),
            weights: vec![1.0; wheels],
            centers_in_base: vec![Vector3::zeros(); wheels],
            contacts_in_base: vec![Vector3::zeros(); wheels],
            touching: vec![true; wheels],
            bumps: BumpSense::default(),
        })
    }

    /// Starts afresh: here is the origin, and the robot is at rest.
    pub fn reset(&mut self, readings: &Readings) {
        self.undercarriage.reset(readings);
        // one sample of the accelerometer is too noisy; the unit's own filter knows better where up is as long as the robot stands
        self.attitude = Attitude::level(&self.up_by_the_unit_in_base(readings));
        self.level = Level::default();
        (self.standstill, self.stands) = (Standstill::default(), false);
        self.twist = Vector6::zeros();
        self.slip.fill([0.0; 2]);
        self.bumps = BumpSense::default();
        self.normal_in_odom = Vector3::z();
        // where a wheel touches depends on the normal and the normal on where the wheels touch
        for _ in 0..5 {
            self.place_wheels(readings);
            self.average_normal(1.0);
        }
        self.odometry = Odometry { stamp: readings.time, ..Odometry::default() };
        let place = Translation3::new(0.0, 0.0, self.height_above_ground());
        self.odometry.base_in_odom = Isometry3::from_parts(place, self.attitude.base_in_odom);
    }

    /// Takes in one cycle.
    pub fn update(&mut self, readings: &Readings) -> &Odometry {
        self.take_in(readings, true)
    }

    /// Takes in one cycle on ground of several levels, such as two sides of a step: each wheel's ground is as steep as the
    /// ground was before, and no plane is laid through all of them.
    pub fn update_on_levels(&mut self, readings: &Readings) -> &Odometry {
        self.take_in(readings, false)
    }

    fn take_in(&mut self, readings: &Readings, on_plane: bool) -> &Odometry {
        let dt = self.time_since_last(readings);
        self.undercarriage.follow(readings, dt);
        self.place_wheels(readings);
        if on_plane {
            self.average_normal(share(dt, self.settings.ground_time));
        }

        // how fast
        let turn_rate = self.observe_gyro(readings, dt);
        self.twist = self.weigh_and_solve(&turn_rate, dt);
        self.average_slip(share(dt, self.settings.slip_time));

        let felt = self.feel(readings, dt);
        self.bumps.observe(&felt, &self.settings);

        // where
        let (linear, angular) = (self.twist.fixed_rows::<3>(0).into(), self.twist.fixed_rows::<3>(3).into());
        self.advance(&linear, &angular, dt);
        self.level(&felt);
        self.publish(readings, &linear, &angular, dt);
        &self.odometry
    }

    /// The last estimate.
    pub fn odometry(&self) -> &Odometry {
        &self.odometry
    }

    /// Roll and pitch of the base [rad], about its x axis and the horizontal axis to its left.
    pub fn attitude(&self) -> (f64, f64) {
        let (roll, pitch, _) = self.attitude.base_in_odom.euler_angles();
        (roll, pitch)
    }

    /// Rotation of the base without its heading: from the base frame to the level frame that shares its heading.
    pub fn tilt(&self) -> UnitQuaternion<f64> {
        let (roll, pitch) = self.attitude();
        UnitQuaternion::from_euler_angles(roll, pitch, 0.0)
    }

    /// Upward normal of the ground under the wheels, in the base frame.
    pub fn ground_normal_in_base(&self) -> Vector3<f64> {
        self.attitude.base_in_odom.inverse() * self.normal_in_odom
    }

    /// Height of the base's origin above the ground plane, along gravity [m].
    pub fn height_above_ground(&self) -> f64 {
        let normal = self.ground_normal_in_base();
        let ground = mean_contact(&self.contacts_in_base, &self.touching);
        -normal.dot(&ground) / normal.dot(&self.attitude.up_in_base()).max(0.1)
    }

    /// Centres of the wheels in the base frame [m], in the order of the description's wheels.
    pub fn wheels_in_base(&self) -> &[Vector3<f64>] {
        &self.centers_in_base
    }

    /// Where the wheels touch the ground, or would, in the base frame [m].
    pub fn contacts_in_base(&self) -> &[Vector3<f64>] {
        &self.contacts_in_base
    }

    /// Averaged slip of each wheel, along and across it [m/s].
    pub fn slip(&self) -> &[[f64; 2]] {
        &self.slip
    }

    /// How much each wheel is believed, 0 to 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The largest slip of all wheels that touch the ground [m/s].
    pub fn largest_slip(&self) -> f64 {
        let touching = self.slip.iter().zip(&self.touching).filter(|(_, touching)| **touching);
        touching.map(|(slip, _)| length(slip)).fold(0.0, f64::max)
    }

    /// Bias of the gyroscope, in the IMU frame [rad/s].
    pub fn gyro_bias_in_imu(&self) -> Vector3<f64> {
        self.standstill.gyro_bias_in_imu
    }

    /// True as long as the gyroscope's bias is still to be learnt after the start, and the robot has not been kept waiting for too long.
    pub fn is_learning(&self) -> bool {
        self.standstill.is_learning(&self.settings)
    }

    /// True while the robot is taken to stand still.
    pub fn stands(&self) -> bool {
        self.stands
    }

    /// The push or collision that is over since this cycle.
    pub fn bump(&self) -> Option<Bump> {
        self.bumps.over()
    }

    /// How far the robot may have slid in this cycle without its wheels showing it [m]: 0 but for the time of a bump and after it.
    pub fn slid(&self) -> f64 {
        self.bumps.sliding() * self.cycle
    }

    /// Adds the estimate to what is shown.
    pub fn show(&self, telemetry: &mut Telemetry) {
        let (roll, pitch) = self.attitude();
        telemetry.odometry = Some(self.odometry);
        telemetry.scalar("base_roll [rad]", roll);
        telemetry.scalar("base_pitch [rad]", pitch);
        telemetry.scalar("base_height [m]", self.height_above_ground());
        telemetry.scalar("wheel_slip [m/s]", self.largest_slip());
    }

    /// Time since the last cycle [s]; a whole cycle where the stamps do not say.
    fn time_since_last(&self, readings: &Readings) -> f64 {
        let passed = readings.time.since(self.odometry.stamp).seconds();
        if passed > 0.0 { passed } else { self.cycle }
    }

    fn up_by_the_unit_in_base(&self, readings: &Readings) -> Vector3<f64> {
        self.undercarriage.imu_in_base() * (readings.imus[0].orientation.inverse() * Vector3::z())
    }

    fn place_wheels(&mut self, readings: &Readings) {
        let normal = self.ground_normal_in_base();
        self.wheels.clear();
        self.rows.clear();
        for index in 0..self.undercarriage.wheel_count() {
            let wheel = self.undercarriage.wheel(index, readings);
            let contact = contact_point(&wheel, &normal);
            self.rows.push(WheelRows::new(&wheel, &contact, &normal));
            self.centers_in_base[index] = wheel.center;
            self.contacts_in_base[index] = contact;
            self.touching[index] = wheel.touching;
            self.wheels.push(wheel);
        }
    }

    /// Moves the ground's normal by `new` of the way to the plane through the contacts.
    fn average_normal(&mut self, new: f64) {
        if let Some(normal_in_base) = plane_normal(&self.contacts_in_base, &self.touching) {
            let seen = self.attitude.base_in_odom * normal_in_base;
            self.normal_in_odom = (self.normal_in_odom * (1.0 - new) + seen * new).normalize();
        }
    }

    /// The base's angular velocity by the gyroscope, in the base frame [rad/s]; the spine's motion and the bias are
    /// taken off. It is zero while the robot stands: noise shall not add up to a turn.
    fn observe_gyro(&mut self, readings: &Readings, dt: f64) -> Vector3<f64> {
        let gyro_in_imu = readings.imus[0].angular_velocity;
        let joint_speed = self.undercarriage.fastest_joint();
        self.stands = self.standstill.observe(joint_speed, &gyro_in_imu, dt, &self.settings);
        if self.stands {
            return Vector3::zeros();
        }
        let unbiased = gyro_in_imu - self.standstill.gyro_bias_in_imu;
        self.undercarriage.imu_in_base() * unbiased - self.undercarriage.imu_turn_rate_in_base()
    }

    /// Weights from the averaged slip (so that the steps of encoders do not bend the mean), then least squares.
    fn weigh_and_solve(&mut self, turn_rate: &Vector3<f64>, dt: f64) -> Vector6<f64> {
        let normal = self.ground_normal_in_base();
        for (index, weight) in self.weights.iter_mut().enumerate() {
            let (along, across) = self.rows[index].slip(&self.twist);
            let jump = length(&[along, across]) / self.settings.jump;
            let at_once = 1.0 / jump.max(1.0);
            let averaged = belief(length(&self.slip[index]), self.settings.slip_scale);
            // who is turned on the spot scrubs, and may take what carries it along
            let turned = belief(self.wheels[index].scrubs(&normal), self.settings.slip_scale);
            *weight = if self.touching[index] { averaged * turned * at_once * at_once } else { 0.0 };
        }
        // the best wheel is believed in any case: else a wrong estimate could outvote all of them for ever
        let best = self.weights.iter().copied().fold(0.0, f64::max);
        let before = if best > 0.0 {
            self.weights.iter_mut().for_each(|weight| *weight /= best);
            self.twist
        } else {
            self.twist * (1.0 - share(dt, self.settings.airborne_time))
        };
        let mut twist = solve(&self.rows, &self.weights, turn_rate, &before, &self.settings).unwrap_or(before);
        let excess = twist.fixed_rows::<3>(0).norm() / self.settings.highest_speed;
        if excess > 1.0 {
            twist.fixed_rows_mut::<3>(0).unscale_mut(excess);
        }
        twist
    }

    /// What the IMU feels, and its motion by wheels, legs and gyroscope.
    fn feel(&self, readings: &Readings, dt: f64) -> Felt {
        let (place, moving) = self.undercarriage.imu_motion_in_base();
        let (linear, angular) =
            (self.twist.fixed_rows::<3>(0).into_owned(), self.twist.fixed_rows::<3>(3).into_owned());
        let base_in_odom = self.attitude.base_in_odom;
        let force_in_base = self.undercarriage.imu_in_base() * readings.imus[0].linear_acceleration;
        Felt {
            time: readings.time,
            dt,
            force: base_in_odom * force_in_base,
            velocity: base_in_odom * (linear + angular.cross(&place) + moving),
            turn_rate: (base_in_odom * angular).z,
            stands: self.stands,
            base_in_odom,
        }
    }

    /// Tilts towards where up is by the accelerometer, unless the robot is pushed about.
    fn level(&mut self, felt: &Felt) {
        let (up, believed) = self.level.observe(&felt.force, &felt.velocity, felt.dt);
        if self.bumps.sliding() == 0.0 {
            self.attitude.tilt_towards(&up, believed * share(felt.dt, self.settings.tilt_time));
        }
    }

    fn average_slip(&mut self, new: f64) {
        for (slip, rows) in self.slip.iter_mut().zip(&self.rows) {
            let (along, across) = rows.slip(&self.twist);
            slip[0] += new * (along - slip[0]);
            slip[1] += new * (across - slip[1]);
        }
    }

    fn advance(&mut self, linear: &Vector3<f64>, angular: &Vector3<f64>, dt: f64) {
        let half_way = self.attitude.half_way(angular, dt);
        self.odometry.base_in_odom.translation.vector += half_way * linear * dt;
        self.attitude.turn(angular, dt);
    }

    fn publish(&mut self, readings: &Readings, linear: &Vector3<f64>, angular: &Vector3<f64>, dt: f64) {
        let new = share(dt, self.settings.velocity_time);
        let odometry = &mut self.odometry;
        odometry.stamp = readings.time;
        odometry.base_in_odom.rotation = self.attitude.base_in_odom;
        odometry.linear_velocity_in_base += new * (linear - odometry.linear_velocity_in_base);
        odometry.angular_velocity_in_base += new * (angular - odometry.angular_velocity_in_base);
    }
}

fn length(slip: &[f64; 2]) -> f64 {
    (slip[0] * slip[0] + slip[1] * slip[1]).sqrt()
}
