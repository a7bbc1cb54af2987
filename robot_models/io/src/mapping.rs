//! The words in which mapping tells the other skills where the robot is and what it has seen.

use nalgebra::{Isometry3, Matrix6};
use serde::{Deserialize, Serialize};

use crate::{PointCloud, Pose2, Sealed, State, Time};

/// Where the robot is on its map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State)]
pub struct Localization {
    /// The time of the estimate.
    pub stamp: Time,
    /// How far it can be believed.
    pub state: LocalizationState,
    /// The base in the map frame.
    pub base_in_map: Isometry3<f64>,
    /// The odometry frame in the map frame: what brings a pose that odometry tracks onto the map. It jumps when the map is put
    /// right.
    pub odom_in_map: Isometry3<f64>,
    /// Covariance of `base_in_map`: translation [m²], then rotation [rad²], along the axes of the map.
    pub covariance: Matrix6<f64>,
}

/// How far a localisation can be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, State)]
#[serde(rename_all = "snake_case")]
pub enum LocalizationState {
    /// There is no map yet: odometry alone.
    #[default]
    Starting,
    /// The last sweeps fitted the map.
    Localized,
    /// The last sweeps were left out or weak in some direction; odometry helps.
    Degraded,
    /// Where the robot is is not known. It looks for itself on the map.
    Lost,
}

impl Localization {
    /// Place and heading of the base on the map.
    pub fn pose(&self) -> Pose2 {
        Pose2::from(&self.base_in_map)
    }
}

impl Default for Localization {
    fn default() -> Self {
        Localization {
            stamp: Time::ZERO,
            state: LocalizationState::default(),
            base_in_map: Isometry3::identity(),
            odom_in_map: Isometry3::identity(),
            covariance: Matrix6::zeros(),
        }
    }
}

/// What was seen from one place, thinned out.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct MapView {
    /// Counts the views of a map.
    pub number: u64,
    /// When.
    pub stamp: Time,
    /// The base in the map frame, as one believes now that it was.
    pub base_in_map: Isometry3<f64>,
    /// The points, in the base frame of that time.
    pub cloud: Sealed<PointCloud>,
}

/// A map as the places from which it was seen: what stands on it moves with its view when the map is put right.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct MapViews {
    /// Grows whenever a view is added, moved or taken away.
    pub revision: u64,
    /// The views, in order of time.
    pub views: Vec<MapView>,
}
