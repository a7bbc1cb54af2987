//! How a hand goes: straight, or on an arc.

use manipulation::Arc;
use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use robot_io::State;

/// Nearer to its axis than this a hand is moved by torques: forces on an arc are told as if it were so far away [m].
const LEAST_LEVER: f64 = 0.05;
/// Nearer to its axis than this where a hand is does not say how far it has got, how it is turned does [m].
const LEAST_RADIUS: f64 = 0.02;

/// The way of a hand in the odometry frame.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub(super) enum Course {
    /// From one place to another [m].
    Line { from: Vector3<f64>, to: Vector3<f64> },
    /// From a pose by an angle [rad] about an axis through a point [m], turned along if it is not kept as it is.
    Arc { from: Isometry3<f64>, about: Vector3<f64>, axis: Vector3<f64>, by: f64, keep: bool },
}

impl Course {
    /// From a pose on an arc.
    pub fn arc(from: Isometry3<f64>, arc: &Arc) -> Course {
        Course::Arc { from, about: arc.about, axis: arc.axis.into_inner(), by: arc.by, keep: arc.keep }
    }

    /// How long it is [m].
    pub fn length(&self) -> f64 {
        match self {
            Course::Line { from, to } => (to - from).norm(),
            Course::Arc { from, about, axis, by, .. } => {
                by.abs() * across(axis, &(from.translation.vector - about)).norm().max(LEAST_LEVER)
            }
        }
    }

    /// Away from its axis at a point [m]: a unit vector; none on a line, and none nearer to the axis than this [m].
    pub fn outwards(&self, at: &Vector3<f64>, nearest: f64) -> Option<Vector3<f64>> {
        match self {
            Course::Line { .. } => None,
            Course::Arc { about, axis, .. } => across(axis, &(at - about)).try_normalize(nearest),
        }
    }

    /// How much of it is before a hand that has been led so great a share of it: of a line [m], of an arc [rad].
    pub fn left(&self, hand: &Isometry3<f64>, share: f64) -> f64 {
        match self {
            Course::Line { from, to } => {
                let along = (to - from) / self.length().max(1e-9);
                along.dot(&(to - hand.translation.vector)).clamp(0.0, self.length())
            }
            Course::Arc { from, about, axis, by, keep } => {
                let radius = across(axis, &(from.translation.vector - about));
                let gone = if radius.norm() >= LEAST_RADIUS || *keep {
                    let now = across(axis, &(hand.translation.vector - about));
                    libm::atan2(axis.dot(&radius.cross(&now)), radius.dot(&now))
                } else {
                    angle_about(axis, &(hand.rotation * from.rotation.inverse()))
                };
                let turn = core::f64::consts::TAU;
                let gone = gone + turn * libm::round((by * share - gone) / turn);
                (by.abs() - gone * by.signum()).clamp(0.0, by.abs())
            }
        }
    }
}

impl Default for Course {
    fn default() -> Self {
        Course::Line { from: Vector3::zeros(), to: Vector3::zeros() }
    }
}

/// What of a direction is across an axis.
fn across(axis: &Vector3<f64>, direction: &Vector3<f64>) -> Vector3<f64> {
    direction - axis * axis.dot(direction)
}

/// How far a turn is one about an axis [rad].
fn angle_about(axis: &Vector3<f64>, turn: &UnitQuaternion<f64>) -> f64 {
    let axis = Unit::new_unchecked(*axis);
    turn.axis_angle().map_or(0.0, |(about, angle)| angle * about.dot(&axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::{FRAC_PI_2, PI};

    /// An arc about z through (1, 0, 0) from the origin.
    fn arc(by: f64) -> (Arc, Course) {
        let arc = Arc { about: Vector3::x(), axis: Vector3::z_axis(), by, keep: true };
        (arc, Course::arc(Isometry3::identity(), &arc))
    }

    #[test]
    fn what_is_left_of_an_arc_is_an_angle() {
        let (path, course) = arc(FRAC_PI_2);
        assert!((course.length() - FRAC_PI_2).abs() < 1e-12);
        let left = |share: f64| course.left(&path.pose(&Isometry3::identity(), share), share);
        for share in [0.0, 0.3, 1.0] {
            assert!((left(share) - (1.0 - share) * FRAC_PI_2).abs() < 1e-9, "{share}: {}", left(share));
        }
        // one that is pushed across its way is as far
        let aside = Isometry3::translation(0.1, 0.0, 0.05) * path.pose(&Isometry3::identity(), 0.0);
        assert!((course.left(&aside, 0.1) - FRAC_PI_2).abs() < 1e-9);
    }

    #[test]
    fn of_more_than_half_a_turn_too() {
        let (path, course) = arc(-1.9 * PI);
        let hand = path.pose(&Isometry3::identity(), 0.8);
        assert!((course.left(&hand, 0.8) - 0.2 * 1.9 * PI).abs() < 1e-9);
        assert!((course.left(&hand, 0.75) - 0.2 * 1.9 * PI).abs() < 1e-9, "it is a little ahead");
    }

    #[test]
    fn a_hand_on_the_axis_tells_by_how_it_is_turned() {
        let arc = Arc { about: Vector3::zeros(), axis: Vector3::x_axis(), by: 1.0, keep: false };
        let course = Course::arc(Isometry3::identity(), &arc);
        let hand = arc.pose(&Isometry3::identity(), 0.4);
        assert!((course.left(&hand, 0.5) - 0.6).abs() < 1e-9);
        assert!((course.length() - LEAST_LEVER).abs() < 1e-12);
    }
}
