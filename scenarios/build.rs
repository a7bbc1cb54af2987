//! Lists the scenarios, worlds and robots that the program carries with it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What a library consists of: folders of the repository, and how the names of their files end.
const SHIPPED: [(&str, &[&str]); 5] = [
    ("scenarios/cases", &["toml"]),
    ("scenarios/charts", &["toml"]),
    ("worlds", &["toml", "png"]),
    ("robot_models/bench", &["toml", "urdf"]),
    ("robot_models/centaur", &["toml", "urdf"]),
];
/// TOML files that build and lint the repository.
const TOOLS: [&str; 2] = ["Cargo.toml", "clippy.toml"];

fn main() -> io::Result<()> {
    let variable = |name| env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other(name));
    let root = variable("CARGO_MANIFEST_DIR")?.join("..");
    let mut list = String::from("&[\n");
    for (folder, endings) in SHIPPED {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
        for name in files(&root.join(folder), endings)? {
            let path = fs::canonicalize(root.join(folder).join(&name))?;
            writeln!(list, "    (\"{folder}/{name}\", include_bytes!({path:?})),").map_err(io::Error::other)?;
        }
    }
    fs::write(variable("OUT_DIR")?.join("built_in.rs"), list + "]\n")
}

/// The files of a folder with these endings, in order.
fn files(folder: &Path, endings: &[&str]) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let ending = name.rsplit('.').next().unwrap_or_default();
        if endings.contains(&ending) && !TOOLS.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
