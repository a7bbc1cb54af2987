//! A drive follows, within its limits and in all modes.

use hil::board::Order;
use hil::board::cia402::{DriveState, control};
use robot_io::{JointCommand, JointStatus};

use crate::bench::{Bench, parse};

pub const HIP: &str = "joint = \"hip\"\ncounts = 100000\ngear = [10, 1]\nrated_torque = 20.0\ndamp = 2.0\noffset = 0.2";

pub fn state(bench: &Bench) -> DriveState {
    DriveState::from_statusword(bench.object(0x6041, 0) as u16).unwrap()
}

fn with(text: &str) -> Bench {
    Bench::new("cia402", &format!("{HIP}\n{text}"))
}

#[test]
fn from_switch_on_disabled_to_following_in_one_step_per_answer() {
    let mut bench = with("");
    bench.truth.joints[0].position = 0.5;
    bench.measure();
    bench.order = Order::Follow;
    bench.command(JointCommand::hold(0.5, 100.0, 5.0));
    let mut seen = vec![state(&bench)];
    for _ in 0..6 {
        bench.cycle();
        if seen.last() != Some(&state(&bench)) {
            seen.push(state(&bench));
        }
        assert!((bench.truth.joints[0].position - 0.5).abs() < 1e-5, "it does not move on its way");
    }
    use DriveState::{OperationEnabled, ReadyToSwitchOn, SwitchOnDisabled, SwitchedOn};
    assert_eq!(seen, [SwitchOnDisabled, ReadyToSwitchOn, SwitchedOn, OperationEnabled]);
    assert!(bench.report.following);
}

#[test]
fn it_reaches_a_position_with_the_gains_of_the_command() {
    for sign in [1, -1] {
        let mut bench = with(&format!("sign = {sign}"));
        bench.command(JointCommand::hold(0.4, 100.0, 6.0));
        bench.switch_on();
        assert_eq!(bench.object(0x6061, 0), 8);
        bench.cycles(1500);
        assert!((bench.truth.joints[0].position - 0.4).abs() < 1e-5, "{}", bench.truth.joints[0].position);
        assert!((bench.readings.joints[0].position - 0.4).abs() < 1e-5);
        let told = bench.told.joints[0];
        assert_eq!((told.stiffness, told.damping), (100.0, 6.0));
        assert!(bench.readings.joints[0].status.contains(JointStatus::ENABLED));
        assert_eq!(bench.readings.joints[0].temperature, 30.0);
        let raw = (0.4 - 0.2) / std::f64::consts::TAU * 1e6 * f64::from(sign);
        assert!((bench.object(0x6064, 0) as f64 - raw).abs() < 3.0, "increments with sign and offset");
    }
}

#[test]
fn every_part_of_a_command_arrives() {
    let mut bench = with("");
    let all = JointCommand { position: 0.001, velocity: 0.25, effort: 3.0, stiffness: 70.0, damping: 1.5 };
    bench.command(all);
    bench.switch_on();
    bench.cycles(2);
    let told = bench.told.joints[0];
    assert!((told.velocity - 0.25).abs() < 1e-6);
    assert!((told.effort - 3.0).abs() <= 0.01, "half a per mille of 20 N·m");
    assert_eq!((told.stiffness, told.damping), (70.0, 1.5));
}

#[test]
fn the_mode_changes_with_the_command_from_cycle_to_cycle() {
    let mut bench = with("");
    bench.command(JointCommand::turn(0.5, 2.0));
    bench.switch_on();
    bench.cycles(800);
    assert_eq!(bench.object(0x6061, 0), 9);
    assert!((bench.readings.joints[0].velocity - 0.5).abs() < 1e-3);
    bench.command(JointCommand { effort: -1.0, ..JointCommand::default() });
    bench.cycle();
    assert_eq!(bench.object(0x6061, 0), 10);
    assert!((bench.told.joints[0].effort + 1.0).abs() <= 0.01);
    let before = bench.truth.joints[0].velocity;
    bench.cycles(10);
    assert!((bench.truth.joints[0].velocity - before + 0.01 / 0.1).abs() < 2e-3, "-1 N·m for 10 ms on 0.1 kg·m²");
    for _ in 0..200 {
        bench.command(JointCommand::hold(0.1, 100.0, 6.0));
        bench.cycle();
        bench.command(JointCommand::turn(0.0, 2.0));
        bench.cycle();
        assert!(bench.report.following, "{}", state(&bench));
    }
}

