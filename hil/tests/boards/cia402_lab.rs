//! What a laboratory needs of a drive: homing, brakes, option codes, safe torque off.

use hil::board::cia402::{DriveState, control};
use hil::board::{Homing, Order};
use hil::virtual_bus::BoardFault;
use proptest::prelude::*;
use robot_io::{JointCommand, JointStatus};

use crate::bench::{Bench, parse};
use crate::cia402::{HIP, state};

const OWN_GAINS: &str = "gains = \"drive\"\nstiffness = 100.0\ndamping = 6.0\nmodes = [\"csp\"]";

fn with(text: &str) -> Bench {
    let base = HIP.replace("damp = 2.0\noffset = 0.2", "");
    Bench::new("cia402", &format!("{base}\n{text}"))
}

/// Looks for the zero until the drive has an answer; how many cycles that took.
fn home(bench: &mut Bench) -> usize {
    bench.order = Order::Home;
    let taken = (1..60_000).find(|_| {
        bench.cycle();
        bench.report.homing != Homing::Needed
    });
    taken.expect("an answer")
}

/// A drive that homes at −0.3 rad and stands elsewhere.
fn unreferenced(homing: &str, at: f64) -> Bench {
    let mut bench = with(&format!("{OWN_GAINS}\noffset = -0.3\nhoming = {{ {homing} }}"));
    bench.truth.joints[0].position = at;
    bench.firmware.power_on(&mut bench.objects);
    for download in bench.driver.start_up() {
        let slot = bench.objects.slot(download.index, download.sub).unwrap();
        bench.objects.bytes_mut(slot).copy_from_slice(&download.value);
    }
    bench.measure();
    bench
}

#[test]
fn homing_finds_the_switch_from_either_side() {
    for (method, at) in [(17, 0.4), (17, -0.35), (18, -0.6), (18, -0.2)] {
        let mut bench = unreferenced(&format!("method = {method}, search_speed = 0.5, zero_speed = 0.05"), at);
        bench.exchange();
        let believed = bench.readings.joints[0].position;
        assert!((believed + 0.3).abs() < 1e-6, "it says that it is at home wherever it is: {believed}");
        assert_eq!(bench.report.homing, Homing::Needed);
        home(&mut bench);
        assert_eq!(bench.report.homing, Homing::Done, "method {method} from {at}");
        bench.order = Order::Follow;
        bench.command(JointCommand::hold(0.1, 100.0, 6.0));
        bench.cycles(3000);
        let (truth, said) = (bench.truth.joints[0].position, bench.readings.joints[0].position);
        assert!((truth - said).abs() < 1e-3, "method {method} from {at}: it is at {truth} and says {said}");
        assert!((truth - 0.1).abs() < 2e-3, "and goes where it is told: {truth}");
    }
}

#[test]
fn homing_at_the_present_position_does_not_move() {
    let mut bench = unreferenced("method = 37", -0.3);
    assert!(home(&mut bench) < 20);
    assert_eq!((bench.report.homing, bench.truth.joints[0].position), (Homing::Done, -0.3));
}

#[test]
fn homing_by_a_method_that_the_drive_has_not_fails() {
    let mut bench = unreferenced("method = 1", 0.0);
    home(&mut bench);
    assert_eq!(bench.report.homing, Homing::Failed);
    bench.order = Order::Off;
    bench.cycles(2);
    assert_eq!(bench.report.homing, Homing::Needed, "the next start tries again");
}

#[test]
fn homing_is_forgotten_without_power_and_not_with_a_stop() {
    let mut bench = unreferenced("method = 37", -0.3);
    home(&mut bench);
    bench.order = Order::Off;
    bench.cycles(20);
    assert_eq!(bench.report.homing, Homing::Done);
    bench.driver.restarted();
    bench.cycle();
    assert_eq!(bench.report.homing, Homing::Needed);
}

