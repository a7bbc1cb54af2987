//! Timing and accuracy of registration in synthetic worlds: `cargo run --release -p slam --example register`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "measures time, at a terminal")]

#[path = "../../../sim/plant/examples/support/mod.rs"]
mod clock;
#[path = "../tests/support/mod.rs"]
mod support;

use clock::computing_seconds;
use nalgebra::{Isometry3, Matrix4, Matrix6, UnitQuaternion, Vector3, Vector6};
use robot_io::RandomStream;
use slam::{
    GridSettings, LocalMap, PosePrior, Registration, RegistrationSettings, SlipModel, SurfelCloud, register, straighten,
};
use support::{Bench, Drift, Step, Trajectory, World};

fn main() {
    let grid = GridSettings::default();
    println!("{grid:?}\n{:?}\n", RegistrationSettings::default());
    let round_a_room = [[0.0, 0.0], [3.8, 1.0], [3.5, -1.5], [-1.8, -1.5], [-1.5, 2.5], [0.0, 0.0]];
    let round_an_arena = [[0.0, 0.0], [6.0, 0.5], [5.0, -4.5], [-2.0, -7.0], [-7.0, -3.0], [-6.0, 5.0], [0.0, 0.0]];
    for (name, world, path) in
        [("room", World::room(), &round_a_room[..]), ("arena", World::arena(), &round_an_arena[..])]
    {
        follow(name, &mut bench(world, Trajectory::path(path, 0.4)), &grid, 60);
    }
    for (name, world) in [("room", World::room()), ("arena", World::arena())] {
        converge(name, &mut bench(world, Trajectory::arc([0.0, 0.0, 0.3], 0.4, 0.1)), &grid);
    }
}

fn bench(world: World, trajectory: Trajectory) -> Bench {
    let mut bench = Bench::new(world, trajectory).dense().drifting(Drift::loose_ground());
    bench.scanner.noise = 0.015;
    bench
}

/// What was found, against the truth.
#[derive(Default)]
struct Figures {
    millis: Vec<f64>,
    distances: Vec<f64>,
    angles: Vec<f64>,
    normalised: Vec<f64>,
    shares: f64,
    iterations: usize,
}

impl Figures {
    fn add(&mut self, found: &Registration, truth: &Isometry3<f64>, millis: f64) {
        let moved = found.source_in_target.translation.vector - truth.translation.vector;
        let turned = (found.source_in_target.rotation * truth.rotation.inverse()).scaled_axis();
        let error = Vector6::new(moved.x, moved.y, moved.z, turned.x, turned.y, turned.z);
        self.normalised.push(error.dot(&(found.covariance.try_inverse().unwrap() * error)));
        self.millis.push(millis);
        self.distances.push(moved.norm());
        self.angles.push(turned.norm().to_degrees());
        self.shares += found.matched_share;
        self.iterations += found.iterations;
    }

    fn print(&self) {
        let n = self.millis.len().max(1) as f64;
        println!(
            "  {} ms, {:.1} iterations, {:.0} % matched; error rms {:.1} mm {:.3}°, worst {:.1} mm {:.3}°; normalised {:.1}",
            spread(&self.millis),
            self.iterations as f64 / n,
            100.0 * self.shares / n,
            1e3 * rms(&self.distances),
            rms(&self.angles),
            1e3 * self.distances.iter().copied().fold(0.0, f64::max),
            self.angles.iter().copied().fold(0.0, f64::max),
            median(&self.normalised),
        );
    }
}

