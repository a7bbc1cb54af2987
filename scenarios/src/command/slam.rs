//! `chiron slam`: a map, a trajectory and its errors from a log, ours or somebody else's.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use image::{DynamicImage, ImageFormat};
use navigation::{MapSettings, NavigationMap, RobotFootprint};
use robot_io::{Sealed, Time};
use serde::Serialize;

use crate::ScenarioError;
use crate::cli::SlamArgs;
use crate::mapping::{Ground, Mapped, Method, Others, Recorded, map_log, to_picture, to_ply, to_tum};
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::recording::{Fork, Recording};
use crate::report::height_picture;
use crate::results::write_whole;

/// What a script may want to know of a method's work on a log.
#[derive(Debug, Serialize)]
struct Summary {
    method: String,
    sweeps: usize,
    left_out: usize,
    points_per_sweep: usize,
    /// By the truth, where the log has it.
    distance_m: Option<f64>,
    /// By the method itself, from sweep to sweep.
    estimated_distance_m: f64,
    drift_percent: Option<f64>,
    rotation_drift_deg_per_m: Option<f64>,
    worst_piece_percent: Option<f64>,
    final_error_m: Option<f64>,
    largest_error_m: Option<f64>,
    largest_attitude_error_deg: Option<f64>,
    cpu_ms_per_sweep: f64,
}

/// Maps a log, ours or somebody else's, and writes what comes of it.
pub fn slam(args: &SlamArgs, quiet: bool) -> Result<Outcome, ScenarioError> {
    let methods = if args.method.is_empty() { vec![Method::Surfels] } else { args.method.clone() };
    if args.topic.is_none() && is_ours(&args.log) {
        return map_ours(args, &methods, quiet);
    }
    if !args.settings.is_empty() {
        return Err(ScenarioError::Usage(format!(
            "--set: expected a log of chiron, found {}; settings for others' data follow from its range and rate",
            args.log.display()
        )));
    }
    let others = Others {
        log: &args.log,
        topic: args.topic.clone(),
        odometry_topic: args.odometry_topic.clone(),
        frame: args.frame.clone(),
        min_range: args.min_range,
        max_range: args.max_range,
        truth: args.truth.as_deref(),
    };
    let mut recorded = Recorded::open(&others, &methods)?;
    let mut progress = Progress::new("mapping", recorded.length(), quiet);
    let maps = recorded.map(&methods, &mut progress)?;
    progress.finish();
    deliver(args, &recorded.ground, &maps)
}

/// True for what only our own reader can read or say what is wrong with: a log of ours, or nothing at all.
fn is_ours(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return true };
    let mut head = Vec::new();
    let is_read = file.take(64).read_to_end(&mut head).is_ok();
    // magic, opcode, length, then the profile's name behind its length
    let profile = head.get(21..27);
    is_read && head.starts_with(b"\x89MCAP0\r\n") && profile == Some(b"chiron".as_slice())
}

fn map_ours(args: &SlamArgs, methods: &[Method], quiet: bool) -> Result<Outcome, ScenarioError> {
    refuse_options_of_others(args)?;
    let mut recording = Recording::open(&args.log)?;
    recording.stage = Fork { settings: args.settings.clone(), ..Fork::default() }.stage(&recording)?;
    let (_, end) = recording.end()?;
    let mut progress = Progress::new("mapping", end, quiet);
    let maps = map_log(&recording, methods, &mut progress)?;
    progress.finish();
    let truth = recording.log.truth()?;
    if !truth.is_empty() {
        write_whole(&folder(args).join("truth.tum"), to_tum(truth, "true base in world").as_bytes())?;
    }
    deliver(args, &Ground::of(&recording)?, &maps)
}

