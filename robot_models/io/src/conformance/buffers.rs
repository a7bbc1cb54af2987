//! Buffers, sensors and events.

use super::bench::Plain;
use super::{Check, Subject, Verdict, always};
use crate::{
    Battery, Commands, Contact, Event, Events, ForceTorque, Imu, IoError, JointCommand, JointState, OperatorRequest,
    Readings, RobotIo, Severity, Time,
};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "readings of another robot are refused with both numbers", hindrance: always, run: odd_readings },
    Check { name: "commands of another robot are refused with both numbers", hindrance: always, run: odd_commands },
    Check { name: "a robot without sensors has no entry for them", hindrance: lacks_bare, run: missing_sensors },
    Check { name: "what the operator does is left as it was", hindrance: brings_operator, run: operator_is_left },
    Check { name: "events are moved once, behind those that are there", hindrance: always, run: events_move },
];

fn lacks_bare(subject: &Subject<'_>) -> Option<&'static str> {
    subject.without_sensors.is_none().then_some("there is no such robot without sensors")
}

fn brings_operator(subject: &Subject<'_>) -> Option<&'static str> {
    (!subject.abilities.leaves_operator).then_some("it brings an operator of its own")
}

/// Adds one entry too many.
type Spoil = fn(&mut Readings);

fn odd_readings(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    let mut bench = Plain::active(subject)?;
    bench.rest(2)?;
    let right = Readings::new(bench.robot.layout());
    let mut more = right.clone();
    more.joints.push(JointState::default());
    refuses(&mut bench, more, "joints", found);
    let mut fewer = right.clone();
    if fewer.joints.pop().is_some() {
        refuses(&mut bench, fewer, "joints", found);
    }
    let sensors: [(&str, Spoil); 4] = [
        ("IMUs", |readings| readings.imus.push(Imu::default())),
        ("force/torque sensors", |readings| readings.force_torques.push(ForceTorque::default())),
        ("contact switches", |readings| readings.contacts.push(Contact::default())),
        ("batteries", |readings| readings.batteries.push(Battery::default())),
    ];
    for (what, add) in sensors {
        let mut more = right.clone();
        add(&mut more);
        refuses(&mut bench, more, what, found);
    }
    bench.rest(2)
}

fn refuses(bench: &mut Plain, mut readings: Readings, what: &str, found: &mut Vec<String>) {
    let expected = readings.check(bench.robot.layout()).err();
    let answer = bench.robot.read(&mut readings).err();
    if !is_same_size_error(answer.as_ref(), expected.as_ref()) {
        found.push(format!("readings with another number of {what}: expected {expected:?}, found {answer:?}"));
    }
}

/// True for errors that give the same two numbers, however they call what they counted.
fn is_same_size_error(found: Option<&IoError>, expected: Option<&IoError>) -> bool {
    let numbers = |error: &IoError| match error {
        IoError::Size { expected, found, .. } => Some((*expected, *found)),
        _ => None,
    };
    found.and_then(numbers).is_some_and(|found| Some(found) == expected.and_then(numbers))
}

fn odd_commands(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    let mut bench = Plain::active(subject)?;
    bench.rest(2)?;
    bench.read()?;
    let mut more = Commands::new(bench.robot.layout());
    more.answer(&bench.readings);
    more.joints.push(JointCommand::default());
    for odd in [more, Commands { cycle: bench.readings.cycle, ..Commands::default() }] {
        let expected = odd.check(bench.robot.layout()).err();
        let answer = bench.robot.write(&odd).err();
        let has_joints = !bench.readings.joints.is_empty() || !odd.joints.is_empty();
        if has_joints && !is_same_size_error(answer.as_ref(), expected.as_ref()) {
            found.push(format!("commands of {} joints: expected {expected:?}, found {answer:?}", odd.joints.len()));
        }
    }
    bench.answer(|_| {})?;
    bench.advance()?;
    bench.rest(2)
}

fn missing_sensors(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let Some(plug) = &mut subject.without_sensors else { return Ok(()) };
    let plugged = plug().map_err(|error| format!("cannot be plugged in: {error}"))?;
    let layout = plugged.robot.layout();
    let sensors = layout.imus.len() + layout.force_torques.len() + layout.contacts.len() + layout.batteries.len();
    if sensors > 0 {
        return Err(format!("the subject without sensors has {sensors}"));
    }
    let mut bench = Plain::around(plugged, subject)?.switched_on()?;
    // each read compares the numbers with the layout's
    bench.rest(20)
}

fn operator_is_left(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let mut bench = Plain::active(subject)?;
    for request in [Some(OperatorRequest::Resume), None] {
        bench.readings.operator.request = request;
        bench.read()?;
        if bench.readings.operator.request != request {
            return Err(format!("{request:?} became {:?}", bench.readings.operator.request));
        }
    }
    Ok(())
}

fn events_move(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let mut bench = Plain::active(subject)?;
    (0..5).try_for_each(|_| {
        bench.read()?;
        bench.commands.answer(&bench.readings);
        bench.robot.write(&bench.commands).map_err(|error| format!("cannot be written: {error}"))?;
        bench.advance()
    })?;
    let mine = Event::note(Time::ZERO, Severity::Info, "conformance", "was here first");
    let mut events: Events = vec![mine.clone()];
    bench.robot.drain_events(&mut events);
    let first = events.first().map(|event| event.source.clone());
    if first.as_ref() != Some(&mine.source) {
        return Err(format!("the event that was there is gone or moved, found first: {first:?}"));
    }
    let told = events.len();
    bench.robot.drain_events(&mut events);
    match events.len() - told {
        0 => Ok(()),
        again => Err(format!("{again} events came a second time in the same cycle")),
    }
}
