//! A controller that is made of parts, as the session sees them.

use core::any::Any;
use core::fmt;

use crate::deadline::TaskBoard;
use crate::{JointCommand, Readings, Time};

/// The last words of what breaks because a scenario asks for it.
pub const ASKED_TO_BREAK: &str = "because the scenario asks for it";

/// What a panic said.
pub fn last_words(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}

/// The parts of a controller that is made of some: each can be started and stopped by itself, can break by itself, and can do again
/// alone what it did in a run, from what it noted then.
pub trait Parts {
    /// Their names, in the order in which they were added.
    fn names(&mut self) -> Vec<&str>;

    /// The part that broke first without being asked to, and when. A controller may go on without it, but a run in which something broke has failed.
    fn first_broken(&mut self) -> Option<(&str, Time)>;

    /// Lets a part break as if it had panicked, because a scenario asks for it; false if there is no such part.
    fn break_now(&mut self, part: &str) -> bool;

    /// From now on each update is noted, or no longer.
    fn note(&mut self, notes: bool);

    /// What the parts read and wrote in the last update, in words that only they understand; nothing if it is not noted.
    fn notes(&self) -> &[u64];

    /// Lets one part alone do again what it did in a cycle, by the `notes` of then; the others stand still. `told` are the joints'
    /// commands of the cycle before, where there was one. Says how often the part was called.
    fn redo(
        &mut self,
        part: &str,
        readings: &Readings,
        told: Option<&[JointCommand]>,
        notes: &[u64],
        board: &mut dyn TaskBoard,
    ) -> Result<usize, NotTheSame>;
}

/// What a part did otherwise than in its notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotTheSame {
    /// There is no such part.
    Unknown {
        /// Those that there are.
        known: Vec<String>,
    },
    /// The parts of this controller do their work together, and do it again together.
    Together,
    /// The notes are of another controller, or broken.
    Notes {
        /// What they should say.
        expected: String,
        /// What they say.
        found: String,
    },
    /// It did something else: where that shows, for people.
    Differs(&'static str),
}

impl core::error::Error for NotTheSame {}

impl fmt::Display for NotTheSame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotTheSame::Unknown { known } => write!(f, "expected one of {}", known.join(", ")),
            NotTheSame::Together => f.write_str(
                "expected a component that stands by itself; the parts of this controller are computed again together (--controllers-only)",
            ),
            NotTheSame::Notes { expected, found } => {
                write!(f, "notes of components: expected {expected}, found {found}")
            }
            NotTheSame::Differs(what) => write!(f, "{what} differs"),
        }
    }
}
