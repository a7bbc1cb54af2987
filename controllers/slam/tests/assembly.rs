//! Sweeps from the readings of a robot that is carried about.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use counting::{Counting, allocations};
use nalgebra::Point3;
use robot_io::{Commands, JointCommand, State, StateReader, StateWriter};
use slam::{AssemblySettings, Sweep, SweepAssembler, SweepPoint, Turn};
use support::{Rider, Trajectory, World};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn assembler(rider: &Rider) -> SweepAssembler {
    SweepAssembler::new(&rider.model, &rider.layout, AssemblySettings::default()).unwrap()
}

/// Lets the robot go on until a turn is whole.
fn next_turn(rider: &mut Rider, assembler: &mut SweepAssembler) -> Turn {
    for _ in 0..2000 {
        rider.step();
        if let Some(turn) = assembler.update(&rider.readings, &rider.odometry) {
            return turn;
        }
    }
    panic!("no turn in 8 s");
}

fn sweep(rider: &mut Rider) -> Sweep {
    let mut assembler = assembler(rider);
    next_turn(rider, &mut assembler).sweep()
}

/// Root mean square distance of points from the nearest surface [m]: as placed, and as measured.
fn roughness(world: &World, sweep: &Sweep) -> [f64; 2] {
    let mean = |place: &dyn Fn(&SweepPoint) -> [f32; 3]| {
        let distance = |point| world.distance(&(sweep.base_in_odom * Point3::from(place(point)).cast::<f64>()));
        let squares: f64 = sweep.points.iter().map(|point| distance(point).powi(2)).sum();
        (squares / sweep.points.len() as f64).sqrt()
    };
    [mean(&|point| point.position), mean(&|point| point.as_measured)]
}

fn shaking() -> Trajectory {
    Trajectory::arc([0.0, 0.0, 0.2], 0.4, 0.5).rocking(0.04, 1.7)
}

#[test]
fn walls_are_planes_within_the_noise_although_the_robot_drives_turns_and_rocks() {
    let mut rider = Rider::new(World::room(), shaking());
    let sweep = sweep(&mut rider);
    let [placed, measured] = roughness(&rider.world, &sweep);
    println!("{} points, {placed:.4} m placed, {measured:.4} m as measured", sweep.points.len());
    assert!((20_000..54_100).contains(&sweep.points.len()), "{} points", sweep.points.len());
    assert!(placed < 0.013, "noise is 1 cm: {placed}");
    assert!(measured > 0.1, "without undoing the motion it is a mess: {measured}");
}

#[test]
fn the_robot_does_not_see_itself() {
    let mut rider = Rider::new(World::plain(), Trajectory::still(0.0, 0.0, 0.0));
    rider.scanner.noise = 0.0;
    let sweep = sweep(&mut rider);
    let off_the_floor = |point: &&SweepPoint| {
        rider.world.distance(&(sweep.base_in_odom * Point3::from(point.position).cast::<f64>())) > 0.02
    };
    let own: Vec<_> = sweep.points.iter().filter(off_the_floor).collect();
    assert!(own.is_empty(), "{} of {}: {:?}", own.len(), sweep.points.len(), own.first());
    assert!(sweep.points.len() > 10_000 && sweep.misses.len() > 1000);
}

#[test]
fn a_sweep_follows_the_sweep_before_and_covers_a_whole_turn() {
    let mut rider = Rider::new(World::room(), shaking());
    let mut assembler = assembler(&rider);
    let turns: Vec<Turn> = (0..4).map(|_| next_turn(&mut rider, &mut assembler)).collect();
    for (number, pair) in turns.windows(2).enumerate() {
        let (before, after) = (pair[0].sweep(), pair[1].sweep());
        assert_eq!(after.number, number as u64 + 1);
        let gap = after.begin.since(before.end).seconds();
        assert!(gap < 0.007, "between the last beam of one and the first of the next: {gap} s");
        let long = after.end.since(after.begin).seconds();
        assert!((1.22..1.30).contains(&long), "{long} s");
        assert!(after.points.iter().all(|point| point.time <= 0.0 && f64::from(point.time) >= -long - 1e-6));
        assert!(after.points.windows(2).all(|pair| pair[0].time <= pair[1].time), "in the order of measurement");
        assert_eq!(usize::from(after.points.last().unwrap().origin) + 1, after.origins.len());
        assert!(after.base_in_odom.inv_mul(&rider.trajectory.at(after.end.seconds())).translation.vector.norm() < 1e-3);
    }
}

