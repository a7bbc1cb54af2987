//! CiA 402 drives in the cyclic synchronous modes.

mod allowance;
mod brake;
mod contact;
mod dictionary;
mod driver;
mod firmware;
mod homing;
mod mode;
mod motion;
pub mod objects;
mod options;
mod settings;
mod start_up;
mod state;
mod sto;
pub(super) mod trouble;

use std::sync::Arc;

use page::{Fault, Fields};
use robot_io::RobotLayout;

use super::{BoardDriver, BoardType, Firmware};
use crate::pdo::PdoMap;

pub use brake::Brake;
pub use homing::Homing;
pub use mode::{Mode, Modes, Targets, choose};
pub use options::OptionCodes;
pub use settings::{Gains, Settings};
pub use state::{DriveState, control, status};
pub use sto::Sto;

/// A drive of a bus file.
#[derive(Debug)]
struct Cia402 {
    settings: Arc<Settings>,
    joints: [usize; 1],
}

/// Reads a drive's settings.
pub fn parse(fields: &mut Fields<'_>, layout: &RobotLayout) -> Result<Box<dyn BoardType>, Fault> {
    let settings = Settings::read(fields, layout)?;
    let joints = [settings.joint];
    Ok(Box::new(Cia402 { settings: Arc::new(settings), joints }))
}

impl BoardType for Cia402 {
    fn type_name(&self) -> &'static str {
        "cia402"
    }

    fn joints(&self) -> &[usize] {
        &self.joints
    }

    fn contacts(&self) -> &[usize] {
        self.settings.contact.as_slice()
    }

    fn pdo_map(&self) -> &PdoMap {
        &self.settings.map
    }

    fn maps_by_sdo(&self) -> bool {
        self.settings.maps_by_sdo
    }

    fn driver(&self) -> Box<dyn BoardDriver> {
        Box::new(driver::Driver::new(self.settings.clone()))
    }

    fn firmware(&self) -> Box<dyn Firmware> {
        Box::new(firmware::DriveFirmware::new(self.settings.clone()))
    }
}
