//! The scenario file: TOML to [`Case`], with every mistake named by file and line.

use std::path::PathBuf;

use mission::{Frame, MissionPlan, ProgressRules};
use page::{Fields, Page, Place};
use plant::Relocation;
use replay::LogOptions;
use robot_io::{OperatorRequest, Period, Pose2, ShortName, Switch, Time, Twist};
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

use super::behaviour::BehaviourFile;
use super::controller::ControllerFile;
use super::miscalibration::MiscalibrationFile;
use super::trouble::AnyFault;
use super::twin::{MixedFile, TwinFile};
use super::uncertainty::Uncertainty;
use super::{Case, OperatorPlan, PlantKind, PushPlan, Source, Spawn};
use crate::ScenarioError;
use crate::checks::{CheckFile, CheckPlan, KINDS, Metric};

/// The longest scenario [s].
pub(super) const LONGEST: f64 = 86_400.0;
/// Nothing is farther away than this [m].
const FARTHEST: f64 = 1e4;
/// No heading is larger [rad].
const LARGEST_ANGLE: f64 = 100.0;
/// A push that no rope and no lorry give [N].
const STRONGEST_PUSH: f64 = 1e4;
/// A point that no link reaches, from its own frame [m].
const FARTHEST_POINT: f64 = 10.0;
/// Nobody drives faster [m/s], nor turns [rad/s].
const FASTEST: f64 = 20.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    title: String,
    #[serde(default)]
    about: String,
    world: String,
    robot: String,
    seed: u64,
    duration: Spanned<f64>,
    linger: Option<Spanned<f64>>,
    known_failure: Option<Spanned<String>>,
    spawn: Option<Spanned<SpawnFile>>,
    #[serde(default = "standing")]
    pose: String,
    #[serde(default)]
    sensors: Vec<String>,
    plant: Option<Spanned<String>>,
    bus: Option<String>,
    cycle_ms: Option<Spanned<f64>>,
    cycle_us: Option<Spanned<f64>>,
    // Read by the mission's own parser, which knows its fields and lines.
    #[serde(rename = "mission")]
    _mission: Option<IgnoredAny>,
    // These three by their kinds, below.
    #[serde(rename = "fault")]
    _fault: Option<IgnoredAny>,
    #[serde(rename = "bus_fault")]
    _bus_fault: Option<IgnoredAny>,
    #[serde(rename = "check")]
    _check: Option<IgnoredAny>,
    twin: Option<Spanned<TwinFile>>,
    mixed: Option<Spanned<MixedFile>>,
    miscalibration: Option<Spanned<MiscalibrationFile>>,
    uncertainty: Option<Spanned<Uncertainty>>,
    controller: Option<Spanned<ControllerFile>>,
    behaviour: Option<Spanned<BehaviourFile>>,
    #[serde(default)]
    push: Vec<Spanned<PushFile>>,
    #[serde(default)]
    kidnap: Vec<Spanned<KidnapFile>>,
    #[serde(default)]
    operator: Vec<Spanned<OperatorFile>>,
    #[serde(default)]
    metrics: Vec<Spanned<String>>,
    #[serde(default)]
    settings: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpawnFile {
    place: Option<String>,
    x: Option<f64>,
    y: Option<f64>,
    yaw: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PushFile {
    at: f64,
    duration: f64,
    link: String,
    #[serde(default)]
    point: [f64; 3],
    force: [f64; 3],
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct KidnapFile {
    at: f64,
    x: f64,
    y: f64,
    yaw: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OperatorFile {
    at: f64,
    press: Option<Button>,
    goto: Option<[f64; 3]>,
    twist: Option<[f64; 3]>,
    duration: Option<f64>,
    component: Option<String>,
    switch: Option<Switch>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Button {
    Pause,
    Resume,
    EmergencyStop,
    ClearEmergencyStop,
}

fn standing() -> String {
    "stand".to_owned()
}

/// Without a mission the robot stands where it is.
fn standing_still(case: &str) -> MissionPlan {
    let (name, progress) = (format!("{case}: stand"), ProgressRules::default());
    MissionPlan { name, frame: Frame::World, mapping: false, progress, steps: Vec::new() }
}

/// Reads the parts of a scenario file; errors point into its page.
#[derive(Clone, Copy)]
pub(super) struct Reader<'t> {
    page: Page<'t>,
}

pub(super) fn parse(text: &str, path: &str, name: String) -> Result<Case, ScenarioError> {
    let reader = Reader { page: Page { file: path, text } };
    let file: CaseFile = reader.page.read()?;
    let duration = reader.seconds(&file.duration, "duration")?;
    if duration == Time::ZERO {
        return Err(reader.error(file.duration.span().start, "duration: expected more than 0 [s], found 0"));
    }
    let linger = file.linger.as_ref().map(|linger| reader.seconds(linger, "linger")).transpose()?;
    let document = reader.page.parse()?;
    let mut tables = reader.page.fields(&document);
    let (mut faults, mut controller_faults) = (Vec::new(), Vec::new());
    for fault in tables.tables("fault")? {
        match reader.fault(fault)? {
            AnyFault::Robot(fault) => faults.push(fault),
            AnyFault::Controller(fault) => controller_faults.push(fault),
        }
    }
    Ok(Case {
        title: file.title,
        about: file.about.split_whitespace().collect::<Vec<_>>().join(" "),
        world: file.world,
        robot: file.robot,
        seed: file.seed,
        duration,
        linger,
        known_failure: file.known_failure.as_ref().map(|why| reader.reason(why)).transpose()?,
        spawn: file.spawn.as_ref().map_or(Ok(Spawn::Pose(Pose2::default())), |spawn| reader.spawn(spawn))?,
        pose: file.pose,
        sensors: file.sensors,
        mission: MissionPlan::parse_embedded(text, path, "mission")?.unwrap_or_else(|| standing_still(&name)),
        plant: file.plant.as_ref().map_or(Ok(PlantKind::Sim), |plant| reader.plant(plant))?,
        bus: file.bus,
        cycle: reader.cycle(file.cycle_ms.as_ref(), file.cycle_us.as_ref())?,
        faults,
        controller_faults,
        bus_faults: tables
            .tables("bus_fault")?
            .into_iter()
            .map(|fault| reader.bus_fault(fault))
            .collect::<Result<_, _>>()?,
        twin: file.twin.as_ref().map(|twin| reader.twin(twin)).transpose()?,
        mixed: file.mixed.map(|mixed| reader.mixed(mixed)).transpose()?,
        miscalibration: file.miscalibration.as_ref().map(|table| reader.miscalibration(table)).transpose()?,
        uncertainty: file
            .uncertainty
            .as_ref()
            .map_or(Ok(Uncertainty::default()), |table| reader.uncertainty(table, &document))?,
        controller: file.controller.map(|table| reader.controller(table)).transpose()?.unwrap_or_default(),
        behaviour: file.behaviour.map(|table| reader.behaviour(table)).transpose()?,
        pushes: file.push.into_iter().map(|push| reader.push(push)).collect::<Result<_, _>>()?,
        kidnaps: file.kidnap.iter().map(|kidnap| reader.kidnap(kidnap)).collect::<Result<_, _>>()?,
        operator: file.operator.iter().map(|line| reader.operator(line)).collect::<Result<_, _>>()?,
        checks: tables.tables("check")?.into_iter().map(|check| reader.check(check)).collect::<Result<_, _>>()?,
        metrics: file.metrics.iter().map(|metric| reader.metric(metric)).collect::<Result<_, _>>()?,
        settings: file.settings,
        log: LogOptions::default(),
        folder: PathBuf::from("."),
        name,
        source: Source { path: path.to_owned(), text: text.to_owned() },
    })
}

impl Reader<'_> {
    pub(super) fn error(&self, at: impl Place, message: impl Into<String>) -> ScenarioError {
        ScenarioError::Case(self.page.fault(at, message))
    }

    /// The line of a place in the text, from 1.
    pub(super) fn line(&self, at: impl Place) -> usize {
        self.page.line(at)
    }

    /// Why something is known to fail; words, not an empty line.
    fn reason(&self, why: &Spanned<String>) -> Result<String, ScenarioError> {
        let words = why.get_ref().split_whitespace().collect::<Vec<_>>().join(" ");
        let empty = || self.error(why.span().start, "known_failure: expected why it fails, found nothing");
        if words.is_empty() { Err(empty()) } else { Ok(words) }
    }

    fn seconds(&self, value: &Spanned<f64>, field: &str) -> Result<Time, ScenarioError> {
        self.time(*value.get_ref(), value.span().start, field)
    }

    pub(super) fn time(&self, seconds: f64, offset: usize, field: &str) -> Result<Time, ScenarioError> {
        let message = || format!("{field}: expected 0 to {LONGEST} [s], found {seconds}");
        let sensible = (0.0..=LONGEST).contains(&seconds);
        if sensible { Ok(Time::from_seconds(seconds)) } else { Err(self.error(offset, message())) }
    }

    /// Numbers of at most this magnitude.
    pub(super) fn within(
        &self,
        numbers: &[f64],
        most: f64,
        unit: &str,
        offset: usize,
        field: &str,
    ) -> Result<(), ScenarioError> {
        match numbers.iter().find(|number| !(-most..=most).contains(*number)) {
            None => Ok(()),
            Some(found) => {
                Err(self.error(offset, format!("{field}: expected -{most} to {most} [{unit}], found {found}")))
            }
        }
    }

    /// A place and a heading in the world.
    fn pose(&self, [x, y, yaw]: [f64; 3], offset: usize, field: &str) -> Result<Pose2, ScenarioError> {
        self.within(&[x, y], FARTHEST, "m", offset, field)?;
        self.within(&[yaw], LARGEST_ANGLE, "rad", offset, field)?;
        Ok(Pose2 { x, y, yaw })
    }

    /// The end of something that begins at `at` and lasts.
    fn end_of(&self, at: f64, duration: f64, offset: usize) -> Result<Time, ScenarioError> {
        if !(duration > 0.0 && duration <= LONGEST) {
            let message = format!("duration: expected more than 0, up to {LONGEST} [s], found {duration}");
            return Err(self.error(offset, message));
        }
        self.time(at + duration, offset, "at + duration")
    }

    fn spawn(&self, spawn: &Spanned<SpawnFile>) -> Result<Spawn, ScenarioError> {
        let SpawnFile { place, x, y, yaw } = spawn.get_ref();
        let [x_m, y_m, yaw_rad] = [x, y, yaw].map(|number| number.unwrap_or(0.0));
        let pose = self.pose([x_m, y_m, yaw_rad], spawn.span().start, "spawn")?;
        match (place, x.is_some() || y.is_some() || yaw.is_some()) {
            (Some(place), false) => Ok(Spawn::Place(place.clone())),
            (None, true) => Ok(Spawn::Pose(pose)),
            _ => Err(self.error(spawn.span().start, "spawn: expected either `place` or `x`, `y` and `yaw`")),
        }
    }

    fn plant(&self, plant: &Spanned<String>) -> Result<PlantKind, ScenarioError> {
        let known = plant.get_ref().parse();
        known.map_err(|message: String| self.error(plant.span().start, format!("plant: {message}")))
    }

    /// The control cycle, if the scenario has its own: whole microseconds, 50 µs to 1 s.
    fn cycle(
        &self,
        milliseconds: Option<&Spanned<f64>>,
        microseconds: Option<&Spanned<f64>>,
    ) -> Result<Option<Period>, ScenarioError> {
        let (field, value, factor) = match (milliseconds, microseconds) {
            (None, None) => return Ok(None),
            (Some(value), None) => ("cycle_ms", value, 1e3),
            (None, Some(value)) => ("cycle_us", value, 1.0),
            (Some(_), Some(value)) => {
                let message = "cycle_us: expected either `cycle_ms` or `cycle_us`, found both";
                return Err(self.error(value.span().start, message));
            }
        };
        let found = *value.get_ref();
        let whole = (found * factor).round();
        let sensible = (50.0..=1e6).contains(&whole) && (whole - found * factor).abs() < 1e-6;
        let message = || format!("{field}: expected whole microseconds, 50 µs to 1 s, found {found}");
        let period = sensible.then(|| Period::from_microseconds(whole as u64));
        period.map(Some).ok_or_else(|| self.error(value.span().start, message()))
    }

    fn push(&self, push: Spanned<PushFile>) -> Result<PushPlan, ScenarioError> {
        let offset = push.span().start;
        let PushFile { at, duration, link, point, force } = push.into_inner();
        self.within(&force, STRONGEST_PUSH, "N", offset, "force")?;
        self.within(&point, FARTHEST_POINT, "m", offset, "point")?;
        let (from, until) = (self.time(at, offset, "at")?, self.end_of(at, duration, offset)?);
        Ok(PushPlan { at: from, until, link, point, force })
    }

    /// The robot is carried away at a whole millisecond, which every physics step divides.
    fn kidnap(&self, kidnap: &Spanned<KidnapFile>) -> Result<Relocation, ScenarioError> {
        let offset = kidnap.span().start;
        let KidnapFile { at, x, y, yaw } = *kidnap.get_ref();
        let to = self.pose([x, y, yaw], offset, "kidnap")?;
        let at = self.time((at * 1e3).round() * 1e-3, offset, "at")?;
        Ok(Relocation { at, to })
    }

    fn operator(&self, line: &Spanned<OperatorFile>) -> Result<OperatorPlan, ScenarioError> {
        let offset = line.span().start;
        let OperatorFile { at, press, goto, twist, duration, component, switch } = line.get_ref();
        let from = self.time(*at, offset, "at")?;
        match (*press, *goto, *twist, *duration, component.as_deref().zip(*switch)) {
            (Some(button), None, None, None, None) => Ok(OperatorPlan::Press(from, request_of(button))),
            (None, Some(pose), None, None, None) => {
                let goal = self.pose(pose, offset, "operator: goto")?;
                Ok(OperatorPlan::Press(from, OperatorRequest::GoTo(goal)))
            }
            (None, None, None, None, Some((component, switch))) => {
                let component = self.short_name(component, offset, "operator: component")?;
                Ok(OperatorPlan::Press(from, OperatorRequest::Switch { component, switch }))
            }
            (None, None, Some([x, y, yaw]), Some(duration), None) => {
                self.within(&[x, y, yaw], FASTEST, "m/s, rad/s", offset, "operator: twist")?;
                let until = self.end_of(*at, duration, offset)?;
                Ok(OperatorPlan::Hold(from, until, Twist { x, y, yaw }))
            }
            _ => {
                let message = "operator: expected one of `press`, `goto = [x, y, yaw]`, `twist = [x, y, yaw]` with `duration`, \
                               or `component` with `switch`";
                Err(self.error(offset, message))
            }
        }
    }

    pub(super) fn short_name(&self, name: &str, offset: usize, what: &str) -> Result<ShortName, ScenarioError> {
        let longest = ShortName::LONGEST;
        let too_long = || self.error(offset, format!("{what}: expected at most {longest} bytes, found {}", name.len()));
        ShortName::new(name).ok_or_else(too_long)
    }

    fn check(&self, mut check: Fields<'_>) -> Result<CheckPlan, ScenarioError> {
        let at = check.place();
        let kind = check.kind(&KINDS)?;
        if !KINDS.contains(&kind.get_ref().as_str()) {
            return Ok(CheckPlan::Own { kind: kind.into_inner(), settings: check.rest()?, line: self.line(at) });
        }
        let file: CheckFile = check.rest_of(&kind)?;
        CheckPlan::try_from(&file).map_err(|message| self.error(at, format!("check: {message}")))
    }

    fn metric(&self, metric: &Spanned<String>) -> Result<String, ScenarioError> {
        let known = metric.get_ref().parse::<Metric>();
        known.map(|metric| metric.to_string()).map_err(|message| self.error(metric.span().start, message))
    }
}

fn request_of(button: Button) -> OperatorRequest {
    match button {
        Button::Pause => OperatorRequest::Pause,
        Button::Resume => OperatorRequest::Resume,
        Button::EmergencyStop => OperatorRequest::EmergencyStop,
        Button::ClearEmergencyStop => OperatorRequest::ClearEmergencyStop,
    }
}
