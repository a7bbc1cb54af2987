//! Does what is to be shown fit together?

use crate::{Scene, StationError, StationFrame};

/// An error if a frame has other links than the robot.
pub(crate) fn frame(scene: &Scene, shown: &StationFrame) -> Result<(), StationError> {
    let (expected, found) = (scene.robot.tree.links.len(), shown.frame.links_in_world.len());
    let fits = expected == found;
    fits.then_some(()).ok_or(StationError::Mismatch { what: "links in a frame", expected, found })
}

/// An error if the layout has other joints than the robot.
pub(crate) fn layout(scene: &Scene) -> Result<(), StationError> {
    let (expected, found) = (scene.robot.tree.joints.len(), scene.layout.joints.len());
    let fits = expected == found;
    fits.then_some(()).ok_or(StationError::Mismatch { what: "joints in the layout", expected, found })
}

/// An error if a picture's size makes no sense.
pub(crate) fn size((width, height): (u32, u32), limit: u32) -> Result<(), StationError> {
    let sane = |edge: u32| (16..=limit).contains(&edge);
    let fits = sane(width) && sane(height);
    fits.then_some(()).ok_or(StationError::Size { width, height, limit })
}
