//! Cycles, time and stamps.

use super::bench::Plain;
use super::{Check, Subject, Verdict, always, needs_motion};
use crate::{Fault, FaultInjector, FaultKind, Readings, RobotIo, Time};

const CYCLES: u64 = 50;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "cycles count by one and time by the period", hindrance: always, run: cycles_count },
    Check { name: "a second read in a cycle gives the same", hindrance: always, run: reads_repeat },
    Check { name: "an answer changes nothing before time passes", hindrance: needs_motion, run: answers_wait },
    Check { name: "stamps grow, are fresh and not from the future", hindrance: always, run: stamps_grow },
    Check { name: "a reading that stops shows by its stamp", hindrance: has_joints, run: stale_shows },
];

fn has_joints(subject: &Subject<'_>) -> Option<&'static str> {
    subject.hold.is_empty().then_some("it has no joint")
}

fn cycles_count(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    let mut bench = Plain::active(subject)?;
    let period = bench.robot.layout().period;
    bench.read()?;
    for _ in 0..CYCLES {
        let (cycle, time) = (bench.readings.cycle, bench.readings.time);
        if bench.clock.now() != time {
            found.push(format!("cycle {cycle}: readings say {time:?}, the clock {:?}", bench.clock.now()));
        }
        bench.answer(|_| {})?;
        if bench.clock.now() != time {
            found.push(format!("cycle {cycle}: time passes without its clock being advanced"));
        }
        let next = bench.clock.advance().map_err(|error| format!("its clock stops: {error}"))?;
        if next != bench.clock.now() || next != time + period {
            let (now, due) = (bench.clock.now(), time + period);
            found.push(format!("cycle {cycle}: advance gives {next:?}, then it is {now:?}; expected {due:?}"));
        }
        bench.read()?;
        if bench.readings.cycle != cycle + 1 {
            found.push(format!("expected cycle {}, found {}", cycle + 1, bench.readings.cycle));
        }
        if !found.is_empty() {
            break;
        }
    }
    Ok(())
}

fn reads_repeat(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let mut bench = Plain::active(subject)?;
    bench.rest(3)?;
    bench.read()?;
    let first = bench.readings.clone();
    bench.read()?;
    same(&first, &bench.readings, "two reads")
}

fn answers_wait(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let mut bench = Plain::active(subject)?;
    let probe = subject.probes[0];
    bench.rest(3)?;
    bench.read()?;
    let first = bench.readings.clone();
    let command = bench.onward(&probe, bench.position(probe.joint), probe.cycles);
    bench.answer(|commands| commands.joints[probe.joint] = command)?;
    bench.read()?;
    same(&first, &bench.readings, "the reads before and after an answer")
}

/// The operator's input is not the robot's.
fn same(first: &Readings, second: &Readings, which: &str) -> Verdict {
    let joint = first.joints.iter().zip(&second.joints).position(|(one, two)| one != two);
    let differs = |what: String| Err(format!("cycle {}: {which} differ in {what}", first.cycle));
    match joint {
        Some(joint) => differs(format!("joint {joint}: {:?}, then {:?}", first.joints[joint], second.joints[joint])),
        None if (first.cycle, first.time) != (second.cycle, second.time) => {
            differs(format!("their cycle or time: then {} at {:?}", second.cycle, second.time))
        }
        None if Readings { operator: first.operator, ..second.clone() } != *first => differs("a sensor".to_owned()),
        None => Ok(()),
    }
}

/// All stamps, joints' first.
fn stamps(readings: &Readings) -> Vec<Time> {
    let joints = readings.joints.iter().map(|joint| joint.stamp);
    let imus = readings.imus.iter().map(|imu| imu.stamp);
    let cells = readings.force_torques.iter().map(|cell| cell.stamp);
    let switches = readings.contacts.iter().map(|contact| contact.stamp);
    let batteries = readings.batteries.iter().map(|battery| battery.stamp);
    joints.chain(imus).chain(cells).chain(switches).chain(batteries).collect()
}

fn stamps_grow(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    let mut bench = Plain::active(subject)?;
    let oldest = subject.abilities.reading_age;
    let period = bench.robot.layout().period;
    bench.rest(oldest + 1)?;
    let mut before = vec![Time::ZERO; stamps(&bench.readings).len()];
    for _ in 0..CYCLES {
        bench.cycle(|_| {})?;
        let now = bench.readings.time;
        let stamps = stamps(&bench.readings);
        for (index, (stamp, last)) in stamps.iter().zip(&before).enumerate() {
            let age = now.since(*stamp).cycles_of(period);
            if *stamp > now {
                found.push(format!("reading {index} is stamped {stamp:?} at {now:?}: from the future"));
            } else if stamp < last {
                found.push(format!("reading {index} is stamped {stamp:?} after {last:?}: backwards"));
            } else if age > oldest {
                found.push(format!("reading {index} is {age} cycles old at {now:?}, expected {oldest} at most"));
            }
        }
        if !found.is_empty() {
            break;
        }
        before = stamps;
    }
    Ok(())
}

/// The fault is the suite's own; what is seen is that nobody on the way mends the stamp.
fn stale_shows(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let joint = subject.probes.first().map_or(0, |probe| probe.joint);
    let Plain { robot, clock, fail, .. } = Plain::plug(subject)?;
    let name = robot.layout().joints[joint].name.clone();
    let kind = FaultKind::DroppedReading { joint: name.clone(), probability: 1.0 };
    let period = robot.layout().period;
    let mut plain = super::bench::Bench::new(robot, clock, fail, subject)?.switched_on()?;
    plain.rest(5)?;
    let from = plain.clock.now();
    let super::bench::Bench { robot, clock, fail, .. } = plain;
    let robot = FaultInjector::new(robot, vec![Fault { from, until: None, kind }], 1).map_err(|it| it.to_string())?;
    let mut bench = super::bench::Bench::new(robot, clock, fail, subject)?;
    bench.rest(CYCLES)?;
    let age = bench.readings.time.since(bench.readings.joints[joint].stamp).cycles_of(period);
    if age + 1 < CYCLES {
        return Err(format!("{name}: its readings stopped {CYCLES} cycles ago, the stamp says {age}"));
    }
    Ok(())
}
