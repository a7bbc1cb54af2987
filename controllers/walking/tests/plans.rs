//! Plans of footsteps: refused, followed, changed, on stairs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod pendulum;

use nalgebra::{Vector2, Vector3};
use pendulum::{Ground, Pendulum};
use walking::{Footstep, GaitSettings, Phase, Place, Plan, Reach, Side, Twist, WalkingError, plan_along};

const WIDTH: f64 = 0.28;

fn step(side: Side, x: f64, z: f64) -> Footstep {
    Footstep::flat(side, Vector3::new(x, 0.5 * WIDTH * side.sign(), z), 0.0)
}

/// Both feet on each of four treads.
fn stairs(height: f64, tread: f64) -> Vec<Footstep> {
    let at = |k: i32| (f64::from(k) * tread, f64::from(k) * height);
    (1..=4).flat_map(|k| Side::BOTH.map(|side| step(side, at(k).0, at(k).1))).collect()
}

fn walker() -> Pendulum {
    Pendulum::new(GaitSettings { width: WIDTH, ..GaitSettings::default() }, 5)
}

fn refused(steps: Vec<Footstep>) -> String {
    let feet = Footstep::stand(Vector3::zeros(), 0.0, WIDTH);
    Plan::new(steps, &feet, &Reach::default()).unwrap_err().to_string()
}

#[test]
fn a_plan_that_cannot_be_walked_is_refused_with_the_step_and_the_figure() {
    let (left, right) = (step(Side::Left, 0.3, 0.0), step(Side::Right, 1.1, 0.0));
    assert_eq!(refused(vec![left, right]), "step 1: forward [m]: expected -0.45 to 0.7, found 0.8000");
    assert_eq!(refused(vec![left, left]), "step 1: side: expected Right, found Left");
    let crossed = Footstep { position: Vector3::new(0.0, -0.2, 0.0), ..left };
    assert_eq!(refused(vec![crossed]), "step 0: outward [m]: expected 0.19 to 0.55, found -0.0600");
    assert_eq!(refused(vec![step(Side::Left, 0.3, 0.4)]), "step 0: upward [m]: expected -0.25 to 0.25, found 0.4000");
    let turned = Footstep { yaw: -0.3, ..left };
    assert_eq!(refused(vec![turned]), "step 0: turning [rad]: expected -0.15 to 0.6, found -0.3000");
    let nowhere = Footstep { position: Vector3::new(f64::NAN, 0.14, 0.0), ..left };
    assert_eq!(refused(vec![nowhere]), "step 0: forward [m]: expected -0.45 to 0.7, found NaN");
}

#[test]
fn soles_that_would_overlap_are_refused() {
    let reach = Reach { turning: [-1.0, 1.0], ..Reach::default() };
    let toes_in = Footstep { yaw: -0.9, position: Vector3::new(0.1, 0.06, 0.0), ..step(Side::Left, 0.0, 0.0) };
    let feet = Footstep::stand(Vector3::zeros(), 0.0, WIDTH);
    let error = Plan::new(vec![toes_in], &feet, &reach).unwrap_err();
    assert!(matches!(error, WalkingError::Step { step: 0, field: "ground under both soles [m²]", .. }), "{error}");
}

#[test]
fn stairs_are_climbed_and_descended() {
    let grounds: [(f64, Ground); 2] = [
        (0.1, |x, _| 0.1 * ((x + 0.1) / 0.4).floor().clamp(0.0, 4.0)),
        (-0.1, |x, _| -0.1 * ((x + 0.1) / 0.4).floor().clamp(0.0, 4.0)),
    ];
    for (height, ground) in grounds {
        let mut pendulum = walker();
        pendulum.ground = ground;
        pendulum.gait.follow(stairs(height, 0.4)).unwrap();
        assert!(pendulum.run(12.0) && pendulum.stands());
        for (foot, goal) in pendulum.gait.feet_when_landed().iter().zip(&stairs(height, 0.4)[6..]) {
            assert!((foot.position - goal.position).norm() < 0.01, "{} {}", foot.position, goal.position);
        }
        assert!((pendulum.com.z - 4.0 * height - 0.95).abs() < 0.005, "{}", pendulum.com.z);
    }
}

