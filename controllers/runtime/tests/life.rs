//! Components live, fail and hand over joints without harm to the others.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use robot_io::Period;
use runtime::{Life, Runtime, Switch};
use support::{Bench, Counter, Doubler, Flood, Mover, Sum};

/// A bench whose component is in this state.
fn bench_in(life: Life) -> Bench {
    let mut bench = Bench::new(Runtime::builder().with("it", Counter::on("a")));
    if life == Life::Constructed {
        return bench;
    }
    bench.cycle();
    let way: &[Switch] = match life {
        Life::Paused => &[Switch::Pause],
        Life::Stopped => &[Switch::Stop],
        Life::Ended => &[Switch::Quit],
        _ => &[],
    };
    for switch in way {
        bench.runtime.switch("it", *switch).unwrap();
        bench.cycle();
    }
    assert_eq!(bench.runtime.life("it"), Some(life));
    bench
}

#[test]
fn every_command_in_every_state_does_what_the_table_says() {
    for life in [Life::Running, Life::Paused, Life::Stopped, Life::Ended] {
        for switch in Switch::ALL {
            let mut bench = bench_in(life);
            match (life.after(switch), bench.runtime.switch("it", switch)) {
                (Some(next), Ok(())) => {
                    bench.cycle();
                    assert_eq!(bench.runtime.life("it"), Some(next), "{life}, {switch}");
                }
                (None, Err(error)) => {
                    let expected = format!("it: expected a command for one that is {life}, found '{switch}'");
                    assert_eq!(error.to_string(), expected);
                    bench.cycle();
                    assert_eq!(bench.runtime.life("it"), Some(life));
                }
                (expected, found) => panic!("{life}, {switch}: expected {expected:?}, found {found:?}"),
            }
        }
    }
}

#[test]
fn one_that_pauses_comes_to_a_safe_phase_first_and_lets_go_of_its_joints() {
    let mover = Mover { busy_until: 20, ..Mover::new("arm", 1, 0.5) };
    let mut bench = Bench::new(Runtime::builder().with("mover", mover));
    bench.cycles(5);
    bench.runtime.switch("mover", Switch::Pause).unwrap();
    bench.cycles(10);
    assert_eq!((bench.runtime.life("mover"), bench.runtime.owner(0)), (Some(Life::Running), Some("mover")));
    bench.cycles(10);
    assert_eq!((bench.runtime.life("mover"), bench.runtime.owner(0)), (Some(Life::Paused), None));
    let held = bench.commands.joints[0];
    assert_eq!(
        (held.position, held.stiffness),
        (0.5, 100.0),
        "held where it was told to be, with the robot's own stiffness"
    );
    bench.runtime.switch("mover", Switch::Resume).unwrap();
    bench.cycle();
    assert_eq!(bench.runtime.owner(0), Some("mover"));
}

#[test]
fn what_is_sent_to_one_that_pauses_waits_for_it() {
    let mut bench = Bench::new(Runtime::builder().with("flood", Flood::of(1)).with("sum", Sum::default()));
    let mut whole = Bench::new(Runtime::builder().with("flood", Flood::of(1)).with("sum", Sum::default()));
    bench.cycles(10);
    bench.runtime.switch("sum", Switch::Pause).unwrap();
    bench.cycles(10);
    bench.runtime.switch("sum", Switch::Resume).unwrap();
    bench.cycles(10);
    whole.cycles(30);
    assert_eq!(bench.digest(), whole.digest());
}

#[test]
fn of_three_that_want_an_arm_the_highest_has_it_in_each_cycle() {
    let [low, middle, high] = [(1, 0), (2, 10), (3, 20)]
        .map(|(level, from)| Mover { from, ..Mover::new("arm", level, 0.1 * f64::from(level)) });
    // the order of the updates does not matter
    let mut bench = Bench::new(Runtime::builder().with("high", high).with("low", low).with("middle", middle));
    for cycle in 0..60 {
        match cycle {
            30 => bench.runtime.switch("high", Switch::Stop).unwrap(),
            40 => bench.runtime.switch("middle", Switch::Pause).unwrap(),
            50 => bench.runtime.switch("high", Switch::Start).unwrap(),
            _ => {}
        }
        bench.cycle();
        let expected = match cycle {
            0..10 => Some("low"),
            10..20 => Some("middle"),
            20..30 => Some("high"),
            30..40 => Some("middle"),
            _ => Some("low"),
        };
        assert_eq!(bench.runtime.owner(1), expected, "cycle {cycle}");
        let expected = match expected {
            Some("low") => 0.1,
            Some("middle") => 0.2,
            _ => 0.3,
        };
        // whoever takes over in a cycle after the loser's update commands in the next one
        if cycle % 10 > 0 {
            assert!((bench.commands.joints[1].position - expected).abs() < 1e-9, "cycle {cycle}");
        }
    }
}

#[test]
fn a_reflex_commands_in_the_very_cycle_in_which_it_takes_an_arm() {
    let reflex = Mover { is_reflex: true, from: 5, ..Mover::new("arm", 0, -0.7) };
    let all = Runtime::builder().with("reflex", reflex).with("mover", Mover::new("arm", 1_000, 0.5));
    let mut bench = Bench::new(all);
    assert_eq!(bench.runtime.order().collect::<Vec<_>>(), ["mover", "reflex"]);
    for cycle in 0..10 {
        bench.cycle();
        let expected = if cycle < 5 { ("mover", 0.5) } else { ("reflex", -0.7) };
        assert_eq!(
            (bench.runtime.owner(0), bench.commands.joints[0].position),
            (Some(expected.0), expected.1),
            "{cycle}"
        );
    }
}

