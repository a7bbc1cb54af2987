//! The program needs nothing beside itself.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use scenarios::cli::Cli;
use scenarios::outcome::Outcome;
use scenarios::{Library, execute};
use tempfile::TempDir;

fn checkout() -> Library {
    Library::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
}

fn digest(library: &Library, out: PathBuf) -> String {
    let fixed = ["chiron", "run", "bench_two_drives", "--duration", "1", "--no-pictures", "--quiet", "--out"];
    let cli = Cli::parse_from(fixed.iter().map(Into::into).chain([out.clone().into_os_string()]));
    // a run that is cut short does not reach what it is asked for
    assert_ne!(execute(cli, library).unwrap(), Outcome::Interrupted);
    let metrics: serde_json::Value = serde_json::from_slice(&fs::read(out.join("metrics.json")).unwrap()).unwrap();
    metrics["digest"].as_str().unwrap().to_owned()
}

#[test]
fn all_that_ships_is_there_and_runs_as_from_the_checkout() {
    let folder = TempDir::new().unwrap();
    let library = Library::built_in(&folder.path().join("library")).unwrap();
    assert_eq!(library.case_names().unwrap(), checkout().case_names().unwrap());
    for name in library.case_names().unwrap() {
        let case = scenarios::Case::load(&library, &name).unwrap();
        scenarios::Stage::load(&library, case).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert_eq!(digest(&library, folder.path().join("a")), digest(&checkout(), folder.path().join("b")));
}

#[test]
fn what_somebody_has_changed_is_put_right_and_what_cannot_be_written_is_named() {
    let folder = TempDir::new().unwrap();
    let library = Library::built_in(folder.path()).unwrap();
    let (world, case) = (library.world("flat").unwrap(), library.case("bench_two_drives").unwrap());
    let whole = fs::read(&world).unwrap();
    fs::write(&world, &whole[..whole.len() / 2]).unwrap();
    fs::remove_file(&case).unwrap();
    Library::built_in(folder.path()).unwrap();
    assert!(fs::read(&world).unwrap() == whole && case.is_file());
    let taken = folder.path().join("taken");
    fs::write(&taken, "").unwrap();
    let refused = Library::built_in(&taken).unwrap_err().to_string();
    assert!(refused.contains("taken/"), "{refused}");
}
