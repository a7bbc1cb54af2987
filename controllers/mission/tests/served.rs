//! A mission that moves its base for the skills of a chart.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use robot_io::math::hypot;
use robot_io::{
    Controller, Digest, OperatorInput, OperatorRequest, Pose2, ShortName, StateReader, StateWriter, Switch, Twist,
};
use runtime::{Runtime, Whole};
use support::served::{Bench, ERRAND, behaviour, mission, one};
use support::{ELBOW, Shared};

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
