//! A cart whose mission moves its base for others, and a chart that drives it.

use std::sync::Arc;

use mission::{
    Behaviour, BehaviourPlan, Feedback, Mission, MissionServer, MissionSettings, Skill, SkillContext, SkillSetup,
    Skills,
};
use robot_io::math::hypot;
use robot_io::{Commands, Controller, Lifecycle, OperatorRequest, Period, Pose2, Readings, State, Telemetry, Twist};
use runtime::chart::{Autonomy, Book, Parameter, Type, Value};
use runtime::{Builder, Runtime};

use super::{Knobs, Roller, Shared, cart, plan};

/// Drives out, nods, and comes back to where it was after the first leg.
pub const ERRAND: &str = r#"
name = "errand"
outcomes = ["done", "failed", "stalled"]
initial = "out"

[locals.first]
type = "pose"
default = { x = 0.0 }

[states.out]
skill = "goto"
inputs = { to = { x = 1.0, y = 0.5, yaw = 0.0 } }
keeps = { "local.first" = "at" }
needs = ["localized"]
stall_time = 2.0
[states.out.on]
done = "nod"
failed = "failed"
out_of_reach = "failed"
refused = "failed"
stalled = "stalled"

[states.nod]
skill = "move"
inputs = { joint = "elbow", to = 0.5 }
[states.nod.on]
done = "further"
failed = "failed"

[states.further]
skill = "goto"
inputs = { to = { x = 2.0, y = 0.5 }, heading = false, speed = 0.5 }
[states.further.on]
done = { to = "back", with = { to = "$local.first" } }
failed = "failed"
out_of_reach = "failed"

[states.back]
skill = "goto"
inputs = { to = { x = 0.0, y = 0.0 }, heading_tolerance = 0.1 }
[states.back.on]
done = "done"
failed = "failed"
out_of_reach = "failed"
"#;

/// A chart of one state.
pub fn one(state: &str) -> String {
    format!(
        "name = \"one\"\noutcomes = [\"done\", \"failed\"]\ninitial = \"it\"\n[states.it]\n{state}\n[states.it.on]\n\
         done = \"done\"\nfailed = \"failed\"\n"
    )
}

/// Drives for a second.
#[derive(Debug, State)]
struct Creep;

impl Skill for Creep {
    fn start(&mut self, _context: &mut SkillContext<'_>) {}

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        assert!(context.odometry.is_some() && context.pose_in_world.is_some());
        context.drive(Twist { x: 0.1, ..Twist::default() });
        if context.elapsed < 1.0 { Feedback::time_left(1.0 - context.elapsed) } else { Feedback::Done }
    }
}

/// Ends as it is told, with a weight.
#[derive(Debug, State)]
struct Weigh {
    #[state(fixed)]
    end: String,
}

impl Skill for Weigh {
    fn start(&mut self, _context: &mut SkillContext<'_>) {}

    fn update(&mut self, _context: &mut SkillContext<'_>) -> Feedback {
        Feedback::ended(&self.end).with("weight", Value::Number(1.5))
    }
}

fn skills() -> Skills {
    let weigh = |setup: &SkillSetup<'_>| {
        Ok(Weigh { end: setup.goal::<std::collections::BTreeMap<String, String>>()?["end"].clone() })
    };
    Skills::default()
        .with_standard()
        .with("creep", |_: &SkillSetup<'_>| Ok(Creep))
        .told("creep", [])
        .with("weigh", weigh)
        .told("weigh", [Parameter::required("end", Type::Text, "")])
        .ends("weigh", ["empty"], [Parameter::required("weight", Type::Number, "kg")])
}

pub fn behaviour(chart: &str) -> Behaviour {
    let name = chart.split('"').nth(1).unwrap();
    let mut files = |_: &str| Ok((format!("{name}.toml"), chart.to_owned()));
    let book = Book::read(name, &mut files, &Behaviour::catalogue(&skills())).unwrap_or_else(|error| panic!("{error}"));
    let plan = BehaviourPlan { book: Arc::new(book), inputs: Vec::new(), autonomy: Autonomy::Full, priority: 2 };
    Behaviour::new(plan, &skills(), &cart(), &cart().layout()).unwrap()
}

pub fn mission(steps: &str, knobs: &Shared) -> Mission<Roller> {
    let (robot, layout) = (cart(), cart().layout());
    let plan = plan(steps, &Skills::default()).unwrap();
    let (roller, start) = (Roller::new(knobs.clone()), Pose2::default());
    Mission::with_mobility(roller, &robot, &layout, &plan, start, None, &MissionSettings::default()).unwrap()
}

/// A cart whose joints are where they were told to be a cycle ago.
pub struct Bench {
    pub runtime: Runtime,
    pub readings: Readings,
    pub commands: Commands,
    pub said: Vec<String>,
    pub knobs: Shared,
    /// A joint that does not move.
    pub stuck: Option<usize>,
}

impl Bench {
    pub fn new(chart: &str, steps: &str) -> Bench {
        let knobs = Shared::default();
        let server = MissionServer::new(mission(steps, &knobs), 1);
        Bench::of(Runtime::builder().with("mission", server).with("errand", behaviour(chart)), knobs)
    }

