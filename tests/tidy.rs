//! House style that a machine can check: sizes, forbidden words, documents that are true.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::Path;

use support::{files, root};

const LONGEST_FILE: usize = 400;
const LONGEST_FUNCTION: usize = 70;

fn rust_files() -> Vec<(String, String)> {
    let read = |path: &std::path::PathBuf| {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        (name, std::fs::read_to_string(path).unwrap())
    };
    files(root(), "rs").iter().map(read).collect()
}

/// Name and length of each function, by the indentation that rustfmt guarantees.
fn functions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String, usize)> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some((name, closing, start)) = &open {
            if line == closing {
                found.push((name.clone(), number + 1 - start));
                open = None;
            }
            continue;
        }
        let code = line.trim_start();
        let words: Vec<&str> = code.split_whitespace().take(5).collect();
        let is_function =
            words.contains(&"fn") && !code.starts_with("//") && !code.ends_with(';') && !code.ends_with('}');
        if is_function {
            let indent = &line[..line.len() - code.len()];
            let name = code.split("fn ").nth(1).unwrap_or(code).split(['(', '<']).next().unwrap_or_default();
            open = Some((name.to_owned(), format!("{indent}}}"), number));
        }
    }
    found
}

#[test]
fn no_file_is_longer_than_400_lines() {
    let long: Vec<String> = rust_files()
        .iter()
        .map(|(name, text)| (name, text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(name, lines)| format!("{name}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn no_function_is_longer_than_70_lines() {
    let mut long = Vec::new();
    for (name, text) in rust_files() {
        let too_long = functions(&text).into_iter().filter(|(_, lines)| *lines > LONGEST_FUNCTION);
        long.extend(too_long.map(|(function, lines)| format!("{name}: {function}: {lines} lines")));
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn functions_are_counted_as_they_stand() {
    let text = "fn one() {\n    a;\n}\n\nimpl X {\n    pub fn two(\n        a: u8,\n    ) {\n        b;\n    }\n}\n";
    assert_eq!(functions(text), [("one".to_owned(), 3), ("two".to_owned(), 5)]);
}

#[test]
fn nothing_is_left_undone() {
    let words = ["todo!", "unimplemented!", "TODO", "FIXME", "XXX", "dbg!"];
    let here = Path::new(file!()).file_name().unwrap().to_str().unwrap();
    let mut found = Vec::new();
    for (name, text) in rust_files().iter().filter(|(name, _)| !name.ends_with(here)) {
        let hits = text.lines().enumerate().filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        found.extend(hits.map(|(number, line)| format!("{name}:{}: {}", number + 1, line.trim())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The wall clock, threads and unordered maps have no place where a run is computed.
#[test]
fn what_computes_a_run_knows_no_clock_no_thread_and_no_unordered_map() {
    let pure = ["robot_models/io/src", "robot_models/model/src", "worlds/src", "sim/plant/src", "controllers"];
    let words = ["Instant::now", "SystemTime", "thread::", "HashMap", "HashSet", "rand::"];
    let mut found = Vec::new();
    let within = |name: &str| pure.iter().any(|folder| name.starts_with(folder)) && !name.contains("/tests");
    for (name, text) in rust_files().iter().filter(|(name, _)| within(name)) {
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        let hits = code.filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        found.extend(hits.map(|(number, line)| format!("{name}:{}: {}", number + 1, line.trim())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_folder_that_the_architecture_names_exists() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let map = text.split("<!-- code map -->").nth(1).unwrap().split("<!-- /code map -->").next().unwrap();
    let named = map.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let missing: Vec<&str> = named.filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "the code map names what does not exist: {missing:?}");
}

#[test]
fn every_scenario_that_ships_is_named_in_the_readme() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for case in files(&root().join("scenarios/cases"), "toml") {
        let name = case.file_stem().unwrap().to_str().unwrap();
        assert!(readme.contains(name), "README.md does not name the scenario {name}");
    }
}

#[test]
fn no_file_is_larger_than_a_megabyte() {
    for extension in ["png", "stl", "obj", "json", "mcap", "html"] {
        for path in files(root(), extension) {
            let size = path.metadata().unwrap().len();
            assert!(size <= 1_000_000, "{} has {size} bytes", path.display());
        }
    }
}
