//! The motion files that a scenario's mission names.

use std::fs;
use std::path::{Path, PathBuf};

use mission::MissionPlan;

use crate::case::{Case, Source};
use crate::{Library, ScenarioError};

/// Motions lie in a folder of this name, beside the scenario or in the library.
const FOLDER: &str = "motions";

/// Reads the motions of a mission's steps, and gives back their files for the log.
pub(crate) fn read(library: &Library, case: &mut Case) -> Result<Vec<Source>, ScenarioError> {
    let mut sources: Vec<Source> = Vec::new();
    let folder = case.folder.clone();
    case.mission.find_motions(&mut |name| {
        let (path, text) = find(library, &folder, name)?;
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

/// A motion's file: beside the scenario, in a folder `motions` there, or in the library's.
fn find(library: &Library, folder: &Path, name: &str) -> Result<(PathBuf, String), String> {
    let file = format!("{name}.toml");
    let places = [folder.join(FOLDER), library.root().join("scenarios").join(FOLDER)];
    let Some(path) = places.iter().map(|place| place.join(&file)).find(|path| path.is_file()) else {
        let places = places.map(|place| place.display().to_string()).join(" or ");
        return Err(format!("expected a file {file} in {places}, found none"));
    };
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok((path, text))
}
