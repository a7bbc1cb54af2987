//! A made-up run of a centaur, rich enough to show everything that a report has.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::path::Path;

use robot_io::{Event, JointKind, JointLayout, JointLimits, Period, Pose2, RobotLayout, Severity, Subject, Time};

use super::{Picture, ReportInput};
use crate::Case;
use crate::checks::{Signal, Verdict};
use crate::outcome::{RunOutcome, TaskUse};
use crate::series::{JointSeries, Series};

const SAMPLES: usize = 1_500;
const LENGTH: f64 = 60.0;
const WAYPOINTS: [(f64, f64); 5] = [(-8.0, -6.0), (-3.0, -5.0), (0.0, 0.5), (4.0, 1.0), (6.5, 5.0)];

const CASE: &str = r#"title = "The centaur crosses the arena"
about = """
Five waypoints over rough ground, round the stones and along the sand's edge.
The base must stay level within 12° and odometry within 2 % of the distance."""
world = "spacebot"
robot = "centaur"
seed = 5
duration = 60.0
spawn = { x = -8.0, y = -6.0, yaw = 0.0 }
"#;

/// Everything that a report is made of, owned.
pub struct Sample {
    pub case: Case,
    pub outcome: RunOutcome,
    pub series: Series,
    pub layout: RobotLayout,
    pub world: worlds::World,
    pub route: Vec<Pose2>,
    pub pictures: Vec<Picture>,
}

impl Sample {
    pub fn new() -> Sample {
        let layout = layout();
        let world_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../worlds/spacebot.toml");
        let world = worlds::World::load(&world_file).unwrap();
        let view = world.top_view(20.0);
        let picture =
            |title: &str| Picture { title: title.to_owned(), png: super::picture::coarse_png(view.clone()).unwrap() };
        Sample {
            case: Case::parse(CASE, "scenarios/cases/centaur_crosses_spacebot.toml").unwrap(),
            outcome: outcome(),
            series: series(&layout),
            layout,
            world,
            route: WAYPOINTS.iter().map(|(x, y)| Pose2 { x: *x, y: *y, yaw: 0.0 }).collect(),
            pictures: vec![picture("start, 0.000 s"), picture("end, 60.000 s")],
        }
    }

    /// The same robot and world, but nothing ever happened.
    pub fn empty() -> Sample {
        let mut sample = Sample::new();
        sample.series = Series::new(&sample.layout);
        sample.pictures.clear();
        sample.route.clear();
        let RunOutcome { checks, deadline_tasks, simulated_s, real_time_factor, .. } = &mut sample.outcome;
        (*simulated_s, *real_time_factor) = (0.0, f64::NAN);
        checks.clear();
        deadline_tasks.clear();
        sample
    }

    /// The same with a map.
    pub fn mapped() -> Sample {
        let mut sample = Sample::new();
        super::sample_map::map(&mut sample);
        sample
    }

    pub fn input(&self) -> ReportInput<'_> {
        let Sample { case, outcome, series, layout, world, route, pictures } = self;
        ReportInput { case, outcome, series, layout, world, route, pictures, machine: "2 cores, Debian 12" }
    }
}

fn layout() -> RobotLayout {
    let joint = |name: String, kind, effort| {
        let range = if kind == JointKind::Continuous { f64::INFINITY } else { 1.6 };
        let limits = JointLimits { lower: -range, upper: range, velocity: 6.0, effort };
        JointLayout { name, kind, limits, latency: 0 }
    };
    let mut joints = Vec::new();
    for leg in ["front_left", "front_right", "rear_left", "rear_right"] {
        for part in ["hip_pitch", "knee_pitch", "ankle_pitch", "ankle_yaw"] {
            joints.push(joint(format!("{leg}_{part}"), JointKind::Revolute, 44.0));
        }
        for side in ["left", "right"] {
            joints.push(joint(format!("{leg}_wheel_{side}"), JointKind::Continuous, 12.0));
        }
    }
    joints.push(joint("spine_yaw".to_owned(), JointKind::Revolute, 44.0));
    joints.push(joint("laser_spin".to_owned(), JointKind::Continuous, 1.0));
    for side in ["left", "right"] {
        for part in
            ["shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow_pitch", "wrist_yaw", "wrist_pitch", "wrist_roll"]
        {
            joints.push(joint(format!("{side}_arm_{part}"), JointKind::Revolute, 25.0));
        }
        for finger in 1..=4 {
            joints.push(joint(format!("{side}_hand_finger{finger}_proximal"), JointKind::Revolute, 2.0));
            joints.push(joint(format!("{side}_hand_finger{finger}_distal"), JointKind::Revolute, 2.0));
        }
    }
    RobotLayout { robot: "centaur".to_owned(), period: Period::from_milliseconds(4), joints, ..RobotLayout::example() }
}

