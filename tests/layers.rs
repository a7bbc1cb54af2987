//! The layers of ARCHITECTURE.md hold: who imports whom is read from `cargo metadata` and compared with the table.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use support::root;

type Imports = BTreeMap<String, BTreeSet<String>>;

/// A row of the table: a crate, what it may import, what it may not, and what its tests may import too.
struct Row {
    name: String,
    allowed: BTreeSet<String>,
    forbidden: BTreeSet<String>,
    in_tests: BTreeSet<String>,
}

/// The rows of the table between `<!-- layers -->` and `<!-- /layers -->`.
fn table() -> Vec<Row> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("<!-- layers -->").nth(1).unwrap().split("<!-- /layers -->").next().unwrap();
    let names = |cell: &str| {
        cell.split([',', ' ', '`']).map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim().split('|').collect();
        let name = cells[1].trim().trim_matches('`').to_owned();
        Row { name, allowed: names(cells[2]), forbidden: names(cells[3]), in_tests: names(cells[4]) }
    };
    table.lines().filter(|line| line.starts_with("| `")).map(row).collect()
}

/// What each of our crates imports: the crate itself, or its tests (`dev`).
fn imports(kind: Option<&str>) -> Imports {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = std::process::Command::new(cargo).args(arguments).current_dir(root()).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let row = |package: &Value| {
        let all = package["dependencies"].as_array().unwrap().iter();
        let wanted = all.filter(|dependency| dependency["kind"].as_str() == kind);
        (name(package), wanted.map(name).collect())
    };
    metadata["packages"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn every_crate_is_in_the_table_and_imports_what_the_table_allows() {
    let table = table();
    let (all, all_in_tests) = (imports(None), imports(Some("dev")));
    let ours: BTreeSet<String> = all.keys().cloned().collect();
    for (name, imported) in all.iter().filter(|(name, _)| *name != "chiron") {
        let row = table.iter().find(|row| row.name == *name);
        let row = row.unwrap_or_else(|| panic!("{name} is not in the table of ARCHITECTURE.md"));
        let refused = |found: &BTreeSet<String>, allowed: &BTreeSet<String>| -> Vec<String> {
            found.intersection(&ours).filter(|found| !allowed.contains(*found)).cloned().collect()
        };
        let wrong = refused(imported, &row.allowed);
        assert!(wrong.is_empty(), "{name} imports {wrong:?}, the table allows {:?}", row.allowed);
        let allowed = row.allowed.union(&row.in_tests).cloned().collect();
        let wrong = refused(&all_in_tests[name], &allowed);
        assert!(wrong.is_empty(), "the tests of {name} import {wrong:?}, the table allows {allowed:?}");
        let unused: Vec<_> = row.in_tests.difference(&all_in_tests[name]).collect();
        assert!(unused.is_empty(), "the table lets the tests of {name} import {unused:?}, which they do not");
        for imported in [imported, &all_in_tests[name]] {
            let never: Vec<_> = imported.intersection(&row.forbidden).collect();
            assert!(never.is_empty(), "{name} imports {never:?}, which the table forbids");
        }
    }
    let gone: Vec<_> = table.iter().map(|row| &row.name).filter(|name| !ours.contains(*name)).collect();
    assert!(gone.is_empty(), "the table names crates that do not exist: {gone:?}");
}

#[test]
fn the_plug_depends_on_nalgebra_serde_and_its_own_derive_and_nothing_else() {
    let expected: BTreeSet<String> = ["nalgebra", "robot_io_derive", "serde"].map(str::to_owned).into();
    assert_eq!(imports(None)["robot_io"], expected);
}

#[test]
fn there_is_one_physics_engine_one_linear_algebra_and_one_bevy() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    for name in ["rapier3d", "parry3d", "nalgebra", "bevy", "egui"] {
        let line = format!("name = \"{name}\"\n");
        assert_eq!(lock.matches(&line).count(), 1, "versions of {name} in Cargo.lock");
    }
}
