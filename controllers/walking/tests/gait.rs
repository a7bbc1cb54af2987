//! Walking, starting, stopping and pausing, as seen from outside.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod pendulum;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use pendulum::{Ground, Pendulum};
use robot_io::{Digest, StateReader, StateWriter};
use walking::{Footstep, Gait, GaitSettings, Measured, Phase, Side, Twist};

fn walker(width: f64) -> Pendulum {
    Pendulum::new(GaitSettings { width, ..GaitSettings::default() }, 7)
}

fn twist(forward: f64, sideways: f64, turning: f64) -> Twist {
    Twist { forward, sideways, turning }
}

/// Walks, and returns the mean velocity over four strides, in the frame in which they begin.
fn velocity(pendulum: &mut Pendulum, wanted: Twist) -> Twist {
    pendulum.gait.walk(wanted);
    assert!(pendulum.run(5.0));
    pendulum.run_to_phase(0.0);
    let (before, feet, began) = (pendulum.middle(), pendulum.gait.feet_when_landed(), pendulum.time);
    for _ in 0..4 {
        pendulum.run_to_phase(0.0);
        assert!(!pendulum.fallen());
    }
    let time = pendulum.time - began;
    let way = (pendulum.middle() - before) / time;
    let (sin, cos) = feet[0].yaw.sin_cos();
    let turned = pendulum.gait.feet_when_landed()[0].yaw - feet[0].yaw;
    twist(cos * way.x + sin * way.y, cos * way.y - sin * way.x, turned / time)
}

#[test]
fn it_walks_as_told_and_stops_with_both_feet_beside_each_other() {
    for width in [0.24, 0.28, 0.36] {
        for wanted in [twist(0.0, 0.0, 0.0), twist(0.3, 0.0, 0.0), twist(0.6, 0.0, 0.0), twist(-0.2, 0.0, 0.0)] {
            let mut pendulum = walker(width);
            let found = velocity(&mut pendulum, wanted);
            assert!((found.forward - wanted.forward).abs() < 0.01, "{width} {wanted:?} {found:?}");
            assert!(found.sideways.abs() < 0.01 && found.turning.abs() < 0.005, "{width} {wanted:?} {found:?}");
            pendulum.gait.stop();
            assert!(pendulum.run(6.0) && pendulum.stands(), "{width} {wanted:?}");
            assert!(pendulum.outside < 1e-9, "no pressure is wanted outside of the soles: {}", pendulum.outside);
        }
    }
}

#[test]
fn it_walks_sideways_and_turns() {
    for (wanted, which) in [(twist(0.0, 0.15, 0.0), 0), (twist(0.0, -0.15, 0.0), 0), (twist(0.0, 0.0, 0.3), 1)] {
        let mut pendulum = walker(0.28);
        let found = velocity(&mut pendulum, wanted);
        let error = [found.sideways - wanted.sideways, found.turning - wanted.turning];
        assert!(error[which].abs() < 0.01, "{wanted:?} {found:?}");
        pendulum.gait.stop();
        assert!(pendulum.run(6.0) && pendulum.stands(), "{wanted:?}");
    }
}

#[test]
fn turning_on_the_spot_stays_on_the_spot() {
    let mut pendulum = walker(0.28);
    pendulum.gait.walk(twist(0.0, 0.0, -0.3));
    assert!(pendulum.run(12.0));
    pendulum.gait.stop();
    assert!(pendulum.run(6.0) && pendulum.stands());
    assert!(pendulum.middle().xy().norm() < 0.1, "{}", pendulum.middle());
    assert!(pendulum.gait.feet_when_landed()[0].yaw < -3.0);
}

#[test]
fn a_velocity_that_changes_at_any_time_is_followed() {
    let mut pendulum = walker(0.28);
    for k in 0..40 {
        let angle = 2.4 * f64::from(k);
        pendulum.gait.walk(twist(0.4 * angle.cos(), 0.15 * angle.sin(), 0.3 * (0.7 * angle).cos()));
        assert!(pendulum.run(0.37), "after {k} changes");
    }
    pendulum.gait.stop();
    assert!(pendulum.run(6.0) && pendulum.stands());
}

