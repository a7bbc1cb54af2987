//! Points packed one after the other, with fields by name and offset: what `foxglove.PointCloud` and `sensor_msgs/PointCloud2`
//! have in common.

use robot_io::Time;

use crate::cloud::{Cloud, TimeColumn};
use crate::error::{Mismatch, mismatch};

/// More points are no sweep of a laser; large ones today have half a million.
const MOST_POINTS: usize = 4_000_000;
/// More fields are no cloud.
pub(crate) const MOST_FIELDS: usize = 256;
/// Names of fields that tell when a point was measured, as the drivers of Velodyne, Ouster, Hesai, RoboSense and Livox have them.
const TIME_FIELDS: [&str; 6] = ["t", "time", "timestamp", "offset_time", "time_offset", "time_stamp"];

/// The type of a field's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

/// One number of each point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// From the point's first byte.
    pub(crate) offset: usize,
    pub(crate) kind: Kind,
}

/// Points as they stand in a message.
#[derive(Clone, Debug)]
pub(crate) struct Packed<'a> {
    pub(crate) fields: Vec<Field>,
    /// From a point to the next, and from a row to the next [bytes].
    pub(crate) stride: usize,
    pub(crate) row_stride: usize,
    /// Points in a row, and rows.
    pub(crate) width: usize,
    pub(crate) rows: usize,
    pub(crate) is_big_endian: bool,
    pub(crate) data: &'a [u8],
}

impl Packed<'_> {
    /// The points that are any.
    pub(crate) fn cloud(&self, stamp: Time, frame: String) -> Result<Cloud, Mismatch> {
        let count = self.check_size()?;
        let axes = [self.need("x")?, self.need("y")?, self.need("z")?];
        let time = TIME_FIELDS.iter().find_map(|name| self.fields.iter().find(|field| &*field.name == *name));
        let time = time.map(|field| self.checked(field)).transpose()?;
        let mut cloud = Cloud { stamp, frame, points: Vec::with_capacity(count), ..Cloud::default() };
        let mut values = Vec::with_capacity(if time.is_some() { count } else { 0 });
        for begin in self.begins() {
            let point = axes.map(|field| self.number(field, begin) as f32);
            if !is_echo(&point) {
                continue;
            }
            cloud.points.push(point);
            values.extend(time.map(|field| self.number(field, begin)));
        }
        cloud.times = time.map(|field| TimeColumn { name: field.name.clone(), values });
        Ok(cloud)
    }

    /// How many points there are; all of them lie within the data.
    fn check_size(&self) -> Result<usize, Mismatch> {
        let count = self.width.checked_mul(self.rows).filter(|count| *count <= MOST_POINTS);
        let count = count.ok_or_else(|| {
            mismatch(format!("at most {MOST_POINTS} points"), format!("{} × {}", self.width, self.rows))
        })?;
        if count == 0 {
            return Ok(0);
        }
        let row = self.width.saturating_mul(self.stride);
        let size = self.row_stride.saturating_mul(self.rows - 1).saturating_add(row);
        if self.stride == 0 || self.rows > 1 && self.row_stride < row {
            let found = format!("{} and {}", self.stride, self.row_stride);
            return Err(mismatch(format!("sizes of a point and of a row of {} that hold them", self.width), found));
        }
        if size > self.data.len() {
            return Err(mismatch(format!("{size} bytes of points"), self.data.len()));
        }
        Ok(count)
    }

    fn begins(&self) -> impl Iterator<Item = usize> {
        let (width, stride, row_stride) = (self.width, self.stride, self.row_stride);
        (0..self.rows).flat_map(move |row| (0..width).map(move |column| row * row_stride + column * stride))
    }

    fn need(&self, name: &str) -> Result<&Field, Mismatch> {
        let field = self.fields.iter().find(|field| field.name == name);
        let names = || self.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(" ");
        self.checked(field.ok_or_else(|| mismatch("fields x y z", names()))?)
    }

    /// A field that lies within a point.
    fn checked<'f>(&self, field: &'f Field) -> Result<&'f Field, Mismatch> {
        let end = field.offset.saturating_add(field.kind.size());
        if end <= self.stride || self.width * self.rows == 0 {
            return Ok(field);
        }
        Err(mismatch(
            format!("field '{}' within the {} bytes of a point", field.name, self.stride),
            format!("{} bytes at {}", field.kind.size(), field.offset),
        ))
    }

    /// Nothing beyond the data, which `check_size` and `checked` have seen to.
    fn number(&self, field: &Field, begin: usize) -> f64 {
        let begin = begin + field.offset;
        let mut bytes = [0; 8];
        let size = field.kind.size();
        let Some(found) = self.data.get(begin..begin + size) else { return f64::NAN };
        bytes[..size].copy_from_slice(found);
        if self.is_big_endian {
            bytes[..size].reverse();
        }
        field.kind.number(bytes)
    }
}

/// Numbers of a thing that lasers can see.
pub(crate) fn is_echo(point: &[f32; 3]) -> bool {
    point.iter().all(|at| at.is_finite() && at.abs() < 1e5) && point.iter().any(|at| *at != 0.0)
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    fn number(self, bytes: [u8; 8]) -> f64 {
        let [a, b, c, d, ..] = bytes;
        match self {
            Kind::I8 => f64::from(a as i8),
            Kind::U8 => f64::from(a),
            Kind::I16 => f64::from(i16::from_le_bytes([a, b])),
            Kind::U16 => f64::from(u16::from_le_bytes([a, b])),
            Kind::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Kind::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Kind::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Kind::F64 => f64::from_le_bytes(bytes),
        }
    }
}
