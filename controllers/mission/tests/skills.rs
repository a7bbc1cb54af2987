//! Skills that are not the mission's own: a step names one, the mission watches over it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use mission::{
    Activity, BaseProgress, BaseTask, Destination, Feedback, Skill, SkillContext, SkillJoint, SkillRefusal, SkillSetup,
    Skills, Stance, StopCause,
};
use robot_io::{OperatorRequest, Pose2, Severity, State, StateReader, StateWriter, Twist};
use serde::Deserialize;
use support::{Bench, ELBOW, SHOULDER, Setup};

/// Turns a joint evenly.
#[derive(Debug, State)]
struct Turn {
    #[state(fixed)]
    goal: Goal,
    #[state(fixed)]
    joint: SkillJoint,
    from: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Goal {
    joint: String,
    to: f64,
    /// [rad/s]
    speed: f64,
    /// It fails when it has got so far [rad].
    #[serde(default = "never")]
    fails_at: f64,
    /// It gets no farther than this [rad].
    #[serde(default = "never")]
    sticks_at: f64,
}

fn never() -> f64 {
    f64::INFINITY
}

impl Turn {
    fn new(setup: &SkillSetup<'_>) -> Result<Turn, SkillRefusal> {
        let goal: Goal = setup.goal()?;
        let joint = setup.joint(&goal.joint)?;
        Ok(Turn { goal, joint, from: 0.0 })
    }
}

impl Skill for Turn {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        self.from = context.told(&self.joint);
        context.tell(Severity::Info, "turn begun, from [rad]", self.from, self.goal.to);
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        let Goal { to, speed, fails_at, sticks_at, .. } = self.goal;
        let way = (to - self.from).abs();
        let done = (speed * context.elapsed).min(way);
        let position = self.from + (done * (to - self.from).signum()).min(sticks_at);
        context.move_joint(&self.joint, position, if done < way { speed } else { 0.0 });
        if position >= fails_at {
            return Feedback::Failed(format!("no way past {fails_at} rad"));
        }
        if position == to { Feedback::Done } else { Feedback::turn_left(to - position) }
    }
}

/// Drives ahead and crouches for a second.
#[derive(Debug, State)]
struct Creep {
    #[state(fixed)]
    speed: f64,
}

impl Skill for Creep {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        context.go_to_stance(Stance { height: 0.4, ..Stance::default() }, 0.5);
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        context.drive(Twist { x: self.speed, ..Twist::default() });
        if context.elapsed < 2.0 { Feedback::time_left(2.0 - context.elapsed) } else { Feedback::Done }
    }
}

/// Goes somewhere and comes back. It says nothing of how far it has got: the mission knows that.
#[derive(Debug, State)]
struct Fetch {
    #[state(fixed)]
    goal: FetchGoal,
    is_on_its_way_back: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct FetchGoal {
    x: f64,
    #[serde(default)]
    by_map: bool,
    /// After so many seconds it drives by itself, ahead.
    #[serde(default = "never")]
    drives_after: f64,
}

impl Fetch {
    fn to(&self, x: f64) -> BaseTask {
        let place = Destination::at(Pose2 { x, ..Pose2::default() });
        BaseTask::GoTo(Destination { navigate: Some(self.goal.by_map), ..place })
    }
}

impl Skill for Fetch {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        self.is_on_its_way_back = false;
        context.send_base(self.to(self.goal.x));
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        if context.elapsed >= self.goal.drives_after {
            context.drive(Twist { x: 0.1, ..Twist::default() });
            assert!(context.elapsed < self.goal.drives_after + 0.1 || context.base.is_none());
        }
        match context.base {
            Some(BaseProgress::Failed(why)) => Feedback::Failed(why.to_string()),
            Some(BaseProgress::Done) if self.is_on_its_way_back => Feedback::Done,
            Some(BaseProgress::Done) => {
                self.is_on_its_way_back = true;
                context.send_base(self.to(0.0));
                Feedback::turn_left(1.0)
            }
            _ => Feedback::turn_left(1.0),
        }
    }
}

