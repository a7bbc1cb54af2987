//! The calibration file: where each drive's joint stands when its encoder says zero, as measured on the robot.
//!
//! It is a file of its own, so that a measurement never touches what people wrote. The bus file names it
//! (`calibration = "FILE"`), and each entry says for which drive it was made: the offset belongs to that drive's encoder
//! and to how it is mounted, not to the joint alone.

use core::fmt::Write;

use page::{Fault, Page};
use robot_io::RobotLayout;
use toml::Value;

use super::table::{Content, Field, Table};
use super::{Identity, names};

/// The largest offset [rad] or [m].
const MOST: f64 = 1e6;
const FILE_FIELDS: [&str; 4] = ["bus", "robot", "date", "board"];
const BOARD_FIELDS: [&str; 7] = ["name", "joint", "vendor", "product", "serial", "position", "offset"];

/// Zero offsets with the drives that they were measured for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// The bus that it is for, by the name in its file.
    pub bus: String,
    /// The robot that it is for.
    pub robot: String,
    /// When it was measured, for people.
    pub date: String,
    /// One for each board that was calibrated.
    pub zeros: Vec<ZeroOffset>,
}

/// One drive's zero offset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ZeroOffset {
    /// The board's name in the bus file.
    pub board: String,
    /// The joint that it drives.
    pub joint: String,
    /// Number of the drive's maker.
    pub vendor: u32,
    /// The maker's number of the product.
    pub product: u32,
    /// The drive's own number; 0 for a drive that has none and cannot be told from others of its kind.
    pub serial: u32,
    /// Where the joint stood when it was measured [rad] or [m].
    pub position: f64,
    /// The joint's position where the encoder says zero [rad] or [m].
    pub offset: f64,
    /// The line of its table, from 1; 0 for one that is not from a file.
    pub line: usize,
}

/// Where a board's offset comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibrated {
    /// File and line.
    pub place: String,
    /// When it was measured.
    pub date: String,
    /// The serial number that it was measured for; 0 for none.
    pub serial: u32,
}

impl Calibration {
    /// Reads the text of a calibration file; `shown_path` is the name that errors give.
    pub fn parse(text: &str, shown_path: &str) -> Result<Calibration, Fault> {
        let page = &Page { file: shown_path, text };
        let mut file = Table::parse(page)?;
        let mut text = |key: &str| {
            let missing = || page.fault(0, format!("expected `{key}`, a text"));
            file.text(page, key)?.ok_or_else(missing)
        };
        let (bus, robot, date) = (text("bus")?, text("robot")?, text("date")?);
        let tables = match file.take("board").map(|field| (field.at, field.content)) {
            Some((_, Content::Tables(tables))) => tables,
            Some((at, other)) => {
                return Err(page.fault(at, format!("board: expected [[board]] tables, found {}", other.describe())));
            }
            None => return Err(page.lacks("board", "a [[board]]")),
        };
        file.finish(page, "the calibration", &FILE_FIELDS)?;
        let zeros = tables.into_iter().map(|table| zero(page, table)).collect::<Result<Vec<_>, _>>()?;
        for (index, zero) in zeros.iter().enumerate() {
            if let Some(first) = zeros[..index].iter().find(|other| other.board == zero.board) {
                let message = format!("board '{}': expected once, found in line {} too", zero.board, first.line);
                return Err(Fault::new(page.file, zero.line, message));
            }
        }
        Ok(Calibration { bus, robot, date, zeros })
    }

    /// The file's text.
    pub fn to_toml(&self) -> String {
        let quoted = |text: &str| Value::String(text.to_owned()).to_string();
        let Calibration { bus, robot, date, zeros } = self;
        let mut text = format!(
            "# Zero offsets, measured by `chiron bus calibrate`. The bus file names this file: calibration = \"...\".\n\
             # Each offset belongs to one drive as it is mounted: measure again after a drive, motor or encoder was exchanged.\n\n\
             bus = {}\nrobot = {}\ndate = {}\n",
            quoted(bus),
            quoted(robot),
            quoted(date)
        );
        for ZeroOffset { board, joint, vendor, product, serial, position, offset, .. } in zeros {
            let (board, joint) = (quoted(board), quoted(joint));
            // writing to a String cannot fail
            let _ = write!(
                text,
                "\n[[board]]\nname = {board}\njoint = {joint}\nvendor = {vendor:#x}\nproduct = {product:#x}\n\
                 serial = {serial}\nposition = {position:?} # where the joint stood [rad]\n\
                 offset = {offset:?} # its position where the encoder says zero [rad]\n"
            );
        }
        text
    }

    /// Takes over what `newer` has measured; what it has not stays.
    pub fn renew(&mut self, newer: Calibration) {
        self.zeros.retain(|zero| newer.zeros.iter().all(|other| other.board != zero.board));
        self.zeros.extend(newer.zeros);
        (self.bus, self.robot, self.date) = (newer.bus, newer.robot, newer.date);
    }
}