#[test]
fn a_path_to_a_goal_ends_square_at_the_goal() {
    let most = Twist { forward: 0.3, sideways: 0.1, turning: 0.2 };
    let place = |x, y, yaw| Place { position: Vector2::new(x, y), yaw };
    for path in [
        vec![place(2.0, 1.0, 0.0), place(3.0, 0.0, 1.5)],
        vec![place(-1.0, 0.0, 0.0)],
        vec![place(0.2, -0.3, -0.5)],
        vec![place(0.0, 0.0, 3.0)],
    ] {
        let mut pendulum = walker();
        let feet = pendulum.gait.feet_when_landed();
        let plan = plan_along(&feet, &path, &most, WIDTH, &Reach::default()).unwrap();
        pendulum.gait.follow(plan.steps().to_vec()).unwrap();
        assert!(pendulum.run(0.73 * plan.steps().len() as f64 + 4.0) && pendulum.stands(), "{path:?}");
        let (goal, feet) = (path[path.len() - 1], pendulum.gait.feet_when_landed());
        let middle = (feet[0].position + feet[1].position).xy() * 0.5;
        assert!((middle - goal.position).norm() < 0.02, "{middle} {goal:?}");
        assert!((feet[0].yaw - goal.yaw).abs() < 0.01 && (feet[1].yaw - goal.yaw).abs() < 0.01, "{feet:?}");
    }
}

#[test]
fn a_goal_too_far_off_is_refused() {
    let feet = Footstep::stand(Vector3::zeros(), 0.0, WIDTH);
    let path = [Place { position: Vector2::new(1e4, 0.0), yaw: 0.0 }];
    let most = Twist { forward: 0.3, sideways: 0.1, turning: 0.2 };
    let error = plan_along(&feet, &path, &most, WIDTH, &Reach::default()).unwrap_err();
    assert_eq!(error, WalkingError::Path { most: 1000 });
}

#[test]
fn a_plan_is_changed_and_extended_while_it_is_walked() {
    let mut pendulum = walker();
    pendulum.gait.follow((1..=4).map(|k| step(side(k), 0.25 * f64::from(k), 0.0)).collect()).unwrap();
    assert!(pendulum.run(1.0));
    assert_eq!(pendulum.gait.plan().begun(), 1);
    let error = pendulum.gait.change_plan(0, &[step(Side::Left, 0.2, 0.0)]).unwrap_err().to_string();
    assert_eq!(error, "step 0: number: expected 1 to 4, found 0");
    let before = pendulum.gait.plan().clone();
    let error = pendulum.gait.change_plan(2, &[step(Side::Left, 2.5, 0.0)]).unwrap_err().to_string();
    assert_eq!(error, "step 2: forward [m]: expected -0.45 to 0.7, found 2.0000");
    assert_eq!(*pendulum.gait.plan(), before, "what is refused changes nothing");
    pendulum.gait.change_plan(2, &[step(Side::Left, 0.9, 0.0), step(Side::Right, 1.3, 0.0)]).unwrap();
    pendulum.gait.change_plan(4, &[step(Side::Left, 1.3, 0.0)]).unwrap();
    assert!(pendulum.run(9.0) && pendulum.stands());
    for foot in pendulum.gait.feet_when_landed() {
        assert!((foot.position.x - 1.3).abs() < 0.01, "{}", foot.position);
    }
}

fn side(k: i32) -> Side {
    if k % 2 == 1 { Side::Left } else { Side::Right }
}

