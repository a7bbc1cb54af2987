//! What a motion sees of the robot.

use nalgebra::{Isometry3, Vector3};

/// What the player sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    pub base: &'a Isometry3<f64>,
    /// Its velocity and angular velocity along the odometry frame's axes [m/s, rad/s].
    pub base_velocity: [Vector3<f64>; 2],
    /// On the ground between the feet.
    pub feet: &'a Isometry3<f64>,
    pub links: &'a [Isometry3<f64>],
    pub joints: &'a [f64],
    /// Height of the centre of mass, roll and pitch if no motion says otherwise [m, rad].
    pub usual: Vector3<f64>,
    pub dt: f64,
}
