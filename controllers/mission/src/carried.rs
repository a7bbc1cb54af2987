//! What the robot has in its hands: it goes along, and is nothing that comes.

use nalgebra::Vector3;
use robot_io::{State, Time};

/// The stream that says what the robot carries: a [`Carried`].
pub const CARRIED: &str = "carried";

/// All that the robot carries.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Carried {
    /// When that was so; what is older than 0.2 s counts no more: hands that were stopped hide nothing that comes.
    pub stamp: Time,
    /// The things.
    pub things: Vec<CarriedThing>,
}

/// Something that the robot carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct CarriedThing {
    /// Its middle in the odometry frame [m].
    pub place: Vector3<f64>,
    /// Nothing of it is farther from there than this [m].
    pub radius: f64,
}

/// What is met so near to what is carried is that [m]: it moves on from a scan to when that is looked at, and hands are not exact.
const NEAR: f64 = 0.08;
/// What was said before this counts no more [s].
const FRESH: f64 = 0.2;

impl Carried {
    /// Whether it still counts.
    pub(crate) fn is_fresh(&self, now: Time) -> bool {
        now.since(self.stamp).seconds() < FRESH
    }
}

impl CarriedThing {
    /// Whether a point in the odometry frame [m] is of it.
    pub(crate) fn has(&self, point: &Vector3<f64>) -> bool {
        (point - self.place).norm() < self.radius + NEAR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_is_told_from_what_is_beside_it() {
        let crate_in_hands = CarriedThing { place: Vector3::new(0.7, 0.0, 0.9), radius: 0.25 };
        let carried = Carried { stamp: Time::from_seconds(1.0), things: vec![crate_in_hands] };
        assert!(crate_in_hands.has(&Vector3::new(0.7, 0.2, 1.0)), "its edge");
        assert!(!crate_in_hands.has(&Vector3::new(1.4, 0.0, 0.9)), "what stands behind it");
        assert!(!crate_in_hands.has(&Vector3::new(0.7, 0.0, 0.0)), "the ground below it");
        assert!(carried.is_fresh(Time::from_seconds(1.1)) && !carried.is_fresh(Time::from_seconds(1.3)));
    }
}
