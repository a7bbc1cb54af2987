//! What a bus file says, and how it is refused.

use hil::bus_file::{Identity, Reactions, StopReaction, StopRules};
use proptest::prelude::*;
use robot_io::Period;

use super::board::plan;

const GOOD: &str = r#"name = "leg"
watchdog_ms = 10
sync0_shift_us = 400

[reactions]
ride_through = 3
stop = "damp"

[defaults.motor]
type = "motor"
vendor = 0x664
product = 0x10
encoder = { counts = 4096, sign = -1 }

[defaults.large]
like = "motor"
product = 0x11

[[board]]
name = "hip"
like = "large"
serial = 7
joint = "hip"

[[board]]
name = "knee"
like = "motor"
encoder.counts = 8192
alias = 5
joint = "knee"

[[board]]
name = "wheel"
like = "motor"
revision = 0x20
serial = 8
joint = "wheel"
"#;

/// The good file with one line (counted from 1) replaced; the message without the file's name.
fn refused(line: usize, by: &str) -> String {
    let mut lines: Vec<&str> = GOOD.lines().collect();
    lines[line - 1] = by;
    let error = plan(&lines.join("\n")).expect_err(by).to_string();
    error.strip_prefix("bus.toml:").expect("a line").to_owned()
}

#[test]
fn a_good_file_says_it_all() {
    let plan = plan(GOOD).unwrap();
    assert_eq!((plan.name.as_str(), plan.partial), ("leg", false));
    assert_eq!(
        (plan.watchdog, plan.sync0_shift),
        (Period::from_milliseconds(10), Some(Period::from_microseconds(400)))
    );
    let wanted = Reactions { ride_through: 3, stop: StopRules::always(StopReaction::Damp), ..Reactions::default() };
    assert_eq!(plan.reactions, wanted);
    let [hip, knee, wheel] = plan.boards.as_slice() else { panic!("three boards") };
    assert_eq!(hip.identity, Identity { vendor: 0x664, product: 0x11, revision: None, serial: Some(7) });
    assert_eq!((knee.alias, knee.identity.product, knee.kind.joints()), (Some(5), 0x10, [1].as_slice()));
    assert_eq!((wheel.identity.revision, wheel.kind.type_name()), (Some(0x20), "motor"));
    assert_eq!(plan.process_data_bytes(), (18, 6));
    assert_eq!(plan.source, ("bus.toml".to_owned(), GOOD.to_owned()));
}

#[test]
fn unknown_fields_are_refused_with_what_is_near() {
    let near = |line: usize, by: &str, begin: &str, end: &str| {
        let message = refused(line, by);
        assert!(message.starts_with(begin) && message.ends_with(end), "{message}");
    };
    near(3, "sync_shift_us = 4", "3: sync_shift_us: expected one of name, ", "; near it: 'sync0_shift_us'");
    near(6, "ride_trough = 3", "6: reactions.ride_trough: expected one of ", "; near it: 'ride_through'");
    near(2, "watchdog = 3", "2: watchdog_ms: expected ", "found nothing; near it: 'watchdog'");
    near(23, "colour = 3", "19: board 'hip'.joint: expected a joint ", "found nothing");
    near(22, "colour = 3", "22: board 'hip'.colour: expected one of name, ", "found an unknown field");
    near(17, "colour = 3", "17: board 'hip'.colour: expected one of name, ", "found an unknown field");
}

#[test]
fn values_out_of_range_are_refused() {
    let watchdog = "2: watchdog_ms: expected a whole number from 5 to 1000 [ms, at least ride_through + 2 = 5 cycles]";
    assert_eq!(refused(2, "watchdog_ms = 4"), format!("{watchdog}, found integer `4`"));
    assert_eq!(refused(2, "watchdog_ms = 10.5"), format!("{watchdog}, found float `10.5`"));
    let shift = "3: sync0_shift_us: expected a whole number from 0 to 999 [µs, less than the robot's cycle]";
    assert_eq!(refused(3, "sync0_shift_us = 1000"), format!("{shift}, found integer `1000`"));
    assert_eq!(
        refused(6, "ride_through = 51"),
        "6: reactions.ride_through: expected a whole number from 0 to 50 [cycles], found integer `51`"
    );
    assert_eq!(
        refused(6, "stop_temperature = 60"),
        "6: reactions.stop_temperature: expected more than warn_temperature, 80 [°C], found 60"
    );
    assert_eq!(
        refused(6, "jump_factor = nan"),
        "6: reactions.jump_factor: expected a number from 1 to 100 [times the joint's velocity limit], found float `nan`"
    );
    assert_eq!(
        refused(7, "stop = \"fall\""),
        "7: reactions.stop: expected one of \"hold\", \"damp\", \"off\", found string `\"fall\"`"
    );
    assert_eq!(
        refused(11, "vendor = -1"),
        "11: board 'hip'.vendor: expected a whole number from 0 to 4294967295, found integer `-1`"
    );
    assert_eq!(
        refused(29, "alias = 0"),
        "29: board 'knee'.alias: expected a whole number from 1 to 65535, found integer `0`"
    );
    assert_eq!(refused(1, "name = 5"), "1: name: expected a text that is not empty, found integer `5`");
}