fn zero(page: &Page, mut table: Table) -> Result<ZeroOffset, Fault> {
    let at = table.at;
    let missing = |key: &str| page.fault(at, format!("[[board]]: expected `{key}`"));
    let board = table.text(page, "name")?.ok_or_else(|| missing("name"))?;
    let joint = table.text(page, "joint")?.ok_or_else(|| missing("joint"))?;
    let mut word = |key: &str| {
        let found = table.whole(page, key, 0..=u64::from(u32::MAX), "")?;
        Ok::<_, Fault>(found.ok_or_else(|| missing(key))? as u32)
    };
    let (vendor, product, serial) = (word("vendor")?, word("product")?, word("serial")?);
    let mut number = |key: &str| table.number(page, key, -MOST..=MOST, " [rad]")?.ok_or_else(|| missing(key));
    let (position, offset) = (number("position")?, number("offset")?);
    table.finish(page, "[[board]]", &BOARD_FIELDS)?;
    Ok(ZeroOffset { board, joint, vendor, product, serial, position, offset, line: page.line(at) })
}

/// A calibration and the file that it is from.
#[derive(Clone, Debug)]
pub(super) struct Zeros {
    pub file: String,
    pub calibration: Calibration,
}

impl Zeros {
    /// Is it for this bus and robot, and does the bus have the boards?
    pub fn check<'b>(
        &self,
        bus: &str,
        layout: &RobotLayout,
        boards: impl Iterator<Item = &'b str> + Clone,
    ) -> Result<(), Fault> {
        let Calibration { bus: for_bus, robot, zeros, .. } = &self.calibration;
        if for_bus != bus || *robot != layout.robot {
            let message = format!(
                "expected a calibration of bus '{bus}' of robot '{}', found one of bus '{for_bus}' of robot '{robot}'",
                layout.robot
            );
            return Err(self.error(1, message));
        }
        let unknown = |zero: &&ZeroOffset| boards.clone().all(|board| board != zero.board);
        let Some(zero) = zeros.iter().find(unknown) else { return Ok(()) };
        let hint = names::hint(&zero.board, boards.clone());
        Err(self.error(zero.line, format!("board '{}': the bus file has no such board{hint}", zero.board)))
    }

    /// Puts the measured offset into a board's table, if there is one. A measurement for another drive is refused here where
    /// the bus file says which drive it wants, and at start-up where it does not.
    pub fn apply(
        &self,
        page: &Page,
        table: &mut Table,
        board: &str,
        identity: &mut Identity,
    ) -> Result<Option<Calibrated>, Fault> {
        let Some(zero) = self.calibration.zeros.iter().find(|zero| zero.board == board) else { return Ok(None) };
        if let Some(field) = table.fields.get("offset") {
            let place = format!("{}:{}", self.file, zero.line);
            let message = format!("board '{board}': offset: expected none beside the measured one in {place}, found ");
            return Err(page.fault(field.at, message + &field.content.describe()));
        }
        let joint = table.fields.get("joint").map(|field| field.content.clone());
        if !matches!(&joint, Some(Content::Value(Value::String(joint))) if *joint == zero.joint) {
            let joint = joint.map_or("no joint".to_owned(), |joint| joint.describe());
            let message = format!("board '{board}': measured for joint '{}', and it drives {joint}", zero.joint);
            return Err(self.error(zero.line, message));
        }
        self.is_for(identity, zero)?;
        identity.serial = identity.serial.or(Some(zero.serial).filter(|serial| *serial != 0));
        let content = Content::Value(Value::Float(zero.offset));
        table.fields.insert("offset".to_owned(), Field { at: table.at, content });
        let place = format!("{}:{}", self.file, zero.line);
        Ok(Some(Calibrated { place, date: self.calibration.date.clone(), serial: zero.serial }))
    }

    fn is_for(&self, wanted: &Identity, zero: &ZeroOffset) -> Result<(), Fault> {
        let same = (wanted.vendor, wanted.product) == (zero.vendor, zero.product);
        if same && wanted.serial.is_none_or(|serial| serial == zero.serial) {
            return Ok(());
        }
        let drive = |vendor, product, serial: Option<u32>| {
            let serial = serial.map_or(String::new(), |serial| format!(", serial {serial}"));
            format!("vendor {vendor:#x}, product {product:#x}{serial}")
        };
        let message = format!(
            "board '{}': its offset was measured for another drive: expected {}, found {}; measure it again (chiron bus \
             calibrate) or take this entry out",
            zero.board,
            drive(wanted.vendor, wanted.product, wanted.serial),
            drive(zero.vendor, zero.product, Some(zero.serial))
        );
        Err(self.error(zero.line, message))
    }

    fn error(&self, line: usize, message: String) -> Fault {
        Fault::new(&self.file, line, message)
    }
}
