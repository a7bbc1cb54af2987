//! What surrounds the robot: sky and light, the ground, things on it.

mod ground;
mod light;
mod objects;
mod terrain_mesh;

use bevy::app::{PluginGroup, PluginGroupBuilder};

pub(crate) use light::eye;
pub use terrain_mesh::{MOST_SAMPLES, terrain_mesh};

/// Sky, sun, ground and objects.
pub(crate) struct SceneryPlugins;

impl PluginGroup for SceneryPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(light::LightPlugin)
            .add(ground::GroundPlugin)
            .add(objects::ObjectsPlugin)
    }
}