#[test]
fn stopping_at_any_time_ends_with_both_feet_beside_each_other() {
    for k in 0..40 {
        let mut pendulum = walker(0.28);
        pendulum.gait.walk(twist(0.4, 0.0, 0.1));
        assert!(pendulum.run(0.05 + 0.09 * f64::from(k)));
        pendulum.gait.stop();
        assert!(pendulum.run(6.0) && pendulum.stands(), "stopped after {} s", 0.05 + 0.09 * f64::from(k));
        assert_eq!(pendulum.output.carries, [true, true]);
    }
}

#[test]
fn a_pause_stands_and_goes_on_by_itself() {
    let mut pendulum = walker(0.28);
    pendulum.gait.walk(twist(0.3, 0.0, 0.0));
    assert!(pendulum.run(4.3));
    pendulum.gait.pause();
    assert!(pendulum.run(5.0) && pendulum.stands());
    let paused = pendulum.middle().x;
    pendulum.gait.resume();
    assert!(pendulum.run(6.0) && pendulum.middle().x > paused + 1.0);
}

#[test]
fn phases_come_in_their_order() {
    let mut pendulum = walker(0.28);
    let mut seen = vec![pendulum.output.phase];
    pendulum.gait.walk(twist(0.2, 0.0, 0.0));
    for cycle in 0..10_000 {
        pendulum.step();
        if cycle == 3000 {
            pendulum.gait.stop();
        }
        if pendulum.output.phase != seen[seen.len() - 1] {
            seen.push(pendulum.output.phase);
        }
        let swings = pendulum.output.phase == Phase::SingleSupport;
        assert_eq!(pendulum.output.carries.iter().all(|carries| *carries), !swings);
        let shares: f64 = pendulum.output.loads.iter().map(|load| load.share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
    }
    assert_eq!(seen[..3], [Phase::Standing, Phase::Shifting, Phase::SingleSupport]);
    assert_eq!(seen[seen.len() - 3..], [Phase::SingleSupport, Phase::Settling, Phase::Standing]);
    for pair in seen[2..seen.len() - 2].chunks(2) {
        assert_eq!(pair[0], Phase::SingleSupport);
        assert!(pair.len() == 1 || pair[1] == Phase::DoubleSupport);
    }
}

#[test]
fn ground_that_is_higher_or_lower_than_thought_is_stepped_on() {
    let bumps: [Ground; 2] = [
        |x, _| if (0.6..1.0).contains(&x) { 0.015 } else { 0.0 },
        |x, _| if (0.6..1.0).contains(&x) { -0.015 } else { 0.0 },
    ];
    for ground in bumps {
        let mut pendulum = walker(0.28);
        pendulum.ground = ground;
        pendulum.gait.walk(twist(0.3, 0.0, 0.0));
        let (mut met, mut below) = (false, 0.0_f64);
        for _ in 0..9000 {
            pendulum.step();
            for foot in pendulum.gait.feet_when_landed() {
                let ground = ground(foot.position.x, foot.position.y);
                met |= pendulum.output.phase == Phase::DoubleSupport && ground != 0.0 && foot.position.z.abs() > 0.01;
            }
            for foot in pendulum.output.feet {
                let at = foot.pose.translation.vector;
                below = below.max(ground(at.x, at.y) - at.z);
            }
            assert!(!pendulum.fallen());
        }
        assert!(met, "a foot stands where the ground is");
        assert!(below < 0.005, "a foot stops when it touches, {DELAY} cycles later: {below}", DELAY = pendulum::DELAY);
    }
}

#[test]
fn the_same_run_has_the_same_digest_and_a_snapshot_goes_on_the_same() {
    let run = |pendulum: &mut Pendulum, seconds| {
        assert!(pendulum.run(seconds));
        Digest::of(&mut pendulum.gait)
    };
    let [mut one, mut other] = [walker(0.28), walker(0.28)];
    for pendulum in [&mut one, &mut other] {
        pendulum.gait.walk(twist(0.3, 0.0, 0.1));
    }
    assert_eq!(run(&mut one, 3.3), run(&mut other, 3.3));
    let saved = StateWriter::save(&mut one.gait);
    let mut fresh = walker(0.28).gait;
    StateReader::restore(&mut fresh, &saved).unwrap();
    other.gait = fresh;
    assert_eq!(run(&mut one, 2.0), run(&mut other, 2.0));
}

#[test]
fn it_stands_lower_and_then_walks_lower() {
    let mut pendulum = walker(0.28);
    pendulum.gait.stand_at(0.75);
    pendulum.gait.walk(twist(0.3, 0.0, 0.0));
    assert!(pendulum.run(1.9), "on its way down");
    assert_eq!(pendulum.output.phase, Phase::Standing);
    assert!(pendulum.run(5.0) && pendulum.middle().x > 0.8);
    assert!((pendulum.com.z - 0.75).abs() < 0.01, "{}", pendulum.com.z);
    pendulum.gait.stand_at(0.95);
    assert!(pendulum.run(3.0) && (pendulum.com.z - 0.75).abs() < 0.01, "a walk goes on at its height");
    pendulum.gait.stop();
    assert!(pendulum.run(8.0) && pendulum.stands() && (pendulum.com.z - 0.95).abs() < 0.005, "{}", pendulum.com.z);
}

#[test]
fn feet_that_stand_on_the_wrong_sides_and_settings_out_of_bounds_are_refused() {
    let feet = Footstep::stand(Vector3::zeros(), 0.0, 0.28);
    let settings = GaitSettings::default();
    let swapped = Gait::new(settings, [feet[1], feet[0]]).unwrap_err().to_string();
    assert_eq!(swapped, "step 0: sides: expected [Left, Right], found [Right, Left]");
    let narrow = Gait::new(GaitSettings { width: 0.1, ..settings }, feet).unwrap_err().to_string();
    assert_eq!(narrow, "step 1: outward [m]: expected 0.19 to 0.55, found 0.1000");
    let wrong = Gait::new(GaitSettings { single: -1.0, ..settings }, feet).unwrap_err().to_string();
    assert!(wrong.starts_with("walking: single [s]: expected"), "{wrong}");
}

#[test]
fn measurements_and_commands_that_are_no_numbers_do_no_harm() {
    let mut pendulum = walker(0.28);
    pendulum.gait.walk(twist(0.3, f64::NAN, f64::NAN));
    assert!(pendulum.run(3.0));
    for _ in 0..20 {
        pendulum.step();
        let output = pendulum.gait.clone().update(&Measured { dcm: Vector3::repeat(f64::NAN), ..Measured::default() });
        assert!(output.dcm.iter().chain(output.wanted.zmp.iter()).all(|value| value.is_finite()));
    }
    assert!(pendulum.run(3.0) && pendulum.middle().x > 1.0);
}

#[test]
fn a_foot_stands_where_it_is_measured_when_it_lands() {
    let mut pendulum = walker(0.28);
    pendulum.gait.walk(twist(0.3, 0.0, 0.0));
    pendulum.run(3.0);
    pendulum.run_to_phase(0.5);
    let off = Translation3::new(0.03, -0.01, 0.0);
    let mut gait = pendulum.gait.clone();
    let output = loop {
        let feet = Some(pendulum.output.feet.map(|foot| off * foot.pose));
        let output = gait.update(&Measured { com: pendulum.com, dcm: pendulum.dcm(), forces: None, feet });
        if output.phase == Phase::DoubleSupport {
            break output;
        }
        pendulum.step();
    };
    let [measured, taken] = [off * pendulum.output.feet[1].pose, output.feet[1].pose];
    assert!((measured.translation.vector - taken.translation.vector).norm() < 1e-3, "{measured} {taken}");
}

#[test]
fn feet_and_pressure_move_without_jumps_while_it_walks() {
    let mut pendulum = walker(0.28);
    pendulum.gait.walk(twist(0.3, 0.05, 0.1));
    let mut before = pendulum.output;
    for cycle in 0..14_000 {
        match cycle {
            7130 => pendulum.gait.stop(),
            10_000 => pendulum.gait.walk(twist(-0.1, 0.0, 0.0)),
            10_200 => pendulum.gait.stop(),
            _ => {}
        }
        pendulum.step();
        let now = pendulum.output;
        assert!((now.reference.vrp - before.reference.vrp).norm() < 0.01, "at {} s", pendulum.time);
        assert!((now.reference.dcm - before.reference.dcm).norm() < 0.01, "at {} s", pendulum.time);
        for side in 0..2 {
            let (foot, was) = (now.feet[side], before.feet[side]);
            let moved = foot.pose.translation.vector - was.pose.translation.vector;
            assert!(moved.norm() < 2.0 * pendulum.settings.cycle, "at {} s", pendulum.time);
            let in_air = !now.carries[side] && !before.carries[side];
            assert!(!in_air || (foot.acceleration - was.acceleration).norm() < 1.0, "at {} s", pendulum.time);
        }
        before = now;
    }
}

/// A sole on a slope that rises along x, where `foot` is.
fn on_slope(foot: &Isometry3<f64>, rise: f64) -> Isometry3<f64> {
    let place = foot.translation.vector;
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -rise.atan());
    let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), foot.rotation.euler_angles().2);
    Isometry3::from_parts(Vector3::new(place.x, place.y, rise * place.x).into(), tilt * heading)
}

