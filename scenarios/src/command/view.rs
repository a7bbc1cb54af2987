//! `chiron view`: an interactive session.

use super::run::{Changes, load_stage};
use crate::cli::{Outcome, ViewArgs};
use crate::viewer::{Opening, watch};
use crate::{Library, ScenarioError, Staffing};

/// Opens the viewer on a live run that leaves nothing behind.
pub fn view(args: &ViewArgs) -> Result<Outcome, ScenarioError> {
    let changes = Changes { seed: args.seed, duration: None, plant: args.plant.clone(), twin: false };
    let stage = load_stage(&Library::find(), &args.case, &changes)?;
    let opening = Opening { paused: args.paused, speed: args.realtime };
    let staffing = Staffing { workers: 1, realtime: Some(args.realtime), ..Staffing::default() };
    watch(&stage, staffing, None, opening)?;
    Ok(Outcome::Passed)
}