fn outcome() -> RunOutcome {
    let verdict = |name: &str, value, limit, unit, passed| Verdict {
        name: name.to_owned(),
        value,
        limit,
        unit,
        passed,
        remark: "",
    };
    let checks = vec![
        verdict("mission done, by 58.000 s", Some(52.4), Some(58.0), "s", true),
        verdict("tilt.max ≤ 12 deg", Some(9.83), Some(12.0), "deg", true),
        verdict("tip_over_margin.min ≥ 0.05 m", Some(0.112), Some(0.05), "m", true),
        verdict("odometry_error_percent.final ≤ 2 %", Some(2.41), Some(2.0), "%", false),
        verdict("(6.5, 5) m reached within 0.3 m, by 58.000 s", Some(0.084), Some(0.3), "m", true),
        verdict("event 'motor'", None, Some(30.0), "s", false),
        verdict("deadline tasks in time", Some(0.0), Some(0.0), "1", true),
    ];
    let tasks = [("register_scan", TaskUse { runs: 600, overruns: 0, longest_ms: 14.2, given_ms: 40.0 })];
    RunOutcome {
        plant: "sim".to_owned(),
        truth_from: crate::checks::TruthSource::Plant,
        twin: None,
        bus: None,
        case: "centaur_crosses_spacebot".to_owned(),
        seed: 7,
        passed: false,
        interrupted: false,
        checks,
        cycles: 15_000,
        simulated_s: LENGTH,
        wall_s: 13.7,
        real_time_factor: LENGTH / 13.7,
        digest: "9f3a11c07be2d548".to_owned(),
        mission: "done".to_owned(),
        is_of_mission: true,
        stopped_by: Vec::new(),
        known_failure: None,
        interventions: 24,
        metrics: BTreeMap::new(),
        deadline_tasks: tasks.into_iter().map(|(name, usage)| (name.to_owned(), usage)).collect(),
        version: "0.1.0",
    }
}

fn series(layout: &RobotLayout) -> Series {
    let mut series = Series::new(layout);
    let mut driven = 0.0;
    for i in 0..SAMPLES {
        let t = LENGTH * i as f64 / SAMPLES as f64;
        let (x, y, yaw) = place(t);
        if let Some(last) = series.truth.last() {
            driven += last.distance(&Pose2 { x, y, yaw });
        }
        series.times.push(t);
        series.truth.push(Pose2 { x, y, yaw });
        let drift = 0.0241 * driven;
        series.odometry.push(Pose2 { x: x + 0.6 * drift, y: y - 0.8 * drift, yaw: yaw + 0.002 * t });
        let signals = Signal::ALL.iter().zip(&mut series.signals);
        signals.for_each(|((signal, ..), values)| values.push(signal_at(*signal, t, driven, drift)));
        joints_at(&mut series.joints, layout, t);
    }
    series.events = events();
    series
}

/// Along the waypoints with round corners.
fn place(t: f64) -> (f64, f64, f64) {
    let along = (t / 52.0).clamp(0.0, 0.9999) * (WAYPOINTS.len() - 1) as f64;
    let (leg, part) = (along as usize, along.fract());
    let part = 0.5 - 0.5 * (part * TAU / 2.0).cos();
    let ((x0, y0), (x1, y1)) = (WAYPOINTS[leg], WAYPOINTS[leg + 1]);
    let wave = 0.25 * (along * TAU).sin();
    (x0 + part * (x1 - x0), y0 + part * (y1 - y0) + wave, (y1 - y0).atan2(x1 - x0))
}

fn rough(t: f64, phase: f64) -> f64 {
    (1.3 * t + phase).sin() + 0.5 * (3.7 * t + 2.0 * phase).sin() + 0.3 * (11.0 * t + 3.0 * phase).sin()
}

