//! A right-invariant extended Kalman filter of a body that stands on points of the world.
//!
//! After Hartley, Ghaffari, Eustice and Grizzle, "Contact-aided invariant extended Kalman filtering for robot state estimation", 2020: rotation, velocity and
//! position of an IMU and the places of the feet are one element of a Lie group, whose error, seen from the world, goes on by a matrix
//! that does not depend on the estimate but for the IMU's biases. So it keeps converging from where an ordinary filter does not.
//!
//! The error ξ of an estimate X̂ is that of X̂ X⁻¹ = exp ξ. Of its parts that of the rotation comes first, then those of velocity, position, the biases of
//! gyroscope and accelerometer, and of each foot's place.

use nalgebra::{Matrix3, Point3, UnitQuaternion, Vector3};
use robot_io::State;
use robot_model::GRAVITY_IN_WORLD;

use super::covariance::Covariance;
use super::ground::Ground;

/// Places in the error.
const ROTATION: usize = 0;
const VELOCITY: usize = 1;
const POSITION: usize = 2;
const GYRO: usize = 3;
const ACCEL: usize = 4;
const FOOT: usize = 5;

/// How much an IMU errs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImuNoise {
    /// [rad/s/√Hz]
    pub gyro: f64,
    /// [m/s²/√Hz]
    pub accel: f64,
    /// [rad/s²/√Hz]
    pub gyro_walk: f64,
    /// [m/s³/√Hz]
    pub accel_walk: f64,
}

/// The estimate: of the IMU's frame, in the odometry frame.
#[derive(Clone, Debug, State)]
pub(crate) struct Filter {
    #[state(fixed)]
    noise: ImuNoise,
    pub rotation: UnitQuaternion<f64>,
    /// [m/s]
    pub velocity: Vector3<f64>,
    /// [m]
    pub position: Vector3<f64>,
    /// [rad/s]
    pub gyro_bias: Vector3<f64>,
    /// [m/s²]
    pub accel_bias: Vector3<f64>,
    /// Where the feet are that stand [m].
    pub feet: Vec<Option<Vector3<f64>>>,
    covariance: Covariance,
    #[state(scratch)]
    changes: Vec<(usize, usize, Matrix3<f64>)>,
    #[state(scratch)]
    errors: Vec<Vector3<f64>>,
}

/// How well the start is known: standard deviations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// Of where up is [rad].
    pub tilt: f64,
    /// [m/s]
    pub velocity: f64,
    /// [rad/s]
    pub gyro_bias: f64,
    /// [m/s²]
    pub accel_bias: f64,
}

impl Filter {
    /// A filter for so many feet.
    pub fn new(feet: usize, noise: ImuNoise) -> Filter {
        let size = FOOT + feet;
        Filter {
            noise,
            rotation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            position: Vector3::zeros(),
            gyro_bias: Vector3::zeros(),
            accel_bias: Vector3::zeros(),
            feet: vec![None; feet],
            covariance: Covariance::new(size),
            changes: Vec::with_capacity(8 + feet),
            errors: vec![Vector3::zeros(); size],
        }
    }

