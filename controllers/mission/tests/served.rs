//! A mission that moves its base for others: for the skills of a chart, and for a component of one's own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;

use mission::{
    BASE, BASE_GOAL, BaseGoal, BaseProgress, BaseStatus, BaseTask, Behaviour, BehaviourPlan, Destination, Feedback,
    Mission, MissionServer, MissionSettings, Skill, SkillContext, SkillSetup, Skills,
};
use robot_io::math::hypot;
use robot_io::{
    Commands, Controller, Digest, Lifecycle, OperatorInput, OperatorRequest, Period, Pose2, Readings, ShortName, State,
    StateReader, StateWriter, Switch, Telemetry, Twist,
};
use runtime::chart::{Autonomy, Book, Parameter, Type, Value};
use runtime::{Builder, Component, Cycle, Declaration, Reads, Runtime, Stream, Whole, Writes};
use support::{ELBOW, Roller, Shared, cart, plan};

/// Drives out, nods, and comes back to where it was after the first leg.
const ERRAND: &str = r#"
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
fn one(state: &str) -> String {
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

fn behaviour(chart: &str) -> Behaviour {
    let name = chart.split('"').nth(1).unwrap();
    let mut files = |_: &str| Ok((format!("{name}.toml"), chart.to_owned()));
    let book = Book::read(name, &mut files, &Behaviour::catalogue(&skills())).unwrap_or_else(|error| panic!("{error}"));
    let plan = BehaviourPlan { book: Arc::new(book), inputs: Vec::new(), autonomy: Autonomy::Full, priority: 2 };
    Behaviour::new(plan, &skills(), &cart(), &cart().layout()).unwrap()
}

fn mission(steps: &str, knobs: &Shared) -> Mission<Roller> {
    let (robot, layout) = (cart(), cart().layout());
    let plan = plan(steps, &Skills::default()).unwrap();
    let (roller, start) = (Roller::new(knobs.clone()), Pose2::default());
    Mission::with_mobility(roller, &robot, &layout, &plan, start, None, &MissionSettings::default()).unwrap()
}

/// A cart whose joints are where they were told to be a cycle ago.
struct Bench {
    runtime: Runtime,
    readings: Readings,
    commands: Commands,
    said: Vec<String>,
    knobs: Shared,
}

impl Bench {
    fn new(chart: &str, steps: &str) -> Bench {
        let knobs = Shared::default();
        let server = MissionServer::new(mission(steps, &knobs), 1);
        Bench::of(Runtime::builder().with("mission", server).with("errand", behaviour(chart)), knobs)
    }

    fn of(parts: Builder, knobs: Shared) -> Bench {
        let (robot, layout) = (cart(), cart().layout());
        let runtime = parts.build_for(&robot, &layout).unwrap_or_else(|error| panic!("{error}"));
        let (mut readings, commands) = (Readings::new(&layout), Commands::new(&layout));
        readings.status.lifecycle = Lifecycle::Active;
        readings.batteries.iter_mut().for_each(|battery| battery.charge = 1.0);
        Bench { runtime, readings, commands, said: Vec::new(), knobs }
    }

    fn cycle(&mut self) {
        self.runtime.update(&self.readings, &mut self.commands);
        let mut events = Vec::new();
        self.runtime.drain_events(&mut events);
        self.said.extend(events.into_iter().map(|event| event.what.into_owned()));
        self.readings.operator.request = None;
        self.readings.cycle += 1;
        self.readings.time = self.readings.time + Period::from_milliseconds(4);
        for (joint, told) in self.readings.joints.iter_mut().zip(&self.commands.joints) {
            (joint.position, joint.stamp) = (told.position, self.readings.time);
        }
    }

    fn run(&mut self, seconds: f64) {
        (0..(seconds / 0.004).round() as u64).for_each(|_| self.cycle());
    }

    fn press(&mut self, request: OperatorRequest) {
        self.readings.operator.request = Some(request);
        self.cycle();
    }

    fn grip(&self, grip: f64) {
        self.knobs.set(support::Knobs { grip, ..self.knobs.get() });
    }

    fn pose(&self) -> Pose2 {
        self.shown().odometry.unwrap().pose()
    }

    fn speed(&self) -> f64 {
        let twist = self.shown().twist.unwrap();
        hypot(twist.x, twist.y)
    }

    fn shown(&self) -> Telemetry {
        let mut telemetry = Telemetry::default();
        self.runtime.show(&mut telemetry);
        telemetry
    }

    fn says(&self) -> String {
        let mut words = String::new();
        self.runtime.say(&mut words).unwrap();
        words
    }

    fn expect(&self, what: &str) {
        assert!(self.said.iter().any(|said| said.contains(what)), "{what}: {:#?}", self.said);
    }

    fn expect_at(&self, x: f64, y: f64, within: f64) {
        let pose = self.pose();
        assert!(hypot(pose.x - x, pose.y - y) <= within, "expected ({x}, {y}), found {pose:?}: {:#?}", self.said);
    }
}

#[test]
fn a_chart_drives_moves_an_arm_and_drives_back_to_a_place_that_it_has_kept() {
    let mut bench = Bench::new(ERRAND, "");
    bench.run(1.0);
    let says = bench.says();
    assert!(says.contains("sent by others, ") && says.contains("errand/out"), "{says}");
    assert!(!bench.runtime.is_done() && bench.speed() > 0.05);
    bench.run(30.0);
    bench.expect("errand/further ended as 'done', goes on with 'back'");
    bench.expect("errand ended as 'done'");
    bench.expect_at(1.0, 0.5, 0.06);
    bench.expect("errand/nod ended as 'done', goes on with 'further'");
    assert!(
        bench.readings.joints[ELBOW].position.abs() < 1e-6 && bench.speed() == 0.0,
        "the arm is the mission's again"
    );
    assert!(bench.runtime.is_done(), "{}", bench.says());
    assert!(!bench.said.iter().any(|said| said == "mission done"), "it had no steps: {:?}", bench.said);
}

#[test]
fn a_leg_of_the_missions_own_is_driven_after_the_errand_and_its_time_stands_still_meanwhile() {
    let leave = one("skill = \"goto\"\ninputs = { to = { x = 0.0, y = 3.0 }, heading = false, speed = 0.3 }\n")
        .replace("failed = \"failed\"\n", "failed = \"failed\"\nout_of_reach = \"failed\"\n");
    let steps = "progress = { stall_time = 1.0 }\n[[steps]]\ngoto = { x = 2.0, y = 0.0 }\n";
    let mut bench = Bench::new(&leave, steps);
    bench.run(5.0);
    assert!(bench.pose().y > 0.5 && bench.pose().x < 0.5, "{:?}", bench.pose());
    bench.run(40.0);
    bench.expect("one ended as 'done'");
    bench.expect_at(2.0, 0.0, 0.06);
    assert_eq!(bench.said.iter().filter(|said| *said == "mission done").count(), 1);
    assert!(!bench.said.iter().any(|said| said.contains("stalled")), "{:#?}", bench.said);
}

#[test]
fn what_is_done_on_the_spot_is_finished_before_the_errand_begins() {
    let mut bench = Bench::new(ERRAND, "[[steps]]\nwait = { seconds = 3.0 }\n");
    bench.run(2.9);
    bench.expect_at(0.0, 0.0, 1e-6);
    bench.run(30.0);
    bench.expect("errand ended as 'done'");
}

#[test]
fn a_base_that_gets_nowhere_fails_or_stalls_as_the_chart_says() {
    let mut stalls = Bench::new(ERRAND, "");
    stalls.grip(0.0);
    stalls.run(5.0);
    stalls.expect("errand/out ended as 'stalled', goes on with 'stalled'");
    let mut fails = Bench::new(
        &ERRAND.replace("stall_time = 2.0\n", "").replace("stalled = \"stalled\"\n", "").replace(", \"stalled\"]", "]"),
        "",
    );
    fails.grip(0.0);
    fails.run(12.0);
    fails.expect("failed: the base makes no progress");
    fails.expect("errand ended as 'failed'");
    assert!(fails.speed() == 0.0 && fails.runtime.is_done());
}

#[test]
fn a_hand_on_the_stick_is_no_lack_of_progress() {
    let mut bench = Bench::new(ERRAND, "");
    bench.run(1.0);
    bench.readings.operator.twist = Some(Twist { y: -0.2, ..Twist::default() });
    bench.run(6.0);
    assert!(bench.pose().y < -0.5, "{:?}", bench.pose());
    bench.readings.operator = OperatorInput::default();
    bench.run(40.0);
    bench.expect("errand ended as 'done'");
    assert!(!bench.said.iter().any(|said| said.contains("stalled")), "{:#?}", bench.said);
}

#[test]
fn a_pause_stops_the_base_and_resume_sends_it_on() {
    let mut bench = Bench::new(ERRAND, "");
    bench.run(1.5);
    bench.press(OperatorRequest::Pause);
    bench.run(3.0);
    assert_eq!(bench.speed(), 0.0);
    let held = bench.pose();
    bench.run(3.0);
    bench.expect_at(held.x, held.y, 1e-9);
    bench.press(OperatorRequest::Resume);
    bench.run(30.0);
    bench.expect("errand ended as 'done'");
}

#[test]
fn a_chart_that_is_stopped_or_paused_drives_nobody() {
    for switch in [Switch::Stop, Switch::Pause] {
        let mut bench = Bench::new(ERRAND, "");
        bench.run(1.5);
        bench.press(OperatorRequest::Switch { component: ShortName::new("errand").unwrap(), switch });
        bench.run(1.5);
        assert_eq!(bench.speed(), 0.0, "{switch}");
    }
}

#[test]
fn where_the_operator_sends_the_robot_it_goes_first() {
    let mut bench = Bench::new(ERRAND, "");
    bench.run(1.0);
    bench.press(OperatorRequest::GoTo(Pose2 { x: 0.0, y: -1.0, yaw: 0.0 }));
    let mut nearest = f64::INFINITY;
    for _ in 0..60 {
        bench.run(1.0);
        nearest = nearest.min(hypot(bench.pose().x, bench.pose().y + 1.0));
    }
    assert!(nearest < 0.3, "{nearest}");
    bench.expect("errand ended as 'done'");
}

#[test]
fn a_skill_of_ones_own_drives_in_a_chart_too_and_two_do_not_share_the_base() {
    let mut bench = Bench::new(&one("skill = \"creep\""), "");
    bench.run(3.0);
    bench.expect("one ended as 'done'");
    assert!((0.07..0.12).contains(&bench.pose().x), "{:?}", bench.pose());
    let regions = "[states.it.regions.a]\nskill = \"creep\"\non = { done = \"wait\", failed = \"broken\" }\n[states.it.regions.b]\n\
        skill = \"creep\"\non = { done = \"wait\", failed = \"broken\" }\n[states.it.on]\njoined = \"done\"\nbroken = \"failed\"\n";
    let both = format!("name = \"both\"\noutcomes = [\"done\", \"failed\"]\ninitial = \"it\"\n{regions}");
    let mut bench = Bench::new(&both, "");
    bench.run(1.0);
    bench.expect("failed: asked to move the base, which another skill moves");
    bench.expect("both ended as 'failed'");
}

#[test]
fn without_anybody_who_moves_the_base_for_others_a_chart_is_told_so() {
    let knobs = Shared::default();
    let whole = Whole::new(mission("", &knobs), 1);
    let mut bench = Bench::of(
        Runtime::builder().with("mission", whole).with(
            "errand",
            behaviour(&ERRAND.replace("needs = [\"localized\"]\n", "").replace("refused = \"failed\"\n", "")),
        ),
        knobs,
    );
    bench.run(1.0);
    bench.expect("failed: nobody moves the base for others");
}

#[test]
fn what_cannot_be_done_is_refused_with_the_reason() {
    let by_map = ERRAND.replace("yaw = 0.0 } }", "yaw = 0.0 }, navigate = true }");
    let mut bench = Bench::new(&by_map, "");
    bench.run(0.5);
    bench.expect("failed: it is to be done by the map, and the mission draws none");
    let too_fine = ERRAND.replace("yaw = 0.0 } }", "yaw = 0.0 }, tolerance = 0.001 }");
    let mut bench = Bench::new(&too_fine, "");
    bench.run(0.5);
    bench.expect("failed: the base was sent to what is not a number, or nearer than it can drive");
}

#[test]
fn a_skill_ends_in_ways_of_its_own_and_tells_what_it_has_found() {
    let chart = |end: &str| {
        one(&format!("skill = \"weigh\"\ninputs = {{ end = \"{end}\" }}\nkeeps = {{ \"output.weight\" = \"weight\" }}"))
            .replace("failed = \"failed\"\n", "failed = \"failed\"\nempty = \"done\"\n")
            .replace("[states.it]", "[outputs.weight]\ntype = \"number\"\noptional = true\n[states.it]")
    };
    let ends = |end: &str| {
        let mut bench = Bench::new(&chart(end), "");
        bench.run(0.1);
        bench
    };
    ends("empty").expect("one/it ended as 'empty', goes on with 'done'");
    ends("done").expect("one/it ended as 'done', goes on with 'done'");
    ends("full").expect("failed: expected one of done, failed, empty as an end of 'weigh', found 'full'");
}

#[test]
fn a_restored_errand_goes_on_from_where_it_was() {
    let (mut first, mut second) = (Bench::new(ERRAND, ""), Bench::new(ERRAND, ""));
    first.run(2.0);
    let saved = StateWriter::save(&mut first.runtime);
    StateReader::restore(&mut second.runtime, &saved).unwrap();
    (second.readings, second.commands) = (first.readings.clone(), first.commands.clone());
    for _ in 0..6_000 {
        first.cycle();
        second.cycle();
        assert_eq!(Digest::of(&mut first.runtime), Digest::of(&mut second.runtime));
    }
    assert!(first.runtime.is_done() && second.runtime.is_done());
}

#[test]
fn a_broken_snapshot_neither_panics_nor_drives_off() {
    let mut bench = Bench::new(ERRAND, "");
    bench.run(2.0);
    let saved = StateWriter::save(&mut bench.runtime);
    for place in 0..saved.len() {
        let mut broken = saved.clone();
        broken[place] ^= 0x41;
        let mut other = Bench::new(ERRAND, "");
        let _ = StateReader::restore(&mut other.runtime, &broken);
        other.readings = bench.readings.clone();
        (0..3).for_each(|_| other.cycle());
    }
}

/// A component of one's own: sends the base to two places, one after the other.
#[derive(Debug, Default, State)]
struct Patrol {
    id: u64,
    #[state(fixed)]
    goals: Option<Writes<Stream<BaseGoal>>>,
    #[state(fixed)]
    status: Option<Reads<Stream<BaseStatus>>>,
}

impl Component for Patrol {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.goals = Some(wants.writes(BASE_GOAL));
        self.status = Some(wants.reads(BASE));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let by = ShortName::new("patrol").unwrap();
        let done = cycle.latest(self.status.unwrap()).and_then(|status| status.goal);
        let done = done.is_some_and(|goal| goal.id == self.id && goal.progress == BaseProgress::Done);
        self.id = (self.id + u64::from(done || self.id == 0)).min(3);
        let pose_in_world = Pose2 { x: self.id as f64, ..Pose2::default() };
        let task = if self.id < 3 { BaseTask::GoTo(Destination::at(pose_in_world)) } else { BaseTask::Nothing };
        cycle.write(self.goals.unwrap(), BaseGoal { by, id: self.id, stamp: cycle.now(), task });
    }

    fn is_done(&self) -> Option<bool> {
        Some(self.id == 3)
    }
}

