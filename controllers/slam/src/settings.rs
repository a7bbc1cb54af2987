//! Everything that can be set, of all parts.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

use crate::{AssemblySettings, CalibrationSettings, KissSettings, MapperSettings, VgicpSettings};

/// Parameters of [`Slam`](crate::Slam).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct SlamSettings {
    /// How long after a sweep is complete its result is used [s]; registration has to be done by then.
    #[setting(0.4, positive)]
    pub latency: f64,
    /// Without a new result for this long, the place is told as degraded [s].
    #[setting(4.0, positive)]
    pub stale_after: f64,
    /// From scans to sweeps.
    pub assembly: AssemblySettings,
    /// Where laser and axis really are.
    pub calibration: CalibrationSettings,
    /// From sweeps to a map.
    pub mapper: MapperSettings,
    /// A baseline in the manner of KISS-ICP, for comparison; the robot does not use it.
    pub kiss: KissSettings,
    /// A second one, voxelised GICP; the robot does not use it either.
    pub vgicp: VgicpSettings,
}
