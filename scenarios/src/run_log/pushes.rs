//! Pushes as a log keeps them.

use plant::Push;
use replay::{Input, InputKind};

use crate::session::TimedPush;

/// A push as the log keeps it: start and end [ns], force [N] in the world, place [m] in the link.
pub fn push_input(cycle: u64, timed: &TimedPush, links: &[String]) -> Input {
    let Push { link, point_in_link, force_in_world, until } = timed.push;
    let times = [timed.at.nanoseconds() as f64, until.nanoseconds() as f64];
    let values = times.iter().chain(force_in_world.iter()).chain(point_in_link.iter()).copied().collect();
    let name = links.get(link).cloned().unwrap_or_default();
    Input { cycle, kind: InputKind::Push, name, values, bytes: Vec::new() }
}
