//! What range finders report, and clouds of points made of it.

use std::borrow::Cow;

use nalgebra::{Point3, UnitVector3, Vector3};
use serde::{Deserialize, Serialize};

use crate::math::{cos, sin};
use crate::{Period, State, StateVisitor, Time};

/// How a scanning range finder scans. Beam `i` points at `first_angle + i·angle_step`, counter-clockwise about the sensor's
/// z axis from its x axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State)]
pub struct ScanGeometry {
    /// Direction of the first beam [rad].
    pub first_angle: f64,
    /// From one beam to the next [rad].
    pub angle_step: f64,
    /// Beams in a scan.
    pub beams: usize,
    /// From the first beam of one scan to the first of the next.
    pub period: Period,
    /// Steps of `angle_step` in a whole turn of the mirror, which takes one period: beams and the dead sector.
    pub steps_per_turn: usize,
    /// Nearest distance that is measured [m].
    pub min_range: f64,
    /// Farthest distance that is measured [m].
    pub max_range: f64,
}

impl ScanGeometry {
    /// Direction of a beam [rad].
    pub fn angle(&self, beam: usize) -> f64 {
        self.first_angle + beam as f64 * self.angle_step
    }

    /// Direction of a beam in the sensor's frame.
    pub fn direction(&self, beam: usize) -> UnitVector3<f64> {
        let angle = self.angle(beam);
        UnitVector3::new_unchecked(Vector3::new(cos(angle), sin(angle), 0.0))
    }

    /// How long after a scan's stamp a beam is measured. The mirror turns evenly.
    pub fn delay(&self, beam: usize) -> Period {
        let nanoseconds = u128::from(self.period.nanoseconds()) * beam as u128 / self.steps_per_turn.max(1) as u128;
        Period::from_nanoseconds(nanoseconds as u64)
    }

    /// How long after its stamp a scan is complete.
    pub fn duration(&self) -> Period {
        self.delay(self.beams)
    }
}

impl Default for ScanGeometry {
    fn default() -> Self {
        let period = Period::from_milliseconds(25);
        let (beams, steps_per_turn) = (0, 1440);
        ScanGeometry {
            first_angle: 0.0,
            angle_step: 0.0,
            beams,
            period,
            steps_per_turn,
            min_range: 0.0,
            max_range: 0.0,
        }
    }
}

/// One turn of a scanning range finder, as the device reports it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct LaserScan {
    /// When the first beam was measured.
    pub stamp: Time,
    /// How it was scanned.
    pub geometry: ScanGeometry,
    /// Distance along each beam [mm], the resolution of Hokuyo's devices; 0 where nothing came back.
    #[state(packed)]
    pub ranges: Vec<u16>,
    /// Strength of each echo, in the device's own unit; 0 where nothing came back.
    #[state(packed)]
    pub intensities: Vec<u16>,
}

impl LaserScan {
    /// The distance along a beam [m]; `None` where nothing came back.
    pub fn range(&self, beam: usize) -> Option<f64> {
        self.ranges.get(beam).filter(|range| **range > 0).map(|range| 1e-3 * f64::from(*range))
    }

    /// Where a beam ends, in the sensor's frame [m]; `None` where nothing came back.
    pub fn point(&self, beam: usize) -> Option<Point3<f64>> {
        self.range(beam).map(|range| Point3::from(self.geometry.direction(beam).into_inner() * range))
    }

    /// When a beam was measured.
    pub fn time_of(&self, beam: usize) -> Time {
        self.stamp + self.geometry.delay(beam)
    }
}

/// Points in one frame at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PointCloud {
    /// The time at which the frame was where the points are given.
    pub stamp: Time,
    /// The frame in which the points are given.
    pub frame: Cow<'static, str>,
    /// The points [m].
    pub points: Vec<[f32; 3]>,
    /// When each was measured, relative to the stamp [s]; empty if nobody knows.
    pub times: Vec<f32>,
    /// Strength of each echo; empty if nobody knows.
    pub intensities: Vec<u16>,
}

impl State for PointCloud {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("stamp", &mut self.stamp);
        let mut frame = core::mem::take(&mut self.frame).into_owned().into_bytes();
        visitor.field("frame", &mut Packed(&mut frame));
        self.frame = Cow::Owned(String::from_utf8_lossy(&frame).into_owned());
        visitor.field("points", &mut Packed(&mut self.points));
        visitor.field("times", &mut Packed(&mut self.times));
        visitor.field("intensities", &mut Packed(&mut self.intensities));
    }
}

