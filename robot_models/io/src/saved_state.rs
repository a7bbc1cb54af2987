//! States that are saved, restored and compared.

use core::fmt;

use crate::{IoError, State, StateVisitor};

/// Saves state as little-endian words.
#[derive(Debug, Default)]
pub struct StateWriter {
    /// What has been saved so far.
    pub bytes: Vec<u8>,
}

impl StateWriter {
    /// The saved state of one component.
    pub fn save(state: &mut dyn State) -> Vec<u8> {
        let mut writer = StateWriter::default();
        state.visit_state(&mut writer);
        writer.bytes
    }
}

impl StateVisitor for StateWriter {
    fn word(&mut self, bits: &mut u64) {
        self.bytes.extend_from_slice(&bits.to_le_bytes());
    }
}

/// Restores what a [`StateWriter`] saved.
#[derive(Debug)]
pub struct StateReader<'a> {
    rest: &'a [u8],
    missing: usize,
}

impl<'a> StateReader<'a> {
    /// Restores one component; the error says by how many bytes the saved state is too short (negative) or too long.
    pub fn restore(state: &mut dyn State, saved: &'a [u8]) -> Result<(), IoError> {
        let mut reader = StateReader { rest: saved, missing: 0 };
        state.visit_state(&mut reader);
        match reader.missing as i64 {
            0 if reader.rest.is_empty() => Ok(()),
            missing => Err(IoError::Snapshot { surplus_bytes: reader.rest.len() as i64 - missing }),
        }
    }
}

impl StateVisitor for StateReader<'_> {
    fn word(&mut self, bits: &mut u64) {
        match self.rest.split_first_chunk::<8>() {
            Some((word, rest)) => {
                *bits = u64::from_le_bytes(*word);
                self.rest = rest;
            }
            None => self.missing += 8,
        }
    }
}

/// Where two states part: the path of the field and both values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDifference {
    /// The path of the field, outermost component first, for example `drive/steering/2`.
    pub field: String,
    /// The saved bits, `None` if the saved state ends before this field.
    pub saved_bits: Option<u64>,
    /// The bits now.
    pub now_bits: u64,
}

impl fmt::Display for StateDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = f64::from_bits(self.now_bits);
        match self.saved_bits {
            Some(saved) => {
                let was = f64::from_bits(saved);
                write!(f, "{}: recorded {was:e} ({saved:#018x}), now {now:e} ({:#018x})", self.field, self.now_bits)
            }
            None => write!(f, "{}: not in the recording, now {now:e} ({:#018x})", self.field, self.now_bits),
        }
    }
}

/// The first field in which `state` differs from what was `saved`; `None` if there is none.
pub fn first_difference(state: &mut dyn State, saved: &[u8]) -> Option<StateDifference> {
    let mut comparer = Comparer { saved, path: Vec::new(), words_in_field: 0, found: None };
    state.visit_state(&mut comparer);
    comparer.found
}

struct Comparer<'a> {
    saved: &'a [u8],
    path: Vec<String>,
    words_in_field: usize,
    found: Option<StateDifference>,
}

impl StateVisitor for Comparer<'_> {
    fn word(&mut self, bits: &mut u64) {
        let index = self.words_in_field;
        self.words_in_field += 1;
        let recorded = self.saved.split_first_chunk::<8>();
        let saved_bits = recorded.map(|(word, _)| u64::from_le_bytes(*word));
        self.saved = recorded.map_or(&[], |(_, rest)| rest);
        if self.found.is_none() && saved_bits != Some(*bits) {
            let field = format!("{}[{index}]", self.path.join("/"));
            self.found = Some(StateDifference { field, saved_bits, now_bits: *bits });
        }
    }

    fn enter(&mut self, name: &str) {
        self.path.push(name.to_owned());
        self.words_in_field = 0;
    }

    fn leave(&mut self) {
        self.path.pop();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Default)]
    struct Leg {
        angle: f64,
        samples: Vec<f64>,
        fault: Option<u64>,
    }

    impl State for Leg {
        fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
            visitor.field("angle", &mut self.angle);
            visitor.field("samples", &mut self.samples);
            visitor.field("fault", &mut self.fault);
        }
    }

    fn leg() -> Leg {
        Leg { angle: -0.25, samples: vec![1.0, 2.0], fault: Some(7) }
    }

    #[test]
    fn what_was_saved_comes_back_to_the_bit() {
        let saved = StateWriter::save(&mut leg());
        let mut restored = Leg::default();
        StateReader::restore(&mut restored, &saved).unwrap();
        assert_eq!(restored, leg());
    }

    #[test]
    fn a_short_or_long_snapshot_is_refused_with_the_number_of_bytes() {
        let mut saved = StateWriter::save(&mut leg());
        saved.truncate(saved.len() - 8);
        let short = StateReader::restore(&mut Leg::default(), &saved).unwrap_err();
        assert_eq!(short, crate::IoError::Snapshot { surplus_bytes: -8 });
        saved.extend_from_slice(&[0; 24]);
        let long = StateReader::restore(&mut Leg::default(), &saved).unwrap_err();
        assert_eq!(long, crate::IoError::Snapshot { surplus_bytes: 16 });
    }

    #[test]
    fn one_flipped_bit_is_named_by_field_and_index() {
        let saved = StateWriter::save(&mut leg());
        let mut other = leg();
        other.samples[1] = f64::from_bits(2.0_f64.to_bits() ^ 1);
        let difference = first_difference(&mut other, &saved).unwrap();
        assert_eq!(difference.field, "samples[2]", "index 0 is the length");
        assert_eq!(difference.saved_bits, Some(2.0_f64.to_bits()));
        assert_eq!(first_difference(&mut leg(), &saved), None);
    }
}
