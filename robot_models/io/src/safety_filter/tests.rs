#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::{DummyRobot, FaultInjector, Period, RobotLayout};

const HIP: usize = 0;
const WHEEL: usize = 2;

struct Bench {
    filter: SafetyFilter<FaultInjector<DummyRobot>>,
    readings: Readings,
    commands: Commands,
}

impl Bench {
    fn new(faults: Vec<crate::Fault>) -> Bench {
        let layout = RobotLayout::example();
        let robot = FaultInjector::new(DummyRobot::new(layout.clone()), faults, 1).unwrap();
        let mut filter = SafetyFilter::new(robot, SafetyLimits::default());
        filter.bring_up().unwrap();
        Bench { filter, readings: Readings::new(&layout), commands: Commands::new(&layout) }
    }

    /// One cycle with a controller that answers; returns what was passed on to `joint`.
    fn cycle(&mut self, joint: usize, command: JointCommand) -> JointCommand {
        self.filter.read(&mut self.readings).unwrap();
        self.commands.answer(&self.readings);
        self.commands.joints[joint] = command;
        self.filter.write(&self.commands).unwrap();
        self.filter.passed().joints[joint]
    }

    fn events(&mut self) -> Vec<String> {
        let mut events = Events::new();
        self.filter.drain_events(&mut events);
        let names = ["hip", "knee", "wheel"];
        events.iter().map(|event| event.describe(|joint| names.get(joint).copied())).collect()
    }
}

#[test]
fn a_position_outside_the_range_arrives_at_the_limit_and_no_faster_than_the_joint_can() {
    let mut bench = Bench::new(Vec::new());
    let step = 5.0 * 0.001 * 1.5;
    assert_eq!(bench.cycle(HIP, JointCommand::hold(3.0, 100.0, 1.0)).position, step);
    for _ in 0..500 {
        bench.cycle(HIP, JointCommand::hold(3.0, 100.0, 1.0));
    }
    assert_eq!(bench.filter.passed().joints[HIP].position, 1.0);
    let events = bench.events();
    assert_eq!(events[0], "safety_filter hip: position set-point clamped [rad] 3.0000, limit 1.0000");
    assert!(events[1].contains("jump of the position set-point limited"), "{events:?}");
    assert_eq!(events.len(), 2, "half a second of the same is reported once: {events:?}");
}

#[test]
fn velocity_and_effort_are_clamped_to_the_layout() {
    let mut bench = Bench::new(Vec::new());
    let wild = JointCommand { velocity: -80.0, effort: 1e6, damping: 1.0, ..JointCommand::default() };
    let passed = bench.cycle(WHEEL, wild);
    assert_eq!((passed.velocity, passed.effort), (-5.0, 40.0));
    assert_eq!(bench.filter.interventions().len(), 2);
}

/// Found by the conformance suite: only position set-points knew of the range, and a velocity ran a joint through its end.
#[test]
fn a_joint_under_velocity_control_stops_at_the_end_of_its_range() {
    let mut bench = Bench::new(Vec::new());
    for _ in 0..2_000 {
        bench.cycle(HIP, JointCommand::turn(5.0, 1.0));
    }
    let reached = bench.readings.joints[HIP].position;
    assert!((0.99..=1.0).contains(&reached), "{reached}");
    assert_eq!(bench.cycle(HIP, JointCommand::turn(-5.0, 1.0)).velocity, -5.0, "the way back is free");
}

#[test]
fn a_command_that_is_no_number_is_replaced_by_the_last_good_one() {
    let mut bench = Bench::new(Vec::new());
    bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0));
    let passed = bench.cycle(WHEEL, JointCommand::turn(f64::NAN, 1.0));
    assert_eq!(passed.velocity, 2.0);
    let negative = bench.cycle(WHEEL, JointCommand::turn(3.0, -1.0));
    assert_eq!(negative.velocity, 2.0);
    assert!(bench.events()[0].contains("wheel: command refused"));
}

#[test]
fn a_controller_that_falls_silent_stops_the_robot_and_the_stop_is_latched() {
    let mut bench = Bench::new(Vec::new());
    bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0));
    for _ in 0..6 {
        bench.filter.read(&mut bench.readings).unwrap();
    }
    assert_eq!(bench.filter.stop_cause(), Some(StopCause::Watchdog));
    let passed = bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0));
    assert_eq!((passed.velocity, passed.damping), (0.0, 1.0), "held with the last gains");
    assert!(bench.events()[0].contains("age of its commands and limit [cycles] 6.0000, limit 5.0000"));
    bench.filter.clear_stop();
    assert_eq!(bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0)).velocity, 2.0);
}

#[test]
fn commands_computed_from_old_readings_trip_the_watchdog_too() {
    let mut bench = Bench::new(Vec::new());
    for _ in 0..10 {
        bench.filter.read(&mut bench.readings).unwrap();
        bench.filter.write(&bench.commands).unwrap();
    }
    assert_eq!(bench.filter.stop_cause(), Some(StopCause::Watchdog));
}

#[test]
fn readings_that_stop_hold_the_joint_first_and_stop_the_robot_later() {
    let kind = crate::FaultKind::DroppedReading { joint: "hip".to_owned(), probability: 1.0 };
    let from = Time::ZERO + Period::from_milliseconds(10);
    let mut bench = Bench::new(vec![crate::Fault { from, until: None, kind }]);
    let mut stopped_after = None;
    for cycle in 0..300 {
        bench.cycle(HIP, JointCommand::hold(0.001 * f64::from(cycle), 100.0, 1.0));
        if bench.filter.stop_cause().is_some() && stopped_after.is_none() {
            stopped_after = Some(cycle);
        }
    }
    assert_eq!(stopped_after, Some(210), "last fresh reading in cycle 9, limit 200 ms");
    assert_eq!(bench.filter.stop_cause(), Some(StopCause::StaleJoint(HIP)));
    assert!(bench.events().iter().any(|line| line.contains("hip: no fresh reading, joint held")));
}

