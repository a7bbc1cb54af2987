//! Generalised ICP.

use nabo::{CandidateContainer, KDTree, NotNan, Parameters};
use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, UnitQuaternion, Vector3, Vector6};
use robot_io::math::cos;

use super::seen::SeenPoint;
use super::settings::RegistrationSettings;
use super::target::{TargetPoint, disc};
use crate::model::SurfacePoint;

/// The side of a model that is seen, so that nearest points of it are found.
pub(super) struct Side {
    tree: KDTree<f64, Place>,
    samples: Vec<SurfacePoint>,
}

/// A measured point and its partner on the model.
pub(super) struct Pair {
    pub target: TargetPoint,
    /// In the fixed frame.
    pub point: Point3<f64>,
    /// In the fixed frame.
    pub normal: Vector3<f64>,
}

impl Side {
    /// `None` if nothing is seen.
    pub fn new(seen: &[SeenPoint]) -> Option<Side> {
        let samples: Vec<SurfacePoint> = seen.iter().map(|seen| seen.sample).collect();
        let places: Vec<Place> = samples.iter().filter_map(|sample| Place::new(&sample.point)).collect();
        let is_complete = places.len() == samples.len() && !places.is_empty();
        is_complete.then(|| Side { tree: KDTree::new(&places), samples })
    }

    /// For each point the nearest one of the model within the gate, if its normal fits.
    pub fn pairs<'a>(
        &'a self,
        target: &'a [TargetPoint],
        pose: &'a Isometry3<f64>,
        gate: f64,
        settings: &RegistrationSettings,
    ) -> impl Iterator<Item = Pair> + 'a {
        let least_cosine = cos(settings.most_normal_angle);
        let parameters = Parameters { epsilon: 0.0, max_radius: gate, allow_self_match: true, sort_results: false };
        target.iter().filter_map(move |target| {
            let place = Place::new(&pose.inverse_transform_point(&target.point))?;
            let near = self.tree.knn_advanced(1, &place, CandidateContainer::Linear, &parameters, None);
            let sample = self.samples.get(near.first()?.index as usize)?;
            let normal = pose.rotation * sample.normal;
            let fits = target.normal.is_none_or(|other| other.dot(&normal) >= least_cosine);
            fits.then(|| Pair { target: *target, point: pose * sample.point, normal })
        })
    }
}

/// One step of Gauss and Newton on Σ w dᵀ (C_point + C_model)⁻¹ d with d = point − partner; how far it went [m] and turned [rad]. `None` if there
/// are too few pairs.
pub(super) fn step(
    side: &Side,
    target: &[TargetPoint],
    pose: &mut Isometry3<f64>,
    gate: f64,
    settings: &RegistrationSettings,
) -> Option<(f64, f64)> {
    /// Fewest pairs that tell a pose.
    const FEWEST: usize = 6;
    let (mut hessian, mut pull, mut count) = (Matrix6::zeros(), Vector6::zeros(), 0);
    let model_variance = settings.model_deviation * settings.model_deviation;
    for pair in side.pairs(target, pose, gate, settings) {
        let both = pair.target.covariance + disc(&pair.normal, model_variance, settings.along_surface);
        let Some(information) = both.try_inverse() else { continue };
        let off = pair.target.point - pair.point;
        let square = off.dot(&(information * off));
        let information = information * robust(square, settings);
        add(&mut hessian, &mut pull, &(pair.point - pose.translation.vector).coords, &information, &off);
        count += 1;
    }
    if count < FEWEST {
        return None;
    }
    // directions in which the model may be moved and looks the same are held
    let trace = [0, 3].map(|first| hessian.fixed_view::<3, 3>(first, first).trace() / 3.0);
    for axis in 0..6 {
        hessian[(axis, axis)] += 1e-4 * trace[axis / 3];
    }
    let change = hessian.cholesky()?.solve(&pull);
    let (shift, turn) = (change.fixed_rows::<3>(0).into_owned(), change.fixed_rows::<3>(3).into_owned());
    *pose = Isometry3::from_parts(
        (pose.translation.vector + shift).into(),
        UnitQuaternion::from_scaled_axis(turn) * pose.rotation,
    );
    Some((shift.norm(), turn.norm()))
}

