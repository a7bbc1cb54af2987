//! The motion files that a scenario's mission names.

use std::path::Path;

use mission::MissionPlan;

use crate::beside::find;
use crate::case::{Case, Source};
use crate::{Library, ScenarioError};

/// Motions lie in a folder of this name, beside the scenario or in the library.
const FOLDER: &str = "motions";

/// Reads the motions of a mission's steps, and gives back their files for the log.
pub(crate) fn read(library: &Library, case: &mut Case) -> Result<Vec<Source>, ScenarioError> {
    let mut sources: Vec<Source> = Vec::new();
    let folder = case.folder.clone();
    case.mission.find_motions(&mut |name| {
        let (path, text) = find(library, &folder, FOLDER, name)?;
        let shown = library.relative(&path).display().to_string();
        if !sources.iter().any(|source| source.path == shown) {
            sources.push(Source { path: shown.clone(), text: text.clone() });
        }
        Ok((shown, text))
    })?;
    Ok(sources)
}

/// The same from the files of a log.
pub(crate) fn read_again(mission: &mut MissionPlan, sources: &[Source]) -> Result<(), ScenarioError> {
    mission.find_motions(&mut |name| {
        let is_it = |source: &&Source| Path::new(&source.path).file_stem().is_some_and(|stem| stem == name);
        let source = sources.iter().find(is_it).ok_or_else(|| format!("expected the motion '{name}', found none"))?;
        Ok((source.path.clone(), source.text.clone()))
    })?;
    Ok(())
}