/// Reads where the base is, after the mission in the same cycle.
#[derive(Debug, Default, State)]
struct Watcher {
    #[state(fixed)]
    status: Option<Reads<Stream<BaseStatus>>>,
    farthest: f64,
}

impl Component for Watcher {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.status = Some(wants.reads(BASE));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let status = cycle.latest(self.status.unwrap()).unwrap();
        assert_eq!(status.stamp, cycle.now());
        self.farthest = self.farthest.max(status.pose_in_world.x);
    }
}

#[test]
fn a_component_of_ones_own_sends_the_base_from_place_to_place() {
    let knobs = Shared::default();
    let server = MissionServer::new(mission("", &knobs), 1);
    let parts = Runtime::builder().with("watcher", Watcher::default()).with("mission", server);
    let mut bench = Bench::of(parts.with("patrol", Patrol::default()), knobs);
    assert_eq!(bench.runtime.order().collect::<Vec<_>>(), ["mission", "watcher", "patrol"]);
    bench.run(20.0);
    assert!(bench.runtime.is_done(), "{} {:#?}", bench.says(), bench.said);
    bench.expect_at(2.0, 0.0, 0.06);
}

/// Drives with a velocity that becomes no number.
#[derive(Debug, Default, State)]
struct Careless {
    #[state(fixed)]
    goals: Option<Writes<Stream<BaseGoal>>>,
    #[state(fixed)]
    status: Option<Reads<Stream<BaseStatus>>>,
    progress: BaseProgress,
}

