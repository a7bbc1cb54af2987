//! What the controller is told of the robot and is not so.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use page::{Fault, Fields, Range};
use robot_io::RobotLayout;
use robot_model::{Motion, RobotModel, Tree};
use slam::MOST_SCAN_DELAY;

/// By how much what the controller is told differs from the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Miscalibration {
    /// The first laser, in the link that carries it.
    pub laser: Misplaced,
    /// The axis that turns it, in the link that carries that.
    pub axis: Misplaced,
    /// All wheels: radius told by radius in truth.
    pub wheel_radius: f64,
    /// By how much later the laser's scans are said to be stamped than they are [s].
    pub scan_delay: f64,
}

/// A thing that sits elsewhere than it is said to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Misplaced {
    /// What is told less what is true, along the axes of the link that carries it [m].
    pub offset: [f64; 3],
    /// The same of its direction, about those axes [rad].
    pub turn: [f64; 3],
}

impl Miscalibration {
    pub(super) fn read(table: &mut Fields<'_>) -> Result<Miscalibration, Fault> {
        Ok(Miscalibration {
            laser: table.one("laser", Misplaced::read)?.unwrap_or_default(),
            axis: table.one("axis", Misplaced::read)?.unwrap_or_default(),
            wheel_radius: table.number_or("wheel_radius", Range::new(0.5, 1.5, "1"), 1.0)?,
            scan_delay: table.number_or("scan_delay", Range::new(-MOST_SCAN_DELAY, MOST_SCAN_DELAY, "s"), 0.0)?,
        })
    }

    /// The robot as the controller is told that it is; nothing if it has no laser on an axis to be wrong about.
    pub fn told(&self, robot: &RobotModel, layout: &RobotLayout) -> Option<RobotModel> {
        let mut told = robot.clone();
        if self.laser != Misplaced::default() || self.axis != Misplaced::default() {
            let tree = &mut told.tree;
            let laser = tree.link(&layout.lasers.first()?.frame)?;
            let upwards = core::iter::successors(Some(laser), |link| tree.links[*link].parent);
            let axis = upwards.into_iter().find(|link| tree.links[*link].motion != Motion::Fixed)?;
            let (mut links, joints) = (tree.links.clone(), tree.joints.clone());
            for (link, wrong) in [(laser, &self.laser), (axis, &self.axis)] {
                let place = &mut links[link].placement_in_parent;
                *place = wrong.told(place);
            }
            *tree = Tree::new(links, joints).ok()?;
        }
        told.description.wheels.iter_mut().for_each(|wheel| wheel.radius *= self.wheel_radius);
        Some(told)
    }
}

impl Misplaced {
    /// Metres and degrees; nobody builds a robot as badly as these ranges.
    fn read(table: &mut Fields<'_>) -> Result<Misplaced, Fault> {
        Ok(Misplaced {
            offset: table.vector_or("offset", Range::new(-0.5, 0.5, "m"), [0.0; 3])?,
            turn: table.vector_or("turn", Range::new(-45.0, 45.0, "°"), [0.0; 3])?.map(f64::to_radians),
        })
    }

    fn told(&self, place: &Isometry3<f64>) -> Isometry3<f64> {
        let turned = UnitQuaternion::from_scaled_axis(Vector3::from(self.turn)) * place.rotation;
        Isometry3::from_parts((place.translation.vector + Vector3::from(self.offset)).into(), turned)
    }
}
