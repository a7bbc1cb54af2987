//! The map of the made-up run: what a telemetry with layers leaves.

use std::f64::consts::TAU;
use std::sync::Arc;

use nalgebra::Isometry3;
use plant::Truth;
use robot_io::{
    Edge, Event, Grid, HeightMap, Layer, Localization, Marker, Path, PointCloud, Pose2, PoseGraphView, Readings,
    RobotLayout, Sealed, Severity, Telemetry, Time,
};

use super::sample::Sample;
use crate::checks::{Observation, Signal, TruthSource};
use crate::evaluation::Evaluation;

const COLUMNS: usize = 180;
const ROWS: usize = 140;

/// Gives a run its map, by way of what a controller would have shown.
pub fn map(sample: &mut Sample) {
    let series = &mut sample.series;
    let (mut evaluation, mut baseline) = (Evaluation::default(), Evaluation::default());
    for (index, truth) in series.truth.iter().enumerate() {
        let driven = series.signals[position(Signal::Distance)][index];
        let error = 0.03 * (0.7 * driven).sin().abs() + 0.002 * driven;
        let believed = Pose2 { x: truth.x + error, ..*truth };
        series.localized.push(believed);
        series.signals[position(Signal::SlamError)][index] = error;
        series.signals[position(Signal::SlamAttitudeError)][index] = 10.0 * error;
        series.signals[position(Signal::BaselineError)][index] = 3.0 * error;
        let time = Time::from_seconds(series.times[index]);
        evaluation.observe(time, &placed(&believed), &placed(truth));
        baseline.observe(time, &placed(&Pose2 { x: truth.x + 3.0 * error, ..*truth }), &placed(truth));
    }
    for sweep in 1..=4 {
        let telemetry = telemetry(sweep, &series.localized);
        let (readings, truth, layout) = (Readings::default(), Truth::default(), RobotLayout::example());
        let seen = Observation {
            readings: &readings,
            telemetry: &telemetry,
            truth: &truth,
            truth_from: TruthSource::Plant,
            layout: &layout,
            start: &truth,
            distance: 0.0,
            interventions: 0,
            residuals: &[],
            evaluation: &evaluation,
            baseline: Some(&baseline),
            vgicp: None,
        };
        // a sweep is shown until the next one comes
        series.map.observe(&seen);
        series.map.observe(&seen);
        series.map.conclude(&seen);
    }
    let note = |at, severity, what| Event::note(Time::from_seconds(at), severity, "slam", what);
    series.events.push(note(31.0, Severity::Warning, "sweep not used, turned fast [rad/s]").with(1.2, 0.8));
    series.events.push(note(44.0, Severity::Info, "loop closed, position put right by [m]").with(0.04, 0.5));
    series.events.sort_by_key(|event| event.time);
}

fn position(signal: Signal) -> usize {
    Signal::ALL.iter().position(|(known, ..)| *known == signal).unwrap()
}

fn placed(pose: &Pose2) -> Isometry3<f64> {
    Isometry3::new(nalgebra::Vector3::new(pose.x, pose.y, 0.6), nalgebra::Vector3::new(0.0, 0.0, pose.yaw))
}

/// What the controller shows while a sweep is its last one; the third one is left out.
fn telemetry(sweep: u32, way: &[Pose2]) -> Telemetry {
    let cloud = PointCloud { stamp: Time::from_seconds(1.25 * f64::from(sweep)), ..PointCloud::default() };
    let goal = |index: usize| Marker { label: "goal", pose: way[index * (way.len() - 1) / 4] };
    let plan = Path { poses: way[way.len() / 2..].iter().step_by(20).copied().collect() };
    let end = way[way.len() - 1];
    let outline = [(0.6, 0.5), (-0.6, 0.5), (-0.6, -0.5), (0.6, -0.5)].map(|(x, y)| [end.x + x, end.y + y]);
    let layers = vec![
        ("sweep", Layer::Cloud(Sealed::new(cloud), Isometry3::identity())),
        ("height_map", Layer::Heights(Sealed::new(heights()))),
        ("cost_map", Layer::Grid(Arc::new(costs(&heights())))),
        ("pose_graph", Layer::Graph(Arc::new(graph(way)))),
        ("global_path", Layer::Path(Arc::new(plan))),
        ("footprint", Layer::Outline(Arc::new(outline.to_vec()))),
        ("navigation_markers", Layer::Markers(Arc::new(vec![goal(sweep as usize)]))),
    ];
    let scalars = vec![("slam_left_out", f64::from(u8::from(sweep == 3)))];
    Telemetry { layers, scalars, localization: Some(Localization::default()), ..Telemetry::default() }
}

/// Key views along the way, the last one tied to an early one.
fn graph(way: &[Pose2]) -> PoseGraphView {
    let nodes: Vec<Isometry3<f64>> = way.iter().step_by(way.len() / 13).map(placed).collect();
    let tie = |from: usize| Edge { from, to: from + 1, closes_loop: false };
    let mut edges: Vec<Edge> = (0..nodes.len() - 1).map(tie).collect();
    edges.push(Edge { from: nodes.len() - 1, to: 3, closes_loop: true });
    PoseGraphView { nodes, edges }
}

/// Hills with a ditch, known only within an ellipse.
fn heights() -> HeightMap {
    let height = |index: usize| {
        let (x, y) = (-10.0 + 0.1 * (index % COLUMNS) as f64, -8.0 + 0.1 * (index / COLUMNS) as f64);
        let is_known = ((x + 1.0) / 8.9).powi(2) + ((y + 1.0) / 6.9).powi(2) < 1.0;
        let ditch = if (x - 0.4 * y).abs() < 0.3 { -0.4 } else { 0.0 };
        if is_known { 0.4 * (x * TAU / 9.0).sin() * (y * TAU / 7.0).cos() + 0.05 * x + ditch } else { f64::NAN }
    };
    let heights = (0..COLUMNS * ROWS).map(height).collect();
    HeightMap { cell: 0.1, origin_x: -10.0, origin_y: -8.0, columns: COLUMNS, rows: ROWS, heights }
}

/// Steep ground costs.
fn costs(map: &HeightMap) -> Grid {
    let cost = |index: usize| {
        let (here, ahead) = (map.heights[index], map.heights.get(index + 1).copied().unwrap_or(f64::NAN));
        ((ahead - here).abs() / 0.15).clamp(0.0, 1.0) as f32
    };
    let values = (0..COLUMNS * ROWS).map(cost).collect();
    Grid { cell: 0.1, origin_x: -10.0, origin_y: -8.0, columns: COLUMNS, rows: ROWS, values }
}