#[test]
fn where_the_bridge_closes_the_loop_the_drive_makes_torque_only() {
    let mut bench = with("gains = \"host\"");
    bench.command(JointCommand::hold(0.3, 100.0, 6.0));
    bench.switch_on();
    assert_eq!(bench.object(0x6061, 0), 10);
    bench.cycles(2000);
    let told = bench.told.joints[0];
    assert_eq!((told.stiffness, told.damping), (0.0, 0.0));
    assert!((bench.truth.joints[0].position - 0.3).abs() < 1e-3, "{}", bench.truth.joints[0].position);
}

#[test]
fn a_drive_with_gains_of_its_own_uses_them() {
    let text = HIP.replace("damp = 2.0", "gains = \"drive\"\nstiffness = 120.0\ndamping = 7.0");
    let mut bench = Bench::new("cia402", &text);
    assert!(bench.kind.pdo_map().output(0x2010, 1).is_none());
    bench.command(JointCommand::hold(0.3, 1.0, 1.0));
    bench.switch_on();
    bench.cycles(1000);
    assert_eq!((bench.told.joints[0].stiffness, bench.told.joints[0].damping), (120.0, 7.0));
    assert!((bench.truth.joints[0].position - 0.3).abs() < 1e-4);
}

#[test]
fn a_drive_from_a_shop_needs_none_of_our_objects() {
    let text = HIP.replace(
        "damp = 2.0",
        "extensions = false\nmodes = [\"csp\"]\ngains = \"drive\"\nstiffness = 90.0\ndamping = 5.0",
    ) + "\noutputs = [\"0x6040 16\", \"0x607a 32\", \"padding 8\", \"0x2701 32\"]\ninputs = [\"0x6041 16\", \"0x6064 32\", \"0x606c 32\"]\nmapping = \"fixed\"\nomit = [\"0x6007\"]\nsdo = [\"0x2110:1 u16 120\"]";
    let mut bench = Bench::new("cia402", &text);
    assert!(!bench.kind.maps_by_sdo());
    assert!(bench.driver.start_up().iter().all(|download| download.index != 0x6007 && download.index != 0x2010));
    assert_eq!(bench.object(0x2110, 1), 120);
    bench.command(JointCommand::hold(0.3, 1.0, 1.0));
    bench.switch_on();
    bench.cycles(1500);
    assert!((bench.readings.joints[0].position - 0.3).abs() < 1e-4, "{}", bench.readings.joints[0].position);
    assert_eq!((bench.report.sample, bench.report.temperature), (None, None));
}

#[test]
fn a_wheel_turns_for_ever() {
    let wheel = "joint = \"wheel\"\ncounts = 1000000\ngear = [1000, 1]\nrated_torque = 20.0\ndamp = 2.0\nsign = -1";
    let mut bench = Bench::new("cia402", wheel);
    bench.command(JointCommand::turn(5.0, 2.0));
    bench.switch_on();
    // 5 rad/s are 0.8e9 increments a second: three wraps of 2³² in 17 s
    for _ in 0..17_000 {
        bench.cycle();
        let lag = bench.truth.joints[2].position - bench.readings.joints[2].position;
        assert!((-1e-3..=0.01).contains(&lag), "{lag}");
    }
    assert!(bench.truth.joints[2].position > 80.0);
    bench.command(JointCommand { velocity: -5.0, ..JointCommand::hold(79.0, 50.0, 4.0) });
    bench.cycles(5);
    assert!(bench.report.following && bench.object(0x6061, 0) == 8, "a position target across the wrap");
}

#[test]
fn limits_hold_at_both_ends() {
    let mut bench = with("max_torque = 10.0\nmax_velocity = 2.0\nposition_limits = [-0.5, 0.5]");
    bench.command(JointCommand::hold(9.0, 400.0, 5.0));
    bench.switch_on();
    for _ in 0..3000 {
        bench.cycle();
        let told = bench.told.joints[0];
        let joint = bench.truth.joints[0];
        assert!(told.position <= 0.5 + 1e-5 && joint.position < 0.6);
        assert!(told.effort.abs() <= 10.0 + 0.02);
    }
    assert!((bench.truth.joints[0].position - 0.5).abs() < 1e-4);
    // the driver keeps its targets within the limits; a foreign MainDevice may not: the drive holds them itself
    bench.command(JointCommand { effort: 1e6, ..JointCommand::default() });
    bench.cycles(2);
    assert!((bench.told.joints[0].effort - 10.0).abs() <= 0.02);
    bench.cycle_with(&[(0x6071, 30_000)]);
    assert!((bench.told.joints[0].effort - 10.0).abs() <= 0.02);
    bench.exchange();
    assert!(bench.readings.joints[0].status.contains(JointStatus::SATURATED));
    bench.command(JointCommand::turn(-100.0, 0.01));
    bench.cycles(2);
    assert!((bench.told.joints[0].velocity + 2.0).abs() < 1e-5);
    bench.cycle_with(&[(0x60ff, -50_000_000)]);
    assert!((bench.told.joints[0].velocity + 2.0).abs() < 1e-5);
}

