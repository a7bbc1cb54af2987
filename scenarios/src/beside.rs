//! Files that a scenario names and that lie beside it or in the library: charts, motions, objects.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Library;

/// The path and the text of a file `NAME.toml`: in a folder of this kind beside the scenario, or in the library's.
pub(crate) fn find(library: &Library, folder: &Path, kind: &str, name: &str) -> Result<(PathBuf, String), String> {
    let file = format!("{name}.toml");
    let places = [folder.join(kind), library.root().join("scenarios").join(kind)];
    let Some(path) = places.iter().map(|place| place.join(&file)).find(|path| path.is_file()) else {
        let places = places.map(|place| place.display().to_string()).join(" or ");
        return Err(format!("expected a file {file} in {places}, found none"));
    };
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok((path, text))
}
