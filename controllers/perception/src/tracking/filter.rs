//! A Kalman filter of one object's pose. Its error is a shift and a small turn, both along the axes of the fixed frame: true place = place + shift,
//! true rotation = exp(turn) · rotation.

use nalgebra::{Isometry3, Matrix3, Matrix6, UnitQuaternion, Vector3, Vector6};

use super::settings::TrackingSettings;
use super::track::{Detection, Track};
use crate::model::Symmetry;

/// Where a detection is, seen from a track: difference and its covariance.
struct Innovation {
    difference: Vector6<f64>,
    /// Of the detection alone.
    noise: Matrix6<f64>,
    /// Of the difference.
    covariance: Matrix6<f64>,
}

/// It may have moved since it was looked at, for so many seconds.
pub(super) fn predict(track: &mut Track, seconds: f64, settings: &TrackingSettings) {
    let square = |deviation: f64| deviation * deviation * seconds.max(0.0);
    for axis in 0..6 {
        track.covariance[(axis, axis)] += square(if axis < 3 { settings.place_walk } else { settings.angle_walk });
    }
}

/// Squared Mahalanobis distance over its gate; `None` beyond the gate.
pub(super) fn distance(
    track: &Track,
    detection: &Detection,
    symmetry: &Symmetry,
    settings: &TrackingSettings,
) -> Option<f64> {
    let innovation = innovation(track, detection, symmetry, settings);
    let (square, gate) = if has_turn(track, detection) {
        let inverse = innovation.covariance.try_inverse()?;
        (innovation.difference.dot(&(inverse * innovation.difference)), settings.pose_gate)
    } else {
        let shift: Vector3<f64> = innovation.difference.fixed_rows::<3>(0).into_owned();
        let inverse = innovation.covariance.fixed_view::<3, 3>(0, 0).try_inverse()?;
        (shift.dot(&(inverse * shift)), settings.place_gate)
    };
    (square <= gate).then_some(square / gate)
}

/// Takes a detection in. The first orientation is taken as it is.
pub(super) fn update(track: &mut Track, detection: &Detection, symmetry: &Symmetry, settings: &TrackingSettings) {
    let innovation = innovation(track, detection, symmetry, settings);
    let covariance = track.covariance;
    let gain = if has_turn(track, detection) {
        innovation.covariance.try_inverse().map(|inverse| covariance * inverse)
    } else {
        // the place alone: K = P Hᵀ (H S Hᵀ)⁻¹, with columns of zeros for the turn
        innovation.covariance.fixed_view::<3, 3>(0, 0).try_inverse().map(|inverse| {
            let mut gain = Matrix6::zeros();
            gain.fixed_view_mut::<6, 3>(0, 0).copy_from(&(covariance.fixed_view::<6, 3>(0, 0) * inverse));
            gain
        })
    };
    let Some(gain) = gain else { return };
    let measured = if has_turn(track, detection) { Matrix6::identity() } else { of_place() };
    let change = gain * innovation.difference;
    let left = Matrix6::identity() - gain * measured;
    // Joseph's form stays symmetric and positive
    track.covariance = left * covariance * left.transpose() + gain * innovation.noise * gain.transpose();
    let (shift, turn) = (change.fixed_rows::<3>(0).into_owned(), change.fixed_rows::<3>(3).into_owned());
    let rotation = UnitQuaternion::from_scaled_axis(turn) * track.pose.rotation;
    track.pose = Isometry3::from_parts((track.pose.translation.vector + shift).into(), rotation);
    if detection.has_orientation && !track.has_orientation {
        adopt_turn(track, detection, &innovation.noise);
    }
    track.covariance = symmetry.forget_free_turn(&track.covariance, &track.pose.rotation);
}

fn adopt_turn(track: &mut Track, detection: &Detection, noise: &Matrix6<f64>) {
    let turn: Matrix3<f64> = noise.fixed_view::<3, 3>(3, 3).into_owned();
    track.has_orientation = true;
    track.pose.rotation = detection.pose.rotation;
    track.covariance.fixed_view_mut::<3, 3>(3, 3).copy_from(&turn);
    track.covariance.fixed_view_mut::<3, 3>(0, 3).fill(0.0);
    track.covariance.fixed_view_mut::<3, 3>(3, 0).fill(0.0);
}

/// What a detection's covariance has beside its own.
pub(super) fn noise(detection: &Detection, settings: &TrackingSettings) -> Matrix6<f64> {
    let mut noise = detection.covariance;
    for axis in 0..6 {
        let common = if axis < 3 { settings.common_deviation } else { settings.common_angle };
        noise[(axis, axis)] += common * common;
    }
    noise
}

fn innovation(track: &Track, detection: &Detection, symmetry: &Symmetry, settings: &TrackingSettings) -> Innovation {
    // of all orientations that look alike the one nearest to what is known
    let seen = symmetry.canonical(&detection.pose, &track.pose.rotation);
    let shift = seen.translation.vector - track.pose.translation.vector;
    let turn = (seen.rotation * track.pose.rotation.inverse()).scaled_axis();
    let noise = noise(detection, settings);
    let difference = Vector6::new(shift.x, shift.y, shift.z, turn.x, turn.y, turn.z);
    Innovation { difference, noise, covariance: track.covariance + noise }
}

fn has_turn(track: &Track, detection: &Detection) -> bool {
    track.has_orientation && detection.has_orientation
}

fn of_place() -> Matrix6<f64> {
    Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
}
