//! Mirrors `src/calibration`: a laser that sits elsewhere than the controller is told.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3, Vector6};
use robot_io::deadline::InlineBoard;
use robot_io::{Pose2, RandomStream};
use slam::{CalibrationSettings, Estimated, Slam, SlamSettings};
use support::{Rider, Solid, Trajectory, World};

/// What was found out, what should have been, and how often something was put right.
struct Outcome {
    laser: Estimated<6>,
    axis: Estimated<8>,
    laser_truth: Vector6<f64>,
    yaw_truth: f64,
    put_right: usize,
    /// By how much the robot believes itself elsewhere than it is, in the end [m], and turned [rad].
    astray: [f64; 2],
    /// By how much it believes itself to lean otherwise than it does [rad].
    leaning: f64,
}

/// A robot that is told wrongly where its laser is, in the frame that turns, and how late its scans are stamped [s].
#[derive(Clone, Copy, Default)]
struct Wrong {
    place: Vector3<f64>,
    turn: Vector3<f64>,
    delay: f64,
    /// Where it starts; a start that is told wrongly is sought on a prior map.
    start: Option<Pose2>,
}

/// Drives through the arena for a while.
fn drive(wrong: Wrong, seed: u64) -> Outcome {
    drive_along(&[[-7.0, -7.5], [-7.0, 0.0], [-6.0, 5.0], [0.0, 6.0]], wrong, seed)
}

/// Drives about, with many turns on the spot.
fn turn_often(wrong: Wrong, seed: u64) -> Outcome {
    let way = [[-7.0, -7.5], [-7.0, -6.0], [-5.5, -6.0], [-5.5, -7.5], [-4.0, -7.5], [-4.0, -5.5], [-6.0, -5.5]];
    drive_along(&way, wrong, seed)
}

/// A plain with hills beside the way of [`drive`].
fn hills() -> World {
    let hill = |x: f64, y: f64, radius: f64| Solid::Ball(Point3::new(x, y, 0.8 - radius), radius);
    let places =
        [[-4.0, -6.5], [-9.5, -4.0], [-4.2, -1.0], [-9.6, 1.5], [-3.2, 2.4], [-7.5, 8.2], [-2.0, 8.8], [-6.0, -10.5]];
    places.into_iter().fold(World::plain(), |world, [x, y]| world.with(hill(x, y, 3.0)))
}

fn drive_along(way: &[[f64; 2]], wrong: Wrong, seed: u64) -> Outcome {
    let Wrong { place, turn, delay, start } = wrong;
    let way = Trajectory::path(way, 0.5);
    let world = if start.is_some() { hills() } else { World::arena() };
    let mut rider = Rider::new(world, way);
    rider.scanner.random = RandomStream::new(seed, "scanner");
    let mut told = rider.model.clone();
    let link = told.tree.link("laser_link").unwrap();
    let truth = told.tree.links[link].placement_in_parent;
    let misplaced = Isometry3::from_parts(
        (truth.translation.vector + place).into(),
        UnitQuaternion::from_scaled_axis(turn) * truth.rotation,
    );
    told.tree.links[link].placement_in_parent = misplaced;
    let mut settings = SlamSettings::default();
    settings.assembly.scan_delay = delay;
    let calibration: CalibrationSettings = settings.calibration;
    let prior = start.map(|_| rider.world.prior_map());
    let mut slam = Slam::new(&told, &rider.layout, settings, start.unwrap_or_default()).unwrap();
    if let Some(prior) = prior {
        slam = slam.with_prior(prior);
    }
    let (mut board, mut put_right) = (InlineBoard::default(), 0);
    while rider.readings.time.seconds() < 32.0 {
        rider.step();
        board.begin(rider.readings.cycle);
        slam.update(&rider.readings, &rider.odometry);
        slam.exchange(&mut board);
        put_right += slam.drain_events().filter(|event| event.what.contains("calibrated")).count();
    }
    let off = truth * misplaced.inverse();
    let (moved, turned) = (off.translation.vector, off.rotation.scaled_axis());
    let laser_truth = Vector6::new(moved.x, moved.y, moved.z, turned.x, turned.y, turned.z);
    let (laser, axis) = (slam.calibration().laser(&calibration), slam.calibration().axis(&calibration));
    println!("{laser_truth:.5?}\n{laser:.5?}\n{axis:.5?} {put_right}");
    let base_in_world = rider.trajectory.at(rider.odometry.stamp.seconds());
    let off = base_in_world.inv_mul(&slam.localization().base_in_map);
    let turned = off.rotation.scaled_axis();
    let (astray, leaning) = ([off.translation.vector.norm(), turned.z], turned.xy().norm());
    println!("{astray:.4?} {:.4?} leaning {leaning:.5}", off.translation.vector.as_slice());
    Outcome { laser, axis, laser_truth, yaw_truth: turn.z, put_right, astray, leaning }
}

const DEGREE: f64 = core::f64::consts::PI / 180.0;
/// Those parts of the laser's place that its own sweeps can tell: across the axis.
const TOLD_APART: [usize; 4] = [0, 1, 3, 4];
/// Among the numbers of the axis.
const DELAY: usize = 7;

