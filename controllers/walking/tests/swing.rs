//! How a foot goes through the air.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

use nalgebra::Vector3;
use proptest::prelude::*;
use walking::swing::Swing;
use walking::{Footstep, Side, SwingSettings};

const DT: f64 = 1e-4;

fn foot(x: f64, y: f64, z: f64, yaw: f64) -> Footstep {
    Footstep::flat(Side::Left, Vector3::new(x, y, z), yaw)
}

prop_compose! {
    fn shifts()(x in -0.2..0.2f64, y in -0.1..0.1f64, z in -0.05..0.05f64, yaw in -0.2..0.2f64) -> (Vector3<f64>, f64) {
        (Vector3::new(x, y, z), yaw)
    }
}

prop_compose! {
    fn places()(x in -0.5..0.7f64, y in -0.3..0.3f64, z in -0.2..0.2f64, yaw in -0.6..0.6f64) -> Footstep { foot(x, y, z, yaw) }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_moves_without_jumps_however_often_it_is_sent_elsewhere(
        first in places(),
        more in prop::collection::vec((0.05..0.4f64, shifts(), -0.1..0.3f64), 0..4),
    ) {
        let settings = SwingSettings::default();
        let mut swing = Swing::new(foot(0.0, 0.0, 0.0, 0.0), first, 0.6, &settings);
        let mut orders = more.clone();
        orders.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut before, mut time) = (swing.at(0.0, &settings), 0.0);
        while time < swing.duration() {
            while orders.first().is_some_and(|order| order.0 <= time) {
                let (_, (shift, turn), later) = orders.remove(0);
                let place = Footstep { position: first.position + shift, yaw: first.yaw + turn, ..first };
                let at = swing.at(time, &settings);
                let end = (0.6 + later).max(time + 0.15);
                swing.retarget(time, place, end, &settings);
                let now = swing.at(time, &settings);
                prop_assert!((at.velocity - now.velocity).norm() < 1e-9 && (at.acceleration - now.acceleration).norm() < 1e-6);
                prop_assert!((at.pose.translation.vector - now.pose.translation.vector).norm() < 1e-9);
            }
            time += DT;
            let now = swing.at(time, &settings);
            let moved = now.pose.translation.vector - before.pose.translation.vector;
            prop_assert!((moved / DT - (now.velocity + before.velocity) * 0.5).norm() < 1e-2, "at {time}");
            prop_assert!((now.velocity - before.velocity).norm() < 500.0 * DT, "at {time}");
            before = now;
        }
        let end = swing.at(swing.duration(), &settings);
        let target = swing.target().pose();
        prop_assert!((end.pose.translation.vector - target.translation.vector).norm() < 1e-6);
        prop_assert!(end.pose.rotation.angle_to(&target.rotation) < 1e-6);
        prop_assert!((end.velocity - Vector3::new(0.0, 0.0, -settings.approach)).norm() < 1e-6);
    }
}

/// Lowest height [m] while the foot is anywhere over ground from `from` to `to`.
fn lowest_over(swing: &Swing, from: f64, to: f64) -> f64 {
    let settings = SwingSettings::default();
    let at = (0..6000).map(|k| swing.at(f64::from(k) * DT, &settings).pose.translation.vector);
    at.filter(|at| (from..to).contains(&at.x)).map(|at| at.z).fold(f64::INFINITY, f64::min)
}

#[test]
fn onto_a_stair_it_goes_up_first() {
    let swing = Swing::new(foot(0.0, 0.0, 0.0, 0.0), foot(0.4, 0.0, 0.1, 0.0), 0.6, &SwingSettings::default());
    // toes are 0.15 m before the middle of the sole, the stair's edge is 0.2 m before its target
    assert!(lowest_over(&swing, 0.05, 0.399) > 0.1, "{}", lowest_over(&swing, 0.05, 0.399));
}

#[test]
fn from_a_stair_it_goes_forward_first() {
    let swing = Swing::new(foot(0.0, 0.0, 0.0, 0.0), foot(0.4, 0.0, -0.1, 0.0), 0.6, &SwingSettings::default());
    // the heel leaves the edge when the middle is 0.35 m before its start
    assert!(lowest_over(&swing, 0.02, 0.35) > 0.0, "{}", lowest_over(&swing, 0.02, 0.35));
}

#[test]
fn without_ground_it_goes_down_slowly_to_the_limit() {
    let settings = SwingSettings::default();
    let swing = Swing::new(foot(0.0, 0.0, 0.0, 0.0), foot(0.3, 0.0, 0.0, 0.0), 0.6, &settings);
    let mut before = swing.at(0.6, &settings);
    for k in 1..2000 {
        let late = swing.at(0.6 + f64::from(k) * DT, &settings);
        let fell = before.pose.translation.z - late.pose.translation.z;
        assert!(fell >= 0.0 && fell <= settings.search * DT + 1e-12, "{k}: {fell}");
        before = late;
    }
    let limit = swing.at(9.0, &settings);
    assert!((limit.pose.translation.z + settings.depth).abs() < 1e-9 && limit.velocity.norm() == 0.0);
    assert!((limit.pose.translation.x - 0.3).abs() < 1e-9);
}
