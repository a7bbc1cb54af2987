//! Statecharts at work: a component whose leaves are skills moves the joints of a cart.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;

use mission::{Behaviour, BehaviourPlan, Feedback, Skill, SkillContext, SkillRefusal, SkillSetup, Skills};
use robot_io::{Controller, Digest, JointCommand, Lifecycle, OperatorRequest, State, StateReader, StateWriter, Twist};
use runtime::chart::{Autonomy, Book};
use runtime::{Component, Cycle, Declaration, Lease, Runtime};
use support::served::Bench;
use support::{ELBOW, SHOULDER, Shared, cart};

/// A chart with one input, the joint, for which each robot has a profile.
const NOD: &str = r#"
name = "nod"
outcomes = ["done", "failed"]
initial = "ready"

[inputs.joint]
type = "text"

[states.ready]
skill = "pose"
inputs = { name = "ready" }
needs = ["not battery_low"]
[states.ready.on]
done = "down"
failed = "failed"
refused = "failed"

[states.down]
skill = "move"
inputs = { joint = "$input.joint", to = 0.8 }
stall_time = 1.0
[states.down.on]
done = { to = "up", autonomy = "high" }
failed = "failed"
stalled = { ladder = ["again", "failed"] }

[states.up]
skill = "move"
inputs = { joint = "$input.joint", to = -0.2 }
[states.up.on]
done = "done"
failed = "failed"

[profiles.cart]
joint = "elbow"
[profiles.other]
joint = "shoulder"
"#;

/// Two regions at once.
fn both(first: &str, second: &str) -> String {
    format!(
        "name = \"both\"\noutcomes = [\"done\", \"failed\"]\ninitial = \"at_once\"\n[states.at_once.regions.a]\n{first}\n\
         on = {{ done = \"wait\", failed = \"broken\" }}\n[states.at_once.regions.b]\n{second}\n\
         on = {{ done = \"wait\", failed = \"broken\" }}\n[states.at_once.on]\njoined = \"done\"\nbroken = \"failed\"\n"
    )
}

/// Drives, which a chart's skill may not.
#[derive(Debug, State)]
struct Creep;

impl Skill for Creep {
    fn start(&mut self, _context: &mut SkillContext<'_>) {}

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        context.drive(Twist { x: 0.1, ..Twist::default() });
        Feedback::time_left(1.0)
    }
}

/// Has the elbow from one cycle to another.
#[derive(State)]
struct Grabs {
    #[state(fixed)]
    cycles: core::ops::Range<u64>,
    #[state(fixed)]
    lease: Option<Lease>,
}

impl Component for Grabs {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.lease = Some(wants.lease_each(9)[ELBOW]);
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let lease = self.lease.unwrap();
        if !self.cycles.contains(&cycle.readings.cycle) {
            return cycle.let_go(lease);
        }
        if cycle.ask(lease) {
            *cycle.joint(ELBOW).unwrap() = JointCommand::hold(-1.5, 100.0, 5.0);
        }
    }
}