#[test]
fn an_emergency_stop_acts_in_the_same_cycle() {
    let mut bench = Bench::new(Vec::new());
    bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0));
    bench.filter.read(&mut bench.readings).unwrap();
    bench.commands.answer(&bench.readings);
    bench.commands.emergency_stop = true;
    bench.filter.write(&bench.commands).unwrap();
    assert_eq!(bench.filter.passed().joints[WHEEL].velocity, 0.0);
    assert_eq!(bench.filter.stop_cause(), Some(StopCause::Controller));
}

#[test]
fn its_state_survives_a_snapshot() {
    let mut bench = Bench::new(Vec::new());
    bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0));
    bench.filter.emergency_stop(StopCause::StaleJoint(1));
    let saved = crate::StateWriter::save(&mut bench.filter);
    let mut other = Bench::new(Vec::new());
    crate::StateReader::restore(&mut other.filter, &saved).unwrap();
    assert_eq!(other.filter.stop_cause(), Some(StopCause::StaleJoint(1)));
    assert_eq!(other.filter.passed(), bench.filter.passed());
}

/// A cycle in which the operator presses the way back.
fn clear(bench: &mut Bench) {
    bench.readings.operator.request = Some(OperatorRequest::ClearEmergencyStop);
    bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0));
    bench.readings.operator.request = None;
}

#[test]
fn a_robot_that_fails_is_stopped_and_the_operator_switches_it_on_again() {
    let mut bench = Bench::new(Vec::new());
    bench.cycle(HIP, JointCommand::hold(0.001, 100.0, 1.0));
    bench.filter.inner_mut().inner_mut().fail();
    bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0));
    assert_eq!(bench.filter.stop_cause(), Some(StopCause::Robot));
    bench.filter.inner_mut().inner_mut().transition(Lifecycle::Inactive).unwrap();
    bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0));
    assert_eq!(bench.filter.stop_cause(), Some(StopCause::Robot), "latched: not over with the fault");
    clear(&mut bench);
    assert_eq!((bench.filter.stop_cause(), bench.filter.lifecycle()), (None, Lifecycle::Active));
    assert_eq!(bench.cycle(WHEEL, JointCommand::turn(2.0, 1.0)).velocity, 2.0);
    let events = bench.events();
    assert_eq!(
        events[0],
        "safety_filter emergency stop, the robot is in fault and says why; clear the stop when that is mended"
    );
    assert_eq!(events[1], "safety_filter emergency stop cleared");
}

#[test]
fn a_stop_of_another_cause_ends_on_a_robot_that_has_failed_since() {
    let mut bench = Bench::new(Vec::new());
    bench.filter.emergency_stop(StopCause::Controller);
    bench.filter.inner_mut().inner_mut().fail();
    bench.cycle(HIP, JointCommand::default());
    assert_eq!(bench.filter.stop_cause(), Some(StopCause::Controller), "the first cause is kept");
    clear(&mut bench);
    assert_eq!((bench.filter.stop_cause(), bench.filter.lifecycle()), (None, Lifecycle::Active));
}

/// A robot whose fault does not go away.
#[derive(Clone, Debug)]
struct Broken(DummyRobot);

impl RobotIo for Broken {
    delegate_robot_io!(0: layout, lifecycle, read, write, drain_events);

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        if self.0.lifecycle() == Lifecycle::Fault {
            return Err(IoError::Device("board 'hip': over-temperature, 91 °C".to_owned()));
        }
        self.0.transition(to)
    }
}

#[test]
fn a_fault_that_stays_keeps_the_stop_and_the_operator_is_told_why() {
    let layout = RobotLayout::example();
    let mut filter = SafetyFilter::new(Broken(DummyRobot::new(layout.clone())), SafetyLimits::default());
    filter.bring_up().unwrap();
    filter.inner_mut().0.fail();
    let mut readings = Readings::new(&layout);
    readings.operator.request = Some(OperatorRequest::ClearEmergencyStop);
    filter.read(&mut readings).unwrap();
    assert_eq!(filter.stop_cause(), Some(StopCause::Robot));
    let mut events = Events::new();
    filter.drain_events(&mut events);
    assert_eq!(events[1].what, "emergency stop not cleared: board 'hip': over-temperature, 91 °C");
    assert_eq!(events[1].severity, Severity::Error);
}

/// Set-points were limited from where the last command had been, not from where the joint was: a joint that had been moved
/// while the drives were off jumped back when they came on.
#[test]
fn a_joint_that_moved_while_the_drives_were_off_does_not_jump_when_they_come_on() {
    let mut bench = Bench::new(Vec::new());
    let pose = JointCommand::hold(0.5, 100.0, 1.0);
    for _ in 0..200 {
        bench.cycle(HIP, pose);
    }
    bench.filter.transition(Lifecycle::Inactive).unwrap();
    bench.filter.positions[HIP] = -0.5;
    bench.filter.transition(Lifecycle::Active).unwrap();
    assert_eq!(bench.filter.passed().joints[HIP].position, -0.5);
}

#[test]
fn every_cause_survives_a_snapshot() {
    let causes = [StopCause::Operator, StopCause::Controller, StopCause::Watchdog, StopCause::Robot];
    for cause in causes.into_iter().chain((0..60).map(StopCause::StaleJoint)) {
        let saved = crate::StateWriter::save(&mut cause.clone());
        let mut restored = StopCause::default();
        crate::StateReader::restore(&mut restored, &saved).unwrap();
        assert_eq!(restored, cause);
    }
}
