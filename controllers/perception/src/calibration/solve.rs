//! Least squares of the camera's mounting and the place in the hand.

use nalgebra::{Isometry3, Matrix3, Point3, SMatrix, SVector, SymmetricEigen, UnitQuaternion, Vector3};
use robot_io::Settings;

use super::settings::CalibrationSettings;
use crate::error::PerceptionError;

type Matrix9 = SMatrix<f64, 9, 9>;
type Vector9 = SVector<f64, 9>;

/// One look at what is held in a hand: a marker, or the middle of a known object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The hand in the robot's frame, from its joints.
    pub hand_in_base: Isometry3<f64>,
    /// The camera in the robot's frame, from its joints and where its file says that it sits.
    pub camera_in_base: Isometry3<f64>,
    /// Where the camera saw it, in the camera's frame.
    pub seen: Point3<f64>,
    /// Of that place [m²], along the camera's axes.
    pub covariance: Matrix3<f64>,
}

/// Where the camera and what is in the hand really are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// The real camera in the frame in which its file has it: `camera_in_base · mounting` is where it is.
    pub mounting: Isometry3<f64>,
    /// What was seen, in the hand's frame.
    pub place_in_hand: Point3<f64>,
    /// Of the mounting's translation [m²] and turn [rad²], along the axes of the camera as its file has it and as it is, and of the place in the hand [m²].
    pub covariance: Matrix9,
    /// Ratio of the best to the worst known direction's information.
    pub condition: f64,
    /// Root mean square of what is left over, in standard deviations of the observations, per degree of freedom.
    pub misfit: f64,
}

const PARAMETERS: [&str; 9] = [
    "the camera's x [m]",
    "the camera's y [m]",
    "the camera's z [m]",
    "the camera's turn about x [rad]",
    "the camera's turn about y [rad]",
    "the camera's turn about z [rad]",
    "x in the hand [m]",
    "y in the hand [m]",
    "z in the hand [m]",
];

/// Finds the camera's mounting and the place in the hand that explain the observations best: with C the camera as its file has it, E the mounting, H the hand
/// and m the place in it, what is seen is (C E)⁻¹ H m (the calibration of an eye and a hand, Tsai and Lenz 1989, with a point instead of a target, by
/// Levenberg and Marquardt). `guess` is about where it is in the hand.
///
/// Refused if the poses do not tell all nine numbers, by the one that is known worst: a hand that is never turned, for example, cannot tell the place in it from
/// the camera's place.
pub fn calibrate(
    observations: &[Observation],
    guess: &Point3<f64>,
    settings: &CalibrationSettings,
) -> Result<Calibration, PerceptionError> {
    settings.check()?;
    if observations.len() < settings.least_observations {
        let expected = format!("at least {}", settings.least_observations);
        return Err(PerceptionError::value("observations", expected, observations.len()));
    }
    let weights = weights(observations)?;
    let mut solution = Solution { mounting: Isometry3::identity(), place: *guess };
    let mut sums = Sums::of(observations, &weights, &solution, settings);
    let mut damping = 1e-4;
    for _ in 0..settings.most_steps {
        let mut damped = sums.information;
        for axis in 0..9 {
            damped[(axis, axis)] += damping * sums.information[(axis, axis)].max(1.0);
        }
        let Some(factor) = damped.cholesky() else { break };
        let change = factor.solve(&sums.pull);
        let next = solution.moved(&change);
        let next_sums = Sums::of(observations, &weights, &next, settings);
        if next_sums.cost <= sums.cost {
            (solution, sums, damping) = (next, next_sums, damping * 0.1);
        } else {
            damping *= 10.0;
        }
        if change.norm() < 1e-10 || damping > 1e12 {
            break;
        }
    }
    judge(&solution, &sums, observations.len(), settings)
}

#[derive(Clone, Copy)]
struct Solution {
    mounting: Isometry3<f64>,
    place: Point3<f64>,
}

impl Solution {
    fn moved(&self, change: &Vector9) -> Solution {
        let [shift, turn, place] = [0, 3, 6].map(|first| change.fixed_rows::<3>(first).into_owned());
        let rotation = self.mounting.rotation * UnitQuaternion::from_scaled_axis(turn);
        let mounting = Isometry3::from_parts((self.mounting.translation.vector + shift).into(), rotation);
        Solution { mounting, place: self.place + place }
    }
}

