//! Somebody's folder outside the repository, and a terminal with a chiron in it.

#![allow(clippy::unwrap_used, dead_code, reason = "tests, each of which uses a part")]

use std::path::{Path, PathBuf};

use clap::Parser;
use scenarios::cli::Cli;
use scenarios::outcome::Outcome;
use scenarios::{Library, Registry, ScenarioError, execute};
use tempfile::TempDir;

/// A folder of one's own.
pub struct Desk {
    folder: TempDir,
    registry: Registry,
}

impl Desk {
    /// An empty folder; `chiron` there knows what this registry knows.
    pub fn new(registry: Registry) -> Desk {
        Desk { folder: TempDir::new().unwrap(), registry }
    }

    /// A folder with what `chiron new KIND NAME` leaves, in `NAME`.
    pub fn beginning(kind: &str, name: &str, registry: Registry) -> Desk {
        let desk = Desk::new(registry);
        let folder = desk.at(name);
        desk.chiron(&["new", kind, name, "--path", folder.to_str().unwrap()]).unwrap();
        desk
    }

    /// A folder with one file.
    pub fn with(file: &str, text: &str, registry: Registry) -> Desk {
        let desk = Desk::new(registry);
        std::fs::write(desk.at(file), text).unwrap();
        desk
    }

    /// The path of a file in the folder.
    pub fn at(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Replaces a text in a file, where there must be one.
    pub fn change(&self, file: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.at(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        std::fs::write(self.at(file), text.replace(from, to)).unwrap();
    }

    /// Does what one types.
    pub fn chiron(&self, arguments: &[&str]) -> Result<Outcome, ScenarioError> {
        self.chiron_of(self.registry.clone(), arguments)
    }

    /// Does the same with a chiron that has nothing but what ships.
    pub fn standard_chiron(&self, arguments: &[&str]) -> Result<Outcome, ScenarioError> {
        self.chiron_of(Registry::standard(), arguments)
    }

    fn chiron_of(&self, registry: Registry, arguments: &[&str]) -> Result<Outcome, ScenarioError> {
        let cli = Cli::parse_from(std::iter::once(&"chiron").chain(arguments));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        execute(cli, &Library::at(&root).with_registry(registry))
    }

    /// Runs a scenario, by name or as a file of the folder, into another folder of it; gives back its metrics too.
    pub fn run(&self, case: &str, more: &[&str], out: &str) -> Result<(Outcome, serde_json::Value), ScenarioError> {
        let (file, out) = (self.at(case), self.at(out));
        let case = if file.is_file() { file.to_str().unwrap() } else { case };
        let fixed = ["run", case, "--no-pictures", "--quiet", "--out", out.to_str().unwrap()];
        let outcome = self.chiron(&[&fixed, more].concat())?;
        let metrics = std::fs::read_to_string(out.join("metrics.json")).unwrap();
        Ok((outcome, serde_json::from_str(&metrics).unwrap()))
    }

    /// Runs a scenario, which must pass; gives back its digest.
    pub fn passes(&self, case: &str, more: &[&str], out: &str) -> String {
        let (outcome, metrics) = self.run(case, more, out).unwrap();
        assert_eq!(outcome, Outcome::Passed, "{more:?}: {metrics}");
        metrics["digest"].as_str().unwrap().to_owned()
    }

    /// Why a scenario is refused.
    pub fn refused(&self, case: &str, more: &[&str]) -> String {
        self.run(case, more, "refused").unwrap_err().to_string()
    }
}

/// The tutorial shows a part of a page as it is run, from `begins` to the end of that part; its comments may be others.
pub fn expect_shown(begins: &str, page: &str) {
    let shown = include_str!("../../../controllers/OWN_CONTROLLER.md");
    let code = shown.split_once(begins).and_then(|(_, rest)| rest.split_once("\n}\n")).unwrap().0;
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    for line in code.lines().filter(|line| !is_comment(line)) {
        let line = line.split(" //").next().unwrap_or_default().trim_end();
        let ran = |ran: &str| ran.split(" //").next().unwrap_or_default().trim_end() == line;
        assert!(page.lines().any(ran), "{line}");
    }
}