fn bench(steps: &str) -> Bench {
    try_bench(steps).unwrap_or_else(|error| panic!("{error}"))
}

fn try_bench(steps: &str) -> Result<Bench, mission::MissionError> {
    let creep = |setup: &SkillSetup<'_>| {
        #[derive(Deserialize)]
        struct Goal {
            speed: f64,
        }
        Ok(Creep { speed: setup.goal::<Goal>()?.speed })
    };
    let fetch = |setup: &SkillSetup<'_>| Ok(Fetch { goal: setup.goal()?, is_on_its_way_back: false });
    let skills = Skills::default().with("turn", Turn::new).with("creep", creep).with("fetch", fetch);
    Bench::with(steps, Setup { skills, ..Setup::default() })
}

const TURN: &str = "[[steps]]\nturn = { joint = 'elbow', to = 1.0, speed = 0.5 }\n";

fn elbow(bench: &Bench) -> f64 {
    bench.commands.joints[ELBOW].position
}

#[test]
fn a_step_may_name_a_skill_and_the_next_step_follows() {
    let mut bench = bench(&format!("{TURN}[[steps]]\nturn = {{ joint = 'shoulder', to = -0.5, speed = 0.5 }}\n"));
    bench.run(1.0);
    assert!((elbow(&bench) - 0.5).abs() < 0.02, "{}", elbow(&bench));
    assert!(bench.status().to_string().starts_with("step 1 of 2, 29° left"), "{}", bench.status());
    assert!(bench.run_until_done(4.0));
    assert_eq!((elbow(&bench), bench.commands.joints[SHOULDER].position), (1.0, -0.5), "they stay where they are");
    assert!(bench.commands.joints[ELBOW].stiffness > 0.0 && bench.commands.joints[ELBOW].velocity == 0.0);
    assert!(!bench.said("turn begun, from [rad]").is_empty() && !bench.said("step done").is_empty());
}

#[test]
fn it_drives_first_where_the_step_says_so() {
    let mut bench =
        bench("[[steps]]\ngoto = { x = 0.5, y = 0.0 }\nturn = { joint = 'elbow', to = 0.3, speed = 0.5 }\n");
    assert!(bench.run_until_done(10.0));
    assert!((bench.pose().x - 0.5).abs() < 0.06 && elbow(&bench) == 0.3);
}

#[test]
fn a_pose_takes_the_joints_over_from_where_the_skill_left_them() {
    let mut bench = bench(&format!("{TURN}[[steps]]\npose = {{ name = 'rest' }}\n"));
    let (mut before, mut fastest) = (0.0, 0.0_f64);
    while !bench.status().is_done() {
        bench.cycle();
        fastest = fastest.max((elbow(&bench) - before).abs() / bench.layout.period.seconds());
        before = elbow(&bench);
        assert!(bench.cycle < 5_000);
    }
    assert!(elbow(&bench).abs() < 0.1, "tolerance of a pose: {}", elbow(&bench));
    assert!(fastest < 1.5, "no jump: {fastest} rad/s");
}

#[test]
fn a_pause_holds_the_joint_and_the_skill_goes_on_from_there() {
    let mut bench = bench(TURN);
    bench.run(1.0);
    bench.press(OperatorRequest::Pause);
    let held = elbow(&bench);
    bench.run(3.0);
    assert_eq!((elbow(&bench), bench.commands.joints[ELBOW].velocity), (held, 0.0));
    bench.press(OperatorRequest::Resume);
    bench.run(0.1);
    assert!((elbow(&bench) - held).abs() < 0.06, "{held} {}", elbow(&bench));
    assert!(bench.run_until_done(2.0) && elbow(&bench) == 1.0);
}