/// Follows the robot from sweep to sweep with a bad odometry whose slip is learnt on the way, as the mapper does.
fn follow(name: &str, bench: &mut Bench, grid: &GridSettings, sweeps: usize) {
    let settings = RegistrationSettings::default();
    let mut map = LocalMap::new(grid);
    let first = bench.step();
    map.insert(&first.sweep, &first.base_in_start);
    let (mut pose, mut odom, mut truth) = (first.base_in_start, first.sweep.base_in_odom, first.base_in_start);
    let mut slips = SlipModel::default();
    let (mut figures, mut inserts, mut way, mut points) = (Figures::default(), Vec::new(), 0.0, 0);
    for Step { sweep, base_in_start, .. } in bench.take(sweeps) {
        way += truth.inv_mul(&base_in_start).translation.vector.norm();
        let reported = odom.inv_mul(&sweep.base_in_odom);
        let now = computing_seconds();
        let slip = slips.slip(&reported);
        let sweep = straighten(&sweep, &slip, sweep.end.since(sweep.begin).seconds());
        let guess = pose * reported * slip;
        let deviations = Vector6::new(0.03, 0.03, 0.03, 0.01, 0.01, 0.03);
        let covariance = Matrix6::from_diagonal(&deviations.component_mul(&deviations));
        let source = SurfelCloud::of_sweep(&sweep, grid);
        let prior = PosePrior { source_in_target: guess, covariance };
        let found = register(&source, &map.to_cloud(), &guess, Some(&prior), &settings);
        slips.learn(&reported, &guess.inv_mul(&found.source_in_target), &Matrix4::repeat(0.1));
        figures.add(&found, &base_in_start, 1e3 * (computing_seconds() - now));
        if !found.converged || !found.weak.is_empty() {
            println!("  sweep {}: converged {} hold {:?}", sweep.number, found.converged, found.hold);
        }
        let now = computing_seconds();
        map.recentre(&found.source_in_target.translation.vector.into());
        map.insert(&sweep, &found.source_in_target);
        inserts.push(1e3 * (computing_seconds() - now));
        (pose, odom, truth) = (found.source_in_target, sweep.base_in_odom, base_in_start);
        points += sweep.points.len();
    }
    println!(
        "{name}: {sweeps} sweeps of {} points, {way:.1} m; insert {} ms, map {} kB; at the end {:.1} mm",
        points / sweeps,
        spread(&inserts),
        map.bytes() / 1000,
        1e3 * figures.distances.last().copied().unwrap_or_default(),
    );
    figures.print();
}

/// Registers one sweep against a true map from many wrong guesses.
fn converge(name: &str, bench: &mut Bench, grid: &GridSettings) {
    let settings = RegistrationSettings::default();
    let steps: Vec<Step> = bench.take(5).collect();
    let (last, rest) = steps.split_last().unwrap();
    let mut map = LocalMap::new(grid);
    rest.iter().for_each(|step| map.insert(&step.sweep, &step.base_in_start));
    let (target, source) = (map.to_cloud(), SurfelCloud::of_sweep(&last.sweep, grid));
    let random = RandomStream::new(1, "guesses");
    for (distance, degrees) in [(0.0, 0.0), (0.1, 2.0), (0.25, 5.0), (0.5, 10.0), (1.0, 20.0)] {
        let (mut figures, mut claimed) = (Figures::default(), 0);
        for trial in 0..40_u64 {
            let draw = |index| random.normal(trial, index);
            let way = Vector3::new(draw(0), draw(1), 0.3 * draw(2)).normalize() * distance;
            let axis = Vector3::new(0.3 * draw(3), 0.3 * draw(4), draw(5)).normalize();
            let error = Isometry3::from_parts(way.into(), UnitQuaternion::new(axis * f64::to_radians(degrees)));
            let now = computing_seconds();
            let found = register(&source, &target, &(last.base_in_start * error), None, &settings);
            let off = last.base_in_start.inv_mul(&found.source_in_target);
            if off.translation.vector.norm() < 0.03 && off.rotation.angle() < 0.005 {
                figures.add(&found, &last.base_in_start, 1e3 * (computing_seconds() - now));
            } else if found.converged && found.matched_share > 0.5 {
                claimed += 1;
            }
        }
        println!(
            "{name}: guess off by {distance} m, {degrees}°: found {} of 40; claimed to be found but wrong: {claimed}",
            figures.millis.len()
        );
        figures.print();
    }
}

fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|value| value * value).sum::<f64>() / values.len().max(1) as f64).sqrt()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Median and largest.
fn spread(values: &[f64]) -> String {
    format!("{:.1} (at most {:.1})", median(values), values.iter().copied().fold(0.0, f64::max))
}
