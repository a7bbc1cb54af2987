//! The range finder on the centaur.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::Point3;
use plant::{PlantError, Setup, Simulation};
use robot_io::{Commands, JointCommand, LaserScan, Period, Pose2, Sealed, Time};
use support::{active, centaur, hold, shipped, world};
use worlds::World;

/// Like [`hold`], and the laser's axis turns.
fn turning(simulation: &Simulation) -> Commands {
    let robot = simulation.robot();
    let spin = robot.tree.joint("laser_spin").unwrap();
    let mut commands = hold(simulation, Some(0.3));
    commands.joints[spin] = JointCommand::turn(5.0, robot.description.joints[spin].damping);
    commands
}

/// Stands still.
fn standing(world: &World, setup: &Setup) -> Simulation {
    let mut simulation = active(world, &centaur(), setup);
    let commands = hold(&simulation, Some(0.0));
    simulation.command(&commands).unwrap();
    simulation
}

fn with_laser(seed: u64, noise: bool) -> Setup {
    Setup { seed, noise, sensors: vec!["laser".to_owned()], ..Setup::default() }
}

/// One control cycle; the scan that arrives in it.
fn cycle(simulation: &mut Simulation) -> Option<Sealed<LaserScan>> {
    (0..simulation.steps_per_cycle()).for_each(|_| simulation.step());
    simulation.readings().scans[0].clone()
}

#[test]
fn a_scan_arrives_in_one_cycle_when_its_last_beam_has_been_measured() {
    let mut simulation = active(&shipped("flat"), &centaur(), &with_laser(1, true));
    let arrivals: Vec<(u64, Time)> = (0..100)
        .filter_map(|_| cycle(&mut simulation).map(|scan| (simulation.time().nanoseconds(), scan.stamp)))
        .collect();
    assert_eq!(arrivals.len(), 16, "40 scans/s for 0.4 s: {arrivals:?}");
    for (number, (arrival, stamp)) in arrivals.iter().enumerate() {
        let begun = 25_000_000 * number as u64;
        assert_eq!(stamp.nanoseconds(), begun);
        // 1,081 of 1,440 steps of the mirror; the next cycle brings it
        let complete = begun + 25_000_000 * 1080 / 1440;
        assert!((complete + 1..=complete + 5_000_000).contains(arrival), "{number}: {arrival}");
    }
}

#[test]
fn level_ground_is_measured_where_it_is_while_the_robot_drives_and_the_axis_turns() {
    let mut simulation = active(&shipped("flat"), &centaur(), &with_laser(1, false));
    let commands = turning(&simulation);
    simulation.command(&commands).unwrap();
    let link = simulation.robot().tree.link("laser_link").unwrap();
    let mut poses = Vec::new();
    let (mut points, mut worst) = (0, 0.0_f64);
    for _ in 0..1000 {
        simulation.step();
        poses.push(simulation.link_in_world(link));
        let arrived = simulation.time().nanoseconds().is_multiple_of(4_000_000);
        let Some(scan) = simulation.readings().scans[0].clone().filter(|_| arrived) else { continue };
        for beam in (0..scan.ranges.len()).filter(|beam| scan.range(*beam).is_some_and(|range| range > 1.0)) {
            // of the poses at whole steps the nearest one; half a step is 2.5 mrad
            let step = (scan.time_of(beam).seconds() * 1e3).round() as usize;
            let Some(pose) = step.checked_sub(1).and_then(|step| poses.get(step)) else { continue };
            let point: Point3<f64> = pose * scan.point(beam).unwrap();
            if scan.range(beam).unwrap() < 4.0 && point.z < 0.1 {
                (points, worst) = (points + 1, worst.max(point.z.abs()));
            }
        }
    }
    assert!(points > 5_000, "{points}");
    assert!(worst < 0.005, "{worst} m");
}

#[test]
fn the_robot_sees_its_own_body_and_what_stands_before_it() {
    let wall =
        "[[object]]\nname = \"wall\"\nbox = { size = [0.2, 6.0, 3.0] }\nplace = [3.1, 0.0]\nmaterial = \"concrete\"";
    let mut simulation = active(&world("concrete", wall), &centaur(), &with_laser(1, false));
    let link = simulation.robot().tree.link("laser_link").unwrap();
    let at = simulation.link_in_world(link).translation.vector;
    let scan = (0..20).find_map(|_| cycle(&mut simulation)).unwrap();
    // straight ahead: the wall's face is at x = 3 m
    let ahead = scan.range(540).unwrap();
    assert!((ahead - (3.0 - at.x)).abs() < 0.01, "{ahead}");
    // upwards nothing, backwards and down the robot's own back or the ground behind it
    assert_eq!(scan.range(900), None);
    let own = (0..1081).filter(|beam| scan.range(*beam).is_some_and(|range| range < 0.9)).count();
    assert!(own > 10, "{own} beams end on the robot");
}

