//! Limits, numbers that are not finite, stops and silence.

use super::bench::{Bench, Filtered, Plain};
use super::{Check, Probe, Subject, Verdict, always, needs_motion};
use crate::{JointCommand, JointLimits, JointStatus, Period, RobotIo, SafetyFilter, SafetyLimits};

/// Cycles without an answer that a controller's overrun lasts: longer than any watchdog here.
const OVERRUN: u64 = 20;
/// Cycles in which an emergency stop must act.
const STOP_WITHIN: u64 = 2;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "no command takes a joint outside its limits", hindrance: needs_motion, run: stays_within },
    Check { name: "a command that is no number reaches no joint", hindrance: needs_motion, run: no_number },
    Check { name: "an emergency stop acts within two cycles", hindrance: needs_motion, run: stops },
    Check { name: "an emergency stop acts through the safety filter", hindrance: needs_motion, run: stops_filtered },
    Check { name: "it survives a controller that falls silent", hindrance: always, run: silence },
    Check { name: "a silent controller stops the safety filter", hindrance: always, run: silence_filtered },
];

fn stays_within(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    for probe in subject.probes.clone() {
        let limits = Plain::plug(subject)?.robot.layout().joints[probe.joint].limits;
        for sign in [1.0, -1.0] {
            let mut bench = Filtered::active(subject)?;
            let hold = bench.hold(probe.joint);
            let (far, fast) = (sign * 1e3, sign * 10.0 * limits.velocity);
            for wild in [
                JointCommand { position: far, effort: sign * 10.0 * limits.effort, ..hold },
                JointCommand { velocity: fast, stiffness: 0.0, ..hold },
            ] {
                let cycles = cycles_across(&limits, bench.robot.layout().period) + probe.cycles;
                found.extend(push_against(&mut bench, &probe, &limits, wild, cycles)?);
            }
        }
    }
    Ok(())
}

/// Cycles in which the joint can cross its whole range at its own speed; a wheel has none.
fn cycles_across(limits: &JointLimits, period: Period) -> u64 {
    let range = limits.upper - limits.lower;
    let cycles = range / (limits.velocity * period.seconds());
    if cycles.is_finite() { (cycles as u64).min(4_000) } else { 0 }
}

/// The first excess, of the command that the filter passes on or of the joint itself.
fn push_against(
    bench: &mut Filtered,
    probe: &Probe,
    limits: &JointLimits,
    wild: JointCommand,
    cycles: u64,
) -> Result<Option<String>, String> {
    let (joint, slack) = (probe.joint, probe.tolerance);
    // the filter's own bound for a moving set-point, and what a stiff loop overshoots it by
    let fastest = 1.1 * limits.velocity * SafetyLimits::default().rate_factor + slack;
    for _ in 0..cycles {
        bench.give(joint, wild, 1)?;
        let passed = bench.robot.passed().joints[joint];
        let state = bench.readings.joints[joint];
        let within = |position: f64, slack: f64| (limits.lower - slack..=limits.upper + slack).contains(&position);
        let excess = [
            ("passed on: position", passed.position, passed.stiffness > 0.0 && !within(passed.position, 0.0)),
            ("passed on: velocity", passed.velocity, passed.velocity.abs() > limits.velocity),
            ("passed on: effort", passed.effort, passed.effort.abs() > limits.effort),
            ("measured: position", state.position, !within(state.position, slack)),
            ("measured: velocity", state.velocity, state.velocity.abs() > fastest),
        ];
        if let Some((what, value, _)) = excess.into_iter().find(|(.., is_over)| *is_over) {
            let name = bench.name(joint);
            return Ok(Some(format!(
                "{name}: told {wild:?}; {what} {value:.4}, allowed {limits:?} and {slack} of slack"
            )));
        }
    }
    Ok(None)
}

fn no_number(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    let probe = subject.probes[0];
    let mut bench = Filtered::active(subject)?;
    let hold = bench.hold(probe.joint);
    let spoiled = [
        JointCommand { position: f64::NAN, stiffness: hold.stiffness.max(1.0), ..hold },
        JointCommand { velocity: f64::INFINITY, ..hold },
        JointCommand { effort: f64::NAN, ..hold },
        JointCommand { stiffness: f64::NAN, ..hold },
        JointCommand { damping: f64::NEG_INFINITY, ..hold },
    ];
    // the very first command must not be taken either
    for command in spoiled {
        for _ in 0..3 {
            bench.give(probe.joint, command, 1)?;
            let passed = bench.robot.passed().joints[probe.joint];
            if !passed.is_finite() {
                found.push(format!("{command:?} is passed on as {passed:?}"));
            }
            if bench.readings.joints[probe.joint].status.contains(JointStatus::FAULT) {
                found.push(format!("{command:?} makes the drive fail"));
            }
        }
    }
    if found.is_empty() { bench.see_it_obey(&probe) } else { Ok(()) }
}

