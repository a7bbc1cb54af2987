//! What height mapping believes.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of the height map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct HeightSettings {
    /// Side of a cell [m].
    #[setting(0.1, positive)]
    pub cell: f64,
    /// How far from the robot the map reaches in x and y [m].
    #[setting(30.0, positive, up_to = MOST_CELLS_OF_REACH * self.cell)]
    pub reach: f64,
    /// What is higher above the ground than this is no ground: the robot drives beneath it [m].
    #[setting(1.6, positive)]
    pub clearance: f64,
    /// So many points of the newest views tell a cell's height; older points that disagree are forgotten.
    #[setting(3, positive)]
    pub enough_points: usize,
    /// How far an older point may lie outside the newest ones before it disagrees [m].
    #[setting(0.08, positive)]
    pub agreement: f64,
    /// Up to this distance a height is good [m]. Where a place was seen from near by, points from farther away do not count
    /// unless they disagree; where it was not, its height is filtered.
    #[setting(6.0, positive)]
    pub near: f64,
    /// How wrong a view's attitude may be [rad]: points from far away may be off by this times their distance.
    #[setting(0.01, not_negative)]
    pub attitude_error: f64,
    /// How far a gap's neighbours may be away [m]; 20 cm in the paper, section 5.5.
    #[setting(0.2, not_negative)]
    pub gap_radius: f64,
    /// So many neighbours fill a gap; 2 in the paper, section 5.5.
    #[setting(2, positive)]
    pub gap_neighbours: usize,
    /// Neighbours of a gap that are higher than the lowest by more than this stand on an edge and do not fill it [m].
    #[setting(0.08, not_negative)]
    pub gap_step: f64,
    /// Half side of the median filter's window [m]; zero for none.
    #[setting(0.2, not_negative)]
    pub filter_radius: f64,
    /// The filter moves a well measured cell by no more than this [m]: what is higher is a stone and no noise, and what is
    /// lower is driven over in any case.
    #[setting(0.05, not_negative)]
    pub filter_limit: f64,
    /// Within this distance of the base, ground that is not seen is taken for the plane on which the wheels stand [m].
    #[setting(1.2, not_negative)]
    pub blind_radius: f64,
    /// Up to this distance the laser is sure to see the ground, if there is some [m]: scan planes are so near to each other there
    /// that gaps between them are filled.
    #[setting(3.5, positive)]
    pub sure_range: f64,
    /// Ground may go on downwards as steeply as this where it is not seen yet [°]; if even so it would be seen and is not, it is
    /// missing.
    #[setting(20.0, positive)]
    pub steepest_slope_deg: f64,
    /// What is lower than this beside the ground is a drop [m].
    #[setting(0.15, positive)]
    pub deepest_fall: f64,
    /// What is deeper than this below the ground on both sides is a hole [m]: a wheel would fall into it.
    #[setting(0.08, positive)]
    pub deepest_hole: f64,
    /// A measurement under the standing robot that is further off that plane than this is the robot itself [m].
    #[setting(0.06, positive)]
    pub standing_error: f64,
}

/// A map of more than a million cells is not restored from a snapshot ([`robot_io::State`] of vectors).
const MOST_CELLS_OF_REACH: f64 = 500.0;