#[test]
fn how_the_robot_moved_is_told() {
    let still = sweep(&mut Rider::new(World::room(), Trajectory::still(0.0, 0.0, 0.0))).motion;
    assert!(still.peak_angular_rate < 1e-6 && still.distance < 1e-6 && still.peak_acceleration < 1e-3);
    assert!((still.up_in_base.z - 1.0).abs() < 1e-9 && (still.longest_gap - 0.025).abs() < 1e-9);
    let mut rider = Rider::new(World::room(), shaking());
    rider.lost = |scan| (20..25).contains(&scan);
    let shaken = sweep(&mut rider).motion;
    let fastest = 0.04 * core::f64::consts::TAU * 1.7;
    assert!((fastest..fastest + 1.0).contains(&shaken.peak_angular_rate), "{shaken:?}");
    assert!((shaken.distance - 0.5).abs() < 0.05 && (shaken.turn - 0.63).abs() < 0.08, "{shaken:?}");
    assert!((shaken.longest_gap - 0.15).abs() < 1e-9, "five scans are lost: {shaken:?}");
}

#[test]
fn half_a_turn_is_part_of_the_state() {
    let mut rider = Rider::new(World::room(), shaking());
    let mut first = assembler(&rider);
    for _ in 0..150 {
        rider.step();
        first.update(&rider.readings, &rider.odometry);
    }
    let mut second = assembler(&rider);
    StateReader::restore(&mut second, &StateWriter::save(&mut first)).unwrap();
    for _ in 0..300 {
        rider.step();
        let [a, b] = [&mut first, &mut second].map(|one| one.update(&rider.readings, &rider.odometry));
        assert_eq!(a, b);
        if let (Some(a), Some(b)) = (a, b) {
            assert_eq!(a.sweep(), b.sweep());
            return;
        }
    }
    panic!("no turn");
}

#[test]
fn an_axis_that_hangs_gives_no_sweeps_and_fills_no_memory() {
    let mut rider = Rider::new(World::room(), Trajectory::still(0.0, 0.0, 0.0));
    rider.scanner = rider.scanner.thinned(40);
    rider.scanner.axis_rate = 0.1;
    let mut assembler = assembler(&rider);
    for _ in 0..2500 {
        rider.step();
        assert_eq!(assembler.update(&rider.readings, &rider.odometry), None);
    }
    assert_eq!(assembler.given_up(), 2, "in 10 s");
    assert!(StateWriter::save(&mut assembler).len() < 1_000_000);
}

#[test]
fn a_cycle_without_a_scan_allocates_nothing() {
    let mut rider = Rider::new(World::room(), shaking());
    let mut assembler = assembler(&rider);
    for cycle in 0..700 {
        rider.step();
        let before = allocations();
        assembler.update(&rider.readings, &rider.odometry);
        let arrived = rider.readings.scans[0].is_some();
        assert!(arrived || allocations() == before, "cycle {cycle}");
    }
}

#[test]
fn the_axis_is_told_to_turn() {
    let rider = Rider::new(World::plain(), Trajectory::still(0.0, 0.0, 0.0));
    let mut commands = Commands::new(&rider.layout);
    let assembler = assembler(&rider);
    assembler.spin(&mut commands);
    let expected = JointCommand { velocity: 5.0, damping: 0.3, ..JointCommand::default() };
    assert_eq!(commands.joints[rider.layout.joint("laser_spin").unwrap()], expected);
}

#[test]
fn a_robot_that_cannot_map_is_refused_and_told_why() {
    let rider = Rider::new(World::plain(), Trajectory::still(0.0, 0.0, 0.0));
    let refused = |change: &dyn Fn(&mut robot_io::RobotLayout)| {
        let mut layout = rider.layout.clone();
        change(&mut layout);
        SweepAssembler::new(&rider.model, &layout, AssemblySettings::default()).unwrap_err().to_string()
    };
    assert_eq!(refused(&|layout| layout.lasers.clear()), "slam: expected a laser scanner, found none in the layout");
    assert_eq!(
        refused(&|layout| layout.lasers[0].frame = "head_link".to_owned()),
        "slam: expected a continuous joint next above the laser, found joint \"spine_yaw\""
    );
    assert_eq!(
        refused(&|layout| layout.lasers[0].frame = "tail".to_owned()),
        "slam: expected a link for the laser's frame, found no link \"tail\" in centaur"
    );
    let settings = AssemblySettings { axis_rate: f64::NAN, ..AssemblySettings::default() };
    let error = SweepAssembler::new(&rider.model, &rider.layout, settings).unwrap_err();
    assert!(error.to_string().starts_with("slam: axis_rate [rad/s]: expected a positive number"), "{error}");
}

#[test]
fn a_broken_snapshot_is_refused_and_breaks_nothing() {
    let mut rider = Rider::new(World::room(), Trajectory::still(0.0, 0.0, 0.0));
    let mut good = assembler(&rider);
    for _ in 0..30 {
        rider.step();
        good.update(&rider.readings, &rider.odometry);
    }
    let saved = StateWriter::save(&mut good);
    for broken in 0..saved.len().min(4000) / 8 {
        let mut bytes = saved.clone();
        bytes[8 * broken..8 * broken + 8].copy_from_slice(&[0xff; 8]);
        let mut other = assembler(&rider);
        let _ = StateReader::restore(&mut other, &bytes);
        other.visit_state(&mut StateWriter::default());
        other.update(&rider.readings, &rider.odometry);
    }
}
