//! What stands on the stage, for every plugin to read.

use bevy::prelude::Resource;

use crate::{Overlays, Scene};

/// The constant part of the show.
#[derive(Resource, Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) scene: Scene,
}

/// What is drawn beside robot and world, now.
#[derive(Resource, Clone, Copy, Debug)]
pub(crate) struct Shown(pub(crate) Overlays);
