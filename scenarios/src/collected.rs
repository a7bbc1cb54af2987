//! The results of many runs in one file, a line each.

use std::fs::{File, OpenOptions, create_dir_all};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::ScenarioError;
use crate::outcome::RunOutcome;

/// A file that grows by a line with each run, so that nothing is lost if a later one does not end.
#[derive(Debug)]
pub struct Collected {
    path: PathBuf,
    file: Mutex<File>,
}

impl Collected {
    /// Opens the file; what is in it stays.
    pub fn open(path: &Path) -> Result<Collected, ScenarioError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            create_dir_all(folder).map_err(|error| ScenarioError::file(folder, "create", &error))?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| ScenarioError::file(path, "open", &error))?;
        Ok(Collected { path: path.to_owned(), file: Mutex::new(file) })
    }

    /// Writes a run's line, all at once.
    pub fn add(&self, outcome: &RunOutcome) -> Result<(), ScenarioError> {
        let line = serde_json::to_string(outcome)
            .map_err(|error| ScenarioError::File { path: self.path.clone(), message: error.to_string() })?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all((line + "\n").as_bytes()).map_err(|error| ScenarioError::file(&self.path, "write", &error))
    }
}
