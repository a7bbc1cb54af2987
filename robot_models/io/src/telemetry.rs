//! What a controller shows of its mind, for logs, reports and viewers. Nothing reads it back into control.

use std::sync::Arc;

use crate::{Layer, Localization, Odometry, Path, Pose2, Time, Twist};

/// A state of a statechart that is active.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActiveState {
    /// From the outside to the inside: `fetch/grasp/close`.
    pub path: String,
    /// What it is told: `joint = "elbow", to = 0.5`.
    pub told: String,
    /// Since when.
    pub since: Time,
    /// What led to it: `fetch/approach ended as 'done', goes on with 'grasp'`; empty at the beginning, and where nobody remembers.
    pub because: String,
}

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
    /// The active states of its statecharts, one for each region; the same object as long as it is the same.
    pub states: Vec<Arc<ActiveState>>,
    /// Anything else worth plotting: name with unit, for example `base_pitch [rad]`, and value.
    pub scalars: Vec<(&'static str, f64)>,
}

impl Telemetry {
    /// Forgets the last cycle but keeps the buffers.
    pub fn clear(&mut self) {
        let Telemetry { mut scalars, mut layers, mut states, .. } = core::mem::take(self);
        scalars.clear();
        layers.clear();
        states.clear();
        *self = Telemetry { scalars, layers, states, ..Telemetry::default() };
    }

    /// Adds a number worth plotting.
    pub fn scalar(&mut self, name_with_unit: &'static str, value: f64) {
        self.scalars.push((name_with_unit, value));
    }
}
