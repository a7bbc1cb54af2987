//! Polygons of soles.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

use nalgebra::Vector2;
use proptest::prelude::*;
use walking::Polygon;

const HALF: Vector2<f64> = Vector2::new(0.15, 0.08);

fn rectangle(x: f64, y: f64, yaw: f64) -> Polygon {
    Polygon::rectangle(Vector2::new(x, y), yaw, HALF)
}

prop_compose! {
    fn soles()(x in -0.5..0.5f64, y in -0.5..0.5f64, yaw in -3.2..3.2f64) -> Polygon { rectangle(x, y, yaw) }
}

prop_compose! {
    fn points()(x in -1.0..1.0f64, y in -1.0..1.0f64) -> Vector2<f64> { Vector2::new(x, y) }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_hull_goes_round_and_holds_both(a in soles(), b in soles()) {
        let hull = a.around(&b);
        let corners = hull.corners();
        prop_assert!((4..=8).contains(&corners.len()));
        for corner in a.corners().iter().chain(b.corners()) {
            prop_assert!(hull.depth(corner) > -1e-9);
        }
        prop_assert!(hull.area() >= a.area() - 1e-12);
    }

    #[test]
    fn what_is_common_is_in_both(a in soles(), b in soles()) {
        let common = a.common(&b);
        for corner in common.corners() {
            prop_assert!(a.depth(corner) > -1e-9 && b.depth(corner) > -1e-9);
        }
        prop_assert!((common.area() - b.common(&a).area()).abs() < 1e-9);
    }

    #[test]
    fn a_point_is_in_the_common_part_if_it_is_in_both(a in soles(), b in soles(), p in points()) {
        let (in_a, in_b) = (a.depth(&p), b.depth(&p));
        prop_assume!(in_a.abs() > 1e-9 && in_b.abs() > 1e-9);
        prop_assert_eq!(a.common(&b).contains(&p), in_a > 0.0 && in_b > 0.0);
    }

    #[test]
    fn nothing_of_a_polygon_is_nearer_than_the_nearest_point(a in soles(), b in soles(), p in points(), t in 0.0..1.0f64) {
        let hull = a.around(&b);
        let nearest = hull.nearest(&p);
        prop_assert!(hull.depth(&nearest) > -1e-9);
        let corners = hull.corners();
        for k in 0..corners.len() {
            let other = corners[k] + (corners[(k + 1) % corners.len()] - corners[k]) * t;
            prop_assert!((nearest - p).norm() <= (other - p).norm() + 1e-9);
        }
    }
}

#[test]
fn soles_apart_have_nothing_in_common() {
    assert_eq!(rectangle(0.0, 0.0, 0.0).common(&rectangle(0.0, 0.2, 0.0)).corners().len(), 0);
}

#[test]
fn depth_is_the_distance_to_the_nearest_edge() {
    let sole = rectangle(0.0, 0.0, 0.0);
    assert!((sole.depth(&Vector2::new(0.0, 0.03)) - 0.05).abs() < 1e-12);
    assert!((sole.depth(&Vector2::new(0.18, 0.12)) + 0.05).abs() < 1e-12);
}
