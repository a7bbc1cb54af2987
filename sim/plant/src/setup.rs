//! What one decides before a simulation begins.

use robot_io::{Period, Pose2, Time};

/// How a simulation starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Seed of all noise.
    pub seed: u64,
    /// Where the base stands in the world: x [m], y [m] and yaw [rad]. Its height is such that the robot, in `pose`,
    /// just touches the terrain.
    pub spawn: Pose2,
    /// Name of the pose of the description in which the robot begins.
    pub pose: String,
    /// One physics step; 1 ms unless you know better.
    pub physics_period: Period,
    /// The control cycle; `None` for the description's.
    pub cycle_period: Option<Period>,
    /// Whether sensors are noisy. Quantisation stays.
    pub noise: bool,
    /// Names of the lasers and cameras of the description that are switched on, and `skin` for all of its skin; none unless you ask.
    pub sensors: Vec<String>,
    /// When somebody picks the robot up and puts it down elsewhere, and where. A time between physics steps never comes.
    pub relocations: Vec<Relocation>,
}

/// The robot is carried to another place, as it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relocation {
    /// When.
    pub at: Time,
    /// Where its base is then, in the world; its height over the ground stays.
    pub to: Pose2,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            seed: 0,
            spawn: Pose2::default(),
            pose: "stand".to_owned(),
            physics_period: Period::from_milliseconds(1),
            cycle_period: None,
            noise: true,
            sensors: Vec::new(),
            relocations: Vec::new(),
        }
    }
}
