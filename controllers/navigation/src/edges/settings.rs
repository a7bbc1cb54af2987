//! What this robot can step over.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct EdgeSettings {
    /// Whether the robot may step at all.
    #[setting(true)]
    pub enabled: bool,
    /// Lower steps are no edges [m].
    #[setting(0.08, positive, below = highest_rise)]
    pub lowest_rise: f64,
    /// Higher steps are obstacles [m].
    #[setting(0.20, positive)]
    pub highest_rise: f64,
    /// Wider gaps are obstacles [m].
    #[setting(0.26, not_negative)]
    pub widest_gap: f64,
    /// A gap is at least this deep [m].
    #[setting(0.08, positive)]
    pub gap_depth: f64,
    /// An edge must be straight and free over this width [m].
    #[setting(0.9, positive)]
    pub width: f64,
    /// Ground before and behind the edge that must be flat, beyond the robot's own length [m].
    #[setting(0.2, not_negative)]
    pub extra_length: f64,
    /// The ground before and behind may be off its plane by this much [m].
    #[setting(0.04, positive)]
    pub flatness: f64,
    /// The ground before and behind may slope by this much [°].
    #[setting(10.0, positive)]
    pub steepest_slope_deg: f64,
    /// Between the robot's outline and the edge, before and after stepping [m].
    #[setting(0.25, not_negative)]
    pub stand_off: f64,
}
