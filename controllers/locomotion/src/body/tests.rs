//! A base on legs that obey at once, on ground of any slope.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use super::*;

const DT: f64 = 0.004;
const RADIUS: f64 = 0.08;

struct Bench {
    body: BodyControl,
    /// Slope of the ground: roll and pitch of a base parallel to it [rad].
    ground: (f64, f64),
    target: BodyTarget,
}

impl Bench {
    fn new(settings: BodySettings) -> Bench {
        let places = [(0.32, 0.27), (0.32, -0.27), (-0.32, 0.27), (-0.32, -0.27)];
        let legs = places.map(|(x, y)| LegStroke { x, y, z: (-0.7, -0.3), radius: RADIUS }).to_vec();
        let mut body = BodyControl::new(settings, legs);
        let target = BodyTarget { height: 0.58, ..BodyTarget::default() };
        let feet = places.map(|(x, _)| FootPlace { x, z: RADIUS - 0.58, lean: 0.0 });
        body.reset(feet.into_iter());
        Bench { body, ground: (0.0, 0.0), target }
    }

    /// Roll and pitch of the base: those of the ground, and what the legs add.
    fn attitude(&self) -> (f64, f64) {
        let (_, along_x, along_y) = self.body.plane();
        (self.ground.0 + atan2(-along_y, 1.0), self.ground.1 + atan2(along_x, 1.0))
    }

    fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / DT) as usize {
            let attitude = self.attitude();
            self.body.update(&self.target, attitude, None, DT);
        }
    }
}

#[test]
fn the_papers_proportional_control_leaves_8_3_degrees_on_15() {
    let mut bench = Bench::new(BodySettings { integral: 0.0, deadband: 0.0, ..BodySettings::default() });
    bench.ground = (0.0, -15_f64.to_radians());
    bench.run(10.0);
    let error = bench.attitude().1.to_degrees();
    assert!((error + 15.0 / 1.8).abs() < 0.05, "equation (6): 8.33°, found {error}°");
    bench.target.pitch = 0.1;
    bench.ground = (0.0, 0.0);
    bench.run(10.0);
    let error = 0.1 - bench.attitude().1;
    assert!((error - 0.1 / 1.8).abs() < 1e-3, "equation (6) for the set-point: {error}");
}

#[test]
fn the_integral_levels_pitch_and_roll() {
    let mut bench = Bench::new(BodySettings::default());
    bench.ground = (0.15, -0.26);
    bench.run(0.5);
    assert!(bench.attitude().1.abs() > 0.05, "not by a jump");
    bench.run(7.5);
    let (roll, pitch) = bench.attitude();
    let within = BodySettings::default().deadband + 2e-3;
    assert!(roll.abs() < within && pitch.abs() < within, "{roll} {pitch}");
    assert!(bench.body.plane().0 - 0.58 < 1e-3, "the height is kept");
}

#[test]
fn what_an_imu_wanders_by_does_not_move_the_legs() {
    let mut bench = Bench::new(BodySettings::default());
    bench.ground = (0.004, -0.004);
    bench.run(20.0);
    assert_eq!(bench.attitude(), bench.ground);
}

#[test]
fn height_is_reached_at_its_rate() {
    let mut bench = Bench::new(BodySettings::default());
    bench.target.height = 0.66;
    bench.run(0.4);
    assert!((bench.body.plane().0 - 0.62).abs() < 1e-3, "{}", bench.body.plane().0);
    bench.run(2.0);
    assert!((bench.body.plane().0 - 0.66).abs() < 1e-6);
}

#[test]
fn near_the_end_of_the_stroke_the_height_yields_before_the_tilt() {
    let mut bench = Bench::new(BodySettings::default());
    bench.target.height = 0.76;
    bench.ground = (0.0, -0.3);
    bench.run(10.0);
    assert!(bench.attitude().1.abs() < BodySettings::default().deadband + 2e-3, "level: {}", bench.attitude().1);
    assert!(bench.body.given_height() < 0.70, "but lower: {}", bench.body.given_height());
}

#[test]
fn what_the_legs_cannot_give_does_not_wind_up() {
    let mut bench = Bench::new(BodySettings { tilt: 1.0, ..BodySettings::default() });
    bench.ground = (0.0, -0.9);
    bench.run(20.0);
    assert!(bench.body.stroke_share() < 1.0);
    for foot in &bench.body.feet {
        assert!(foot.z > -0.7 && foot.z < -0.3, "{foot:?}");
    }
    bench.ground = (0.0, 0.0);
    bench.run(4.0);
    assert!(bench.attitude().1.abs() < 0.02, "back on the flat it is level soon: {}", bench.attitude().1);
}

#[test]
fn a_diagonal_that_carries_too_much_is_drawn_in() {
    let mut bench = Bench::new(BodySettings::default());
    for _ in 0..250 {
        bench.body.update(&bench.target, (0.0, 0.0), Some(&[200.0, 80.0, 80.0, 200.0]), DT);
    }
    let z: Vec<f64> = bench.body.feet.iter().map(|foot| foot.z).collect();
    assert!(z[0] > z[1] + 0.02 && (z[0] - z[3]).abs() < 1e-9 && (z[1] - z[2]).abs() < 1e-9, "{z:?}");
    let before = bench.body.balance();
    bench.body.update(&bench.target, (0.0, 0.0), Some(&[145.0, 140.0, 140.0, 145.0]), DT);
    assert_eq!(bench.body.balance(), before, "little differences are left alone");
}

#[test]
fn feet_go_home_only_as_far_as_their_wheels_roll() {
    let mut bench = Bench::new(BodySettings::default());
    bench.body.feet[0].x = 0.25;
    assert_eq!(bench.body.shift_velocity(0), BodySettings::default().shift_rate);
    assert_eq!(bench.body.shift_velocity(1), 0.0);
    bench.run(1.0);
    assert_eq!(bench.body.foot(0, 0.0).x, 0.25);
    bench.body.shift(0, 0.01);
    assert!((bench.body.foot(0, 0.0).x - 0.26).abs() < 1e-12);
}
