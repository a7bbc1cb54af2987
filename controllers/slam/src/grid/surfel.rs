//! A piece of surface.

use nalgebra::{Matrix3, Point3, Vector3};

use super::moments::Moments;
use super::symmetric::{direction_of, smallest_direction};

/// The points of one cell as a normal distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surfel {
    /// The level of its cell: 0 is the finest.
    pub level: usize,
    /// Side of its cell [m].
    pub cell: f64,
    /// Number of points, less what has been forgotten.
    pub weight: f64,
    /// Their mean [m].
    pub mean: Point3<f64>,
    /// Their covariance [m²].
    pub covariance: Matrix3<f64>,
    /// Its eigenvalues, ascending [m²]: the first is the variance along the normal.
    pub variances: [f64; 3],
    /// Direction of the least variance, towards the viewer; of unit length.
    pub normal: Vector3<f64>,
    /// Mean direction to the viewer.
    pub to_viewer: Vector3<f64>,
}

impl Surfel {
    /// So many points are needed for a normal.
    const FEWEST_POINTS: f64 = 6.0;
    /// A surface is known across a cell if the lesser deviation in the plane is at least this share of the cell's side; a
    /// single scan line has no normal. An evenly filled cell has 0.29.
    const LEAST_SPREAD: f64 = 0.12;
    /// The deviation along the normal is at most this share of the lesser one in the plane.
    const THICKEST: f64 = 0.4;
    /// The normal is known at least so well: one standard deviation [rad].
    const MOST_TILT: f64 = 0.02;
    /// A surface is seen from its front: sine of the angle at which beams meet it, at least. The beams of one scan lie in a plane
    /// themselves; where they cross an edge between two surfaces, that plane is all that the cell knows, seen edge-on.
    const LEAST_FACING: f64 = 0.05;

    pub(crate) fn new(level: usize, cell: f64, middle: &Point3<f64>, moments: &Moments) -> Surfel {
        let covariance = moments.covariance();
        let (variances, normal) = smallest_direction(&covariance);
        let away = normal.dot(&moments.to_viewer()) < 0.0;
        Surfel {
            level,
            cell,
            weight: f64::from(moments.weight),
            mean: moments.mean(middle),
            covariance,
            variances: variances.map(|variance| variance.max(0.0)),
            normal: if away { -normal } else { normal },
            to_viewer: moments.to_viewer(),
        }
    }

    /// A surfel of other points in the place of `at`, seen from the same side.
    pub(crate) fn of_points(at: &Surfel, weight: f64, covariance: Matrix3<f64>) -> Surfel {
        let (variances, normal) = smallest_direction(&covariance);
        let away = normal.dot(&at.to_viewer) < 0.0;
        let variances = variances.map(|variance| variance.max(0.0));
        Surfel { weight, covariance, variances, normal: if away { -normal } else { normal }, ..*at }
    }

    /// Its direction, if it is a line.
    pub(crate) fn line(&self) -> Option<Vector3<f64>> {
        let [_, across, along] = self.variances;
        let is_line = self.weight >= 3.0 && along >= 9.0 * across;
        if is_line { direction_of(&self.covariance, along) } else { None }
    }

    /// True if a point may be one of its own.
    pub(crate) fn holds(&self, point: &Point3<f64>) -> bool {
        const DEVIATIONS: f64 = 3.0;
        let off = point - self.mean;
        self.spread().try_inverse().is_some_and(|inverse| off.dot(&(inverse * off)) < DEVIATIONS * DEVIATIONS)
    }

    /// Its covariance, no thinner than a scan line is taken to be [m²].
    pub(super) fn spread(&self) -> Matrix3<f64> {
        const THINNEST: f64 = 0.03;
        self.covariance + Matrix3::identity() * (THINNEST * THINNEST)
    }

    /// True if it has a normal that can be believed: enough points, spread out over the cell, thin.
    pub fn is_flat(&self) -> bool {
        let [along_normal, across, _] = self.variances;
        let least_spread = Surfel::LEAST_SPREAD * self.cell;
        self.weight >= Surfel::FEWEST_POINTS
            && across >= least_spread * least_spread
            && along_normal <= Surfel::THICKEST * Surfel::THICKEST * across
            && self.tilt() <= Surfel::MOST_TILT * Surfel::MOST_TILT
            && self.normal.dot(&self.to_viewer).abs() >= Surfel::LEAST_FACING * self.to_viewer.norm()
    }

    /// Variance of the normal's direction, by the number and spread of the points [rad²].
    pub fn tilt(&self) -> f64 {
        self.variances[0] / (self.weight * self.variances[1]).max(f64::MIN_POSITIVE)
    }

    /// Radius of a disc with the same spread [m].
    pub fn radius(&self) -> f64 {
        (self.variances[1] + self.variances[2]).sqrt() * core::f64::consts::SQRT_2
    }
}
