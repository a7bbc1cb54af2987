//! One adjustment of a step.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use walking::adjust::{Capturable, Situation};
use walking::{AdjustSettings, Adjuster, Capture, Footstep, Manner, Reach, Side};

const OMEGA: f64 = 3.2;
const SINGLE: f64 = 0.6;
const BOTH: f64 = 0.12;

/// On the right foot, walking on the spot, `elapsed` [s] after the left one was lifted and off the plan by `off` [m].
fn situation(elapsed: f64, off: Vector2<f64>, yaw: f64) -> Situation {
    let stance = Footstep::flat(Side::Right, Vector3::new(1.0, 2.0, 0.0), yaw);
    let planned = stance.beside(0.28);
    let towards = (planned.position - stance.position).xy();
    // DCM when the foot lands, of walking on the spot for ever without time on both feet
    let end = towards * (1.0 - 1.0 / (1.0 + (OMEGA * (SINGLE + BOTH)).exp())) * 0.6;
    let dcm = stance.position.xy() + end * (-OMEGA * (SINGLE - elapsed)).exp() + off;
    let planned_dcm = stance.position.xy() + end;
    let swing = planned.position.xy();
    Situation {
        stance,
        swing,
        dcm,
        planned,
        planned_dcm,
        elapsed,
        planned_time: SINGLE,
        both: BOTH,
        manner: Manner::default(),
        omega: OMEGA,
    }
}

fn adjuster() -> Adjuster {
    Adjuster::new(AdjustSettings::default(), Reach::default())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_it_says_can_be_done(elapsed in 0.0..0.5f64, x in -0.6..0.6f64, y in -0.6..0.6f64, yaw in -3.0..3.0f64) {
        let (now, settings, reach) = (situation(elapsed, Vector2::new(x, y), yaw), AdjustSettings::default(), Reach::default());
        let adjusted = adjuster().adjust(&now);
        reach.check(0, &now.stance, &adjusted.step).unwrap();
        let soonest = settings.time[0].max(elapsed + settings.freeze);
        prop_assert!(adjusted.time > soonest - 1e-9 && adjusted.time < settings.time[1] + 1e-9);
        let moved = adjusted.step.position.xy() - now.swing;
        let farthest = settings.swing_speed * (adjusted.time - elapsed);
        // the bound is a box along the foot that carries
        prop_assert!(moved.norm() <= farthest * 2.0_f64.sqrt() + 1e-6, "{} {farthest}", moved.norm());
    }

    #[test]
    fn what_ankles_can_do_moves_no_step(elapsed in 0.0..0.3f64, x in -0.05..0.05f64, y in -0.02..0.02f64) {
        let now = situation(elapsed, Vector2::new(x, y), 0.0);
        let adjusted = adjuster().adjust(&now);
        prop_assert!(adjusted.as_planned && adjusted.step == now.planned && (adjusted.time - SINGLE).abs() < 1e-9);
    }

    #[test]
    fn turned_about_it_is_the_same(elapsed in 0.0..0.5f64, x in -0.3..0.3f64, y in -0.3..0.3f64, yaw in -3.0..3.0f64) {
        let off = Vector2::new(x, y);
        let turned = Vector2::new(yaw.cos() * x - yaw.sin() * y, yaw.sin() * x + yaw.cos() * y);
        let (here, there) = (situation(elapsed, off, 0.0), situation(elapsed, turned, yaw));
        let (one, other) = (adjuster().adjust(&here), adjuster().adjust(&there));
        prop_assert!((one.time - other.time).abs() < 1e-6 && one.capture == other.capture);
        let (one, other) = (one.step.stride_from(&here.stance), other.step.stride_from(&there.stance));
        prop_assert!((one.forward - other.forward).abs() < 1e-6 && (one.outward - other.outward).abs() < 1e-6);
    }
}

#[test]
fn pushed_forward_it_steps_forward_and_pushed_outward_wider_or_sooner() {
    let forward = adjuster().adjust(&situation(0.2, Vector2::new(0.25, 0.0), 0.0));
    assert!(forward.step.position.x > 1.1 && !forward.as_planned);
    let outward = adjuster().adjust(&situation(0.2, Vector2::new(0.0, 0.1), 0.0));
    assert!(outward.step.position.y > 2.29 || outward.time < 0.55, "{outward:?}");
}

#[test]
fn the_farther_off_the_more_steps_and_then_none() {
    let captures: Vec<Capture> = (0..12)
        .map(|k| adjuster().adjust(&situation(0.2, Vector2::new(0.1 * f64::from(k), 0.0), 0.0)).capture)
        .collect();
    let rank = |capture: &Capture| match capture {
        Capture::Standing => 0,
        Capture::OneStep => 1,
        Capture::Steps(steps) => *steps,
        Capture::Lost => usize::MAX,
    };
    assert!(captures.windows(2).all(|pair| rank(&pair[0]) <= rank(&pair[1])), "{captures:?}");
    assert_eq!((captures[0], captures[11]), (Capture::OneStep, Capture::Lost));
    assert!(captures.iter().any(|capture| matches!(capture, Capture::Steps(_))), "{captures:?}");
}

#[test]
fn regions_grow_to_the_bound_of_walking_for_ever() {
    let (reach, period) = (Reach::default(), 0.5);
    let regions = Capturable::regions(&reach, [0.0, 0.0], period, OMEGA);
    let for_ever = reach.forward[1] / ((OMEGA * period).exp() - 1.0);
    assert!(regions.windows(2).all(|pair| pair[0].forward[1] < pair[1].forward[1]));
    assert!(regions[4].forward[1] < for_ever && regions[4].forward[1] > 0.99 * for_ever, "Khadiv et al. 2020");
}
