//! Edges that a wheel cannot roll over, but a leg can step over.

mod settings;

pub use settings::EdgeSettings;

use robot_io::StepEdge;

use crate::RobotFootprint;
use crate::cost::Shape;
use crate::height::Heights;

/// The edges that the robot can step over, one for each place and direction.
pub(crate) fn find_edges(_: &Heights, _: &Shape, _: &RobotFootprint, _: &EdgeSettings) -> Vec<StepEdge> {
    Vec::new()
}
