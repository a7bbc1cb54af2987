//! The part of `chiron check`'s command line that draws maps of limits.

use std::path::PathBuf;

use clap::Args;

use crate::limits::MapKind;

/// `chiron check CASE --map …`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Maps")]
pub struct MapArgs {
    /// Do not check: draw how much the scenario's robot survives, by direction, as a page, a table and JSON.
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["junit", "results", "same_as"])]
    pub map: Option<MapKind>,
    /// From one size that is tried to the next [default: push 0.05 m/s, slope 1°, step 0.01 m].
    #[arg(long, value_name = "SIZE", requires = "map")]
    pub resolution: Option<f64>,
    /// The largest size that is tried [default: push 1 m/s, slope 20°, step 0.2 m].
    #[arg(long, value_name = "SIZE", requires = "map")]
    pub limit: Option<f64>,
    /// push and slope: how many directions, from straight ahead on [default: 8].
    #[arg(long, value_name = "N", requires = "map", value_parser = clap::value_parser!(u16).range(1..=72))]
    pub directions: Option<u16>,
    /// push: into how many phases a step is divided; a robot without a gait has but one [default: 8].
    #[arg(long, value_name = "N", requires = "map", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub phases: Option<u16>,
    /// push: the link that is pushed, at its origin [default: that of the scenario's first push, else the base].
    #[arg(long, value_name = "LINK", requires = "map")]
    pub push_link: Option<String>,
    /// push: how long it lasts [default: 0.1] [s].
    #[arg(long, value_name = "S", requires = "map")]
    pub push_seconds: Option<f64>,
    /// For so long after the push, or at the goal, it must not fall [default: push 5, slope and step 2] [s].
    #[arg(long, value_name = "S", requires = "map")]
    pub recover: Option<f64>,
    /// push: compute each run from its beginning; as a rule it begins just before its push, and comes to the same.
    #[arg(long, requires = "map")]
    pub from_start: bool,
    /// Every cell must survive so much, in the map's unit; else the exit code is 1.
    #[arg(long, value_name = "SIZE", requires = "map")]
    pub least: Option<f64>,
    /// Where to leave map_WHAT.html and map_WHAT.json [default: out/CASE-maps].
    #[arg(long, value_name = "DIR", requires = "map")]
    pub out: Option<PathBuf>,
    /// Replace a map that is there.
    #[arg(long, requires = "map")]
    pub force: bool,
}
