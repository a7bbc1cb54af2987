//! The one error of this crate: whatever was wrong with what somebody gave us.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a command could not do its work. The command line prints it and exits with 2.
#[derive(Debug, Error)]
pub enum ScenarioError {
    /// A scenario file is wrong.
    #[error(transparent)]
    Case(#[from] page::Fault),
    /// A file cannot be read or written.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried, and the system's answer.
        message: String,
    },
    /// A flag or argument makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The world's files are wrong.
    #[error(transparent)]
    World(#[from] worlds::WorldError),
    /// The robot's files are wrong.
    #[error(transparent)]
    Model(#[from] robot_model::ModelError),
    /// The simulation refuses.
    #[error(transparent)]
    Plant(#[from] plant::PlantError),
    /// The bus file is wrong, or the bus refuses.
    #[error(transparent)]
    Bus(#[from] hil::HilError),
    /// The mission is wrong.
    #[error(transparent)]
    Mission(#[from] mission::MissionError),
    /// The log is wrong.
    #[error(transparent)]
    Log(#[from] replay::LogError),
    /// Somebody else's recording is wrong.
    #[error(transparent)]
    Clouds(#[from] clouds::CloudError),
    /// The plug refuses.
    #[error(transparent)]
    Io(#[from] robot_io::IoError),
    /// The viewer cannot be shown.
    #[error(transparent)]
    Station(#[from] station::StationError),
}

impl ScenarioError {
    /// An error about a file, in the system's words.
    pub fn file(path: &Path, tried: &str, error: &std::io::Error) -> ScenarioError {
        ScenarioError::File { path: path.to_owned(), message: format!("cannot {tried}: {error}") }
    }
}
