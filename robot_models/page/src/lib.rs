//! TOML that people write, and what is wrong with it: every reader of this project says so in the same words, with file, line, field, what was
//! expected and what was found.
//!
//! ```
//! let page = page::Page { file: "robot.toml", text: "[[wheel]]\nradius = \"large\"\n" };
//! #[derive(serde::Deserialize)]
//! struct Wheel {
//!     radius: f64,
//! }
//! #[derive(serde::Deserialize)]
//! struct Robot {
//!     wheel: Vec<Wheel>,
//! }
//! let fault = page.read::<Robot>().map(|robot| robot.wheel[0].radius).unwrap_err();
//! assert_eq!(fault.to_string(), "robot.toml:2: [[wheel]] radius: expected a number, found string \"large\"");
//! ```

mod fault;
mod fields;
mod near;
mod page;
mod words;

pub use fault::Fault;
pub use fields::{Fields, Range, Value};
pub use near::hint;
pub use page::{Page, Place};

#[cfg(test)]
mod tests;
