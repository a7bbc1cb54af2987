//! An update of the navigator allocates nothing where nothing new has arrived; and how long it takes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod puppet;

use std::time::Duration;

use counting::{Counting, allocations};
use navigation::{NavigationSettings, Status};
use puppet::{Puppet, goal, stone};
use robot_io::Pose2;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn world(x: f64, y: f64, _: f64) -> f64 {
    let stones = [([2.0, 0.1], 0.5), ([3.8, -1.1], 0.5), ([3.9, 1.0], 0.4), ([5.4, 0.0], 0.45)];
    stones.iter().map(|(place, radius)| stone(x, y, *place, *radius, 0.5)).fold(0.0, f64::max)
}

#[test]
fn no_update_allocates() {
    let mut puppet = Puppet::new(Box::new(world), Pose2::default(), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(7.0, 0.0, Some(0.0))));
    // the first footprint finds its memory
    puppet.step();
    puppet.count_allocations = Some(allocations);
    assert!(puppet.arrives(90.0));
    // an event is something new: its list grows
    let told = puppet.events.len();
    assert!(puppet.updates_that_allocated <= told, "{} of them, {told} events", puppet.updates_that_allocated);
}

/// Run with `cargo test --release -p navigation --test allocations -- --ignored --nocapture`.
#[test]
#[ignore = "measures the machine"]
#[allow(clippy::disallowed_methods, reason = "measures the machine")]
fn how_long_an_update_takes() {
    let mut puppet = Puppet::new(Box::new(world), Pose2::default(), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(7.0, 0.0, Some(0.0))));
    puppet.stopwatch = Some(|| {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed()
    });
    while puppet.guidance.status != Status::Arrived {
        puppet.step();
    }
    for (what, times) in [("update", &mut puppet.update_times), ("exchange", &mut puppet.exchange_times)] {
        let mut slowest: Vec<(Duration, usize)> = times.iter().copied().zip(0..).collect();
        slowest.sort();
        println!("{what}: slowest {:?}", &slowest[slowest.len() - 8..]);
        times.sort();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        let sum: Duration = times.iter().sum();
        println!(
            "{what}: mean {:?}, median {:?}, 90 % {:?}, 99 % {:?}, worst {:?}",
            sum / times.len() as u32,
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        );
    }
}
