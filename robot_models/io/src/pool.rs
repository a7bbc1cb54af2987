//! Saved states that share the contents of their sealed values.
//!
//! A state is saved as words in which each [sealed](crate::Sealed) value is one word, its digest. The contents go into a
//! [`Pool`], each once: a snapshot that follows another shares with it everything that has not changed since.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Digest, IoError, Seal, State, StateVisitor};

/// A saved state, or the contents of a sealed value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Its words, little-endian, with the digest in place of each sealed value.
    pub words: Arc<[u8]>,
    /// The sealed values directly in it.
    pub parts: Arc<[Digest]>,
}

/// The contents of sealed values, by digest. Cheap to clone: contents are shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    contents: BTreeMap<Digest, Saved>,
}

impl Pool {
    /// The contents of a sealed value.
    pub fn get(&self, digest: Digest) -> Option<&Saved> {
        self.contents.get(&digest)
    }

    /// Adds contents, whoever vouches for them: restoring checks.
    pub fn insert(&mut self, digest: Digest, contents: Saved) {
        self.contents.insert(digest, contents);
    }

    /// Adds all contents of another pool.
    pub fn extend(&mut self, other: &Pool) {
        self.contents.extend(other.iter().map(|(digest, contents)| (digest, contents.clone())));
    }

    /// All contents, in the order of their digests.
    pub fn iter(&self) -> impl Iterator<Item = (Digest, &Saved)> {
        self.contents.iter().map(|(digest, contents)| (*digest, contents))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.contents.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// Restores a state whose sealed values are in this pool. A sealed value that is still the saved one stays as it is.
    pub fn restore(&self, state: &mut dyn State, saved: &Saved) -> Result<(), IoError> {
        let mut restorer = Restorer { pool: self, around: Vec::new(), now: Reading::of(None, saved), failed: None };
        state.visit_state(&mut restorer);
        match restorer.failed {
            Some(error) => Err(error),
            None => restorer.now.check(),
        }
    }
}

/// Saves states that belong together, and gathers the contents of all that is sealed in them.
#[derive(Debug)]
pub struct Keeper<'a> {
    known: &'a Pool,
    kept: Pool,
    around: Vec<Writing>,
    now: Writing,
}

/// What is being written: the outermost state, or a sealed value in it.
#[derive(Debug, Default)]
struct Writing {
    words: Vec<u8>,
    parts: Vec<Digest>,
}

impl From<Writing> for Saved {
    fn from(writing: Writing) -> Saved {
        Saved { words: writing.words.into(), parts: writing.parts.into() }
    }
}

impl<'a> Keeper<'a> {
    /// A keeper that need not save again what is in `known`, for example the pool of the last snapshot.
    pub fn new(known: &'a Pool) -> Keeper<'a> {
        Keeper { known, kept: Pool::default(), around: Vec::new(), now: Writing::default() }
    }

    /// The saved state of one component.
    pub fn save(&mut self, state: &mut dyn State) -> Saved {
        state.visit_state(self);
        core::mem::take(&mut self.now).into()
    }

    /// Keeps what a state that was saved earlier refers to, out of the pool that it was saved with.
    pub fn keep(&mut self, saved: &Saved, from: &Pool) {
        saved.parts.iter().for_each(|part| self.adopt(*part, from));
    }

    /// Everything that the saved states refer to, and nothing else.
    pub fn finish(self) -> Pool {
        self.kept
    }

    fn adopt(&mut self, digest: Digest, from: &Pool) {
        if self.kept.contents.contains_key(&digest) {
            return;
        }
        if let Some(contents) = from.get(digest) {
            self.kept.insert(digest, contents.clone());
            self.keep(contents, from);
        }
    }
}

impl StateVisitor for Keeper<'_> {
    fn word(&mut self, bits: &mut u64) {
        self.now.words.extend_from_slice(&bits.to_le_bytes());
    }

    fn seal(&mut self, digest: &mut Digest) -> Seal {
        self.word(&mut digest.0);
        self.now.parts.push(*digest);
        let known = self.known;
        self.adopt(*digest, known);
        if self.kept.contents.contains_key(digest) {
            return Seal::Closed;
        }
        self.around.push(core::mem::take(&mut self.now));
        Seal::Apart
    }

    fn end_seal(&mut self, digest: Digest) {
        let around = self.around.pop().unwrap_or_default();
        let contents = core::mem::replace(&mut self.now, around);
        self.kept.insert(digest, contents.into());
    }
}

struct Restorer<'a> {
    pool: &'a Pool,
    around: Vec<Reading<'a>>,
    now: Reading<'a>,
    failed: Option<IoError>,
}

/// What is being read: the outermost state, or the sealed value with a digest.
struct Reading<'a> {
    digest: Option<Digest>,
    rest: &'a [u8],
    missing: usize,
}

impl<'a> Reading<'a> {
    fn of(digest: Option<Digest>, saved: &'a Saved) -> Reading<'a> {
        Reading { digest, rest: &saved.words, missing: 0 }
    }

    /// All that was saved must have been taken.
    fn check(&self) -> Result<(), IoError> {
        match self.missing as i64 {
            0 if self.rest.is_empty() => Ok(()),
            missing => Err(IoError::Snapshot { surplus_bytes: self.rest.len() as i64 - missing }),
        }
    }
}

impl StateVisitor for Restorer<'_> {
    fn word(&mut self, bits: &mut u64) {
        match self.now.rest.split_first_chunk::<8>() {
            Some((word, rest)) => {
                *bits = u64::from_le_bytes(*word);
                self.now.rest = rest;
            }
            None => self.now.missing += 8,
        }
    }

