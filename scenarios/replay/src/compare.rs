//! Two logs side by side, and a log beside a run that is being computed again.

use std::path::Path;

use robot_io::{Commands, Digest, Readings, Time};

use crate::divergence::{Value, first_difference};
use crate::{Divergence, Frame, Frames, Input, LogError, LogReader};

/// What came of comparing two logs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The first cycle that both logs have, and its time. The log of a fork begins in the middle of a run.
    pub from: (u64, Time),
    /// Cycles that are the same, from there.
    pub cycles: u64,
    /// The first difference; `None` if all that follows is the same to the last bit of the last cycle.
    pub first: Option<Divergence>,
}

/// The first difference between two logs, from the first cycle that both have.
pub fn diff(a: &Path, b: &Path) -> Result<Option<Divergence>, LogError> {
    Ok(compare(a, b)?.first)
}

/// Compares two logs by the numbers of their cycles, from the first that both have.
pub fn compare(a: &Path, b: &Path) -> Result<Difference, LogError> {
    let (a, b) = (LogReader::open(a)?, LogReader::open(b)?);
    let begin = first_cycle(&a)?.max(first_cycle(&b)?);
    let (layout, mut frames_a, mut frames_b) = (a.layout(), a.frames(), b.frames());
    let mut difference = Difference { from: (begin, Time::ZERO), cycles: 0, first: None };
    loop {
        let (mut of_a, mut of_b) = (next_from(&mut frames_a, begin)?, next_from(&mut frames_b, begin)?);
        difference.first = match (&mut of_a, &mut of_b) {
            (Some(a), Some(b)) if number_of(a) == number_of(b) => {
                if difference.cycles == 0 {
                    difference.from = (begin, a.cycle.readings.time);
                }
                first_difference(a, b, layout)
            }
            (None, None) => return Ok(difference),
            (Some(a), Some(b)) if number_of(a) < number_of(b) => Some(one_goes_on(Some(a), None)),
            (Some(_), Some(b)) => Some(one_goes_on(None, Some(b))),
            (a, b) => Some(one_goes_on(a.as_ref(), b.as_ref())),
        };
        if difference.first.is_some() {
            return Ok(difference);
        }
        difference.cycles += 1;
    }
}

/// The next frame whose cycle is not before `begin`.
fn next_from(frames: &mut Frames, begin: u64) -> Result<Option<Frame>, LogError> {
    loop {
        match frames.next().transpose()? {
            Some(frame) if number_of(&frame) < begin => {}
            found => return Ok(found),
        }
    }
}

fn number_of(frame: &Frame) -> u64 {
    frame.cycle.readings.cycle
}

/// The number of a log's first cycle.
fn first_cycle(log: &LogReader) -> Result<u64, LogError> {
    let first = log.cycles().next_cycle()?.map(|cycle| cycle.readings.cycle);
    first.ok_or_else(|| LogError::request(log.path(), "diff", "at least one cycle", "none"))
}

/// What the headers of two logs differ in: one line each, for the reader of a [`diff`].
pub fn header_differences(a: &LogReader, b: &LogReader) -> Vec<String> {
    let (first, second) = (a.header(), b.header());
    let mut lines = Vec::new();
    let mut compare = |what: &str, a: &str, b: &str| {
        if a != b {
            lines.push(format!("{what}: {a} and {b}"));
        }
    };
    compare("case", &first.case, &second.case);
    compare("seed", &first.seed.to_string(), &second.seed.to_string());
    compare("program", &first.program, &second.program);
    compare("robot", &first.layout.robot, &second.layout.robot);
    for name in ["plant", "sensors", "settings", "duration_ns"] {
        if first.meta(name) != second.meta(name) {
            lines.push(format!("{name} of the runs differ"));
        }
    }
    if first.layout != second.layout {
        lines.push("the robots' layouts differ".to_owned());
    }
    let names = first.attachments.iter().map(|file| &file.name);
    let more = second.attachments.iter().map(|file| &file.name).filter(|name| first.file(name).is_none());
    for name in names.chain(more) {
        match (first.file(name), second.file(name)) {
            (Some(a), Some(b)) if a != b => lines.push(format!("the file {name} differs")),
            (Some(_), None) => lines.push(format!("the file {name} is only in the first")),
            (None, Some(_)) => lines.push(format!("the file {name} is only in the second")),
            _ => {}
        }
    }
    lines
}

