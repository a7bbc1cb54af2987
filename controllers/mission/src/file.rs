//! Mission files: TOML, read without mercy for typing errors.
//!
//! ```
//! let plan = mission::MissionPlan::parse(
//!     r#"
//!     name = "there and back"
//!
//!     [[steps]]
//!     goto = { x = 2.0, y = 0.0, yaw = 1.57, tolerance = 0.05 }
//!     wait = { seconds = 3.0 }
//!
//!     [[steps]]
//!     goto = { x = 0.0, y = 0.0, speed = 0.2 }
//!     "#,
//!     "there_and_back.toml",
//! )?;
//! assert_eq!(plan.steps.len(), 2);
//! # Ok::<(), mission::MissionError>(())
//! ```

use locomotion::Heading as Look;
use page::{Fault, Fields, Page, Range};

use crate::MissionError;
use crate::motion::MotionStep;
use crate::plan::{Action, Frame, Leg, MissionPlan, OnStall, ProgressRules, Step};
use crate::skill::{SkillStep, Skills};

/// More steps than this are a mistake.
pub const MOST_STEPS: usize = 1_000;

/// Where a place may be, along one axis.
const PLACE: Range = Range::new(-1e5, 1e5, "m");
/// How near is near enough, for an angle.
const TURN: Range = Range::new(0.001, 7.0, "rad");
/// How far the base leans.
const LEAN: Range = Range::new(-0.8, 0.8, "rad");
/// How long something takes that may be over at once.
const WHILE: Range = Range::new(0.0, 1e6, "s");

impl MissionPlan {
    /// Reads a mission file; `file_name` is for the messages. A skill that not every mission has is refused.
    pub fn parse(text: &str, file_name: &str) -> Result<MissionPlan, MissionError> {
        let page = Page { file: file_name, text };
        let root = page.parse()?;
        let mut plan = mission(page.fields(&root), page)?;
        plan.find_skills(&Skills::default())?;
        Ok(plan)
    }

    /// Reads the mission that stands as table `key` in a larger TOML file, for example a scenario; `None` if the file
    /// has no such key. Lines in messages are those of the larger file. Its skills are to be [found](MissionPlan::find_skills) yet.
    pub fn parse_embedded(text: &str, file_name: &str, key: &'static str) -> Result<Option<MissionPlan>, MissionError> {
        let page = Page { file: file_name, text };
        let root = page.parse()?;
        page.fields(&root).get(key).map(|value| mission(value.table()?, page)).transpose()
    }

    /// Reads the mission that is a table of a `page`. Its skills are to be [found](MissionPlan::find_skills) yet.
    pub fn of_table(table: Fields<'_>, page: Page<'_>) -> Result<MissionPlan, MissionError> {
        mission(table, page)
    }
}

fn mission(mut fields: Fields<'_>, page: Page<'_>) -> Result<MissionPlan, MissionError> {
    let name = fields.text("name")?.to_owned();
    let frame = fields.word_or("frame", &[("world", Frame::World), ("start", Frame::Start)], Frame::World)?;
    let mapping = fields.flag_or("mapping", false)?;
    let navigate = fields.flag_or("navigate", false)?;
    let progress = fields.one("progress", progress)?.unwrap_or_default();
    let steps = steps(&mut fields, page, navigate)?;
    fields.finish()?;
    if !mapping && steps.iter().any(Step::needs_map) {
        let expected = "mapping = true, which navigation and exploration need";
        return Err(fields.need("mapping", expected)?.error(expected, "no mapping").into());
    }
    Ok(MissionPlan { name, frame, mapping, progress, steps })
}

fn progress(fields: &mut Fields<'_>) -> Result<ProgressRules, Fault> {
    let usual = ProgressRules::default();
    Ok(ProgressRules {
        stall_time: fields.number_or("stall_time", Range::new(1e-6, 1e6, "s"), usual.stall_time)?,
        minimal_progress: fields.number_or("minimal_progress", Range::new(1e-6, 1e6, "m"), usual.minimal_progress)?,
        minimal_turn: fields.number_or("minimal_turn", Range::new(1e-6, 1e6, "rad"), usual.minimal_turn)?,
        retries: fields.whole_or("retries", 0..=u32::MAX.into(), usual.retries.into())? as u32,
        retry_pause: fields.number_or("retry_pause", WHILE, usual.retry_pause)?,
        on_stall: fields.word_or("on_stall", &[("stop", OnStall::Stop), ("skip", OnStall::Skip)], usual.on_stall)?,
    })
}

