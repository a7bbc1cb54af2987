//! Where the feet of a robot that walks are.

use robot_io::Pose2;
use walking::Footstep;

/// How it stands with the feet of a robot that walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feet {
    /// Where they stand, or will when the one in the air has landed: left, right, in the odometry frame.
    pub landed: [Footstep; 2],
    /// So many steps of those that it was told to take have begun, …
    pub begun: usize,
    /// … and there are so many.
    pub planned: usize,
    /// Both stand, and none is to be lifted.
    pub stand: bool,
    /// The base as seen from the middle between them.
    pub base_from_feet: Pose2,
}
