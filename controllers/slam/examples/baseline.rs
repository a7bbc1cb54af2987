//! The baselines and the mapper side by side on sweeps that the example `tour` has recorded:
//!
//! ```text
//! cargo run --release -p slam --example baseline -- FILE [SWEEPS] [only] [FIELD=VALUE ...]
//! ```
//!
//! It prints a table of MAPPING.md. Fields are those of `KissSettings`, and with `vgicp.` before them those of `VgicpSettings`. With `only` among the arguments the mapper is left out.

#![allow(clippy::disallowed_methods, reason = "it measures time")]

#[path = "../../../sim/plant/examples/support/mod.rs"]
mod clock;
mod recorded;

use std::{fs, io};

use nalgebra::Isometry3;
use recorded::read_sweep;
use robot_io::Pose2;
use slam::{KissIcp, KissSettings, Mapper, MapperSetup, Prediction, Sweep, SweepOdometer, Vgicp, VgicpSettings};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Lengths of the pieces over which drift is measured [m].
const PIECES: [f64; 3] = [5.0, 20.0, 50.0];

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("expected FILE [SWEEPS] [only] [FIELD=VALUE ...]")?;
    let (mut settings, mut vgicp, mut most, mut alone) =
        (KissSettings::default(), VgicpSettings::default(), usize::MAX, false);
    for argument in arguments {
        match argument.split_once('=') {
            Some((field, value)) => match field.strip_prefix("vgicp.") {
                Some(field) => set_vgicp(&mut vgicp, field, value)?,
                None => set(&mut settings, field, value)?,
            },
            None if argument == "only" => alone = true,
            None => most = argument.parse()?,
        }
    }
    let mut kiss = Track::default();
    let mut odometry = Track::default();
    let mut mapped = Track::default();
    let mut voxelised = Track::default();
    let mut baseline = KissIcp::new(settings)?;
    let mut second = Vgicp::new(vgicp)?;
    let mut mapper = Mapper::new(MapperSetup { start: Pose2 { x: -8.0, y: -8.0, yaw: 0.0 }, ..MapperSetup::default() });
    let mut input = io::BufReader::new(fs::File::open(&file)?);
    while let Some((sweep, truth)) = read_sweep(&mut input)? {
        if kiss.poses.len() >= most {
            break;
        }
        odometry.note(&truth, || sweep.base_in_odom);
        kiss.note(&truth, || process(&mut baseline, &sweep));
        voxelised.note(&truth, || process(&mut second, &sweep));
        if !alone {
            mapped.note(&truth, || process(&mut mapper, &sweep));
        }
    }
    eprintln!("{settings:?}, {} points in the map", baseline.map_points());
    eprintln!("{vgicp:?}, {} voxels in the map", second.map_voxels());
    println!("{:.1} m, {} sweeps\n", odometry.ways.last().unwrap_or(&0.0), odometry.poses.len());
    println!("| method | last | worst | 5 m [%] | 20 m [%] | 50 m [%] | over 5 m [°/m] | CPU a sweep [ms] |");
    println!("|---|---|---|---|---|---|---|---|");
    for (name, track) in [("odometry", &odometry), ("kiss-icp", &kiss), ("vgicp", &voxelised), ("surfels", &mapped)] {
        track.print(name);
    }
    Ok(())
}

fn process(odometer: &mut impl SweepOdometer, sweep: &Sweep) -> Isometry3<f64> {
    odometer.process(sweep).base_in_map
}

fn set(settings: &mut KissSettings, field: &str, value: &str) -> Fallible<()> {
    let number = || value.parse::<f64>();
    match field {
        "prediction" if value == "odometry" => settings.prediction = Prediction::Odometry,
        "prediction" if value == "constant-velocity" => settings.prediction = Prediction::ConstantVelocity,
        "min_range" => settings.min_range = number()?,
        "max_range" => settings.max_range = number()?,
        "voxel" => settings.voxel = number()?,
        "points_per_voxel" => settings.points_per_voxel = value.parse()?,
        "map_subsampling" => settings.map_subsampling = number()?,
        "registration_subsampling" => settings.registration_subsampling = number()?,
        "first_threshold" => settings.first_threshold = number()?,
        "least_deviation" => settings.least_deviation = number()?,
        "most_steps" => settings.most_steps = value.parse()?,
        _ => return Err(format!("expected a field of KissSettings and a value, found {field}={value}").into()),
    }
    Ok(())
}

fn set_vgicp(settings: &mut VgicpSettings, field: &str, value: &str) -> Fallible<()> {
    match field {
        "downsampling" => settings.downsampling = value.parse()?,
        "neighbours" => settings.neighbours = value.parse()?,
        "voxel" => settings.voxel = value.parse()?,
        "remembered_sweeps" => settings.remembered_sweeps = value.parse()?,
        _ => return Err(format!("expected a field of VgicpSettings and a value, found vgicp.{field}={value}").into()),
    }
    Ok(())
}

/// What a method told, and the truth.
#[derive(Default)]
struct Track {
    /// Truth and estimate, each in its own frame.
    poses: Vec<(Isometry3<f64>, Isometry3<f64>)>,
    /// The way to each of them [m].
    ways: Vec<f64>,
    took: f64,
}

impl Track {
    fn note(&mut self, truth: &Isometry3<f64>, estimate: impl FnOnce() -> Isometry3<f64>) {
        let began = clock::computing_seconds();
        let estimate = estimate();
        self.took += clock::computing_seconds() - began;
        let step =
            self.poses.last().map_or(0.0, |(last, _)| (truth.translation.vector - last.translation.vector).norm());
        self.ways.push(self.ways.last().copied().unwrap_or_default() + step);
        self.poses.push((*truth, estimate));
    }

    /// By how much the motion from one sweep to another is off [m], [°].
    fn error(&self, from: usize, to: usize) -> (f64, f64) {
        let ((truth, estimate), (next, told)) = (&self.poses[from], &self.poses[to]);
        let off = truth.inv_mul(next).inv_mul(&estimate.inv_mul(told));
        (off.translation.vector.norm(), off.rotation.angle().to_degrees())
    }

    /// Mean error over all pieces of a length: share of the way [%], [°/m].
    fn drift(&self, length: f64) -> (f64, f64) {
        let end = |from: usize| self.ways.partition_point(|way| *way < self.ways[from] + length);
        let pieces = (0..self.poses.len()).map(|from| (from, end(from))).filter(|(_, to)| *to < self.poses.len());
        let errors: Vec<(f64, f64)> = pieces.map(|(from, to)| self.error(from, to)).collect();
        let mean = |sum: f64| sum / (length * errors.len().max(1) as f64);
        (100.0 * mean(errors.iter().map(|error| error.0).sum()), mean(errors.iter().map(|error| error.1).sum()))
    }

    /// A row of MAPPING.md's table.
    fn print(&self, name: &str) {
        let Some(last) = self.poses.len().checked_sub(1) else { return };
        let (distance, angle) = self.error(0, last);
        let worst = (0..=last).map(|to| self.error(0, to).0).fold(0.0, f64::max);
        let [five, twenty, fifty] = PIECES.map(|length| self.drift(length));
        println!(
            "| {name} | {distance:.3} m, {angle:.2}° | {worst:.3} m | {:.2} | {:.2} | {:.2} | {:.3} | {:.1} |",
            five.0,
            twenty.0,
            fifty.0,
            five.1,
            1e3 * self.took / (last + 1) as f64,
        );
    }
}
