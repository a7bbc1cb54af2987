//! Poses of eight configurations.

use nalgebra::Isometry3;

use super::{Lanes, sine_and_cosine};

/// A constant point in single precision [m].
pub(crate) type Point = [f32; 3];

/// A constant pose in single precision: the rotation's rows, and the place [m].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed {
    rows: [[f32; 3]; 3],
    place: Point,
}

/// A pose of each configuration: the rotation's columns, and the place [m].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    columns: [[Lanes; 3]; 3],
    place: [Lanes; 3],
}

impl Fixed {
    pub fn new(pose: &Isometry3<f64>) -> Fixed {
        let rotation = pose.rotation.to_rotation_matrix();
        let row = |row: usize| core::array::from_fn(|column| rotation[(row, column)] as f32);
        let place = pose.translation.vector;
        Fixed { rows: [row(0), row(1), row(2)], place: [place.x as f32, place.y as f32, place.z as f32] }
    }

    /// Where points of each configuration are in this frame: the inverse of the pose, applied.
    #[inline(always)]
    pub fn take_in(&self, point: &[Lanes; 3]) -> [Lanes; 3] {
        let away: [Lanes; 3] = core::array::from_fn(|axis| point[axis] - Lanes::all(self.place[axis]));
        core::array::from_fn(|axis| {
            away[0] * self.rows[0][axis] + away[1] * self.rows[1][axis] + away[2] * self.rows[2][axis]
        })
    }
}

impl Frame {
    /// The frame of what does not move.
    pub fn base() -> Frame {
        let one = |row: usize, column: usize| Lanes::all(if row == column { 1.0 } else { 0.0 });
        Frame { columns: core::array::from_fn(|c| core::array::from_fn(|r| one(r, c))), place: [Lanes::ZERO; 3] }
    }

    /// A frame that hangs on this one, turned about its own z by an angle [rad] of each configuration.
    #[inline(always)]
    pub fn turned(&self, fixed: &Fixed, angle: Lanes) -> Frame {
        let (sine, cosine) = sine_and_cosine(angle);
        let [x, y, z] = self.turned_columns(fixed);
        let along = |axis: usize| x[axis] * cosine + y[axis] * sine;
        let across = |axis: usize| y[axis] * cosine - x[axis] * sine;
        Frame { columns: [core::array::from_fn(along), core::array::from_fn(across), z], place: self.at(&fixed.place) }
    }

    /// A frame that hangs on this one, slid along its own z by a way [m] of each configuration.
    #[inline(always)]
    pub fn slid(&self, fixed: &Fixed, way: Lanes) -> Frame {
        let columns = self.turned_columns(fixed);
        let place = self.at(&fixed.place);
        Frame { columns, place: core::array::from_fn(|axis| place[axis] + columns[2][axis] * way) }
    }

    #[inline(always)]
    fn turned_columns(&self, fixed: &Fixed) -> [[Lanes; 3]; 3] {
        let column = |column: usize| {
            core::array::from_fn(|axis| {
                self.columns[0][axis] * fixed.rows[0][column]
                    + self.columns[1][axis] * fixed.rows[1][column]
                    + self.columns[2][axis] * fixed.rows[2][column]
            })
        };
        [column(0), column(1), column(2)]
    }

    /// Where a point that is fixed to the frame is.
    #[inline(always)]
    pub fn at(&self, point: &Point) -> [Lanes; 3] {
        core::array::from_fn(|axis| {
            self.columns[0][axis] * point[0]
                + self.columns[1][axis] * point[1]
                + self.columns[2][axis] * point[2]
                + self.place[axis]
        })
    }

    /// Where points of each configuration are in this frame.
    #[inline(always)]
    pub fn take_in(&self, point: &[Lanes; 3]) -> [Lanes; 3] {
        let away: [Lanes; 3] = core::array::from_fn(|axis| point[axis] - self.place[axis]);
        core::array::from_fn(|axis| {
            let [x, y, z] = self.columns[axis];
            away[0] * x + away[1] * y + away[2] * z
        })
    }
}
