//! Which board sits where, what it drives, and how it is to be treated: the bus file, TOML.
//!
//! [`BusPlan::load`] reads one; [`compare`] holds it against the boards that a MainDevice [`Found`] on the cable;
//! [`skeleton`] begins one from them. Every field, with its unit: `hil/README.md`.

mod boards;
mod checks;
mod identify;
mod mismatch;
mod names;
mod page;
mod read;
mod skeleton;
mod table;

use std::path::Path;

use robot_io::{Period, RobotLayout};

pub use identify::{Found, compare};
pub use skeleton::skeleton;

use crate::HilError;
use crate::board::{BoardType, ParseBoard};

/// A bus file with its joints and sensors found in a robot's layout.
#[derive(Debug)]
pub struct BusPlan {
    /// The bus's name, for people.
    pub name: String,
    /// Whether boards run on distributed clocks, and how long after the cycle's start SYNC0 fires; `None` for boards that
    /// react on the frame itself.
    pub sync0_shift: Option<Period>,
    /// Outputs that stay away this long switch a board off by its own watchdog.
    pub watchdog: Period,
    /// True if other means than these boards may drive the joints that no board drives: a mixed plant, a bench.
    pub partial: bool,
    /// What the bridge does about trouble.
    pub reactions: Reactions,
    /// The boards, in the order of the cable.
    pub boards: Vec<BoardPlan>,
    /// The file itself, so that a log can carry it: path and text.
    pub source: (String, String),
}

/// One board.
#[derive(Debug)]
pub struct BoardPlan {
    /// Its name in messages.
    pub name: String,
    /// Its second address, if it is found by that instead of its place on the cable.
    pub alias: Option<u16>,
    /// Who it is.
    pub identity: Identity,
    /// What it is.
    pub kind: Box<dyn BoardType>,
}

/// Who a board is: words 8 to 15 of its EEPROM. Revision and serial number are compared where the file gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Number of the maker (ETG's list).
    pub vendor: u32,
    /// The maker's number of the product.
    pub product: u32,
    /// The product's revision.
    pub revision: Option<u32>,
    /// The board's own number.
    pub serial: Option<u32>,
}

/// What the bridge does about trouble: how long it is ridden through, and what the healthy boards do once it is latched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reactions {
    /// Lost or late frames in a row, short working counters and implausible positions that are ridden through [cycles].
    pub ride_through: u64,
    /// A board whose samples do not advance for this long is stale [cycles].
    pub stale_after: u64,
    /// Commands older than this do not reach a drive [cycles].
    pub command_age: u64,
    /// A position that moves faster than this many times the joint's velocity limit has jumped.
    pub jump_factor: f64,
    /// A winding above this is told [°C].
    pub warn_temperature: f64,
    /// A winding above this stops the robot [°C].
    pub stop_temperature: f64,
    /// What the healthy boards do once the robot is stopped.
    pub stop: StopReaction,
}

/// What the healthy boards do once the robot is stopped. A board that has itself failed is damped or off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReaction {
    /// Hold the position with the last gains: for robots that stand.
    #[default]
    Hold,
    /// Zero velocity and no stiffness: for arms and test benches, a robot on legs sinks slowly.
    Damp,
    /// No torque.
    Off,
}

impl Default for Reactions {
    fn default() -> Self {
        Reactions {
            ride_through: 2,
            stale_after: 3,
            command_age: 2,
            jump_factor: 4.0,
            warn_temperature: 80.0,
            stop_temperature: 100.0,
            stop: StopReaction::Hold,
        }
    }
}

impl BusPlan {
    /// Reads the bus file at `path` for a robot.
    pub fn load(path: &Path, layout: &RobotLayout) -> Result<BusPlan, HilError> {
        let shown = path.display().to_string();
        let unreadable = |error: std::io::Error| HilError::BusFile {
            file: shown.clone(),
            line: 1,
            message: format!("cannot be read: {error}"),
        };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        BusPlan::parse(&text, &shown, layout)
    }

    /// Reads the text of a bus file for a robot; `shown_path` is the name that errors give.
    pub fn parse(text: &str, shown_path: &str, layout: &RobotLayout) -> Result<BusPlan, HilError> {
        BusPlan::parse_with(text, shown_path, layout, crate::board::TYPES)
    }

    /// The same with board types of one's own: the word in a bus file and what reads the board's settings.
    pub fn parse_with(
        text: &str,
        shown_path: &str,
        layout: &RobotLayout,
        types: &[(&str, ParseBoard)],
    ) -> Result<BusPlan, HilError> {
        read::bus_plan(&page::Page { file: shown_path, text }, layout, types)
    }

    /// Bytes of process data per cycle: to the boards, and from them.
    pub fn process_data_bytes(&self) -> (usize, usize) {
        let maps = || self.boards.iter().map(|board| board.kind.pdo_map());
        (maps().map(|map| map.output_bytes()).sum(), maps().map(|map| map.input_bytes()).sum())
    }
}
