//! What the robot has in its hands: it goes along, and is nothing that comes.

use nalgebra::Vector3;
use robot_io::State;

/// The stream that says what the robot carries: a [`Carried`].
pub const CARRIED: &str = "carried";

/// All that the robot carries.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Carried {
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

impl Carried {
    /// Whether a point in the odometry frame [m] is of something that is carried.
    pub(crate) fn holds(&self, point: &Vector3<f64>) -> bool {
        self.things.iter().any(|thing| (point - thing.place).norm() < thing.radius + NEAR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_is_told_from_what_is_beside_it() {
        let crate_in_hands = CarriedThing { place: Vector3::new(0.7, 0.0, 0.9), radius: 0.25 };
        let carried = Carried { things: vec![crate_in_hands] };
        assert!(carried.holds(&Vector3::new(0.7, 0.2, 1.0)), "its edge");
        assert!(!carried.holds(&Vector3::new(1.4, 0.0, 0.9)), "what stands behind it");
        assert!(!carried.holds(&Vector3::new(0.7, 0.0, 0.0)), "the ground below it");
        assert!(!Carried::default().holds(&Vector3::new(0.7, 0.0, 0.9)));
    }
}