fn steps(fields: &mut Fields<'_>, page: Page<'_>, navigate: bool) -> Result<Vec<Step>, MissionError> {
    let Some(list) = fields.get("steps") else { return Ok(Vec::new()) };
    let steps = list.list("a list of tables")?;
    if steps.len() > MOST_STEPS {
        return Err(MissionError::TooManySteps { expected: MOST_STEPS, found: steps.len() });
    }
    let steps = steps.into_iter().enumerate().map(|(index, mut value)| {
        // people count from 1
        value.field = format!("{}[{}]", list.field, index + 1);
        Ok(step(value.table()?, page, navigate)?)
    });
    steps.collect()
}

fn step(mut fields: Fields<'_>, page: Page<'_>, navigate: bool) -> Result<Step, Fault> {
    let leg = fields.one("goto", |goto| leg(goto, navigate))?;
    let actions = [
        fields.one("wait", |wait| Ok(Action::Wait { seconds: wait.number("seconds", WHILE)? }))?,
        fields.one("stance", stance)?,
        fields.one("pose", pose)?,
        fields.one("explore", explore)?,
        // each field of it that is none of ours is a hand
        fields
            .get("reach")
            .map(|reach| MotionStep::reach(&mut reach.table()?, page.file))
            .transpose()?
            .map(Action::Motion),
        fields.one("motion", |motion| MotionStep::file(motion, page.file))?.map(Action::Motion),
    ];
    let mut actions: Vec<Action> = actions.into_iter().flatten().collect();
    // what nobody else can do is a skill
    for (name, value) in fields.unread() {
        let (line, field) = (page.line(&name), value.field.clone());
        let goal = value.table()?.rest()?;
        actions.push(Action::Skill(SkillStep::new(name.get_ref(), goal, page.file, line, &field)));
    }
    if actions.len() > 1 {
        let expected = "one action at most: wait, stance, pose, explore, reach, motion or a skill";
        return Err(fields.error(expected, &format!("{} actions", actions.len())));
    }
    if actions.is_empty() && leg.is_none() {
        return Err(fields.error("goto, wait, stance, pose, explore, reach, motion or a skill", "an empty step"));
    }
    if !actions.is_empty() && leg.is_some_and(|leg| leg.pass) {
        return Err(fields.error("no action where one drives through", "pass = true and an action"));
    }
    Ok(Step { leg, action: actions.pop() })
}

fn leg(fields: &mut Fields<'_>, navigate: bool) -> Result<Leg, Fault> {
    let (x, y) = (fields.number("x", PLACE)?, fields.number("y", PLACE)?);
    let usual = if fields.flag_or("pass", false)? { Leg::through(x, y) } else { Leg::to(x, y, None) };
    let looks = [("travel", Look::Travel), ("goal", Look::Goal), ("keep", Look::Keep)];
    Ok(Leg {
        yaw: fields.optional("yaw", Range::new(-7.0, 7.0, "rad"))?,
        look: fields.get("look").map(|look| look.word(&looks)).transpose()?,
        tolerance: fields.number_or("tolerance", Range::new(0.001, 100.0, "m"), usual.tolerance)?,
        heading_tolerance: fields.number_or("heading_tolerance", TURN, usual.heading_tolerance)?,
        speed: fields.optional("speed", Range::new(0.001, 100.0, "m/s"))?,
        navigate: fields.flag_or("navigate", navigate)?,
        timeout: fields.optional("timeout", Range::new(0.001, 1e6, "s"))?,
        ..usual
    })
}

fn stance(fields: &mut Fields<'_>) -> Result<Action, Fault> {
    Ok(Action::Stance {
        height: fields.optional("height", Range::new(0.01, 10.0, "m"))?,
        pitch: fields.number_or("pitch", LEAN, 0.0)?,
        roll: fields.number_or("roll", LEAN, 0.0)?,
        seconds: fields.number_or("seconds", WHILE, 3.0)?,
    })
}

fn pose(fields: &mut Fields<'_>) -> Result<Action, Fault> {
    Ok(Action::Pose { name: fields.text("name")?.to_owned(), tolerance: fields.number_or("tolerance", TURN, 0.1)? })
}

fn explore(fields: &mut Fields<'_>) -> Result<Action, Fault> {
    let corner = fields.need("min", "a corner [x, y] in metres")?;
    let (min, max): ([f64; 2], [f64; 2]) = (corner.vector(PLACE)?, fields.vector("max", PLACE)?);
    if min[0] < max[0] && min[1] < max[1] {
        return Ok(Action::Explore { min, max });
    }
    Err(corner.error("two corners [x, y] in metres, min below max", &format!("{min:?} and {max:?}")))
}
