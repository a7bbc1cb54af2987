//! Large values that are shared and never change: scans, images, pieces of maps.

use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Digest, Seal, State, StateVisitor};

/// A large value that is made once, shared, and never changed; its digest is taken once, when it is made.
///
/// A controller that remembers a map shows it to a hasher in every cycle and to a snapshot in every second. Sealed, it
/// costs one word to hash, and a snapshot that already has its contents need not save them again.
pub struct Sealed<T>(Arc<Contents<T>>);

#[derive(Debug)]
struct Contents<T> {
    digest: Digest,
    value: T,
}

impl<T: State> Sealed<T> {
    /// Seals a value.
    pub fn new(mut value: T) -> Sealed<T> {
        Sealed(Arc::new(Contents { digest: Digest::of(&mut value), value }))
    }
}

impl<T> Sealed<T> {
    /// The digest of the value.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// True if both are the very same value in memory.
    pub fn is_same(&self, other: &Sealed<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Clone> Sealed<T> {
    /// The value, to be changed and sealed again; copied only if somebody else holds it.
    pub fn open(self) -> T {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.value.clone(), |contents| contents.value)
    }
}

impl<T: State + Clone + Default> Sealed<T> {
    /// Changes the value, which is sealed again; copied only if somebody else holds it.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut value = core::mem::take(self).open();
        let result = change(&mut value);
        *self = Sealed::new(value);
        result
    }
}

impl<T> Deref for Sealed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T> Clone for Sealed<T> {
    fn clone(&self) -> Self {
        Sealed(Arc::clone(&self.0))
    }
}

impl<T: State + Default> Default for Sealed<T> {
    fn default() -> Self {
        Sealed::new(T::default())
    }
}

impl<T: fmt::Debug> fmt::Debug for Sealed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sealed").field(&self.0.digest).field(&self.0.value).finish()
    }
}

/// Equal digests are equal values: what else would a digest be for?
impl<T> PartialEq for Sealed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest
    }
}

impl<T: Serialize> Serialize for Sealed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.value.serialize(serializer)
    }
}

impl<'de, T: State + Deserialize<'de>> Deserialize<'de> for Sealed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Sealed::new)
    }
}

impl<T: State + Default + Clone> State for Sealed<T> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut digest = self.digest();
        match visitor.seal(&mut digest) {
            Seal::Closed => {}
            Seal::Open => {
                let mut value = self.0.value.clone();
                value.visit_state(visitor);
                let shown = Digest::of(&mut value);
                if shown != self.digest() {
                    *self = Sealed::new(value);
                }
            }
            Seal::Apart => {
                self.0.value.clone().visit_state(visitor);
                visitor.end_seal(digest);
            }
            Seal::Replace => {
                let mut value = T::default();
                value.visit_state(visitor);
                *self = Sealed::new(value);
                visitor.end_seal(self.digest());
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::{StateReader, StateWriter};

    #[test]
    fn a_sealed_value_is_saved_and_restored_word_for_word() {
        let mut map = Sealed::new(vec![1.0, 2.0, 3.0]);
        let saved = StateWriter::save(&mut map);
        let mut other: Sealed<Vec<f64>> = Sealed::default();
        StateReader::restore(&mut other, &saved).unwrap();
        assert_eq!((other.as_slice(), other.digest()), (map.as_slice(), map.digest()));
    }

    #[test]
    fn hashing_shows_one_word_and_tells_values_apart() {
        let (mut a, mut b) = (Sealed::new(vec![1.0; 1000]), Sealed::new(vec![1.0; 1000]));
        assert_eq!(Digest::of(&mut a), Digest::of(&mut b));
        let mut changed = b.clone().open();
        changed[500] = 2.0;
        b = Sealed::new(changed);
        assert_ne!(Digest::of(&mut a), Digest::of(&mut b));
    }
}
