//! A run or a log in the window: the session on a thread of its own, the window on the main one.

use std::path::Path;

use crossbeam::channel::{bounded, unbounded};
use station::{Options, StationError};

use crate::interactive::{Live, LogPlace, Opening, Player, Show, Tape, signals};
use crate::recording::Recording;
use crate::runner::Finished;
use crate::{ScenarioError, Staffing, Stage, interrupt, pictures};

/// Shows a live run until somebody ends it. Pictures that are taken from the window go into `folder`.
pub fn watch(
    stage: &Stage,
    staffing: &Staffing,
    log: Option<LogPlace>,
    opening: Opening,
    folder: &Path,
) -> Result<Finished, ScenarioError> {
    interrupt::install();
    let live = Live::begin(stage.clone(), staffing, log)?;
    show(stage, live, opening, folder, None)?.finish()
}

/// Shows a log, with a time line.
pub fn watch_log(recording: &Recording, folder: &Path) -> Result<(), ScenarioError> {
    interrupt::install();
    let tape = Tape::new(recording.clone())?;
    show(&recording.stage, tape, Opening { paused: true, speed: 1.0, link: None }, folder, Some(recording)).map(drop)
}

fn show<S: Show + Send>(
    stage: &Stage,
    what: S,
    opening: Opening,
    folder: &Path,
    log: Option<&Recording>,
) -> Result<S, ScenarioError> {
    let (frames, shown) = bounded(1);
    let (asked, requests) = unbounded();
    let player = Player::new(what, opening, frames, requests);
    let (read, past) = bounded(1);
    let options = Options { folder: folder.to_owned(), past: log.map(|_| past), ..Options::default() };
    std::thread::scope(|scope| {
        // signals that cannot be read are missed by plots alone; the tape itself says what is wrong with the log
        scope.spawn(move || log.and_then(|log| signals(log).ok()).map(|signals| read.send(signals)));
        let work = scope.spawn(|| player.play());
        // the window takes `asked` with it: without a window the player ends, and without a player the window
        let window = station::open(pictures::scene(stage, stage.layout()), shown, asked, options);
        let worked =
            work.join().unwrap_or_else(|_| Err(ScenarioError::Usage("the session's thread failed".to_owned())));
        match window {
            // the run is whole without its window: a lost one costs nobody the log and the report
            Err(error @ StationError::Ended { .. }) => eprintln!("{error}; the session is ended cleanly"),
            opened => opened?,
        }
        worked
    })
}
