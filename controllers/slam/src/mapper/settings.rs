//! Numbers of the mapper.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

use crate::graph::GraphSettings;
use crate::grid::GridSettings;
use crate::registration::RegistrationSettings;
use crate::relocalization::{AlignSettings, SearchSettings};

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Settings)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct MotionSettings {
    /// Of odometry per metre driven [m/m].
    #[setting(0.08, not_negative)]
    pub per_metre: f64,
    /// Of odometry's heading per radian turned [rad/rad].
    #[setting(0.05, not_negative)]
    pub per_radian: f64,
    /// Of odometry's heading per metre driven [rad/m].
    #[setting(0.02, not_negative)]
    pub heading_per_metre: f64,
    /// Of odometry in any sweep [m].
    #[setting(0.002, positive)]
    pub least: f64,
    /// Of odometry's attitude in any sweep [rad].
    #[setting(0.001, positive)]
    pub least_turn: f64,
    /// Of the direction of up that odometry tells, in the local map [rad].
    #[setting(0.01, positive)]
    pub up: f64,
    /// Of sweep-to-map registration per metre driven, beside what it says itself [m/m]: what was seen early in a local map is
    /// forgotten.
    #[setting(0.004, not_negative)]
    pub drift_per_metre: f64,
    /// Of its heading per metre driven [rad/m].
    #[setting(0.0006, not_negative)]
    pub drift_heading_per_metre: f64,
}

/// What a sweep has to be like.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct GateSettings {
    /// Fewest points.
    #[setting(800, positive)]
    pub least_points: usize,
    /// Fastest turn of the base with which points can be believed [rad/s].
    #[setting(1.5, positive)]
    pub most_angular_rate: f64,
    /// Largest acceleration [m/s²]. The centaur's IMU sees up to 20 when it drives over stones, and its sweeps are good.
    #[setting(30.0, positive)]
    pub most_acceleration: f64,
    /// Farthest that the robot may have slid in a bump with points that can be believed [m].
    #[setting(0.02, not_negative)]
    pub most_slide: f64,
    /// Longest time without a scan [s].
    #[setting(0.15, positive)]
    pub longest_gap: f64,
    /// Less than this share of matched surfels, and the sweep does not fit.
    #[setting(0.5, share)]
    pub least_share: f64,
    /// Less than this share of what is usual, and it tells the pose, but the map stays as it is.
    #[setting(0.85, share)]
    pub least_usual_share: f64,
    /// The same if the mean distance is larger than this many times the usual one.
    #[setting(2.0, positive)]
    pub most_usual_distance: f64,
    /// Least share of its points that stand out and lie where the map has something, of those where the map knows anything.
    #[setting(0.5, share)]
    pub least_agreement: f64,
    /// A larger mean distance of the matched ones, and the sweep does not fit [m].
    #[setting(0.06, positive)]
    pub most_distance: f64,
    /// In no direction that the world holds: a larger standard deviation of the place, and the sweep tells nothing [m].
    #[setting(0.15, positive)]
    pub most_deviation: f64,
    /// The registration may differ from odometry by this [m] …
    #[setting(0.1, not_negative)]
    pub slip: f64,
    /// … and by this share of the way driven [m/m];
    #[setting(0.4, not_negative)]
    pub slip_per_metre: f64,
    /// its attitude by this [rad] …
    #[setting(0.03, not_negative)]
    pub turn_slip: f64,
    /// … and by this share of the angle turned [rad/rad].
    #[setting(0.25, not_negative)]
    pub turn_slip_per_radian: f64,
}

/// When a key view is made and what ties it to others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct ViewSettings {
    /// A new key view is made this far from all others [m]. The scanner sees all round: the heading does not matter.
    #[setting(2.0, positive)]
    pub spacing: f64,
    /// Sweeps in the first one.
    #[setting(2, range = 1..=100)]
    pub first_sweeps: usize,
    /// Key views within this distance are tied together [m].
    #[setting(4.0, not_negative)]
    pub loop_radius: f64,
    /// Key views this far apart in time, or more, close a loop: nearer ones say nothing new.
    #[setting(4, not_negative)]
    pub loop_gap: usize,
    /// Standard deviations of a tie beside what the registration says [m], [rad].
    #[setting([0.01, 0.002], not_negative)]
    pub tie_deviation: [f64; 2],
    /// Least share of matched surfels for a tie.
    #[setting(0.5, share)]
    pub least_share: f64,
    /// Largest mean distance for a tie [m].
    #[setting(0.06, positive)]
    pub most_distance: f64,
    /// Side of the cells in which one point is kept [m], and twice that beyond half of `cloud_radius`.
    #[setting(0.05, range = 0.01..=10.0)]
    pub cloud_cell: f64,
    /// Points farther away are left out of a view's cloud [m].
    #[setting(12.0, positive)]
    pub cloud_radius: f64,
    /// Most points of a cloud.
    #[setting(20_000, range = 1..=1_000_000)]
    pub most_points: usize,
    /// Sweeps from one renewal of the clouds of old key views to the next.
    #[setting(4, positive)]
    pub renewal_period: usize,
    /// Sweeps whose clouds are shown beside the key views.
    #[setting(5, range = 0..=1000)]
    pub recent: usize,
}

/// When the robot is lost, and when it is found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct LostSettings {
    /// Sweeps in a row that do not fit, until the robot is lost; those that were shaken anyway count half.
    #[setting(4.0, positive)]
    pub misfits: f64,
    /// Sweeps in a new local map before the search begins.
    #[setting(2, not_negative)]
    pub sweeps: usize,
    /// Candidates of the search that are registered, per sweep.
    #[setting(6, positive)]
    pub registrations: usize,
    /// Least share of matched surfels of the place where the robot is.
    #[setting(0.6, share)]
    pub least_share: f64,
    /// By so much the matched share of what stands out has to be less at any other place.
    #[setting(0.08, share)]
    pub least_lead: f64,
    /// How many times in a row the same place has to be found.
    #[setting(2, positive)]
    pub confirmations: usize,
    /// Side of the cells of the relief that is searched [m].
    #[setting(0.4, range = 0.05..=10.0)]
    pub cell: f64,
    /// What is higher above the robot's origin is left out of the relief [m].
    #[setting(1.5, positive)]
    pub ceiling: f64,
}
