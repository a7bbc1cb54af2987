//! The life cycle, in every order.

use super::bench::Plain;
use super::{Check, Subject, Verdict, always, needs_motion};
use crate::Lifecycle::{self, Active, Fault, Finalized, Inactive, Unconfigured};
use crate::{IoError, RobotIo};

const STATES: [Lifecycle; 5] = [Unconfigured, Inactive, Active, Fault, Finalized];
/// Cycles in which a robot that was made to fail must have noticed.
const NOTICE: u64 = 10;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "the life cycle in every order", hindrance: always, run: every_order },
    Check { name: "the life cycle in every order, from a fault", hindrance: cannot_fail, run: from_fault },
    Check { name: "commands act only while it is active", hindrance: needs_motion, run: only_active },
    Check { name: "after a fault it can be switched on again", hindrance: cannot_fail, run: on_again },
];

fn cannot_fail(subject: &Subject<'_>) -> Option<&'static str> {
    (!subject.can_fail).then_some("nobody can make it fall into a fault")
}

fn every_order(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    [Unconfigured, Inactive, Active, Finalized].into_iter().try_for_each(|from| all_from(subject, from, found))
}

fn from_fault(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    all_from(subject, Fault, found)
}

/// All requests in one state, each to a robot of its own.
fn all_from(subject: &mut Subject<'_>, from: Lifecycle, found: &mut Vec<String>) -> Verdict {
    for to in STATES {
        let mut bench = brought_to(subject, from)?;
        let answer = bench.robot.transition(to);
        let (allowed, state) = (from.allows(to), bench.robot.lifecycle());
        let right = if allowed { Ok(()) } else { Err(IoError::Transition { from, to }) };
        if answer != right {
            found.push(format!("from {from} to {to}: expected {right:?}, found {answer:?}"));
        }
        let expected = if allowed { to } else { from };
        if state != expected {
            found.push(format!("asked from {from} to {to} it is {state}, expected {expected}"));
            continue;
        }
        let read = bench.robot.read(&mut bench.readings);
        let refused = Err(IoError::NotReadable { state: expected });
        let is_right = if expected.can_read() { read.is_ok() } else { read == refused };
        if !is_right {
            found.push(format!("a read while it is {expected}: found {read:?}"));
        }
        let (told, state) = (bench.readings.status.lifecycle, bench.robot.lifecycle());
        if read.is_ok() && told != state {
            found.push(format!("it is {state}, and its readings say that it is {told}"));
        }
    }
    Ok(())
}

/// A fresh robot in a state.
fn brought_to(subject: &mut Subject<'_>, state: Lifecycle) -> Result<Plain, String> {
    let mut bench = Plain::plug(subject)?;
    if bench.robot.lifecycle() != Unconfigured {
        return Err(format!("expected a fresh robot to be {Unconfigured}, found {}", bench.robot.lifecycle()));
    }
    let way: &[Lifecycle] = match state {
        Unconfigured => &[],
        Inactive => &[Inactive],
        Active | Fault => &[Inactive, Active],
        Finalized => &[Finalized],
    };
    way.iter().try_for_each(|to| bench.transition(*to))?;
    if state == Fault {
        fail(&mut bench)?;
    }
    match bench.robot.lifecycle() {
        found if found == state => Ok(bench),
        found => Err(format!("expected it to have become {state}, found {found}")),
    }
}

/// Makes the robot fail and waits until it has noticed.
fn fail(bench: &mut Plain) -> Verdict {
    bench.rest(3)?;
    if let Some(fail) = &mut bench.fail {
        fail();
    }
    for _ in 0..NOTICE {
        if bench.robot.lifecycle() == Fault {
            return Ok(());
        }
        bench.rest(1)?;
    }
    Err(format!("made to fail it is still {} after {NOTICE} cycles", bench.robot.lifecycle()))
}

/// Two robots that are not active, one of them commanded: they must not differ.
fn only_active(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    let probe = subject.probes[0];
    let mut positions = [0.0; 2];
    for (told, position) in [false, true].into_iter().zip(&mut positions) {
        let mut bench = brought_to(subject, Active)?;
        bench.rest(2)?;
        bench.transition(Inactive)?;
        for cycle in 0..probe.cycles {
            bench.read()?;
            if told {
                let command = bench.onward(&probe, bench.hold(probe.joint).position, 4 * cycle);
                // it may refuse or take no notice, but not obey
                bench.commands.answer(&bench.readings);
                bench.commands.joints[probe.joint] = command;
                drop(bench.robot.write(&bench.commands));
            }
            bench.advance()?;
        }
        bench.read()?;
        *position = bench.position(probe.joint);
    }
    let [silent, commanded] = positions;
    if (silent - commanded).abs() > probe.tolerance {
        found.push(format!("inactive and silent the joint ends at {silent:.4}, commanded at {commanded:.4}"));
    }
    Ok(())
}

fn on_again(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let mut bench = brought_to(subject, Fault)?;
    bench.rest(3)?;
    bench.take_back()?;
    if bench.robot.lifecycle() != Active {
        return Err(format!("expected it to be {Active} again, found {}", bench.robot.lifecycle()));
    }
    match subject.probes.first().filter(|_| subject.abilities.follows_commands) {
        Some(probe) => bench.see_it_obey(probe),
        None => bench.rest(3),
    }
}
