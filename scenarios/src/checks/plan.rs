//! What a check asks, as the scenario's file says it.

use core::fmt;

use robot_io::{Pose2, Time};
use serde::Deserialize;

use super::{Metric, ObjectMetric};

/// A check as it stands in the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CheckFile {
    /// A metric within limits.
    Metric {
        /// For example `tilt.max`.
        metric: String,
        /// The largest allowed value.
        below: Option<f64>,
        /// The smallest allowed value.
        above: Option<f64>,
        /// Look only from this time on [s].
        after: Option<f64>,
        /// Look only until this time [s].
        before: Option<f64>,
        /// Look only while the true base is within x from, y from, x to, y to [m].
        region: Option<[f64; 4]>,
    },
    /// A metric of an object within limits, by the truth.
    Object {
        /// The object's name.
        object: String,
        /// For example `hinge.max`.
        metric: String,
        /// The largest allowed value.
        below: Option<f64>,
        /// The smallest allowed value.
        above: Option<f64>,
        /// Look only from this time on [s].
        after: Option<f64>,
        /// Look only until this time [s].
        before: Option<f64>,
    },
    /// A pose in the world reached, by the truth.
    Reached {
        /// World x [m].
        x: f64,
        /// World y [m].
        y: f64,
        /// Heading [deg].
        heading: Option<f64>,
        /// How near [m].
        within: f64,
        /// How near in heading [deg].
        heading_within: Option<f64>,
        /// By when [s].
        before: Option<f64>,
    },
    /// The mission ended in this way.
    Mission {
        /// In which way.
        end: MissionEnd,
        /// By when [s].
        before: Option<f64>,
    },
    /// An event was reported.
    Event {
        /// Part of the event's text, or its source.
        contains: String,
        /// The joint that it is about.
        joint: Option<String>,
        /// From when on [s].
        after: Option<f64>,
        /// By when [s].
        before: Option<f64>,
    },
    /// Every deadline task finished within the time it was given, on this machine.
    TaskDeadlines {},
    /// The bus refuses to start.
    Refused {
        /// Part of what it says.
        contains: String,
    },
}

/// How a mission ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissionEnd {
    /// All steps done.
    Done,
    /// Stopped safely for a cause.
    Stopped,
    /// Stopped because a goal is out of reach, which the robot has found out.
    OutOfReach,
}

/// A check that makes sense.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckPlan {
    /// A metric within limits.
    Metric {
        /// Which.
        metric: Metric,
        /// The largest allowed value.
        below: Option<f64>,
        /// The smallest allowed value.
        above: Option<f64>,
        /// Look only from this time on.
        after: Time,
        /// Look only until this time.
        before: Option<Time>,
        /// Look only while the true base is within x from, y from, x to, y to [m].
        region: Option<[f64; 4]>,
    },
    /// A metric of an object within limits.
    Object {
        /// Its name.
        object: String,
        /// Which.
        metric: ObjectMetric,
        /// The largest allowed value.
        below: Option<f64>,
        /// The smallest allowed value.
        above: Option<f64>,
        /// Look only from this time on.
        after: Time,
        /// Look only until this time.
        before: Option<Time>,
    },
    /// A pose in the world reached.
    Reached {
        /// Which.
        pose: Pose2,
        /// How near [m].
        within: f64,
        /// How near in heading [rad].
        heading_within: Option<f64>,
        /// By when.
        before: Option<Time>,
    },
    /// The mission ended in this way.
    Mission {
        /// In which way.
        end: MissionEnd,
        /// By when.
        before: Option<Time>,
    },
    /// An event was reported.
    Event {
        /// Part of its text, or its source.
        contains: String,
        /// The joint that it is about.
        joint: Option<String>,
        /// From when on.
        after: Time,
        /// By when.
        before: Option<Time>,
    },
    /// Every deadline task was in time.
    TaskDeadlines,
    /// The bus refuses to start.
    Refused {
        /// Part of what it says.
        contains: String,
    },
    /// What a check of somebody else's asks.
    Own {
        /// Its name in the registry.
        kind: String,
        /// The rest of its table.
        settings: toml::Table,
        /// The line of the table, from 1.
        line: usize,
    },
}

