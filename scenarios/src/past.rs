//! What a run goes on from: an earlier run's controller, as it was when its log ended.

use std::path::PathBuf;

use replay::LoggedSnapshot;
use robot_io::Time;

/// A controller at the end of an earlier run. The robot is wherever it is now.
#[derive(Clone, Debug)]
pub struct Past {
    /// The log of that run.
    pub log: PathBuf,
    /// The cycle with which the run goes on.
    pub next_cycle: u64,
    /// The time of that cycle.
    pub time: Time,
    /// The controller with its slow work.
    pub saved: LoggedSnapshot,
}
