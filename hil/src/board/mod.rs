#![doc = include_str!("README.md")]

pub mod body;
pub mod cia402;
mod echo;
mod encoder;
mod fault;
pub mod fields;
pub mod scaling;
pub mod skin;
pub mod values;
pub mod walkman_force_torque;
pub mod walkman_joint;

pub use fault::BoardFault;

use core::fmt;

use page::{Fault, Fields};
use robot_io::{Commands, Readings, RobotLayout, State, StateVisitor, Time};

use crate::coe::Dictionary;
use crate::pdo::PdoMap;

/// One board of a bus file.
pub trait BoardType: fmt::Debug + Send + Sync {
    /// The word for it in a bus file: `cia402`, `walkman_joint`, …
    fn type_name(&self) -> &'static str;

    /// Indices in the layout of the joints that it drives.
    fn joints(&self) -> &[usize] {
        &[]
    }

    /// Indices in the layout of the contact switches and patches of skin that it reads.
    fn contacts(&self) -> &[usize] {
        &[]
    }

    /// False if all that it is for is switched off: then it is not on the cable.
    fn is_there(&self) -> bool {
        true
    }

    /// The process data that the MainDevice asks for.
    fn pdo_map(&self) -> &PdoMap;

    /// True if the map is written by SDO in PRE-OP; false if the board's own is fixed and equal to it.
    fn maps_by_sdo(&self) -> bool {
        false
    }

    /// The MainDevice's end.
    fn driver(&self) -> Box<dyn BoardDriver>;

    /// The emulated board's end.
    fn firmware(&self) -> Box<dyn Firmware>;
}

/// All board types: the word for each in a bus file, and how its settings are read.
pub const TYPES: &[(&str, ParseBoard)] = &[
    ("body", body::parse),
    ("cia402", cia402::parse),
    (skin::SKIN, skin::parse),
    ("walkman_force_torque", walkman_force_torque::parse),
    ("walkman_joint", walkman_joint::parse),
];

/// Reads a board's settings: everything in its `[[board]]` that is not common to all types. A field that it does not ask
/// for is an unknown one.
pub type ParseBoard = fn(&mut Fields<'_>, &RobotLayout) -> Result<Box<dyn BoardType>, Fault>;

/// An object to be written in PRE-OP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SdoDownload {
    /// The object.
    pub index: u16,
    /// Its part.
    pub sub: u8,
    /// The value, little-endian, 1, 2 or 4 bytes.
    pub value: Vec<u8>,
}

/// The MainDevice's end of a board.
pub trait BoardDriver: fmt::Debug + Send {
    /// What is written to the board in PRE-OP, in this order, beside the mapping.
    fn start_up(&self) -> Vec<SdoDownload> {
        Vec::new()
    }

    /// Fills the board's outputs. `inputs` are its newest, so that a state machine takes one step per answer.
    fn encode(&mut self, _order: Order, _commands: &Commands, _inputs: &[u8], _outputs: &mut [u8]) {}

    /// The board has lost its power and was configured again: what it knew is gone.
    fn restarted(&mut self) {}

    /// Takes the board's inputs over into `readings`, with `now` as their stamp where the board gives none.
    fn decode(&mut self, inputs: &[u8], now: Time, readings: &mut Readings) -> BoardReport;

    /// Shows what it remembers.
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor);
}

/// What the bridge wants of a board in this cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// No torque.
    #[default]
    Off,
    /// Switch on if need be, and follow the commands.
    Follow,
    /// Stay on and hold as the commands say, also after it has held by itself; a board that is off stays off.
    Hold,
    /// Stay on, hold still with damping alone: targets are the present position and zero velocity.
    Damp,
    /// Acknowledge a fault; no torque.
    Reset,
    /// Switch on if need be, and look for the zero; only for boards that report [`Homing::Needed`].
    Home,
}

