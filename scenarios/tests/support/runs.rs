//! Runs of scenarios in the test's own process.

use std::path::Path;

use scenarios::progress::Progress;
use scenarios::recording::{Recording, controllers_only, verify};
use scenarios::run_log::RunLog;
use scenarios::runner::{Finished, Runner};
use scenarios::{Library, Staffing, Stage};

/// What ships.
pub fn library() -> Library {
    Library::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")))
}

/// Runs a scenario to its end, with a log if there is a place for one.
pub fn run(stage: &Stage, log: Option<&Path>) -> Finished {
    let log = log.map(|path| RunLog::create(path, stage, false).unwrap());
    Runner::new(stage, Staffing::default(), log).unwrap().run(&mut Progress::silent()).unwrap()
}

/// A run's log comes to the same when all of it is computed again, and when its controllers are alone.
pub fn assert_computed_again(recording: &Recording, run: &Finished) {
    let whole = verify(recording, 0, &mut Progress::silent()).unwrap();
    assert_eq!((whole.cycles, whole.divergence), (run.outcome.cycles, None));
    let controllers = controllers_only(recording, &mut Progress::silent()).unwrap();
    assert_eq!((controllers.cycles, controllers.divergence), (run.outcome.cycles, None));
}
