//! What a motion sees of the robot.

use nalgebra::{Isometry3, Vector3};
use robot_model::{Configuration, Data};

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

impl<'a> Scene<'a> {
    /// As the robot is: `velocity` is that of the base in its own frame, linear and angular [m/s, rad/s].
    pub fn seen(
        data: &'a Data,
        configuration: &'a Configuration,
        velocity: &[f64],
        feet: &'a Isometry3<f64>,
        usual: Vector3<f64>,
        dt: f64,
    ) -> Scene<'a> {
        let base = &configuration.base_in_world;
        let along = |first: usize| base.rotation * Vector3::from_column_slice(&velocity[first..first + 3]);
        let base_velocity = [along(0), along(3)];
        Scene { base, base_velocity, feet, links: &data.link_in_world, joints: &configuration.joints, usual, dt }
    }
}