/// A log of ours knows by itself what these say of others' clouds.
fn refuse_options_of_others(args: &SlamArgs) -> Result<(), ScenarioError> {
    let given = [
        ("--odometry-topic", args.odometry_topic.is_some()),
        ("--frame", args.frame.is_some()),
        ("--max-range", args.max_range.is_some()),
        ("--truth", args.truth.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(ScenarioError::Usage(format!(
            "{option}: {} is a log of chiron, which has raw scans, odometry and truth; to read one of its clouds as \
             others' data, name its topic: --topic /lidar/points",
            args.log.display()
        ))),
    }
}

fn folder(args: &SlamArgs) -> PathBuf {
    args.out.clone().unwrap_or_else(|| args.log.with_extension("slam"))
}

/// Prints the figures and writes all results.
fn deliver(args: &SlamArgs, ground: &Ground, maps: &[Mapped]) -> Result<Outcome, ScenarioError> {
    let folder = folder(args);
    let summaries: Vec<Summary> = maps.iter().map(Summary::of).collect();
    tell(&summaries);
    for mapped in maps {
        write_all(ground, mapped, &folder)?;
    }
    let json = serde_json::to_string_pretty(&summaries).unwrap_or_default();
    write_whole(&folder.join("slam.json"), (json + "\n").as_bytes())?;
    println!("\ntrajectories, maps and heights are in {}", folder.display());
    Ok(Outcome::Passed)
}

impl Summary {
    fn of(mapped: &Mapped) -> Summary {
        let drift = mapped.evaluation.drift().report();
        let finite = |value: f64| value.is_finite().then_some(value);
        let mut points = mapped.points.clone();
        points.sort_unstable();
        let largest = mapped.errors.iter().map(|error| error.distance).fold(f64::NAN, f64::max);
        Summary {
            method: mapped.method.to_string(),
            sweeps: mapped.estimates.len(),
            left_out: mapped.left_out(),
            points_per_sweep: points.get(points.len() / 2).copied().unwrap_or(0),
            distance_m: (!mapped.errors.is_empty()).then(|| mapped.evaluation.drift().way()),
            estimated_distance_m: mapped.way(),
            drift_percent: drift.map(|drift| drift.translation_percent),
            rotation_drift_deg_per_m: drift.map(|drift| drift.rotation_deg_per_m),
            worst_piece_percent: drift.map(|drift| drift.worst_percent),
            final_error_m: mapped.errors.last().map(|error| error.distance),
            largest_error_m: finite(largest),
            largest_attitude_error_deg: finite(mapped.largest_angle().to_degrees()),
            cpu_ms_per_sweep: 1e3 * mapped.took.as_secs_f64() / mapped.estimates.len().max(1) as f64,
        }
    }
}

/// The figures side by side.
fn tell(summaries: &[Summary]) {
    let row = |name: &str, cell: &dyn Fn(&Summary) -> String| {
        let cells: String = summaries.iter().map(|summary| format!("{:>14}", cell(summary))).collect();
        println!("{name:34}{cells}");
    };
    let number =
        |value: Option<f64>, digits: usize| value.map_or("–".to_owned(), |value| format!("{value:.digits$}"));
    row("", &|summary| summary.method.clone());
    row("sweeps", &|summary| summary.sweeps.to_string());
    row("left out of the map", &|summary| summary.left_out.to_string());
    row("points per sweep (median)", &|summary| summary.points_per_sweep.to_string());
    row("true way [m]", &|summary| number(summary.distance_m, 1));
    row("way by the method [m]", &|summary| format!("{:.1}", summary.estimated_distance_m));
    row("drift, pieces of 10 to 50 m [%]", &|summary| number(summary.drift_percent, 3));
    row("worst piece [%]", &|summary| number(summary.worst_piece_percent, 3));
    row("rotation drift [deg/m]", &|summary| number(summary.rotation_drift_deg_per_m, 4));
    row("error at the end [m]", &|summary| number(summary.final_error_m, 3));
    row("largest error [m]", &|summary| number(summary.largest_error_m, 3));
    row("largest attitude error [deg]", &|summary| number(summary.largest_attitude_error_deg, 3));
    row("CPU time per sweep [ms]", &|summary| format!("{:.1}", summary.cpu_ms_per_sweep));
}

/// Trajectory, points and heights of one method.
fn write_all(ground: &Ground, mapped: &Mapped, folder: &Path) -> Result<(), ScenarioError> {
    let method = mapped.method;
    let poses = mapped.estimates.iter().map(|estimate| (estimate.stamp, estimate.base_in_map));
    let text = to_tum(poses, &format!("base in map by {method}"));
    write_whole(&folder.join(format!("trajectory_{method}.tum")), text.as_bytes())?;
    let points = points_in_map(mapped);
    let ply = to_ply(&points, &format!("map of {} by {method} [m, s]", ground.name));
    write_whole(&folder.join(format!("map_{method}.ply")), &ply)?;
    let heights = heights(&ground.map, mapped);
    let name = format!("heights_{method}.png");
    let picture = to_picture(&heights, &name);
    write_picture(&folder.join(&name), &DynamicImage::from(picture.picture))?;
    if let Some(view) = height_picture(&heights) {
        write_picture(&folder.join(format!("heights_{method}_view.png")), &DynamicImage::from(view))?;
    }
    write_whole(&folder.join(format!("heights_{method}.toml")), picture.layer.as_bytes())
}

fn write_picture(path: &Path, picture: &DynamicImage) -> Result<(), ScenarioError> {
    let mut png = Cursor::new(Vec::new());
    let drawn = picture.write_to(&mut png, ImageFormat::Png);
    drawn.map_err(|error| ScenarioError::File { path: path.to_owned(), message: error.to_string() })?;
    write_whole(path, png.get_ref())
}

/// All points of the map, with the time at which each was measured, from the first sweep's end on where stamps count from some
/// epoch [s]: single precision tells no more.
fn points_in_map(mapped: &Mapped) -> Vec<([f32; 3], f32)> {
    /// No run of ours is that long [s].
    const EPOCH: f64 = 1e6;
    let first = mapped.estimates.first().map_or(0.0, |estimate| estimate.stamp.seconds());
    let zero = if first > EPOCH { first } else { 0.0 };
    let mut points = Vec::new();
    for view in &mapped.views.views {
        let seconds = (view.stamp.seconds() - zero) as f32;
        for (index, point) in view.cloud.points.iter().enumerate() {
            let in_map = view.base_in_map * nalgebra::Point3::from(*point).cast::<f64>();
            let time = view.cloud.times.get(index).copied().unwrap_or(0.0);
            points.push((in_map.coords.cast::<f32>().into(), seconds + time));
        }
    }
    points
}

/// The ground as navigation would see it, in cells that are no more than a picture can show.
fn heights(settings: &MapSettings, mapped: &Mapped) -> Sealed<robot_io::HeightMap> {
    /// Cells along a side.
    const MOST: f64 = 3000.0;
    let mut settings = *settings;
    let places = mapped.views.views.iter().map(|view| view.base_in_map.translation.vector);
    let reach = places.fold(0.0_f64, |reach, place| reach.max(place.x.abs()).max(place.y.abs()));
    settings.height.cell = settings.height.cell.max(2.0 * reach / MOST);
    let last = mapped.views.views.last().map_or(Time::ZERO, |view| view.stamp);
    NavigationMap::build(&mapped.views, &RobotFootprint::default(), last, &settings).heights().clone()
}
