//! Two logs side by side, and a log beside a run that is being computed again.

use std::path::Path;

use robot_io::{Commands, Digest, Readings};

use crate::divergence::{Value, first_difference};
use crate::{Divergence, Frame, Frames, Input, LogError, LogReader};

/// The first difference between two logs; `None` if they are the same to the last bit of the last cycle.
pub fn diff(a: &Path, b: &Path) -> Result<Option<Divergence>, LogError> {
    let (a, b) = (LogReader::open(a)?, LogReader::open(b)?);
    let layout = a.layout();
    let (mut frames_a, mut frames_b) = (a.frames(), b.frames());
    loop {
        match (frames_a.next().transpose()?, frames_b.next().transpose()?) {
            (Some(mut a), Some(mut b)) => {
                let found = first_difference(&mut a, &mut b, layout);
                if found.is_some() {
                    return Ok(found);
                }
            }
            (None, None) => return Ok(None),
            (a, b) => return Ok(Some(one_goes_on(a.as_ref(), b.as_ref()))),
        }
    }
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
}

impl Verifier {
    /// A verifier at the beginning of `log`.
    pub fn new(log: &LogReader) -> Verifier {
        Verifier { log: log.clone(), frames: log.frames(), now: Frame::default(), cycles: 0, divergence: None }
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
        self.now.digests.extend(recomputed.digests.iter().map(|(name, digest)| ((*name).to_owned(), *digest)));
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
