//! The mapper on the simulated centaur's own sweeps, on the tour of the SpaceBot arena and back:
//!
//! ```text
//! cargo run --release -p slam --example tour -- record FILE [METRES] [SEED]
//! cargo run --release -p slam --example tour -- map FILE [PUSHED_AT]
//! ```
//!
//! With PUSHED_AT odometry claims from that sweep on that the robot has been 0.9 m aside: what a push costs. QUIET=1 in the
//! environment leaves only the last line.
//!
//! Recording takes minutes, mapping seconds: numbers can be tried out without simulating again.

#![allow(clippy::disallowed_methods, reason = "it measures time")]

#[path = "../../../sim/plant/examples/support/mod.rs"]
mod clock;
mod recorded;
#[path = "tour/route.rs"]
mod route;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use estimation::OdometryEstimator;
use locomotion::{BodyTarget, FollowerSettings, Locomotion, PoseFollower, Settings};
use nalgebra::Isometry3;
use plant::{Setup, Simulation, plug};
use recorded::read_sweep;
use robot_io::{Clock, Commands, Pose2, Readings, RobotIo, Time};
use robot_model::RobotModel;
use route::{Route, TOUR};
use slam::{AssemblySettings, Mapper, MapperSetup, Motion, Sweep, SweepAssembler, SweepOdometer};
use worlds::World;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize, default: &str| arguments.get(index).cloned().unwrap_or_else(|| default.to_owned());
    match argument(0, "").as_str() {
        "record" => record(&argument(1, "sweeps.bin"), argument(2, "150").parse()?, argument(3, "1").parse()?),
        "map" => map(&argument(1, "sweeps.bin"), argument(2, &u64::MAX.to_string()).parse()?),
        other => Err(format!("expected record or map, found {other:?}").into()),
    }
}

/// Drives, and writes every sweep with the truth about it.
fn record(file: &str, metres: f64, seed: u64) -> Fallible<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml"))?;
    let world = World::load(&root.join("worlds/spacebot.toml"))?;
    let spawn = Pose2 { x: TOUR[0][0], y: TOUR[0][1], yaw: 0.0 };
    let setup = Setup { seed, spawn, sensors: vec!["laser".to_owned()], ..Setup::default() };
    let (mut sim, mut clock, shared) = plug(Simulation::new(&world, &robot, &setup)?);
    let (mut readings, mut commands) = (Readings::new(sim.layout()), Commands::new(sim.layout()));
    let mut estimator = OdometryEstimator::new(&robot, sim.layout())?;
    let mut locomotion = Locomotion::new(&robot, sim.layout(), Settings::default())?;
    let mut follower = PoseFollower::new(FollowerSettings::default())?;
    let mut assembler = SweepAssembler::new(&robot, sim.layout(), AssemblySettings::default())?;
    let mut route = Route::default();
    let mut out = io::BufWriter::new(fs::File::create(file)?);
    sim.bring_up()?;
    sim.read(&mut readings)?;
    estimator.reset(&readings);
    locomotion.reset(&readings);
    let mut truths: Vec<(Time, Isometry3<f64>)> = Vec::new();
    while route.driven < metres {
        sim.read(&mut readings)?;
        let odometry = *estimator.update(&readings);
        truths.push((readings.time, shared.truth().base_in_world));
        truths.drain(..truths.len().saturating_sub(800));
        if let Some(turn) = assembler.update(&readings, &odometry) {
            let sweep = turn.sweep();
            write_sweep(&mut out, &sweep, &truth_at(&truths, sweep.end))?;
            if sweep.number % 20 == 0 {
                println!("{:6.1} s, {:5.1} m, {} points", readings.time.seconds(), route.driven, sweep.points.len());
            }
        }
        let rests = readings.time.seconds() < 4.0;
        let twist = if rests { Default::default() } else { route.steer(&mut follower, &shared) };
        let height = locomotion.stance_height();
        locomotion.set_target(BodyTarget { twist, height, ..BodyTarget::default() });
        locomotion.update(&readings, &odometry, &mut commands);
        assembler.spin(&mut commands);
        sim.write(&commands)?;
        clock.advance()?;
    }
    println!("wrote {file}");
    Ok(())
}

fn truth_at(truths: &[(Time, Isometry3<f64>)], time: Time) -> Isometry3<f64> {
    let after = truths.partition_point(|(at, _)| *at <= time).min(truths.len() - 1);
    let (before, next) = (&truths[after.saturating_sub(1)], &truths[after]);
    let span = next.0.since(before.0).seconds();
    let share = if span > 0.0 { time.since(before.0).seconds() / span } else { 0.0 };
    before.1.lerp_slerp(&next.1, share)
}