/// What a board says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoardReport {
    /// It is on (CiA 402: operation enabled).
    pub following: bool,
    /// It is on, but says that it does not follow its set-points (CiA 402: statusword bit 12 is 0).
    pub ignores_set_points: bool,
    /// The code of its latched fault (CiA 402: object 0x603F).
    pub fault: Option<u16>,
    /// A number that changes with every sample the board takes; `None` if the board has none.
    pub sample: Option<u64>,
    /// The hottest of its windings [°C], if it measures that.
    pub temperature: Option<f64>,
    /// Whether it knows where it is.
    pub homing: Homing,
    /// Its safe torque off is open: it cannot make torque, and nothing that is sent to it changes that.
    pub sto_open: bool,
}

/// Whether a board knows where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Homing {
    /// Always, or nothing else is asked for.
    #[default]
    NotNeeded,
    /// It has to look for its zero, or is doing so.
    Needed,
    /// It has found it.
    Done,
    /// It has looked in vain.
    Failed,
}

/// The emulated board's program. It lives on its object dictionary: outputs are objects that the MainDevice writes, inputs
/// objects that it reads, parameters objects that SDOs set.
pub trait Firmware: fmt::Debug + Send {
    /// All objects beside mapping, assignment and identity; called once, so that slots can be remembered.
    fn dictionary(&mut self) -> Dictionary;

    /// Runs the board's state machine: after new outputs, after outputs were lost (`operational` is false), and after each
    /// sample. A call that does not follow a sample, with `operational` true, means that outputs have arrived.
    fn react(&mut self, objects: &mut Dictionary, operational: bool);

    /// Outputs have arrived at this time of the bus; `react` follows. Called by whoever knows the time.
    fn outputs_at(&mut self, _now: Time) {}

    /// Measures: takes what concerns it from the robot behind the boards over into its objects. `now` is the time of the
    /// board's own clock.
    fn sample(&mut self, _objects: &mut Dictionary, _readings: &Readings, _now: Time) {}

    /// Acts: turns its objects into commands for the robot's joints that are its own. Without torque a command is
    /// [`JointCommand::default`](robot_io::JointCommand).
    fn act(&mut self, _objects: &Dictionary, _commands: &mut Commands) {}

    /// True once after a fault was acknowledged, so that the robot behind the board resets its own.
    fn take_reset(&mut self) -> bool {
        false
    }

    /// What goes into an emergency message when it changes: the error code (CiA 402 object 0x603F) and the error register
    /// (object 0x1001, bit 0 generic, 1 current, 2 voltage, 3 temperature, 7 manufacturer); both 0 without an error. `None`
    /// from a board that has no emergencies.
    fn error(&self, _objects: &Dictionary) -> Option<(u16, u8)> {
        None
    }

    /// Breaks the board, or mends it with `None`.
    fn set_fault(&mut self, _fault: Option<BoardFault>) {}

    /// Power has come back: everything volatile is forgotten.
    fn power_on(&mut self, _objects: &mut Dictionary) {}

    /// Shows what it remembers, the values of its objects included.
    fn visit_state(&mut self, objects: &mut Dictionary, visitor: &mut dyn StateVisitor);
}

/// What [`BoardReport::fault`] says of inputs with a number that is not finite; such a number never reaches readings.
pub const INVALID_INPUT: u16 = 0xff20;

/// Tells a board's samples apart: the stamp of its readings moves on only with a new one.
#[derive(Clone, Copy, Debug, Default, State)]
pub struct Freshness {
    sample: Option<u64>,
    stamp: Time,
}

impl Freshness {
    /// The stamp of what the inputs say: `now` if the sample is new or not numbered.
    pub fn stamp(&mut self, sample: Option<u64>, now: Time) -> Time {
        if sample.is_none() || sample != self.sample {
            self.stamp = now;
        }
        self.sample = sample;
        self.stamp
    }
}

/// The time on the board's own clock at which the robot behind it measured what it says was measured at `stamp`.
pub fn board_time(readings: &Readings, stamp: Time, now: Time) -> Time {
    let age = readings.time.since(stamp).nanoseconds();
    Time::from_nanoseconds(now.nanoseconds().saturating_sub(age))
}
