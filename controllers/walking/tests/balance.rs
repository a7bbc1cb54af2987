//! Load on two feet, and feet that give way.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use walking::balance::{FootWrench, distribute};
use walking::{AdmittanceSettings, FootAdmittance, Footstep, Reach};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_feet_together_press_where_it_is_wanted(
        x in -0.3..0.3f64, yaw in -3.0..3.0f64, left in 0.0..1.0f64, along in -0.15..0.15f64, across in -0.08..0.08f64,
    ) {
        let reach = Reach::default();
        let mut feet = Footstep::stand(Vector3::zeros(), yaw, 0.28);
        feet[0].position += Vector3::new(x * yaw.cos(), x * yaw.sin(), 0.0);
        let on_foot = |k: usize| (feet[k].pose() * nalgebra::Point3::new(along, across, 0.0)).coords.xy();
        let zmp = on_foot(0) * left + on_foot(1) * (1.0 - left);
        let loads = distribute(&zmp, &feet, &reach);
        let pressed = |k: usize| {
            let at = loads[k].pressure;
            (feet[k].pose() * nalgebra::Point3::new(at.x, at.y, 0.0)).coords.xy() * loads[k].share
        };
        prop_assert!((pressed(0) + pressed(1) - zmp).norm() < 1e-9);
        for load in loads {
            prop_assert!(load.pressure.x.abs() <= 0.15 + 1e-9 && load.pressure.y.abs() <= 0.08 + 1e-9);
            prop_assert!((0.0..=1.0).contains(&load.share));
        }
    }
}

fn wrench(force: f64, x: f64, y: f64) -> FootWrench {
    FootWrench { force, moment: Vector2::new(x, y) }
}

#[test]
fn a_sole_on_a_spring_comes_to_the_wanted_moment() {
    // ground as a spring of 2000 Nm/rad about each axis, tilted by 0.02 rad; decay leaves a part of the error
    let settings = AdmittanceSettings::default();
    let (mut admittance, mut turn) = (FootAdmittance::default(), Vector2::zeros());
    let wanted = [wrench(400.0, 5.0, -8.0); 2];
    let mut felt = wanted;
    for _ in 0..3000 {
        felt = [wrench(400.0, -2000.0 * (turn.x - 0.02), -2000.0 * (turn.y - 0.02)); 2];
        turn = admittance.update(&wanted, &felt, &settings, 0.001)[0].turn;
    }
    assert!((felt[0].moment - wanted[0].moment).norm() < 0.15 * (40.0_f64 - 5.0).hypot(40.0 + 8.0), "{:?}", felt[0]);
}

#[test]
fn the_foot_that_carries_too_much_gives_way_upwards() {
    let (mut admittance, settings) = (FootAdmittance::default(), AdmittanceSettings::default());
    let wanted = [wrench(440.0, 0.0, 0.0); 2];
    let feet = admittance.update(&wanted, &[wrench(600.0, 0.0, 0.0), wrench(280.0, 0.0, 0.0)], &settings, 0.001);
    assert!(feet[0].lifting > 0.0 && feet[1].lifting == -feet[0].lifting);
}

#[test]
fn limits_are_kept_and_what_is_not_pulled_comes_back() {
    let (mut admittance, settings) = (FootAdmittance::default(), AdmittanceSettings::default());
    let wanted = [wrench(440.0, 0.0, 0.0); 2];
    for _ in 0..5000 {
        let feet =
            admittance.update(&wanted, &[wrench(4000.0, 500.0, -500.0), wrench(100.0, 0.0, 0.0)], &settings, 0.001);
        assert!(
            feet[0].turn.amax() <= settings.farthest_turn && feet[0].turning.amax() <= settings.fastest_turn + 1e-9
        );
        assert!((feet[0].lift - feet[1].lift).abs() <= settings.farthest_lift + 1e-12);
    }
    let rest = (0..5000).map(|_| admittance.update(&wanted, &wanted, &settings, 0.001)[0]).last().unwrap();
    assert!(rest.turn.norm() < 1e-4 && rest.lift.abs() < 1e-4, "{rest:?}");
}

#[test]
fn a_foot_in_the_air_does_not_turn() {
    let (mut admittance, settings) = (FootAdmittance::default(), AdmittanceSettings::default());
    let feet = admittance.update(
        &[wrench(880.0, 0.0, 0.0), wrench(0.0, 0.0, 0.0)],
        &[wrench(880.0, 0.0, 0.0), wrench(5.0, 30.0, 0.0)],
        &settings,
        0.001,
    );
    assert_eq!(feet[1].turning, Vector2::zeros());
    assert_eq!(feet[1].lifting, 0.0);
}
