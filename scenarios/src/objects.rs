//! The objects that a scenario's eyes know by their look, and eyes and hands for its chart.

use std::path::Path;

use perception::Catalogue;

use crate::beside::find;
use crate::case::{Case, HandsTable, Source};
use crate::controller::HandsOffer;
use crate::{Library, ScenarioError};

/// Files of objects lie in a folder of this name, beside the scenario or in the library.
const FOLDER: &str = "objects";

/// The file of objects that a scenario names.
pub(crate) fn read(library: &Library, case: &Case) -> Result<Vec<Source>, ScenarioError> {
    let Some(table) = &case.hands else { return Ok(Vec::new()) };
    let (path, text) = find(library, &case.folder, FOLDER, &table.objects)
        .map_err(|message| case.wrong(table.line, format!("hands: objects: {message}")))?;
    Ok(vec![Source { path: library.relative(&path).display().to_string(), text }])
}

/// What eyes and hands are made from, if the scenario has a table `[hands]`.
pub(crate) fn offer(case: &Case, sources: &[Source]) -> Result<Option<HandsOffer>, ScenarioError> {
    let Some(HandsTable { camera, colour_camera, objects, line }) = &case.hands else { return Ok(None) };
    let is_it = |source: &&Source| Path::new(&source.path).file_stem().is_some_and(|stem| stem == objects.as_str());
    let missing = || case.wrong(*line, format!("hands: objects: expected a file {objects}.toml, found none"));
    let source = sources.iter().find(is_it).ok_or_else(missing)?;
    let catalogue = Catalogue::parse(&source.text, &source.path);
    let Catalogue { models, colours } =
        catalogue.map_err(|error| case.wrong(*line, format!("hands: objects: {error}")))?;
    let colours = match (colour_camera, colours) {
        (Some(camera), Some(table)) => Some((camera.clone(), table)),
        (Some(_), None) => {
            let expected = format!("a file with [[class]] tables, found none in {}", source.path);
            return Err(case.wrong(*line, format!("hands: colour_camera: expected {expected}")));
        }
        (None, _) => None,
    };
    Ok(Some(HandsOffer::new(camera, models, colours)))
}
