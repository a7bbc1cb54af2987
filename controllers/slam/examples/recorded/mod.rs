//! Sweeps with the truth about them, as the example `tour` records them.

use std::io::{self, Read};

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use robot_io::{Period, Time};
use slam::{Motion, Sweep, SweepPoint};

/// The next sweep and the base in the world at its end; nothing at the end of the file.
pub fn read_sweep(input: &mut impl Read) -> io::Result<Option<(Sweep, Isometry3<f64>)>> {
    let Ok([count, begin, end]) = numbers::<3>(input) else { return Ok(None) };
    let time = |nanoseconds: f64| Time::ZERO + Period::from_nanoseconds(nanoseconds as u64);
    let [points, misses, origins] = numbers(input)?;
    let truth = pose(input)?;
    let (begin_in_odom, base_in_odom) = (pose(input)?, pose(input)?);
    let [peak_angular_rate, peak_acceleration, distance, turn, x, y, z, longest_gap] = numbers(input)?;
    let up_in_base = nalgebra::Vector3::new(x, y, z);
    let motion = Motion { peak_angular_rate, peak_acceleration, distance, turn, up_in_base, longest_gap, slid: 0.0 };
    let misses = (0..misses as usize).map(|_| triple(input)).collect::<io::Result<Vec<_>>>()?;
    let origins = (0..origins as usize).map(|_| triple(input)).collect::<io::Result<Vec<_>>>()?;
    let mut point = || -> io::Result<SweepPoint> {
        let (position, as_measured, time) = (triple(input)?, triple(input)?, single(input)?);
        let mut bytes = [0; 4];
        input.read_exact(&mut bytes)?;
        let [a, b, c, d] = bytes;
        let (origin, intensity) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        Ok(SweepPoint { position, as_measured, time, origin, intensity })
    };
    let points = (0..points as usize).map(|_| point()).collect::<io::Result<Vec<_>>>()?;
    let (begin, end, number) = (time(begin), time(end), count as u64);
    let sweep =
        Sweep { number, begin, end, points, misses, origins, begin_in_odom, base_in_odom, motion, ..Sweep::default() };
    Ok(Some((sweep, truth)))
}

fn number(input: &mut impl Read) -> io::Result<f64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(f64::from_le_bytes(bytes))
}

fn single(input: &mut impl Read) -> io::Result<f32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(f32::from_le_bytes(bytes))
}

fn numbers<const N: usize>(input: &mut impl Read) -> io::Result<[f64; N]> {
    let mut all = [0.0; N];
    for place in &mut all {
        *place = number(input)?;
    }
    Ok(all)
}

fn triple(input: &mut impl Read) -> io::Result<[f32; 3]> {
    Ok([single(input)?, single(input)?, single(input)?])
}

fn pose(input: &mut impl Read) -> io::Result<Isometry3<f64>> {
    let [x, y, z, i, j, k, w] = numbers(input)?;
    let rotation = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, i, j, k));
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}
