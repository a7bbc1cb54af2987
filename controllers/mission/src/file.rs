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

use std::collections::BTreeMap;

use locomotion::Heading as Look;
use page::{Fault, Page};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use crate::MissionError;
use crate::plan::{Action, Frame, Leg, MissionPlan, OnStall, ProgressRules, STEP_KEYS, Step};
use crate::skill::{SkillStep, Skills};

/// More steps than this are a mistake.
pub const MOST_STEPS: usize = 1_000;

impl MissionPlan {
    /// Reads a mission file; `file_name` is for the messages. A skill that not every mission has is refused.
    pub fn parse(text: &str, file_name: &str) -> Result<MissionPlan, MissionError> {
        let source = Source { page: Page { file: file_name, text } };
        let document = source.page.parse()?;
        let whole = document.span();
        let mut plan = source.read(Spanned::new(whole, DeValue::Table(document.into_inner())))?;
        plan.find_skills(&Skills::default())?;
        Ok(plan)
    }

    /// Reads the mission that stands as table `key` in a larger TOML file, for example a scenario; `None` if the file
    /// has no such key. Lines in messages are those of the larger file. Its skills are to be [found](MissionPlan::find_skills) yet.
    pub fn parse_embedded(text: &str, file_name: &str, key: &str) -> Result<Option<MissionPlan>, MissionError> {
        let source = Source { page: Page { file: file_name, text } };
        let mut document = source.page.parse()?.into_inner();
        let Some(table) = document.remove(key) else { return Ok(None) };
        source.read(table).map(Some)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMission {
    name: Spanned<String>,
    #[serde(default)]
    frame: Frame,
    #[serde(default)]
    mapping: bool,
    #[serde(default)]
    navigate: bool,
    #[serde(default)]
    progress: RawProgress,
    #[serde(default)]
    steps: Vec<Spanned<RawStep>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProgress {
    stall_time: Option<Spanned<f64>>,
    minimal_progress: Option<Spanned<f64>>,
    minimal_turn: Option<Spanned<f64>>,
    retries: Option<u32>,
    retry_pause: Option<Spanned<f64>>,
    on_stall: Option<OnStall>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStep {
    goto: Option<RawLeg>,
    wait: Option<RawWait>,
    stance: Option<RawStance>,
    pose: Option<RawPose>,
    explore: Option<RawExplore>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLeg {
    x: Spanned<f64>,
    y: Spanned<f64>,
    yaw: Option<Spanned<f64>>,
    look: Option<Look>,
    tolerance: Option<Spanned<f64>>,
    heading_tolerance: Option<Spanned<f64>>,
    speed: Option<Spanned<f64>>,
    #[serde(default)]
    pass: bool,
    navigate: Option<bool>,
    timeout: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWait {
    seconds: Spanned<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStance {
    height: Option<Spanned<f64>>,
    pitch: Option<Spanned<f64>>,
    roll: Option<Spanned<f64>>,
    seconds: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPose {
    name: Spanned<String>,
    tolerance: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExplore {
    min: Spanned<[f64; 2]>,
    max: Spanned<[f64; 2]>,
}

/// The text that messages point into.
struct Source<'a> {
    page: Page<'a>,
}

impl Source<'_> {
    fn read(&self, mut mission: Spanned<DeValue<'_>>) -> Result<MissionPlan, MissionError> {
        let skills = self.take_skills(&mut mission)?;
        let raw = RawMission::deserialize(ValueDeserializer::from(mission)).map_err(|e| self.page.misread(&e))?;
        self.check(raw, skills)
    }

    /// Takes out of the steps what names a skill, by the steps' indices.
    fn take_skills(&self, mission: &mut Spanned<DeValue<'_>>) -> Result<BTreeMap<usize, SkillStep>, Fault> {
        let mut skills = BTreeMap::new();
        let DeValue::Table(table) = mission.get_mut() else { return Ok(skills) };
        let Some(DeValue::Array(steps)) = table.get_mut("steps").map(Spanned::get_mut) else { return Ok(skills) };
        for (index, step) in steps.iter_mut().enumerate() {
            let DeValue::Table(step) = step.get_mut() else { continue };
            let own = step.keys().find(|key| !STEP_KEYS.contains(&key.get_ref().as_ref())).cloned();
            let Some((key, value)) = own.and_then(|key| step.remove_entry(&key)) else { continue };
            let (name, line) = (key.get_ref(), self.page.line(&key));
            let (span, field) = (value.span(), format!("steps[{}].{name}", index + 1));
            let goal = toml::Value::deserialize(ValueDeserializer::from(value)).map_err(|e| self.page.misread(&e))?;
            let toml::Value::Table(goal) = goal else {
                let expected = format!("a table, what {name} shall do");
                return Err(self.page.expected(
                    &span,
                    &field,
                    expected,
                    format!("a value of type {}", goal.type_str()),
                ));
            };
            skills.insert(index, SkillStep::new(name, goal, self.page.file, line, &field));
        }
        Ok(skills)
    }

    fn check(&self, raw: RawMission, mut skills: BTreeMap<usize, SkillStep>) -> Result<MissionPlan, MissionError> {
        if raw.name.get_ref().trim().is_empty() {
            return Err(self.page.expected(&raw.name, "name", "a name", "an empty text").into());
        }
        if raw.steps.len() > MOST_STEPS {
            return Err(MissionError::TooManySteps { expected: MOST_STEPS, found: raw.steps.len() });
        }
        let progress = self.progress(&raw.progress)?;
        let steps = raw.steps.iter().enumerate();
        let steps = steps.map(|(index, step)| self.step(index, step, skills.remove(&index), raw.navigate));
        let steps: Vec<Step> = steps.collect::<Result<_, _>>()?;
        if !raw.mapping && steps.iter().any(Step::needs_map) {
            let expected = "mapping = true, which navigation and exploration need";
            return Err(self.page.expected(&raw.name, "mapping", expected, "no mapping").into());
        }
        Ok(MissionPlan { name: raw.name.into_inner(), frame: raw.frame, mapping: raw.mapping, progress, steps })
    }

    fn progress(&self, raw: &RawProgress) -> Result<ProgressRules, Fault> {
        let usual = ProgressRules::default();
        let positive = |value: &Option<_>, field: &str, usual| {
            self.optional(value, &format!("progress.{field}"), 1e-6, 1e6).map(|v| v.unwrap_or(usual))
        };
        Ok(ProgressRules {
            stall_time: positive(&raw.stall_time, "stall_time", usual.stall_time)?,
            minimal_progress: positive(&raw.minimal_progress, "minimal_progress", usual.minimal_progress)?,
            minimal_turn: positive(&raw.minimal_turn, "minimal_turn", usual.minimal_turn)?,
            retries: raw.retries.unwrap_or(usual.retries),
            retry_pause: self
                .optional(&raw.retry_pause, "progress.retry_pause", 0.0, 1e6)?
                .unwrap_or(usual.retry_pause),
            on_stall: raw.on_stall.unwrap_or(usual.on_stall),
        })
    }

    fn step(
        &self,
        index: usize,
        step: &Spanned<RawStep>,
        skill: Option<SkillStep>,
        navigate: bool,
    ) -> Result<Step, Fault> {
        let at = format!("steps[{}]", index + 1);
        let raw = step.get_ref();
        let actions =
            [raw.wait.is_some(), raw.stance.is_some(), raw.pose.is_some(), raw.explore.is_some(), skill.is_some()];
        let actions = actions.into_iter().filter(|there| *there).count();
        if actions > 1 {
            let expected = "one action at most: wait, stance, pose, explore or a skill";
            return Err(self.page.expected(step, &at, expected, format!("{actions} actions")));
        }
        if actions == 0 && raw.goto.is_none() {
            return Err(self.page.expected(step, &at, "goto, wait, stance, pose, explore or a skill", "an empty step"));
        }
        let leg = raw.goto.as_ref().map(|leg| self.leg(&format!("{at}.goto"), leg, navigate)).transpose()?;
        if leg.is_some_and(|leg| leg.pass) && actions > 0 {
            return Err(self.page.expected(
                step,
                &at,
                "no action where one drives through",
                "pass = true and an action",
            ));
        }
        let action = self.action(&at, raw)?;
        Ok(Step { leg, action: action.or(skill.map(Action::Skill)) })
    }

    fn leg(&self, at: &str, raw: &RawLeg, navigate: bool) -> Result<Leg, Fault> {
        let field = |name: &str| format!("{at}.{name}");
        let number = |value: &Option<_>, name, least, most| self.optional(value, &field(name), least, most);
        let (x, y) = (self.number(&raw.x, &field("x"), -1e5, 1e5)?, self.number(&raw.y, &field("y"), -1e5, 1e5)?);
        let usual = if raw.pass { Leg::through(x, y) } else { Leg::to(x, y, None) };
        Ok(Leg {
            yaw: number(&raw.yaw, "yaw", -7.0, 7.0)?,
            tolerance: number(&raw.tolerance, "tolerance", 0.001, 100.0)?.unwrap_or(usual.tolerance),
            heading_tolerance: number(&raw.heading_tolerance, "heading_tolerance", 0.001, 7.0)?
                .unwrap_or(usual.heading_tolerance),
            speed: number(&raw.speed, "speed", 0.001, 100.0)?,
            look: raw.look,
            navigate: raw.navigate.unwrap_or(navigate),
            timeout: number(&raw.timeout, "timeout", 0.001, 1e6)?,
            ..usual
        })
    }

    fn action(&self, at: &str, raw: &RawStep) -> Result<Option<Action>, Fault> {
        if let Some(wait) = &raw.wait {
            let seconds = self.number(&wait.seconds, &format!("{at}.wait.seconds"), 0.0, 1e6)?;
            return Ok(Some(Action::Wait { seconds }));
        }
        if let Some(stance) = &raw.stance {
            let number = |value: &Option<_>, name: &str, least, most| {
                self.optional(value, &format!("{at}.stance.{name}"), least, most)
            };
            return Ok(Some(Action::Stance {
                height: number(&stance.height, "height", 0.01, 10.0)?,
                pitch: number(&stance.pitch, "pitch", -0.8, 0.8)?.unwrap_or(0.0),
                roll: number(&stance.roll, "roll", -0.8, 0.8)?.unwrap_or(0.0),
                seconds: number(&stance.seconds, "seconds", 0.0, 1e6)?.unwrap_or(3.0),
            }));
        }
        if let Some(explore) = &raw.explore {
            return self.explore(at, explore).map(Some);
        }
        let Some(pose) = &raw.pose else { return Ok(None) };
        if pose.name.get_ref().is_empty() {
            return Err(self.page.expected(
                &pose.name,
                format!("{at}.pose.name"),
                "the name of a pose",
                "an empty text",
            ));
        }
        let tolerance = self.optional(&pose.tolerance, &format!("{at}.pose.tolerance"), 0.001, 7.0)?.unwrap_or(0.1);
        Ok(Some(Action::Pose { name: pose.name.get_ref().clone(), tolerance }))
    }

    fn explore(&self, at: &str, raw: &RawExplore) -> Result<Action, Fault> {
        let (min, max) = (*raw.min.get_ref(), *raw.max.get_ref());
        let sensible = |[x, y]: [f64; 2]| x.abs() <= 1e5 && y.abs() <= 1e5;
        if sensible(min) && sensible(max) && min[0] < max[0] && min[1] < max[1] {
            return Ok(Action::Explore { min, max });
        }
        let expected = "two corners [x, y] in metres, min below max";
        Err(self.page.expected(&raw.min, format!("{at}.explore"), expected, format!("{min:?} and {max:?}")))
    }

    fn optional(&self, value: &Option<Spanned<f64>>, field: &str, least: f64, most: f64) -> Result<Option<f64>, Fault> {
        value.as_ref().map(|value| self.number(value, field, least, most)).transpose()
    }

    fn number(&self, value: &Spanned<f64>, field: &str, least: f64, most: f64) -> Result<f64, Fault> {
        let number = *value.get_ref();
        if (least..=most).contains(&number) {
            return Ok(number);
        }
        Err(self.page.expected(value, field, format!("a number from {least} to {most}"), number))
    }
}
