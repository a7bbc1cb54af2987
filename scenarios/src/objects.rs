//! The objects that a scenario's eyes know by their look, and eyes and hands for its chart.

use std::path::Path;
use std::sync::Arc;

use handling::{Body, Eyes, EyesPlan, HandlingError, Hands};
use perception::ObjectModel;
use robot_io::RobotLayout;
use robot_model::RobotModel;

use crate::beside::find;
use crate::case::{Case, HandsTable, Source};
use crate::{Library, ScenarioError};

/// Files of objects lie in a folder of this name, beside the scenario or in the library.
const FOLDER: &str = "objects";

/// Eyes and hands that a controller may have, and what they are made from.
#[derive(Clone, Debug)]
pub(crate) struct HandsOffer {
    camera: String,
    models: Vec<ObjectModel>,
}

/// The file of objects that a scenario names.
pub(crate) fn read(library: &Library, case: &Case) -> Result<Vec<Source>, ScenarioError> {
    let Some(table) = &case.hands else { return Ok(Vec::new()) };
    let (path, text) = find(library, &case.folder, FOLDER, &table.objects)
        .map_err(|message| case.wrong(table.line, format!("hands: objects: {message}")))?;
    Ok(vec![Source { path: library.relative(&path).display().to_string(), text }])
}

/// What eyes and hands are made from, if the scenario has a table `[hands]`.
pub(crate) fn offer(case: &Case, sources: &[Source]) -> Result<Option<HandsOffer>, ScenarioError> {
    let Some(HandsTable { camera, objects, line }) = &case.hands else { return Ok(None) };
    let is_it = |source: &&Source| Path::new(&source.path).file_stem().is_some_and(|stem| stem == objects.as_str());
    let missing = || case.wrong(*line, format!("hands: objects: expected a file {objects}.toml, found none"));
    let source = sources.iter().find(is_it).ok_or_else(missing)?;
    let models = ObjectModel::parse(&source.text, &source.path);
    let models = models.map_err(|error| case.wrong(*line, format!("hands: objects: {error}")))?;
    Ok(Some(HandsOffer { camera: camera.clone(), models }))
}

impl HandsOffer {
    /// Eyes and hands of a robot, with this priority for the joints of its arms.
    pub fn make(
        &self,
        robot: &RobotModel,
        layout: &RobotLayout,
        priority: u32,
    ) -> Result<(Eyes, Hands), HandlingError> {
        // a mesh of the robot has no corners here: it is refused by its name
        let body = Arc::new(Body::new(robot, &self.models, |_| None)?);
        let plan = EyesPlan::new(layout, &self.camera, self.models.clone())?;
        Ok((Eyes::new(Arc::clone(&body), plan)?, Hands::new(body, layout, priority)?))
    }
}
