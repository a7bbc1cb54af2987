//! What a robot on feet balances: capture point and zero-moment point, as they are and as they should be.

use nalgebra::{Vector2, Vector3};
use robot_io::Pose2;

use crate::StationFrame;
use crate::belief::{CAPTURE, CAPTURE_WANTED, ZMP_WANTED, odom_in_world, place_in_odom};
use crate::pressure::zero_moment_point;

/// Points on the ground of the world [m]; `None` for what a controller does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BalancePoints {
    /// Where the robot would come to rest if it put its weight there, as its controller measures it.
    pub(crate) capture: Option<Vector2<f64>>,
    /// Where that is planned to be.
    pub(crate) capture_wanted: Option<Vector2<f64>>,
    /// Where the contacts truly carry, with their height; only of a robot whose controller wants one.
    pub(crate) zmp: Option<Vector3<f64>>,
    /// Where they should.
    pub(crate) zmp_wanted: Option<Vector2<f64>>,
}

impl BalancePoints {
    /// What a frame says of them.
    pub(crate) fn of(shown: &StationFrame) -> BalancePoints {
        let odom = shown.frame.links_in_world.first().and_then(|base| odom_in_world(base, &shown.telemetry));
        let place = |names| Some(to_world(place_in_odom(&shown.telemetry, names)?, odom.as_ref()?));
        let zmp_wanted = place(ZMP_WANTED);
        let zmp = zmp_wanted.and_then(|_| zero_moment_point(&shown.frame));
        BalancePoints { capture: place(CAPTURE), capture_wanted: place(CAPTURE_WANTED), zmp, zmp_wanted }
    }
}

/// A place of the odometry frame in the world [m].
fn to_world(place: Vector2<f64>, odom_in_world: &Pose2) -> Vector2<f64> {
    let Pose2 { x, y, .. } = Pose2 { x: place.x, y: place.y, yaw: 0.0 }.placed_at(odom_in_world);
    Vector2::new(x, y)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use nalgebra::Isometry3;
    use plant::ContactPoint;
    use robot_io::{Odometry, Time};

    use super::*;

    #[test]
    fn beliefs_are_moved_by_the_drift_and_the_truth_is_not() {
        let mut shown = StationFrame::default();
        shown.frame.links_in_world = vec![Isometry3::translation(3.0, 1.0, 0.9)];
        shown.telemetry.odometry = Some(Odometry {
            stamp: Time::ZERO,
            base_in_odom: Isometry3::translation(2.0, 1.5, 0.8),
            linear_velocity_in_base: Vector3::zeros(),
            angular_velocity_in_base: Vector3::zeros(),
        });
        shown.frame.contacts = vec![ContactPoint {
            position_in_world: Vector3::new(3.1, 1.0, 0.2),
            force_in_world: Vector3::new(0.0, 0.0, 900.0),
            normal_in_world: Vector3::z(),
            link: Some(0),
        }];
        assert_eq!(
            BalancePoints::of(&shown),
            BalancePoints::default(),
            "a controller that says nothing balances nothing"
        );
        let said = [(CAPTURE, [2.2, 1.5]), (CAPTURE_WANTED, [2.3, 1.6]), (ZMP_WANTED, [2.1, 1.5])];
        for (names, values) in said {
            names.into_iter().zip(values).for_each(|(name, value)| shown.telemetry.scalar(name, value));
        }
        let points = BalancePoints::of(&shown);
        let near = |point: Option<Vector2<f64>>, x, y| (point.unwrap() - Vector2::new(x, y)).norm() < 1e-12;
        assert!(near(points.capture, 3.2, 1.0) && near(points.capture_wanted, 3.3, 1.1), "{points:?}");
        assert!(near(points.zmp_wanted, 3.1, 1.0), "{points:?}");
        assert_eq!(points.zmp, Some(Vector3::new(3.1, 1.0, 0.2)));
    }
}
