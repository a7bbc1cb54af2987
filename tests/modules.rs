//! The modules of a crate import each other in one direction only.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use support::{files, root};

/// Which module imports which, with a line that does so.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

/// The folders of all crates with a library.
fn crates() -> Vec<PathBuf> {
    let manifests = files(root(), "toml").into_iter().filter(|path| path.ends_with("Cargo.toml"));
    let folders = manifests.map(|path| path.parent().unwrap().to_owned());
    folders.filter(|folder| folder.join("src/lib.rs").is_file()).collect()
}

/// The module of a file: the first part of its path below `src`.
fn module_of(path: &Path, source: &Path) -> String {
    let first = path.strip_prefix(source).unwrap().components().next().unwrap();
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

fn is_test(path: &Path, source: &Path) -> bool {
    let below = path.strip_prefix(source).unwrap().to_string_lossy().into_owned();
    below.split(['/', '.']).any(|part| part == "tests" || part.ends_with("_tests"))
}

/// What the library calls by which of its modules' names.
fn exports(library: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for piece in library.split("pub use ").skip(1) {
        let piece = piece.split(';').next().unwrap_or_default();
        let Some((module, names)) = piece.split_once("::") else { continue };
        found.extend(words(names).map(|name| (name.to_owned(), module.trim().to_owned())));
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// The first names behind each `crate::` of a text, with the lines where they stand.
fn names_of(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let line = 1 + text[..at].matches('\n').count();
        let rest = &text[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.extend(words(rest).next().map(|name| (name.to_owned(), line)));
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (place, letter) in group.char_indices() {
            match letter {
                '}' if depth == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                _ if begins && !letter.is_whitespace() => {
                    found.extend(words(&group[place..]).next().map(|name| (name.to_owned(), line)));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// Code without its tests and comments, line by line where it was.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

fn imports(folder: &Path) -> Imports {
    let source = folder.join("src");
    let sources: Vec<PathBuf> = files(&source, "rs").into_iter().filter(|path| !is_test(path, &source)).collect();
    let modules: BTreeSet<String> = sources.iter().map(|path| module_of(path, &source)).collect();
    let exports = exports(&std::fs::read_to_string(source.join("lib.rs")).unwrap());
    let mut imports = Imports::new();
    for path in sources {
        let from = module_of(&path, &source);
        if ["lib", "main"].contains(&from.as_str()) {
            continue;
        }
        for (name, line) in names_of(&code(&std::fs::read_to_string(&path).unwrap())) {
            let to = if modules.contains(&name) { Some(&name) } else { exports.get(&name) };
            if let Some(to) = to.filter(|to| **to != from) {
                let place = format!("{}:{line}", path.strip_prefix(root()).unwrap().display());
                imports.entry(from.clone()).or_default().entry(to.clone()).or_insert(place);
            }
        }
    }
    imports
}

/// A circle, if there is one: its modules in order, the first once more at the end.
fn circle(imports: &Imports) -> Option<Vec<String>> {
    fn walk(at: &str, imports: &Imports, way: &mut Vec<String>, done: &mut BTreeSet<String>) -> Option<Vec<String>> {
        if let Some(begin) = way.iter().position(|module| module == at) {
            return Some(way[begin..].iter().cloned().chain([at.to_owned()]).collect());
        }
        if !done.insert(at.to_owned()) {
            return None;
        }
        way.push(at.to_owned());
        let next = imports.get(at).into_iter().flat_map(BTreeMap::keys);
        let found = next.map(|next| walk(next, imports, way, done)).find(Option::is_some).flatten();
        way.pop();
        found
    }
    let mut done = BTreeSet::new();
    imports.keys().find_map(|module| walk(module, imports, &mut Vec::new(), &mut done))
}

fn describe(circle: &[String], imports: &Imports) -> String {
    let step = |pair: &[String]| format!("  {} imports {} at {}", pair[0], pair[1], imports[&pair[0]][&pair[1]]);
    circle.windows(2).map(step).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    for folder in crates() {
        let name = folder.strip_prefix(root()).unwrap().display().to_string();
        let imports = imports(&folder);
        let found = circle(&imports).map(|circle| describe(&circle, &imports));
        assert_eq!(found, None, "{name} has a circle:\n{}", found.as_deref().unwrap_or_default());
    }
}

#[test]
fn a_circle_is_found_and_told_with_its_lines() {
    let at = |to: &str| BTreeMap::from([(to.to_owned(), format!("{to}.rs:3"))]);
    let imports = Imports::from([("a".to_owned(), at("b")), ("b".to_owned(), at("c")), ("c".to_owned(), at("b"))]);
    let found = circle(&imports).unwrap();
    assert_eq!(describe(&found, &imports), "  b imports c at c.rs:3\n  c imports b at b.rs:3");
    assert_eq!(circle(&Imports::from([("a".to_owned(), at("b"))])), None);
}

#[test]
fn imports_are_read_as_they_are_written() {
    let text = "use crate::one::A;\n// use crate::not::A;\nuse crate::{\n    Two, three::{B, C},\n    Four as F,\n};\nlet x = crate::five::f();";
    let names: Vec<(String, usize)> = names_of(&code(text));
    let names: Vec<(&str, usize)> = names.iter().map(|(name, line)| (name.as_str(), *line)).collect();
    assert_eq!(names, [("one", 1), ("Two", 3), ("three", 3), ("Four", 3), ("five", 7)]);
    let exports = exports("mod a;\npub use a::{B, C};\npub use d::E;\n");
    assert_eq!(exports.get("C").map(String::as_str), Some("a"));
    assert_eq!(exports.get("E").map(String::as_str), Some("d"));
}