fn one_goes_on(recorded: Option<&Frame>, now: Option<&Frame>) -> Divergence {
    let cycle = |frame: Option<&Frame>| {
        frame.map_or(Value::Nothing, |frame| Value::Text(format!("cycle {}", frame.cycle.readings.cycle)))
    };
    let readings = recorded.or(now).map(|frame| &frame.cycle.readings);
    let (number, time) = readings.map(|readings| (readings.cycle, readings.time)).unwrap_or_default();
    Divergence::end(number, time, cycle(recorded), cycle(now))
}

/// One cycle of a run that is being computed again.
#[derive(Clone, Copy, Debug)]
pub struct Recomputed<'a> {
    /// The readings, with the robot's status and the operator's input.
    pub readings: &'a Readings,
    /// The commands.
    pub commands: &'a Commands,
    /// The components' digests.
    pub digests: &'a [(&'a str, Digest)],
    /// What came from outside in this cycle.
    pub inputs: &'a [Input],
}

/// Walks along a log beside a recomputed run and keeps the first divergence.
#[derive(Clone, Debug)]
pub struct Verifier {
    log: LogReader,
    frames: Frames,
    now: Frame,
    cycles: u64,
    divergence: Option<Divergence>,
    /// A component whose digest nobody computes again.
    without: Option<&'static str>,
}

impl Verifier {
    /// A verifier at the beginning of `log`.
    pub fn new(log: &LogReader) -> Verifier {
        let (log, frames, now) = (log.clone(), log.frames(), Frame::default());
        Verifier { log, frames, now, cycles: 0, divergence: None, without: None }
    }

    /// The same without the digest of a component.
    #[must_use]
    pub fn without(self, component: &'static str) -> Verifier {
        Verifier { without: Some(component), ..self }
    }

    /// Compares the next cycle. False once the runs have parted, or when the log has ended: then there is no need to
    /// compute further.
    pub fn check(&mut self, recomputed: &Recomputed<'_>) -> Result<bool, LogError> {
        if self.divergence.is_some() {
            return Ok(false);
        }
        let Some(mut recorded) = self.frames.next().transpose()? else { return Ok(false) };
        // a cycle that nobody answered has no commands to compare
        self.now.cycle.answered = recorded.cycle.answered;
        self.now.cycle.readings.copy_from(recomputed.readings);
        let commands = if recorded.cycle.answered { recomputed.commands } else { &recorded.cycle.commands };
        self.now.cycle.commands.copy_from(commands);
        self.now.digests.clear();
        recorded.digests.retain(|(name, _)| Some(name.as_str()) != self.without);
        self.now.digests.extend(
            recomputed
                .digests
                .iter()
                .filter(|(name, _)| Some(*name) != self.without)
                .map(|(name, digest)| ((*name).to_owned(), *digest)),
        );
        self.now.inputs.clear();
        self.now.inputs.extend_from_slice(recomputed.inputs);
        self.divergence = first_difference(&mut recorded, &mut self.now, self.log.layout());
        self.cycles += u64::from(self.divergence.is_none());
        Ok(self.divergence.is_none())
    }

    /// Ends the comparison; a run that ended before the log did has diverged there.
    pub fn finish(mut self) -> Result<Verdict, LogError> {
        if self.divergence.is_none()
            && let Some(frame) = self.frames.next().transpose()?
        {
            self.divergence = Some(one_goes_on(Some(&frame), None));
        }
        Ok(Verdict { cycles: self.cycles, divergence: self.divergence })
    }

    /// The first divergence so far.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// Cycles that agreed so far.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }
}

/// The outcome of a verification.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Cycles that agreed, from the first.
    pub cycles: u64,
    /// Where the runs part, if they do.
    pub divergence: Option<Divergence>,
}
