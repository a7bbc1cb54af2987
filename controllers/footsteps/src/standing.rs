//! How a foot stands at a place.

use nalgebra::Vector3;
use robot_io::Pose2;
use walking::{Footstep, Side};

use crate::geometry::Rectangle;
use crate::parts::Parts;
use crate::refusal::{Reason, Refusal};
use crate::terrain::Foothold;

/// Where a foot can stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// The foot.
    pub foot: Footstep,
    /// The ground under it.
    pub ground: Foothold,
    /// What it costs to stand there.
    pub cost: f64,
}

/// A foot at a pose, or why it cannot stand there.
pub(crate) fn stand_at(parts: &Parts, side: Side, pose: &Pose2) -> Result<Place, Refusal> {
    let sole = Rectangle::at(pose, parts.reach.half_sole());
    let nothing = Refusal { reason: Reason::NoGround, expected: [1.0, 1.0], found: 0.0 };
    let ground = parts.terrain.foothold(&sole).ok_or(nothing)?;
    parts.footing.judge(&ground)?;
    let position = Vector3::new(pose.x, pose.y, ground.height);
    let foot = Footstep { side, position, yaw: pose.yaw, normal: ground.normal };
    parts.collision.stand(&*parts.terrain, &foot)?;
    Ok(Place { foot, ground, cost: parts.cost.foothold(&ground) })
}