#[test]
fn a_run_through_a_snapshot_in_mid_scan_is_the_run_without() {
    let place = shipped("spacebot").spawns[0].clone();
    let spawn = Pose2 { x: place.x, y: place.y, yaw: place.yaw };
    let begin = |seed| {
        let setup = Setup { spawn, ..with_laser(seed, true) };
        let mut simulation = active(&shipped("spacebot"), &centaur(), &setup);
        let commands = turning(&simulation);
        simulation.command(&commands).unwrap();
        simulation
    };
    let go = |simulation: &mut Simulation| -> Vec<_> {
        (0..50).map(|_| (cycle(simulation).map(|scan| scan.digest()), simulation.digest())).collect()
    };
    let mut whole = begin(7);
    go(&mut whole);
    // 0.211 s: a scan begun 11 ms ago, and within a control cycle
    (0..11).for_each(|_| whole.step());
    let saved = whole.snapshot();
    let digest = whole.digest();
    whole.step();
    let expected = go(&mut whole);
    assert!(expected.iter().filter(|(scan, _)| scan.is_some()).count() >= 7);

    let mut fresh = begin(7);
    fresh.restore(&saved).unwrap();
    assert_eq!(fresh.digest(), digest);
    assert!(fresh.snapshot() == saved);
    fresh.step();
    assert_eq!(go(&mut fresh), expected);
    whole.restore(&saved).unwrap();
    whole.step();
    assert_eq!(go(&mut whole), expected);

    let mut other = begin(8);
    go(&mut other);
    assert_ne!(other.digest(), digest, "noise is another with another seed");
}

#[test]
fn an_unknown_sensor_and_a_cycle_longer_than_a_scan_are_refused() {
    let setup = Setup { sensors: vec!["lazer".to_owned()], ..Setup::default() };
    let Err(error) = Simulation::new(&shipped("flat"), &centaur(), &setup) else { panic!("accepted") };
    assert!(matches!(error, PlantError::UnknownSensor { .. }));
    let text = error.to_string();
    let slow = Setup { cycle_period: Some(Period::from_milliseconds(40)), ..with_laser(1, true) };
    let Err(error) = Simulation::new(&shipped("flat"), &centaur(), &slow) else { panic!("accepted") };
    let expected = "cycle period: expected at most that of a laser scan, 25.000 ms, found 40.000 ms";
    assert_eq!(error.to_string(), expected);
    assert!(text.contains("'lazer'") && text.contains("it has laser, "), "{text}");
}

/// Echoes of level ground between two distances over half a second, of all beams that should meet it there.
fn heard(reflectivity: f64, near: f64, far: f64) -> f64 {
    let material = format!("[[material]]\nname = \"floor\"\nbase = \"concrete\"\nreflectivity = {reflectivity}");
    let mut simulation = standing(&world("floor", &material), &with_laser(1, true));
    let link = simulation.robot().tree.link("laser_link").unwrap();
    let pose = simulation.link_in_world(link);
    let (mut all, mut echoes) = (0, 0);
    for _ in 0..125 {
        let Some(scan) = cycle(&mut simulation) else { continue };
        for beam in 0..1081 {
            let along = pose * scan.geometry.direction(beam).into_inner();
            let distance = -pose.translation.z / along.z;
            if along.x > 0.0 && (near..far).contains(&distance) {
                all += 1;
                echoes += usize::from(scan.range(beam).is_some());
            }
        }
    }
    f64::from(echoes as u32) / f64::from(all)
}

#[test]
fn dark_and_grazing_ground_is_lost_where_bright_ground_is_heard() {
    let (bright, grey, dark) = (heard(0.9, 8.0, 9.5), heard(0.35, 8.0, 9.5), heard(0.04, 8.0, 9.5));
    assert!(bright > 0.995 && grey > 0.9 && dark < 0.1, "{bright} {grey} {dark}");
    // the strength falls with the third power of the distance: by the square, and by the cosine
    let (near, far) = (heard(0.15, 2.0, 3.0), heard(0.15, 9.0, 9.8));
    assert!(near > 0.999 && far < 0.7 * near, "{near} {far}");
}

