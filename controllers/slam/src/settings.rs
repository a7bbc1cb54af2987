//! Everything that can be set, of all parts.

use serde::{Deserialize, Serialize};

use crate::error::check_positive;
use crate::{AssemblySettings, CalibrationSettings, KissSettings, MapperSettings, SlamError, VgicpSettings};

/// Parameters of [`Slam`](crate::Slam).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlamSettings {
    /// How long after a sweep is complete its result is used [s]; registration has to be done by then.
    pub latency: f64,
    /// Without a new result for this long, the place is told as degraded [s].
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

impl Default for SlamSettings {
    fn default() -> Self {
        SlamSettings {
            latency: 0.4,
            stale_after: 4.0,
            assembly: AssemblySettings::default(),
            calibration: CalibrationSettings::default(),
            mapper: MapperSettings::default(),
            kiss: KissSettings::default(),
            vgicp: VgicpSettings::default(),
        }
    }
}

impl SlamSettings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), SlamError> {
        check_positive(&[("latency [s]", self.latency), ("stale_after [s]", self.stale_after)])?;
        self.assembly.check()?;
        self.calibration.check()?;
        self.kiss.check()?;
        self.vgicp.check()
    }
}