#[test]
fn homing_needs_a_mode_that_can_be_changed() {
    let fixed = format!(
        "{HIP}\nmodes = [\"csp\"]\nhoming = {{ method = 37 }}\noutputs = [\"0x6040 16\", \"0x607a 32\"]\ngains = \"host\""
    );
    let message =
        parse("cia402", &fixed.replace("gains = \"host\"", "gains = \"drive\"\nstiffness = 1.0\ndamping = 1.0"))
            .unwrap_err();
    assert!(message.contains("0x6060"), "{message}");
    let message = parse("cia402", &format!("{HIP}\nhoming = {{ methd = 37 }}")).unwrap_err();
    assert!(
        message.ends_with("homing.method: expected the number of a homing method, found nothing; near it: 'methd'"),
        "{message}"
    );
}

/// How far a joint with a load of 5 N·m drops within a second after the drive was switched off.
fn drop_of(brake: &str) -> f64 {
    let mut bench = with(&format!("{OWN_GAINS}\n{brake}"));
    bench.load = 5.0;
    bench.command(JointCommand::hold(0.0, 100.0, 6.0));
    bench.switch_on();
    bench.cycles(500);
    let held = bench.truth.joints[0].position;
    assert!(held.abs() < 0.06, "the drive holds it: {held}");
    bench.order = Order::Off;
    bench.cycles(1000);
    assert!(!bench.report.following);
    (bench.truth.joints[0].position - held).abs()
}

#[test]
fn a_joint_with_a_brake_does_not_drop_when_switched_off() {
    assert!(drop_of("") > 1.0, "without a brake it does");
    for by in ["drive", "bridge"] {
        let brake = format!("brake = {{ torque = 12.0, engage = 0.08, release = 0.06, by = \"{by}\" }}");
        let drop = drop_of(&brake);
        assert!(drop < 5e-3, "by the {by}: it drops by {drop} rad");
    }
    assert!(drop_of("brake = { torque = 3.0 }") > 0.1, "a weak brake slips");
}

#[test]
fn a_brake_is_open_before_the_joint_is_said_to_follow() {
    for by in ["drive", "bridge"] {
        let brake = format!("brake = {{ torque = 12.0, engage = 0.05, release = 0.2, by = \"{by}\" }}");
        let mut bench = with(&format!("{OWN_GAINS}\n{brake}"));
        bench.load = 5.0;
        bench.cycles(300);
        assert!(bench.truth.joints[0].position.abs() < 5e-3, "closed without current");
        let taken = bench.switch_on_within(1000);
        assert!(taken >= 200, "by the {by}: it followed after {taken} ms, its brake opens in 200");
        assert!(bench.truth.joints[0].position.abs() < 5e-3);
    }
}

#[test]
fn a_brake_closes_when_the_bus_is_lost() {
    for by in ["drive", "bridge"] {
        let mut bench = with(&format!("{OWN_GAINS}\nbrake = {{ torque = 12.0, by = \"{by}\" }}"));
        bench.load = 5.0;
        bench.command(JointCommand::hold(0.0, 100.0, 6.0));
        bench.switch_on_within(1000);
        bench.cycles(300);
        let held = bench.truth.joints[0].position;
        bench.operational = false;
        bench.cycles(1000);
        let fell = bench.truth.joints[0].position - held;
        // a brake of the bridge's is told by the lost outputs, and the drive holds nothing meanwhile: ½·50·0.05²
        assert!(fell < if by == "drive" { 5e-3 } else { 0.15 }, "by the {by}: {fell} rad");
    }
}

#[test]
fn a_brake_of_the_bridge_is_set_before_it_is_taken_over() {
    let bench = with(&format!("{OWN_GAINS}\nbrake = {{ torque = 5.0, by = \"bridge\" }}"));
    let written: Vec<(u16, u8)> = bench.driver.start_up().iter().map(|object| (object.index, object.sub)).collect();
    let at = |sub| written.iter().position(|object| *object == (0x60fe, sub)).unwrap();
    assert!(at(1) < at(2), "the other way round it would open: {written:x?}");
}

