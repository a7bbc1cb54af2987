//! Pictures of a run, rendered without a window.

use std::path::Path;
use std::sync::Arc;

use robot_io::RobotLayout;
use station::{CameraPose, Footprints, Overlays, Playback, Scene, Shot, StationFrame};

use crate::figures::Figures;
use crate::moment::Moment;
use crate::progress::Pieces;
use crate::report::Picture;
use crate::{ScenarioError, Stage, interactive};

/// Width and height of a picture in the report [pixels].
const SIZE: (u32, u32) = (960, 540);

/// The start, the moment of greatest tilt, the middle and the end.
pub fn of_run(stage: &Stage, moments: &[Moment], quiet: bool) -> Result<Vec<Picture>, ScenarioError> {
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else { return Ok(Vec::new()) };
    let steepest = moments.iter().max_by(|a, b| a.tilt.total_cmp(&b.tilt)).unwrap_or(last);
    let chosen =
        [("start", first), ("greatest tilt", steepest), ("half way", &moments[moments.len() / 2]), ("end", last)];
    let folder =
        tempfile::tempdir().map_err(|error| ScenarioError::file(Path::new("temporary folder"), "create", &error))?;
    let path = |index: usize| folder.path().join(format!("{index}.png"));
    let mut pieces = Pieces::new("pictures for the report", quiet);
    let shots = chosen.iter().enumerate().map(|(index, (_, moment))| shot(moment, path(index))).collect();
    let all = chosen.len();
    let drawn =
        station::screenshots_with(scene(stage, stage.layout()), shots, SIZE, |number| pieces.begin(number, all));
    pieces.finish();
    drawn?;
    let picture = |(index, (title, moment)): (usize, &(&str, &Moment))| {
        let path = path(index);
        let png = std::fs::read(&path).map_err(|error| ScenarioError::file(&path, "read", &error))?;
        Ok(Picture { title: format!("{title}, {}", moment.readings.time), png })
    };
    chosen.iter().enumerate().map(picture).collect()
}

/// One picture of a moment.
pub fn screenshot(stage: &Stage, moment: &Moment, path: &Path) -> Result<(), ScenarioError> {
    let scene = scene(stage, stage.layout());
    station::screenshots(scene, vec![shot(moment, path.to_owned())], (1600, 900))?;
    println!("  {} at {}", path.display(), moment.readings.time);
    Ok(())
}

/// What the viewer needs to know of a stage.
pub fn scene(stage: &Stage, layout: RobotLayout) -> Scene {
    let title = stage.case.title.clone();
    let world = match stage.others.is_empty() {
        true => Arc::clone(&stage.world),
        false => Arc::new(Figures::of(stage).within(&stage.world)),
    };
    let robot = Arc::clone(&stage.robot);
    let (settings, by_hand) = (interactive::settings(stage), interactive::movable(stage));
    Scene { world, robot, layout, odom_in_world: stage.spawn, title, settings, by_hand }
}

fn shot(moment: &Moment, path: std::path::PathBuf) -> Shot {
    let Moment { frame, readings, commands, telemetry, footprints, .. } = moment.clone();
    let playback = Playback { now: readings.time, ..Playback::default() };
    let frame = StationFrame { frame, readings, commands, telemetry, playback, footprints, ..StationFrame::default() };
    // one arrow for each sole is clearer than one for each of its corners
    let on_soles = frame.footprints != Footprints::default();
    // the few moments of a report make no trail
    let overlays = Overlays {
        contact_forces: !on_soles,
        contact_wrenches: on_soles,
        support_polygon: true,
        centre_of_mass: true,
        balance_points: true,
        trail: false,
        ..Overlays::default()
    };
    Shot { frame, path, camera: CameraPose::default(), overlays }
}