#[test]
fn a_plan_paused_is_gone_on_with() {
    let mut pendulum = walker();
    pendulum.gait.follow((1..=8).map(|k| step(side(k), 0.25 * f64::from(k), 0.0)).collect()).unwrap();
    assert!(pendulum.run(3.0));
    pendulum.gait.pause();
    assert!(pendulum.run(4.0) && pendulum.stands() && !pendulum.gait.plan().pending().is_empty());
    pendulum.gait.resume();
    assert!(pendulum.run(9.0) && pendulum.stands());
    assert!(pendulum.gait.plan().pending().is_empty());
    assert!((pendulum.gait.feet_when_landed()[1].position.x - 2.0).abs() < 0.01);
}

#[test]
fn a_plan_is_found_again_after_a_push() {
    let mut pendulum = walker();
    pendulum.gait.follow((1..=12).map(|k| step(side(k), 0.2 * f64::from(k), 0.0)).collect()).unwrap();
    assert!(pendulum.run(3.0));
    pendulum.push(0.3, -1.57);
    assert!(pendulum.run(14.0) && pendulum.stands());
    assert!((pendulum.gait.feet_when_landed()[1].position - step(Side::Right, 2.4, 0.0).position).norm() < 0.02);
}

/// How fast feet still come down when they touch ground that rises, by odometry that drifts, under a plan that tells of level ground: the fastest
/// of the last steps [m/s].
fn speed_of_landing(drift: Ground) -> f64 {
    let mut pendulum = walker();
    pendulum.ground = drift;
    pendulum.gait.follow((1..=12).map(|k| step(side(k), 0.25 * f64::from(k), 0.0)).collect()).unwrap();
    let (mut fastest, mut before) = (0.0_f64, [0.0; 2]);
    for _ in 0..16_000 {
        pendulum.step();
        assert!(!pendulum.fallen());
        if pendulum.output.phase == Phase::DoubleSupport && pendulum.middle().x > 1.5 {
            fastest = before.iter().fold(fastest, |fastest, speed: &f64| fastest.max(-speed));
        }
        before = pendulum.output.feet.map(|foot| foot.velocity.z);
    }
    assert!(pendulum.stands());
    fastest
}

#[test]
fn a_plan_goes_up_and_down_with_the_ground_that_feet_find() {
    let drifts: [Ground; 2] = [|x, _| 0.008 * x, |x, _| -0.008 * x];
    for drift in drifts {
        let fastest = speed_of_landing(drift);
        assert!(fastest < 0.3, "a foot touches ground at {fastest:.2} m/s");
    }
}

#[test]
fn a_place_that_is_walked_to_is_stood_at_and_come_back_to() {
    let most = Twist { forward: 0.4, sideways: 0.2, turning: 0.4 };
    for (x, y, yaw) in [(1.0, 0.0, 0.0), (0.0, 0.3, 0.0), (-0.2, -0.25, 0.5), (0.02, 0.0, 0.0), (0.0, 0.0, -0.8)] {
        let place = Place { position: Vector2::new(x, y), yaw };
        let mut pendulum = walker();
        // stopped on its way it stands, and goes on from there
        pendulum.gait.walk_to(place, most);
        assert!(pendulum.run(1.3));
        pendulum.gait.stop();
        assert!(pendulum.run(3.0) && pendulum.stands());
        pendulum.gait.walk_to(place, most);
        assert!(pendulum.run(12.0) && pendulum.stands(), "{place:?}");
        let off = pendulum.middle().xy() - place.position;
        let [left, right] = pendulum.gait.feet_when_landed();
        assert!(off.norm() < 0.01, "{place:?}: {off}");
        assert!((left.yaw - yaw).abs() < 0.02 && (right.yaw - yaw).abs() < 0.02, "{place:?}: {left:?}");
        // another 2 cm, asked for while it stands
        let beside = Place { position: place.position + Vector2::new(0.0, 0.02), yaw };
        pendulum.gait.walk_to(beside, most);
        assert!(pendulum.run(5.0) && pendulum.stands());
        assert!((pendulum.middle().xy() - beside.position).norm() < 0.01);
    }
    let mut pendulum = walker();
    pendulum.gait.walk_to(Place { position: Vector2::new(f64::NAN, 0.0), yaw: 0.0 }, most);
    assert!(pendulum.run(1.0) && pendulum.stands());
}
