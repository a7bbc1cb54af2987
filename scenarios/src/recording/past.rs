//! Going on where a run broke off: the controller is brought to the end of its log.

use replay::LoggedSnapshot;
use robot_io::{
    Commands, Digest, Events, JointCommand, Lifecycle, OperatorInput, Readings, RobotStatus, Telemetry, Time,
};

use super::{Recording, inputs};
use crate::past::Past;
use crate::progress::Progress;
use crate::session::{ControllerFaults, Pilot, Snapshot};
use crate::{ScenarioError, Stage};

/// The controller of a recorded run as it was at the end of its log, for a run of `stage` that goes on from there. It is fed with all that it
/// read, and then told once that its robot is off: whoever knows what that means takes up what it finds. One that broke is brought to
/// the cycle before.
pub fn past(recording: &Recording, stage: &Stage, progress: &mut Progress) -> Result<Past, ScenarioError> {
    expect_same(recording, stage)?;
    let (last, end) = recording.end()?;
    let layout = recording.log.layout().clone();
    let (next_cycle, time) = (last + 2, end + layout.period + layout.period);
    if time >= stage.case.duration {
        let over = format!("--continue: expected a run that ended before its {}, found {end}", stage.case.duration);
        return Err(recording.wrong(&over));
    }
    let mut pilot = recording.stage.pilot(&layout, 0)?;
    pilot.board.deliver_as_recorded(inputs::late_deliveries(&recording.log)?);
    if let Some(snapshot) = recording.first_snapshot()? {
        snapshot.restore_controller(&mut pilot)?;
    }
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    let (mut telemetry, mut has_broken) = (Telemetry::default(), false);
    let mut cycles = recording.log.cycles();
    while let Some(cycle) = cycles.next_cycle()? {
        readings.copy_from(&cycle.readings);
        has_broken |= cycle.answered && is_last_word(&cycle.commands);
        if cycle.answered && !has_broken {
            pilot.answer(&readings, &mut commands, &mut telemetry);
            if Digest::of(&mut commands) != Digest::of(&mut cycle.commands.clone()) {
                let differs =
                    format!("--continue: the controller does something else at {} than it did", readings.time);
                return Err(recording.wrong(&format!("{differs}: it is not the one that made the log")));
            }
            forget(&mut pilot);
        }
        progress.show(readings.time, "what the controller has read");
    }
    progress.finish();
    switch_off(&mut readings, next_cycle - 1, end + layout.period);
    pilot.trouble = ControllerFaults::new(Vec::new(), layout.period);
    pilot.answer(&readings, &mut commands, &mut telemetry);
    forget(&mut pilot);
    let snapshot = Snapshot::of_controller(&mut pilot, next_cycle, &mut readings, &commands);
    let saved = LoggedSnapshot { state: snapshot.to_bytes()?, pool: snapshot.pool().clone() };
    Ok(Past { log: recording.log.path().to_owned(), next_cycle, time, saved })
}

/// True for what is said in place of a controller that has panicked.
fn is_last_word(commands: &Commands) -> bool {
    commands.emergency_stop && commands.joints.iter().all(|joint| *joint == JointCommand::default())
}

/// What happened then was told then.
fn forget(pilot: &mut Pilot) {
    pilot.drain_events(&mut Events::new());
    pilot.board.take_deliveries().for_each(drop);
}

/// The last readings once more, of a robot that is off now.
fn switch_off(readings: &mut Readings, cycle: u64, time: Time) {
    (readings.cycle, readings.time, readings.operator) = (cycle, time, OperatorInput::default());
    readings.scans.fill(None);
    readings.images.fill(None);
    readings.depth_images.fill(None);
    readings.status = RobotStatus { lifecycle: Lifecycle::Inactive, ..RobotStatus::default() };
}

/// Refuses a run that is not the same: another robot, mission or controller, or a world that begins anew.
fn expect_same(recording: &Recording, stage: &Stage) -> Result<(), ScenarioError> {
    let (then, now) = (&recording.stage.case, &stage.case);
    let log = recording.log.path().display();
    if let Some(simulated) = [&now.plant, &then.plant].into_iter().find(|plant| plant.is_simulated()) {
        return Err(ScenarioError::Usage(format!(
            "--continue: expected a robot that is still there, found '{simulated}', whose world begins anew; \
             `chiron replay {log} --fork-at S --out DIR` goes on from a simulated run"
        )));
    }
    if now.controller.is_program() {
        let found = "expected a controller of this program's, found one in another process: what it had in mind is not in the log";
        return Err(ScenarioError::Usage(format!("--continue: {found}")));
    }
    if now.twin.is_some() {
        let found =
            "expected a run without a twin, found one: it begins where the scenario does, and the robot is elsewhere";
        return Err(ScenarioError::Usage(format!("--continue: {found}")));
    }
    let differs = |what: &str, then: &str, now: &str| {
        recording.wrong(&format!("--continue: expected the run's own {what} '{now}', found '{then}'"))
    };
    if then.name != now.name {
        return Err(differs("scenario", &then.name, &now.name));
    }
    if then.controller.name != now.controller.name {
        return Err(differs("controller", &then.controller.name, &now.controller.name));
    }
    if then.mission != now.mission {
        return Err(recording.wrong("--continue: expected the scenario's mission as it is now, found another"));
    }
    if *recording.log.layout() != stage.layout() {
        return Err(recording.wrong("--continue: expected the scenario's robot as it is now, found another"));
    }
    Ok(())
}
