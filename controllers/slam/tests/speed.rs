//! How long things take. Not a part of the usual tests: `cargo test --release -p slam --test speed -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "this is about the wall clock")]

mod support;

use std::time::{Duration, Instant};

use robot_io::deadline::InlineBoard;
use robot_io::{Digest, Pose2, StateWriter};
use slam::{AssemblySettings, Slam, SlamSettings, SweepAssembler};
use support::{Rider, Trajectory, World};

fn milliseconds(duration: Duration) -> f64 {
    1e3 * duration.as_secs_f64()
}

#[test]
#[ignore = "prints times"]
fn assembly() {
    let mut rider = Rider::new(World::room(), Trajectory::arc([0.0, 0.0, 0.2], 0.4, 0.5).rocking(0.04, 1.7));
    let mut assembler = SweepAssembler::new(&rider.model, &rider.layout, AssemblySettings::default()).unwrap();
    let (mut quiet, mut scans, mut turns, mut hash) = ([Duration::ZERO; 2], [Duration::ZERO; 2], 0, Duration::ZERO);
    let (mut cycles, mut arrived, mut kept, mut hits) = (0, 0, 0, 0);
    while turns < 4 {
        rider.step();
        let start = Instant::now();
        let turn = assembler.update(&rider.readings, &rider.odometry);
        let took = start.elapsed();
        let start = Instant::now();
        Digest::of(&mut assembler);
        hash += start.elapsed();
        cycles += 1;
        let sums = if let Some(scan) = &rider.readings.scans[0] {
            hits += scan.ranges.iter().filter(|range| **range > 0).count();
            arrived += 1;
            &mut scans
        } else {
            &mut quiet
        };
        *sums = [sums[0] + took, sums[1].max(took)];
        if let Some(turn) = turn {
            let start = Instant::now();
            let sweep = turn.sweep();
            turns += 1;
            kept += sweep.points.len();
            println!("sweep of {} points in {:.2} ms", sweep.points.len(), milliseconds(start.elapsed()));
        }
    }
    println!("cycle without a scan: {:.4} ms mean", milliseconds(quiet[0]) / f64::from(cycles - arrived));
    println!(
        "with: {:.3} ms mean, {:.3} ms worst",
        milliseconds(scans[0]) / f64::from(arrived),
        milliseconds(scans[1])
    );
    println!("digest: {:.4} ms a cycle; kept {kept} of {hits} hits", milliseconds(hash) / f64::from(cycles));
}

#[test]
#[ignore = "prints times"]
fn mapping() {
    let mut rider = Rider::new(World::arena(), Trajectory::path(&[[-6.0, 0.0], [6.0, 0.0], [6.0, 6.0]], 0.5));
    let mut slam = Slam::new(&rider.model, &rider.layout, SlamSettings::default(), Pose2::default()).unwrap();
    let mut board = InlineBoard::default();
    let (mut update, mut exchange, mut hash, mut sweeps) = (Duration::ZERO, Duration::ZERO, Duration::ZERO, 0);
    let mut longest = Duration::ZERO;
    for cycle in 0..8000 {
        rider.step();
        board.begin(rider.readings.cycle);
        let start = Instant::now();
        slam.update(&rider.readings, &rider.odometry);
        update += start.elapsed();
        let was_under_way = slam.has_sweep_under_way();
        let start = Instant::now();
        slam.exchange(&mut board);
        let took = start.elapsed();
        if slam.has_sweep_under_way() && !was_under_way {
            // the board computes at once
            exchange += took;
            longest = longest.max(took);
            sweeps += 1;
        }
        let start = Instant::now();
        Digest::of(&mut slam);
        hash += start.elapsed();
        if cycle % 2000 == 1999 {
            let (views, bytes) = (slam.views().views.len(), StateWriter::save(&mut slam).len());
            println!("{cycle}: {views} views, {bytes} bytes of state, {:?}", slam.localization().state);
        }
    }
    println!("update {:.4} ms, digest {:.4} ms a cycle", milliseconds(update) / 8e3, milliseconds(hash) / 8e3);
    println!("{:.1} ms a sweep, {:.1} ms at most", milliseconds(exchange) / f64::from(sweeps), milliseconds(longest));
}
