//! Computing a recorded run again, as a whole or its controllers alone.

use replay::{Divergence, Recomputed, Replay, Verifier};
use robot_io::{Clock, Commands, IoError, Readings, RobotIo, Telemetry};

use super::Recording;
use super::inputs;
use crate::ScenarioError;
use crate::controller::MISSION;
use crate::progress::Progress;
use crate::run_log::{CONTROLLER, push_input};
use crate::session::Session;

/// What came of computing a run again.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Cycles that agreed, from the first.
    pub cycles: u64,
    /// Where the runs part, if they do.
    pub divergence: Option<Divergence>,
    /// Where the log had been cut, if it had.
    pub cut: Option<String>,
}

/// Computes the whole run again and compares inputs, readings, commands and digests of every cycle.
pub fn verify(recording: &Recording, workers: usize, progress: &mut Progress) -> Result<Verification, ScenarioError> {
    let mut session = recording.session(workers)?;
    let mut verifier = Verifier::new(&recording.log);
    if recording.stage.answers.is_some() {
        // what a program had in mind is not in its answers
        verifier = verifier.without(CONTROLLER);
    }
    let (last, _) = recording.end()?;
    let links: Vec<String> = recording.stage.link_names().collect();
    // what a log from before there were other controllers calls it
    let controller = if recording.log.header().meta(CONTROLLER).is_some() { CONTROLLER } else { MISSION };
    let mut agrees = true;
    while agrees {
        session.cycle()?;
        agrees = compare(&session, &mut verifier, &links, controller)? && session.readings().cycle < last;
        progress.show(session.readings().time, "the same so far");
    }
    progress.finish();
    let verdict = verifier.finish()?;
    let cut =
        recording.log.cut().map(|cut| format!("{} bytes lost at byte {}: {}", cut.lost_bytes, cut.at_byte, cut.reason));
    Ok(Verification { cycles: verdict.cycles, divergence: verdict.divergence, cut })
}

fn compare(
    session: &Session,
    verifier: &mut Verifier,
    links: &[String],
    controller: &str,
) -> Result<bool, ScenarioError> {
    let cycle = session.readings().cycle;
    let digests = session.digests().named(controller);
    let inputs: Vec<_> = session.pushes_begun().iter().map(|push| push_input(cycle, push, links)).collect();
    Ok(verifier.check(&Recomputed {
        readings: session.readings(),
        commands: session.commands(),
        digests: &digests,
        inputs: &inputs,
    })?)
}

/// Feeds the recorded readings to the controllers and compares their commands, without any simulation.
pub fn controllers_only(recording: &Recording, progress: &mut Progress) -> Result<Verification, ScenarioError> {
    recording.expect_controller("--controllers-only")?;
    let (mut robot, mut clock) = Replay::new(&recording.log)?;
    let layout = recording.log.layout().clone();
    let mut pilot = recording.stage.pilot(&layout, 0)?;
    pilot.board.deliver_as_recorded(inputs::late_deliveries(&recording.log)?);
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    let mut telemetry = Telemetry::default();
    if let Some(snapshot) = recording.first_snapshot()? {
        snapshot.restore_controller(&mut pilot)?;
    }
    robot.bring_up()?;
    loop {
        match robot.read(&mut readings) {
            Err(IoError::End) => break,
            read => read?,
        }
        // a controller that was silent then is not asked now
        if robot.answered() && pilot.answer(&readings, &mut commands, &mut telemetry) {
            robot.write(&commands)?;
        }
        if robot.divergence().is_some() || matches!(clock.advance(), Err(IoError::End)) {
            break;
        }
        progress.show(readings.time, "the same commands so far");
    }
    progress.finish();
    Ok(Verification { cycles: robot.compared(), divergence: robot.divergence().cloned(), cut: None })
}
