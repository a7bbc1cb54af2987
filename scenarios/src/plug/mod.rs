//! What can stand behind the plug of a session, and what sees for it.

mod eyes;
mod later;
mod mixed;
mod plant;

pub use eyes::{BehindBoards, Eyes, Measurements, Seeing, SideLink};
pub use later::Later;
pub use mixed::mix;
pub use plant::{PlantClock, PlantRobot};
