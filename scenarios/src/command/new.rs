//! `chiron new`: the beginning of something of one's own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ScenarioError;
use crate::cli::{NewArgs, NewThing};
use crate::outcome::Outcome;

/// The checkout that this program was built from, which a project builds on.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// What the templates call their controller or skill.
const TEMPLATE: (&str, &str) = ("wave", "Wave");
/// The page and the scenario of a controller.
const CONTROLLER: [&str; 2] =
    [include_str!("../../templates/controller/main.rs"), include_str!("../../templates/controller/case.toml")];
/// The page and the scenario of a skill.
const SKILL: [&str; 2] =
    [include_str!("../../templates/skill/main.rs"), include_str!("../../templates/skill/case.toml")];
/// No name is longer.
const LONGEST_NAME: usize = 64;

/// Begins what is asked for.
pub fn new(args: &NewArgs) -> Result<Outcome, ScenarioError> {
    match &args.thing {
        NewThing::Controller { name, path } => begin("a controller that waves", name, path.as_deref(), CONTROLLER)?,
        NewThing::Skill { name, path } => begin("a skill that waves", name, path.as_deref(), SKILL)?,
        NewThing::Program { name, path } => {
            let folder = create(name, path.as_deref(), program)?;
            println!("{}: a program that waves; {name}.py is the page to change. Next:", folder.display());
            println!("  chiron run {}", folder.join(name).with_extension("toml").display());
        }
    }
    Ok(Outcome::Passed)
}

/// Writes a project from its page and its scenario, and says how to go on.
fn begin(what: &str, name: &str, path: Option<&Path>, template: [&str; 2]) -> Result<(), ScenarioError> {
    let chiron = fs::canonicalize(CHECKOUT).map_err(|error| {
        let message = format!("cannot be found, and the project builds on it: {error}");
        ScenarioError::File { path: PathBuf::from(CHECKOUT), message }
    })?;
    let folder = create(name, path, |name| project(name, &chiron, template))?;
    println!("{}: {what}; src/main.rs is the page to change. Next:", folder.display());
    println!("  cd {}", folder.display());
    println!("  cargo run --release -- run {name}.toml");
    println!("Without the window: cargo run --release --no-default-features -- run {name}.toml");
    println!("CARGO_TARGET_DIR={}/target uses again what is built there.", chiron.display());
    Ok(())
}

/// Writes the files into a folder of their own, and gives back which.
fn create(
    name: &str,
    path: Option<&Path>,
    files: impl FnOnce(&str) -> Vec<(PathBuf, String)>,
) -> Result<PathBuf, ScenarioError> {
    expect_name(name)?;
    let folder = path.map_or_else(|| PathBuf::from(name), Path::to_owned);
    if folder.exists() {
        let message = "expected a folder that does not exist yet, found this one".to_owned();
        return Err(ScenarioError::File { path: folder, message });
    }
    for (file, text) in files(name) {
        write(&folder.join(file), &text)?;
    }
    Ok(folder)
}

/// The files of a program, by their paths in its folder.
fn program(name: &str) -> Vec<(PathBuf, String)> {
    let (page, case) =
        (include_str!("../../templates/program/main.py"), include_str!("../../templates/program/case.toml"));
    let named = |text: &str| text.replace("wave.py", &format!("{name}.py")).replace(TEMPLATE.1, &camel_case(name));
    vec![(format!("{name}.py").into(), named(page)), (format!("{name}.toml").into(), named(case))]
}

/// The files of a project, by their paths in it.
fn project(name: &str, chiron: &Path, [page, case]: [&str; 2]) -> Vec<(PathBuf, String)> {
    let kind = camel_case(name);
    let named =
        |text: &str| text.replace(&format!("\"{}\"", TEMPLATE.0), &format!("\"{name}\"")).replace(TEMPLATE.1, &kind);
    let key = |text: &str| text.replace(&format!("{} = {{", TEMPLATE.0), &format!("{name} = {{"));
    let manifest = include_str!("../../templates/controller/Cargo.toml.in");
    let manifest = manifest.replace("{name}", name).replace("{chiron}", &chiron.display().to_string());
    vec![
        ("Cargo.toml".into(), manifest),
        // the versions that this program was built and tested with
        ("Cargo.lock".into(), include_str!("../../../Cargo.lock").to_owned()),
        ("src/main.rs".into(), key(&named(page))),
        (format!("{name}.toml").into(), key(&named(case))),
        (".gitignore".into(), "/target\n/out\n".to_owned()),
    ]
}

/// A name that is one to cargo, to Rust and to a scenario.
fn expect_name(name: &str) -> Result<(), ScenarioError> {
    let letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    // what a package, a crate that it needs, or the word for a kind in Rust must not be called
    let taken =
        ["chiron", "robot_io", "scenarios", "serde", "mission", "test", "std", "core", "self", "crate", "super"];
    if letters && begins && name.len() <= LONGEST_NAME && !taken.contains(&name) {
        return Ok(());
    }
    let message = format!(
        "new controller: expected a name of small letters, digits and _, a letter first, at most {LONGEST_NAME} characters, \
         none of {}; found '{name}'",
        taken.join(", ")
    );
    Err(ScenarioError::Usage(message))
}

/// `arm_waver` to `ArmWaver`.
fn camel_case(name: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    };
    name.split('_').map(word).collect()
}

fn write(path: &Path, text: &str) -> Result<(), ScenarioError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| ScenarioError::file(folder, "create", &error))?;
    fs::write(path, text).map_err(|error| ScenarioError::file(path, "write", &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_bears_its_name_everywhere() {
        let files = |template| project("arm_mover", Path::new("/somewhere/chiron"), template);
        let (controller, skill) = (files(CONTROLLER), files(SKILL));
        let of = |files: &[(PathBuf, String)], file: &str| {
            files.iter().find(|(path, _)| path == Path::new(file)).map(|(_, text)| text.clone()).unwrap_or_default()
        };
        let text = |file: &str| of(&controller, file);
        let manifest = text("Cargo.toml");
        assert!(manifest.contains("name = \"arm_mover\"") && manifest.contains("\"/somewhere/chiron/scenarios\""));
        let page = text("src/main.rs");
        assert!(page.contains(".with(\"arm_mover\", ArmMover::new)") && !page.contains("Wave"), "{page}");
        assert!(text("arm_mover.toml").contains("name = \"arm_mover\""));
        let (page, case) = (of(&skill, "src/main.rs"), of(&skill, "arm_mover.toml"));
        assert!(page.contains(".with_skill(\"arm_mover\", ArmMover::new)") && !page.contains("Wave"), "{page}");
        assert!(page.contains("`arm_mover = { joint") && case.contains("\narm_mover = { joint"), "{case}");
    }

    #[test]
    fn names_that_cargo_or_rust_would_refuse_are_refused() {
        for name in ["", "Wave", "my-arm", "7up", "_a", "mission", "chiron", "a b", "ärm", &"a".repeat(65)] {
            assert!(expect_name(name).is_err(), "{name}");
        }
        assert!(expect_name("wave2_left").is_ok());
    }
}
