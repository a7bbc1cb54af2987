//! `chiron bench`: this machine against real time.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use robot_io::{Clock, Commands, JointCommand, RobotIo};

use super::run::load_stage;
use crate::case::PlantKind;
use crate::cli::{BenchArgs, Changes, Ends};
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::results::{expect_writable, write_whole};
use crate::run_log::RunLog;
use crate::runner::Runner;
use crate::{Library, ScenarioError, Staffing, Stage};

/// The scenario that is measured: the largest robot that ships, on the roughest ground.
const CASE: &str = "centaur_crosses_spacebot";
/// Simulated for each measurement [s].
const DURATION: f64 = 10.0;
/// Each number is the median of so many measurements.
const REPEATS: usize = 3;

/// Measures physics alone, the whole scenario, the scenario with its log, and over the virtual bus; prints a page in
/// Markdown.
pub fn bench(args: &BenchArgs, library: &Library, quiet: bool) -> Result<Outcome, ScenarioError> {
    if args.only.is_some() {
        return Err(ScenarioError::Usage("--only: expected with `chiron bench physics`, found without".to_owned()));
    }
    let duration = args.duration.unwrap_or(DURATION);
    if !(1.0..=3_600.0).contains(&duration) {
        return Err(ScenarioError::Usage(format!("--duration: expected 1 to 3600 s, found {duration}")));
    }
    expect_writable(args.out.as_ref(), "--out")?;
    let stage = load_stage(library, CASE, &Changes { duration: Some(duration), ..Changes::default() })?;
    let on_bus =
        Changes { duration: Some(duration), ends: Ends::of_plant(PlantKind::VirtualBus), ..Changes::default() };
    let on_bus = load_stage(library, CASE, &on_bus)?;
    let mut bench = Bench { stage, quiet };
    let plant = bench.median("plant alone", Bench::plant)?;
    let (scenario, recorded, bytes) = bench.scenario_and_recorded()?;
    let bus = bench.median("scenario over the virtual bus", |_| factor(&on_bus, None))?;
    let page = page(&bench.stage, duration, [plant, scenario, recorded, bus], bytes);
    println!("{page}");
    if let Some(path) = &args.out {
        write_whole(path, page.as_bytes())?;
    }
    Ok(Outcome::Passed)
}

/// The machine in a line: processor, cores, system.
pub fn machine() -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} cores, {} {}", std::env::consts::OS, std::env::consts::ARCH)
}

struct Bench {
    stage: Stage,
    quiet: bool,
}

impl Bench {
    /// The median of several measurements of simulated over real time.
    fn median(
        &mut self,
        what: &str,
        measure: impl Fn(&Stage) -> Result<f64, ScenarioError>,
    ) -> Result<f64, ScenarioError> {
        let mut factors = Vec::new();
        for repeat in 1..=REPEATS {
            factors.push(measure(&self.stage)?);
            self.say(&format!("{what}, {repeat} of {REPEATS}: {:.2} × real time", factors[repeat - 1]));
        }
        factors.sort_by(f64::total_cmp);
        Ok(factors[REPEATS / 2])
    }

    /// Physics, actuators and sensors: the robot holds its pose and rolls its wheels over the rough ground.
    fn plant(stage: &Stage) -> Result<f64, ScenarioError> {
        let (mut robot, mut clock, _) = plant::plug(stage.simulation()?);
        let mut commands = Commands::new(robot.layout());
        hold_and_roll(stage, &mut commands);
        let mut readings = robot_io::Readings::new(robot.layout());
        robot.bring_up()?;
        let begin = Instant::now();
        while clock.now() < stage.case.duration {
            robot.read(&mut readings)?;
            commands.answer(&readings);
            robot.write(&commands)?;
            clock.advance()?;
        }
        Ok(stage.case.duration.seconds() / begin.elapsed().as_secs_f64())
    }

    /// The scenario without and with its log, alternating, so that both see the same weather on the machine; the log's length.
    fn scenario_and_recorded(&mut self) -> Result<(f64, f64, u64), ScenarioError> {
        let (mut plain, mut recorded) = (Vec::new(), Vec::new());
        let folder = tempfile::tempdir();
        let folder = folder.map_err(|error| ScenarioError::file(Path::new("temporary folder"), "create", &error))?;
        let path = folder.path().join("run.mcap");
        for repeat in 1..=REPEATS {
            plain.push(factor(&self.stage, None)?);
            let log = RunLog::create(&path, &self.stage, false)?;
            recorded.push(factor(&self.stage, Some(log))?);
            let (without, with) = (plain[repeat - 1], recorded[repeat - 1]);
            self.say(&format!("scenario, {repeat} of {REPEATS}: {without:.2} × real time, recorded {with:.2} ×"));
        }
        plain.sort_by(f64::total_cmp);
        recorded.sort_by(f64::total_cmp);
        let log = std::fs::metadata(&path).map_err(|error| ScenarioError::file(&path, "look at", &error))?;
        Ok((plain[REPEATS / 2], recorded[REPEATS / 2], log.len()))
    }

    fn say(&self, line: &str) {
        if !self.quiet {
            eprintln!("{line}");
        }
    }
}

fn factor(stage: &Stage, log: Option<RunLog>) -> Result<f64, ScenarioError> {
    let finished = Runner::new(stage, Staffing::default(), log)?.run(&mut Progress::silent())?;
    Ok(finished.outcome.real_time_factor)
}

fn hold_and_roll(stage: &Stage, commands: &mut Commands) {
    let description = &stage.robot.description;
    let pose = description.pose(&stage.case.pose).map(|pose| pose.positions.clone()).unwrap_or_default();
    for (joint, command) in commands.joints.iter_mut().enumerate() {
        let settings = &description.joints[joint];
        let position = pose.get(joint).copied().unwrap_or(0.0);
        *command = JointCommand::hold(position, settings.stiffness, settings.damping);
    }
    for wheel in &description.wheels {
        commands.joints[wheel.drive_joint] = JointCommand::turn(2.0, description.joints[wheel.drive_joint].damping);
    }
}

fn page(stage: &Stage, duration: f64, [plant, scenario, recorded, bus]: [f64; 4], log: u64) -> String {
    let joints = stage.robot.tree.dof();
    let steps = 1_000.0;
    let mut page = String::new();
    // Writing to a String cannot fail.
    _ = writeln!(page, "| what | × real time | physics steps/s |\n|---|---|---|");
    let rows = [
        ("plant alone", plant),
        ("whole scenario", scenario),
        ("whole scenario, recorded", recorded),
        ("whole scenario over the virtual bus", bus),
    ];
    for (what, factor) in rows {
        _ = writeln!(page, "| {what} | {factor:.2} | {:.0} |", factor * steps);
    }
    let cost = 100.0 * (scenario / recorded - 1.0);
    let cycles = duration / stage.layout().period.seconds();
    _ = writeln!(
        page,
        "\nRecording costs {cost:.1} % of the time, and {:.1} kB a control cycle.",
        log as f64 * 1e-3 / cycles
    );
    _ = writeln!(page, "Scenario {CASE}, {joints} joints, 1 kHz physics, {duration} s each, median of {REPEATS}.");
    _ = writeln!(page, "Machine: {}; chiron {}.", machine(), env!("CARGO_PKG_VERSION"));
    page
}
