//! The range finder on the centaur.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::Point3;
use plant::{PlantError, Setup, Simulation};
use robot_io::{Commands, JointCommand, LaserScan, Pose2, Sealed, Time};
use support::{active, centaur, hold, shipped, world};

/// Like [`hold`], and the laser's axis turns.
fn turning(simulation: &Simulation) -> Commands {
    let robot = simulation.robot();
    let spin = robot.tree.joint("laser_spin").unwrap();
    let mut commands = hold(simulation, Some(0.3));
    commands.joints[spin] = JointCommand::turn(5.0, robot.description.joints[spin].damping);
    commands
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
        let arrived = simulation.time().nanoseconds() % 4_000_000 == 0;
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
fn an_unknown_sensor_is_refused_with_those_there_are() {
    let setup = Setup { sensors: vec!["lazer".to_owned()], ..Setup::default() };
    let Err(error) = Simulation::new(&shipped("flat"), &centaur(), &setup) else { panic!("accepted") };
    assert!(matches!(error, PlantError::UnknownSensor { .. }));
    let text = error.to_string();
    assert!(text.contains("'lazer'") && text.contains("it has laser, "), "{text}");
}
