//! `chiron bus calibrate`: measures where each drive's encoder has its zero, and writes the calibration file.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hil::bus_file::{BoardPlan, BusPlan, BusSource, Calibration, Found, ZeroOffset, locate};
use hil::link::RawSocket;
use hil::main_device::scan;
use robot_io::{Clock, Lifecycle, Readings, RobotIo, RobotLayout};

use crate::case::{Case, PlantKind};
use crate::cli::CalibrateArgs;
use crate::outcome::Outcome;
use crate::plants::Plugged;
use crate::{Library, ScenarioError, Stage};

/// Samples of each joint's position.
const SAMPLES: usize = 100;
/// A joint that moves more than this between the samples is not held still [rad] or [m].
const STILL: f64 = 2e-3;

/// What was read of a joint.
#[derive(Clone, Copy, Debug)]
struct Seen {
    least: f64,
    most: f64,
    sum: f64,
}

/// Measures zero offsets and writes them. The drives stay off: they are in SAFE-OP at most.
pub fn calibrate(args: &CalibrateArgs, library: &Library) -> Result<Outcome, ScenarioError> {
    let mut case = Case::load(library, &args.case)?;
    case.plant = args.plant.clone().unwrap_or(case.plant);
    if !case.plant.has_bus() {
        let message = "bus calibrate: expected a plant with a bus (--plant ethercat:INTERFACE), found 'sim'";
        return Err(ScenarioError::Usage(message.to_owned()));
    }
    let (stage, bus_file) = Stage::load_uncalibrated(library, case)?;
    let plan = stage.plan()?;
    let boards = chosen(&plan, args)?;
    let stands_at = positions(&stage, &plan, &boards, args)?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => usual_file(library, &bus_file)?,
    };
    let earlier = earlier(&out, &plan, &boards, args.force)?;
    let serials = serials(&stage, &plan)?;
    let seen = measure(&stage)?;
    let layout = stage.layout();
    let mut zeros = Vec::new();
    for (board, position) in boards.iter().zip(stands_at) {
        zeros.push(zero(&layout, &plan.boards[*board], serials[*board], &seen, position)?);
    }
    tell(&zeros);
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let new = Calibration { bus: plan.name.clone(), robot: layout.robot.clone(), date, zeros };
    let mut whole = earlier;
    whole.renew(new);
    whole.zeros.sort_by_key(|zero| plan.boards.iter().position(|board| board.name == zero.board));
    replace(&out, &whole.to_toml())?;
    println!("{}: {} of {} boards with a joint", out.display(), whole.zeros.len(), with_joint(&plan).count());
    tell_how_to_name(&plan, &bus_file, &out)?;
    Ok(Outcome::Passed)
}

fn with_joint(plan: &BusPlan) -> impl Iterator<Item = usize> {
    (0..plan.boards.len()).filter(|board| plan.boards[*board].kind.joints().len() == 1)
}

/// The boards that are to be measured, by their place in the bus file.
fn chosen(plan: &BusPlan, args: &CalibrateArgs) -> Result<Vec<usize>, ScenarioError> {
    if args.boards.is_empty() {
        return Ok(with_joint(plan).collect());
    }
    let find = |name: &String| {
        let found = with_joint(plan).find(|board| plan.boards[*board].name == *name);
        let known = || with_joint(plan).map(|board| plan.boards[board].name.as_str()).collect::<Vec<_>>().join(", ");
        let message =
            || ScenarioError::Usage(format!("--board: expected a board with a joint ({}), found '{name}'", known()));
        found.ok_or_else(message)
    };
    args.boards.iter().map(find).collect()
}

/// Where the chosen boards' joints stand, as the person says [rad] or [m].
fn positions(stage: &Stage, plan: &BusPlan, boards: &[usize], args: &CalibrateArgs) -> Result<Vec<f64>, ScenarioError> {
    let wrong = |message: String| Err(ScenarioError::Usage(message));
    if let Some(at) = args.at {
        let count = boards.len();
        return match (at.is_finite(), count) {
            (true, 1) => Ok(vec![at]),
            (false, _) => wrong(format!("--at: expected a finite position [rad or m], found {at}")),
            _ => wrong(format!("--at: expected one --board with it, found {count}")),
        };
    }
    let description = &stage.robot.description;
    let Some(name) = &args.pose else { return Ok(vec![0.0; boards.len()]) };
    let Some(pose) = description.pose(name) else {
        let known: Vec<&str> = description.poses.iter().map(|pose| pose.name.as_str()).collect();
        return wrong(format!(
            "--pose: expected a pose of {} ({}), found '{name}'",
            stage.robot.name,
            known.join(", ")
        ));
    };
    let joints = boards.iter().flat_map(|board| plan.boards[*board].kind.joints());
    Ok(joints.map(|joint| pose.positions.get(*joint).copied().unwrap_or(0.0)).collect())
}

/// The calibration file that the bus file names, else `calibration.toml` beside it.
fn usual_file(library: &Library, bus_file: &Path) -> Result<PathBuf, ScenarioError> {
    let source = BusSource::read_alone(bus_file, library.relative(bus_file))?;
    let named = source.calibration_named()?.map(|(name, _)| name);
    Ok(bus_file.with_file_name(named.unwrap_or_else(|| "calibration.toml".to_owned())))
}

