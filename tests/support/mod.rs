//! What the tests of the whole product share.

use std::path::{Path, PathBuf};

/// The root of the checkout.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below `folder` with this extension, build artefacts left out, in order of their names.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(folder, extension, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            collect(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

/// The program, built with the tests: `cargo test --workspace` builds every binary of the workspace beside them.
pub fn program() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let profile = own.ancestors().find(|folder| folder.join("chiron").is_file());
    profile.map_or_else(|| PathBuf::from("chiron"), |folder| folder.join("chiron"))
}
