//! Which board sits where, what it drives, and how it is to be treated: the bus file, TOML.
//!
//! [`BusPlan::load`] reads one; [`compare`] holds it against the boards that a MainDevice [`Found`] on the cable;
//! [`skeleton`] begins one from them. Every field, with its unit: `hil/README.md`.

mod boards;
mod calibration;
mod checks;
mod identify;
mod mismatch;
mod read;
mod skeleton;
mod stop;
mod templates;

use std::path::Path;

use page::{Fault, Page};
use robot_io::{Period, RobotLayout};

pub use calibration::{Calibrated, Calibration, ZeroOffset};
pub use identify::{Found, compare, locate};
pub use skeleton::skeleton;
pub use stop::{StopReaction, StopRules};

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
    /// The calibration file that it names, if it names one: path and text.
    pub calibration: Option<(String, String)>,
}

/// A bus file with what it names: paths as errors show them, and texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusSource {
    /// The bus file.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The calibration file and its text; `None` for a bus file that names none.
    pub calibration: Option<(String, String)>,
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
    /// It may be absent.
    pub optional: bool,
    /// What it does once the robot is stopped, where that is its own.
    pub stop: StopRules,
    /// Where its zero offset was measured, if it is from a calibration file.
    pub calibrated: Option<Calibrated>,
}

impl BoardPlan {
    /// True for a board that may leave at any time. One with a joint may only be absent from the beginning, since a joint in motion
    /// that nobody knows any more is a stop.
    pub fn may_leave(&self) -> bool {
        self.optional && self.kind.joints().is_empty()
    }
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
    /// A board's clock that is farther from the reference clock is told [ns].
    pub warn_clock: u64,
    /// What the healthy boards do once the robot is stopped, where their own rules say nothing.
    pub stop: StopRules,
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
            warn_clock: 10_000,
            stop: StopRules::default(),
        }
    }
}

impl BusPlan {
    /// Reads the bus file at `path` for a robot.
    pub fn load(path: &Path, layout: &RobotLayout) -> Result<BusPlan, HilError> {
        BusPlan::from_source(&BusSource::read(path, path)?, layout)
    }

    /// Reads a bus file and the calibration that it names, for a robot.
    pub fn from_source(source: &BusSource, layout: &RobotLayout) -> Result<BusPlan, HilError> {
        let BusSource { file, text, calibration } = source;
        let page = Page { file, text };
        Ok(read::bus_plan(&page, layout, crate::board::TYPES, read::Offsets::Given(calibration.as_ref()))?)
    }

    /// Reads the text of a bus file for measuring: all zero offsets are 0, whatever it and its calibration say.
    pub fn uncalibrated(source: &BusSource, layout: &RobotLayout) -> Result<BusPlan, HilError> {
        let page = Page { file: &source.file, text: &source.text };
        Ok(read::bus_plan(&page, layout, crate::board::TYPES, read::Offsets::Zero)?)
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
        let page = Page { file: shown_path, text };
        Ok(read::bus_plan(&page, layout, types, read::Offsets::Given(None))?)
    }

    /// The files that it was read from.
    pub fn as_source(&self) -> BusSource {
        let (file, text) = self.source.clone();
        BusSource { file, text, calibration: self.calibration.clone() }
    }

    /// Bytes of process data per cycle: to the boards, and from them.
    pub fn process_data_bytes(&self) -> (usize, usize) {
        let maps = || self.boards.iter().map(|board| board.kind.pdo_map());
        (maps().map(|map| map.output_bytes()).sum(), maps().map(|map| map.input_bytes()).sum())
    }
}

impl BusSource {
    /// Reads a bus file and the calibration file that it names, which lies beside it; `shown` is how messages call it.
    pub fn read(path: &Path, shown: &Path) -> Result<BusSource, HilError> {
        let mut source = BusSource::read_alone(path, shown)?;
        let Some((name, line)) = source.calibration_named()? else { return Ok(source) };
        let beside = |file: &Path| file.parent().unwrap_or(Path::new("")).join(&name);
        let unreadable = |error: std::io::Error| {
            let file = beside(shown).display().to_string();
            let message = format!("calibration: {file} cannot be read: {error}; chiron bus calibrate writes it");
            Fault::new(&source.file, line, message)
        };
        let text = std::fs::read_to_string(beside(path)).map_err(unreadable)?;
        source.calibration = Some((beside(shown).display().to_string(), text));
        Ok(source)
    }

    /// Reads a bus file alone, as before its calibration exists.
    pub fn read_alone(path: &Path, shown: &Path) -> Result<BusSource, HilError> {
        let file = shown.display().to_string();
        let unreadable = |error: std::io::Error| Fault::new(&file, 1, format!("cannot be read: {error}"));
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        Ok(BusSource { file, text, calibration: None })
    }

    /// The calibration file that the bus file names, and the line that does, from 1.
    pub fn calibration_named(&self) -> Result<Option<(String, usize)>, HilError> {
        Ok(read::calibration_named(&Page { file: &self.file, text: &self.text })?)
    }
}
