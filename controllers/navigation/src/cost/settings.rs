//! What this robot can drive over.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of drivability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct CostSettings {
    /// Weights of the height differences at scales 1, 3 and 6 [1/m]; Momaro, section 6.2.
    #[setting([2.2, 3.6, 2.5], not_negative)]
    pub weights: [f64; 3],
    /// The larger two scales add at most this each; Momaro, equation 2.
    #[setting(0.5, not_negative)]
    pub largest_share: f64,
    /// A combined difference of this much costs as much as ground can cost that is not forbidden. The paper's is 1, for a
    /// cell size that it does not name; with cells of 10 cm a smooth slope of 15° has up to 0.99.
    #[setting(1.4, positive)]
    pub full_difference: f64,
    /// Slopes cost from this on [°].
    #[setting(12.0, not_negative, below = steepest_slope_deg)]
    pub caution_slope_deg: f64,
    /// Steeper is forbidden [°].
    #[setting(20.0, positive)]
    pub steepest_slope_deg: f64,
    /// Steps cost from this on [m].
    #[setting(0.03, not_negative, below = highest_step)]
    pub easy_step: f64,
    /// Higher steps are forbidden [m]: 5 cm are driven over, and 2 cm of the ground's roughness may be added to them.
    #[setting(0.07, positive)]
    pub highest_step: f64,
    /// Higher steps are forbidden where the ground was seen from far away, or not itself but only around [m].
    #[setting(0.14, positive)]
    pub highest_unsure_step: f64,
    /// Steps of this height all around cost as much as ground can cost that is not forbidden [m].
    #[setting(0.06, positive)]
    pub full_roughness: f64,
    /// What rises by more than this within a cell is forbidden [m].
    #[setting(0.15, positive)]
    pub largest_spread: f64,
    /// What it costs to drive where nobody knows the ground, 0 to 1; 1 forbids it.
    #[setting(0.5, share)]
    pub unknown: f64,
    /// The robot's outline keeps this far from the middles of forbidden cells [m]: half of a cell.
    #[setting(0.05, not_negative)]
    pub margin: f64,
    /// What falls off by more than this is a drop [m]: deeper than what can be stepped down.
    #[setting(0.22, positive)]
    pub deepest_step: f64,
    /// The robot keeps so much farther from a drop than from other things [m].
    #[setting(0.1, not_negative)]
    pub drop_margin: f64,
    /// The robot keeps so much farther from thin things [m]: few beams meet them, so their place is not known well.
    #[setting(0.05, not_negative)]
    pub thin_margin: f64,
    /// Radius of the disc over which costs are averaged, so that they rise towards obstacles [m]; Momaro, equation 4.
    #[setting(0.7, positive)]
    pub inflation_radius: f64,
}
