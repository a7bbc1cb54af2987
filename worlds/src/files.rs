//! Where the files of a world come from, and the record of what was read.

use std::path::{Path, PathBuf};

use crate::WorldError;

/// A file that a world was made from, as it was read: enough to make the same world again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Name as the world file refers to it; the world file itself comes first.
    pub name: String,
    /// Content, byte for byte.
    pub bytes: Vec<u8>,
}

/// A folder on disk, or the sources kept in a log.
pub(crate) enum Files<'a> {
    Folder(PathBuf),
    Kept(&'a [Source]),
}

/// Bytes that a file of a world may have at most.
pub(crate) const LARGEST_FILE: u64 = 64 << 20;

/// Reads files and remembers them.
pub(crate) struct Reader<'a> {
    pub(crate) files: Files<'a>,
    pub(crate) sources: Vec<Source>,
    /// The folder of the file that names others, as seen from the world file's; empty or with a slash at its end.
    pub(crate) within: String,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(files: Files<'a>, sources: Vec<Source>) -> Reader<'a> {
        Reader { files, sources, within: String::new() }
    }

    /// The bytes of the file of that name; read once however often it is asked for.
    pub(crate) fn read(&mut self, name: &str) -> Result<Vec<u8>, WorldError> {
        let name = &format!("{}{name}", self.within);
        if let Some(known) = self.sources.iter().find(|source| source.name == *name) {
            return Ok(known.bytes.clone());
        }
        let bytes = match &self.files {
            Files::Folder(folder) => read_file(&folder.join(name.as_str()))?,
            Files::Kept(sources) => kept(sources, name)?,
        };
        self.sources.push(Source { name: name.to_owned(), bytes: bytes.clone() });
        Ok(bytes)
    }
}

/// Reads a whole file of sane size.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, WorldError> {
    let error = |reason: String| WorldError::Read { file: path.display().to_string(), reason };
    let size = std::fs::metadata(path).map_err(|e| error(e.to_string()))?.len();
    if size > LARGEST_FILE {
        return Err(error(format!("{size} bytes, more than the {LARGEST_FILE} allowed")));
    }
    std::fs::read(path).map_err(|e| error(e.to_string()))
}

fn kept(sources: &[Source], name: &str) -> Result<Vec<u8>, WorldError> {
    let found = sources.iter().find(|source| source.name == name);
    let missing = || WorldError::Read { file: name.to_owned(), reason: "it is not among the kept sources".to_owned() };
    found.map(|source| source.bytes.clone()).ok_or_else(missing)
}