fn stops(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let bench = Plain::active(subject)?;
    see_it_stop(bench, subject)
}

fn stops_filtered(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let bench = Filtered::active(subject)?;
    see_it_stop(bench, subject)
}

/// Stops the robot in the middle of a motion while its controller goes on, then looks for the way back.
fn see_it_stop<R: RobotIo>(mut bench: Bench<R>, subject: &Subject<'_>) -> Verdict {
    let probe = subject.probes[0];
    let joint = probe.joint;
    bench.rest(probe.cycles)?;
    let target = bench.hold(joint).position;
    let half = probe.cycles / 2;
    let mut cycle = 0;
    let mut go_on = |bench: &mut Bench<R>, stop: bool, cycles: u64| {
        (0..cycles).try_for_each(|_| {
            cycle += 1;
            let command = bench.onward(&probe, target, cycle);
            bench.cycle(|commands| {
                commands.joints[joint] = command;
                commands.emergency_stop = stop;
            })
        })
    };
    go_on(&mut bench, false, half)?;
    go_on(&mut bench, true, STOP_WITHIN + 1)?;
    bench.read()?;
    let (at_stop, effort) = (bench.position(joint), bench.readings.joints[joint].effort);
    let is_limp = subject.abilities.measures_effort && effort.abs() <= 0.2 * probe.effort.max(f64::MIN_POSITIVE);
    go_on(&mut bench, true, probe.cycles)?;
    // a joint that is held comes to rest where it was; its controller has gone on by a whole step meanwhile
    let drift = (bench.position(joint) - at_stop).abs();
    let period = bench.robot.layout().period.seconds();
    let way = if bench.hold(joint).stiffness > 0.0 { probe.step } else { probe.step * probe.cycles as f64 * period };
    let is_held = drift <= probe.tolerance + 0.3 * way.abs();
    if !is_limp && !is_held {
        let name = bench.name(joint);
        return Err(format!(
            "{name}: {STOP_WITHIN} cycles after the stop it has effort {effort:.4} and goes on by {drift:.4}"
        ));
    }
    if bench.has_told_of_a_stop() {
        let before = bench.position(joint);
        go_on(&mut bench, false, probe.cycles)?;
        let drift = (bench.position(joint) - before).abs();
        if drift > probe.tolerance + 0.3 * way.abs() {
            return Err(format!("{}: it told of a stop and follows commands again, by {drift:.4}", bench.name(joint)));
        }
        bench.take_back()?;
    }
    bench.see_it_obey(&probe).map_err(|what| format!("after the stop: {what}"))
}

fn silence(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let bench = Plain::active(subject)?;
    see_it_survive(bench, subject).map(drop)
}

fn silence_filtered(subject: &mut Subject<'_>, _: &mut Vec<String>) -> Verdict {
    let bench: Bench<SafetyFilter<_>> = Filtered::active(subject)?;
    match see_it_survive(bench, subject)? {
        true => Ok(()),
        false => Err(format!("{OVERRUN} cycles without an answer and no event tells of a stop")),
    }
}

/// Reads on without an answer, then answers: the robot either goes on or has told that it stopped, and comes back. True if
/// it has stopped.
fn see_it_survive<R: RobotIo>(mut bench: Bench<R>, subject: &Subject<'_>) -> Result<bool, String> {
    bench.rest(5)?;
    for _ in 0..OVERRUN {
        bench.read()?;
        bench.robot.drain_events(&mut bench.events);
        bench.advance()?;
    }
    bench.rest(1)?;
    let has_stopped = bench.has_told_of_a_stop();
    if has_stopped && subject.abilities.leaves_operator {
        bench.take_back()?;
    }
    match subject.probes.first().filter(|_| subject.abilities.follows_commands) {
        Some(probe) => bench.see_it_obey(probe).map_err(|what| format!("after the silence: {what}"))?,
        None => bench.rest(5)?,
    }
    Ok(has_stopped)
}
