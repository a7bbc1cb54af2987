//! Limits of a robot: how much it survives, by direction and by what it does, on a page.
//!
//! A [`MapPlan`] says what is to be drawn, [`draw`] makes the runs, and the [`Map`] is a table, a page and JSON. Nothing here knows a robot: whether it
//! has a gait is what its telemetry says (`gait_phase`), and whether it has fallen is what the truth says.

mod bisect;
mod course;
mod draw;
mod fall;
mod ground;
mod levels;
mod map;
mod page;
mod plan;
mod polar;
mod probe;
mod push;
mod stop;
mod stride;
mod text;
mod walk;
mod words;

pub use course::{Course, Moment, Occasion, course};
pub use draw::draw;
pub use levels::Levels;
pub use map::{Cell, Direction, Map, Row, Survived};
pub use page::page;
pub use plan::{MapKind, MapPlan};
pub use push::Shove;
pub use stop::Stop;
pub use text::{summary, table};