    fn seal(&mut self, digest: &mut Digest) -> Seal {
        let mut wanted = *digest;
        self.word(&mut wanted.0);
        if wanted == *digest || self.failed.is_some() {
            return Seal::Closed;
        }
        let Some(contents) = self.pool.get(wanted) else {
            self.failed = Some(IoError::Contents { expected: wanted, found: None });
            return Seal::Closed;
        };
        let around = core::mem::replace(&mut self.now, Reading::of(Some(wanted), contents));
        self.around.push(around);
        Seal::Replace
    }

    fn end_seal(&mut self, digest: Digest) {
        let Some(around) = self.around.pop() else { return };
        let read = core::mem::replace(&mut self.now, around);
        let same = match read.digest {
            Some(expected) if expected != digest => Err(IoError::Contents { expected, found: Some(digest) }),
            _ => Ok(()),
        };
        let sound = read.check().and(same);
        self.failed = self.failed.take().or(sound.err());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::Sealed;

    /// A map of parts, all of it sealed, as a controller remembers one.
    type Map = Sealed<Vec<Sealed<Vec<f64>>>>;

    #[derive(Default)]
    struct Memory {
        mood: f64,
        map: Map,
        views: Vec<Sealed<Vec<f64>>>,
    }

    impl State for Memory {
        fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
            visitor.field("mood", &mut self.mood);
            visitor.field("map", &mut self.map);
            visitor.field("views", &mut self.views);
        }
    }

    fn part(number: usize) -> Sealed<Vec<f64>> {
        Sealed::new(vec![number as f64; 100])
    }

    fn memory(parts: usize) -> Memory {
        let map = Sealed::new((0..parts).map(part).collect());
        Memory { mood: 0.5, map, views: vec![part(0), part(100)] }
    }

    fn save(memory: &mut Memory, known: &Pool) -> (Saved, Pool) {
        let mut keeper = Keeper::new(known);
        let saved = keeper.save(memory);
        (saved, keeper.finish())
    }

    #[test]
    fn what_was_saved_comes_back_with_its_sealed_values() {
        let mut before = memory(5);
        let (saved, pool) = save(&mut before, &Pool::default());
        let mut after = Memory::default();
        pool.restore(&mut after, &saved).unwrap();
        assert_eq!((after.mood, after.map.digest(), after.views), (0.5, before.map.digest(), before.views));
        assert_eq!(after.map[3].as_slice(), before.map[3].as_slice());
        assert_eq!(saved.words.len(), 8 * (1 + 1 + 1 + 2), "mood, map, number of views, views");
    }

    #[test]
    fn the_next_snapshot_shares_what_has_not_changed_and_drops_what_is_gone() {
        let (_, first) = save(&mut memory(5), &Pool::default());
        let mut changed = memory(5);
        let mut parts = changed.map.clone().open();
        parts[2] = part(77);
        changed.map = Sealed::new(parts);
        let (_, second) = save(&mut changed, &first);
        assert_eq!((first.len(), second.len()), (7, 7), "a map, five parts, a view of its own");
        let is_new = |digest: &Digest| first.get(*digest).is_none();
        assert_eq!(second.iter().filter(|(digest, _)| is_new(digest)).count(), 2, "the part and the map that lists it");
        let shared = part(1).digest();
        assert!(Arc::ptr_eq(&first.get(shared).unwrap().words, &second.get(shared).unwrap().words));
        assert!(second.get(part(2).digest()).is_none());
    }

    #[test]
    fn a_sealed_value_that_is_still_the_same_is_not_built_again() {
        let mut memory = memory(5);
        let (saved, pool) = save(&mut memory, &Pool::default());
        let kept = memory.map.clone();
        memory.mood = 2.0;
        pool.restore(&mut memory, &saved).unwrap();
        assert!(memory.map.is_same(&kept) && memory.mood == 0.5);
    }

    #[test]
    fn missing_and_changed_contents_are_named_by_their_digest() {
        let mut before = memory(3);
        let (saved, pool) = save(&mut before, &Pool::default());
        let digest = part(1).digest();
        let mut without = pool.clone();
        without.contents.remove(&digest);
        let error = without.restore(&mut Memory::default(), &saved).unwrap_err();
        assert_eq!(error, IoError::Contents { expected: digest, found: None });
        assert!(error.to_string().ends_with(&format!("the sealed value {digest}, found none")), "{error}");
        let mut changed = pool.clone();
        changed.insert(digest, pool.get(part(2).digest()).unwrap().clone());
        let error = changed.restore(&mut Memory::default(), &saved).unwrap_err();
        assert_eq!(error, IoError::Contents { expected: digest, found: Some(part(2).digest()) });
    }

    #[test]
    fn a_saved_state_that_is_too_long_or_short_is_refused() {
        let (saved, pool) = save(&mut memory(2), &Pool::default());
        let cut = |words: &[u8]| Saved { words: words.into(), ..saved.clone() };
        let short = pool.restore(&mut Memory::default(), &cut(&saved.words[..saved.words.len() - 8]));
        let long = pool.restore(&mut Memory::default(), &cut(&[&saved.words[..], &[0; 16]].concat()));
        assert_eq!(short, Err(IoError::Snapshot { surplus_bytes: -8 }));
        assert_eq!(long, Err(IoError::Snapshot { surplus_bytes: 16 }));
    }

    #[test]
    fn what_was_saved_earlier_is_kept_with_all_it_refers_to() {
        let (saved, pool) = save(&mut memory(4), &Pool::default());
        let nothing = Pool::default();
        let mut keeper = Keeper::new(&nothing);
        keeper.keep(&saved, &pool);
        assert_eq!(keeper.finish(), pool);
    }
}