#[test]
fn a_damped_drive_stands_still_and_one_that_is_off_is_limp() {
    let mut bench = with("");
    bench.command(JointCommand::turn(1.0, 2.0));
    bench.switch_on();
    bench.cycles(500);
    bench.order = Order::Damp;
    bench.cycles(500);
    assert!(bench.truth.joints[0].velocity.abs() < 1e-3);
    assert_eq!(bench.told.joints[0].damping, 2.0);
    assert!(bench.report.following);
    bench.order = Order::Off;
    bench.cycles(2);
    assert_eq!(bench.told.joints[0], JointCommand::default());
    assert_eq!(state(&bench), DriveState::SwitchOnDisabled);
    bench.order = Order::Damp;
    bench.cycles(5);
    assert_eq!(state(&bench), DriveState::SwitchOnDisabled, "damping does not switch on");
}

#[test]
fn a_command_that_is_no_number_damps() {
    let mut bench = with("");
    bench.command(JointCommand::turn(1.0, 2.0));
    bench.switch_on();
    bench.cycles(500);
    bench.command(JointCommand { position: f64::NAN, ..JointCommand::hold(0.0, 9.0, 9.0) });
    bench.cycles(500);
    assert!(bench.told.joints[0].is_finite() && bench.truth.joints[0].velocity.abs() < 1e-3);
}

#[test]
fn a_contact_switch_travels_on_the_drive() {
    let mut bench = with("contact = \"wheel_contact\"");
    bench.truth.contacts[0].touching = true;
    bench.truth.contacts[0].force = 81.5;
    bench.cycles(2);
    assert!(bench.readings.contacts[0].touching);
    assert_eq!(bench.readings.contacts[0].force, 81.5);
    assert_eq!(bench.readings.contacts[0].stamp, robot_io::Time::from_nanoseconds(1_000_000));
}

#[test]
fn halt_and_quick_stop_brake_along_a_ramp() {
    for (word, end) in [
        (control::ENABLE_OPERATION | control::HALT, DriveState::OperationEnabled),
        (control::QUICK_STOP, DriveState::SwitchOnDisabled),
    ] {
        let mut bench = with("quick_stop_deceleration = 10.0");
        bench.command(JointCommand::turn(1.0, 2.0));
        bench.switch_on();
        bench.cycles(800);
        let mut velocities = Vec::new();
        for _ in 0..110 {
            bench.cycle_with(&[(0x6040, word.into())]);
            velocities.push(bench.told.joints[0].velocity);
        }
        assert!((velocities[50] - 0.5).abs() < 0.03, "{}", velocities[50]);
        assert_eq!(*velocities.last().unwrap(), 0.0);
        assert_eq!(state(&bench), end);
        bench.cycles(10);
        assert!(bench.told.joints[0].velocity > 0.9, "and on it goes");
    }
}

#[test]
fn the_way_of_a_snapshot_is_the_way_of_the_original() {
    let mut bench = with("following_window = 0.5");
    bench.command(JointCommand::hold(0.4, 100.0, 6.0));
    bench.switch_on();
    bench.cycles(20);
    let saved = bench.save();
    let (truth, cycle, inputs) = (bench.truth.clone(), bench.cycle, bench.inputs.clone());
    bench.cycles(50);
    let end = bench.save();
    let mut other = with("following_window = 0.5");
    other.restore(&saved);
    (other.truth, other.cycle, other.inputs, other.order) = (truth, cycle, inputs, Order::Follow);
    other.command(JointCommand::hold(0.4, 100.0, 6.0));
    other.cycles(50);
    assert_eq!(other.save(), end);
    assert_eq!(other.truth, bench.truth);
}

