//! Lists the scenarios, worlds and robots that the program carries with it, and has the program linked small.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What a library consists of: folders of the repository, and how the names of their files end.
const SHIPPED: [(&str, &[&str]); 10] = [
    ("assets/props", &["toml", "obj"]),
    ("scenarios/cases", &["toml"]),
    ("scenarios/charts", &["toml"]),
    ("scenarios/motions", &["toml"]),
    ("scenarios/objects", &["toml"]),
    ("worlds", &["toml", "png"]),
    ("robot_models/arm", &["toml", "urdf"]),
    ("robot_models/bench", &["toml", "urdf"]),
    ("robot_models/centaur", &["toml", "urdf"]),
    ("robot_models/humanoid", &["toml", "urdf"]),
];
/// TOML files that build and lint the repository.
const TOOLS: [&str; 2] = ["Cargo.toml", "clippy.toml"];
/// The first GNU C library that reads addresses in short form (its release notes of 2.36, DT_RELR).
const SHORT_ADDRESSES: (u32, u32) = (2, 36);

fn main() -> io::Result<()> {
    link_small();
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

/// The program is carried about: no names of functions and lines in it, equal functions once, and addresses in short form.
/// Tests keep their names, for those that look at a backtrace. The options are those of the linker that comes with Rust.
fn link_small() {
    println!("cargo::rerun-if-env-changed=CHIRON_SYMBOLS");
    let is = |variable, value| env::var(variable).is_ok_and(|found| found == value);
    if env::var_os("CHIRON_SYMBOLS").is_none() && is("TARGET", "x86_64-unknown-linux-gnu") && is("PROFILE", "release") {
        println!("cargo::rustc-link-arg-bins=-Wl,-s,--icf=all");
        if c_library().is_some_and(|version| version >= SHORT_ADDRESSES) {
            println!("cargo::rustc-link-arg-bins=-Wl,-zpack-relative-relocs");
        }
    }
}

/// The version of the C library here, if it is GNU's.
fn c_library() -> Option<(u32, u32)> {
    let answer = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?.stdout;
    let (major, minor) = str::from_utf8(&answer).ok()?.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
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
