//! A robot whose pairs obey at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use core::f64::consts::FRAC_PI_2;

use super::*;

const DT: f64 = 0.004;
const PLACES: [(f64, f64); 4] = [(0.32, 0.27), (0.32, -0.27), (-0.32, 0.27), (-0.32, -0.27)];

struct Bench {
    drive: OmniDrive,
    places: Vec<PairPlace>,
}

impl Bench {
    fn new() -> Bench {
        let drive = OmniDrive::new(DriveSettings::default(), vec![(-3.1, 3.1); 4]);
        let places = PLACES.map(|(x, y)| PairPlace { x, y, ..PairPlace::default() }).to_vec();
        Bench { drive, places }
    }

    fn step(&mut self, wanted: &Twist) -> Vec<PairCommand> {
        let commands = self.drive.update(wanted, &self.places, DT).to_vec();
        for (place, command) in self.places.iter_mut().zip(&commands) {
            place.heading = command.heading;
        }
        commands
    }

    fn run(&mut self, wanted: &Twist, seconds: f64) -> Vec<PairCommand> {
        let mut commands = Vec::new();
        for _ in 0..(seconds / DT) as usize {
            commands = self.step(wanted);
        }
        commands
    }
}

#[test]
fn wheels_yaw_first_and_then_roll() {
    let mut bench = Bench::new();
    let sideways = Twist { y: 0.3, ..Twist::default() };
    let mut cycles = 0;
    while bench.drive.mode() != DriveMode::Rolling {
        let commands = bench.step(&sideways);
        assert!(commands.iter().all(|command| command.speed.abs() < 1e-12), "rolls while it turns: {commands:?}");
        cycles += 1;
        assert!(cycles < 400, "1.6 s and still turning");
    }
    let commands = bench.run(&sideways, 2.0);
    for command in commands {
        assert!((command.heading.abs() - FRAC_PI_2).abs() < 1e-9);
        assert!((command.speed.abs() - 0.3).abs() < 1e-9);
    }
}

#[test]
fn equation_5_holds_for_every_pair_and_wheel() {
    let mut bench = Bench::new();
    let twist = Twist { x: 0.2, y: -0.1, yaw: 0.4 };
    let commands = bench.run(&twist, 5.0);
    for (command, (x, y)) in commands.iter().zip(PLACES) {
        let (vx, vy) = (twist.x - twist.yaw * y, twist.y + twist.yaw * x);
        let rolled = (command.speed * command.heading.cos(), command.speed * command.heading.sin());
        assert!((rolled.0 - vx).abs() < 1e-9 && (rolled.1 - vy).abs() < 1e-9, "{command:?}");
        let (left, right) = (command.wheel_speed(0.065), command.wheel_speed(-0.065));
        assert!((right - left - 0.4 * 0.13).abs() < 1e-9, "the pair turns with the base");
    }
}

#[test]
fn while_it_turns_on_the_spot_a_pair_rolls_its_wheels_against_each_other() {
    let mut bench = Bench::new();
    for _ in 0..50 {
        bench.step(&Twist { y: 0.3, ..Twist::default() });
    }
    let command = bench.drive.commands[0];
    assert!(command.heading_rate.abs() > 0.5);
    let (left, right) = (command.wheel_speed(0.065), command.wheel_speed(-0.065));
    assert!((left + right).abs() < 1e-12 && (right - left - command.heading_rate * 0.13).abs() < 1e-12);
}

#[test]
fn a_leg_that_moves_rolls_its_wheels_along() {
    let mut bench = Bench::new();
    bench.places[0].leg_velocity = (0.04, 0.0);
    let commands = bench.run(&Twist::default(), 1.0);
    assert!((bench.drive.leg_share() - 1.0).abs() < 1e-12);
    assert!((commands[0].speed - 0.04).abs() < 1e-9 && commands[1].speed == 0.0, "{commands:?}");
    bench.places[0].leg_velocity = (0.0, 0.0);
    bench.run(&Twist::default(), 0.5);
    assert_eq!(bench.drive.mode(), DriveMode::Holding);
}

#[test]
fn reversing_needs_no_steering() {
    let mut bench = Bench::new();
    bench.run(&Twist { x: 0.3, ..Twist::default() }, 2.0);
    for _ in 0..500 {
        let commands = bench.step(&Twist { x: -0.3, ..Twist::default() });
        assert!(commands.iter().all(|command| command.heading.abs() < 1e-9));
    }
    assert!((bench.drive.twist().x + 0.3).abs() < 1e-12);
}

#[test]
fn a_turn_of_the_direction_of_travel_never_outruns_steering_or_acceleration() {
    let mut bench = Bench::new();
    let with = DriveSettings::default();
    bench.run(&Twist { x: 0.4, ..Twist::default() }, 3.0);
    let mut before = bench.drive.twist();
    for cycle in 0..2500 {
        let angle = 0.004 * f64::from(cycle);
        let wanted = Twist { x: 0.4 * angle.cos(), y: 0.4 * angle.sin(), yaw: 0.2 };
        for command in bench.step(&wanted) {
            assert!(command.heading_rate.abs() <= with.steer_rate + 1e-6, "{command:?}");
            assert!(command.heading.abs() <= 3.1, "{command:?}");
        }
        let now = bench.drive.twist();
        assert!(hypot(now.x - before.x, now.y - before.y) <= with.acceleration * DT + 1e-9);
        before = now;
    }
}

#[test]
fn pairs_that_lag_behind_stop_the_robot_until_they_have_turned() {
    let mut bench = Bench::new();
    let ahead = Twist { x: 0.3, ..Twist::default() };
    bench.run(&ahead, 2.0);
    for _ in 0..1000 {
        bench.places[2].heading = 0.8;
        bench.drive.update(&ahead, &bench.places, DT);
    }
    assert!(bench.drive.twist().is_zero(), "pair 2 is stuck at 46°: {:?}", bench.drive.twist());
    bench.run(&ahead, 2.0);
    assert!((bench.drive.twist().x - 0.3).abs() < 1e-12, "freed, it goes on");
}

#[test]
fn too_fast_a_twist_is_slowed_down_in_its_direction() {
    let mut bench = Bench::new();
    bench.run(&Twist { x: 3.0, y: 4.0, yaw: 0.1 }, 6.0);
    let twist = bench.drive.twist();
    assert!((hypot(twist.x, twist.y) - DriveSettings::default().speed).abs() < 1e-9, "{twist:?}");
    assert!((twist.y / twist.x - 4.0 / 3.0).abs() < 1e-9);
}

#[test]
fn at_the_end_of_their_range_all_pairs_turn_over_at_once() {
    // wound up while it turned; now it drives straight on with small corrections, as one that follows a path does
    let mut bench = Bench::new();
    bench.drive.reset([3.07, 3.06, 3.09, 3.09].into_iter());
    for (place, heading) in bench.places.iter_mut().zip([3.07, 3.06, 3.09, 3.09]) {
        place.heading = heading;
    }
    let mut stops = 0;
    let mut way = 0.0;
    let mut before = bench.drive.mode();
    for cycle in 0..2500 {
        let wobble = 0.04 * (0.01 * f64::from(cycle)).sin();
        bench.step(&Twist { x: 0.39, y: wobble, yaw: wobble });
        stops += u32::from(bench.drive.mode() == DriveMode::Stopping && before != DriveMode::Stopping);
        before = bench.drive.mode();
        way += DT * bench.drive.twist().x;
    }
    assert!(stops <= 1 && way > 2.5, "{stops} stops, {way} m in 10 s");
}
