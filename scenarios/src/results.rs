//! Where a run leaves what comes of it, without harm to what is there.

use std::fs;
use std::path::{Path, PathBuf};

use replay::Partial;

use crate::ScenarioError;

const LOG: &str = "run.mcap";
const METRICS: &str = "metrics.json";
const REPORT: &str = "report.html";

/// The folder of a run's results. Each result is written beside its place and takes it when it is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    folder: PathBuf,
    /// The folder without a number, if nobody has chosen another.
    numbered: Option<PathBuf>,
    force: bool,
}

impl Results {
    /// Decides where the results of a scenario go; nothing is created yet. A folder that somebody names must be without
    /// results, unless they are to be replaced (`force`). Without one it is `out/CASE`, or if that exists `out/CASE-2` and
    /// so on.
    pub fn place(named: Option<&Path>, case: &str, force: bool) -> Result<Results, ScenarioError> {
        let usual = Path::new("out").join(case);
        let (folder, numbered) = match named {
            Some(folder) => (folder.to_owned(), None),
            None if force => (usual, None),
            None => (free(&usual), Some(usual)),
        };
        let wrong = |message: String| Err(ScenarioError::File { path: folder.clone(), message });
        if folder.exists() && !folder.is_dir() {
            return wrong("expected a folder for the results, found a file".to_owned());
        }
        match first_result(&folder) {
            Some(found) if !force => wrong(format!(
                "expected a folder without results, found {}; name another with --out, or replace them with --force",
                found.display()
            )),
            _ => Ok(Results { folder, numbered, force }),
        }
    }

    /// Creates the folder. Of several runs that begin at once each gets one of its own, if nobody has named it.
    pub fn create(&mut self) -> Result<(), ScenarioError> {
        let failed = |folder: &Path, error| Err(ScenarioError::file(folder, "create", &error));
        let Some(usual) = &self.numbered else {
            return fs::create_dir_all(&self.folder).or_else(|error| failed(&self.folder, error));
        };
        if let Some(parent) = usual.parent() {
            fs::create_dir_all(parent).or_else(|error| failed(parent, error))?;
        }
        loop {
            match fs::create_dir(&self.folder) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => self.folder = free(usual),
                created => return created.or_else(|error| failed(&self.folder, error)),
            }
        }
    }

    /// Takes the folder away again if nothing is in it.
    pub fn abandon(&self) {
        drop(fs::remove_dir(&self.folder));
    }

    /// Removes what earlier runs have left in a folder whose results are replaced, once the new ones are whole: a log if this
    /// run has none, and logs of runs that did not end.
    pub fn remove_old(&self, has_log: bool) {
        let old = Partial::left_behind(&self.folder, LOG);
        let log = (!has_log).then(|| self.log());
        for path in old.into_iter().chain(log).filter(|_| self.force) {
            drop(fs::remove_file(path));
        }
    }

    /// Why the results are not where they usually are, if they are not.
    pub fn remark(&self) -> Option<String> {
        let usual = self.numbered.as_ref().filter(|usual| **usual != self.folder)?;
        Some(format!("{} exists: the results go to {}", usual.display(), self.folder.display()))
    }

    /// The folder.
    #[cfg(feature = "viewer")]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The log.
    pub fn log(&self) -> PathBuf {
        self.folder.join(LOG)
    }

    /// Checks, metrics and digest for scripts.
    pub fn metrics(&self) -> PathBuf {
        self.folder.join(METRICS)
    }

    /// The page for people.
    pub fn report(&self) -> PathBuf {
        self.folder.join(REPORT)
    }
}

/// Writes a file in one step, with the folders above it: it is there as a whole, or what was there before.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ScenarioError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| ScenarioError::file(folder, "create", &error))?;
    }
    Partial::write(path, bytes).map_err(|error| ScenarioError::file(path, "write", &error))
}

/// An error if nothing can be written to `path`, told before the work begins whose result it is.
pub fn expect_writable(path: Option<&PathBuf>, flag: &str) -> Result<(), ScenarioError> {
    let Some(path) = path else { return Ok(()) };
    let above = path.ancestors().skip(1).find(|folder| folder.exists() && !folder.as_os_str().is_empty());
    let found = match above {
        _ if path.is_dir() => "a folder".to_owned(),
        Some(folder) if !folder.is_dir() => format!("{}, which is no folder", folder.display()),
        _ => return Ok(()),
    };
    Err(ScenarioError::File {
        path: path.clone(),
        message: format!("{flag}: expected a place for a file, found {found}"),
    })
}

/// The first of `folder`, `folder-2`, `folder-3` … that does not exist.
fn free(folder: &Path) -> PathBuf {
    let name = |number: u64| {
        let mut name = folder.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    };
    let more = (2..).map(name);
    std::iter::once(folder.to_owned()).chain(more).find(|folder| !folder.exists()).unwrap_or_else(|| folder.to_owned())
}

/// A result that is in a folder, also one of a run that did not end.
fn first_result(folder: &Path) -> Option<PathBuf> {
    let whole = [LOG, METRICS, REPORT].map(|name| folder.join(name)).into_iter().find(|path| path.exists());
    whole.or_else(|| Partial::left_behind(folder, LOG).into_iter().next())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn of_several_runs_each_gets_a_folder_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let usual = folder.path().join("case");
        let place = || Results { folder: free(&usual), numbered: Some(usual.clone()), force: false };
        let (mut first, mut second) = (place(), place());
        first.create().unwrap();
        second.create().unwrap();
        assert_eq!((&first.folder, first.remark()), (&usual, None));
        assert_eq!(second.folder, folder.path().join("case-2"));
        assert!(second.remark().unwrap().ends_with("case-2"));
    }

    #[test]
    fn a_folder_with_results_is_refused_and_with_force_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let place = |force| Results::place(Some(folder.path()), "case", force);
        place(false).unwrap();
        fs::write(folder.path().join("run.mcap.partial"), "").unwrap();
        let message = place(false).unwrap_err().to_string();
        assert!(message.contains("expected a folder without results") && message.contains("--force"), "{message}");
        let replaced = place(true).unwrap();
        fs::write(replaced.log(), "").unwrap();
        replaced.remove_old(true);
        assert_eq!(first_result(folder.path()), Some(replaced.log()));
        replaced.remove_old(false);
        assert_eq!(first_result(folder.path()), None);
    }
}