#[test]
fn names_aliases_serials_and_joints_stand_once() {
    assert_eq!(
        refused(26, "name = \"hip\""),
        "26: board 'hip'.name: expected one of its own, found 'hip', that of board 'hip' (line 19)"
    );
    assert_eq!(
        refused(35, "alias = 5"),
        "35: board 'wheel'.alias: expected one of its own, found 5, that of board 'knee' (line 25)"
    );
    assert_eq!(
        refused(29, "serial = 8"),
        "36: board 'wheel'.serial: expected one of its own, found 8, that of board 'knee' (line 25)"
    );
    assert_eq!(
        refused(37, "joint = \"hip\""),
        "37: board 'wheel'.joint: expected a joint of its own, found 'hip', which board 'hip' (line 19) drives already"
    );
}

#[test]
fn joints_are_those_of_the_robot_and_all_of_them() {
    assert_eq!(
        refused(30, "joint = \"kneee\""),
        "30: board 'knee'.joint: expected a joint of robot 'example', found string `\"kneee\"`; near it: 'knee'"
    );
    let hip_alone: String = GOOD.lines().take(23).collect::<Vec<_>>().join("\n");
    assert_eq!(
        plan(&hip_alone).unwrap_err().to_string(),
        "bus.toml:23: expected a board for every joint of robot 'example', or `partial = true`; \
         found none for 'knee', 'wheel'"
    );
    let partial = format!("partial = true\n{hip_alone}");
    assert!(plan(&partial).unwrap().partial);
}

#[test]
fn types_and_defaults_are_known() {
    assert_eq!(
        refused(10, "type = \"moter\""),
        "10: board 'hip'.type: expected one of \"motor\", \"sensor\", found string `\"moter\"`"
    );
    assert_eq!(
        refused(21, "like = \"small\""),
        "21: board[0].like: expected the name of a [defaults.NAME], found string `\"small\"`; there are: large, motor"
    );
    assert_eq!(
        refused(16, "like = \"large\""),
        "21: board[0].like: expected fewer than 8 defaults in a chain, found more"
    );
    assert_eq!(
        refused(17, "serial = 3"),
        "17: defaults.large.serial: expected none, as each board has its own, found integer `3`"
    );
    assert_eq!(refused(21, ""), "19: board 'hip'.vendor: expected a whole number from 0 to 4294967295, found nothing");
}

#[test]
fn a_type_that_refuses_a_field_points_to_its_line() {
    assert_eq!(
        refused(28, "encoder.counts = 0"),
        "28: board 'knee'.encoder.counts: expected a whole number from 1 to 9999, found integer `0`"
    );
}

#[test]
fn a_file_without_what_it_needs_is_refused() {
    assert_eq!(plan("").unwrap_err().to_string(), "bus.toml:1: name: expected a text, found nothing");
    let no_board = "name = \"x\"\nwatchdog_ms = 10\n";
    let message = "bus.toml:2: board: expected a [[board]], found none up to the end of the file";
    assert_eq!(plan(no_board).unwrap_err().to_string(), message);
    let no_watchdog = "bus.toml:1: watchdog_ms: expected the time after which a board without outputs does what its bus_loss \
         says [ms], found nothing";
    assert_eq!(plan("name = \"x\"").unwrap_err().to_string(), no_watchdog);
    assert!(plan("name = ").unwrap_err().to_string().starts_with("bus.toml:1: "));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        prop_assert!(plan(&text).is_err());
    }

    #[test]
    fn no_damage_makes_it_panic(at in 0_usize..GOOD.len(), length in 0_usize..40, by in "[\\[\\]=\"{}.0-9a-z\n-]{0,8}") {
        let (start, end) = (at, (at + length).min(GOOD.len()));
        let damaged = format!("{}{by}{}", &GOOD[..start], &GOOD[end..]);
        if let Err(error) = plan(&damaged) {
            let message = error.to_string();
            let line: usize = message.strip_prefix("bus.toml:").unwrap().split(':').next().unwrap().parse().unwrap();
            prop_assert!(line >= 1 && line <= damaged.lines().count().max(1) + 1, "{message}");
        }
    }
}
