//! One cycle's worth of everything commanded.

use serde::{Deserialize, Serialize};

use crate::error::same_number;
use crate::{IoError, JointCommand, Readings, RobotLayout, State};

/// What the joints shall do. The buffers are sized once and reused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct Commands {
    /// The cycle whose readings these commands answer; an old number shows a controller that has stopped.
    pub cycle: u64,
    /// One command per joint, in the layout's order.
    pub joints: Vec<JointCommand>,
    /// The controller asks for an emergency stop, which acts in this very cycle. A bare robot obeys for as long as it is
    /// asked: its drives give no torque, or its joints stand still. [`SafetyFilter`](crate::SafetyFilter) latches the stop
    /// and holds every joint where it is.
    pub emergency_stop: bool,
    /// For each colour camera, whether it shall take a picture.
    #[serde(default)]
    #[state(elements)]
    pub take_image: Vec<bool>,
    /// For each depth camera, whether it shall take a picture.
    #[serde(default)]
    #[state(elements)]
    pub take_depth_image: Vec<bool>,
}

impl Commands {
    /// Commands of the right size for `layout`, all limp.
    pub fn new(layout: &RobotLayout) -> Commands {
        Commands {
            joints: vec![JointCommand::default(); layout.joints.len()],
            take_image: vec![false; layout.cameras.len()],
            take_depth_image: vec![false; layout.depth_cameras.len()],
            ..Commands::default()
        }
    }

    /// Refuses commands that were made for another layout.
    pub fn check(&self, layout: &RobotLayout) -> Result<(), IoError> {
        same_number("joint commands", layout.joints.len(), self.joints.len())?;
        same_number("image requests", layout.cameras.len(), self.take_image.len())?;
        same_number("depth image requests", layout.depth_cameras.len(), self.take_depth_image.len())
    }

    /// Begins the answer to `readings`.
    pub fn answer(&mut self, readings: &Readings) {
        self.cycle = readings.cycle;
        self.emergency_stop = false;
        self.take_image.fill(false);
        self.take_depth_image.fill(false);
    }

    /// Takes over other commands without allocating, given that both have the same layout.
    pub fn copy_from(&mut self, other: &Commands) {
        self.cycle = other.cycle;
        self.joints.clone_from(&other.joints);
        self.emergency_stop = other.emergency_stop;
        self.take_image.clone_from(&other.take_image);
        self.take_depth_image.clone_from(&other.take_depth_image);
    }
}
