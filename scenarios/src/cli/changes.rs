//! What the command line changes about a scenario.

use clap::Args;

use crate::case::{ControllerPlan, PlantKind};

/// What the command line changes about a scenario.
#[derive(Clone, Debug, Default, Args)]
pub struct Changes {
    /// Another seed than the scenario's.
    #[arg(long)]
    pub seed: Option<u64>,
    /// What stands at both ends of the plug.
    #[command(flatten)]
    pub ends: Ends,
    /// Switch on lasers, cameras and skin beside the scenario's own: names with commas between them, or `all`.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub sensors: Vec<String>,
    /// Another length, above 0 [s].
    #[arg(skip)]
    pub duration: Option<f64>,
    /// A twin beside it.
    #[arg(skip)]
    pub twin: bool,
}

/// Another plant or another controller than the scenario's.
#[derive(Clone, Debug, Default, Args)]
pub struct Ends {
    /// What stands behind the plug: sim, virtual-bus, modelled-bus or ethercat:INTERFACE [default: the scenario's].
    #[arg(long)]
    pub plant: Option<PlantKind>,
    /// Let this controller answer: one that this program knows [default: the scenario's].
    #[arg(long, value_name = "NAME")]
    pub controller: Option<String>,
    /// Let this program answer, in a process of its own: its name and its arguments, up to the next option.
    #[arg(long, value_name = "WORD", num_args = 1.., conflicts_with = "controller")]
    pub program: Vec<String>,
}

impl Ends {
    /// Another plant.
    pub fn of_plant(plant: PlantKind) -> Ends {
        Ends { plant: Some(plant), ..Ends::default() }
    }

    /// The controller that they ask for; `None` for the scenario's.
    pub fn answer(&self) -> Option<ControllerPlan> {
        match self.program.as_slice() {
            [] => self.controller.as_deref().map(ControllerPlan::named),
            words => Some(ControllerPlan::program(words)),
        }
    }
}
