//! A plant of somebody else's: any robot behind the plug, with the clock that makes its time pass.

use std::cell::Cell;
use std::fmt;

use robot_io::{Clock, Pose2, RobotIo, RobotLayout};
use robot_model::RobotModel;
use thiserror::Error;
use worlds::World;

/// The plants that ship, by the names that they begin with.
pub const PLANTS: [&str; 4] = ["sim", "virtual-bus", "modelled-bus", "ethercat"];

/// All that a plant may know before the first cycle.
#[derive(Debug)]
pub struct PlantSetup<'a> {
    pub(crate) argument: Argument<'a>,
    /// The robot.
    pub robot: &'a RobotModel,
    /// The joints and sensors that its readings must have, and the control cycle.
    pub layout: &'a RobotLayout,
    /// Where the scenario happens.
    pub world: &'a World,
    /// Where the robot starts, in the world.
    pub start_in_world: Pose2,
    /// Where each joint begins, in the order of the layout [rad or m].
    pub pose: &'a [f64],
    /// The scenario's seed.
    pub seed: u64,
}

impl<'a> PlantSetup<'a> {
    /// What stands behind the colon of `--plant NAME:ARGUMENT`, for example an address. A plant that does not ask for it takes none: one that
    /// is given is refused then.
    pub fn argument(&self) -> Option<&'a str> {
        self.argument.is_read.set(true);
        self.argument.text
    }
}

/// What a plant is told, and whether it has listened.
#[derive(Debug)]
pub(crate) struct Argument<'a> {
    text: Option<&'a str>,
    is_read: Cell<bool>,
}

impl<'a> Argument<'a> {
    pub fn new(text: Option<&'a str>) -> Argument<'a> {
        Argument { text, is_read: Cell::new(false) }
    }

    /// Refuses what the plant has no use for.
    pub fn expect_read(&self) -> Result<(), PlantRefusal> {
        match self.text.filter(|_| !self.is_read.get()) {
            None => Ok(()),
            Some(found) => Err(PlantRefusal(format!("expected nothing behind its name, found '{found}'"))),
        }
    }
}

/// Whose time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Nothing goes on while the controller thinks: another simulator, or a recording. Slow work is waited for.
    LockStep,
    /// Time goes on by itself, as with a machine: the loop has a real-time thread, and what comes late is late.
    RealTime,
}

/// Why there can be no such plant. The message is shown with the plant's name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct PlantRefusal(pub String);

/// A robot and its clock, whatever they are.
pub struct OwnPlant {
    pub(crate) robot: OwnRobot,
    pub(crate) clock: OwnClock,
}

/// A robot of somebody else's.
pub struct OwnRobot(pub(crate) Box<dyn RobotIo + Send>);

/// A clock of somebody else's.
pub struct OwnClock(pub(crate) Box<dyn Clock + Send>);

impl OwnPlant {
    /// A plant of these two, whose robot must have the layout that the controller expects.
    pub(crate) fn new(
        robot: impl RobotIo + Send + 'static,
        clock: impl Clock + Send + 'static,
        layout: &RobotLayout,
    ) -> Result<OwnPlant, PlantRefusal> {
        if let Some(found) = difference(layout, robot.layout()) {
            return Err(PlantRefusal(found));
        }
        Ok(OwnPlant { robot: OwnRobot(Box::new(robot)), clock: OwnClock(Box::new(clock)) })
    }
}

/// In what a robot's layout differs from what is expected, if it does. How late its commands act is its own affair.
fn difference(expected: &RobotLayout, found: &RobotLayout) -> Option<String> {
    let names = |layout: &RobotLayout| layout.joints.iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    let (wanted, there) = (names(expected), names(found));
    if let Some(joint) = (0..wanted.len().max(there.len())).find(|joint| wanted.get(*joint) != there.get(*joint)) {
        let name = |names: &[String]| names.get(joint).map_or("none".to_owned(), |name| format!("'{name}'"));
        return Some(format!("expected {} as joint {}, found {}", name(&wanted), joint + 1, name(&there)));
    }
    let counts = |layout: &RobotLayout| {
        [
            ("IMUs", layout.imus.len()),
            ("force/torque sensors", layout.force_torques.len()),
            ("contact switches", layout.contacts.len()),
            ("batteries", layout.batteries.len()),
            ("lasers", layout.lasers.len()),
            ("cameras", layout.cameras.len()),
            ("depth cameras", layout.depth_cameras.len()),
        ]
    };
    let other = counts(expected).into_iter().zip(counts(found)).find(|(wanted, there)| wanted != there);
    if let Some(((what, wanted), (_, there))) = other {
        return Some(format!("expected {wanted} {what}, found {there}"));
    }
    let (wanted, there) = (expected.period, found.period);
    (wanted != there).then(|| format!("expected a control cycle of {wanted}, found {there}"))
}

impl fmt::Debug for OwnRobot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnRobot({})", self.0.layout().robot)
    }
}

impl fmt::Debug for OwnClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnClock({})", self.0.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_of_layouts_is_told_by_name_and_number() {
        let layout = RobotLayout::example();
        assert_eq!(difference(&layout, &layout), None);
        let mut other = layout.clone();
        other.joints.swap(0, 1);
        assert_eq!(difference(&layout, &other).as_deref(), Some("expected 'hip' as joint 1, found 'knee'"));
        let mut other = layout.clone();
        other.joints.pop();
        assert_eq!(difference(&layout, &other).as_deref(), Some("expected 'wheel' as joint 3, found none"));
        let mut other = layout.clone();
        other.imus.clear();
        assert_eq!(difference(&layout, &other).as_deref(), Some("expected 1 IMUs, found 0"));
        let mut other = layout.clone();
        other.joints[0].latency = 2;
        assert_eq!(difference(&layout, &other), None);
    }
}
