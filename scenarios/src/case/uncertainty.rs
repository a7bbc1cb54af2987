//! How well what the controller is told is known.

use page::{Fault, Value};
use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// By how much what the controller is told of the robot and its surroundings differs from the truth: standard deviations. The seed
/// draws the errors, the same on every plant.
///
/// The usual values are what a careful lab reaches: parts weighed and balanced; joints at their zero in a jig, 0.05°; mounts measured
/// with a coordinate arm on faces that are 0.2 m apart, 0.1 mm; wheels with calipers, 0.1 mm; scans stamped by the laser's sync output,
/// 0.2 ms; the start by two marks on the floor, 5 mm of 5 m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct Uncertainty {
    /// Of all that follows, as a factor [1]; 0: everything is told exactly.
    #[setting(1.0, range = 0.0..=10.0)]
    pub scale: f64,
    /// Of each link's mass, as a share [1].
    #[setting(0.02, range = 0.0..=0.3)]
    pub mass: f64,
    /// Of each link's centre of mass, along each axis [m].
    #[setting(0.003, range = 0.0..=0.1)]
    pub center_of_mass: f64,
    /// Of each link's rotational inertia beside that of its mass, as a share [1].
    #[setting(0.05, range = 0.0..=0.3)]
    pub inertia: f64,
    /// Of where each joint has its zero [rad]; for one that slides [m], a tenth of it.
    #[setting(0.0009, range = 0.0..=0.2)]
    pub joint_zero: f64,
    /// Of the friction of each class of drives, as a share [1].
    #[setting(0.2, range = 0.0..=0.3)]
    pub friction: f64,
    /// Of each wheel's radius, as a share [1].
    #[setting(0.0015, range = 0.0..=0.1)]
    pub wheel_radius: f64,
    /// Of where IMU, lasers and cameras, and the axis that turns a laser, sit, along each axis [m].
    #[setting(0.001, range = 0.0..=0.1)]
    pub mount: f64,
    /// Of how IMU, lasers, cameras and a laser's axis are turned, about each axis [rad].
    #[setting(0.0005, range = 0.0..=0.2)]
    pub mount_turn: f64,
    /// Of the delay of the laser's stamps [s].
    #[setting(0.0002, range = 0.0..=0.01)]
    pub scan_delay: f64,
    /// Of where the robot starts, along x and y [m].
    #[setting(0.005, range = 0.0..=1.0)]
    pub start: f64,
    /// Of its heading there [rad].
    #[setting(0.0009, range = 0.0..=0.2)]
    pub start_turn: f64,
    /// Of where the prior map lies, along each axis [m].
    #[setting(0.01, range = 0.0..=1.0)]
    pub map: f64,
    /// Of each height of the prior map beside that [m].
    #[setting(0.01, range = 0.0..=1.0)]
    pub map_height: f64,
}

impl Uncertainty {
    /// Everything is told exactly.
    pub fn none() -> Uncertainty {
        Uncertainty { scale: 0.0, ..Uncertainty::default() }
    }
    pub(super) fn read(value: Value<'_>) -> Result<Uncertainty, Fault> {
        let uncertainty: Uncertainty = value.clone().table()?.rest()?;
        let Err(refused) = uncertainty.check() else { return Ok(uncertainty) };
        let fields = value.clone().table()?.unread();
        let field = fields.iter().find(|(name, _)| *name.get_ref() == refused.path);
        let field = field.map_or(&value, |(_, field)| field);
        Err(field.error(&format!("{} [{}]", refused.expected, refused.unit), &refused.found))
    }
}
