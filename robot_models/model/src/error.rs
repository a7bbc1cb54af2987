//! What can be wrong with a robot's files.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Why a robot was refused.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },

    /// A file is of a sort that is not read here.
    #[error("{}: expected {expected}, found {found}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What would have been right.
        expected: String,
        /// What is there.
        found: String,
    },

    /// A file says something that cannot be.
    #[error(transparent)]
    File(#[from] page::Fault),

    /// Links and joints do not form a tree (only for trees that are not read from a file).
    #[error("{what}: expected {expected}, found {found}")]
    Tree {
        /// Which link or joint, by name.
        what: String,
        /// What would have been right.
        expected: String,
        /// What is there.
        found: String,
    },

    /// A state to evaluate does not fit the robot.
    #[error("{state}: {field}: expected {expected}, found {found}")]
    State {
        /// The state's file name.
        state: String,
        /// Which field.
        field: String,
        /// What would have been right.
        expected: String,
        /// What is there.
        found: String,
    },

    /// The robot has no inertia against which an effort could be accelerated.
    #[error(
        "joint \"{joint}\": expected inertia against its motion, found {found} (massless links cannot be accelerated)"
    )]
    Singular {
        /// Name of the joint, or `base`.
        joint: String,
        /// The inertia that was found [kg·m² or kg].
        found: f64,
    },
}

impl ModelError {
    /// Refuses what stands in `line` of `file`.
    pub fn refused(
        file: impl Into<String>,
        line: usize,
        what: impl Display,
        expected: impl Display,
        found: impl Display,
    ) -> ModelError {
        ModelError::File(page::Fault::of_field(file, line, what, expected, found))
    }

    /// Refuses a file as a whole.
    pub fn format(path: &Path, expected: impl Display, found: impl Display) -> ModelError {
        ModelError::Format { path: path.into(), expected: expected.to_string(), found: found.to_string() }
    }

    /// Refuses a tree.
    pub(crate) fn tree(what: &str, expected: impl Display, found: impl Display) -> ModelError {
        ModelError::Tree { what: what.into(), expected: expected.to_string(), found: found.to_string() }
    }
}
