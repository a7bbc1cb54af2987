//! What the operating system's libraries expect of the environment.
#![allow(unsafe_code, reason = "the environment is the operating system's, and shared by all threads")]

use std::env;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::{ScenarioError, terminal};

/// What ships is called so.
const CHIRON: &str = "chiron";
/// How this program was called, if it is somebody else's.
static CALLED: OnceLock<String> = OnceLock::new();

/// How this program is called, for commands that a person can type again: `chiron`, or the path of somebody else's.
pub(crate) fn called() -> &'static str {
    CALLED.get().map_or(CHIRON, String::as_str)
}

/// Takes note of how a program of somebody else's was called.
pub(crate) fn note_name() {
    let path = env::args_os().next().map(PathBuf::from).unwrap_or_default();
    if path.file_stem().is_some_and(|name| name != CHIRON) {
        CALLED.get_or_init(|| path.display().to_string());
    }
}

/// The folder of a session's sockets.
const RUNTIME_FOLDER: &str = "XDG_RUNTIME_DIR";

/// Names a folder for sockets where the session has none, as in a container or under `cron`: without one libwayland, which graphics
/// drivers ask, prints errors although nothing is wrong.
///
/// To be called before there is a second thread.
pub fn complete() {
    if session_folder().is_none() {
        // whoever needs the folder is told why there is none
        if let Ok(folder) = runtime_folder() {
            // SAFETY: there is no other thread yet that could read the environment
            unsafe { env::set_var(RUNTIME_FOLDER, folder) };
        }
    }
}

/// Where the sockets of this user's runs are; nobody else may look in.
pub(crate) fn runtime_folder() -> Result<PathBuf, ScenarioError> {
    let path = match session_folder() {
        Some(session) => session.join("chiron"),
        None => env::temp_dir().join(format!("chiron-{}", terminal::user())),
    };
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.map_err(|error| ScenarioError::file(&path, "create", &error))?;
    let owner = fs::metadata(&path).map_err(|error| ScenarioError::file(&path, "look at", &error))?;
    if owner.uid() != terminal::user() || owner.mode() & 0o077 != 0 {
        let message = "expected a folder that is this user's alone, found one that others may use".to_owned();
        return Err(ScenarioError::File { path, message });
    }
    Ok(path)
}

fn session_folder() -> Option<PathBuf> {
    env::var_os(RUNTIME_FOLDER).map(PathBuf::from).filter(|path| path.is_absolute() && path.is_dir())
}
