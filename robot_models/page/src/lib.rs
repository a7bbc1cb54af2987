//! TOML that people write, and what is wrong with it: every reader of this project says so in the same words, with file, line, field, what was
//! expected and what was found.
//!
//! ```
//! use page::{Page, Range};
//!
//! const LENGTH: Range = Range::new(1e-6, 100.0, "m");
//! let page = Page { file: "robot.toml", text: "[[wheel]]\nname = \"left\"\nradius = -0.1\n" };
//! let root = page.parse()?;
//! let radii = page.fields(&root).each_named("wheel", |wheel, _name| wheel.number("radius", LENGTH));
//! assert_eq!(
//!     radii.unwrap_err().to_string(),
//!     "robot.toml:3: wheel[0].radius: expected a number from 0.000001 to 100 [m], found float `-0.1`"
//! );
//! # Ok::<(), page::Fault>(())
//! ```

mod fault;
mod fields;
mod near;
mod page;
mod words;

pub use fault::Fault;
pub use fields::{Fields, Range, Value, complete};
pub use near::hint;
pub use page::{Page, Place};

#[cfg(test)]
mod tests;
