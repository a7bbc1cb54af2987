//! Which pieces of surface belong together.

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Vector3};

use super::RegistrationSettings;
use super::target::{Plane, PlaneLevel};
use crate::Surfel;
use crate::grid::{SurfelCloud, floor};

/// A surfel of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    level: usize,
    mean: Point3<f64>,
    covariance: Matrix3<f64>,
    points: f64,
    /// If it is flat.
    pub(super) normal: Option<Vector3<f64>>,
    /// Its direction if it is a scan line instead.
    line: Option<Vector3<f64>>,
}

/// A surfel of the source and a partner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Index of the source's surfel.
    pub(super) piece: usize,
    /// Mean of the source's surfel, in the source frame [m].
    pub(super) from: Point3<f64>,
    pub(super) plane: Plane,
    /// Its part in all pairs of the same surfel of the source.
    pub(super) share: f64,
    /// Of the distance along the normal [m²].
    pub(super) variance: f64,
}

impl Pair {
    /// Of the surfel from its partner, along the partner's normal [m].
    pub(super) fn distance(&self, pose: &Isometry3<f64>) -> f64 {
        self.plane.normal.dot(&(pose * self.from - self.plane.mean))
    }
}

impl Piece {
    /// How far it is from lying in a surface with the normal that most surfels have, 0 to 1.
    pub(super) fn stands_out(&self, common: &Vector3<f64>) -> f64 {
        let squared = |direction: Vector3<f64>| direction.dot(common) * direction.dot(common);
        match (self.normal, self.line) {
            (Some(normal), _) => 1.0 - squared(normal),
            (None, Some(line)) => squared(line),
            (None, None) => 0.0,
        }
    }
}

/// The source's surfels for a stage that begins with `finest`.
pub(super) fn pieces_of(cloud: &SurfelCloud, finest: usize) -> Vec<Piece> {
    const FEWEST_POINTS: f64 = 3.0;
    let piece = |surfel: Surfel| {
        let normal = surfel.is_flat().then_some(surfel.normal);
        let line = if normal.is_some() { None } else { surfel.line() };
        let Surfel { level, mean, covariance, weight: points, .. } = surfel;
        Piece { level, mean, covariance, points, normal, line }
    };
    cloud.finest_surfels(finest).filter(|surfel| surfel.weight >= FEWEST_POINTS).map(piece).collect()
}

/// Seeks partners for all pieces at a pose.
pub(super) fn seek(
    pieces: &[Piece],
    target: &[PlaneLevel<'_>],
    source_in_target: &Isometry3<f64>,
    settings: &RegistrationSettings,
    pairs: &mut Vec<Pair>,
) {
    /// With less than this the surface is better known on a coarser level.
    const LEAST_SHARE: f64 = 0.25;
    let rotation = source_in_target.rotation.to_rotation_matrix();
    let back = rotation.transpose();
    pairs.clear();
    for (number, piece) in pieces.iter().enumerate() {
        let placed = Piece {
            mean: source_in_target * piece.mean,
            normal: piece.normal.map(|normal| rotation * normal),
            ..*piece
        };
        for level in target.iter().skip(piece.level) {
            let before = pairs.len();
            let found = partners(&placed, &back, level, settings, |plane, across, share| {
                let own = across / placed.points;
                let aside = (placed.mean - plane.mean).norm_squared();
                let variance = settings.sharpness * settings.sharpness + plane.variance + own + plane.tilt * aside;
                pairs.push(Pair { piece: number, from: piece.mean, plane: *plane, share, variance });
            });
            if found >= LEAST_SHARE {
                pairs[before..].iter_mut().for_each(|pair| pair.share /= found.max(0.5));
                break;
            }
            pairs.truncate(before);
        }
    }
}

/// Shows the eight planes about a piece that agree with it, with the variance of the piece's points across them [m²] and the weights
/// of linear interpolation between the cells: a piece that wanders from cell to cell changes partners without a jump. Returns the sum
/// of the weights. The piece's mean and normal are in the target's frame, its covariance is not: `back` leads there.
fn partners(
    piece: &Piece,
    back: &Rotation3<f64>,
    level: &PlaneLevel<'_>,
    settings: &RegistrationSettings,
    mut show: impl FnMut(&Plane, f64, f64),
) -> f64 {
    let in_cells = piece.mean.coords / level.cell - Vector3::repeat(0.5);
    let key = [in_cells.x, in_cells.y, in_cells.z].map(floor);
    let part = [0, 1, 2].map(|axis| in_cells[axis] - f64::from(key[axis]));
    let mut sum = 0.0;
    for corner in 0..8 {
        let upper = [corner & 1, corner >> 1 & 1, corner >> 2];
        let along = |axis: usize| if upper[axis] == 1 { part[axis] } else { 1.0 - part[axis] };
        let share = along(0) * along(1) * along(2);
        let at = [key[0] + upper[0], key[1] + upper[1], key[2] + upper[2]];
        let Some(plane) = level.get(at) else { continue };
        let normal = back * plane.normal;
        let across = normal.dot(&(piece.covariance * normal));
        if agree(piece, plane, across, settings) {
            show(plane, across, share);
            sum += share;
        }
    }
    sum
}

/// `across` is the variance of the piece's points along the plane's normal [m²]. Normals point the same way; what has no normal, a scan line or an edge, lies along the plane.
fn agree(piece: &Piece, plane: &Plane, across: f64, settings: &RegistrationSettings) -> bool {
    match piece.normal {
        Some(normal) => normal.dot(&plane.normal) >= settings.agreement,
        None => {
            let sine_squared = 1.0 - settings.agreement * settings.agreement;
            across <= sine_squared * piece.covariance.trace() + settings.sharpness * settings.sharpness
        }
    }
}