#[test]
fn a_beam_on_an_edge_ends_between_what_is_near_and_what_is_behind() {
    let things = "[[object]]\nname = \"step\"\nbox = { size = [0.2, 4.0, 1.0] }\nplace = [2.1, 0.0]\nmaterial = \"concrete\"\n\
                  [[object]]\nname = \"wall\"\nbox = { size = [0.2, 4.0, 3.0] }\nplace = [2.7, 0.0]\nmaterial = \"concrete\"";
    let between = |noise: bool| {
        let mut simulation = standing(&world("concrete", things), &with_laser(1, noise));
        let link = simulation.robot().tree.link("laser_link").unwrap();
        let at = simulation.link_in_world(link);
        let (mut count, mut scans) = (0, 0);
        for _ in 0..250 {
            let Some(scan) = cycle(&mut simulation) else { continue };
            scans += 1;
            let points = (0..1081).filter_map(|beam| scan.point(beam)).map(|point| at * point);
            // behind the step's upper edge, from x = 2.2 m, and before the wall at x = 2.6 m
            count += points.filter(|point| (2.27..2.53).contains(&point.x) && point.z > 0.5).count();
        }
        (count, scans)
    };
    let (mixed, scans) = between(true);
    assert!(scans == 40 && (scans / 4..4 * scans).contains(&mixed), "{mixed} mixed pixels in {scans} scans");
    assert_eq!(between(false).0, 0, "a perfect device has none");
}

#[test]
fn noise_has_the_deviation_of_the_data_sheet() {
    let wall =
        "[[object]]\nname = \"wall\"\nbox = { size = [0.2, 9.0, 3.0] }\nplace = [5.0, 0.0]\nmaterial = \"concrete\"";
    let ranges = |noise: bool| {
        let mut simulation = standing(&world("concrete", wall), &with_laser(1, noise));
        let scans = (0..125).filter_map(|_| cycle(&mut simulation));
        scans.flat_map(|scan| (530..550).filter_map(|beam| scan.range(beam)).collect::<Vec<_>>()).collect::<Vec<f64>>()
    };
    let (noisy, quiet) = (ranges(true), ranges(false));
    let apart: Vec<f64> = noisy.iter().zip(&quiet).map(|(noisy, quiet)| noisy - quiet).collect();
    let mean = apart.iter().sum::<f64>() / apart.len() as f64;
    let deviation = (apart.iter().map(|x| x * x).sum::<f64>() / apart.len() as f64).sqrt();
    assert!(apart.len() == 400 && mean.abs() < 2e-3 && (deviation / 0.010 - 1.0).abs() < 0.1, "{mean} {deviation}");
}

/// The axis' drive is an MX-64: at 5 rad/s of its 6.6 it has torque to spare, but a velocity gain of 0.3 N·m·s/rad alone
/// leaves it at 3.7 rad/s. Fed forward with its friction, behind the gear's efficiency, it turns as it is told.
#[test]
fn the_axis_turns_at_five_radians_a_second_when_its_friction_is_fed_forward() {
    let mut simulation = active(&shipped("flat"), &centaur(), &with_laser(1, true));
    let spin = simulation.robot().tree.joint("laser_spin").unwrap();
    let speeds = |simulation: &mut Simulation, effort: f64| {
        let mut commands = hold(simulation, None);
        commands.joints[spin] = JointCommand { effort, ..JointCommand::turn(5.0, 0.3) };
        simulation.command(&commands).unwrap();
        (0..500).for_each(|_| drop(cycle(simulation)));
        let speeds: Vec<f64> = (0..250)
            .map(|_| {
                cycle(simulation);
                simulation.truth().joint_velocities[spin]
            })
            .collect();
        (speeds.iter().copied().fold(f64::INFINITY, f64::min), speeds.iter().copied().fold(0.0, f64::max))
    };
    let (_, alone) = speeds(&mut simulation, 0.0);
    assert!(alone < 4.0, "{alone}");
    let (slowest, fastest) = speeds(&mut simulation, 0.47);
    assert!(slowest > 4.9 && fastest < 5.1, "{slowest} to {fastest} rad/s");
}
