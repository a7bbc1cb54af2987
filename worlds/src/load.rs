//! From files to a world.

use std::path::Path;

use page::Page;

use crate::WorldError;
use crate::files::{Files, Reader, Source, read_file};
use crate::read::{Prior, assemble};
use crate::variety::with_seed;
use crate::world::World;

impl World {
    /// Reads a world file and the files it names, which lie relative to its folder. A seed that is the run's is zero.
    pub fn load(path: &Path) -> Result<Self, WorldError> {
        Self::load_for_run(path, 0)
    }

    /// Reads a world file for a run with `seed`, which is the world's as well if the file says `seed = "run"`. The sources kept
    /// have the number in its place.
    pub fn load_for_run(path: &Path, seed: u64) -> Result<Self, WorldError> {
        let bytes = read_file(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        let shown = path.display().to_string();
        let text = with_seed(Page::of_bytes(&shown, &bytes)?.text, seed);
        Self::from_named(&text, &name, &shown, Files::Folder(folder.to_owned()))
    }

    /// Makes a world from the text of a world file; `name` names it in errors, files it names lie in `base_dir`.
    pub fn from_str(text: &str, name: &str, base_dir: &Path) -> Result<Self, WorldError> {
        Self::from_named(text, name, name, Files::Folder(base_dir.to_owned()))
    }

    /// Makes the world again from the sources that [`World::sources`] kept, such as those embedded in a log.
    pub fn from_sources(sources: &[Source]) -> Result<Self, WorldError> {
        let reason = "there are no sources at all".to_owned();
        let first = sources.first().ok_or(WorldError::Read { file: "(world file)".to_owned(), reason })?;
        let text = Page::of_bytes(&first.name, &first.bytes)?.text;
        Self::from_named(text, &first.name, &first.name, Files::Kept(sources))
    }

    fn from_named(text: &str, name: &str, shown: &str, files: Files<'_>) -> Result<Self, WorldError> {
        let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
        let mut reader = Reader::new(files, vec![source]);
        let (mut world, _) = assemble(Page { file: shown, text }, &mut reader, Prior::Read)?;
        world.sources = reader.sources;
        Ok(world)
    }
}