#[test]
fn on_a_slope_that_nobody_told_of_feet_are_soon_set_down_as_it_rises() {
    for rise in [0.17, -0.17] {
        let settings = GaitSettings::default();
        let mut gait = Gait::new(settings, Footstep::stand(Vector3::zeros(), 0.0, settings.width)).unwrap();
        gait.walk(twist(0.3, 0.0, 0.0));
        let (mut com, mut velocity) = (Vector3::new(0.0, 0.0, settings.com_height), Vector3::zeros());
        let mut feet = None;
        let mut last = None;
        for _ in 0..8000 {
            let dcm = com + velocity / gait.omega();
            let output = gait.update(&Measured { com, dcm, forces: None, feet });
            velocity += output.wanted.com_acceleration * settings.cycle;
            com += velocity * settings.cycle;
            feet = Some(output.feet.map(|foot| on_slope(&foot.pose, rise)));
            if output.phase == Phase::SingleSupport {
                last = Some(gait.feet_when_landed()[output.side.index()]);
            }
        }
        let step = last.unwrap();
        assert!(step.position.x > 1.0, "{step:?}");
        assert!((step.position.z - rise * step.position.x).abs() < 0.01, "{rise}: {step:?}");
        assert!((step.normal.x / step.normal.z + rise).abs() < 0.02, "{rise}: {step:?}");
    }
}

