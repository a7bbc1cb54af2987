//! What tells two states apart.

use core::fmt;

use serde::{Deserialize, Serialize};

/// The digest of a component's complete state in one cycle. Two runs are the same if and only if it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest(pub u64);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
