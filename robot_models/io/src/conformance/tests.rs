#![allow(clippy::unwrap_used, reason = "tests")]

use core::cell::Cell;
use std::rc::Rc;

use super::*;
use crate::{
    CameraLayout, Commands, DummyClock, DummyRobot, Image, Intrinsics, LaserLayout, LaserScan, Lifecycle, Readings,
    RobotLayout, SafetyFilter, SafetyLimits, ScanGeometry, Sealed, delegate_robot_io,
};

fn hold() -> Vec<JointCommand> {
    vec![JointCommand::hold(0.0, 100.0, 1.0), JointCommand::hold(0.0, 100.0, 1.0), JointCommand::turn(0.0, 1.0)]
}

/// What can be wrong with a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nothing,
    Sign,
    Degrees,
    StampsAhead,
    CountsReads,
    EagerWhileInactive,
    DeafToStop,
    NumberMissing,
    ForgetsRefusal,
    ShowsScansAgain,
    ScansOfTheFuture,
    HalfAPicture,
}

/// A dummy with something wrong.
struct Spoiled {
    inner: DummyRobot,
    wrong: Wrong,
    reads: u64,
    scan: Option<Sealed<LaserScan>>,
    fault: Rc<Cell<bool>>,
}

impl Spoiled {
    fn scale(&self) -> f64 {
        match self.wrong {
            Wrong::Sign => -1.0,
            Wrong::Degrees => 1.0_f64.to_degrees(),
            _ => 1.0,
        }
    }
}

impl RobotIo for Spoiled {
    delegate_robot_io!(inner: layout, lifecycle);

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        match self.inner.transition(to) {
            Err(_) if self.wrong == Wrong::ForgetsRefusal => Ok(()),
            answer => answer,
        }
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        if self.fault.take() {
            self.inner.fail();
        }
        self.inner.read(readings)?;
        self.reads += 1;
        let scale = self.scale();
        readings.joints.iter_mut().for_each(|joint| {
            joint.position *= scale;
            joint.velocity *= scale;
        });
        match self.wrong {
            Wrong::StampsAhead => readings.joints[1].stamp = readings.time + readings_period(),
            Wrong::CountsReads => readings.cycle = self.reads,
            Wrong::NumberMissing => readings.joints[2].effort = f64::NAN,
            Wrong::ShowsScansAgain => {
                self.scan = readings.scans[0].take().or(self.scan.take());
                readings.scans[0].clone_from(&self.scan);
            }
            Wrong::ScansOfTheFuture => {
                readings.scans[0] =
                    readings.scans[0].take().map(|scan| Sealed::new(LaserScan { stamp: readings.time, ..scan.open() }))
            }
            Wrong::HalfAPicture => {
                readings.images[0] =
                    readings.images[0].take().map(|image| Sealed::new(Image { rgb: vec![0; 10], ..image.open() }))
            }
            _ => {}
        }
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        let mut commands = commands.clone();
        if self.wrong == Wrong::DeafToStop {
            commands.emergency_stop = false;
        }
        let state = self.inner.lifecycle();
        if self.wrong == Wrong::EagerWhileInactive && state == Lifecycle::Inactive {
            self.inner.transition(Lifecycle::Active)?;
        }
        self.inner.write(&commands)
    }
}

fn readings_period() -> crate::Period {
    RobotLayout::example().period
}

/// The example with a laser, a camera and a depth camera.
fn seeing_layout() -> RobotLayout {
    let geometry = ScanGeometry { angle_step: 0.01, beams: 270, steps_per_turn: 360, ..ScanGeometry::default() };
    let (name, frame) = ("laser".to_owned(), "base".to_owned());
    let camera = CameraLayout {
        name: "camera".to_owned(),
        frame: frame.clone(),
        intrinsics: Intrinsics::with_field_of_view(4, 3, 1.0),
        row_period: crate::Period::from_microseconds(900),
        rate_hz: 30.0,
    };
    RobotLayout {
        lasers: vec![LaserLayout { name, frame, geometry }],
        cameras: vec![camera.clone()],
        depth_cameras: vec![camera],
        ..RobotLayout::example()
    }
}