#[test]
fn a_lease_is_all_of_a_group_or_nothing_and_what_is_left_is_held() {
    let whole = Mover { from: 5, ..Mover::new("arm_and_hand", 2, 0.4) };
    let mut bench = Bench::new(Runtime::builder().with("hand", Mover::new("hand", 3, -0.2)).with("whole", whole));
    bench.cycles(10);
    assert_eq!((bench.runtime.owner(0), bench.runtime.owner(3)), (None, Some("hand")));
    assert_eq!(bench.commands.joints[2].position, 0.2, "held where it was found");
    bench.runtime.switch("hand", Switch::Quit).unwrap();
    bench.cycle();
    assert_eq!((bench.runtime.owner(0), bench.runtime.owner(3)), (Some("whole"), Some("whole")));
}

#[test]
fn one_that_panics_is_stopped_and_told_its_joints_are_held_and_it_can_be_started_again() {
    let mover = Mover { panics_at: Some(8), ..Mover::new("arm", 1, 0.5) };
    let mut bench = Bench::new(Runtime::builder().with("mover", mover).with("count", Counter::on("a")));
    let told = bench.cycles(7);
    assert_eq!(told, ["arm passes from nobody to mover"]);
    let told = bench.cycle();
    assert_eq!(told[0], "component 'mover' stopped: panicked: as it was told in cycle 8; it can be started again");
    assert_eq!(told[1], "arm passes from mover to nobody");
    assert_eq!((bench.runtime.life("mover"), bench.runtime.life("count")), (Some(Life::Stopped), Some(Life::Running)));
    assert_eq!((bench.commands.joints[0].position, bench.commands.joints[0].stiffness), (0.5, 100.0));
    bench.runtime.switch("mover", Switch::Start).unwrap();
    bench.cycle();
    assert_eq!(bench.runtime.owner(0), Some("mover"));
}

/// CoolBOT's table (digest H03): whatever subset fails, the others go on as if it had been switched off in that cycle.
#[test]
fn all_subsets_of_failing_components_leave_the_others_as_they_are() {
    const NAMES: [&str; 4] = ["arm", "hand", "both", "late"];
    let build = |failing: u32| {
        let panics_at = |index: usize| (failing & 1 << index != 0).then_some(20 + index as u64);
        let mover = |index: usize, group, level, from| Mover {
            panics_at: panics_at(index),
            from,
            ..Mover::new(group, level, 0.1 * (1.0 + index as f64))
        };
        Bench::new(
            Runtime::builder()
                .with("double", Doubler::new("a", "b"))
                .with("arm", mover(0, "arm", 2, 0))
                .with("hand", mover(1, "hand", 3, 5))
                .with("both", mover(2, "arm_and_hand", 1, 3))
                .with("late", mover(3, "arm", 2, 10))
                .with("count", Counter::on("a")),
        )
    };
    for failing in 0..1_u32 << NAMES.len() {
        let (mut fails, mut is_stopped) = (build(failing), build(0));
        for cycle in 0..50_u64 {
            let mut told = fails.cycle();
            for (index, name) in NAMES.iter().enumerate().filter(|(index, _)| failing & 1 << index != 0) {
                if cycle == 20 + index as u64 {
                    is_stopped.runtime.switch(name, Switch::Stop).unwrap();
                }
            }
            is_stopped.cycle();
            told.retain(|told| told.contains("stopped"));
            let expected =
                (0..NAMES.len()).filter(|index| failing & 1 << index != 0 && cycle == 19 + *index as u64).count();
            assert_eq!(told.len(), expected, "{failing:04b}, cycle {cycle}");
        }
        for (index, name) in NAMES.iter().enumerate() {
            let expected = if failing & 1 << index != 0 { Life::Stopped } else { Life::Running };
            assert_eq!(fails.runtime.life(name), Some(expected), "{failing:04b}");
        }
        let owners =
            |bench: &Bench| (0..6).map(|joint| bench.runtime.owner(joint).map(str::to_owned)).collect::<Vec<_>>();
        assert_eq!(owners(&fails), owners(&is_stopped), "{failing:04b}");
        assert_eq!(fails.commands, is_stopped.commands, "{failing:04b}");
        assert!(fails.commands.joints.iter().all(|command| command.stiffness > 0.0), "nothing is let fall");
    }
}

#[test]
fn a_flood_and_a_slow_reader_change_nothing_of_the_others() {
    let others = || {
        Runtime::builder()
            .with("count", Counter::on("a"))
            .with("double", Doubler::new("a", "b"))
            .with("mover", Mover::new("arm", 1, 0.5))
    };
    let mut calm = Bench::new(others());
    let slow = Sum { every: Some(Period::from_milliseconds(100)), ..Sum::default() };
    let mut flooded = Bench::new(others().with("flood", Flood::of(1_000)).with("slow", slow));
    let mut told = Vec::new();
    for _ in 0..50 {
        calm.cycle();
        told.extend(flooded.cycle());
        assert_eq!(calm.commands, flooded.commands);
    }
    let stopped: Vec<&String> = told.iter().filter(|told| told.contains("stopped")).collect();
    assert_eq!(
        stopped,
        ["component 'slow' stopped: left 4096 messages of channel 'flood' unread; it can be started again"]
    );
    assert_eq!(flooded.runtime.life("double"), Some(Life::Running));
}
