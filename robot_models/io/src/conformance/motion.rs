//! Units and signs: what is commanded in rad arrives as rad, and forward is forward.

use super::bench::Plain;
use super::{Check, Probe, Subject, Verdict, needs_motion};
use crate::{JointCommand, RobotIo};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "a joint goes where it is told, in its unit", hindrance: needs_motion, run: obeys },
    Check { name: "velocity is how position changes", hindrance: needs_motion, run: velocity_agrees },
    Check { name: "effort points where the joint is pushed, in its unit", hindrance: needs_effort, run: effort_agrees },
];

fn needs_effort(subject: &Subject<'_>) -> Option<&'static str> {
    match needs_motion(subject) {
        None if !subject.abilities.measures_effort => Some("it measures no effort"),
        hindrance => hindrance,
    }
}

fn obeys(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    for probe in subject.probes.clone() {
        for step in [probe.step, -probe.step] {
            let outcome = Plain::active(subject)?.see_it_obey(&Probe { step, ..probe });
            found.extend(outcome.err());
        }
    }
    Ok(())
}

/// Velocity, summed up along a ramp, must be the way that the position went.
fn velocity_agrees(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    for probe in subject.probes.clone() {
        let mut bench = Plain::active(subject)?;
        let period = bench.robot.layout().period.seconds();
        let joint = probe.joint;
        bench.rest(probe.cycles)?;
        let (start, target) = (bench.position(joint), bench.hold(joint).position);
        let mut summed = 0.0;
        for cycle in 0..=probe.cycles {
            let command = bench.onward(&probe, target, cycle);
            bench.cycle(|commands| commands.joints[joint] = command)?;
            summed += if cycle > 0 { bench.readings.joints[joint].velocity * period } else { 0.0 };
        }
        let moved = bench.position(joint) - start;
        if (summed - moved).abs() > 0.1 * moved.abs() + probe.tolerance {
            let name = bench.name(joint);
            found.push(format!("{name}: its position went by {moved:+.4}, its velocity says {summed:+.4}"));
        }
    }
    Ok(())
}

/// Where a push of this effort has taken the joint, and the mean effort measured meanwhile.
fn pushed(subject: &mut Subject<'_>, probe: &Probe, effort: f64) -> Result<(f64, f64), String> {
    const SAMPLES: u64 = 3;
    let mut bench = Plain::active(subject)?;
    let joint = probe.joint;
    bench.rest(probe.cycles)?;
    let command = JointCommand { effort, ..bench.hold(joint) };
    bench.give(joint, command, subject.abilities.latency)?;
    let mut sum = 0.0;
    for _ in 0..SAMPLES {
        bench.give(joint, command, 1)?;
        sum += bench.readings.joints[joint].effort;
    }
    bench.give(joint, command, 10)?;
    Ok((bench.position(joint), sum / SAMPLES as f64))
}

fn effort_agrees(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    for probe in subject.probes.clone().into_iter().filter(|probe| probe.effort > 0.0) {
        let (forward, forward_effort) = pushed(subject, &probe, probe.effort)?;
        let (back, back_effort) = pushed(subject, &probe, -probe.effort)?;
        let share = (forward_effort - back_effort) / (2.0 * probe.effort);
        if forward <= back {
            found.push(format!("joint {}: pushed forward it is at {forward:.5}, back at {back:.5}", probe.joint));
        }
        // the joint's own gains answer the push within a few cycles
        if !(0.5..1.5).contains(&share) {
            let asked = probe.effort;
            found.push(format!(
                "joint {}: of ±{asked} it measures {forward_effort:+.4} and {back_effort:+.4}, {share:.3} of it",
                probe.joint
            ));
        }
    }
    Ok(())
}
