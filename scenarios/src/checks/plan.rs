//! What a check asks, as the scenario's file says it.

use core::fmt;

use page::{Fault, Fields, Range};
use robot_io::{Pose2, Time};

use super::{Metric, ObjectMetric};
use crate::ranges::{self, PLACE, SECONDS};

/// How a mission ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissionEnd {
    /// All steps done.
    Done,
    /// Stopped safely for a cause.
    Stopped,
    /// Stopped because a goal is out of reach, which the robot has found out.
    OutOfReach,
}

/// What a check asks.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckPlan {
    /// A metric within limits.
    Metric {
        /// Which.
        metric: Metric,
        /// What it has to keep to.
        within: Within,
        /// Look only while the true base is within x from, y from, x to, y to [m].
        region: Option<[f64; 4]>,
    },
    /// A metric of an object within limits.
    Object {
        /// Its name.
        object: String,
        /// Which.
        metric: ObjectMetric,
        /// What it has to keep to.
        within: Within,
    },
    /// How hard links of the first robot are touched by all that is not itself.
    Contact {
        /// Their names.
        links: Vec<String>,
        /// What the largest force has to keep to.
        within: Within,
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
    /// A check of these about a robot beside the first.
    Of {
        /// The robot's name.
        robot: String,
        /// The check.
        plan: Box<CheckPlan>,
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

/// What a number has to keep to, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    /// The largest allowed value.
    pub below: Option<f64>,
    /// The smallest allowed value.
    pub above: Option<f64>,
    /// The number's unit.
    pub unit: &'static str,
    /// Look only from this time on.
    pub after: Time,
    /// Look only until this time.
    pub before: Option<Time>,
}

impl MissionEnd {
    const WORDS: [(&str, MissionEnd); 3] =
        [("done", MissionEnd::Done), ("stopped", MissionEnd::Stopped), ("out_of_reach", MissionEnd::OutOfReach)];
}

/// The kinds that ship.
pub const KINDS: [&str; 8] =
    ["metric", "object", "contact", "reached", "mission", "event", "task_deadlines", "refused"];

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
            CheckPlan::Reached { .. } | CheckPlan::Object { .. } | CheckPlan::Contact { .. } => true,
            CheckPlan::Of { plan, .. } => plan.needs_truth(),
            CheckPlan::Mission { .. }
            | CheckPlan::Event { .. }
            | CheckPlan::TaskDeadlines
            | CheckPlan::Refused { .. }
            | CheckPlan::Own { .. } => false,
        }
    }
}

impl CheckPlan {
    pub(crate) fn read(table: &mut Fields<'_>) -> Result<CheckPlan, Fault> {
        let kind = table.need("kind", &format!("{} or one of your own", KINDS.join(", ")))?;
        Ok(match kind.any_text()? {
            "metric" => {
                let robot = table.optional_text("robot")?;
                let metric: Metric = table.need("metric", "signal.reducer")?.parse()?;
                let region = region_of(table)?;
                CheckPlan::Metric { metric, within: Within::read(table, metric.signal.unit())?, region }.of(robot)
            }
            "object" => {
                let object = table.text("object")?.to_owned();
                let metric: ObjectMetric = table.need("metric", "signal.reducer")?.parse()?;
                CheckPlan::Object { object, metric, within: Within::read(table, metric.signal.unit())? }
            }
            "contact" => {
                let names = table.need("links", "a list of names of links")?;
                let links = names.list("a list of names of links")?;
                let links = links.iter().map(|link| Ok(link.text()?.to_owned())).collect::<Result<Vec<_>, Fault>>()?;
                if links.is_empty() {
                    return Err(names.error("a list of names of links", "an empty one"));
                }
                CheckPlan::Contact { links, within: Within::read(table, "N")? }
            }
            "reached" => {
                let robot = table.optional_text("robot")?;
                CheckPlan::reached(table)?.of(robot)
            }
            "mission" => {
                let robot = table.optional_text("robot")?;
                let end = table.word("end", &MissionEnd::WORDS)?;
                CheckPlan::Mission { end, before: table.optional("before", SECONDS)?.map(Time::from_seconds) }.of(robot)
            }
            "event" => {
                let contains = table.need("contains", "a part of the event's text")?.any_text()?.to_owned();
                let joint = table.optional_text("joint")?;
                let (after, before) = window_of(table)?;
                CheckPlan::Event { contains, joint, after, before }
            }
            "task_deadlines" => CheckPlan::TaskDeadlines,
            "refused" => {
                let contains = table.need("contains", "a part of what the bus says")?.any_text()?.to_owned();
                CheckPlan::Refused { contains }
            }
            own => CheckPlan::Own { kind: own.to_owned(), settings: table.rest()?, line: table.line() },
        })
    }

