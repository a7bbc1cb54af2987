//! The scenarios, worlds and robots that the program carries with it, for machines without the repository.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::ScenarioError;

/// Files by their paths in a library.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// Where this version's files are laid out: below `XDG_CACHE_HOME`, else `~/.cache`, else the folder for temporary files.
pub(crate) fn folder() -> PathBuf {
    let set = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let digest = FILES.iter().flat_map(|(path, content)| [path.as_bytes(), content]);
    let digest = digest.fold(blake3::Hasher::new(), |mut hasher, bytes| {
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        hasher
    });
    let name = format!("library-{}", &digest.finalize().to_hex()[..16]);
    cache.unwrap_or_else(env::temp_dir).join("chiron").join(name)
}

/// Lays the files out in a folder. What is there already and as it should be is left alone; what somebody has changed is put right.
pub(crate) fn unpack(folder: &Path) -> Result<(), ScenarioError> {
    for (path, content) in FILES {
        let path = folder.join(path);
        if fs::read(&path).is_ok_and(|found| found == *content) {
            continue;
        }
        write(&path, content).map_err(|error| ScenarioError::file(&path, "write", &error))?;
    }
    Ok(())
}

/// Writes a file so that whoever reads it meanwhile sees all of it or none.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut partial = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut partial, content)?;
    partial.persist(path)?;
    Ok(())
}
