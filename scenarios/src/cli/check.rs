//! The command lines of `chiron check` and `chiron table`.

use std::path::PathBuf;

use clap::Args;

use super::{Ends, MapArgs};
use crate::seeds::Seeds;

/// `chiron check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Scenarios, by name or path [default: all that ship].
    pub cases: Vec<String>,
    /// How many to run at once, 1 to 1024.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,
    /// Seeds A to B, for example 1..=20 or 1-20; 1..20 is without the 20 [default: each scenario's own].
    #[arg(long, value_name = "A..=B")]
    pub seeds: Option<Seeds>,
    /// What stands at both ends of the plug.
    #[command(flatten)]
    pub ends: Ends,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Add each run's result to this file as soon as there is one, a line of JSON each; `chiron table` reads it.
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Each run must come to the same digest as in this file, which `--results` has written before; else it has failed, and the first metric
    /// that differs is named. Shows that a change of the program changes nothing else.
    #[arg(long, value_name = "FILE")]
    pub same_as: Option<PathBuf>,
    /// A map in place of a check.
    #[command(flatten)]
    pub map: MapArgs,
}

/// `chiron table`.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// What `chiron check --results` has written, or metrics.json of runs.
    #[arg(required = true)]
    pub results: Vec<PathBuf>,
    /// A row for each run, too.
    #[arg(long)]
    pub each: bool,
}
