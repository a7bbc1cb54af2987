//! A lossless packing of state words: each is predicted from the last two messages, and only what differs is kept.
//!
//! Most words of a cycle repeat (gains, temperatures, names of status) or advance evenly (time stamps); noisy
//! measurements keep sign, exponent and the first digits. So a word is predicted to repeat, or, once it has advanced by
//! the same integer twice, to go on advancing. What is kept is the exclusive or of word and prediction without its
//! leading and trailing zero bytes. SPEC.md has the layout.

/// The message stands alone: all predictions are zero.
const KEY: u8 = 1;
/// The message continues the one before it.
const FOLLOW: u8 = 0;
/// Words per mask byte.
const GROUP: usize = 8;
/// The kind and the count of words.
const HEAD: usize = 5;

/// What both ends expect of the next message.
#[derive(Clone, Debug, Default)]
struct Predictor {
    last: Vec<u64>,
    step: Vec<u64>,
    expected: Vec<u64>,
}

impl Predictor {
    fn clear(&mut self) {
        self.last.clear();
        self.step.clear();
        self.expected.clear();
    }

    fn resize(&mut self, words: usize) {
        self.last.resize(words, 0);
        self.step.resize(words, 0);
        self.expected.resize(words, 0);
    }

    /// Takes note of a word: one that has advanced twice by the same step is expected to go on.
    #[inline]
    fn learn(&mut self, index: usize, word: u64) {
        let step = word.wrapping_sub(self.last[index]);
        let steady = step == self.step[index];
        self.expected[index] = if steady { word.wrapping_add(step) } else { word };
        self.step[index] = step;
        self.last[index] = word;
    }
}

/// Packs messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordPacker {
    predictor: Predictor,
    key_next: bool,
}

impl WordPacker {
    /// A packer for messages of `words` words.
    pub(crate) fn new(words: usize) -> WordPacker {
        let mut packer = WordPacker { key_next: true, ..WordPacker::default() };
        packer.predictor.resize(words);
        packer
    }

    /// Makes the next message stand alone.
    pub(crate) fn restart(&mut self) {
        self.key_next = true;
    }

    /// Appends one message to `out`.
    pub(crate) fn pack(&mut self, words: &[u64], out: &mut Vec<u8>) {
        let key = std::mem::take(&mut self.key_next);
        if key {
            self.predictor.clear();
        }
        self.predictor.resize(words.len());
        out.push(if key { KEY } else { FOLLOW });
        out.extend_from_slice(&(words.len() as u32).to_le_bytes());
        for (group, chunk) in words.chunks(GROUP).enumerate() {
            let mask_at = out.len();
            let mut mask = 0;
            out.push(0);
            for (bit, &word) in chunk.iter().enumerate() {
                let index = group * GROUP + bit;
                let surprise = word ^ self.predictor.expected[index];
                if surprise != 0 {
                    mask |= 1 << bit;
                    pack_word(surprise, out);
                }
                self.predictor.learn(index, word);
            }
            out[mask_at] = mask;
        }
    }
}

/// A head byte with the number of low zero bytes (high nibble) and of kept bytes (low nibble), and the kept bytes.
#[inline]
fn pack_word(surprise: u64, out: &mut Vec<u8>) {
    let skipped = surprise.trailing_zeros() / 8;
    let kept = 8 - skipped - surprise.leading_zeros() / 8;
    let mut bytes = [0; 9];
    bytes[0] = (skipped << 4 | kept) as u8;
    bytes[1..].copy_from_slice(&(surprise >> (8 * skipped)).to_le_bytes());
    out.extend_from_slice(&bytes[..=kept as usize]);
}

/// Unpacks what a [`WordPacker`] packed, message after message from one that stands alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordUnpacker {
    predictor: Predictor,
    started: bool,
}

impl WordUnpacker {
    /// The words of one message; the error says what was expected and what was found.
    pub(crate) fn unpack(&mut self, message: &[u8]) -> Result<&[u64], (String, String)> {
        let Some((head, mut rest)) = message.split_first_chunk::<HEAD>() else {
            return Err((format!("at least {HEAD} bytes"), format!("{} bytes", message.len())));
        };
        let words = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if words.div_ceil(GROUP) > rest.len() {
            return Err((format!("{words} words"), format!("{} bytes", rest.len())));
        }
        self.begin(head[0])?;
        self.predictor.resize(words);
        for first in (0..words).step_by(GROUP) {
            let mask = take(&mut rest, 1)?[0];
            for index in first..words.min(first + GROUP) {
                let surprise = if mask & 1 << (index - first) != 0 { unpack_word(&mut rest)? } else { 0 };
                let word = self.predictor.expected[index] ^ surprise;
                self.predictor.learn(index, word);
            }
        }
        match rest.len() {
            0 => Ok(&self.predictor.last),
            surplus => Err(("the end of the message".to_owned(), format!("{surplus} more bytes"))),
        }
    }

    fn begin(&mut self, kind: u8) -> Result<(), (String, String)> {
        match (kind, self.started) {
            (KEY, _) => self.predictor.clear(),
            (FOLLOW, true) => {}
            (FOLLOW, false) => {
                return Err(("a message that stands alone".to_owned(), "one that continues another".to_owned()));
            }
            (kind, _) => return Err(("message kind 0 or 1".to_owned(), kind.to_string())),
        }
        self.started = true;
        Ok(())
    }
}

fn unpack_word(rest: &mut &[u8]) -> Result<u64, (String, String)> {
    let head = take(rest, 1)?[0];
    let (skipped, kept) = (usize::from(head >> 4), usize::from(head & 15));
    if kept == 0 || skipped + kept > 8 {
        return Err(("1 to 8 kept bytes".to_owned(), format!("{kept} after {skipped} skipped")));
    }
    let mut bytes = [0; 8];
    bytes[skipped..skipped + kept].copy_from_slice(take(rest, kept)?);
    Ok(u64::from_le_bytes(bytes))
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], (String, String)> {
    let Some((taken, left)) = rest.split_at_checked(count) else {
        return Err((format!("{count} more bytes"), format!("{} bytes", rest.len())));
    };
    *rest = left;
    Ok(taken)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_messages_come_back_to_the_bit(messages in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..40), 1..8)) {
            let (mut packer, mut unpacker) = (WordPacker::new(3), WordUnpacker::default());
            for (index, words) in messages.iter().enumerate() {
                if index % 3 == 2 {
                    packer.restart();
                }
                let mut packed = Vec::new();
                packer.pack(words, &mut packed);
                prop_assert_eq!(unpacker.unpack(&packed).unwrap(), words.as_slice());
            }
        }

        #[test]
        fn foreign_bytes_are_refused_or_read_but_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut unpacker = WordUnpacker::default();
            if let Ok(words) = unpacker.unpack(&bytes) {
                prop_assert!(words.len() <= 8 * bytes.len());
            }
        }
    }

    #[test]
    fn constants_and_even_steps_cost_one_bit_a_word() {
        let mut packer = WordPacker::new(64);
        let mut packed = Vec::new();
        for cycle in 0..4_u64 {
            packed.clear();
            let words: Vec<u64> = (0..64).map(|word| if word % 2 == 0 { cycle * 4_000_000 } else { word }).collect();
            packer.pack(&words, &mut packed);
        }
        assert_eq!(packed.len(), HEAD + 64 / GROUP);
    }
}
