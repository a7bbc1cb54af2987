//! The scenario file: TOML to [`Case`], with every mistake named by file and line.

use std::path::PathBuf;

use mission::{Frame, MissionPlan, ProgressRules};
use page::{Fault, Fields, Page, Range, Value};
use plant::Relocation;
use replay::LogOptions;
use robot_io::{OperatorRequest, Period, Pose2, ShortName, Switch, Time, Twist};

use super::behaviour::BehaviourTable;
use super::controller::ControllerPlan;
use super::hands::HandsTable;
use super::load::Load;
use super::miscalibration::Miscalibration;
use super::other;
use super::trouble::{self, BusFaultPlan};
use super::twin::{MixedPlan, TwinPlan};
use super::uncertainty::Uncertainty;
use super::{Case, Link, OperatorPlan, PlantKind, PushPlan, Source, Spawn};
use crate::ScenarioError;
use crate::checks::{CheckPlan, Metric};
use crate::ranges::{PLACE, SECONDS, end_of_duration};

/// A heading in the world.
const HEADING: Range = Range::new(-100.0, 100.0, "rad");
/// A force along an axis; no rope and no lorry give more.
const FORCE: Range = Range::new(-1e4, 1e4, "N");
/// A point of a link in the link's frame.
const POINT: Range = Range::new(-10.0, 10.0, "m");
/// What the stick commands; nobody drives or turns faster.
const TWIST: Range = Range::new(-20.0, 20.0, "m/s, rad/s");

/// The operator's buttons by their words.
const BUTTONS: [(&str, OperatorRequest); 4] = [
    ("pause", OperatorRequest::Pause),
    ("resume", OperatorRequest::Resume),
    ("emergency_stop", OperatorRequest::EmergencyStop),
    ("clear_emergency_stop", OperatorRequest::ClearEmergencyStop),
];

pub(super) fn parse(text: &str, path: &str, name: String) -> Result<Case, ScenarioError> {
    let page = Page { file: path, text };
    let document = page.parse()?;
    let mut fields = page.fields(&document);
    // read by the mission's own parser, which knows its fields and lines
    fields.get("mission");
    let mission = MissionPlan::parse_embedded(text, path, "mission")?;
    let (faults, controller_faults) = trouble::faults(&mut fields)?;
    let case = Case {
        title: fields.need("title", "one line for people")?.any_text()?.to_owned(),
        about: fields.get("about").map_or(Ok(""), |about| about.any_text()).map(in_one_line)?,
        world: fields.text("world")?.to_owned(),
        robot: fields.text("robot")?.to_owned(),
        seed: fields.whole("seed", 0..=u64::MAX)?,
        duration: end_of_duration(&mut fields, 0.0)?,
        linger: fields.optional("linger", SECONDS)?.map(Time::from_seconds),
        known_failure: fields.optional_text("known_failure")?.map(|why| in_one_line(&why)),
        spawn: fields.one("spawn", spawn)?.unwrap_or_else(|| Spawn::Pose(Pose2::default())),
        pose: fields.optional_text("pose")?.unwrap_or_else(|| "stand".to_owned()),
        metrics: fields.get("metrics").map_or(Ok(Vec::new()), |list| metrics(&list))?,
        sensors: fields.get("sensors").map_or(Ok(Vec::new()), |list| list.texts())?,
        plant: fields.get("plant").map_or(Ok(PlantKind::Sim), |plant| plant.parse())?,
        bus: fields.optional_text("bus")?,
        cycle: cycle(&mut fields)?,
        mission: mission.unwrap_or_else(|| standing_still(&name)),
        controller: fields.one("controller", ControllerPlan::read)?.unwrap_or_default(),
        settings: fields.one("settings", Fields::rest)?.unwrap_or_default(),
        faults,
        controller_faults,
        bus_faults: fields.each("bus_fault", BusFaultPlan::read)?,
        twin: fields.one("twin", TwinPlan::read)?,
        mixed: fields.one("mixed", MixedPlan::read)?,
        pushes: fields.each("push", push)?,
        loads: fields.each("load", Load::read)?,
        kidnaps: fields.each("kidnap", kidnap)?,
        uncertainty: fields.get("uncertainty").map_or(Ok(Uncertainty::default()), Uncertainty::read)?,
        miscalibration: fields.one("miscalibration", Miscalibration::read)?,
        behaviour: fields.one("behaviour", BehaviourTable::read)?,
        hands: fields.one("hands", HandsTable::read)?,
        operator: fields.each("operator", operator)?,
        link: fields.one("link", Link::read)?,
        checks: fields.each("check", CheckPlan::read)?,
        others: other::read(&mut fields, page)?,
        log: LogOptions::default(),
        folder: PathBuf::from("."),
        name,
        source: Source { path: path.to_owned(), text: text.to_owned() },
    };
    fields.finish()?;
    Ok(case)
}

