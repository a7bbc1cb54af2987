//! The command line of `chiron bus`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::case::PlantKind;

/// `chiron bus`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BusArgs {
    /// A name in scenarios/cases, or a path.
    pub case: Option<String>,
    /// The network card on which the boards are served.
    #[arg(long, value_name = "INTERFACE")]
    pub interface: Option<String>,
    /// Another seed than the scenario's.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Stop after this much of the robot's time [default: when interrupted] [s].
    #[arg(long, value_name = "S", value_parser = super::duration)]
    pub duration: Option<f64>,
    /// The processor core on which to stay.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..1024))]
    pub core: Option<u16>,
    /// Real-time priority, 1 to 99 [default: none].
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u8).range(1..=99))]
    pub priority: Option<u8>,
    /// Something else with a bus.
    #[command(subcommand)]
    pub action: Option<BusAction>,
}

/// What else can be done with a bus.
#[derive(Debug, Subcommand)]
pub enum BusAction {
    /// Tell which boards are on a cable; changes nothing.
    Scan {
        /// The network card.
        interface: String,
    },
    /// Measure where each drive's encoder has its zero, with the joints held in a known pose; no drive is switched on.
    #[command(
        after_help = "Examples:\n  chiron bus calibrate my_arm --plant ethercat:enp3s0\n  chiron bus calibrate my_arm --plant ethercat:enp3s0 --pose stand --force\n  chiron bus calibrate my_arm --plant ethercat:enp3s0 --board elbow --at 1.5708 --force\n\nThe bus file then names the file: calibration = \"calibration.toml\". A start with another drive in a calibrated place is\nrefused by its serial number."
    )]
    Calibrate(CalibrateArgs),
    /// Print the beginning of a bus file's [[board]] from a maker's ESI file (ETG.2000, XML).
    #[command(
        after_help = "Examples:\n  chiron bus import drive.xml >> my_bus.toml\n  chiron bus import drives.xml --list\n  chiron bus import drives.xml --device EL7211 --revision 0x160000\n\nWhat the file cannot know, as the joint and the encoder, is marked `to do` and refused until it is filled in."
    )]
    Import(ImportArgs),
    /// Acknowledge the stop of a run that is under way: faults are reset, the robot is switched on again and holds.
    #[command(
        after_help = "Examples:\n  chiron bus acknowledge\n  chiron bus acknowledge enp3s0\nThen `chiron bus resume` goes on with a mission that had stopped. Exit code 1 if the robot stays stopped, with the reason."
    )]
    Acknowledge {
        /// The run: its interface, or with --realtime its scenario [default: the only one].
        run: Option<String>,
    },
    /// Stop a run's robot at once: it holds. No replacement for an emergency stop button.
    Stop {
        /// The run: its interface, or with --realtime its scenario [default: the only one].
        run: Option<String>,
    },
    /// Let a run's mission pause.
    Pause {
        /// The run: its interface, or with --realtime its scenario [default: the only one].
        run: Option<String>,
    },
    /// Let a run's mission go on.
    Resume {
        /// The run: its interface, or with --realtime its scenario [default: the only one].
        run: Option<String>,
    },
}

/// `chiron bus import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The ESI file.
    pub file: PathBuf,
    /// Which device: its order code, or its product number (0x1A2B or decimal) [default: the only one].
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Which revision (0x1A2B or decimal) [default: the newest].
    #[arg(long, value_name = "N")]
    pub revision: Option<String>,
    /// The board's name in the bus file.
    #[arg(long, value_name = "NAME", default_value = "board_1")]
    pub name: String,
    /// List the file's devices instead.
    #[arg(long)]
    pub list: bool,
}

/// `chiron bus calibrate`.
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// A scenario whose robot and bus file are meant: a name in scenarios/cases, or a path.
    pub case: String,
    /// Where the drives are: ethercat:INTERFACE; virtual-bus to try it [default: the scenario's].
    #[arg(long)]
    pub plant: Option<PlantKind>,
    /// The robot's pose in which the joints are held now, by its name in the robot's file [default: all joints at zero].
    #[arg(long, value_name = "NAME", conflicts_with = "at")]
    pub pose: Option<String>,
    /// Measure only these boards; what the file says of others stays.
    #[arg(long = "board", value_name = "BOARD")]
    pub boards: Vec<String>,
    /// Where the joint of the one board stands now [rad or m].
    #[arg(long, value_name = "POSITION", requires = "boards", allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// The file to write [default: the one that the bus file names, else calibration.toml beside it].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace what an existing file says of these boards.
    #[arg(long)]
    pub force: bool,
}
