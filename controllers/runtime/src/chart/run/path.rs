//! Where in a chart something is.

use core::fmt;

/// A chart or a state, with those around it: `greet/up/`.
#[derive(Clone, Copy, Debug)]
pub struct StatePath<'p> {
    /// What is around it.
    pub outer: Option<&'p StatePath<'p>>,
    /// Its own name.
    pub name: &'p str,
}

impl fmt::Display for StatePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = self.outer {
            outer.fmt(f)?;
        }
        write!(f, "{}/", self.name)
    }
}
