//! What the assembly of sweeps believes.

use serde::{Deserialize, Serialize};

use crate::SlamError;
use crate::error::check_positive;

/// No scanner's stamps are farther off than that [s]: two of its scans.
pub const MOST_SCAN_DELAY: f64 = 0.05;

/// Parameters of [`SweepAssembler`](crate::SweepAssembler).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssemblySettings {
    /// How fast the laser's axis is told to turn [rad/s].
    pub axis_rate: f64,
    /// The axis' angle is that of a straight line through its readings over this time [s]; long enough that the steps of
    /// the encoder do not show.
    pub axis_fit: f64,
    /// By which share of its gear's play the axis lags behind its encoder: a half for an encoder on the motor, since the axis
    /// always turns the same way and lies at one stop; 0 for an encoder on the axis.
    pub axis_lag: f64,
    /// A beam that meets the line to its neighbour at less than this angle [rad] grazes a surface or an edge; the floor
    /// 14 m from a scanner 1.4 m above it.
    pub grazing_angle: f64,
    /// A grazing beam is kept if the surface on one side of it leads there within this distance [m]; about five times
    /// the scanner's noise.
    pub edge_tolerance: f64,
    /// How far the robot's shapes may be off their drawing [m]. What joints, gears, encoders and the beam's width add is known
    /// from the robot's description.
    pub body_margin: f64,
    /// Of the beams that met nothing one in so many is kept, to tell free space.
    pub miss_step: usize,
    /// By how much later than its first beam was measured a scan is stamped, as far as one knows [s]; negative for earlier.
    pub scan_delay: f64,
    /// A turn that takes longer is given up [s]: the axis hangs.
    pub longest_turn: f64,
}

impl Default for AssemblySettings {
    fn default() -> Self {
        AssemblySettings {
            axis_rate: 5.0,
            axis_fit: 0.1,
            axis_lag: 0.5,
            grazing_angle: 0.1,
            edge_tolerance: 0.06,
            body_margin: 0.01,
            miss_step: 8,
            scan_delay: 0.0,
            longest_turn: 4.0,
        }
    }
}

impl AssemblySettings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), SlamError> {
        check_positive(&[
            ("assembly.axis_rate [rad/s]", self.axis_rate),
            ("assembly.axis_fit [s]", self.axis_fit),
            ("assembly.grazing_angle [rad]", self.grazing_angle),
            ("assembly.edge_tolerance [m]", self.edge_tolerance),
            ("assembly.body_margin [m]", self.body_margin),
            ("assembly.miss_step", self.miss_step as f64),
            ("assembly.longest_turn [s]", self.longest_turn),
        ])?;
        if self.axis_fit > 1.0 {
            let (field, expected) = ("assembly.axis_fit [s]", "at most 1 s");
            return Err(SlamError::Setting { field, expected, found: self.axis_fit });
        }
        if !(-MOST_SCAN_DELAY..=MOST_SCAN_DELAY).contains(&self.scan_delay) {
            let (field, expected) = ("assembly.scan_delay [s]", "from -0.05 s to 0.05 s");
            return Err(SlamError::Setting { field, expected, found: self.scan_delay });
        }
        if !(0.0..=1.0).contains(&self.axis_lag) {
            let (field, expected) = ("assembly.axis_lag", "a share from 0 to 1");
            return Err(SlamError::Setting { field, expected, found: self.axis_lag });
        }
        Ok(())
    }
}