/// Small values, as many to a word as go in. The length is part of the state; an absurd one, from a broken snapshot, is not
/// believed.
pub struct Packed<'a, T>(pub &'a mut Vec<T>);

/// A small value that shares words of state with others.
pub trait Pack: Copy + Default {
    /// How many go into a word.
    const PER_WORD: usize;

    /// The value in the low bits of a word.
    fn to_bits(self) -> u64;

    /// The value back from the low bits of a word.
    fn from_bits(bits: u64) -> Self;
}

impl Pack for u8 {
    const PER_WORD: usize = 8;

    fn to_bits(self) -> u64 {
        u64::from(self)
    }

    fn from_bits(bits: u64) -> Self {
        bits as u8
    }
}

impl Pack for u16 {
    const PER_WORD: usize = 4;

    fn to_bits(self) -> u64 {
        u64::from(self)
    }

    fn from_bits(bits: u64) -> Self {
        bits as u16
    }
}

impl Pack for u32 {
    const PER_WORD: usize = 2;

    fn to_bits(self) -> u64 {
        u64::from(self)
    }

    fn from_bits(bits: u64) -> Self {
        bits as u32
    }
}

impl Pack for f32 {
    const PER_WORD: usize = 2;

    fn to_bits(self) -> u64 {
        u64::from(f32::to_bits(self))
    }

    fn from_bits(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
}

impl<T: Pack> State for Packed<'_, T> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        const LONGEST: usize = 1 << 26;
        let width = 64 / T::PER_WORD;
        let mut length = self.0.len();
        length.visit_state(visitor);
        if length != self.0.len() && length <= LONGEST {
            self.0.resize_with(length, T::default);
        }
        for group in self.0.chunks_mut(T::PER_WORD) {
            let shown = group.iter().rev().fold(0_u64, |word, value| word << width | value.to_bits());
            let mut word = shown;
            visitor.word(&mut word);
            if word != shown {
                group.iter_mut().enumerate().for_each(|(place, value)| *value = T::from_bits(word >> (place * width)));
            }
        }
    }
}

impl State for Packed<'_, [f32; 3]> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut flat: Vec<f32> = self.0.as_flattened().to_vec();
        Packed(&mut flat).visit_state(visitor);
        let (points, _) = flat.as_chunks::<3>();
        self.0.clear();
        self.0.extend_from_slice(points);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::{StateReader, StateWriter};

    fn scan() -> LaserScan {
        let geometry = ScanGeometry {
            first_angle: -2.356,
            angle_step: 0.004363,
            beams: 1081,
            min_range: 0.1,
            max_range: 30.0,
            ..ScanGeometry::default()
        };
        let ranges = (0..1081).map(|beam| if beam % 7 == 0 { 0 } else { 1000 + beam }).collect();
        LaserScan { stamp: Time::from_seconds(1.0), geometry, ranges, intensities: vec![3; 1081] }
    }

    #[test]
    fn the_beams_of_a_scan_come_one_after_the_other() {
        let scan = scan();
        assert_eq!(scan.time_of(0), Time::from_seconds(1.0));
        assert_eq!(scan.time_of(720), Time::from_seconds(1.0125), "half a turn");
        assert_eq!(scan.geometry.duration().nanoseconds(), 25_000_000 * 1081 / 1440);
    }

    #[test]
    fn nothing_came_back_is_no_distance() {
        assert_eq!((scan().range(7), scan().range(8)), (None, Some(1.008)));
        assert_eq!(scan().range(5000), None);
    }

    #[test]
    fn scans_and_clouds_survive_being_saved() {
        let mut back = LaserScan::default();
        StateReader::restore(&mut back, &StateWriter::save(&mut scan())).unwrap();
        assert_eq!(back, scan());

        let mut cloud = PointCloud {
            stamp: Time::from_seconds(2.0),
            frame: Cow::Borrowed("base_link"),
            points: vec![[1.0, -2.0, 0.5], [f32::NAN, 0.0, -0.0], [1e-9, 7.0, 8.0]],
            times: vec![-1.0, -0.5, 0.0],
            intensities: vec![1, 65535, 9],
        };
        let mut restored = PointCloud::default();
        StateReader::restore(&mut restored, &StateWriter::save(&mut cloud)).unwrap();
        assert_eq!(format!("{restored:?}"), format!("{cloud:?}"));
    }
}