/// The kinds that ship.
pub const KINDS: [&str; 7] = ["metric", "object", "reached", "mission", "event", "task_deadlines", "refused"];

impl CheckPlan {
    /// The metric that it asks for, if it asks for one.
    pub fn metric(&self) -> Option<Metric> {
        match self {
            CheckPlan::Metric { metric, .. } => Some(*metric),
            _ => None,
        }
    }

    /// True if only the truth can answer it.
    pub fn needs_truth(&self) -> bool {
        match self {
            CheckPlan::Metric { metric, region, .. } => region.is_some() || metric.signal.needs_truth(),
            CheckPlan::Reached { .. } | CheckPlan::Object { .. } => true,
            CheckPlan::Mission { .. }
            | CheckPlan::Event { .. }
            | CheckPlan::TaskDeadlines
            | CheckPlan::Refused { .. }
            | CheckPlan::Own { .. } => false,
        }
    }
}

impl TryFrom<&CheckFile> for CheckPlan {
    type Error = String;

    fn try_from(file: &CheckFile) -> Result<CheckPlan, String> {
        match file.clone() {
            CheckFile::Metric { metric, below, above, after, before, region } => {
                let (below, above) = limits_of(&metric, below, above)?;
                let (after, before) = window_of(after, before)?;
                region.as_ref().map(check_region).transpose()?;
                Ok(CheckPlan::Metric { metric: metric.parse()?, below, above, after, before, region })
            }
            CheckFile::Object { object, metric, below, above, after, before } => {
                let (below, above) = limits_of(&metric, below, above)?;
                let (after, before) = window_of(after, before)?;
                Ok(CheckPlan::Object { object, metric: metric.parse()?, below, above, after, before })
            }
            CheckFile::Reached { x, y, heading, within, heading_within, before } => {
                if heading.is_some() != heading_within.is_some() {
                    return Err("expected `heading` and `heading_within` together or neither".to_owned());
                }
                let heading = bounded(heading.unwrap_or(0.0), "heading [deg]", -360.0, 360.0)?.to_radians();
                bounded(x, "x [m]", -FARTHEST, FARTHEST)?;
                bounded(y, "y [m]", -FARTHEST, FARTHEST)?;
                let within = bounded(within, "within [m]", 1e-6, FARTHEST)?;
                let heading_within = heading_within.map(|angle| bounded(angle, "heading_within [deg]", 1e-6, 180.0));
                let heading_within = heading_within.transpose()?.map(f64::to_radians);
                let before = time(before, "before")?;
                Ok(CheckPlan::Reached { pose: Pose2 { x, y, yaw: heading }, within, heading_within, before })
            }
            CheckFile::Mission { end, before } => Ok(CheckPlan::Mission { end, before: time(before, "before")? }),
            CheckFile::Event { contains, joint, after, before } => {
                let (after, before) = window_of(after, before)?;
                Ok(CheckPlan::Event { contains, joint, after, before })
            }
            CheckFile::TaskDeadlines {} => Ok(CheckPlan::TaskDeadlines),
            CheckFile::Refused { contains } => Ok(CheckPlan::Refused { contains }),
        }
    }
}

/// No metric is larger, whatever its unit.
const LARGEST: f64 = 1e9;
/// Nothing is farther away than this [m].
const FARTHEST: f64 = 1e4;
/// The longest scenario [s].
const LONGEST: f64 = 86_400.0;

fn bounded(value: f64, field: &str, least: f64, most: f64) -> Result<f64, String> {
    let sensible = (least..=most).contains(&value);
    if sensible { Ok(value) } else { Err(format!("{field}: expected {least} to {most}, found {value}")) }
}

/// The largest and the smallest allowed value, of which there has to be one.
fn limits_of(metric: &str, below: Option<f64>, above: Option<f64>) -> Result<(Option<f64>, Option<f64>), String> {
    if below.is_none() && above.is_none() {
        return Err(format!("expected `below` or `above` for metric '{metric}'"));
    }
    let (below, above) = (number(below, "below")?, number(above, "above")?);
    match (below, above) {
        (Some(below), Some(above)) if above > below => {
            Err(format!("expected `above` not over `below`, found above {above} and below {below}"))
        }
        limits => Ok(limits),
    }
}

