//! What the assembly of sweeps believes.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// No scanner's stamps are farther off than that [s]: two of its scans.
pub const MOST_SCAN_DELAY: f64 = 0.05;

/// Parameters of [`SweepAssembler`](crate::SweepAssembler).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct AssemblySettings {
    /// How fast the laser's axis is told to turn [rad/s].
    #[setting(5.0, positive)]
    pub axis_rate: f64,
    /// The axis' angle is that of a straight line through its readings over this time [s]; long enough that the steps of
    /// the encoder do not show.
    #[setting(0.1, positive, up_to = 1.0)]
    pub axis_fit: f64,
    /// By which share of its gear's play the axis lags behind its encoder: a half for an encoder on the motor, since the axis
    /// always turns the same way and lies at one stop; 0 for an encoder on the axis.
    #[setting(0.5, share)]
    pub axis_lag: f64,
    /// A beam that meets the line to its neighbour at less than this angle [rad] grazes a surface or an edge; the floor
    /// 14 m from a scanner 1.4 m above it.
    #[setting(0.1, positive)]
    pub grazing_angle: f64,
    /// A grazing beam is kept if the surface on one side of it leads there within this distance [m]; about five times
    /// the scanner's noise.
    #[setting(0.06, positive)]
    pub edge_tolerance: f64,
    /// How far the robot's shapes may be off their drawing [m]. What joints, gears, encoders and the beam's width add is known
    /// from the robot's description.
    #[setting(0.01, positive)]
    pub body_margin: f64,
    /// Of the beams that met nothing one in so many is kept, to tell free space.
    #[setting(8, positive)]
    pub miss_step: usize,
    /// By how much later than its first beam was measured a scan is stamped, as far as one knows [s]; negative for earlier.
    #[setting(0.0, range = -MOST_SCAN_DELAY..=MOST_SCAN_DELAY)]
    pub scan_delay: f64,
    /// A turn that takes longer is given up [s]: the axis hangs.
    #[setting(4.0, positive)]
    pub longest_turn: f64,
}