impl Component for Careless {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        (self.goals, self.status) = (Some(wants.writes(BASE_GOAL)), Some(wants.reads(BASE)));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let goal = cycle.latest(self.status.unwrap()).and_then(|status| status.goal);
        self.progress = goal.map_or(self.progress, |goal| goal.progress);
        let x = if cycle.now().seconds() < 1.0 { 0.3 } else { f64::NAN };
        let task = BaseTask::Drive { twist: Twist { x, ..Twist::default() }, stance: None };
        let by = ShortName::new("careless").unwrap();
        cycle.write(self.goals.unwrap(), BaseGoal { by, id: 1, stamp: cycle.now(), task });
    }

    fn is_done(&self) -> Option<bool> {
        Some(matches!(self.progress, BaseProgress::Failed(_)))
    }
}

#[test]
fn a_velocity_that_becomes_no_number_stops_the_base() {
    let knobs = Shared::default();
    let server = MissionServer::new(mission("", &knobs), 1);
    let parts = Runtime::builder().with("mission", server).with("careless", Careless::default());
    let mut bench = Bench::of(parts, knobs);
    bench.run(0.9);
    assert!(bench.speed() > 0.2, "{}", bench.speed());
    bench.run(2.0);
    assert!(bench.runtime.is_done() && bench.speed() == 0.0 && bench.pose().x.is_finite(), "{}", bench.says());
}

#[test]
fn two_components_that_send_the_base_need_a_rule() {
    let knobs = Shared::default();
    let server = MissionServer::new(mission("", &knobs), 1);
    let parts =
        Runtime::builder().with("mission", server).with("errand", behaviour(ERRAND)).with("patrol", Patrol::default());
    let refused = parts.build_for(&cart(), &cart().layout()).err().unwrap().to_string();
    assert!(refused.contains("base_goal") && refused.contains("errand") && refused.contains("patrol"), "{refused}");
}
