//! `chiron slam`: a map, a trajectory and its errors from a log.

use std::io::Cursor;
use std::path::Path;

use image::{DynamicImage, ImageFormat};
use navigation::{MapSettings, NavigationMap, RobotFootprint};
use robot_io::{Sealed, Time};
use serde::Serialize;

use crate::cli::{Outcome, SlamArgs};
use crate::mapping::{Mapped, Method, map_log, to_picture, to_ply, to_tum};
use crate::progress::Progress;
use crate::recording::Recording;
use crate::report::height_picture;
use crate::results::write_whole;
use crate::{ScenarioError, Stage};

/// What a script may want to know of a method's work on a log.
#[derive(Debug, Serialize)]
struct Summary {
    method: String,
    sweeps: usize,
    left_out: usize,
    points_per_sweep: usize,
    distance_m: f64,
    drift_percent: Option<f64>,
    rotation_drift_deg_per_m: Option<f64>,
    worst_piece_percent: Option<f64>,
    final_error_m: Option<f64>,
    largest_error_m: Option<f64>,
    largest_attitude_error_deg: Option<f64>,
    cpu_ms_per_sweep: f64,
}

/// Maps a log and writes what comes of it.
pub fn slam(args: &SlamArgs, quiet: bool) -> Result<Outcome, ScenarioError> {
    let recording = Recording::open(&args.log)?;
    let (_, end) = recording.end()?;
    let mut progress = Progress::new("mapping", end, quiet);
    let methods = if args.method.is_empty() { vec![Method::Surfels] } else { args.method.clone() };
    let maps = map_log(&recording, &methods, &mut progress)?;
    progress.finish();
    let folder = args.out.clone().unwrap_or_else(|| args.log.with_extension("slam"));
    let summaries: Vec<Summary> = maps.iter().map(Summary::of).collect();
    tell(&summaries);
    for mapped in &maps {
        write_all(&recording, mapped, &folder)?;
    }
    let truth = recording.log.truth()?;
    if !truth.is_empty() {
        write_whole(&folder.join("truth.tum"), to_tum(truth, "true base in world").as_bytes())?;
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
            distance_m: mapped.evaluation.drift().way(),
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
    row("way [m]", &|summary| format!("{:.1}", summary.distance_m));
    row("drift, pieces of 10 to 50 m [%]", &|summary| number(summary.drift_percent, 3));
    row("worst piece [%]", &|summary| number(summary.worst_piece_percent, 3));
    row("rotation drift [deg/m]", &|summary| number(summary.rotation_drift_deg_per_m, 4));
    row("error at the end [m]", &|summary| number(summary.final_error_m, 3));
    row("largest error [m]", &|summary| number(summary.largest_error_m, 3));
    row("largest attitude error [deg]", &|summary| number(summary.largest_attitude_error_deg, 3));
    row("CPU time per sweep [ms]", &|summary| format!("{:.1}", summary.cpu_ms_per_sweep));
}

/// Trajectory, points and heights of one method.
fn write_all(recording: &Recording, mapped: &Mapped, folder: &Path) -> Result<(), ScenarioError> {
    let method = mapped.method;
    let poses = mapped.estimates.iter().map(|estimate| (estimate.stamp, estimate.base_in_map));
    let text = to_tum(poses, &format!("base in map by {method}"));
    write_whole(&folder.join(format!("trajectory_{method}.tum")), text.as_bytes())?;
    let points = points_in_map(mapped);
    let ply = to_ply(&points, &format!("map of {} by {method} [m, s]", recording.stage.case.name));
    write_whole(&folder.join(format!("map_{method}.ply")), &ply)?;
    let heights = heights(&recording.stage, mapped);
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

/// All points of the map, with the time at which each was measured [s].
fn points_in_map(mapped: &Mapped) -> Vec<([f32; 3], f32)> {
    let mut points = Vec::new();
    for view in &mapped.views.views {
        let seconds = view.stamp.seconds() as f32;
        for (index, point) in view.cloud.points.iter().enumerate() {
            let in_map = view.base_in_map * nalgebra::Point3::from(*point).cast::<f64>();
            let time = view.cloud.times.get(index).copied().unwrap_or(0.0);
            points.push((in_map.coords.cast::<f32>().into(), seconds + time));
        }
    }
    points
}

/// The ground as navigation would see it.
fn heights(stage: &Stage, mapped: &Mapped) -> Sealed<robot_io::HeightMap> {
    let settings: MapSettings = stage.settings.navigation.map;
    let last = mapped.views.views.last().map_or(Time::ZERO, |view| view.stamp);
    NavigationMap::build(&mapped.views, &RobotFootprint::default(), last, &settings).heights().clone()
}
