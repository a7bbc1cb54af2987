//! The axis that turns the laser.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3, Vector6};
use robot_io::{Commands, JointCommand, JointKind, Period, RobotLayout};
use robot_model::{Chain, Motion, RobotModel, Tree};

use crate::SlamError;
use crate::correction::Correction;

/// Base → what carries the axis → the axis → laser.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Index of its joint in readings and commands.
    pub joint: usize,
    /// Index of the laser in readings.
    pub laser: usize,
    tree: Tree,
    carrier: Chain,
    placement_in_carrier: Isometry3<f64>,
    /// Of the axis, in the frame that turns.
    pub direction: Unit<Vector3<f64>>,
    laser_in_axis: Isometry3<f64>,
    rate: f64,
    damping: f64,
    /// Where laser and axis really are.
    pub correction: Correction,
    /// Play of its gear [rad].
    pub play: f64,
    /// How late its drive tells where it is.
    pub told_late: Period,
}

impl Axis {
    /// The axis of the robot's first laser that has one.
    pub fn find(model: &RobotModel, layout: &RobotLayout, rate: f64) -> Result<Axis, SlamError> {
        check_joints(model, layout)?;
        let robot = |expected: &str, found: String| SlamError::Robot { expected: expected.to_owned(), found };
        let laser = layout.lasers.first().ok_or_else(|| robot("a laser scanner", "none in the layout".to_owned()))?;
        let tip = model.tree.link(&laser.frame).ok_or_else(|| {
            robot("a link for the laser's frame", format!("no link \"{}\" in {}", laser.frame, model.name))
        })?;
        let turning = model.tree.links.get(tip).and_then(|_| first_that_moves(&model.tree, tip));
        let link = turning.filter(|link| model.tree.kind(*link) == Some(JointKind::Continuous));
        let (Some(link), Some(joint)) = (link, link.and_then(|link| joint_of(&model.tree, link))) else {
            let found = turning.and_then(|link| model.tree.links[link].joint_name.clone());
            let found = found.map_or("no joint that moves".to_owned(), |name| format!("joint \"{name}\""));
            return Err(robot("a continuous joint next above the laser", found));
        };
        let chain = |root, tip| {
            Chain::new(&model.tree, root, tip).map_err(|error| robot("a chain to the laser", error.to_string()))
        };
        let at_zero = vec![0.0; model.tree.dof()];
        let carrier = model.tree.links[link].parent.unwrap_or(0);
        let actuator = model.description.actuator_of(joint);
        Ok(Axis {
            joint,
            laser: 0,
            carrier: chain(0, carrier)?,
            placement_in_carrier: model.tree.links[link].placement_in_parent,
            direction: model.tree.links[link].axis_in_link,
            laser_in_axis: chain(link, tip)?.tip_in_root(&model.tree, &at_zero),
            tree: model.tree.clone(),
            rate,
            correction: Correction::default(),
            damping: model.description.joints[joint].damping,
            play: actuator.map_or(0.0, |actuator| actuator.backlash),
            told_late: actuator.map_or(Period::default(), |actuator| actuator.feedback_delay),
        })
    }

    /// The joints that carry the laser, the axis last.
    pub fn joints(&self) -> impl Iterator<Item = usize> {
        self.carrier.joints.iter().copied().chain([self.joint])
    }

    /// The frame that turns, at angle zero, in the base frame.
    pub fn mount_in_base(&self, joints: &[f64]) -> Isometry3<f64> {
        self.correction.of_axis() * self.carrier.tip_in_root(&self.tree, joints) * self.placement_in_carrier
    }

    /// The laser in the mount's frame at an angle of the axis [rad].
    pub fn laser_in_mount(&self, angle: f64) -> Isometry3<f64> {
        self.turned_in_mount(angle) * self.correction.of_laser() * self.laser_in_axis
    }

    /// The frame that turns, in the mount's frame.
    pub fn turned_in_mount(&self, angle: f64) -> Isometry3<f64> {
        let turned = UnitQuaternion::from_axis_angle(&self.direction, angle);
        Isometry3::from_parts(Translation3::identity(), turned)
    }

    /// By how much each radian moves what turns, as seen in the base: translation [m/rad], rotation.
    pub fn turning(&self, mount_in_base: &Isometry3<f64>) -> Vector6<f64> {
        let direction = mount_in_base.rotation * self.direction.into_inner();
        let place = mount_in_base.translation.vector.cross(&direction);
        Vector6::new(place.x, place.y, place.z, direction.x, direction.y, direction.z)
    }

    /// Direction in the frame that turns, across the axis, in which the scan plane reaches out.
    pub fn outwards(&self) -> Vector3<f64> {
        (self.laser_in_axis * Vector3::z()).cross(&self.direction).try_normalize(1e-6).unwrap_or_else(Vector3::x)
    }

    /// Tells the axis to turn: at a velocity, never held.
    pub fn spin(&self, commands: &mut Commands) {
        if let Some(command) = commands.joints.get_mut(self.joint) {
            *command = JointCommand::turn(self.rate, self.damping);
        }
    }
}

/// The first link from `tip` upwards that a joint moves.
fn first_that_moves(tree: &Tree, tip: usize) -> Option<usize> {
    let mut link = tip;
    while tree.links[link].motion == Motion::Fixed {
        link = tree.links[link].parent?;
    }
    Some(link)
}

fn joint_of(tree: &Tree, link: usize) -> Option<usize> {
    match tree.links[link].motion {
        Motion::Joint(joint) => Some(joint),
        Motion::Fixed | Motion::Mimic(_) => None,
    }
}

/// Indices of the model are used in readings, so the two must agree.
fn check_joints(model: &RobotModel, layout: &RobotLayout) -> Result<(), SlamError> {
    let expected = model.tree.joints.iter().map(|joint| joint.name.as_str());
    let found = layout.joints.iter().map(|joint| joint.name.as_str());
    if expected.clone().eq(found.clone()) {
        return Ok(());
    }
    let differs = expected.clone().zip(found.clone()).find(|(expected, found)| expected != found);
    let (expected, found) = differs.map_or_else(
        || (format!("{} joints", model.tree.dof()), format!("{}", layout.joints.len())),
        |(expected, found)| (format!("joint \"{expected}\""), format!("\"{found}\"")),
    );
    Err(SlamError::Robot { expected: format!("{expected} in the layout, as in the model"), found })
}