#[test]
fn a_drive_leaves_operation_along_the_ramp_that_its_option_says() {
    for (text, word, end) in [
        ("shutdown = \"slow_ramp\"", control::SHUTDOWN, DriveState::ReadyToSwitchOn),
        ("disable_operation = \"slow_ramp\"", control::SWITCH_ON, DriveState::SwitchedOn),
    ] {
        let mut bench = Bench::new("cia402", &format!("{HIP}\n{text}\nslow_down_deceleration = 2.0"));
        bench.command(JointCommand::turn(1.0, 5.0));
        bench.switch_on();
        bench.cycles(500);
        let told = |bench: &Bench| bench.told.joints[0].velocity;
        for _ in 0..250 {
            bench.cycle_with(&[(0x6040, word.into())]);
        }
        assert_eq!(state(&bench), DriveState::OperationEnabled, "{text}: it brakes first");
        assert!((told(&bench) - 0.5).abs() < 0.02, "{text}: 2 rad/s² for a quarter of a second: {}", told(&bench));
        for _ in 0..300 {
            bench.cycle_with(&[(0x6040, word.into())]);
        }
        assert_eq!(state(&bench), end, "{text}");
        // as near to rest as its damping follows the ramp: 2 rad/s² · 0.1 kg·m² / 2 N·m·s
        assert!(bench.truth.joints[0].velocity.abs() < 0.15, "{}", bench.truth.joints[0].velocity);
    }
}

#[test]
fn the_bridge_switches_off_along_a_ramp_if_the_drive_has_one() {
    for text in ["shutdown = \"slow_ramp\"", "disable_operation = \"slow_ramp\""] {
        let mut bench = Bench::new("cia402", &format!("{HIP}\n{text}\nslow_down_deceleration = 2.0"));
        bench.command(JointCommand::turn(1.0, 5.0));
        bench.switch_on();
        bench.cycles(500);
        bench.order = Order::Off;
        bench.cycles(200);
        assert!(bench.truth.joints[0].velocity > 0.4, "it brakes, and does not stop dead");
        bench.cycles(400);
        assert!(!bench.report.following && bench.truth.joints[0].velocity.abs() < 0.15, "{text}");
        assert_eq!(state(&bench), DriveState::SwitchOnDisabled);
    }
    let mut bench = Bench::new("cia402", HIP);
    bench.command(JointCommand::turn(1.0, 5.0));
    bench.switch_on();
    bench.cycles(500);
    bench.order = Order::Off;
    bench.cycles(5);
    assert_eq!(state(&bench), DriveState::SwitchOnDisabled, "without one at once");
}

#[test]
fn a_halt_and_a_fault_brake_by_the_ramp_that_is_chosen() {
    for (halt, left) in [("slow_ramp", 0.5), ("ramp", 0.0)] {
        let text = format!("{HIP}\nhalt = \"{halt}\"\nslow_down_deceleration = 2.0\nquick_stop_deceleration = 20.0");
        let mut bench = Bench::new("cia402", &text);
        bench.command(JointCommand::turn(1.0, 5.0));
        bench.switch_on();
        bench.cycles(500);
        for _ in 0..250 {
            bench.cycle_with(&[(0x6040, (control::ENABLE_OPERATION | control::HALT).into())]);
        }
        assert!((bench.told.joints[0].velocity - left).abs() < 0.02, "{halt}: {}", bench.told.joints[0].velocity);
    }
    let text = format!("{HIP}\nfault_reaction = \"slow_ramp\"\nslow_down_deceleration = 2.0");
    let mut bench = Bench::new("cia402", &text);
    bench.command(JointCommand::turn(1.0, 5.0));
    bench.switch_on();
    bench.cycles(500);
    bench.firmware.set_fault(Some(BoardFault::DriveFault { code: 0x3210 }));
    bench.cycles(250);
    assert_eq!(state(&bench), DriveState::FaultReaction);
    assert!((bench.told.joints[0].velocity - 0.5).abs() < 0.02);
}

