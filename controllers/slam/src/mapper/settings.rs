//! Numbers of the mapper.

use serde::{Deserialize, Serialize};

use crate::graph::GraphSettings;
use crate::grid::GridSettings;
use crate::registration::RegistrationSettings;
use crate::relocalization::{AlignSettings, SearchSettings};

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MapperSettings {
    /// The local map.
    pub grid: GridSettings,
    /// Surfels to surfels.
    pub registration: RegistrationSettings,
    /// What odometry is believed.
    pub motion: MotionSettings,
    /// Which sweeps are good enough.
    pub gate: GateSettings,
    /// Key views.
    pub views: ViewSettings,
    /// The pose graph.
    pub graph: GraphSettings,
    /// The start on a prior height map.
    pub align: AlignSettings,
    /// When the robot is lost, and how it looks for itself.
    pub lost: LostSettings,
    /// The search for the robot on the whole map.
    pub search: SearchSettings,
}

/// How far odometry and registration are believed: standard deviations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MotionSettings {
    /// Of odometry per metre driven [m/m].
    pub per_metre: f64,
    /// Of odometry's heading per radian turned [rad/rad].
    pub per_radian: f64,
    /// Of odometry's heading per metre driven [rad/m].
    pub heading_per_metre: f64,
    /// Of odometry in any sweep [m].
    pub least: f64,
    /// Of odometry's attitude in any sweep [rad].
    pub least_turn: f64,
    /// Of the direction of up that the IMU tells, in the local map [rad].
    pub up: f64,
    /// Of sweep-to-map registration per metre driven, beside what it says itself [m/m]: what was seen early in a local map is
    /// forgotten.
    pub drift_per_metre: f64,
    /// Of its heading per metre driven [rad/m].
    pub drift_heading_per_metre: f64,
}

/// What a sweep has to be like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateSettings {
    /// Fewest points.
    pub least_points: usize,
    /// Fastest turn of the base with which points can be believed [rad/s].
    pub most_angular_rate: f64,
    /// Largest acceleration [m/s²]. The centaur's IMU sees up to 20 when it drives over stones, and its sweeps are good.
    pub most_acceleration: f64,
    /// Farthest that the robot may have slid in a bump with points that can be believed [m].
    pub most_slide: f64,
    /// Longest time without a scan [s].
    pub longest_gap: f64,
    /// Less than this share of matched surfels, and the sweep does not fit.
    pub least_share: f64,
    /// Less than this share of what is usual, and it tells the pose, but the map stays as it is.
    pub least_usual_share: f64,
    /// The same if the mean distance is larger than this many times the usual one.
    pub most_usual_distance: f64,
    /// Least share of its points that stand out and lie where the map has something, of those where the map knows anything.
    pub least_agreement: f64,
    /// A larger mean distance of the matched ones, and the sweep does not fit [m].
    pub most_distance: f64,
    /// In no direction that the world holds: a larger standard deviation of the place, and the sweep tells nothing [m].
    pub most_deviation: f64,
    /// The registration may differ from odometry by this [m] …
    pub slip: f64,
    /// … and by this share of the way driven [m/m];
    pub slip_per_metre: f64,
    /// its attitude by this [rad] …
    pub turn_slip: f64,
    /// … and by this share of the angle turned [rad/rad].
    pub turn_slip_per_radian: f64,
}

/// When a key view is made and what ties it to others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ViewSettings {
    /// A new key view is made this far from all others [m]. The scanner sees all round: the heading does not matter.
    pub spacing: f64,
    /// Sweeps in the first one.
    pub first_sweeps: usize,
    /// Key views within this distance are tied together [m].
    pub loop_radius: f64,
    /// Key views this far apart in time, or more, close a loop: nearer ones say nothing new.
    pub loop_gap: usize,
    /// Standard deviations of a tie beside what the registration says [m], [rad].
    pub tie_deviation: [f64; 2],
    /// Least share of matched surfels for a tie.
    pub least_share: f64,
    /// Largest mean distance for a tie [m].
    pub most_distance: f64,
    /// Side of the cells in which one point is kept [m], and twice that beyond half of `cloud_radius`.
    pub cloud_cell: f64,
    /// Points farther away are left out of a view's cloud [m].
    pub cloud_radius: f64,
    /// Most points of a cloud.
    pub most_points: usize,
    /// Sweeps from one renewal of the clouds of old key views to the next.
    pub renewal_period: usize,
    /// Sweeps whose clouds are shown beside the key views.
    pub recent: usize,
}

/// When the robot is lost, and when it is found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LostSettings {
    /// Sweeps in a row that do not fit, until the robot is lost; those that were shaken anyway count half.
    pub misfits: f64,
    /// Sweeps in a new local map before the search begins.
    pub sweeps: usize,
    /// Candidates of the search that are registered, per sweep.
    pub registrations: usize,
    /// Least share of matched surfels of the place where the robot is.
    pub least_share: f64,
    /// By so much the matched share of what stands out has to be less at any other place.
    pub least_lead: f64,
    /// How many times in a row the same place has to be found.
    pub confirmations: usize,
    /// Side of the cells of the relief that is searched [m].
    pub cell: f64,
    /// What is higher above the robot's origin is left out of the relief [m].
    pub ceiling: f64,
}

impl Default for MotionSettings {
    fn default() -> Self {
        MotionSettings {
            per_metre: 0.08,
            per_radian: 0.05,
            heading_per_metre: 0.02,
            least: 0.002,
            least_turn: 0.001,
            up: 0.01,
            drift_per_metre: 0.004,
            drift_heading_per_metre: 0.0006,
        }
    }
}

impl Default for GateSettings {
    fn default() -> Self {
        GateSettings {
            least_points: 800,
            most_angular_rate: 1.5,
            most_acceleration: 30.0,
            most_slide: 0.02,
            longest_gap: 0.15,
            least_share: 0.5,
            least_usual_share: 0.85,
            most_usual_distance: 2.0,
            least_agreement: 0.5,
            most_distance: 0.06,
            most_deviation: 0.15,
            slip: 0.1,
            slip_per_metre: 0.4,
            turn_slip: 0.03,
            turn_slip_per_radian: 0.25,
        }
    }
}

impl Default for ViewSettings {
    fn default() -> Self {
        ViewSettings {
            spacing: 2.0,
            first_sweeps: 2,
            loop_radius: 4.0,
            loop_gap: 4,
            tie_deviation: [0.01, 0.002],
            least_share: 0.5,
            most_distance: 0.06,
            cloud_cell: 0.05,
            cloud_radius: 12.0,
            most_points: 20_000,
            renewal_period: 4,
            recent: 5,
        }
    }
}

impl Default for LostSettings {
    fn default() -> Self {
        LostSettings {
            misfits: 4.0,
            sweeps: 2,
            registrations: 6,
            least_share: 0.6,
            least_lead: 0.08,
            confirmations: 2,
            cell: 0.4,
            ceiling: 1.5,
        }
    }
}