/// Maps what was recorded and prints errors against truth.
fn map(file: &str, pushed_at: u64) -> Fallible<()> {
    let mut input = io::BufReader::new(fs::File::open(file)?);
    let start = Pose2 { x: TOUR[0][0], y: TOUR[0][1], yaw: 0.0 };
    let mut mapper = Mapper::new(MapperSetup { start, ..MapperSetup::default() });
    let mut errors = Errors::default();
    while let Some((mut sweep, truth)) = read_sweep(&mut input)? {
        if sweep.number >= pushed_at {
            let aside = Isometry3::translation(0.0, 0.9, 0.0);
            sweep.begin_in_odom = aside * sweep.begin_in_odom;
            sweep.base_in_odom = aside * sweep.base_in_odom;
        }
        let began = clock::computing_seconds();
        let estimate = mapper.process(&sweep);
        let took = clock::computing_seconds() - began;
        errors.note(&mapper, &sweep, &truth, took);
        if std::env::var("QUIET").is_err() {
            let (distance, angle) = errors.last;
            println!(
                "{:4} {:6.1} m at {:6.2} {:6.2} error {:6.3} m {:5.2}° odometry {:6.3} m {:?} {:?} share {:.2} mean {:.3} weak {} rate {:.2} acceleration {:.1} points {} views {} {:.0} ms",
                sweep.number,
                errors.driven,
                truth.translation.x,
                truth.translation.y,
                distance,
                angle.to_degrees(),
                errors.odometry,
                mapper.localization().state,
                estimate.verdict,
                estimate.matched_share,
                estimate.mean_distance,
                estimate.weak_directions,
                sweep.motion.peak_angular_rate,
                sweep.motion.peak_acceleration,
                sweep.points.len(),
                mapper.graph().nodes.len(),
                1e3 * took
            );
            mapper.events().for_each(|event| println!("     {} {:.3} {:.3}", event.what, event.value, event.limit));
        }
    }
    errors.print(&mapper);
    Ok(())
}

/// Errors against truth, relative to the truth at the first sweep in height alone.
#[derive(Default)]
struct Errors {
    first: Option<(f64, Isometry3<f64>)>,
    before: Option<Isometry3<f64>>,
    driven: f64,
    worst: (f64, f64),
    last: (f64, f64),
    odometry: f64,
    time: (f64, f64, usize),
}

impl Errors {
    fn note(&mut self, mapper: &Mapper, sweep: &Sweep, truth: &Isometry3<f64>, took: f64) {
        let estimate = mapper.localization().base_in_map;
        let shift = truth.translation.z - estimate.translation.z;
        let (height, odom) = *self.first.get_or_insert((shift, truth * sweep.base_in_odom.inverse()));
        let mut lowered = *truth;
        lowered.translation.z -= height;
        let off = lowered.inv_mul(&estimate);
        self.last = (off.translation.vector.norm(), off.rotation.angle());
        self.odometry = (odom * sweep.base_in_odom).inv_mul(truth).translation.vector.norm();
        self.worst = (self.worst.0.max(self.last.0), self.worst.1.max(self.last.1));
        let before = self.before.replace(*truth).unwrap_or(*truth);
        self.driven += (truth.translation.vector - before.translation.vector).norm();
        self.time = (self.time.0 + took, self.time.1.max(took), self.time.2 + 1);
    }

    fn print(&self, mapper: &Mapper) {
        println!(
            "{:.1} m: worst {:.3} m {:.2}°, last {:.3} m {:.2}°, odometry {:.3} m; {} views, {} ties; {:.1} ms a sweep, at most {:.0} ms",
            self.driven,
            self.worst.0,
            self.worst.1.to_degrees(),
            self.last.0,
            self.last.1.to_degrees(),
            self.odometry,
            mapper.graph().nodes.len(),
            mapper.graph().edges.len(),
            1e3 * self.time.0 / self.time.2 as f64,
            1e3 * self.time.1
        );
    }
}

fn write_numbers(out: &mut impl Write, numbers: impl IntoIterator<Item = f64>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

fn pose_numbers(pose: &Isometry3<f64>) -> impl Iterator<Item = f64> {
    let (t, r) = (pose.translation, pose.rotation.coords);
    [t.x, t.y, t.z, r.x, r.y, r.z, r.w].into_iter()
}

fn write_sweep(out: &mut impl Write, sweep: &Sweep, truth: &Isometry3<f64>) -> io::Result<()> {
    let counts = [sweep.number, sweep.begin.nanoseconds(), sweep.end.nanoseconds()].map(|count| count as f64);
    write_numbers(out, counts)?;
    let lengths = [sweep.points.len(), sweep.misses.len(), sweep.origins.len()].map(|length| length as f64);
    write_numbers(out, lengths)?;
    for pose in [truth, &sweep.begin_in_odom, &sweep.base_in_odom] {
        write_numbers(out, pose_numbers(pose))?;
    }
    let Motion { peak_angular_rate, peak_acceleration, distance, turn, up_in_base: up, longest_gap, .. } = sweep.motion;
    write_numbers(out, [peak_angular_rate, peak_acceleration, distance, turn, up.x, up.y, up.z, longest_gap])?;
    for at in sweep.misses.iter().chain(&sweep.origins).flatten() {
        out.write_all(&at.to_le_bytes())?;
    }
    for point in &sweep.points {
        for number in point.position.iter().chain(&point.as_measured).chain([&point.time]) {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&point.origin.to_le_bytes())?;
        out.write_all(&point.intensity.to_le_bytes())?;
    }
    Ok(())
}
