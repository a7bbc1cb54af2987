//! The command line of `chiron new`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `chiron new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// What to begin.
    #[command(subcommand)]
    pub thing: NewThing,
}

/// What can be begun.
#[derive(Debug, Subcommand)]
pub enum NewThing {
    /// A controller: Cargo.toml, src/main.rs and a scenario.
    Controller {
        /// Its name: small letters, digits and _, a letter first.
        name: String,
        /// Where to put it; a folder that exists is refused [default: ./NAME].
        #[arg(long, value_name = "DIR")]
        path: Option<PathBuf>,
    },
    /// A skill, for steps of missions: Cargo.toml, src/main.rs and a scenario.
    Skill {
        /// Its name: small letters, digits and _, a letter first.
        name: String,
        /// Where to put it; a folder that exists is refused [default: ./NAME].
        #[arg(long, value_name = "DIR")]
        path: Option<PathBuf>,
    },
    /// A controller in another process: a program in Python, and a scenario.
    Program {
        /// Its name: small letters, digits and _, a letter first.
        name: String,
        /// Where to put it; a folder that exists is refused [default: ./NAME].
        #[arg(long, value_name = "DIR")]
        path: Option<PathBuf>,
    },
}
