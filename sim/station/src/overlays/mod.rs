//! Lines that explain what one sees.

mod balance;
mod balance_points;
mod contacts;
mod footsteps;
mod joints;
mod path;
mod wrenches;

use bevy::app::{PluginGroup, PluginGroupBuilder};
use bevy::prelude::*;

pub(crate) use balance::balance;
pub(crate) use balance_points::{CAPTURE, PRESSURE};
pub(crate) use footsteps::SIDES;
pub(crate) use wrenches::WRENCH;

/// All overlays but the collision shapes, which the shadow world draws.
pub(crate) struct OverlayPlugins;

/// Lines that lie in the world and may be hidden by it.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub(crate) struct InWorld;

/// Lines that are seen through everything.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub(crate) struct OnTop;

/// Prepares the two kinds of lines.
struct LinesPlugin;

impl PluginGroup for OverlayPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(LinesPlugin)
            .add(contacts::ContactsPlugin)
            .add(wrenches::WrenchesPlugin)
            .add(balance::BalancePlugin)
            .add(balance_points::BalancePointsPlugin)
            .add(footsteps::FootstepsPlugin)
            .add(joints::JointsPlugin)
            .add(path::PathPlugin)
    }
}

impl Plugin for LinesPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<InWorld>().init_gizmo_group::<OnTop>().add_systems(Startup, style);
    }
}

fn style(mut store: ResMut<GizmoConfigStore>) {
    let (in_world, _) = store.config_mut::<InWorld>();
    in_world.line.width = 4.0;
    in_world.depth_bias = -0.002;
    let (on_top, _) = store.config_mut::<OnTop>();
    on_top.line.width = 2.5;
    on_top.depth_bias = -1.0;
}

/// A colour of the palette, bright enough to survive tone mapping.
pub(crate) const fn ink(red: f32, green: f32, blue: f32) -> Color {
    Color::srgb(red, green, blue)
}
