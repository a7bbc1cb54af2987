//! `chiron new`: the beginning of something of one's own.

use std::fs;
use std::path::{Path, PathBuf};

use mission::STEP_KEYS;

use crate::ScenarioError;
use crate::checks::KINDS;
use crate::cli::{NewArgs, NewThing};
use crate::controller::{MISSION, PROGRAM as PROGRAM_NAME};
use crate::environment::called;
use crate::outcome::Outcome;
use crate::own_plant::PLANTS;

/// The checkout that this program was built from, which a project builds on.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// What a project begins with.
#[derive(Clone, Copy)]
struct Template {
    /// What it is, for people.
    about: &'static str,
    /// What the page calls it, in files and in Rust.
    called: (&'static str, &'static str),
    page: &'static str,
    case: &'static str,
}

/// The page and the scenario of a template.
macro_rules! template {
    ($folder:literal, $about:literal, $called:expr) => {
        Template {
            about: $about,
            called: $called,
            page: include_str!(concat!("../../templates/", $folder, "/main.rs")),
            case: include_str!(concat!("../../templates/", $folder, "/case.toml")),
        }
    };
}

const CONTROLLER: Template = template!("controller", "a controller, which waves at first", ("wave", "Wave"));
const SKILL: Template = template!("skill", "a skill for the steps of missions, which waves at first", ("wave", "Wave"));
const COMPONENTS: Template =
    template!("components", "components beside the mission, one of which waves", ("wave", "Waver"));
const CHECK: Template = template!("check", "a kind of check, which counts shoves at first", ("shoves", "Shoves"));
const PLANT: Template = template!("plant", "a plant, at first of joints that do what they are told", ("rig", "Rig"));
/// What the program's template is called.
const PROGRAM: (&str, &str) = ("wave", "Wave");
/// No name is longer.
const LONGEST_NAME: usize = 64;

/// Begins what is asked for.
pub fn new(args: &NewArgs) -> Result<Outcome, ScenarioError> {
    let (name, path) = (args.name.as_str(), args.path.as_deref());
    expect_name(name)?;
    expect_free(name, args.thing)?;
    match args.thing {
        NewThing::Controller => begin(&CONTROLLER, name, path)?,
        NewThing::Skill => begin(&SKILL, name, path)?,
        NewThing::Components => begin(&COMPONENTS, name, path)?,
        NewThing::Check => begin(&CHECK, name, path)?,
        NewThing::Plant => begin(&PLANT, name, path)?,
        NewThing::Program => {
            let folder = create(name, path, program)?;
            println!("{}: a program, which waves at first; {name}.py is the page to change. Next:", folder.display());
            println!("  {} run {}", called(), folder.join(name).with_extension("toml").display());
        }
    }
    Ok(Outcome::Passed)
}

/// Writes a project from its page and its scenario, and says how to go on.
fn begin(template: &Template, name: &str, path: Option<&Path>) -> Result<(), ScenarioError> {
    let chiron = fs::canonicalize(CHECKOUT).map_err(|error| {
        let message = format!("cannot be found, and the project builds on it: {error}");
        ScenarioError::File { path: PathBuf::from(CHECKOUT), message }
    })?;
    let folder = create(name, path, |name| project(name, &chiron, template))?;
    println!("{}: {}; src/main.rs is the page to change. Next:", folder.display(), template.about);
    println!("  cd {}", folder.display());
    println!("  cargo run --release -- run {name}.toml");
    println!("Without the window: cargo run --release --no-default-features -- run {name}.toml");
    println!("With CARGO_TARGET_DIR={}/target only chiron's own crates are built again.", chiron.display());
    Ok(())
}

/// Writes the files into a folder of their own, and gives back which.
fn create(
    name: &str,
    path: Option<&Path>,
    files: impl FnOnce(&str) -> Vec<(PathBuf, String)>,
) -> Result<PathBuf, ScenarioError> {
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
    let named = |text: &str| text.replace("wave.py", &format!("{name}.py")).replace(PROGRAM.1, &camel_case(name));
    vec![(format!("{name}.py").into(), named(page)), (format!("{name}.toml").into(), named(case))]
}

/// How chiron is built: the release profile of its own manifest.
fn profile() -> &'static str {
    let manifest = include_str!("../../../Cargo.toml");
    let (_, from) = manifest.split_at(manifest.find("[profile.release]").unwrap_or(manifest.len()));
    from.split("\n[package]").next().unwrap_or_default().trim_end()
}

