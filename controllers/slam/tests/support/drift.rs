//! Odometry that drifts as that of wheels does.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// What is wrong with the odometry: errors that grow with the way. Tilt comes from the IMU and does not drift.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// Too long by this share of the way.
    pub scale: f64,
    /// Turns by this much per metre driven [rad/m].
    pub turn_per_metre: f64,
    /// Too wide by this share of each turn.
    pub turn_scale: f64,
    /// Sinks by this much per metre driven [m/m].
    pub sinking: f64,
}

impl Drift {
    /// As bad as on loose ground: 2 %, 1°/m and 2 % of each turn.
    pub fn loose_ground() -> Drift {
        Drift { scale: 0.02, turn_per_metre: 0.017, turn_scale: 0.02, sinking: 0.005 }
    }

    /// The odometry after the base has moved from `before` to `after` in the world.
    pub fn follow(&self, odometry: &Isometry3<f64>, before: &Isometry3<f64>, after: &Isometry3<f64>) -> Isometry3<f64> {
        let moved = before.inv_mul(after);
        let way = moved.translation.vector.norm();
        let moved_in_odom = odometry.rotation * moved.translation.vector * (1.0 + self.scale);
        let place = odometry.translation.vector + moved_in_odom - Vector3::z() * (self.sinking * way);
        // heading goes its own way, tilt is that of the world
        let (before_yaw, after_yaw) = (before.rotation.euler_angles().2, after.rotation.euler_angles().2);
        let turn = robot_io::math::wrap_angle(after_yaw - before_yaw);
        let drifted = turn * (1.0 + self.turn_scale) + self.turn_per_metre * way;
        let yaw = odometry.rotation.euler_angles().2 + drifted;
        let (roll, pitch, _) = after.rotation.euler_angles();
        Isometry3::from_parts(Translation3::from(place), UnitQuaternion::from_euler_angles(roll, pitch, yaw))
    }
}
