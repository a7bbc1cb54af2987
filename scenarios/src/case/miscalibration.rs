//! What the controller is told of the robot and is not so.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use robot_io::RobotLayout;
use robot_model::{Motion, RobotModel, Tree};
use serde::Deserialize;
use slam::MOST_SCAN_DELAY;
use toml::Spanned;

use super::file::Reader;
use crate::ScenarioError;

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

/// The table as it stands in a file.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MiscalibrationFile {
    #[serde(default)]
    laser: MisplacedFile,
    #[serde(default)]
    axis: MisplacedFile,
    wheel_radius: Option<f64>,
    #[serde(default)]
    scan_delay: f64,
}

/// Metres and degrees.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MisplacedFile {
    #[serde(default)]
    offset: [f64; 3],
    #[serde(default)]
    turn: [f64; 3],
}

impl Reader<'_> {
    pub(super) fn miscalibration(&self, table: &Spanned<MiscalibrationFile>) -> Result<Miscalibration, ScenarioError> {
        /// Nobody builds a robot as badly as that [m], [°], share.
        const WORST: (f64, f64, f64) = (0.5, 45.0, 0.5);
        let offset = table.span().start;
        let MiscalibrationFile { laser, axis, wheel_radius, scan_delay } = *table.get_ref();
        for MisplacedFile { offset: moved, turn } in [laser, axis] {
            self.within(&moved, WORST.0, "m", offset, "miscalibration: offset")?;
            self.within(&turn, WORST.1, "°", offset, "miscalibration: turn")?;
        }
        let wheel_radius = wheel_radius.unwrap_or(1.0);
        self.within(&[wheel_radius - 1.0], WORST.2, "from 1", offset, "miscalibration: wheel_radius")?;
        self.within(&[scan_delay], MOST_SCAN_DELAY, "s", offset, "miscalibration: scan_delay")?;
        let misplaced = |of: MisplacedFile| Misplaced { offset: of.offset, turn: of.turn.map(f64::to_radians) };
        Ok(Miscalibration { laser: misplaced(laser), axis: misplaced(axis), wheel_radius, scan_delay })
    }
}

impl Miscalibration {
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
    fn told(&self, place: &Isometry3<f64>) -> Isometry3<f64> {
        let turned = UnitQuaternion::from_scaled_axis(Vector3::from(self.turn)) * place.rotation;
        Isometry3::from_parts((place.translation.vector + Vector3::from(self.offset)).into(), turned)
    }
}