#[test]
fn wrong_settings_are_answered_with_field_expected_and_found() {
    let error = |text: &str| parse("cia402", text).err().unwrap();
    assert!(error("joint = \"elbow\"\ncounts = 4").ends_with("found string `\"elbow\"`; there are: hip, knee, wheel"));
    assert!(error(&format!("{HIP}\nstiffness = 3.0")).contains(": stiffness: expected none"));
    assert!(error(&HIP.replace("damp = 2.0", "")).contains(": damp: expected a number"));
    assert!(error(&format!("{HIP}\nmodes = [\"csp\"]\ngains = \"host\"")).contains("expected \"cst\""));
    assert!(error(&format!("{HIP}\nfeed = 0.1")).contains("as the joint turns"));
    assert!(error(&format!("{HIP}\nmax_torque = 41.0")).contains("from 0.000000001 to 40 [N·m], found float `41.0`"));
    assert!(error(&format!("{HIP}\ninputs = [\"0x6041 16\"]")).contains("0x6061"));
    assert!(error(&format!("{HIP}\noutputs = [\"0x6040 8\"]")).contains("expected object"));
    assert!(error(&format!("{HIP}\nnonsense = 1")).contains(": nonsense: expected one of joint, "));
}

/// KickCAT's drives, for one.
const WITHOUT_BIT_12: &str = "follows = \"enabled\"";

#[test]
fn a_drive_that_never_sets_bit_12_moves_if_the_bus_file_says_so() {
    let mut bench = with(WITHOUT_BIT_12);
    bench.command(JointCommand::hold(0.4, 100.0, 6.0));
    bench.switch_on();
    assert_eq!(bench.object(0x6041, 0) & 0x1000, 0, "the emulated drive is as the bus file says");
    bench.cycles(1500);
    assert!((bench.truth.joints[0].position - 0.4).abs() < 1e-5, "{}", bench.truth.joints[0].position);
    assert!(!bench.report.ignores_set_points);
}

#[test]
fn a_drive_that_never_sets_bit_12_unannounced_stands_still_and_is_reported() {
    let mut bench = with(WITHOUT_BIT_12);
    bench.driver = parse("cia402", HIP).unwrap().driver();
    bench.command(JointCommand::hold(0.4, 100.0, 6.0));
    bench.switch_on();
    bench.cycles(500);
    assert!(bench.report.following && bench.report.ignores_set_points);
    assert!(bench.truth.joints[0].position.abs() < 1e-5, "no target moves away from a drive that may start later");
}

#[test]
fn steps_of_30_and_150_increments_move_a_drive_with_its_own_loop_against_friction() {
    let text = HIP.replace("damp = 2.0", "gains = \"drive\"\nstiffness = 120.0\ndamping = 7.0");
    let mut bench = Bench::new("cia402", &text);
    bench.friction = 0.5;
    let increment = std::f64::consts::TAU / 1e6;
    bench.command(JointCommand::hold(0.0, 1.0, 1.0));
    bench.switch_on();
    let mut target = 0.0;
    for step in [30.0, 150.0, -30.0, -150.0, 4000.0, 30.0] {
        target += step * increment;
        bench.command(JointCommand::hold(target, 1.0, 1.0));
        bench.cycles(5_000);
        let left = (bench.truth.joints[0].position - target) / increment;
        assert!(left.abs() <= 5.0, "{left} increments are left of a step of {step}");
    }
}

#[test]
fn a_target_that_jumps_within_the_following_window_is_followed_no_faster_than_the_drive_may_turn() {
    let mut bench = with("following_window = 0.1\nfollowing_time = 0.5");
    bench.command(JointCommand::hold(0.0, 100.0, 6.0));
    bench.switch_on();
    bench.cycles(100);
    let start = bench.object(0x6064, 0);
    // 5 rad/s for 1 ms are 796 increments; 0.1 rad are 15916
    for _ in 0..14 {
        let before = bench.told.joints[0].position;
        bench.cycle_with(&[(0x607a, start + 9_000)]);
        assert_eq!(state(&bench), DriveState::OperationEnabled);
        assert!(bench.told.joints[0].position - before <= 0.005 + 1e-5, "{}", bench.told.joints[0].position);
    }
    assert!((bench.told.joints[0].position - position_of(start + 9_000)).abs() < 1e-5);
    bench.cycle_with(&[(0x607a, start + 40_000)]);
    assert_eq!(state(&bench), DriveState::Fault, "beyond the window it is a fault");
    assert_eq!(bench.object(0x603f, 0) as u16, 0x8611);
}

/// The position of a joint whose drive says so many increments.
fn position_of(increments: i64) -> f64 {
    increments as f64 * std::f64::consts::TAU / 1e6 + 0.2
}
