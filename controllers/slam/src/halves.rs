//! The laser on its axis, from the two halves of a turn.
//!
//! The scan plane reaches to both sides of the axis, so that in a whole turn every surface is seen twice, half a turn apart, by
//! beams on opposite sides. If the laser sits on the axis as it is believed to, both see the same surface; else they lie apart,
//! in a way that depends on what is wrong. After Sheehan, Harrison and Newman, "Self-calibration for a 3D laser" (IJRR 2012), and
//! Maddern, Harrison and Newman, "Lost in translation (and rotation)" (ICRA 2012), which make a whole cloud sharp; here the two
//! sides are compared surface by surface, so that the result comes with its covariance.

use core::ops::SubAssign;

use nalgebra::{Isometry3, Matrix3, Point3, Vector3, Vector6};

use crate::belief::Evidence;
use crate::grid::{Window, point, smallest_direction};

/// What one scan adds: where the frame that turns was, in the base frame at the turn's end, and points in it [m].
pub(crate) struct Half<'a> {
    pub(crate) turned: Isometry3<f64>,
    /// Direction in the turned frame, across the axis, in which the scan plane reaches out.
    pub(crate) outwards: Vector3<f64>,
    /// In the base frame at the turn's end.
    pub(crate) points: &'a mut dyn Iterator<Item = [f32; 3]>,
}

/// Compares the sides of a turn.
pub(crate) struct Sides {
    window: Window,
    /// Index of a cell plus one; zero for none.
    places: Vec<u32>,
    cells: Vec<[Side; 2]>,
    points: Vec<Seen>,
    frames: Vec<Matrix3<f64>>,
}

/// A point: its cell, its side, its scan, and where in the frame that turns.
struct Seen {
    cell: u32,
    side: u8,
    frame: u16,
    position: Vector3<f64>,
}

/// What one side saw of a cell.
#[derive(Clone, Copy, Default)]
struct Side {
    count: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
    /// How the points' distance along the normal changes with the laser's place, summed.
    row: Vector6<f64>,
    normal: Option<Vector3<f64>>,
    variance: f64,
}

/// Nearer to the axis a point belongs to neither side [m].
const NEAREST: f64 = 0.4;
/// [m]
const CELL: f64 = 0.4;

impl Sides {
    pub(crate) fn new(centre: &Point3<f64>) -> Sides {
        let mut window = Window::new(CELL, 64, 16);
        window.recentre(centre, |_| {});
        Sides { window, places: vec![0; window.len()], cells: Vec::new(), points: Vec::new(), frames: Vec::new() }
    }

    /// Takes in a scan.
    pub(crate) fn add(&mut self, half: Half<'_>) {
        let back = half.turned.inverse();
        for seen in half.points {
            let in_base = point(&seen);
            let position = (back * in_base).coords;
            let out = position.dot(&half.outwards);
            let key = self.window.key(&in_base);
            let Some(place) = self.window.place(key).filter(|_| out.abs() > NEAREST) else { continue };
            if self.places[place] == 0 {
                self.cells.push(Default::default());
                self.places[place] = self.cells.len() as u32;
            }
            let (cell, side) = (self.places[place] - 1, u8::from(out > 0.0));
            let offset = in_base - self.window.middle(key);
            let of_side = &mut self.cells[cell as usize][usize::from(side)];
            of_side.count += 1.0;
            of_side.first += offset;
            of_side.second += offset * offset.transpose();
            self.points.push(Seen { cell, side, frame: self.frames.len() as u16, position });
        }
        self.frames.push(half.turned.rotation.to_rotation_matrix().into_inner());
    }

    /// What the turn says about how the laser has to be moved in the frame that turns, translation [m] then rotation [rad], if it
    /// was put there with `applied`; and on how many surfaces that rests. `axis` is the direction of the axis there.
    pub(crate) fn evidence(mut self, applied: &Vector6<f64>, axis: &Vector3<f64>) -> (Evidence<6>, usize) {
        self.cells.iter_mut().for_each(find_normal);
        for seen in &self.points {
            let cell = &mut self.cells[seen.cell as usize];
            let Some(normal) = cell[0].normal else { continue };
            let normal = self.frames[usize::from(seen.frame)].tr_mul(&normal);
            cell[usize::from(seen.side)].row += moment(&seen.position, &normal);
        }
        let (mut evidence, mut surfaces) = (Evidence::default(), 0);
        for [one, other] in &self.cells {
            let Some(normal) = one.normal else { continue };
            let apart = normal.dot(&(one.first / one.count - other.first / other.count));
            // whoever moves the laser along its axis or turns it about it moves the whole cloud
            let mut row = one.row / one.count - other.row / other.count;
            for part in [0, 3] {
                let along = axis * row.fixed_rows::<3>(part).dot(axis);
                row.fixed_rows_mut::<3>(part).sub_assign(&along);
            }
            evidence.add(&row, row.dot(applied) - apart, weight(apart, one.variance));
            surfaces += 1;
        }
        (evidence, surfaces)
    }
}

/// How the distance of a point along a normal changes with a translation and with a rotation about the origin.
fn moment(at: &Vector3<f64>, normal: &Vector3<f64>) -> Vector6<f64> {
    let turn = at.cross(normal);
    Vector6::new(normal.x, normal.y, normal.z, turn.x, turn.y, turn.z)
}

/// Of a distance [m] between two sides of a surface: little if they lie far apart (Geman and McClure).
fn weight(apart: f64, variance: f64) -> f64 {
    const WIDTH: f64 = 0.06;
    let softness = WIDTH * WIDTH / (WIDTH * WIDTH + apart * apart);
    softness * softness / variance
}

/// The normal that both sides of a cell have in common, if they see a flat surface there.
fn find_normal(cell: &mut [Side; 2]) {
    const FEWEST: f64 = 5.0;
    /// Deviation along the normal [m], and that across it [shares of the cell].
    const THICKEST: f64 = 0.025;
    const LEAST_SPREAD: f64 = 0.15;
    /// Of surfaces that are not quite flat [m].
    const ROUGHNESS: f64 = 0.008;
    let [one, other] = cell;
    if one.count < FEWEST || other.count < FEWEST {
        return;
    }
    let scatter = |side: &Side| {
        let mean = side.first / side.count;
        side.second / side.count - mean * mean.transpose()
    };
    let ([thick, narrow, _], normal) = smallest_direction(&((scatter(one) + scatter(other)) * 0.5));
    let aside = (one.first / one.count - other.first / other.count).norm_squared();
    if thick < THICKEST * THICKEST && narrow > LEAST_SPREAD * LEAST_SPREAD * CELL * CELL {
        let fewer = one.count.min(other.count);
        let tilt = thick.max(ROUGHNESS * ROUGHNESS) / (fewer * narrow);
        one.variance = ROUGHNESS * ROUGHNESS + 2.0 * thick.max(0.0) / fewer + tilt * aside;
        one.normal = Some(normal);
    }
}