#[test]
fn a_laser_that_sits_elsewhere_is_found_within_its_own_deviations() {
    let random = RandomStream::new(11, "calibration");
    for draw in 0..3 {
        let number = |index| random.normal(draw, index);
        let place = Vector3::new(number(0), number(1), 0.0) * 0.01;
        let turn = Vector3::new(number(2), number(3), number(4)) * (0.4 * DEGREE);
        let found = drive(Wrong { place, turn, ..Wrong::default() }, draw);
        for part in TOLD_APART {
            let off = (found.laser.mean[part] - found.laser_truth[part]).abs();
            assert!(off < 3.0 * found.laser.deviation[part], "draw {draw}, part {part}: off by {off}");
        }
        assert!(found.laser.deviation[4] < 0.05 * DEGREE, "what blurs a sweep most is known best");
        let off = (found.axis.mean[5] - found.yaw_truth).abs();
        assert!(off < 0.25 * DEGREE && off < 3.0 * found.axis.deviation[5], "draw {draw}: heading off by {off}");
        assert!(found.put_right > 0, "and it is used");
    }
}

/// What one view makes wrong it makes wrong as long as the robot stands.
#[test]
fn a_robot_that_stands_learns_no_more_of_its_laser_than_one_view_tells() {
    let stands = drive_along(&[[-7.0, -7.5], [-7.0, -7.4]], Wrong::default(), 6);
    let drives = drive(Wrong::default(), 6);
    let pitch = |found: &Outcome| found.laser.deviation[4] / DEGREE;
    assert!(pitch(&stands) > 2.0 * pitch(&drives), "{:.4}° and {:.4}°", pitch(&stands), pitch(&drives));
}

/// The heading alone, put right where it is noticed, would leave the whole map turned about that place.
#[test]
fn a_map_begun_with_a_laser_that_looks_aside_ends_up_where_it_should() {
    let found = drive(Wrong { turn: Vector3::z() * DEGREE, ..Wrong::default() }, 4);
    assert!(found.put_right > 0 && found.astray[0] < 0.06, "{:?} astray", found.astray);
}

/// The first key view is bent, and whoever is led by it leans.
#[test]
fn a_map_begun_with_a_laser_that_looks_down_does_not_lean() {
    for seed in 7..10 {
        let found = drive(Wrong { turn: Vector3::y() * DEGREE, ..Wrong::default() }, seed);
        assert!(found.put_right > 0 && found.leaning < 0.1 * DEGREE, "{} rad", found.leaning);
        assert!(found.astray[0] < 0.05, "{:?} astray", found.astray);
    }
}

/// A start that is told wrongly is found with the laser as it is believed to be. Its heading is wrong by what that is wrong, the map is not: once the
/// laser is put right, the robot is where one with a laser as drawn would be.
#[test]
fn a_map_laid_on_a_prior_map_with_a_laser_that_looks_aside_stays_there() {
    // 0.5 m and 7° off, where it stands
    let start = Some(Pose2 { x: -0.55, y: 0.48, yaw: 0.12 });
    let [as_drawn, aside] =
        [0.0, DEGREE].map(|yaw| drive(Wrong { turn: Vector3::z() * yaw, start, ..Wrong::default() }, 4));
    assert!(aside.put_right > as_drawn.put_right);
    for found in [&as_drawn, &aside] {
        assert!(found.astray[0] < 0.2 && found.astray[1].abs() < DEGREE, "{:?} astray", found.astray);
    }
    assert!((as_drawn.astray[1] - aside.astray[1]).abs() < 0.4 * DEGREE, "{:?} {:?}", as_drawn.astray, aside.astray);
}

#[test]
fn scans_that_are_stamped_late_or_early_are_noticed_and_put_right() {
    for (delay, seed) in [(0.02, 1), (-0.02, 2)] {
        let found = turn_often(Wrong { delay, turn: Vector3::z() * (0.3 * DEGREE), ..Wrong::default() }, seed);
        let off = (found.axis.mean[DELAY] + delay).abs();
        assert!(off < 3.0 * found.axis.deviation[DELAY], "off by {off}: {:?}", found.axis);
        assert!(found.axis.deviation[DELAY] < 0.2 * delay.abs(), "{:?}", found.axis);
        assert!(found.put_right > 0 && found.astray[0] < 0.06, "{:?} astray", found.astray);
    }
}

#[test]
fn a_robot_whose_scans_are_stamped_well_is_not_told_otherwise() {
    let found = turn_often(Wrong::default(), 3);
    assert!(found.axis.mean[DELAY].abs() < 2.0 * found.axis.deviation[DELAY], "{:?}", found.axis);
    assert_eq!(found.put_right, 0);
}

#[test]
fn what_cannot_be_told_stays_as_drawn_with_the_doubt_of_the_prior() {
    let found = drive(Wrong { place: Vector3::z() * 0.01, turn: Vector3::y() * 0.005, ..Wrong::default() }, 5);
    let [place, turn] = CalibrationSettings::default().prior;
    for (part, prior) in [(2, place), (5, turn)] {
        assert!(found.laser.mean[part].abs() < 1e-9, "{:?}", found.laser);
        assert!((found.laser.deviation[part] - prior).abs() < 1e-9, "{:?}", found.laser);
    }
    assert!(found.axis.deviation[2] > 0.5 * place, "on flat ground nothing tells the height: {:?}", found.axis);
}

#[test]
fn a_robot_that_is_as_drawn_is_left_alone() {
    let found = drive(Wrong::default(), 6);
    for part in TOLD_APART {
        assert!(found.laser.mean[part].abs() < 3.0 * found.laser.deviation[part], "{:?}", found.laser);
    }
    for part in 0..8 {
        assert!(found.axis.mean[part].abs() < 3.0 * found.axis.deviation[part], "{:?}", found.axis);
    }
    assert_eq!(found.put_right, 0);
}