fn signal_at(signal: Signal, t: f64, driven: f64, drift: f64) -> f64 {
    let moving = if t < 52.0 { 1.0 } else { 0.0 };
    let (roll, pitch) = (2.1 * moving * rough(t, 0.0), 3.4 * moving * rough(t, 1.0) + 1.5);
    match signal {
        Signal::Tilt => roll.hypot(pitch),
        Signal::Pitch => pitch,
        Signal::Roll => roll,
        Signal::Rise => 0.02 * driven + 0.02 * rough(t, 2.0),
        Signal::Speed => moving * (0.35 + 0.08 * rough(t, 3.0)),
        Signal::Drift | Signal::Distance => driven,
        Signal::TipOverMargin if (20.0..22.0).contains(&t) => f64::NAN,
        Signal::TipOverMargin => 0.21 - 0.04 * rough(t, 1.0).abs(),
        Signal::Slip => 0.02 * moving * rough(t, 5.0).abs(),
        Signal::Energy => t * 0.12,
        Signal::OdometryError => drift,
        Signal::OdometryErrorPercent => {
            if driven < 1.0 {
                f64::NAN
            } else {
                2.41
            }
        }
        Signal::HeadingError => 0.11 * t,
        Signal::Interventions => (t / 7.0).floor() * 3.0,
        Signal::BaselineError | Signal::BaselineDrift | Signal::VgicpError | Signal::VgicpDrift => f64::NAN,
        _ => 0.5,
    }
}

fn joints_at(joints: &mut [JointSeries], layout: &RobotLayout, t: f64) {
    for (index, (joint, layout)) in joints.iter_mut().zip(&layout.joints).enumerate() {
        let phase = index as f64;
        let is_leg = layout.name.contains("_hip_") || layout.name.contains("_knee_") || layout.name.contains("_ankle_");
        let command = if is_leg { 0.4 + 0.12 * rough(0.6 * t, phase) } else { 0.2 };
        let turn = if layout.kind == JointKind::Continuous { 3.5 + 0.8 * rough(t, phase) } else { 0.0 };
        let is_wheel = layout.kind == JointKind::Continuous;
        joint.position_command.push(if is_wheel { f64::NAN } else { command });
        joint.position.push(command + if is_leg { 0.012 * rough(2.0 * t, phase + 1.0) } else { 0.001 });
        joint.velocity_command.push(turn);
        joint.velocity.push(turn + 0.15 * rough(4.0 * t, phase));
        let load = if is_leg {
            0.45
        } else if is_wheel {
            0.3
        } else {
            0.06
        };
        joint.effort.push(layout.limits.effort * load * (0.7 + 0.35 * rough(t, phase)));
        joint.temperature.push(25.0 + 30.0 * load * (1.0 + 0.1 * phase.sin()) * (1.0 - (-t / 40.0).exp()));
    }
}

fn events() -> Vec<Event> {
    let at = Time::from_seconds;
    let mut events = vec![
        Event::note(at(0.004), Severity::Info, "mission", "started"),
        Event::note(at(24.1), Severity::Warning, "fault_injector", "reading dropped").about(Subject::Joint(7)),
        Event::note(at(38.2), Severity::Error, "supervision", "wheel does not follow [rad/s]")
            .about(Subject::Joint(4))
            .with(0.4, 3.5),
        Event::note(at(47.0), Severity::Stop, "safety_filter", "watchdog: no fresh command [cycles]").with(12.0, 10.0),
        Event::note(at(47.5), Severity::Info, "safety_filter", "emergency stop cleared"),
        Event::note(at(52.0), Severity::Info, "mission", "done"),
    ];
    for step in 0..5 {
        events.push(
            Event::note(at(2.0 + 11.0 * step as f64), Severity::Info, "mission", "step done")
                .about(Subject::Step(step)),
        );
    }
    for i in 0..22 {
        let clamp =
            Event::note(at(3.0 + 2.1 * f64::from(i)), Severity::Warning, "safety_filter", "velocity clamped [rad/s]");
        events.push(clamp.about(Subject::Joint([4, 5, 10][i as usize % 3])).with(6.2 + 0.05 * f64::from(i), 6.0));
    }
    events.sort_by_key(|event| event.time);
    events
}