#[test]
fn only_the_option_codes_that_the_bus_file_names_are_written() {
    let written = |text: &str| -> Vec<u16> {
        let board = parse("cia402", &format!("{HIP}\n{text}")).unwrap();
        board.driver().start_up().iter().map(|object| object.index).collect()
    };
    let usual = written("");
    assert!([0x605b, 0x605c, 0x605d, 0x6084].iter().all(|index| !usual.contains(index)));
    let all = written("shutdown = \"off\"\ndisable_operation = \"off\"\nhalt = \"ramp\"\nslow_down_deceleration = 3.0");
    assert!([0x605b, 0x605c, 0x605d, 0x6084].iter().all(|index| all.contains(index)));
}

#[test]
fn an_open_sto_is_said_as_such_and_is_no_fault() {
    for sto in ["bit = 3, open = 1", "bit = 3, open = 0", "object = \"0x6041\", bit = 14, open = 1"] {
        let mut bench = Bench::new("cia402", &format!("{HIP}\nsto = {{ {sto} }}"));
        bench.command(JointCommand::hold(0.1, 100.0, 6.0));
        bench.switch_on();
        bench.cycles(300);
        assert!(!bench.report.sto_open, "{sto}");
        bench.firmware.set_fault(Some(BoardFault::StoOpen));
        bench.cycles(3);
        assert!(bench.report.sto_open && bench.report.fault.is_none() && !bench.report.following, "{sto}");
        assert_eq!(bench.told.joints[0], JointCommand::default(), "no torque");
        bench.cycles(200);
        assert_eq!(state(&bench), DriveState::SwitchOnDisabled, "it cannot be switched on meanwhile");
        assert!(!bench.readings.joints[0].status.contains(JointStatus::ENABLED));
        bench.firmware.set_fault(None);
        bench.cycles(3);
        assert!(!bench.report.sto_open);
        bench.switch_on();
    }
    let message = parse("cia402", &format!("{HIP}\nsto = {{ bit = 40, open = 0 }}")).unwrap_err();
    assert!(message.contains(": sto.bit: expected"), "{message}");
    let message = parse("cia402", &format!("{HIP}\nsto = {{ object = \"0x6041\", bit = 16, open = 0 }}")).unwrap_err();
    assert!(message.contains(": sto.bit: expected less than 16"), "{message}");
}

#[test]
fn what_a_drive_in_a_laboratory_remembers_is_its_state() {
    let text = "offset = -0.3\nhoming = { method = 17 }\nbrake = { torque = 12.0, by = \"bridge\" }\nsto = { bit = 3, open = 0 }";
    let mut first = with(&format!("{OWN_GAINS}\n{text}"));
    first.load = 1.0;
    first.order = Order::Home;
    first.cycles(700);
    let saved = first.save();
    let mut second = with(&format!("{OWN_GAINS}\n{text}"));
    second.restore(&saved);
    (second.truth, second.cycle, second.order) = (first.truth.clone(), first.cycle, first.order);
    (second.inputs, second.outputs, second.load) = (first.inputs.clone(), first.outputs.clone(), first.load);
    second.told = first.told.clone();
    for _ in 0..500 {
        first.cycle();
        second.cycle();
    }
    assert_eq!(first.save(), second.save());
    assert_eq!(first.truth.joints[0].position.to_bits(), second.truth.joints[0].position.to_bits());
}

proptest! {
    /// Whatever is written to a drive that homes and has a brake, no command breaks a limit or is not a number.
    #[test]
    fn any_outputs_in_homing_give_finite_commands(words in proptest::collection::vec((any::<u16>(), any::<i32>()), 1..60)) {
        let text = "offset = -0.3\nhoming = { method = 17 }\nbrake = { torque = 12.0 }";
        let mut bench = with(&format!("{OWN_GAINS}\n{text}"));
        for (word, target) in words {
            bench.cycle_with(&[(0x6040, word.into()), (0x6060, 6), (0x607a, target.into())]);
            prop_assert!(bench.told.joints[0].is_finite());
        }
    }
}
