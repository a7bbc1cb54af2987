//! What a person did during a recorded run.

use nalgebra::Vector3;
use plant::Push;
use replay::{Input, InputKind, LogReader};
use robot_io::{OperatorInput, Time};

use crate::session::{LateDelivery, TimedPush};
use crate::{ScenarioError, Stage};

/// The operator's input in each cycle in which there was some.
pub fn operator(log: &LogReader) -> Result<Vec<(u64, OperatorInput)>, ScenarioError> {
    let mut inputs = Vec::new();
    let mut cycles = log.cycles();
    while let Some(cycle) = cycles.next_cycle()? {
        if cycle.readings.operator != OperatorInput::default() {
            inputs.push((cycle.readings.cycle, cycle.readings.operator));
        }
    }
    Ok(inputs)
}

/// All pushes, the scenario's and those of the mouse.
pub fn pushes(log: &LogReader, stage: &Stage) -> Result<Vec<TimedPush>, ScenarioError> {
    let inputs = log.inputs()?;
    inputs.iter().filter(|input| input.kind == InputKind::Push).map(|input| push(input, log, stage)).collect()
}

/// Deadline tasks that came late, on a real bus.
pub fn late_deliveries(log: &LogReader) -> Result<Vec<LateDelivery>, ScenarioError> {
    let inputs = log.inputs()?.into_iter().filter(|input| input.kind == InputKind::TaskDelivery);
    let late = |input: Input| {
        let due = input.values.first().map_or(input.cycle, |due| *due as u64);
        LateDelivery { task: input.name, due, cycle: input.cycle }
    };
    Ok(inputs.map(late).collect())
}

fn push(input: &Input, log: &LogReader, stage: &Stage) -> Result<TimedPush, ScenarioError> {
    let wrong = |found: String| ScenarioError::File {
        path: log.path().to_owned(),
        message: format!("push in cycle {}: expected a link of a robot and 8 numbers, found {found}", input.cycle),
    };
    let link = stage.link_names().position(|name| name == input.name);
    let link = link.ok_or_else(|| wrong(format!("link '{}'", input.name)))?;
    let [at, until, fx, fy, fz, px, py, pz] = input.values[..] else {
        return Err(wrong(format!("{} numbers", input.values.len())));
    };
    let (force_in_world, point_in_link) = (Vector3::new(fx, fy, fz), Vector3::new(px, py, pz));
    let [at, until] = [at, until].map(|nanoseconds| Time::from_nanoseconds(nanoseconds as u64));
    Ok(TimedPush { at, push: Push { link, point_in_link, force_in_world, until } })
}
