//! A list of steps as a statechart that does the same, for whoever wants more than a list: another way where a step fails, several things at
//! once, conditions.

use core::fmt::{self, Display, Write as _};

use robot_io::Pose2;
use toml::Value;

use crate::plan::{Action, Leg, MissionPlan, OnStall, Step};
use crate::resolve::box_around;

/// A chart's outcomes.
const DONE: &str = "done";
const FAILED: &str = "failed";
const OUT_OF_REACH: &str = "out_of_reach";

/// One state: a skill and what it is told.
struct State {
    name: String,
    skill: String,
    inputs: toml::Table,
    remark: Option<String>,
    /// It watches its progress by itself: the base's skills do.
    is_watched: bool,
}

impl MissionPlan {
    /// Its steps as the text of a chart of this name, for a robot that starts there in the world. A step that comes to nothing is tried again after a pause, then the chart ends or goes on, as [`ProgressRules`](crate::ProgressRules) say.
    pub fn to_chart(&self, name: &str, start_in_world: &Pose2) -> String {
        Conversion { plan: self, frame: self.frame.in_world(start_in_world) }.chart(name)
    }
}

struct Conversion<'a> {
    plan: &'a MissionPlan,
    frame: Pose2,
}

impl Conversion<'_> {
    fn chart(&self, name: &str) -> String {
        let steps: Vec<Vec<State>> = self.plan.steps.iter().zip(1..).map(|(step, n)| self.states(step, n)).collect();
        let first = |step: usize| steps.get(step).and_then(|states| states.first()).map_or(DONE, |state| &state.name);
        let mut text = String::new();
        for (step, states) in steps.iter().enumerate() {
            for (place, state) in states.iter().enumerate() {
                let next = states.get(place + 1).map_or(first(step + 1), |state| &state.name);
                // writing to a text cannot fail
                let _ = self.write(&mut text, state, next, first(step + 1));
            }
        }
        let outcomes: Vec<&str> = [DONE, FAILED, OUT_OF_REACH]
            .into_iter()
            .filter(|end| *end == DONE || text.contains(&quoted(end)))
            .collect();
        let (about, initial) = (quoted(&format!("The steps of the mission '{}'.", self.plan.name)), quoted(first(0)));
        format!("name = {}\nabout = {about}\noutcomes = {outcomes:?}\ninitial = {initial}\n{text}", quoted(name))
    }

    fn states(&self, step: &Step, number: usize) -> Vec<State> {
        let drive = step.leg.as_ref().map(|leg| self.drive(leg, format!("step_{number}")));
        let name = if drive.is_some() { format!("step_{number}_there") } else { format!("step_{number}") };
        drive.into_iter().chain(step.action.as_ref().map(|action| self.act(action, name))).collect()
    }

    fn drive(&self, leg: &Leg, name: String) -> State {
        let to = Pose2 { x: leg.x, y: leg.y, yaw: leg.yaw.unwrap_or(0.0) }.placed_at(&self.frame);
        let mut place = toml::Table::from_iter([("x".to_owned(), to.x.into()), ("y".to_owned(), to.y.into())]);
        let mut inputs = toml::Table::new();
        match leg.yaw {
            Some(_) => place.insert("yaw".to_owned(), to.yaw.into()),
            None => inputs.insert("heading".to_owned(), false.into()),
        };
        inputs.insert("to".to_owned(), place.into());
        inputs.insert("tolerance".to_owned(), leg.tolerance.into());
        inputs.insert("heading_tolerance".to_owned(), leg.heading_tolerance.into());
        let mut told = |name: &str, value: Option<Value>| value.map(|value| inputs.insert(name.to_owned(), value));
        told("speed", leg.speed.map(Value::from));
        told("look", leg.look.and_then(|look| Value::try_from(look).ok()));
        told("pass", leg.pass.then_some(true.into()));
        told("navigate", (self.plan.mapping && !leg.navigate).then_some(false.into()));
        let remark = leg.timeout.map(|seconds| format!("should take no more than {seconds} s"));
        State { name, skill: "goto".to_owned(), inputs, remark, is_watched: true }
    }

    fn act(&self, action: &Action, name: String) -> State {
        let told = |inputs: &[(&str, Value)]| {
            inputs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect::<toml::Table>()
        };
        let (skill, inputs, is_watched) = match action {
            Action::Wait { seconds } => ("wait", told(&[("seconds", (*seconds).into())]), true),
            Action::Stance { height, pitch, roll, seconds } => {
                let rest = [("pitch", (*pitch).into()), ("roll", (*roll).into()), ("seconds", (*seconds).into())];
                let height = height.map(|height| ("height", height.into()));
                ("stance", told(&height.into_iter().chain(rest).collect::<Vec<_>>()), true)
            }
            Action::Explore { min, max } => {
                let [min, max] = box_around(*min, *max, &self.frame).map(|corner| Value::from(corner.to_vec()));
                ("explore", told(&[("min", min), ("max", max)]), true)
            }
            Action::Pose { name, tolerance } => {
                ("pose", told(&[("name", name.clone().into()), ("tolerance", (*tolerance).into())]), false)
            }
            // no chart moves the whole body yet: whoever reads it is told so
            Action::Motion(step) => (step.key(), toml::Table::new(), false),
            Action::Skill(step) => (step.name(), step.goal().clone(), false),
        };
        State { name, skill: skill.to_owned(), inputs, remark: None, is_watched }
    }

    /// A state, and the rest before it is tried again.
    fn write(&self, text: &mut String, state: &State, next: &str, next_step: &str) -> fmt::Result {
        let State { name, skill, inputs, remark, is_watched } = state;
        let rules = &self.plan.progress;
        let end = |outcome| if rules.on_stall == OnStall::Skip { next_step } else { outcome };
        let rest = format!("{name}_rest");
        let tries = (0..rules.retries).map(|_| rest.as_str()).chain([end(FAILED)]);
        let ladder = Value::from(tries.collect::<Vec<_>>());
        let remark = remark.as_ref().map(|remark| format!("   # {remark}")).unwrap_or_default();
        writeln!(text, "\n[states.{name}]{remark}\nskill = {}\ninputs = {}", quoted(skill), Inline(inputs))?;
        if !is_watched {
            writeln!(text, "stall_time = {}", Value::from(rules.stall_time))?;
        }
        writeln!(text, "[states.{name}.on]\ndone = {}\nfailed = {{ ladder = {ladder} }}", quoted(next))?;
        if !is_watched {
            writeln!(text, "stalled = {{ ladder = {ladder} }}")?;
        }
        if skill == "goto" {
            writeln!(text, "out_of_reach = {}", quoted(end(OUT_OF_REACH)))?;
        }
        if rules.retries > 0 {
            let pause = Value::from(rules.retry_pause);
            writeln!(text, "\n[states.{rest}]\nskill = \"wait\"\ninputs = {{ seconds = {pause} }}")?;
            writeln!(text, "[states.{rest}.on]\ndone = {}\nfailed = {}", quoted(name), quoted(end(FAILED)))?;
        }
        Ok(())
    }
}

/// A table in one line.
struct Inline<'a>(&'a toml::Table);

impl Display for Inline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Value::Table(self.0.clone()))
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
