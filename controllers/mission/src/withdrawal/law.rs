//! The law of the withdrawal reflex: from touches of the skin to how far, and where to, the touched place is drawn back.
//!
//! Source: Ma and Dahl, "A Cross-Platform Tactile Capabilities Interface for Humanoid Robots", Frontiers in Robotics and AI 3:17, 2016 (TCI-05, 07
//! and 08 of our digest), after the force-distance model of Dahl and Paraschos (TAROS 2012). Skin has *fields*, circles of radius r on it. A touch
//! at distance d from a field's middle moves the arm by
//!
//! ```text
//! (5)  θ = φF · ψd · Θ          if d < r and F > δ, else 0      of one touch
//! (6)  θ = φF̄ · ψ|P̄ − c| · Θ    likewise                        of many, put together
//!
//!      P̄ = Σ F P / Σ F          F̄ = Σ w F / Σ w, w = 2r − |P − P̄|
//! ```
//!
//! Both equations grow with the distance, where the paper's words say that the response is strongest in the middle of a field: its edge would answer
//! most, and its middle not at all. These two errors are mended here by the falling factor ψ(d) = 1 − d/r, which is 1 in the middle and 0 at the
//! edge, so that nothing jumps there either. Beyond the paper:
//!
//! - Θ is a way of the touched place [m], along the skin's inward normal, and not a set of joint angles: limbs of other lengths move alike.
//! - φF is no more than 1, and so is the whole: a hard blow throws no arm about.
//! - A field answers a touch as far as both face the same way: the cosine between its outward normal and the touch's. The palm does not answer for
//!   the back of the hand. The touch's normal is the mean of those of all touched places by force and shrinks where they face apart, so that a
//!   hand which is pressed from both sides alike stays: what is held is not let go.
//! - w is never negative: a touch more than 2r away would count against the others.
//!
//! No state, no allocation, any frame.

use nalgebra::{Point3, Unit, Vector3};

use crate::withdrawal_settings::LawSettings;

/// A touch of the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// Where [m].
    pub at: Point3<f64>,
    /// How hard [N].
    pub force: f64,
    /// The mean of the unit vectors out of the body where it is touched: shorter than 1 if they face apart.
    pub out: Vector3<f64>,
}

/// A field of the skin: its middle [m], and the way out of the body there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Field {
    pub middle: Point3<f64>,
    pub out: Unit<Vector3<f64>>,
}

/// Touches put together to one (TCI-08): at their middle by force, with a mean force in which the middle counts most. None where nothing touches.
pub(crate) fn together(touches: impl Iterator<Item = Touch> + Clone, radius: f64) -> Option<Touch> {
    let total: f64 = touches.clone().map(|touch| touch.force).sum();
    if total <= 0.0 {
        return None;
    }
    let middle: Vector3<f64> = touches.clone().map(|touch| touch.at.coords * touch.force).sum::<Vector3<f64>>() / total;
    let out = touches.clone().map(|touch| touch.out * touch.force).sum::<Vector3<f64>>() / total;
    let weight = |touch: &Touch| (2.0 * radius - (touch.at.coords - middle).norm()).max(0.0);
    let weights: f64 = touches.clone().map(|touch| weight(&touch)).sum();
    let force = touches.map(|touch| weight(&touch) * touch.force).sum::<f64>();
    (weights > 0.0).then(|| Touch { at: Point3::from(middle), force: force / weights, out })
}

