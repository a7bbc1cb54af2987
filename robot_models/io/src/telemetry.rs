//! What a controller shows of its mind, for logs, reports and viewers. Nothing reads it back into control.

use std::sync::Arc;

use crate::{Layer, Localization, Odometry, Path, Pose2, Twist};

/// One cycle's worth of what a controller believes and intends. The buffers are reused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telemetry {
    /// Where it believes the base to be.
    pub odometry: Option<Odometry>,
    /// The velocity that it wants of the base, in the base frame.
    pub twist: Option<Twist>,
    /// The pose that it drives to, in the odometry frame.
    pub goal: Option<Pose2>,
    /// The path that it follows, in the odometry frame.
    pub path: Option<Arc<Path>>,
    /// Where it believes the base to be on its map.
    pub localization: Option<Localization>,
    /// What it knows of the world and what it makes of it: name, for example `cost_map`, and picture.
    pub layers: Vec<(&'static str, Layer)>,
    /// Anything else worth plotting: name with unit, for example `base_pitch [rad]`, and value.
    pub scalars: Vec<(&'static str, f64)>,
}

impl Telemetry {
    /// Forgets the last cycle but keeps the buffers.
    pub fn clear(&mut self) {
        let (mut scalars, mut layers) = (core::mem::take(&mut self.scalars), core::mem::take(&mut self.layers));
        scalars.clear();
        layers.clear();
        *self = Telemetry { scalars, layers, ..Telemetry::default() };
    }

    /// Adds a number worth plotting.
    pub fn scalar(&mut self, name_with_unit: &'static str, value: f64) {
        self.scalars.push((name_with_unit, value));
    }
}
