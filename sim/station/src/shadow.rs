//! shadow (to come)
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
pub(crate) struct ShadowPlugin;
impl Plugin for ShadowPlugin { fn build(&self, _app: &mut App) {} }
#[derive(SystemParam)]
pub(crate) struct Picker<'w> { stage: Res<'w, crate::stage::Stage> }
impl Picker<'_> { pub(crate) fn link_at(&self, _ray: Ray3d) -> Option<(usize, f32)> { let _ = &self.stage; None } }
