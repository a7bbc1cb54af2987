//! `chiron view`: an interactive session.

use std::path::Path;

use super::run::{load_stage, seen_through};
use crate::cli::ViewArgs;
use crate::interactive::Opening;
use crate::outcome::Outcome;
use crate::viewer::watch;
use crate::{Library, ScenarioError, Staffing, interrupt};

/// Where pictures go that are taken of a run that leaves no results.
const PICTURES: &str = "out/pictures";

/// Opens the viewer on a live run that leaves nothing behind but the pictures that one takes of it.
pub fn view(args: &ViewArgs, library: &Library) -> Result<Outcome, ScenarioError> {
    station::ready()?;
    let stage = load_stage(library, &args.case, &args.changes)?;
    let link = seen_through(&stage, args.through_link)?;
    let opening = Opening { paused: args.paused, speed: args.realtime, link };
    let staffing = Staffing { workers: 1, ..Staffing::default() };
    watch(&stage, &staffing, None, opening, Path::new(PICTURES))?;
    Ok(if interrupt::requested() { Outcome::Interrupted } else { Outcome::Passed })
}
