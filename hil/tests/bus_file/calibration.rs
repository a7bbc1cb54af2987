//! Measured zero offsets, and that they are refused for any drive but the one that they were measured for.

use hil::bus_file::{BusPlan, BusSource, Calibration, Found, ZeroOffset, compare};
use proptest::prelude::*;
use robot_io::{Commands, Readings, RobotLayout, Time};

const BUS: &str = r#"name = "leg"
watchdog_ms = 20
partial = true
calibration = "zeros.toml"

[[board]]
name = "hip_drive"
type = "cia402"
vendor = 0xC402
product = 1
joint = "hip"
counts = 100000
rated_torque = 20.0
damp = 2.0
"#;

fn zero() -> ZeroOffset {
    ZeroOffset {
        board: "hip_drive".to_owned(),
        joint: "hip".to_owned(),
        vendor: 0xc402,
        product: 1,
        serial: 7,
        position: 0.5,
        offset: -0.25,
        line: 0,
    }
}

fn calibration(zero: ZeroOffset) -> Calibration {
    let date = "2026-11-22T09:00:00Z".to_owned();
    Calibration { bus: "leg".to_owned(), robot: "example".to_owned(), date, zeros: vec![zero] }
}

fn plan(bus: &str, calibration: &str) -> Result<BusPlan, String> {
    let calibration = Some(("zeros.toml".to_owned(), calibration.to_owned()));
    let source = BusSource { file: "bus.toml".to_owned(), text: bus.to_owned(), calibration };
    BusPlan::from_source(&source, &RobotLayout::example()).map_err(|error| error.to_string())
}

/// What a driver of the plan's first board makes of an encoder that says zero.
fn position_at_zero(plan: &BusPlan) -> f64 {
    let (layout, kind) = (RobotLayout::example(), &plan.boards[0].kind);
    let (mut readings, mut driver) = (Readings::new(&layout), kind.driver());
    driver.decode(&vec![0; kind.pdo_map().input_bytes()], Time::ZERO, &mut readings);
    assert_eq!(Commands::new(&layout).joints.len(), 3);
    readings.joints[0].position
}

#[test]
fn a_measured_offset_is_where_the_joint_stands_when_its_encoder_says_zero() {
    let plan = plan(BUS, &calibration(zero()).to_toml()).unwrap();
    assert_eq!(position_at_zero(&plan), -0.25);
    assert_eq!(plan.boards[0].identity.serial, Some(7), "from now on that drive is meant");
    assert_eq!(plan.as_source().calibration.unwrap().0, "zeros.toml", "a log can carry it");
}

#[test]
fn for_measuring_all_offsets_are_zero() {
    let bus = BUS.replace("damp = 2.0", "damp = 2.0\noffset = 0.3");
    let source = BusSource { file: "bus.toml".to_owned(), text: bus, calibration: None };
    assert_eq!(position_at_zero(&BusPlan::uncalibrated(&source, &RobotLayout::example()).unwrap()), 0.0);
    assert_eq!(source.calibration_named().unwrap(), Some(("zeros.toml".to_owned(), 4)));
}

#[test]
fn a_calibration_made_for_another_drive_is_refused() {
    let text = calibration(zero()).to_toml();
    let message = plan(&BUS.replace("product = 1", "product = 1\nserial = 8"), &text).unwrap_err();
    assert!(message.starts_with("zeros.toml:8: board 'hip_drive'"), "{message}");
    assert!(message.contains("serial 8") && message.contains("serial 7"), "{message}");
    let message = plan(&BUS.replace("product = 1", "product = 2"), &text).unwrap_err();
    assert!(message.contains("another drive"), "{message}");

    // the bus file does not say which drive it wants: the one on the cable is compared
    let plan = plan(BUS, &text).unwrap();
    let found = |serial| Found { vendor: 0xc402, product: 1, serial, ..Found::default() };
    assert_eq!(compare(&[found(7)], &plan).unwrap(), [0]);
    let message = compare(&[found(9)], &plan).unwrap_err().to_string();
    assert!(message.contains("expected serial 7, found 9"), "{message}");
    assert!(message.contains("zeros.toml:8") && message.contains("chiron bus calibrate"), "{message}");
}