/// What the file says so far; an error if it says something of the chosen boards and may not be changed.
fn earlier(out: &Path, plan: &BusPlan, boards: &[usize], force: bool) -> Result<Calibration, ScenarioError> {
    if !out.exists() {
        return Ok(Calibration::default());
    }
    let text = std::fs::read_to_string(out).map_err(|error| ScenarioError::file(out, "read", &error))?;
    let calibration = Calibration::parse(&text, &out.display().to_string())?;
    let known = |zero: &&ZeroOffset| boards.iter().any(|board| plan.boards[*board].name == zero.board);
    match calibration.zeros.iter().find(known) {
        Some(zero) if !force => Err(ScenarioError::Usage(format!(
            "{}:{}: board '{}' was calibrated on {}; --force replaces that",
            out.display(),
            zero.line,
            zero.board,
            calibration.date
        ))),
        _ => Ok(calibration),
    }
}

/// The drives' serial numbers, in the order of the bus file: as they are on the cable, or those of emulated boards.
fn serials(stage: &Stage, plan: &BusPlan) -> Result<Vec<u32>, ScenarioError> {
    let PlantKind::EtherCat(interface) = &stage.case.plant else {
        return Ok(plan.boards.iter().map(|board| board.identity.serial.unwrap_or(0)).collect());
    };
    let found: Vec<Found> = scan(RawSocket::open(interface)?)?.into_iter().map(|board| board.found).collect();
    let places = locate(&found, plan)?;
    Ok(places.iter().map(|place| place.map_or(0, |place| found[place].serial)).collect())
}

/// Reads all joints for a while with the drives off.
fn measure(stage: &Stage) -> Result<Vec<Seen>, ScenarioError> {
    let Plugged { mut robot, mut clock, .. } = stage.plant()?;
    robot.transition(Lifecycle::Inactive)?;
    let mut readings = Readings::new(&stage.layout());
    let mut seen = vec![Seen { least: f64::INFINITY, most: f64::NEG_INFINITY, sum: 0.0 }; readings.joints.len()];
    for _ in 0..SAMPLES {
        clock.advance()?;
        robot.read(&mut readings)?;
        for (seen, joint) in seen.iter_mut().zip(&readings.joints) {
            seen.least = seen.least.min(joint.position);
            seen.most = seen.most.max(joint.position);
            seen.sum += joint.position;
        }
    }
    robot.transition(Lifecycle::Finalized)?;
    Ok(seen)
}

fn zero(
    layout: &RobotLayout,
    board: &BoardPlan,
    serial: u32,
    seen: &[Seen],
    position: f64,
) -> Result<ZeroOffset, ScenarioError> {
    let joint = board.kind.joints().first().copied().unwrap_or_default();
    let (name, Seen { least, most, sum }) = (&layout.joints[joint].name, seen[joint]);
    if most - least > STILL {
        return Err(ScenarioError::Usage(format!(
            "bus calibrate: joint '{name}' moved by {:.5} while it was measured: expected it to be held still, within {STILL}",
            most - least
        )));
    }
    Ok(ZeroOffset {
        board: board.name.clone(),
        joint: name.clone(),
        vendor: board.identity.vendor,
        product: board.identity.product,
        serial,
        position,
        offset: position - sum / SAMPLES as f64,
        line: 0,
    })
}

fn tell(zeros: &[ZeroOffset]) {
    println!("{:24}  {:24}  {:>10}  {:>12}  {:>12}", "board", "joint", "serial", "stands at", "offset");
    for ZeroOffset { board, joint, serial, position, offset, .. } in zeros {
        let serial_text = if *serial == 0 { "none".to_owned() } else { serial.to_string() };
        println!("{board:24}  {joint:24}  {serial_text:>10}  {position:>12.6}  {offset:>12.6}");
    }
    if zeros.iter().any(|zero| zero.serial == 0) {
        println!(
            "a drive without a serial number cannot be told from another of its kind: mind it when drives are exchanged"
        );
    }
}

/// Writes beside the file first, so that an old calibration is never half overwritten.
fn replace(out: &Path, text: &str) -> Result<(), ScenarioError> {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| ScenarioError::file(folder, "create", &error))?;
    let beside = out.with_extension("toml.new");
    std::fs::write(&beside, text).map_err(|error| ScenarioError::file(&beside, "write", &error))?;
    std::fs::rename(&beside, out).map_err(|error| ScenarioError::file(out, "write", &error))
}

/// A calibration that no bus file names has no effect.
fn tell_how_to_name(plan: &BusPlan, bus_file: &Path, out: &Path) -> Result<(), ScenarioError> {
    let (file, text) = plan.source.clone();
    let named = BusSource { file, text, calibration: None }.calibration_named()?;
    let names_it = named.is_some_and(|(name, _)| bus_file.with_file_name(name) == out);
    if !names_it {
        let beside = out.parent() == bus_file.parent();
        let name = if beside { out.file_name().map(PathBuf::from) } else { out.canonicalize().ok() };
        let name = name.unwrap_or_else(|| out.to_owned());
        println!("now put into {}: calibration = \"{}\"", bus_file.display(), name.display());
        println!("and take `offset` out of the boards above");
    }
    Ok(())
}