#[test]
fn what_fails_is_tried_again_and_then_stops_the_mission_or_is_skipped() {
    let failing = "turn = { joint = 'elbow', to = 1.0, speed = 0.5, fails_at = 0.5 }\n";
    let mut stops = bench(&format!("[[steps]]\n{failing}"));
    stops.run(12.0);
    assert_eq!(stops.status().activity, Activity::Stopped(StopCause::Failed { step: 0 }));
    assert_eq!(stops.status().to_string(), "stopped in step 1 of 1: step 1 failed");
    let said = |what: &str| stops.said(what).len();
    assert_eq!(
        (said("failed: no way past 0.5 rad"), said("trying again"), said("stopped: its skill has failed")),
        (2, 1, 1)
    );
    stops.press(OperatorRequest::Resume);
    assert_eq!(stops.status().activity, Activity::Running, "once more when a person says so");
    stops.run(0.1);
    assert_eq!(stops.status().activity, Activity::Running, "what it said before does not count");
    let mut skips = bench(&format!("[progress]\non_stall = 'skip'\nretries = 0\n[[steps]]\n{failing}{TURN}"));
    assert!(skips.run_until_done(6.0), "{}", skips.status());
    assert!(!skips.said("skipped after a failure").is_empty() && elbow(&skips) == 1.0);
}

#[test]
fn what_makes_no_progress_has_stalled() {
    let mut bench = bench("[[steps]]\nturn = { joint = 'elbow', to = 1.0, speed = 0.5, sticks_at = 0.2 }\n");
    bench.run(25.0);
    assert_eq!(bench.status().activity, Activity::Stopped(StopCause::Stalled { step: 0 }));
    assert!(!bench.said("stalled, turn left [rad]").is_empty());
}

#[test]
fn a_skill_may_move_the_base_until_it_is_over() {
    let mut bench = bench("[[steps]]\ncreep = { speed = 0.2 }\n[[steps]]\nwait = { seconds = 2.0 }\n");
    bench.run(1.5);
    let twist = bench.telemetry().twist.unwrap();
    assert!((twist.x - 0.2).abs() < 1e-9, "{twist:?}");
    bench.press(OperatorRequest::Pause);
    bench.run(1.0);
    assert!(bench.telemetry().twist.unwrap().is_zero(), "a pause stops it");
    bench.press(OperatorRequest::Resume);
    assert!(bench.run_until_done(6.0));
    assert!(bench.telemetry().twist.unwrap().is_zero() && (bench.pose().x - 0.4).abs() < 0.1, "{:?}", bench.pose());
    let height = bench.telemetry().odometry.unwrap().base_in_odom.translation.z;
    assert!((height - 0.4).abs() < 1e-9, "the stance stays: {height} m");
}

#[test]
fn a_skill_may_send_the_base_somewhere_and_has_not_stalled_while_it_drives() {
    let mut bench = bench("[[steps]]\nfetch = { x = 4.0 }\n[[steps]]\nwait = { seconds = 0.1 }\n");
    bench.run(6.0);
    assert!((1.5..3.0).contains(&bench.pose().x), "on its way there: {:?}", bench.pose());
    bench.press(OperatorRequest::Pause);
    bench.run(12.0);
    let held = bench.pose();
    assert!(bench.telemetry().twist.unwrap().is_zero() && held.x < 3.0, "a pause stops it: {held:?}");
    bench.press(OperatorRequest::Resume);
    bench.run(6.0);
    assert!(bench.pose().x > 3.5, "there: {:?}", bench.pose());
    assert!(bench.run_until_done(20.0), "{}", bench.status());
    assert!(bench.pose().x.abs() < 0.06 && bench.said("trying again").is_empty(), "back: {:?}", bench.pose());
}

#[test]
fn a_skill_that_drives_by_itself_is_sent_nowhere_any_more() {
    let mut bench = bench("[[steps]]\nfetch = { x = 4.0, drives_after = 2.0 }\n");
    bench.run(4.0);
    assert!((bench.telemetry().twist.unwrap().x - 0.1).abs() < 1e-9, "{:?}", bench.telemetry().twist);
}