/// Pushed towards the foot that is to be lifted next ([m/s], negative: away from it) as the other one has landed: how long both carry [s], and whether
/// it still walks 3 s later.
fn both_carry(inward: f64, push: f64) -> (f64, bool) {
    let mut pendulum = Pendulum::new(GaitSettings { inward, ..GaitSettings::default() }, 3);
    pendulum.gait.walk(twist(0.3, 0.0, 0.0));
    assert!(pendulum.run(4.0));
    let lands = |pendulum: &Pendulum| pendulum.output.phase == Phase::DoubleSupport;
    while lands(&pendulum) || pendulum.output.side != Side::Right {
        pendulum.step();
    }
    while !lands(&pendulum) {
        pendulum.step();
    }
    pendulum.velocity.y += push * pendulum.output.side.sign();
    let begin = pendulum.time;
    while lands(&pendulum) {
        pendulum.step();
    }
    let lasts = pendulum.time - begin;
    (lasts, pendulum.run(3.0))
}

#[test]
fn no_foot_is_lifted_while_the_load_is_still_on_it() {
    let both = GaitSettings::default().both;
    let (usual, walks) = both_carry(0.03, 0.0);
    assert!((usual - both).abs() < 0.01 && walks, "{usual}");
    let (longer, walks) = both_carry(0.03, 0.2);
    assert!(longer > both + 0.03 && longer < both + 0.61 && walks, "{longer}");
    let (at_once, _) = both_carry(1.0, 0.2);
    assert!((at_once - both).abs() < 0.01, "{at_once}");
    let (other_way, walks) = both_carry(0.03, -0.1);
    assert!((other_way - both).abs() < 0.01 && walks, "{other_way}");
}

#[test]
fn soles_that_say_the_ground_is_a_wall_keep_no_cycle_from_ending() {
    for roll in [0.3, 0.6, -1.0, 1.5] {
        let mut pendulum = walker(0.28);
        pendulum.gait.walk(twist(0.3, 0.0, 0.0));
        assert!(pendulum.run(3.0));
        let tilted =
            pendulum.output.feet.map(|foot| foot.pose.translation * UnitQuaternion::from_euler_angles(roll, 0.0, 0.0));
        let (com, dcm) = (pendulum.com, pendulum.dcm());
        for cycle in 0..4000 {
            let forces = if cycle / 200 % 2 == 0 { [500.0, 0.0] } else { [0.0, 500.0] };
            let measured = Measured { com, dcm, forces: Some(forces), feet: Some(tilted) };
            let output = pendulum.gait.update(&measured);
            assert!(output.wanted.zmp.iter().all(|value| value.is_finite()), "{roll}: {output:?}");
        }
    }
}
