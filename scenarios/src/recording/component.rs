//! One component of a controller doing again, alone, what it did in a run.

use replay::channel::COMPONENTS;
use robot_io::{JointCommand, NotTheSame, Time};

use super::{Recording, inputs};
use crate::ScenarioError;
use crate::progress::Progress;

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Alone {
    /// How often the component was called and did the same again.
    pub calls: usize,
    /// When and where it did something else, if it did.
    pub differs: Option<(Time, &'static str)>,
}

/// Gives a component what it was given then, call by call, and compares what it writes, asks for and commands. The other components and
/// the world stand still.
pub fn component(recording: &Recording, name: &str, progress: &mut Progress) -> Result<Alone, ScenarioError> {
    recording.expect_controller("--component")?;
    if !recording.log.topics().contains(&COMPONENTS) {
        let expected = format!("expected the topic {COMPONENTS}, in which components note what they do, found none");
        return Err(recording.wrong(&expected));
    }
    let mut pilot = recording.stage.pilot(recording.log.layout(), 0)?;
    pilot.board.deliver_as_recorded(inputs::late_deliveries(&recording.log)?);
    if let Some(snapshot) = recording.first_snapshot()? {
        snapshot.restore_controller(&mut pilot)?;
    }
    let Some(parts) = pilot.controller.parts() else {
        let found = &recording.stage.case.controller.name;
        return Err(recording.wrong(&format!("expected a controller that is made of components, found '{found}'")));
    };
    parts.note(true);
    let (mut calls, mut differs) = (0, None);
    let mut told: Option<Vec<JointCommand>> = None;
    for frame in recording.log.frames() {
        let frame = frame?;
        // a controller that was silent then is not asked now
        if !frame.cycle.answered {
            continue;
        }
        let readings = &frame.cycle.readings;
        pilot.board.begin(readings.cycle);
        match parts.redo(name, readings, told.as_deref(), &frame.notes, &mut pilot.board) {
            Ok(count) => calls += count,
            Err(NotTheSame::Differs(what)) => {
                differs = Some((readings.time, what));
                break;
            }
            Err(refused @ NotTheSame::Unknown { .. }) => {
                return Err(ScenarioError::Usage(format!("--component: {refused}, found '{name}'")));
            }
            Err(refused) => return Err(recording.wrong(&format!("{refused}, at {}", readings.time))),
        }
        progress.show(readings.time, "the same so far");
        told = Some(frame.cycle.commands.joints);
    }
    progress.finish();
    Ok(Alone { calls, differs })
}
