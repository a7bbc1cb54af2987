//! The calibration file: where each drive's joint stands when its encoder says zero, as measured on the robot.
//!
//! It is a file of its own, so that a measurement never touches what people wrote. The bus file names it
//! (`calibration = "FILE"`), and each entry says for which drive it was made: the offset belongs to that drive's encoder
//! and to how it is mounted, not to the joint alone.

use core::fmt::Write;

use page::{Fault, Fields, Page, Range};
use robot_io::RobotLayout;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use super::Identity;
use super::read::board_tables;

/// Where a joint may stand, and its offset.
const POSITION: Range = Range::new(-1e6, 1e6, "rad or m");

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
        let page = Page { file: shown_path, text };
        let root = page.parse()?;
        let mut file = page.fields(&root);
        let mut text = |key| file.text(key).map(str::to_owned);
        let (bus, robot, date) = (text("bus")?, text("robot")?, text("date")?);
        let tables = board_tables(&page, &mut file)?;
        file.finish()?;
        let zeros = tables.into_iter().map(|table| zero(&page, table)).collect::<Result<Vec<_>, _>>()?;
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

fn zero(page: &Page<'_>, mut table: Fields<'_>) -> Result<ZeroOffset, Fault> {
    let line = page.line(table.place());
    let zero = ZeroOffset {
        board: table.text("name")?.to_owned(),
        joint: table.text("joint")?.to_owned(),
        vendor: table.whole("vendor", 0..=u32::MAX.into())? as u32,
        product: table.whole("product", 0..=u32::MAX.into())? as u32,
        serial: table.whole("serial", 0..=u32::MAX.into())? as u32,
        position: table.number("position", POSITION)?,
        offset: table.number("offset", POSITION)?,
        line,
    };
    table.finish()?;
    Ok(zero)
}

/// A calibration and the file that it is from.
#[derive(Clone, Debug)]
pub(super) struct Zeros {
    file: String,
    calibration: Calibration,
    /// The offsets as TOML, from which boards' tables are completed.
    offsets: Vec<String>,
}

impl Zeros {
    /// What is read from a file.
    pub fn new(file: &str, calibration: Calibration) -> Zeros {
        let offsets = calibration.zeros.iter().map(|zero| format!("{:?}", zero.offset)).collect();
        Zeros { file: file.to_owned(), calibration, offsets }
    }

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
        let hint = page::hint(&zero.board, boards.clone());
        Err(self.error(zero.line, format!("board '{}': the bus file has no such board{hint}", zero.board)))
    }

    /// Puts the measured offset into a board's table, if there is one.
    pub fn put_into<'d>(&'d self, page: &Page<'_>, name: &str, table: &mut Spanned<DeTable<'d>>) -> Result<(), Fault> {
        let mut measured = self.calibration.zeros.iter().zip(&self.offsets);
        let Some((zero, offset)) = measured.find(|(zero, _)| zero.board == name) else { return Ok(()) };
        let mut fields = page.fields(table).named(format!("board '{name}'"));
        if let Some(own) = fields.get("offset") {
            let expected = format!("none beside the measured one in {}:{}", self.file, zero.line);
            return Err(own.error(&expected, &own.found()));
        }
        // one without a joint is told so by `identify`
        if !table.get_ref().contains_key("joint") {
            return Ok(());
        }
        let (at, offset) = (table.span(), DeValue::parse(offset).map_err(|error| page.not_toml(&error))?);
        table.get_mut().insert(Spanned::new(at.clone(), "offset".into()), Spanned::new(at, offset.into_inner()));
        Ok(())
    }

    /// Where a board's offset comes from, if it was measured. A measurement for another drive is refused here where the bus
    /// file says which drive it wants, and at start-up where it does not.
    pub fn identify(
        &self,
        board: &str,
        joint: Option<&str>,
        identity: &mut Identity,
    ) -> Result<Option<Calibrated>, Fault> {
        let Some(zero) = self.calibration.zeros.iter().find(|zero| zero.board == board) else { return Ok(None) };
        if joint != Some(&zero.joint) {
            let joint = joint.map_or("no joint".to_owned(), |joint| format!("joint '{joint}'"));
            let message = format!("board '{board}': measured for joint '{}', and it drives {joint}", zero.joint);
            return Err(self.error(zero.line, message));
        }
        self.is_for(identity, zero)?;
        identity.serial = identity.serial.or(Some(zero.serial).filter(|serial| *serial != 0));
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