struct Sums {
    information: Matrix9,
    pull: Vector9,
    /// Sum of robust costs.
    cost: f64,
    /// Sum of weighted squares.
    square: f64,
}

impl Sums {
    fn of(
        observations: &[Observation],
        weights: &[Matrix3<f64>],
        solution: &Solution,
        settings: &CalibrationSettings,
    ) -> Sums {
        let scale = settings.robust_scale * settings.robust_scale;
        let mut sums = Sums { information: Matrix9::zeros(), pull: Vector9::zeros(), cost: 0.0, square: 0.0 };
        let back = solution.mounting.rotation.inverse().to_rotation_matrix().into_inner();
        for (observation, weight) in observations.iter().zip(weights) {
            let hand_in_camera = observation.camera_in_base.inverse() * observation.hand_in_base;
            let expected = solution.mounting.inverse_transform_point(&(hand_in_camera * solution.place));
            let off: Vector3<f64> = observation.seen - expected;
            let mut slopes = SMatrix::<f64, 3, 9>::zeros();
            slopes.fixed_view_mut::<3, 3>(0, 0).copy_from(&-back);
            slopes.fixed_view_mut::<3, 3>(0, 3).copy_from(&expected.coords.cross_matrix());
            let of_hand = back * hand_in_camera.rotation.to_rotation_matrix().into_inner();
            slopes.fixed_view_mut::<3, 3>(0, 6).copy_from(&of_hand);
            let square = off.dot(&(weight * off));
            let robust = 1.0 / (1.0 + square / scale);
            sums.information += slopes.transpose() * weight * slopes * robust;
            sums.pull += slopes.transpose() * (weight * off) * robust;
            sums.cost += scale * robot_io::math::ln(1.0 + square / scale);
            sums.square += robust * square;
        }
        sums
    }
}

fn weights(observations: &[Observation]) -> Result<Vec<Matrix3<f64>>, PerceptionError> {
    let weight = |(number, observation): (usize, &Observation)| {
        let is_positive = observation.covariance.cholesky().is_some();
        observation.covariance.try_inverse().filter(|_| is_positive).ok_or_else(|| {
            let field = format!("observations[{number}].covariance [m²]");
            PerceptionError::value(field, "a positive definite matrix", format!("{:?}", observation.covariance.data.0))
        })
    };
    observations.iter().enumerate().map(weight).collect()
}

fn judge(
    solution: &Solution,
    sums: &Sums,
    count: usize,
    settings: &CalibrationSettings,
) -> Result<Calibration, PerceptionError> {
    let freedom = (3 * count - 9.min(3 * count)).max(1) as f64;
    let misfit = (sums.square / freedom).sqrt();
    let eigen = SymmetricEigen::new(sums.information);
    let (least, most) = (eigen.eigenvalues.min(), eigen.eigenvalues.max());
    let condition = if least > 0.0 { most / least } else { f64::INFINITY };
    let is_bad = condition > settings.most_condition;
    // of what is worst known, the parameter with the largest part in it
    let worst = eigen.eigenvectors.column(eigen.eigenvalues.imin()).iamax();
    let allowed = |axis: usize| {
        if (3..6).contains(&axis) { settings.most_angle_deviation } else { settings.most_place_deviation }
    };
    let refuse = |axis: usize, found: f64| PerceptionError::NotDetermined {
        parameter: PARAMETERS[axis],
        expected: allowed(axis),
        found,
    };
    let Some(covariance) = sums.information.try_inverse().filter(|_| !is_bad) else {
        return Err(refuse(worst, if least > 0.0 { 1.0 / least.sqrt() } else { f64::INFINITY }));
    };
    // where the observations fit worse than they say, they are less exact than they say
    let covariance = covariance * misfit.max(1.0).powi(2);
    let deviation = |axis: usize| covariance[(axis, axis)].max(0.0).sqrt();
    let over = |axis: &usize| deviation(*axis) / allowed(*axis);
    let axis = (0..9).max_by(|one, other| over(one).total_cmp(&over(other))).unwrap_or_default();
    if over(&axis) > 1.0 {
        return Err(refuse(axis, deviation(axis)));
    }
    Ok(Calibration { mounting: solution.mounting, place_in_hand: solution.place, covariance, condition, misfit })
}