/// Without a mission the robot stands where it is.
pub(super) fn standing_still(case: &str) -> MissionPlan {
    let (name, progress) = (format!("{case}: stand"), ProgressRules::default());
    MissionPlan { name, frame: Frame::World, mapping: false, progress, steps: Vec::new() }
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn spawn(table: &mut Fields<'_>) -> Result<Spawn, Fault> {
    let place = table.optional_text("place")?;
    let numbers = [table.optional("x", PLACE)?, table.optional("y", PLACE)?, table.optional("yaw", HEADING)?];
    match (place, numbers.iter().any(Option::is_some)) {
        (Some(place), false) => Ok(Spawn::Place(place)),
        (None, true) => {
            let [x, y, yaw] = numbers.map(Option::unwrap_or_default);
            Ok(Spawn::Pose(Pose2 { x, y, yaw }))
        }
        (_, both) => {
            table.finish()?;
            let found = if both { "both" } else { "neither" };
            Err(table.error("either `place` or `x`, `y` and `yaw`", found))
        }
    }
}

fn metrics(list: &Value<'_>) -> Result<Vec<String>, Fault> {
    let list = list.list("a list of metrics")?;
    list.iter().map(|metric| metric.parse::<Metric>().map(|metric| metric.to_string())).collect()
}

/// The control cycle, if the scenario has its own: whole microseconds, 50 µs to 1 s.
fn cycle(fields: &mut Fields<'_>) -> Result<Option<Period>, Fault> {
    let (value, microseconds) = match (fields.get("cycle_ms"), fields.get("cycle_us")) {
        (None, None) => return Ok(None),
        (Some(value), None) => (value.clone(), 1e3 * value.number(Range::new(0.05, 1e3, "ms"))?),
        (None, Some(value)) => (value.clone(), value.number(Range::new(50.0, 1e6, "µs"))?),
        (Some(_), Some(value)) => return Err(value.error("either `cycle_ms` or `cycle_us`", "both")),
    };
    let whole = microseconds.round();
    let is_whole = (whole - microseconds).abs() < 1e-6;
    let period = is_whole.then(|| Period::from_microseconds(whole as u64));
    period.map(Some).ok_or_else(|| value.error("whole microseconds", &value.found()))
}

fn push(table: &mut Fields<'_>) -> Result<PushPlan, Fault> {
    let at = table.number("at", SECONDS)?;
    Ok(PushPlan {
        at: Time::from_seconds(at),
        until: end_of_duration(table, at)?,
        link: table.text("link")?.to_owned(),
        point: table.vector_or("point", POINT, [0.0; 3])?,
        force: table.vector("force", FORCE)?,
    })
}

/// The robot is carried away at a whole millisecond, which every physics step divides.
pub(super) fn kidnap(table: &mut Fields<'_>) -> Result<Relocation, Fault> {
    let at = Time::from_seconds((table.number("at", SECONDS)? * 1e3).round() * 1e-3);
    let (x, y, yaw) = (table.number("x", PLACE)?, table.number("y", PLACE)?, table.number("yaw", HEADING)?);
    Ok(Relocation { at, to: Pose2 { x, y, yaw } })
}

pub(super) fn operator(table: &mut Fields<'_>) -> Result<OperatorPlan, Fault> {
    let at = table.number("at", SECONDS)?;
    let from = Time::from_seconds(at);
    let fields = ["press", "goto", "twist", "duration", "component", "switch"].map(|key| table.get(key));
    match fields {
        [Some(button), None, None, None, None, None] => Ok(OperatorPlan::Press(from, button.word(&BUTTONS)?)),
        [None, Some(goal), None, None, None, None] => {
            Ok(OperatorPlan::Press(from, OperatorRequest::GoTo(pose(&goal)?)))
        }
        [None, None, Some(twist), Some(_), None, None] => {
            let [x, y, yaw] = twist.vector(TWIST)?;
            Ok(OperatorPlan::Hold(from, end_of_duration(table, at)?, Twist { x, y, yaw }))
        }
        [None, None, None, None, Some(component), Some(switch)] => {
            let component = short_name(&component)?;
            let switch = switch.word(&Switch::ALL.map(|switch| (switch.word(), switch)))?;
            Ok(OperatorPlan::Press(from, OperatorRequest::Switch { component, switch }))
        }
        fields => {
            table.finish()?;
            let one = "one of `press`, `goto`, `twist` with `duration`, or `component` with `switch`";
            Err(table.error(one, &format!("{} fields of these", fields.iter().flatten().count())))
        }
    }
}

/// A place and a heading in the world, as `[x, y, yaw]`.
fn pose(value: &Value<'_>) -> Result<Pose2, Fault> {
    match value.list("[x, y, yaw]")?.as_slice() {
        [x, y, yaw] => Ok(Pose2 { x: x.number(PLACE)?, y: y.number(PLACE)?, yaw: yaw.number(HEADING)? }),
        _ => Err(value.error("[x, y, yaw]", &value.found())),
    }
}

/// The name of a component.
pub(super) fn short_name(name: &Value<'_>) -> Result<ShortName, Fault> {
    let too_long = || name.error(&format!("at most {} bytes", ShortName::LONGEST), &name.found());
    ShortName::new(name.any_text()?).ok_or_else(too_long)
}
