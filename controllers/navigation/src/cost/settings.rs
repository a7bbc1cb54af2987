//! What this robot can drive over.

use serde::{Deserialize, Serialize};

use crate::NavigationError;

/// Parameters of drivability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CostSettings {
    /// Weights of the height differences at scales 1, 3 and 6 [1/m]; Momaro, section 6.2.
    pub weights: [f64; 3],
    /// The larger two scales add at most this each; Momaro, equation 2.
    pub largest_share: f64,
    /// A combined difference of this much costs as much as ground can cost that is not forbidden. The paper's is 1, for a
    /// cell size that it does not name; with cells of 10 cm a smooth slope of 15° has up to 0.99.
    pub full_difference: f64,
    /// Slopes cost from this on [°].
    pub caution_slope_deg: f64,
    /// Steeper is forbidden [°].
    pub steepest_slope_deg: f64,
    /// Steps cost from this on [m].
    pub easy_step: f64,
    /// Higher steps are forbidden [m]: 5 cm are driven over, and 2 cm of the ground's roughness may be added to them.
    pub highest_step: f64,
    /// Higher steps are forbidden where the ground was seen from far away, or not itself but only around [m].
    pub highest_unsure_step: f64,
    /// Steps of this height all around cost as much as ground can cost that is not forbidden [m].
    pub full_roughness: f64,
    /// What rises by more than this within a cell is forbidden [m].
    pub largest_spread: f64,
    /// What it costs to drive where nobody knows the ground, 0 to 1; 1 forbids it.
    pub unknown: f64,
    /// The robot keeps this far from what is forbidden [m].
    pub margin: f64,
    /// What falls off by more than this is a drop [m]: deeper than what can be stepped down.
    pub deepest_step: f64,
    /// The robot keeps so much farther from a drop than from other things [m].
    pub drop_margin: f64,
    /// The robot keeps so much farther from thin things [m]: few beams meet them, so their place is not known well.
    pub thin_margin: f64,
    /// Radius of the disc over which costs are averaged, so that they rise towards obstacles [m]; Momaro, equation 4.
    pub inflation_radius: f64,
}

impl Default for CostSettings {
    fn default() -> Self {
        CostSettings {
            weights: [2.2, 3.6, 2.5],
            largest_share: 0.5,
            full_difference: 1.4,
            caution_slope_deg: 12.0,
            steepest_slope_deg: 20.0,
            easy_step: 0.03,
            highest_step: 0.07,
            highest_unsure_step: 0.14,
            full_roughness: 0.06,
            largest_spread: 0.15,
            unknown: 0.5,
            margin: 0.03,
            deepest_step: 0.22,
            drop_margin: 0.1,
            thin_margin: 0.05,
            inflation_radius: 0.7,
        }
    }
}

impl CostSettings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), NavigationError> {
        NavigationError::check_positive(&[
            ("cost.full_difference", self.full_difference),
            ("cost.steepest_slope_deg [°]", self.steepest_slope_deg),
            ("cost.highest_step [m]", self.highest_step),
            ("cost.highest_unsure_step [m]", self.highest_unsure_step),
            ("cost.full_roughness [m]", self.full_roughness),
            ("cost.largest_spread [m]", self.largest_spread),
            ("cost.deepest_step [m]", self.deepest_step),
            ("cost.inflation_radius [m]", self.inflation_radius),
        ])?;
        let [near, middle, far] = self.weights;
        NavigationError::check_not_negative(&[
            ("cost.weights[0] [1/m]", near),
            ("cost.weights[1] [1/m]", middle),
            ("cost.weights[2] [1/m]", far),
            ("cost.largest_share", self.largest_share),
            ("cost.caution_slope_deg [°]", self.caution_slope_deg),
            ("cost.easy_step [m]", self.easy_step),
            ("cost.margin [m]", self.margin),
            ("cost.drop_margin [m]", self.drop_margin),
            ("cost.thin_margin [m]", self.thin_margin),
        ])?;
        NavigationError::check_share(&[("cost.unknown", self.unknown)])?;
        self.check_order()
    }

    fn check_order(&self) -> Result<(), NavigationError> {
        let refuse = |field, expected, found| Err(NavigationError::Setting { field, expected, found });
        if self.caution_slope_deg >= self.steepest_slope_deg {
            let found = self.caution_slope_deg;
            return refuse("cost.caution_slope_deg [°]", "less than steepest_slope_deg", found);
        }
        if self.easy_step >= self.highest_step {
            return refuse("cost.easy_step [m]", "less than highest_step", self.easy_step);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_the_wrong_order_are_refused_by_name() {
        assert_eq!(CostSettings::default().check(), Ok(()));
        let message = CostSettings { easy_step: 0.1, ..CostSettings::default() }.check().map_err(|e| e.to_string());
        let expected = "navigation: cost.easy_step [m]: expected less than highest_step, found 0.1";
        assert_eq!(message, Err(expected.to_owned()));
    }
}
