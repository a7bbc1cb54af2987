//! What this robot can step over.

use serde::{Deserialize, Serialize};

use crate::NavigationError;

/// Parameters of edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EdgeSettings {
    /// Whether the robot may step at all.
    pub enabled: bool,
    /// Lower steps are no edges [m].
    pub lowest_rise: f64,
    /// Higher steps are obstacles [m].
    pub highest_rise: f64,
    /// Wider gaps are obstacles [m].
    pub widest_gap: f64,
    /// A gap is at least this deep [m].
    pub gap_depth: f64,
    /// An edge must be straight and free over this width [m].
    pub width: f64,
    /// Ground before and behind the edge that must be flat, beyond the robot's own length [m].
    pub extra_length: f64,
    /// The ground before and behind may be off its plane by this much [m].
    pub flatness: f64,
    /// The ground before and behind may slope by this much [°].
    pub steepest_slope_deg: f64,
    /// Between the robot's outline and the edge, before and after stepping [m].
    pub stand_off: f64,
}

impl Default for EdgeSettings {
    fn default() -> Self {
        EdgeSettings {
            enabled: true,
            lowest_rise: 0.08,
            highest_rise: 0.20,
            widest_gap: 0.26,
            gap_depth: 0.08,
            width: 0.9,
            extra_length: 0.2,
            flatness: 0.04,
            steepest_slope_deg: 10.0,
            stand_off: 0.25,
        }
    }
}

impl EdgeSettings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), NavigationError> {
        NavigationError::check_positive(&[
            ("edges.lowest_rise [m]", self.lowest_rise),
            ("edges.highest_rise [m]", self.highest_rise),
            ("edges.gap_depth [m]", self.gap_depth),
            ("edges.width [m]", self.width),
            ("edges.flatness [m]", self.flatness),
            ("edges.steepest_slope_deg [°]", self.steepest_slope_deg),
        ])?;
        NavigationError::check_not_negative(&[
            ("edges.widest_gap [m]", self.widest_gap),
            ("edges.extra_length [m]", self.extra_length),
            ("edges.stand_off [m]", self.stand_off),
        ])?;
        if self.lowest_rise >= self.highest_rise {
            let (field, expected) = ("edges.lowest_rise [m]", "less than highest_rise");
            return Err(NavigationError::Setting { field, expected, found: self.lowest_rise });
        }
        Ok(())
    }
}