    /// The same about another robot than the first, if one is named.
    fn of(self, robot: Option<String>) -> CheckPlan {
        match robot {
            None => self,
            Some(robot) => CheckPlan::Of { robot, plan: Box::new(self) },
        }
    }

    fn reached(table: &mut Fields<'_>) -> Result<CheckPlan, Fault> {
        let (x, y) = (table.number("x", PLACE)?, table.number("y", PLACE)?);
        let heading = table.optional("heading", Range::new(-360.0, 360.0, "deg"))?;
        let within = table.number("within", Range::new(1e-6, PLACE.high, "m"))?;
        let heading_within = table.optional("heading_within", Range::new(1e-6, 180.0, "deg"))?;
        let before = table.optional("before", SECONDS)?.map(Time::from_seconds);
        if heading.is_some() != heading_within.is_some() {
            table.finish()?;
            return Err(table.error("`heading` and `heading_within` together or neither", "one of them"));
        }
        let pose = Pose2 { x, y, yaw: heading.unwrap_or(0.0).to_radians() };
        Ok(CheckPlan::Reached { pose, within, heading_within: heading_within.map(f64::to_radians), before })
    }
}

impl Within {
    /// The last to be read of its table; there has to be a limit.
    fn read(table: &mut Fields<'_>, unit: &'static str) -> Result<Within, Fault> {
        let limit = Range::new(-1e9, 1e9, unit);
        let (below, above) = (table.optional("below", limit)?, table.optional("above", limit)?);
        let (after, before) = window_of(table)?;
        table.finish()?;
        match (below, above) {
            (None, None) => Err(table.error("`below` or `above`", "neither")),
            (Some(below), Some(above)) if above > below => {
                Err(table.error("`above` not over `below`", &format!("above {above} and below {below}")))
            }
            _ => Ok(Within { below, above, unit, after, before }),
        }
    }

    /// True while it is looked.
    pub(super) fn looks_at(&self, now: Time) -> bool {
        now >= self.after && self.before.is_none_or(|end| now <= end)
    }

    /// True for a number within the limits.
    pub(super) fn holds(&self, value: f64) -> bool {
        let Within { below, above, .. } = self;
        !value.is_nan() && below.is_none_or(|limit| value <= limit) && above.is_none_or(|limit| value >= limit)
    }
}

/// From when on and until when is looked, in order.
fn window_of(table: &mut Fields<'_>) -> Result<(Time, Option<Time>), Fault> {
    let after = Time::from_seconds(table.number_or("after", SECONDS, 0.0)?);
    Ok((after, ranges::end(table, "before", after)?))
}

/// A region has its lower corner first.
fn region_of(table: &mut Fields<'_>) -> Result<Option<[f64; 4]>, Fault> {
    let Some(value) = table.get("region") else { return Ok(None) };
    let [x_from, y_from, x_to, y_to] = value.vector(PLACE)?;
    if x_from < x_to && y_from < y_to {
        return Ok(Some([x_from, y_from, x_to, y_to]));
    }
    Err(value.error("x from, y from, x to, y to [m], each `to` above its `from`", &value.found()))
}

impl fmt::Display for CheckPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckPlan::Metric { metric, within, region } => {
                write!(f, "{metric}")?;
                limits(f, within)?;
                if let Some([x0, y0, x1, y1]) = region {
                    write!(f, ", in x {x0} … {x1} m, y {y0} … {y1} m")?;
                }
                window(f, within.after, within.before)
            }
            CheckPlan::Object { object, metric, within } => {
                write!(f, "{object}: {metric}")?;
                limits(f, within)?;
                window(f, within.after, within.before)
            }
            CheckPlan::Contact { links, within } => {
                write!(f, "contact force on {}", links.join(", "))?;
                limits(f, within)?;
                window(f, within.after, within.before)
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
            CheckPlan::Of { robot, plan } => write!(f, "{robot}: {plan}"),
            CheckPlan::Own { kind, .. } => f.write_str(kind),
        }
    }
}

fn limits(f: &mut fmt::Formatter<'_>, Within { below, above, unit, .. }: &Within) -> fmt::Result {
    // a number without a unit has the unit 1
    let unit = if *unit == "1" { String::new() } else { format!(" {unit}") };
    above.map_or(Ok(()), |limit| write!(f, " ≥ {limit}{unit}"))?;
    below.map_or(Ok(()), |limit| write!(f, " ≤ {limit}{unit}"))
}

fn window(f: &mut fmt::Formatter<'_>, after: Time, before: Option<Time>) -> fmt::Result {
    if after > Time::ZERO {
        write!(f, ", from {after}")?;
    }
    before.map_or(Ok(()), |time| write!(f, ", by {time}"))
}
