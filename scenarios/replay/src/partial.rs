//! Files that get their name once they are whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What the name of a file ends with that is still being written, or whose writer was killed.
pub const PARTIAL: &str = "partial";

/// A file under way: it stands beside its target as `TARGET.partial` and takes the target's place in one step when it is
/// whole. So nothing that exists is ever cut, not even what is being read, and a killed program leaves what it had
/// written under a name that says so.
#[derive(Debug)]
pub struct Partial {
    target: PathBuf,
    /// `None` for what is no ordinary file, such as a device, which is written as it is.
    temporary: Option<PathBuf>,
}

impl Partial {
    /// Creates the file beside `target`. Where another is under way, it is `TARGET.2.partial` and so on.
    pub fn create(target: &Path) -> io::Result<(File, Partial)> {
        // a link keeps pointing at its file
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
            let file = OpenOptions::new().write(true).open(&target)?;
            return Ok((file, Partial { target, temporary: None }));
        }
        for number in 1_u64.. {
            let temporary = name(&target, number);
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                opened => return Ok((opened?, Partial { target, temporary: Some(temporary) })),
            }
        }
        Err(io::Error::other("no name is left for a temporary file"))
    }

    /// Gives the file its name; what had it before is replaced.
    pub fn complete(&mut self) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        fs::rename(temporary, &self.target)?;
        self.temporary = None;
        Ok(())
    }

    /// Takes the file away again, as well as that can be done.
    pub fn discard(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            drop(fs::remove_file(temporary));
        }
    }

    /// Writes a whole file in one step. Where that fails, what was there is still there.
    pub fn write(target: &Path, bytes: &[u8]) -> io::Result<()> {
        let (mut file, mut partial) = Partial::create(target)?;
        let written = file.write_all(bytes).and_then(|()| partial.complete());
        written.inspect_err(|_| partial.discard())
    }

    /// The files of a folder that were to become `name` and never were.
    pub fn left_behind(folder: &Path, name: &str) -> Vec<PathBuf> {
        let is_partial = |path: &PathBuf| {
            let found = path.file_name().and_then(|found| found.to_str()).unwrap_or_default();
            found.strip_prefix(name).is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".partial"))
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_partial).collect();
        found.sort();
        found
    }
}

/// The name of the n-th file under way to `target`, from 1.
fn name(target: &Path, number: u64) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(if number == 1 { format!(".{PARTIAL}") } else { format!(".{number}.{PARTIAL}") });
    PathBuf::from(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_file_under_way_leaves_the_old_one_until_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("run.mcap");
        fs::write(&target, "old").unwrap();
        let (mut first, mut partial) = Partial::create(&target).unwrap();
        let (_, mut second) = Partial::create(&target).unwrap();
        first.write_all(b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        let names = ["run.mcap.2.partial", "run.mcap.partial"].map(|name| folder.path().join(name));
        assert_eq!(Partial::left_behind(folder.path(), "run.mcap"), names);
        partial.complete().unwrap();
        second.discard();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(Partial::left_behind(folder.path(), "run.mcap"), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_link_goes_on_pointing_at_its_file_and_a_device_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        Partial::write(&link, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        Partial::write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