fn subject(wrong: Wrong) -> Subject<'static> {
    let plug = move || {
        let (inner, clock) = DummyRobot::with_clock(seeing_layout());
        let fault = Rc::new(Cell::new(false));
        let robot = Spoiled { inner, wrong, reads: 0, scan: None, fault: Rc::clone(&fault) };
        Ok(Plugged::new(robot, clock).failing_by(move || fault.set(true)))
    };
    let mut subject = Subject::new("a dummy", hold(), plug);
    subject.probes = vec![
        Probe { joint: 0, step: 0.2, effort: 0.0, cycles: 60, tolerance: 0.01 },
        Probe { joint: 2, step: 2.0, effort: 0.0, cycles: 60, tolerance: 0.01 },
    ];
    subject.abilities.measures_effort = false;
    subject.can_fail = true;
    subject
}

fn examined(wrong: Wrong) -> Report {
    check(&mut subject(wrong))
}

#[test]
fn the_dummy_is_sound_alone_and_behind_a_safety_filter() {
    let report = examined(Wrong::Nothing);
    assert!(report.is_sound(), "{report}");
    let mut filtered = subject(Wrong::Nothing);
    let mut plug = filtered.plug;
    filtered.plug = Box::new(move || {
        let Plugged { robot, clock, fail } = plug()?;
        Ok(Plugged { robot: Box::new(SafetyFilter::new(robot, SafetyLimits::default())), clock, fail })
    });
    let report = check(&mut filtered);
    assert!(report.is_sound(), "{report}");
}

#[test]
fn what_was_not_examined_is_listed_with_its_reason() {
    let report = examined(Wrong::Nothing);
    let skipped: Vec<&str> = report.skipped.iter().map(|skipped| skipped.why).collect();
    assert_eq!(skipped, ["there is no such robot without sensors", "it measures no effort"]);
    assert!(report.to_string().contains("skipped, it measures no effort"), "{report}");
}

/// Each mistake is found by the check that is there for it.
#[test]
fn a_robot_that_is_wrong_is_found_out() {
    let mistakes = [
        (Wrong::Sign, "a joint goes where it is told", "the wrong way"),
        (Wrong::Degrees, "a joint goes where it is told", "57.2958 of it"),
        (Wrong::StampsAhead, "stamps grow", "from the future"),
        (Wrong::CountsReads, "a second read in a cycle", "their cycle or time"),
        (Wrong::EagerWhileInactive, "commands act only while", "inactive and silent"),
        (Wrong::DeafToStop, "an emergency stop acts within two cycles", "goes on by"),
        (Wrong::NumberMissing, "cycles count", "is not finite"),
        (Wrong::ShowsScansAgain, "scans and pictures come once", "is there again at"),
        (Wrong::ScansOfTheFuture, "scans and pictures come once", "before it is complete"),
        (Wrong::HalfAPicture, "scans and pictures come once", "another number of pixels"),
        (Wrong::ForgetsRefusal, "the life cycle in every order", "from unconfigured to active: expected Err"),
    ];
    for (wrong, check, what) in mistakes {
        let report = examined(wrong);
        let found = report.findings.iter().any(|found| found.check.starts_with(check) && found.what.contains(what));
        assert!(found, "{wrong:?} was not found: {report}");
    }
}

#[test]
fn a_clock_that_does_not_belong_to_the_robot_is_found_out() {
    let plug = || {
        let layout = RobotLayout::example();
        Ok(Plugged::new(DummyRobot::new(layout.clone()), DummyClock::new(layout.period)))
    };
    let findings = check(&mut Subject::new("a dummy alone", hold(), plug)).into_result().unwrap_err();
    assert!(findings.iter().any(|found| found.check.starts_with("a second read")), "{findings:?}");
}
