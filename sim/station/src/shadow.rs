//! shadow (to come)
use bevy::prelude::*;
pub(crate) struct ShadowPlugin;
impl Plugin for ShadowPlugin { fn build(&self, _app: &mut App) {} }
