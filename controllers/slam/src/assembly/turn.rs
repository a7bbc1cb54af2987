//! A whole turn of the axis, scan by scan.

use nalgebra::{Isometry3, Point3, Vector3, Vector6};
use robot_io::{Packed, Sealed, State, StateVisitor, Time};

use crate::correction::Correction;
use crate::halves::{Half, Sides};
use crate::{Motion, Sweep, SweepPoint};

/// One whole turn of the axis; each scan is still in the frame of its own time. Cheap to clone, to hash and to wait with.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Turn {
    /// Counts turns.
    pub number: u64,
    /// How the robot moved meanwhile.
    pub motion: Motion,
    /// What it was made with.
    pub(crate) correction: Correction,
    /// Direction in the frame that turns, across the axis, in which the scan plane reaches out.
    pub(super) outwards: Vector3<f64>,
    /// Direction of the axis in that frame.
    pub(crate) axis: Vector3<f64>,
    /// By how much each second moves what turns, as seen in the base: translation [m/s], rotation [rad/s].
    pub(crate) turning: Vector6<f64>,
    pub(super) scans: Vec<Sealed<ScanPoints>>,
}

/// What a scan adds to a sweep.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(super) struct ScanPoints {
    /// When its first and last beam were measured.
    pub begin: Time,
    pub end: Time,
    /// The base in the odometry frame at both times.
    pub begin_in_odom: Isometry3<f64>,
    pub end_in_odom: Isometry3<f64>,
    /// The scanner in the base frame at `begin` [m].
    #[state(with = "visit_origin")]
    pub origin: [f32; 3],
    /// The frame that turns in the base frame at `begin`, at the middle of the scan.
    pub turned: Isometry3<f64>,
    /// Hits: positions in the base frame at `begin`, times from `begin`.
    pub points: Vec<SweepPoint>,
    /// Ends of beams that met nothing, in the base frame at `begin` [m].
    #[state(packed)]
    pub misses: Vec<[f32; 3]>,
}

impl Turn {
    /// When its first beam was measured.
    pub fn begin(&self) -> Time {
        self.scans.first().map_or(Time::ZERO, |scan| scan.begin)
    }

    /// When its last beam was measured.
    pub fn end(&self) -> Time {
        self.scans.last().map_or(Time::ZERO, |scan| scan.end)
    }

    /// The base in the odometry frame when its last beam was measured.
    pub fn base_in_odom(&self) -> Isometry3<f64> {
        self.scans.last().map_or_else(Isometry3::identity, |scan| scan.end_in_odom)
    }

    /// All points in the base frame at the turn's end. This is the work of a millisecond or two.
    pub fn sweep(&self) -> Sweep {
        let (end, base_in_odom) = (self.end(), self.base_in_odom());
        let mut sweep = Sweep {
            number: self.number,
            begin: self.begin(),
            end,
            points: Vec::with_capacity(self.scans.iter().map(|scan| scan.points.len()).sum()),
            misses: Vec::with_capacity(self.scans.iter().map(|scan| scan.misses.len()).sum()),
            origins: Vec::with_capacity(self.scans.len()),
            begin_in_odom: self.scans.first().map_or(base_in_odom, |scan| scan.begin_in_odom),
            base_in_odom,
            motion: self.motion,
            laser: self.correction.laser,
        };
        for scan in &self.scans {
            let to_end = base_in_odom.inv_mul(&scan.begin_in_odom);
            let (turn, shift) = (to_end.rotation.to_rotation_matrix(), to_end.translation);
            let moved = |position: [f32; 3]| single(&(shift * (turn * Point3::from(position).cast::<f64>())));
            let (origin, before_end) = (sweep.origins.len() as u16, end.since(scan.begin).seconds());
            sweep.origins.push(moved(scan.origin));
            sweep.misses.extend(scan.misses.iter().map(|end| moved(*end)));
            sweep.points.extend(scan.points.iter().map(|point| SweepPoint {
                position: moved(point.position),
                time: (f64::from(point.time) - before_end).min(0.0) as f32,
                origin,
                ..*point
            }));
        }
        sweep
    }
}

impl Turn {
    /// What both sides of the scan plane saw of it; nothing without a scan.
    pub(crate) fn sides(&self, sweep: &Sweep) -> Option<Sides> {
        /// Of the points one in so many is enough.
        const EACH: usize = 1;
        let turned_in_end = |scan: &ScanPoints| self.base_in_odom().inv_mul(&scan.begin_in_odom) * scan.turned;
        let middle = turned_in_end(self.scans.get(self.scans.len() / 2)?);
        let mut sides = Sides::new(&middle.translation.vector.into());
        let mut points = sweep.points.as_slice();
        for scan in &self.scans {
            let (own, rest) = points.split_at(scan.points.len().min(points.len()));
            points = rest;
            let mut own = own.iter().step_by(EACH).map(|point| point.position);
            sides.add(Half { turned: turned_in_end(scan), outwards: self.outwards, points: &mut own });
        }
        Some(sides)
    }
}

/// A point in single precision: enough for what lies within the range of a scanner.
pub(super) fn single(point: &Point3<f64>) -> [f32; 3] {
    [point.x as f32, point.y as f32, point.z as f32]
}

/// As a list of one point.
fn visit_origin(origin: &mut [f32; 3], visitor: &mut dyn StateVisitor) {
    let mut list = vec![*origin];
    Packed(&mut list).visit_state(visitor);
    *origin = list.first().copied().unwrap_or_default();
}

/// Four words.
impl State for SweepPoint {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let ([x, y, z], [u, v, w]) = (self.position, self.as_measured);
        let mut words = [
            join(x.to_bits(), y.to_bits()),
            join(z.to_bits(), u.to_bits()),
            join(v.to_bits(), w.to_bits()),
            join(self.time.to_bits(), u32::from(self.origin) << 16 | u32::from(self.intensity)),
        ];
        words.iter_mut().for_each(|word| visitor.word(word));
        let [x, y, z, u, v, w, time] = core::array::from_fn(|place| {
            let word = words[place / 2];
            f32::from_bits(if place % 2 == 0 { word as u32 } else { (word >> 32) as u32 })
        });
        let [.., last] = words;
        let (origin, intensity) = ((last >> 48) as u16, (last >> 32) as u16);
        *self = SweepPoint { position: [x, y, z], as_measured: [u, v, w], time, origin, intensity };
    }
}

fn join(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
