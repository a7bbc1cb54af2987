//! Where the ground carries the robot: the zero-moment point of all its contacts.

use nalgebra::{Vector2, Vector3};
use plant::{ContactPoint, Frame};

/// Forces below are none [N].
const NONE: f64 = 1e-3;

/// The point of the level plane at the contacts' mean height about which their forces have no moment that tips [m]: the measured
/// zero-moment point. `None` if nothing carries the robot.
pub(crate) fn zero_moment_point(frame: &Frame) -> Option<Vector3<f64>> {
    let touching = || frame.contacts.iter().filter(|contact| contact.link.is_some());
    let carried: f64 = touching().map(|contact| contact.force_in_world.z).sum();
    let pressed: f64 = touching().map(|contact| contact.force_in_world.z.max(0.0)).sum();
    if carried <= NONE {
        return None;
    }
    let weighed = |contact: &ContactPoint| contact.force_in_world.z.max(0.0) * contact.position_in_world.z;
    let height = touching().map(weighed).sum::<f64>() / pressed;
    let moment = |contact: &ContactPoint| {
        let (place, force) = (contact.position_in_world, contact.force_in_world);
        force.z * place.xy() - (place.z - height) * force.xy()
    };
    let point = touching().map(moment).sum::<Vector2<f64>>() / carried;
    Some(Vector3::new(point.x, point.y, height))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn contact(place: [f64; 3], force: [f64; 3], link: Option<usize>) -> ContactPoint {
        let (position_in_world, force_in_world) = (place.into(), force.into());
        ContactPoint { position_in_world, force_in_world, normal_in_world: Vector3::z(), link }
    }

    fn frame(contacts: Vec<ContactPoint>) -> Frame {
        Frame { contacts, ..Frame::default() }
    }

    #[test]
    fn the_zero_moment_point_lies_where_the_load_is() {
        let objects = contact([9.0, 9.0, 0.0], [0.0, 0.0, 500.0], None);
        let feet = [
            contact([0.0, 0.1, 0.2], [0.0, 0.0, 300.0], Some(3)),
            contact([0.4, -0.1, 0.2], [0.0, 0.0, 100.0], Some(7)),
        ];
        let point = zero_moment_point(&frame(vec![feet[0], objects, feet[1]])).unwrap();
        assert!((point - Vector3::new(0.1, 0.05, 0.2)).norm() < 1e-12, "{point}");
        assert_eq!(zero_moment_point(&frame(vec![objects])), None, "nothing carries a robot in the air");
    }

    #[test]
    fn friction_on_feet_of_different_heights_moves_the_zero_moment_point() {
        let low = contact([0.0, 0.0, 0.0], [-50.0, 0.0, 200.0], Some(0));
        let high = contact([0.4, 0.0, 0.2], [50.0, 0.0, 200.0], Some(1));
        let point = zero_moment_point(&frame(vec![low, high])).unwrap();
        // about (x, 0.1): 200 (0 - x) + 200 (0.4 - x) = (0 - 0.1) (-50) + (0.2 - 0.1) 50
        assert!((point - Vector3::new(0.175, 0.0, 0.1)).norm() < 1e-12, "{point}");
    }
}
