//! Where scenarios, worlds, robots and controllers are found.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Registry, ScenarioError, built_in};

/// A folder with `scenarios/cases`, `worlds` and `robot_models`, and what the program knows beside.
#[derive(Clone, Debug)]
pub struct Library {
    root: PathBuf,
    registry: Arc<Registry>,
    /// Where paths begin before they are looked for from the working directory.
    beside: Option<PathBuf>,
}

impl Library {
    /// The library at `root`, with what ships.
    pub fn at(root: &Path) -> Library {
        Library { root: root.to_owned(), registry: Arc::default(), beside: None }
    }

    /// The library that the working directory lies in, else the checkout that this program was built from, else what the program
    /// carries with it, laid out in the user's cache.
    pub fn find() -> Result<Library, ScenarioError> {
        let is_library = |folder: &&Path| folder.join("scenarios/cases").is_dir();
        let working = std::env::current_dir().unwrap_or_default();
        let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        match working.ancestors().chain(built_from).find(is_library) {
            Some(root) => Ok(Library::at(root)),
            None => Library::built_in(&built_in::folder()),
        }
    }

    /// What the program carries with it, laid out in a folder.
    pub fn built_in(folder: &Path) -> Result<Library, ScenarioError> {
        built_in::unpack(folder)?;
        Ok(Library::at(folder))
    }

    /// The same with other controllers and plants.
    #[must_use]
    pub fn with_registry(self, registry: Registry) -> Library {
        Library { registry: Arc::new(registry), ..self }
    }

    /// The same for what a scenario in `folder` names: its paths begin there.
    #[must_use]
    pub fn beside(&self, folder: &Path) -> Library {
        Library { beside: Some(folder.to_owned()), ..self.clone() }
    }

    /// The controllers and plants.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of a scenario given by name or path.
    pub fn case(&self, name: &str) -> Result<PathBuf, ScenarioError> {
        self.resolve(name, "scenario", &self.root.join("scenarios/cases"), &format!("{name}.toml"))
    }

    /// The file of a world given by name or path.
    pub fn world(&self, name: &str) -> Result<PathBuf, ScenarioError> {
        self.resolve(name, "world", &self.root.join("worlds"), &format!("{name}.toml"))
    }

    /// The file of a robot given by name or path (TOML or URDF).
    pub fn robot(&self, name: &str) -> Result<PathBuf, ScenarioError> {
        self.resolve(name, "robot", &self.root.join("robot_models"), &format!("{name}/{name}.toml"))
    }

    /// The bus file of a robot: by path, by name in the robot's folder, or `bus.toml` there.
    pub fn bus(&self, name: Option<&str>, robot_file: &Path) -> Result<PathBuf, ScenarioError> {
        match name {
            Some(name) => {
                let folder = robot_file.parent().unwrap_or(Path::new("."));
                self.resolve(name, "bus file", folder, &format!("{name}.toml"))
            }
            None => {
                let path = robot_file.with_file_name("bus.toml");
                let message =
                    "no such bus file, which says what boards the robot has; a scenario's `bus` can name another";
                let missing = || ScenarioError::File { path: path.clone(), message: message.to_owned() };
                if path.is_file() { Ok(path) } else { Err(missing()) }
            }
        }
    }

    /// The names of all scenarios that ship, in order.
    pub fn case_names(&self) -> Result<Vec<String>, ScenarioError> {
        names(&self.root.join("scenarios/cases"))
    }

    /// A path relative to the library where it lies within, for logs and reports.
    pub fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// A name is one of those that ship, else that of a file beside the scenario that names it or in the working directory.
    fn resolve(&self, name: &str, what: &str, folder: &Path, file: &str) -> Result<PathBuf, ScenarioError> {
        let is_name = !name.contains(['/', '\\']) && Path::new(name).extension().is_none();
        let ours = self.beside.iter().map(PathBuf::as_path).chain([Path::new("")]);
        let places: Vec<PathBuf> = match is_name {
            true => [folder].into_iter().chain(ours).map(|folder| folder.join(file)).collect(),
            false => ours.chain([self.root.as_path()]).map(|folder| folder.join(name)).collect(),
        };
        places.iter().find(|place| place.is_file()).cloned().ok_or_else(|| {
            let known = if is_name { names(folder).unwrap_or_default() } else { Vec::new() };
            let known = if known.is_empty() { String::new() } else { format!("; there are: {}", known.join(", ")) };
            let absolute = |place: &PathBuf| std::path::absolute(place).unwrap_or_else(|_| place.clone());
            let mut looked: Vec<String> = places.iter().map(|place| absolute(place).display().to_string()).collect();
            looked.dedup();
            let message = format!("no such {what}{known}; looked for {}", looked.join(", "));
            ScenarioError::File { path: PathBuf::from(name), message }
        })
    }
}

/// TOML files for the tools that build and lint this repository, which describe no robot, world or scenario.
const TOOLS: [&str; 5] = ["Cargo", "clippy", "deny", "rustfmt", "rust-toolchain"];

/// The stems of the TOML files in a folder or, for robots, one folder down; sorted.
fn names(folder: &Path) -> Result<Vec<String>, ScenarioError> {
    let entries = std::fs::read_dir(folder).map_err(|error| ScenarioError::file(folder, "list", &error))?;
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| name_of(&entry.path())).collect();
    names.sort();
    Ok(names)
}

fn name_of(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?.to_owned();
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let holds_toml = path.join(format!("{stem}.toml")).is_file();
    let is_tool = TOOLS.contains(&stem.trim_start_matches('.'));
    ((is_toml && !is_tool) || holds_toml).then_some(stem)
}