    /// Begins at rest and on no foot; heading and place are what all others are told from, and known exactly.
    pub fn begin(&mut self, rotation: UnitQuaternion<f64>, position: Vector3<f64>, start: Start) {
        (self.rotation, self.position, self.velocity) = (rotation, position, Vector3::zeros());
        (self.gyro_bias, self.accel_bias) = (Vector3::zeros(), Vector3::zeros());
        self.feet.fill(None);
        let of_parts = [start.tilt, start.velocity, 0.0, start.gyro_bias, start.accel_bias];
        (FOOT..self.covariance.size()).for_each(|place| self.covariance.forget(place));
        of_parts.iter().enumerate().for_each(|(place, deviation)| self.covariance.know(place, *deviation));
        // about the vertical nothing is unknown
        self.covariance.add(ROTATION, ROTATION, &Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, -start.tilt.powi(2))));
    }

    /// The angular velocity of a gyroscope's sample without its bias [rad/s].
    pub fn turning(&self, gyro: &Vector3<f64>) -> Vector3<f64> {
        gyro - self.gyro_bias
    }

    /// Goes on by a sample of the IMU [rad/s, m/s²] that lasts `dt` [s]; `creep` tells for each foot how fast it may wander [m/s/√Hz].
    pub fn predict(&mut self, gyro: &Vector3<f64>, accel: &Vector3<f64>, dt: f64, creep: impl Fn(usize) -> f64) {
        self.spread(dt, creep);
        let turn = self.turning(gyro) * dt;
        let force = accel - self.accel_bias;
        // the rotation turns under the force while it lasts
        let gained = self.rotation * (force + turn.cross(&force) * 0.5) + GRAVITY_IN_WORLD;
        let gone = self.rotation * (force * 0.5 + turn.cross(&force) / 6.0) + GRAVITY_IN_WORLD * 0.5;
        self.position += self.velocity * dt + gone * (dt * dt);
        self.velocity += gained * dt;
        self.rotation *= UnitQuaternion::from_scaled_axis(turn);
        self.rotation.renormalize();
    }

    /// The error goes on, and noise comes to it.
    fn spread(&mut self, dt: f64, creep: impl Fn(usize) -> f64) {
        let Filter { noise, rotation, velocity, position, feet, covariance, changes, .. } = self;
        let turned = rotation.to_rotation_matrix().into_inner() * -dt;
        let (gravity, moved) = (GRAVITY_IN_WORLD.cross_matrix(), Matrix3::from_diagonal_element(dt));
        changes.clear();
        changes.push((ROTATION, GYRO, turned));
        changes.push((VELOCITY, ROTATION, gravity * dt));
        changes.push((VELOCITY, GYRO, velocity.cross_matrix() * turned));
        changes.push((VELOCITY, ACCEL, turned));
        changes.push((POSITION, ROTATION, gravity * (0.5 * dt * dt)));
        changes.push((POSITION, VELOCITY, moved));
        changes.push((POSITION, GYRO, position.cross_matrix() * turned));
        changes.push((POSITION, ACCEL, turned * (0.5 * dt)));
        let standing = || feet.iter().enumerate().filter_map(|(foot, place)| Some((foot, place.as_ref()?)));
        changes.extend(standing().map(|(foot, place)| (FOOT + foot, GYRO, place.cross_matrix() * turned)));
        covariance.propagate(changes);

        // a gyroscope's noise turns all about the world's origin
        let levers = |place: usize| match place {
            ROTATION => Some(Matrix3::identity()),
            VELOCITY => Some(velocity.cross_matrix()),
            POSITION => Some(position.cross_matrix()),
            GYRO | ACCEL => None,
            foot => feet[foot - FOOT].map(|place| place.cross_matrix()),
        };
        let variance = noise.gyro * noise.gyro * dt;
        for row in 0..covariance.size() {
            for column in row..covariance.size() {
                if let (Some(one), Some(other)) = (levers(row), levers(column)) {
                    covariance.add(row, column, &(one * other.transpose() * variance));
                }
            }
        }
        let mut wander = |place: usize, density: f64| {
            covariance.add(place, place, &Matrix3::from_diagonal_element(density * density * dt));
        };
        wander(VELOCITY, noise.accel);
        wander(GYRO, noise.gyro_walk);
        wander(ACCEL, noise.accel_walk);
        standing().for_each(|(foot, _)| wander(FOOT + foot, creep(foot)));
    }

    /// A foot comes to stand, seen from the IMU there [m] with errors of this standard deviation [m].
    pub fn stand(&mut self, foot: usize, seen: &Vector3<f64>, deviation: f64) {
        self.feet[foot] = Some(self.position + self.rotation * seen);
        self.covariance.know_like(FOOT + foot, POSITION, &Matrix3::from_diagonal_element(deviation * deviation));
    }

    /// A foot stands no more.
    pub fn lift(&mut self, foot: usize) {
        self.feet[foot] = None;
        self.covariance.forget(FOOT + foot);
    }

    /// Takes in where a foot that stands is seen from the IMU [m], if that is within `gate` standard deviations. False if it is not: the foot has slipped.
    pub fn see(&mut self, foot: usize, seen: &Vector3<f64>, deviation: f64, gate: f64) -> bool {
        let Some(place) = self.feet[foot] else { return true };
        let off = self.rotation * seen + self.position - place;
        let noise = Matrix3::from_diagonal_element(deviation * deviation);
        let pair = (POSITION, FOOT + foot);
        let is_believed = self.covariance.observe_difference(pair, &off, &noise, gate, &mut self.errors);
        if is_believed {
            self.correct();
        }
        is_believed
    }

    /// Takes the errors away that were found.
    fn correct(&mut self) {
        let back = UnitQuaternion::from_scaled_axis(-self.errors[ROTATION]);
        self.rotation = back * self.rotation;
        self.rotation.renormalize();
        self.velocity = back * self.velocity - self.errors[VELOCITY];
        self.position = back * self.position - self.errors[POSITION];
        self.gyro_bias -= self.errors[GYRO];
        self.accel_bias -= self.errors[ACCEL];
        for (place, error) in self.feet.iter_mut().zip(&self.errors[FOOT..]) {
            *place = place.map(|place| back * place - error);
        }
    }

    /// The feet that stand, and the heading.
    pub fn ground(&self) -> Ground {
        Ground::new(&self.feet, &self.rotation)
    }

    /// Moves all so that the feet that stood before still stand there, whatever has been learnt of where that is in the world.
    pub fn keep_ground(&mut self, before: &Ground) {
        let Some(back) = self.ground().back_to(before) else { return };
        self.rotation = back.rotation * self.rotation;
        self.rotation.renormalize();
        self.velocity = back.rotation * self.velocity;
        self.position = (back * Point3::from(self.position)).coords;
        for place in self.feet.iter_mut().flatten() {
            *place = (back * Point3::from(*place)).coords;
        }
    }

    /// Standard deviation of the velocity, the largest of its three directions' [m/s].
    pub fn velocity_deviation(&self) -> f64 {
        self.covariance.block(VELOCITY, VELOCITY).diagonal().max().max(0.0).sqrt()
    }
}
