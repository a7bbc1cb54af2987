//! What a board does when its master is gone: hold, damp or no torque, as the bus file says.

use hil::board::Order;
use hil::board::cia402::DriveState;
use hil::virtual_bus::BoardFault;
use robot_io::JointCommand;

use crate::bench::{Bench, parse};
use crate::cia402::{HIP, state};

/// A drive that has run to 0.1 rad and is turning on from there.
fn running(text: &str) -> Bench {
    let mut bench = Bench::new("cia402", &format!("{HIP}\n{text}"));
    bench.command(JointCommand::hold(0.1, 100.0, 6.0));
    bench.switch_on();
    bench.cycles(500);
    bench
}

/// The outputs stay away for so many milliseconds.
fn left_alone(bench: &mut Bench, cycles: usize) {
    bench.operational = false;
    bench.firmware.react(&mut bench.objects, false);
    bench.cycles(cycles);
}

#[test]
fn a_drive_holds_without_its_master_and_is_taken_over_without_a_gap() {
    let mut bench = running("bus_loss = \"hold\"");
    assert_eq!((bench.object(0x6007, 0), bench.object(0x605a, 0)), (3, 6));
    left_alone(&mut bench, 1_000);
    assert_eq!(state(&bench), DriveState::QuickStopActive);
    let held = bench.told.joints[0];
    assert_eq!((held.stiffness, held.damping, held.velocity), (100.0, 6.0, 0.0));
    assert!((held.position - 0.1).abs() < 1e-4, "{held:?}");
    // somebody leans on it: it gives way as a spring does, and comes back
    bench.truth.joints[0].position = 0.15;
    bench.cycles(500);
    assert!((bench.truth.joints[0].position - 0.1).abs() < 1e-3);
    // the master is back
    bench.operational = true;
    bench.order = Order::Hold;
    for _ in 0..20 {
        bench.cycle();
        assert_eq!(bench.told.joints[0].stiffness, 100.0, "{}", state(&bench));
    }
    assert_eq!(state(&bench), DriveState::OperationEnabled);
    assert!((bench.truth.joints[0].position - 0.1).abs() < 1e-3);
}

#[test]
fn a_drive_that_turns_brakes_first_and_does_not_turn_again_by_itself() {
    let mut bench = running("bus_loss = \"hold\"\nquick_stop_deceleration = 10.0");
    bench.command(JointCommand::turn(1.0, 6.0));
    bench.cycles(300);
    let begin = bench.truth.joints[0].position;
    left_alone(&mut bench, 30);
    assert!(bench.told.joints[0].velocity > 0.5, "along a ramp: {:?}", bench.told.joints[0]);
    bench.cycles(300);
    let joint = bench.truth.joints[0];
    assert!(joint.velocity.abs() < 1e-3 && (joint.position - begin - 0.05).abs() < 0.03, "{joint:?} from {begin}");
    // back, and the first outputs are those of before
    bench.operational = true;
    bench.firmware.react(&mut bench.objects, true);
    bench.pass();
    assert_eq!(bench.told.joints[0].velocity, 0.0);
}

#[test]
fn a_drive_damps_or_lets_go_if_it_is_set_to() {
    let mut bench = running("bus_loss = \"damp\"");
    left_alone(&mut bench, 500);
    let damped = bench.told.joints[0];
    assert_eq!((state(&bench), damped.stiffness), (DriveState::QuickStopActive, 0.0));
    assert!(damped.damping > 0.0 && damped.velocity == 0.0, "{damped:?}");
    let mut bench = running("bus_loss = \"disable\"");
    left_alone(&mut bench, 500);
    assert_eq!((state(&bench), bench.told.joints[0]), (DriveState::SwitchOnDisabled, JointCommand::default()));
    // an order to hold switches nothing on
    bench.operational = true;
    bench.order = Order::Hold;
    bench.cycles(50);
    assert_eq!(state(&bench), DriveState::SwitchOnDisabled);
}

#[test]
fn a_drive_that_holds_alone_still_trips_on_its_own_faults() {
    let mut bench = running("bus_loss = \"hold\"");
    left_alone(&mut bench, 100);
    bench.firmware.set_fault(Some(BoardFault::DriveFault { code: 0x2310 }));
    bench.cycles(10);
    assert_eq!((state(&bench), bench.told.joints[0]), (DriveState::Fault, JointCommand::default()));
}

#[test]
fn a_walkman_board_holds_damps_or_lets_go() {
    for (word, stiffness, damping) in [("hold", 100.0, 6.0), ("damp", 0.0, 2.0), ("disable", 0.0, 0.0)] {
        let text = format!("joint = \"knee\"\ncounts = 100000\ndamp = 2.0\nbus_loss = \"{word}\"");
        let mut bench = Bench::new("walkman_joint", &text);
        bench.command(JointCommand::hold(0.1, 100.0, 6.0));
        bench.switch_on();
        bench.cycles(500);
        left_alone(&mut bench, 200);
        let told = bench.told.joints[1];
        assert_eq!((told.stiffness, told.damping), (stiffness, damping), "{word}");
        bench.operational = true;
        bench.order = Order::Hold;
        bench.cycles(10);
        assert_eq!(bench.told.joints[1].stiffness, if word == "disable" { 0.0 } else { 100.0 }, "{word}");
    }
}

#[test]
fn what_a_drive_cannot_do_alone_is_refused_by_name() {
    let refused = |text: &str| parse("cia402", &format!("{HIP}\n{text}")).unwrap_err();
    let message = refused("bus_loss = \"hold\"\nquick_stop = \"ramp\"");
    assert_eq!(
        message,
        "bus.toml:8: quick_stop: expected \"hold\", as bus_loss = \"hold\" is a quick stop that ends so, found \"ramp\""
    );
    assert!(refused("bus_loss = \"damp\"\nextensions = false\ngains = \"drive\"\nstiffness = 1.0\ndamping = 1.0\nmodes = [\"csp\"]").contains("extensions = false"));
    assert!(refused("bus_loss = \"fly\"").contains("hold"));
}
