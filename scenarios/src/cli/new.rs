//! The command line of `chiron new`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `chiron new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// What to begin.
    #[arg(value_name = "WHAT")]
    pub thing: NewThing,
    /// Its name: small letters, digits and _, a letter first.
    pub name: String,
    /// Where to put it; a folder that exists is refused [default: ./NAME].
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
}

/// What can be begun. All but the program are Cargo.toml, src/main.rs and a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NewThing {
    /// A controller.
    Controller,
    /// A skill, for steps of missions.
    Skill,
    /// Components that share the robot with the mission.
    Components,
    /// A check, for scenarios.
    Check,
    /// A plant: whatever stands behind the plug.
    Plant,
    /// A controller in another process: a program in Python, and a scenario.
    Program,
}
