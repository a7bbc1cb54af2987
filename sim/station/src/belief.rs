//! What a controller says in its odometry frame, brought to where the robot really is.
//!
//! Odometry drifts, so the odometry frame is found anew in each frame: it lies where the base's true pose and the pose that
//! odometry gives it are one. A foot that is said to stand 10 cm ahead of the base is then drawn 10 cm ahead of the base.

use nalgebra::{Isometry3, Vector2};
use robot_io::{Pose2, Telemetry};

/// What a controller calls the capture point (the divergent component of motion) that it measures.
pub(crate) const CAPTURE: [&str; 2] = ["dcm_x [m]", "dcm_y [m]"];
/// What it calls the one that it plans.
pub(crate) const CAPTURE_WANTED: [&str; 2] = ["dcm_reference_x [m]", "dcm_reference_y [m]"];
/// What it calls the zero-moment point that it wants.
pub(crate) const ZMP_WANTED: [&str; 2] = ["zmp_wanted_x [m]", "zmp_wanted_y [m]"];

/// Where the odometry frame of a robot with its base there lies in the world at this moment, seen from above; `None` without odometry.
pub(crate) fn odom_in_world(base_in_world: &Isometry3<f64>, telemetry: &Telemetry) -> Option<Pose2> {
    let base_in_odom = telemetry.odometry?.base_in_odom;
    // the turn about the vertical alone: an attitude that is a little wrong must not tip the ground
    let turn = Isometry3::from_parts(nalgebra::one(), base_in_world.rotation * base_in_odom.rotation.inverse());
    let yaw = Pose2::from(&turn).yaw;
    let base = Pose2 { yaw: 0.0, ..Pose2::from(&base_in_odom) }.placed_at(&Pose2 { x: 0.0, y: 0.0, yaw });
    let (x, y) = (base_in_world.translation.x - base.x, base_in_world.translation.y - base.y);
    let is_known = [x, y, yaw].iter().all(|number| number.is_finite());
    is_known.then_some(Pose2 { x, y, yaw })
}

/// A number of the controller's, by its name with unit; `None` if it says none.
pub(crate) fn scalar(telemetry: &Telemetry, name: &str) -> Option<f64> {
    let (_, value) = telemetry.scalars.iter().find(|(known, _)| *known == name)?;
    value.is_finite().then_some(*value)
}

/// A place that the controller gives by two numbers in its odometry frame, there [m].
pub(crate) fn place_in_odom(telemetry: &Telemetry, [x, y]: [&str; 2]) -> Option<Vector2<f64>> {
    Some(Vector2::new(scalar(telemetry, x)?, scalar(telemetry, y)?))
}

/// A place of the world in the odometry frame [m].
pub(crate) fn to_odom(place: Vector2<f64>, odom_in_world: &Pose2) -> Vector2<f64> {
    let Pose2 { x, y, .. } = Pose2 { x: place.x, y: place.y, yaw: 0.0 }.seen_from(odom_in_world);
    Vector2::new(x, y)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use core::f64::consts::FRAC_PI_2;

    use nalgebra::{UnitQuaternion, Vector3};
    use robot_io::{Odometry, Time};

    use super::*;

    /// A base that stands at (4, 2) and looks along y, while its odometry believes it at (1, 0.1) and looking along x.
    fn drifted() -> (Isometry3<f64>, Telemetry) {
        let pose = |x, y, roll, yaw| {
            let turn = UnitQuaternion::from_euler_angles(roll, 0.0, yaw);
            Isometry3::from_parts(Vector3::new(x, y, 0.9).into(), turn)
        };
        let odometry = Some(Odometry {
            stamp: Time::ZERO,
            base_in_odom: pose(1.0, 0.1, 0.1, 0.0),
            linear_velocity_in_base: Vector3::zeros(),
            angular_velocity_in_base: Vector3::zeros(),
        });
        (pose(4.0, 2.0, 0.1, FRAC_PI_2), Telemetry { odometry, ..Telemetry::default() })
    }

    #[test]
    fn what_is_ahead_of_the_believed_base_is_ahead_of_the_true_one() {
        let (base, telemetry) = drifted();
        let odom = odom_in_world(&base, &telemetry).unwrap();
        let ahead = to_odom(Vector2::new(4.0, 2.5), &odom);
        assert!((ahead - Vector2::new(1.5, 0.1)).norm() < 1e-12, "{ahead}");
        let sole = Pose2 { x: 1.0, y: 0.2, yaw: 0.3 }.placed_at(&odom);
        assert!((sole.x - 3.9).abs() < 1e-12 && (sole.yaw - FRAC_PI_2 - 0.3).abs() < 1e-12, "{sole:?}");
    }

    #[test]
    fn without_odometry_nothing_is_placed() {
        let (base, mut telemetry) = drifted();
        telemetry.odometry = None;
        assert_eq!(odom_in_world(&base, &telemetry), None);
        telemetry.scalar("dcm_x [m]", 1.0);
        assert_eq!(place_in_odom(&telemetry, ["dcm_x [m]", "dcm_y [m]"]), None, "half a place is none");
        telemetry.scalar("dcm_y [m]", f64::NAN);
        assert_eq!(place_in_odom(&telemetry, ["dcm_x [m]", "dcm_y [m]"]), None);
    }
}