#[test]
fn where_the_base_cannot_be_sent_the_skill_knows_why() {
    let mut bench = bench("[progress]\nretries = 0\n[[steps]]\nfetch = { x = 4.0, by_map = true }\n");
    bench.run(1.0);
    assert_eq!(bench.status().activity, Activity::Stopped(StopCause::Failed { step: 0 }));
    let said = "failed: it is to be done by the map, and the mission draws none";
    assert!(!bench.said(said).is_empty() && bench.pose().x == 0.0);
}

#[test]
fn a_restored_mission_goes_on_where_a_skill_has_sent_it() {
    const FETCH: &str = "[[steps]]\nfetch = { x = 2.0 }\n";
    let mut first = bench(FETCH);
    first.run(2.0);
    let saved = StateWriter::save(&mut first.mission);
    let mut second = bench(FETCH);
    StateReader::restore(&mut second.mission, &saved).unwrap();
    (second.cycle, second.board, second.commands) = (first.cycle, first.board.clone(), first.commands.clone());
    for bench in [&mut first, &mut second] {
        assert!(bench.run_until_done(20.0), "{}", bench.status());
    }
    assert_eq!(first.cycle, second.cycle);
    assert!(StateWriter::save(&mut first.mission) == StateWriter::save(&mut second.mission));
}

#[test]
fn what_is_not_a_number_is_a_failure_and_reaches_no_joint() {
    let mut bench = bench("[progress]\nretries = 0\n[[steps]]\ncreep = { speed = nan }\n");
    bench.run(1.0);
    assert_eq!(bench.status().activity, Activity::Stopped(StopCause::Failed { step: 0 }));
    assert!(
        !bench.said("failed: asked for a velocity that is not a number").is_empty()
            && bench.telemetry().twist.unwrap().is_zero()
    );
}

#[test]
fn a_restored_mission_goes_on_in_the_middle_of_a_skill() {
    let mut first = bench(TURN);
    first.run(1.0);
    let saved = StateWriter::save(&mut first.mission);
    let mut second = bench(TURN);
    StateReader::restore(&mut second.mission, &saved).unwrap();
    (second.cycle, second.board, second.commands) = (first.cycle, first.board.clone(), first.commands.clone());
    for _ in 0..300 {
        first.cycle();
        second.cycle();
        assert_eq!(elbow(&first), elbow(&second));
    }
    assert!(StateWriter::save(&mut first.mission) == StateWriter::save(&mut second.mission));
}

#[test]
fn what_cannot_be_is_refused_with_file_and_line() {
    let complaint = |step: &str| try_bench(&format!("[[steps]]\n{step}\n")).err().map(|error| error.to_string());
    for (step, expected) in [
        (
            "trun = { }",
            "test.toml:4: mission.steps[1].trun: expected goto, wait, stance, pose, explore, creep, fetch, turn; found 'trun'",
        ),
        ("turn = { joint = 'elbow', to = 1.0 }", "test.toml:4: mission.steps[1].turn: missing field `speed`"),
        (
            "turn = { joint = 'elbow', to = 'up', speed = 1.0 }",
            "test.toml:4: mission.steps[1].turn: invalid type: string \"up\", expected f64",
        ),
        (
            "turn = { joint = 'knee', to = 1.0, speed = 1.0 }",
            "test.toml:4: mission.steps[1].turn: expected a joint to move, found 'knee', which cart does not have",
        ),
        (
            "turn = { joint = 'roll', to = 1.0, speed = 1.0 }",
            "test.toml:4: mission.steps[1].turn: expected a joint to move, found 'roll', which carries the robot or turns without end",
        ),
    ] {
        assert_eq!(complaint(step).as_deref(), Some(expected));
    }
    let taken = Setup { skills: Skills::default().with("wait", Turn::new), ..Setup::default() };
    let error = Bench::with("", taken).err().unwrap().to_string();
    assert_eq!(
        error,
        "expected a name for a skill that is none of goto, wait, stance, pose, explore, reach and motion, found 'wait'"
    );
    let plan = support::plan(TURN, &Skills::default().with("turn", Turn::new)).unwrap();
    let late = bench("").mission.splice(&plan.steps).unwrap_err().to_string();
    assert!(late.ends_with("found 'turn'"), "{late}");
}