/// Where the touched place is drawn to from where it is [m] (TCI-07). None where no field answers.
pub(crate) fn withdrawal(
    touch: &Touch,
    fields: impl Iterator<Item = Field>,
    settings: &LawSettings,
) -> Option<Vector3<f64>> {
    let LawSettings { threshold, full_force, radius, way } = *settings;
    if touch.force <= threshold {
        return None;
    }
    let hard = (touch.force / full_force).min(1.0);
    let mut total = Vector3::zeros();
    for field in fields {
        let distance = (touch.at - field.middle).norm();
        let faces = field.out.dot(&touch.out);
        if distance < radius && faces > 0.0 {
            total -= *field.out * (hard * (1.0 - distance / radius) * faces * way);
        }
    }
    let length = total.norm();
    (length > 0.0).then(|| total * (way / length).min(1.0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use nalgebra::{Isometry3, Translation3, UnitQuaternion};
    use proptest::prelude::*;

    use super::*;

    /// Around a forearm of 4 cm: ahead, behind, left, right.
    fn forearm() -> [Field; 4] {
        [Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y()]
            .map(|out| Field { middle: Point3::from(out * 0.04), out: Unit::new_normalize(out) })
    }

    /// A touch of the forearm, which faces away from its axis.
    fn drawn(at: [f64; 3], force: f64) -> Option<Vector3<f64>> {
        withdrawal(&on_forearm(at, force), forearm().into_iter(), &LawSettings::default())
    }

    fn on_forearm(at: [f64; 3], force: f64) -> Touch {
        let out = Vector3::new(at[0], at[1], 0.0);
        Touch { at: at.into(), force, out: out.try_normalize(1e-9).unwrap_or_default() }
    }

    fn place() -> impl Strategy<Value = [f64; 3]> {
        [-0.06..0.06, -0.06..0.06, -0.2..0.2]
    }

    fn touch() -> impl Strategy<Value = Touch> {
        (place(), 0.1..50.0).prop_map(|(at, force)| on_forearm(at, force))
    }

    #[test]
    fn each_field_of_a_forearm_draws_it_into_its_own_way_and_the_middle_most() {
        let settings = LawSettings::default();
        for field in forearm() {
            let at = field.middle.coords;
            let middle = drawn(at.into(), 20.0).unwrap();
            assert!((middle + *field.out * settings.way).norm() < 1e-12, "{field:?}: {middle}");
            let beside = drawn((at + Vector3::z() * 0.05).into(), 20.0).unwrap();
            assert!((beside - 0.5 * middle).norm() < 1e-12, "half as far half way to the edge: {beside}");
            assert_eq!(drawn((at + Vector3::z() * 0.1).into(), 20.0), None, "beyond the edge");
        }
    }

    #[test]
    fn a_light_touch_is_left_alone_and_one_from_both_sides_holds() {
        let LawSettings { threshold, radius, .. } = LawSettings::default();
        assert_eq!(drawn([0.04, 0.0, 0.0], threshold), None);
        assert!(drawn([0.04, 0.0, 0.0], threshold + 0.1).is_some());
        // a palm and the back of its hand, 3.5 cm apart
        let back = Field { middle: Point3::new(0.0, 0.0175, 0.0), out: Vector3::y_axis() };
        let palm = Field { middle: Point3::new(0.0, -0.0175, 0.0), out: -Vector3::y_axis() };
        let touched = |field: &Field, force| Touch { at: field.middle, force, out: *field.out };
        let held = [back, palm].map(|field| touched(&field, 20.0));
        let held = together(held.into_iter(), radius).unwrap();
        assert_eq!(withdrawal(&held, [back, palm].into_iter(), &LawSettings::default()), None);
        let pushed = withdrawal(&touched(&back, 20.0), [back, palm].into_iter(), &LawSettings::default()).unwrap();
        assert!(pushed.y < -0.149, "{pushed}");
    }

    #[test]
    fn a_touch_at_an_edge_of_the_hand_draws_it_from_both_of_its_faces() {
        let back = Field { middle: Point3::new(0.0, 0.02, 0.0), out: Vector3::y_axis() };
        let side = Field { middle: Point3::new(0.04, 0.0, 0.0), out: Vector3::x_axis() };
        let both = [back, side].map(|field| Touch { at: field.middle, force: 20.0, out: *field.out });
        let settings = LawSettings::default();
        let both = together(both.into_iter(), settings.radius).unwrap();
        let way = withdrawal(&both, [back, side].into_iter(), &settings).unwrap();
        assert!(way.x < -0.04 && way.y < -0.04 && (way.x - way.y).abs() < 1e-12, "{way}");
    }

    #[test]
    fn nothing_touches_where_nothing_is_felt() {
        assert_eq!(together(core::iter::empty(), 0.1), None);
        assert_eq!(together([on_forearm([0.0; 3], 0.0)].into_iter(), 0.1), None);
    }

    proptest! {
        #[test]
        fn the_way_is_never_longer_than_it_may_be(at in place(), force in 0.0..1e4) {
            let way = drawn(at, force).map_or(0.0, |way| way.norm());
            prop_assert!(way <= LawSettings::default().way * (1.0 + 1e-12));
        }

        #[test]
        fn a_harder_touch_draws_as_far_at_least(at in place(), force in 0.0..30.0, more in 0.0..30.0) {
            let length = |force| drawn(at, force).map_or(0.0, |way| way.norm());
            prop_assert!(length(force) <= length(force + more) + 1e-12);
        }

        #[test]
        fn farther_along_the_skin_draws_less(one in 0.0..0.15, more in 0.0..0.15, force in 5.0..30.0) {
            let length = |far: f64| drawn([0.04, 0.0, far], force).map_or(0.0, |way| way.norm());
            prop_assert!(length(one + more) <= length(one) + 1e-12);
        }

        #[test]
        fn it_is_the_same_in_every_frame(touch in touch(), axis in [-3.0..3.0, -3.0..3.0, -3.0..3.0]) {
            let settings = LawSettings::default();
            let turn = UnitQuaternion::new(Vector3::from(axis));
            let frame = Isometry3::from_parts(Translation3::from(Vector3::from(axis)), turn);
            let there = Touch { at: frame * touch.at, out: turn * touch.out, ..touch };
            let fields = forearm().map(|Field { middle, out }| Field { middle: frame * middle, out: turn * out });
            let here = withdrawal(&touch, forearm().into_iter(), &settings).unwrap_or_default();
            let there = withdrawal(&there, fields.into_iter(), &settings).unwrap_or_default();
            prop_assert!((turn * here - there).norm() < 1e-9);
        }

        #[test]
        fn touches_are_put_together_between_them(touches in proptest::collection::vec(touch(), 1..12)) {
            let one = together(touches.iter().copied(), 0.3).unwrap();
            let forces = touches.iter().map(|touch| touch.force);
            let (least, most) = (forces.clone().fold(f64::INFINITY, f64::min), forces.fold(0.0, f64::max));
            prop_assert!(one.force >= least - 1e-9 && one.force <= most + 1e-9);
            for axis in 0..3 {
                let along = touches.iter().map(|touch| touch.at[axis]);
                let (low, high) = (along.clone().fold(f64::INFINITY, f64::min), along.fold(f64::NEG_INFINITY, f64::max));
                prop_assert!(one.at[axis] >= low - 1e-9 && one.at[axis] <= high + 1e-9);
            }
            let turned = together(touches.iter().rev().copied(), 0.3).unwrap();
            prop_assert!((turned.at - one.at).norm() < 1e-9 && (turned.force - one.force).abs() < 1e-9);
        }
    }
}
