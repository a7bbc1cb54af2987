//! What a controller shows, moved from its odometry frame into the world, for viewers.

use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use robot_io::{Path, Pose2, Telemetry};

/// Telemetry as seen in the world, given where in it the odometry frame is.
pub fn in_world(telemetry: &Telemetry, odom_in_world: &Pose2) -> Telemetry {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * odom_in_world.yaw);
    let frame = Isometry3::from_parts(Vector3::new(odom_in_world.x, odom_in_world.y, 0.0).into(), turn);
    let mut shown = telemetry.clone();
    if let Some(odometry) = &mut shown.odometry {
        odometry.base_in_odom = frame * odometry.base_in_odom;
    }
    shown.goal = telemetry.goal.map(|goal| goal.placed_at(odom_in_world));
    let moved = |path: &Arc<Path>| Path { poses: path.poses.iter().map(|pose| pose.placed_at(odom_in_world)).collect() };
    shown.path = telemetry.path.as_ref().map(|path| Arc::new(moved(path)));
    shown
}