    pub fn of(parts: Builder, knobs: Shared) -> Bench {
        let (robot, layout) = (cart(), cart().layout());
        let runtime = parts.build_for(&robot, &layout).unwrap_or_else(|error| panic!("{error}"));
        let (mut readings, commands) = (Readings::new(&layout), Commands::new(&layout));
        readings.status.lifecycle = Lifecycle::Active;
        readings.batteries.iter_mut().for_each(|battery| battery.charge = 1.0);
        Bench { runtime, readings, commands, said: Vec::new(), knobs, stuck: None }
    }

    pub fn cycle(&mut self) {
        self.runtime.update(&self.readings, &mut self.commands);
        let mut events = Vec::new();
        self.runtime.drain_events(&mut events);
        self.said.extend(events.into_iter().map(|event| event.what.into_owned()));
        self.readings.operator.request = None;
        self.readings.cycle += 1;
        self.readings.time = self.readings.time + Period::from_milliseconds(4);
        for (index, (joint, told)) in self.readings.joints.iter_mut().zip(&self.commands.joints).enumerate() {
            joint.stamp = self.readings.time;
            if self.stuck != Some(index) {
                joint.position = told.position;
            }
        }
    }

    pub fn run(&mut self, seconds: f64) {
        (0..(seconds / 0.004).round() as u64).for_each(|_| self.cycle());
    }

    pub fn press(&mut self, request: OperatorRequest) {
        self.readings.operator.request = Some(request);
        self.cycle();
    }

    pub fn grip(&self, grip: f64) {
        self.knobs.set(Knobs { grip, ..self.knobs.get() });
    }

    pub fn pose(&self) -> Pose2 {
        self.shown().odometry.unwrap().pose()
    }

    pub fn speed(&self) -> f64 {
        let twist = self.shown().twist.unwrap();
        hypot(twist.x, twist.y)
    }

    pub fn shown(&self) -> Telemetry {
        let mut telemetry = Telemetry::default();
        self.runtime.show(&mut telemetry);
        telemetry
    }

    pub fn says(&self) -> String {
        let mut words = String::new();
        self.runtime.say(&mut words).unwrap();
        words
    }

    pub fn expect(&self, what: &str) {
        assert!(self.said.iter().any(|said| said.contains(what)), "{what}: {:#?}", self.said);
    }

    pub fn expect_at(&self, x: f64, y: f64, within: f64) {
        let pose = self.pose();
        assert!(hypot(pose.x - x, pose.y - y) <= within, "expected ({x}, {y}), found {pose:?}: {:#?}", self.said);
    }

    pub fn position(&self, joint: usize) -> f64 {
        self.readings.joints[joint].position
    }

    pub fn has_said(&self, what: &str) -> bool {
        self.said.iter().any(|said| said.contains(what))
    }
}
