//! From where registration starts.

use nalgebra::{Isometry3, Matrix3, Rotation3, Unit, UnitQuaternion, Vector3};

use super::seen::Visibility;
use crate::camera::CameraView;
use crate::cloud::Cluster;
use crate::model::ObjectModel;

/// Starts whose orientations are nearer to each other, as one can see them, end alike [rad].
const APART: f64 = 0.35;
/// Turns about the vertical beside those by quarters. One or two sides of a box have principal axes that are none of its own.
const TURNS: [f64; 3] = [0.0, core::f64::consts::FRAC_PI_6, -core::f64::consts::FRAC_PI_6];

/// Poses of a model in which one of its axes is upright, turned as the cluster's principal axes and between them, each once as far as its symmetry
/// can tell. The side that is seen then has the same middle as the cluster.
pub(super) fn starts(
    model: &ObjectModel,
    cluster: &Cluster,
    up: &Unit<Vector3<f64>>,
    view: &CameraView,
    visibility: &mut Visibility,
) -> Vec<Isometry3<f64>> {
    let frame = frame(cluster, up);
    let mut rotations: Vec<UnitQuaternion<f64>> = Vec::new();
    for turn in TURNS {
        let turned = UnitQuaternion::from_axis_angle(up, turn) * frame;
        for quarter in quarters() {
            let rotation = turned * quarter;
            let is_new = |known: &UnitQuaternion<f64>| model.symmetry().angle_between(known, &rotation) > APART;
            if rotations.iter().all(is_new) {
                rotations.push(rotation);
            }
        }
    }
    rotations.iter().map(|rotation| centred(model, rotation, cluster, view, visibility)).collect()
}

/// z is up, x the longest horizontal principal axis.
fn frame(cluster: &Cluster, up: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    let level = Matrix3::identity() - up.into_inner() * up.transpose();
    let eigen = nalgebra::SymmetricEigen::new(level * cluster.scatter * level);
    let longest = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    let along = (level * longest).try_normalize(1e-9).unwrap_or_else(|| any_across(up));
    let axes = Matrix3::from_columns(&[along, up.cross(&along), up.into_inner()]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

fn any_across(up: &Unit<Vector3<f64>>) -> Vector3<f64> {
    let helper = if up.x.abs() < 0.7 { Vector3::x() } else { Vector3::y() };
    (helper - up.into_inner() * up.dot(&helper)).normalize()
}

/// The 24 turns of a cube.
fn quarters() -> impl Iterator<Item = UnitQuaternion<f64>> {
    use core::f64::consts::{FRAC_PI_2, PI};
    let faces = [
        UnitQuaternion::identity(),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -FRAC_PI_2),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI),
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2),
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -FRAC_PI_2),
    ];
    let turn = |number: i32| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::from(number) * FRAC_PI_2);
    faces.into_iter().flat_map(move |face| (0..4).map(move |number| turn(number) * face))
}

/// The seen side is found with the object's origin in the middle of the cluster, and counts as it fills the picture.
fn centred(
    model: &ObjectModel,
    rotation: &UnitQuaternion<f64>,
    cluster: &Cluster,
    view: &CameraView,
    visibility: &mut Visibility,
) -> Isometry3<f64> {
    let mut pose = Isometry3::from_parts(cluster.centroid.coords.into(), *rotation);
    let (mut weight, mut sum) = (0.0, Vector3::zeros());
    for seen in visibility.seen(model.coarse(), &pose, view) {
        weight += seen.cosine;
        sum += seen.sample.point.coords * seen.cosine;
    }
    if weight > 0.0 {
        pose.translation.vector -= rotation * (sum / weight);
    }
    pose
}