/// The files of a project, by their paths in it.
fn project(name: &str, chiron: &Path, template: &Template) -> Vec<(PathBuf, String)> {
    let (kind, (word, word_in_rust)) = (camel_case(name), template.called);
    let named = |text: &str| {
        let text = text.replace(&format!("\"{word}\""), &format!("\"{name}\"")).replace(word_in_rust, &kind);
        text.replace(&format!("{word} = {{"), &format!("{name} = {{")).replace(&format!("{word}:"), &format!("{name}:"))
    };
    let manifest = include_str!("../../templates/controller/Cargo.toml.in");
    let manifest = manifest.replace("{name}", name).replace("{chiron}", &chiron.display().to_string());
    let manifest = manifest.replace("{profile}", profile());
    vec![
        ("Cargo.toml".into(), manifest),
        // the versions that this program was built and tested with
        ("Cargo.lock".into(), include_str!("../../../Cargo.lock").to_owned()),
        ("rust-toolchain.toml".into(), include_str!("../../../rust-toolchain.toml").to_owned()),
        ("src/main.rs".into(), named(template.page)),
        (format!("{name}.toml").into(), named(template.case)),
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
        "new: expected a name of small letters, digits and _, a letter first, at most {LONGEST_NAME} characters, \
         none of {}; found '{name}'",
        taken.join(", ")
    );
    Err(ScenarioError::Usage(message))
}

/// A name that nothing of its kind has already: what ships would answer instead.
fn expect_free(name: &str, thing: NewThing) -> Result<(), ScenarioError> {
    let taken: &[&str] = match thing {
        NewThing::Check => &KINDS,
        NewThing::Plant => &PLANTS,
        NewThing::Skill => &STEP_KEYS,
        NewThing::Controller | NewThing::Components => &[MISSION, PROGRAM_NAME],
        NewThing::Program => &[],
    };
    if !taken.contains(&name) {
        return Ok(());
    }
    let message =
        format!("new: expected a name that nothing has that ships, none of {}; found '{name}'", taken.join(", "));
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
        let (controller, skill) = (files(&CONTROLLER), files(&SKILL));
        let of = |files: &[(PathBuf, String)], file: &str| {
            files.iter().find(|(path, _)| path == Path::new(file)).map(|(_, text)| text.clone()).unwrap_or_default()
        };
        let text = |file: &str| of(&controller, file);
        let manifest = text("Cargo.toml");
        assert!(manifest.contains("name = \"arm_mover\"") && manifest.contains("\"/somewhere/chiron/scenarios\""));
        let profile = |text: &str| text.parse::<toml::Table>().map(|manifest| manifest["profile"]["release"].clone());
        assert_eq!(profile(&manifest), profile(include_str!("../../../Cargo.toml")));
        assert!(profile(&manifest).is_ok(), "{manifest}");
        let page = text("src/main.rs");
        assert!(page.contains(".with(\"arm_mover\", ArmMover::new)") && !page.contains("Wave"), "{page}");
        assert!(text("arm_mover.toml").contains("name = \"arm_mover\""));
        let (page, case) = (of(&skill, "src/main.rs"), of(&skill, "arm_mover.toml"));
        assert!(page.contains(".with_skill(\"arm_mover\", ArmMover::new)") && !page.contains("Wave"), "{page}");
        assert!(page.contains("`arm_mover = { joint") && case.contains("\narm_mover = { joint"), "{case}");
        let (check, plant, components) = (files(&CHECK), files(&PLANT), files(&COMPONENTS));
        assert!(of(&check, "src/main.rs").contains(".with_check(\"arm_mover\", ArmMover::new)"));
        assert!(of(&check, "arm_mover.toml").contains("kind = \"arm_mover\""));
        let page = of(&plant, "src/main.rs");
        assert!(
            page.contains(".with_plant(\"arm_mover\", Pace::LockStep, build)")
                && page.contains("pub struct ArmMoverClock")
        );
        assert!(of(&plant, "arm_mover.toml").contains("plant = \"arm_mover\""));
        assert!(of(&components, "src/main.rs").contains(".with_components(\"arm_mover\", shared)"));
        assert!(of(&components, "arm_mover.toml").contains("name = \"arm_mover\""));
    }

    #[test]
    fn names_that_something_that_ships_has_are_refused_for_their_kind() {
        for (name, thing) in [("metric", NewThing::Check), ("sim", NewThing::Plant), ("goto", NewThing::Skill)] {
            let message = expect_free(name, thing).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(message.contains(&format!("found '{name}'")), "{message}");
            assert!(expect_free(name, NewThing::Controller).is_ok());
        }
        assert!(expect_free("program", NewThing::Components).is_err());
    }

    #[test]
    fn names_that_cargo_or_rust_would_refuse_are_refused() {
        for name in ["", "Wave", "my-arm", "7up", "_a", "mission", "chiron", "a b", "ärm", &"a".repeat(65)] {
            assert!(expect_name(name).is_err(), "{name}");
        }
        assert!(expect_name("wave2_left").is_ok());
    }
}
