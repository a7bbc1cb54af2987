//! `chiron`: the program.

use std::process::ExitCode;

use clap::Parser;
use scenarios::cli::{Cli, Outcome, execute};

fn main() -> ExitCode {
    match execute(Cli::parse()) {
        Ok(Outcome::Passed) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
