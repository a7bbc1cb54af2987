//! What height mapping believes.

use serde::{Deserialize, Serialize};

use crate::NavigationError;

/// Parameters of the height map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeightSettings {
    /// Side of a cell [m].
    pub cell: f64,
    /// How far from the robot the map reaches in x and y [m].
    pub reach: f64,
    /// What is higher above the ground than this is no ground: the robot drives beneath it [m].
    pub clearance: f64,
    /// So many points of the newest views tell a cell's height; older points that disagree are forgotten.
    pub enough_points: usize,
    /// How far an older point may lie outside the newest ones before it disagrees [m].
    pub agreement: f64,
    /// Up to this distance a height is good [m]. Where a place was seen from near by, points from farther away do not count
    /// unless they disagree; where it was not, its height is filtered.
    pub near: f64,
    /// How wrong a view's attitude may be [rad]: points from far away may be off by this times their distance.
    pub attitude_error: f64,
    /// How far a gap's neighbours may be away [m]; 20 cm in the paper, section 5.5.
    pub gap_radius: f64,
    /// So many neighbours fill a gap; 2 in the paper, section 5.5.
    pub gap_neighbours: usize,
    /// Neighbours of a gap that are higher than the lowest by more than this stand on an edge and do not fill it [m].
    pub gap_step: f64,
    /// Half side of the median filter's window [m]; zero for none.
    pub filter_radius: f64,
    /// The filter moves a well measured cell by no more than this [m]: what is higher is a stone and no noise, and what is
    /// lower is driven over in any case.
    pub filter_limit: f64,
    /// Within this distance of the base, ground that is not seen is taken for the plane on which the wheels stand [m].
    pub blind_radius: f64,
    /// Up to this distance the laser is sure to see the ground, if there is some [m]: scan planes are so near to each other there
    /// that gaps between them are filled.
    pub sure_range: f64,
    /// Ground may go on downwards as steeply as this where it is not seen yet [°]; if even so it would be seen and is not, it is
    /// missing.
    pub steepest_slope_deg: f64,
    /// What is lower than this beside the ground is a drop [m].
    pub deepest_fall: f64,
    /// What is deeper than this below the ground on both sides is a hole [m]: a wheel would fall into it.
    pub deepest_hole: f64,
    /// A measurement under the standing robot that is further off that plane than this is the robot itself [m].
    pub standing_error: f64,
}

impl Default for HeightSettings {
    fn default() -> Self {
        HeightSettings {
            cell: 0.1,
            reach: 30.0,
            clearance: 1.6,
            enough_points: 3,
            agreement: 0.08,
            near: 6.0,
            attitude_error: 0.01,
            gap_radius: 0.2,
            gap_neighbours: 2,
            gap_step: 0.08,
            filter_radius: 0.2,
            filter_limit: 0.05,
            blind_radius: 1.2,
            sure_range: 3.5,
            steepest_slope_deg: 20.0,
            deepest_fall: 0.15,
            deepest_hole: 0.08,
            standing_error: 0.06,
        }
    }
}

impl HeightSettings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), NavigationError> {
        let positive = [
            ("height.cell [m]", self.cell),
            ("height.reach [m]", self.reach),
            ("height.clearance [m]", self.clearance),
            ("height.agreement [m]", self.agreement),
            ("height.near [m]", self.near),
            ("height.standing_error [m]", self.standing_error),
            ("height.sure_range [m]", self.sure_range),
            ("height.steepest_slope_deg [°]", self.steepest_slope_deg),
            ("height.deepest_fall [m]", self.deepest_fall),
            ("height.deepest_hole [m]", self.deepest_hole),
            ("height.enough_points", self.enough_points as f64),
            ("height.gap_neighbours", self.gap_neighbours as f64),
        ];
        let not_negative = [
            ("height.attitude_error [rad]", self.attitude_error),
            ("height.gap_radius [m]", self.gap_radius),
            ("height.gap_step [m]", self.gap_step),
            ("height.filter_radius [m]", self.filter_radius),
            ("height.filter_limit [m]", self.filter_limit),
            ("height.blind_radius [m]", self.blind_radius),
        ];
        NavigationError::check_positive(&positive)?;
        NavigationError::check_not_negative(&not_negative)?;
        if self.reach / self.cell > MOST_CELLS_OF_REACH {
            let (field, expected) = ("height.reach [m]", "at most 500 cells");
            return Err(NavigationError::Setting { field, expected, found: self.reach });
        }
        Ok(())
    }
}

/// A map of more than a million cells is not restored from a snapshot ([`robot_io::State`] of vectors).
const MOST_CELLS_OF_REACH: f64 = 500.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_pass_and_a_missing_cell_is_refused_by_name() {
        assert_eq!(HeightSettings::default().check(), Ok(()));
        let message = HeightSettings { cell: 0.0, ..HeightSettings::default() }.check().map_err(|e| e.to_string());
        assert_eq!(message, Err("navigation: height.cell [m]: expected a positive number, found 0".to_owned()));
    }
}
