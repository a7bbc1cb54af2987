//! How the centaur steps over edges, in physics: `cargo run --release -p locomotion --example crossings -- [SEEDS]`.
//!
//! Each seed begins at another place and heading, with an edge that is seen up to 2 cm nearer or farther and up to 1 cm
//! higher or lower than it is.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "shares its bench with the tests"
)]

#[path = "../tests/stepping/mod.rs"]
mod stepping;

use locomotion::Settings;
use robot_io::{Pose2, RandomStream};
use stepping::{Bench, Ground, Shown};

const GROUNDS: [Ground; 8] = [
    Ground::Step(0.10),
    Ground::Step(0.15),
    Ground::Step(0.20),
    Ground::Step(-0.10),
    Ground::Step(-0.15),
    Ground::Step(-0.20),
    Ground::Gap(0.20),
    Ground::Gap(0.25),
];

fn cross(ground: Ground, seed: u64) -> Shown {
    let random = RandomStream::new(seed, "crossings");
    let within = |index: u32, most: f64| most * (2.0 * random.uniform(0, index) - 1.0);
    let spawn = Pose2 { x: 0.55 + within(0, 0.15), y: within(1, 0.3), yaw: within(2, 0.06) };
    let mut bench = Bench::with(ground, seed, spawn, Settings::default());
    bench.begin(within(3, 0.02), if matches!(ground, Ground::Step(_)) { within(4, 0.01) } else { 0.0 }).unwrap();
    let shown = bench.cross(120.0);
    if !shown.status.is_done() {
        println!("{ground:?}, seed {seed}: {:?}\n{}", shown.status, bench.story());
    }
    shown
}

fn main() {
    let seeds: u64 = std::env::args().nth(1).map_or(5, |text| text.parse().unwrap());
    println!(
        "| edge | across | time [s] | static margin [m] | tilt [°] | effort [1] | odometry: place [mm], height [mm], heading [°] |"
    );
    println!("|---|---|---|---|---|---|---|");
    for ground in GROUNDS {
        let all: Vec<Shown> = (1..=seeds).map(|seed| cross(ground, seed)).collect();
        let most = |value: &dyn Fn(&Shown) -> f64| all.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        println!(
            "| {ground:?} | {} of {seeds} | {:.0} | {:.3} | {:.2} | {:.2} | {:.1}, {:.1}, {:.2} |",
            all.iter().filter(|shown| shown.status.is_done()).count(),
            most(&|shown| shown.seconds),
            -most(&|shown| -shown.status.least_margin),
            most(&|shown| shown.tilt).to_degrees(),
            most(&|shown| shown.effort),
            1e3 * most(&|shown| shown.drift[0].hypot(shown.drift[1])),
            1e3 * most(&|shown| shown.drift[2].abs()),
            most(&|shown| shown.drift[3].abs()).to_degrees(),
        );
    }
}
