//! One cycle as it is recorded.

use robot_io::{Commands, Digest, Readings, RobotLayout, Seal, Sealed, State, StateVisitor};

use crate::sensors::{Arrivals, Mismatch};

/// What the controllers saw in one cycle and what they answered.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Cycle {
    /// True if somebody answered; false if the cycle ended without commands, which are then limp.
    pub answered: bool,
    /// What was read, with the robot's status and the operator's input.
    pub readings: Readings,
    /// The answer.
    pub commands: Commands,
}

impl Cycle {
    /// A cycle of the right size for `layout`.
    pub fn new(layout: &RobotLayout) -> Cycle {
        Cycle { readings: Readings::new(layout), commands: Commands::new(layout), ..Cycle::default() }
    }

    /// Takes over another cycle's values without allocating, given that both have the same layout.
    pub fn copy_from(&mut self, other: &Cycle) {
        self.answered = other.answered;
        self.readings.copy_from(&other.readings);
        self.commands.copy_from(&other.commands);
    }

    /// All its words, in the order of the log: those of scans and pictures stay out, and their digests follow at the end, the
    /// first last, so that every other word keeps its place.
    pub(crate) fn write_words(&mut self, words: &mut Vec<u64>) {
        words.clear();
        self.visit_state(&mut Collect { words });
        let Readings { scans, images, depth_images, .. } = &self.readings;
        let scans = scans.iter().flatten().map(Sealed::digest);
        let images = images.iter().flatten().map(Sealed::digest);
        let depth_images = depth_images.iter().flatten().map(Sealed::digest);
        words.extend(scans.chain(images).chain(depth_images).rev().map(|digest| digest.0));
    }

    /// Takes over the words of the log, with the scans and pictures that have arrived.
    pub(crate) fn take_words(
        &mut self,
        words: &[u64],
        layout: &RobotLayout,
        arrived: &mut Arrivals,
    ) -> Result<(), Mismatch> {
        let mut spread = Spread { words, taken: 0, sealed: 0 };
        self.visit_state(&mut spread);
        let expected = spread.taken + spread.sealed;
        let fits = self.readings.check(layout).and(self.commands.check(layout)).is_ok();
        if !fits || expected != words.len() {
            return Err((format!("{expected} words for the robot '{}'", layout.robot), words.len().to_string()));
        }
        arrived.settle(&mut self.readings, words.iter().rev().copied(), layout)
    }
}

struct Collect<'a> {
    words: &'a mut Vec<u64>,
}

impl StateVisitor for Collect<'_> {
    fn word(&mut self, bits: &mut u64) {
        self.words.push(*bits);
    }

    fn seal(&mut self, _digest: &mut Digest) -> Seal {
        Seal::Closed
    }
}

/// Hands out words in order; past the end it keeps what is there and goes on counting.
struct Spread<'a> {
    words: &'a [u64],
    taken: usize,
    sealed: usize,
}

impl StateVisitor for Spread<'_> {
    fn word(&mut self, bits: &mut u64) {
        if let Some(word) = self.words.get(self.taken) {
            *bits = *word;
        }
        self.taken += 1;
    }

    fn seal(&mut self, _digest: &mut Digest) -> Seal {
        self.sealed += 1;
        Seal::Closed
    }
}