fn skills() -> Skills {
    Skills::default().with_standard().with("creep", |_: &SkillSetup<'_>| Ok(Creep)).told("creep", [])
}

fn behaviour(chart: &str, profile: Option<&str>, autonomy: Autonomy) -> Result<Behaviour, SkillRefusal> {
    let name = chart.split('"').nth(1).unwrap();
    let mut files = |_: &str| Ok((format!("{name}.toml"), chart.to_owned()));
    let book = Book::read(name, &mut files, &Behaviour::catalogue(&skills())).unwrap_or_else(|error| panic!("{error}"));
    let inputs = profile.map_or_else(Vec::new, |profile| book.profile(profile).unwrap().to_vec());
    let plan = BehaviourPlan { book: Arc::new(book), inputs, autonomy, priority: 2 };
    let robot = cart();
    Behaviour::new(plan, &skills(), &robot, &robot.layout())
}

fn nodding(chart: &str, autonomy: Autonomy) -> Bench {
    beside(behaviour(chart, chart.contains("[profiles").then_some("cart"), autonomy).unwrap(), 0..0)
}

fn beside(behaviour: Behaviour, grabs: core::ops::Range<u64>) -> Bench {
    let grabs = Grabs { cycles: grabs, lease: None };
    Bench::of(Runtime::builder().with("nod", behaviour).with("grabs", grabs), Shared::default())
}

#[test]
fn a_chart_is_carried_out_state_by_state_and_lets_go_of_its_joints() {
    let mut bench = nodding(NOD, Autonomy::Full);
    bench.run(0.1);
    assert_eq!((bench.runtime.owner(ELBOW), bench.runtime.owner(0)), (Some("nod"), None));
    let says = |bench: &Bench| {
        let mut words = String::new();
        bench.runtime.say(&mut words).unwrap();
        words
    };
    assert_eq!(says(&bench), "nod: nod/ready");
    bench.run(6.0);
    assert_eq!(says(&bench), "nod: has ended");
    assert!((bench.position(ELBOW) + 0.2).abs() < 1e-6 && (bench.position(SHOULDER) - 1.0).abs() < 1e-6);
    for said in ["nod/ready ended as 'done', goes on with 'down'", "nod/up ended as 'done'", "nod ended as 'done'"] {
        assert!(bench.has_said(said), "{said}: {:?}", bench.said);
    }
    assert!(bench.runtime.is_done() && bench.runtime.owner(ELBOW).is_none());
}

#[test]
fn the_same_chart_moves_another_joint_by_another_profile() {
    let mut bench = beside(behaviour(NOD, Some("other"), Autonomy::Full).unwrap(), 0..0);
    bench.run(6.0);
    assert!((bench.position(SHOULDER) + 0.2).abs() < 1e-6 && (bench.position(ELBOW) + 0.5).abs() < 1e-6);
}

#[test]
fn what_stalls_is_tried_again_and_then_the_chart_fails() {
    let mut bench = nodding(NOD, Autonomy::Full);
    bench.run(2.5);
    bench.stuck = Some(ELBOW);
    bench.run(8.0);
    assert!(bench.has_said("nod/down ended as 'stalled', goes on with 'down'"), "{:?}", bench.said);
    assert!(bench.has_said("nod ended as 'failed'"), "{:?}", bench.said);
}

#[test]
fn below_its_level_of_autonomy_the_operator_is_asked_once_and_allows_it() {
    let mut bench = nodding(NOD, Autonomy::Low);
    bench.run(8.0);
    let asked = bench.said.iter().filter(|said| said.contains("nod/down asks the operator: resume allows it")).count();
    assert!(asked == 1 && (bench.position(ELBOW) - 0.8).abs() < 1e-6, "{:?}", bench.said);
    bench.press(OperatorRequest::Resume);
    bench.run(3.0);
    assert!(bench.has_said("nod ended as 'done'"), "{:?}", bench.said);
}

#[test]
fn a_pause_holds_the_joints_and_the_state_begins_again_from_there() {
    let mut bench = nodding(NOD, Autonomy::Full);
    bench.run(2.8);
    bench.press(OperatorRequest::Pause);
    let held = bench.position(ELBOW);
    assert!(held > -0.4 && held < 0.7, "in the middle: {held}");
    bench.run(5.0);
    assert!((bench.position(ELBOW) - held).abs() < 1e-9 && bench.commands.joints[ELBOW].velocity == 0.0);
    bench.press(OperatorRequest::Resume);
    bench.run(6.0);
    assert!(bench.has_said("nod ended as 'done'"), "{:?}", bench.said);
}

#[test]
fn while_the_robot_is_stopped_nothing_goes_on_and_then_the_state_begins_again() {
    let mut bench = nodding(NOD, Autonomy::Full);
    bench.run(2.8);
    bench.readings.status.lifecycle = Lifecycle::Fault;
    bench.cycle();
    let held = bench.position(ELBOW);
    bench.run(5.0);
    assert!(bench.has_said("waits: the robot is stopped") && (bench.position(ELBOW) - held).abs() < 1e-9);
    bench.readings.status.lifecycle = Lifecycle::Active;
    bench.run(6.0);
    assert!(bench.has_said("nod ended as 'done'"), "{:?}", bench.said);
}

#[test]
fn what_must_hold_is_asked_before_a_state_begins() {
    let mut bench = nodding(NOD, Autonomy::Full);
    bench.readings.batteries[0].charge = 0.1;
    bench.run(0.1);
    assert!(bench.has_said("nod/ready refused: 'battery_low' is true"), "{:?}", bench.said);
    assert!(bench.has_said("nod ended as 'failed'") && bench.runtime.owner(ELBOW).is_none(), "{:?}", bench.said);
}

#[test]
fn a_joint_that_somebody_else_takes_is_waited_for_and_moved_from_where_it_was_left() {
    let mut bench = beside(behaviour(NOD, Some("cart"), Autonomy::Full).unwrap(), 700..900);
    bench.run(700.0 * 0.004);
    let before = bench.position(ELBOW);
    bench.run(0.4);
    assert!((bench.position(ELBOW) + 1.5).abs() < 1e-9, "{before}");
    bench.run(0.4 + 2.0 * 0.004);
    let mut last = bench.position(ELBOW);
    for _ in 0..1_500 {
        bench.cycle();
        assert!((bench.position(ELBOW) - last).abs() < 0.01, "no jump: {last} {}", bench.position(ELBOW));
        last = bench.position(ELBOW);
    }
    assert!(bench.has_said("nod ended as 'done'"), "{:?}", bench.said);
}

#[test]
fn two_skills_work_at_once_and_no_two_move_one_joint() {
    let of = |joint: &str, to: f64| format!("skill = \"move\"\ninputs = {{ joint = \"{joint}\", to = {to} }}");
    let mut apart = nodding(&both(&of("elbow", 1.0), &of("shoulder", -1.0)), Autonomy::Full);
    apart.run(3.0);
    assert!(apart.has_said("both ended as 'done'"), "{:?}", apart.said);
    assert!((apart.position(ELBOW) - 1.0).abs() < 1e-6 && (apart.position(SHOULDER) + 1.0).abs() < 1e-6);
    let mut same = nodding(&both(&of("elbow", 1.0), &of("elbow", -1.0)), Autonomy::Full);
    same.run(3.0);
    assert!(same.has_said("failed: asked for a joint that another skill moves"), "{:?}", same.said);
    assert!(same.has_said("both ended as 'failed'"), "{:?}", same.said);
    let mut drives = nodding(&both(&of("elbow", 1.0), "skill = \"creep\""), Autonomy::Full);
    drives.run(1.0);
    assert!(drives.has_said("failed: nobody moves the base for others"), "{:?}", drives.said);
}

#[test]
fn a_restored_behaviour_goes_on_in_the_middle_of_a_skill() {
    let (mut first, mut second) = (nodding(NOD, Autonomy::Full), nodding(NOD, Autonomy::Full));
    first.run(3.0);
    let saved = StateWriter::save(&mut first.runtime);
    StateReader::restore(&mut second.runtime, &saved).unwrap();
    (second.readings, second.commands) = (first.readings.clone(), first.commands.clone());
    for _ in 0..1_500 {
        first.cycle();
        second.cycle();
        assert_eq!(Digest::of(&mut first.runtime), Digest::of(&mut second.runtime));
    }
    assert!(first.runtime.is_done() && second.runtime.is_done());
}

#[test]
fn what_no_skill_can_be_made_from_is_refused_before_anything_moves() {
    let refused = |from: &str, to: &str, profile: &str| {
        behaviour(&NOD.replace(from, to), Some(profile), Autonomy::Full).unwrap_err().to_string()
    };
    let pose = refused("name = \"ready\" }", "name = \"steady\" }", "cart");
    assert_eq!(pose, "chart 'nod', state 'ready': name: expected a pose of the robot (rest, ready), found 'steady'");
    let far = refused("to = 0.8", "to = 2.5", "cart");
    assert_eq!(far, "chart 'nod', state 'down': to: expected -2 to 2 [rad or m], found 2.5");
    let wheel = refused("joint = \"elbow\"", "joint = \"roll\"", "cart");
    let expected = "chart 'nod', state 'down': expected a joint to move, found 'roll', which carries the robot or turns without end";
    assert_eq!(wheel, expected);
}

#[test]
fn a_broken_snapshot_neither_panics_nor_goes_on_with_what_is_not_there() {
    let mut bench = nodding(NOD, Autonomy::Full);
    bench.run(3.0);
    let saved = StateWriter::save(&mut bench.runtime);
    for place in 0..saved.len() {
        let mut broken = saved.clone();
        broken[place] ^= 0x41;
        let mut other = nodding(NOD, Autonomy::Full);
        let _ = StateReader::restore(&mut other.runtime, &broken);
        other.readings = bench.readings.clone();
        (0..3).for_each(|_| other.cycle());
    }
}