/// From when on and until when is looked, in order.
fn window_of(after: Option<f64>, before: Option<f64>) -> Result<(Time, Option<Time>), String> {
    let (after, before) = (time(after, "after")?.unwrap_or_default(), time(before, "before")?);
    match before {
        Some(before) if before <= after => {
            Err(format!("expected `before` later than `after`, found after {after} and before {before}"))
        }
        before => Ok((after, before)),
    }
}

/// A region has its lower corner first.
fn check_region([x_from, y_from, x_to, y_to]: &[f64; 4]) -> Result<(), String> {
    let sensible = [x_from, y_from, x_to, y_to].into_iter().all(|value| value.abs() <= FARTHEST);
    if sensible && x_from < x_to && y_from < y_to {
        return Ok(());
    }
    Err(format!(
        "region: expected x from, y from, x to, y to [m], each `to` above its `from`, found [{x_from}, {y_from}, {x_to}, {y_to}]"
    ))
}

fn number(value: Option<f64>, field: &str) -> Result<Option<f64>, String> {
    match value {
        Some(number) if !(-LARGEST..=LARGEST).contains(&number) => {
            Err(format!("{field}: expected -{LARGEST} to {LARGEST}, found {number}"))
        }
        value => Ok(value),
    }
}

fn time(value: Option<f64>, field: &str) -> Result<Option<Time>, String> {
    match value {
        Some(seconds) if !(0.0..=LONGEST).contains(&seconds) => {
            Err(format!("{field}: expected 0 to {LONGEST} [s], found {seconds}"))
        }
        value => Ok(value.map(Time::from_seconds)),
    }
}

impl fmt::Display for CheckPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckPlan::Metric { metric, below, above, after, before, region } => {
                write!(f, "{metric}")?;
                limits(f, *above, *below, metric.signal.unit())?;
                if let Some([x0, y0, x1, y1]) = region {
                    write!(f, ", in x {x0} … {x1} m, y {y0} … {y1} m")?;
                }
                window(f, *after, *before)
            }
            CheckPlan::Object { object, metric, below, above, after, before } => {
                write!(f, "{object}: {metric}")?;
                limits(f, *above, *below, metric.signal.unit())?;
                window(f, *after, *before)
            }
            CheckPlan::Reached { pose, within, before, .. } => {
                write!(f, "({}, {}) m reached within {within} m", pose.x, pose.y)?;
                window(f, Time::ZERO, *before)
            }
            CheckPlan::Mission { end, before } => {
                f.write_str(match end {
                    MissionEnd::Done => "mission done",
                    MissionEnd::Stopped => "mission stopped safely",
                    MissionEnd::OutOfReach => "goal found out of reach",
                })?;
                window(f, Time::ZERO, *before)
            }
            CheckPlan::Event { contains, joint, after, before } => {
                write!(f, "event '{contains}'")?;
                joint.as_ref().map_or(Ok(()), |joint| write!(f, " about {joint}"))?;
                window(f, *after, *before)
            }
            CheckPlan::TaskDeadlines => f.write_str("deadline tasks in time"),
            CheckPlan::Refused { contains } => write!(f, "refused at start, with '{contains}'"),
            CheckPlan::Own { kind, .. } => f.write_str(kind),
        }
    }
}

fn limits(f: &mut fmt::Formatter<'_>, above: Option<f64>, below: Option<f64>, unit: &str) -> fmt::Result {
    // a number without a unit has the unit 1
    let unit = if unit == "1" { String::new() } else { format!(" {unit}") };
    above.map_or(Ok(()), |limit| write!(f, " ≥ {limit}{unit}"))?;
    below.map_or(Ok(()), |limit| write!(f, " ≤ {limit}{unit}"))
}

fn window(f: &mut fmt::Formatter<'_>, after: Time, before: Option<Time>) -> fmt::Result {
    if after > Time::ZERO {
        write!(f, ", from {after}")?;
    }
    before.map_or(Ok(()), |time| write!(f, ", by {time}"))
}
