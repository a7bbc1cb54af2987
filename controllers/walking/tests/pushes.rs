//! Pushes, as a change of velocity: the impulse over the mass.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod pendulum;

use core::f64::consts::FRAC_PI_4;

use pendulum::{Pendulum, pushed, survives};
use proptest::prelude::*;
use walking::{Capture, GaitSettings, Reach};

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_comes_through_pushes_from_all_sides_at_any_time(seed in any::<u64>()) {
        for direction in 0..8 {
            for phase in 0..8 {
                let (share, angle) = (f64::from(phase) / 8.0, f64::from(direction) * FRAC_PI_4);
                prop_assert!(survives(GaitSettings::default(), seed, 0.3, share, 0.25, angle), "{direction} {phase}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_comes_through_pushes_in_between(
        seed in any::<u64>(), width in 0.24..0.36f64, share in 0.0..1.0f64, angle in -3.2..3.2f64, forward in 0.0..0.6f64,
        cycle in prop::sample::select(vec![0.001, 0.002]),
    ) {
        let settings = GaitSettings { width, cycle, ..GaitSettings::default() };
        prop_assert!(survives(settings, seed, forward, share, 0.25, angle));
    }
}

#[test]
fn standing_it_takes_small_pushes_without_a_step() {
    for direction in 0..8 {
        for seed in 0..5 {
            assert_eq!(pushed(0.4, f64::from(direction) * FRAC_PI_4, seed), (true, 0), "{direction}");
        }
    }
}

#[test]
fn standing_it_steps_when_pushed_hard() {
    for direction in [0.0, 0.6, -0.6, 3.1, 2.6, -2.6] {
        for speed in [0.6, 0.7] {
            let (stands, steps) = pushed(speed, direction, 3);
            assert!(stands && steps > 0, "{speed} m/s to {direction}: {stands}, {steps} steps");
        }
    }
}

#[test]
fn a_push_beyond_all_steps_is_told() {
    let mut pendulum = Pendulum::new(GaitSettings::default(), 1);
    pendulum.gait.walk(walking::Twist::default());
    assert!(pendulum.run(4.0));
    pendulum.run_to_phase(0.2);
    assert_ne!(pendulum.output.capture, Capture::Lost);
    pendulum.push(2.5, 1.57);
    pendulum.run(0.2);
    assert_eq!(pendulum.output.capture, Capture::Lost);
}

#[test]
fn a_small_robot_walks_and_comes_through_pushes_too() {
    let reach = Reach { forward: [-0.3, 0.45], outward: [0.13, 0.4], half_sole: [0.1, 0.035], ..Reach::default() };
    let settings =
        GaitSettings { com_height: 0.65, width: 0.2, single: 0.45, both: 0.1, reach, ..GaitSettings::default() };
    for direction in 0..8 {
        for phase in 0..8 {
            let angle = f64::from(direction) * FRAC_PI_4;
            assert!(survives(settings, 11, 0.3, f64::from(phase) / 8.0, 0.15, angle), "{direction} {phase}");
        }
    }
}