#[test]
fn a_calibration_that_does_not_fit_the_bus_file_is_refused_by_line() {
    let good = calibration(zero()).to_toml();
    let refused = |bus: &str, text: &str, expected: &str| {
        let message = plan(bus, text).unwrap_err();
        assert!(message.contains(expected), "expected '{expected}' in: {message}");
    };
    refused(&BUS.replace("damp = 2.0", "damp = 2.0\noffset = 0.3"), &good, "bus.toml:15: board 'hip_drive'.offset");
    refused(BUS, &good.replace("\"hip\"", "\"knee\""), "zeros.toml:8: board 'hip_drive': measured for joint 'knee'");
    refused(
        BUS,
        &good.replace("hip_drive", "hip_driv"),
        "zeros.toml:8: board 'hip_driv': the bus file has no such board; near it",
    );
    refused(BUS, &good.replace("\"leg\"", "\"arm\""), "zeros.toml:1: expected a calibration of bus 'leg'");
    refused(BUS, &good.replace("-0.25", "\"x\""), "zeros.toml:15: board[0].offset: expected a number");
    refused(BUS, &good.replace("serial = 7\n", ""), "zeros.toml:8: board[0].serial: expected a whole number");
    let twice = format!("{good}{}", &good[good.find("[[board]]").unwrap()..]);
    refused(BUS, &twice, "zeros.toml:16: board 'hip_drive': expected once, found in line 8 too");
    let alone = BusPlan::parse(BUS, "bus.toml", &RobotLayout::example()).unwrap_err().to_string();
    assert!(alone.starts_with("bus.toml:4: calibration:"), "{alone}");
}

#[test]
fn a_file_that_is_not_there_is_named_with_how_to_make_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bus.toml");
    std::fs::write(&path, BUS).unwrap();
    let message = BusPlan::load(&path, &RobotLayout::example()).unwrap_err().to_string();
    assert!(message.contains("bus.toml:4:") && message.contains("zeros.toml cannot be read"), "{message}");
    assert!(message.contains("chiron bus calibrate"), "{message}");
    std::fs::write(folder.path().join("zeros.toml"), calibration(zero()).to_toml()).unwrap();
    assert_eq!(position_at_zero(&BusPlan::load(&path, &RobotLayout::example()).unwrap()), -0.25);
}

#[test]
fn measuring_one_drive_again_leaves_the_others_as_they_were() {
    let mut old = calibration(zero());
    old.zeros.push(ZeroOffset { board: "knee_drive".to_owned(), ..zero() });
    old.renew(calibration(ZeroOffset { offset: 1.0, ..zero() }));
    let offsets: Vec<(&str, f64)> = old.zeros.iter().map(|zero| (zero.board.as_str(), zero.offset)).collect();
    assert_eq!(offsets, [("knee_drive", -0.25), ("hip_drive", 1.0)]);
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        board in "[ -~é\"\\\\]{1,20}", serial: u32, vendor: u32, position in -1e5..1e5_f64, offset in -1e5..1e5_f64,
    ) {
        prop_assume!(!board.trim().is_empty());
        let written = calibration(ZeroOffset { board, serial, vendor, position, offset, ..zero() });
        let mut read = Calibration::parse(&written.to_toml(), "zeros.toml").unwrap();
        prop_assert_eq!(read.zeros[0].line, 8);
        read.zeros[0].line = 0;
        prop_assert_eq!(read, written);
    }

    #[test]
    fn a_broken_file_is_answered_with_a_line(at in 0_usize..400, with in "[ -~\n]{0,3}", length in 0_usize..40) {
        let mut text = calibration(zero()).to_toml();
        let at = at.min(text.len());
        let end = (at + length).min(text.len());
        prop_assume!(text.is_char_boundary(at) && text.is_char_boundary(end));
        text.replace_range(at..end, &with);
        if let Err(error) = Calibration::parse(&text, "zeros.toml") {
            prop_assert!(error.to_string().starts_with("zeros.toml:"), "{error}");
        }
    }
}