/// A partner moves with the pose's origin by `shift + turn × arm`.
fn add(
    hessian: &mut Matrix6<f64>,
    pull: &mut Vector6<f64>,
    arm: &Vector3<f64>,
    information: &Matrix3<f64>,
    off: &Vector3<f64>,
) {
    let lever = arm.cross_matrix();
    let across = information * lever;
    let mut block = |row: usize, column: usize, value: Matrix3<f64>| {
        let mut view = hessian.fixed_view_mut::<3, 3>(row, column);
        view += value;
    };
    block(0, 0, *information);
    block(0, 3, -across);
    block(3, 0, -across.transpose());
    block(3, 3, -(lever * across));
    let force = information * off;
    let moment = arm.cross(&force);
    *pull += Vector6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z);
}

fn robust(square: f64, settings: &RegistrationSettings) -> f64 {
    1.0 / (1.0 + square / (settings.robust_scale * settings.robust_scale))
}

/// How well a pose fits the points, and how exact it is.
pub(super) struct Residuals {
    /// Share of the points that lie on the surface.
    pub matched: f64,
    /// Root mean square distance from the surface [m], points that are off weighted less.
    pub distance: f64,
    /// The same in standard deviations of the sensor.
    pub misfit: f64,
    /// Information of the pose from distances to the surface alone: translation of the origin, then rotation about it, along the axes of the fixed frame.
    pub information: Matrix6<f64>,
}

/// A point within so many standard deviations of the surface lies on it.
const NEAR: f64 = 4.0;

/// Of a pose, from the distances of points to the planes of their partners.
pub(super) fn residuals(
    side: &Side,
    target: &[TargetPoint],
    pose: &Isometry3<f64>,
    settings: &RegistrationSettings,
) -> Residuals {
    let (mut near, mut weights, mut square, mut normalised) = (0_usize, 0.0, 0.0, 0.0);
    let mut information = Matrix6::zeros();
    let model_variance = settings.model_deviation * settings.model_deviation;
    for pair in side.pairs(target, pose, settings.last_gate, settings) {
        let distance = (pair.target.point - pair.point).dot(&pair.normal);
        let variance = pair.normal.dot(&(pair.target.noise * pair.normal)) + model_variance;
        let ratio = distance * distance / variance;
        let weight = robust(ratio, settings);
        near += usize::from(ratio <= NEAR * NEAR);
        weights += weight;
        square += weight * distance * distance;
        normalised += weight * ratio;
        let turning = (pair.point - pose.translation.vector).coords.cross(&pair.normal);
        let row = Vector6::new(pair.normal.x, pair.normal.y, pair.normal.z, turning.x, turning.y, turning.z);
        information += row * row.transpose() * (weight / variance);
    }
    let weights = f64::max(weights, 1e-9);
    Residuals {
        matched: near as f64 / target.len().max(1) as f64,
        distance: (square / weights).sqrt(),
        misfit: (normalised / weights).sqrt(),
        information,
    }
}

/// A point as the tree wants it.
#[derive(Clone, Copy, Debug, Default)]
struct Place([NotNan<f64>; 3]);

impl Place {
    /// Nothing if a coordinate is no number.
    fn new(point: &Point3<f64>) -> Option<Place> {
        let [x, y, z] = [point.x, point.y, point.z].map(NotNan::new);
        Some(Place([x.ok()?, y.ok()?, z.ok()?]))
    }
}

impl nabo::Point<f64> for Place {
    const DIM: u32 = 3;

    fn set(&mut self, index: u32, value: NotNan<f64>) {
        self.0[index as usize] = value;
    }

    fn get(&self, index: u32) -> NotNan<f64> {
        self.0[index as usize]
    }
}
