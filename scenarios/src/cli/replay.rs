//! The command line of `chiron replay`.

use std::path::PathBuf;

use clap::Args;

use super::moment;

/// `chiron replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A log.
    pub log: PathBuf,
    /// Recompute the run and name the first cycle, component and field that differs.
    #[arg(long, conflicts_with_all = ["controllers_only", "fork_at", "view"])]
    pub verify: bool,
    /// Show the log in the viewer, with a time line.
    #[arg(long)]
    pub view: bool,
    /// Feed the recorded readings to the controllers and compare their commands.
    #[arg(long, conflicts_with_all = ["fork_at", "view"])]
    pub controllers_only: bool,
    /// Let one component of the controller do again, alone, what it did, and name the first call in which it does something else.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["verify", "controllers_only", "fork_at", "view"])]
    pub component: Option<String>,
    /// The run's controller was a program: start it again, for --verify, --controllers-only or a fork. Not for logs of people whom
    /// you do not trust: the log says which program.
    #[arg(long)]
    pub run_program: bool,
    /// Go on from this time [s] with another seed or other settings.
    #[arg(long, value_name = "S", requires = "out", value_parser = moment)]
    pub fork_at: Option<f64>,
    /// The seed of a fork.
    #[arg(long, requires = "fork_at")]
    pub seed: Option<u64>,
    /// A setting of a fork, for example cruise_speed=0.3 or locomotion.body.gain=0.2; see controllers/README.md.
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "fork_at")]
    pub settings: Vec<String>,
    /// Where a fork leaves its results; a folder with results is refused without --force.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the results in the folder, each once the new one is whole.
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Leave out the pictures of the scene in a fork's report.
    #[arg(long, requires = "fork_at")]
    pub no_pictures: bool,
    /// Render the scene to this PNG …
    #[arg(long, value_name = "FILE", requires = "at")]
    pub screenshot: Option<PathBuf>,
    /// … in the first cycle from this simulated time on [s].
    #[arg(long, value_name = "S", requires = "screenshot", value_parser = moment)]
    pub at: Option<f64>,
}
