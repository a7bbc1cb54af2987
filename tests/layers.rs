//! The layers of ARCHITECTURE.md hold: who imports whom is read from `cargo metadata` and compared with the table.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use support::root;

type Imports = BTreeMap<String, BTreeSet<String>>;

/// The rows of the table between `<!-- layers -->` and `<!-- /layers -->`: crate, what it may import, what it may not.
fn allowed_by_table() -> Vec<(String, BTreeSet<String>, BTreeSet<String>)> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("<!-- layers -->").nth(1).unwrap().split("<!-- /layers -->").next().unwrap();
    let names = |cell: &str| {
        cell.split([',', ' ', '`']).map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').collect();
        (cells[0].trim().trim_matches('`').to_owned(), names(cells[1]), names(cells[2]))
    };
    table.lines().filter(|line| line.starts_with("| `")).map(row).collect()
}

/// What each of our crates imports, tests left out.
fn imports() -> Imports {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = std::process::Command::new(cargo).args(arguments).current_dir(root()).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let row = |package: &Value| {
        let normal =
            package["dependencies"].as_array().unwrap().iter().filter(|dependency| dependency["kind"].is_null());
        (name(package), normal.map(name).collect())
    };
    metadata["packages"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn every_crate_is_in_the_table_and_imports_what_the_table_allows() {
    let table = allowed_by_table();
    let all = imports();
    let ours: BTreeSet<String> = all.keys().cloned().collect();
    for (name, imported) in all.iter().filter(|(name, _)| *name != "chiron") {
        let (_, allowed, forbidden) = table
            .iter()
            .find(|(row, ..)| row == name)
            .unwrap_or_else(|| panic!("{name} is not in the table of ARCHITECTURE.md"));
        let wrong: Vec<_> =
            imported.iter().filter(|crate_name| ours.contains(*crate_name) && !allowed.contains(*crate_name)).collect();
        assert!(wrong.is_empty(), "{name} imports {wrong:?}, the table allows {allowed:?}");
        let never: Vec<_> = imported.intersection(forbidden).collect();
        assert!(never.is_empty(), "{name} imports {never:?}, which the table forbids");
    }
    let gone: Vec<_> = table.iter().map(|(name, ..)| name).filter(|name| !ours.contains(*name)).collect();
    assert!(gone.is_empty(), "the table names crates that do not exist: {gone:?}");
}

#[test]
fn the_plug_depends_on_nalgebra_serde_and_its_own_derive_and_nothing_else() {
    let expected: BTreeSet<String> = ["nalgebra", "robot_io_derive", "serde"].map(str::to_owned).into();
    assert_eq!(imports()["robot_io"], expected);
}

#[test]
fn there_is_one_physics_engine_one_linear_algebra_and_one_bevy() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    for name in ["rapier3d", "parry3d", "nalgebra", "bevy", "egui"] {
        let line = format!("name = \"{name}\"\n");
        assert_eq!(lock.matches(&line).count(), 1, "versions of {name} in Cargo.lock");
    }
}
