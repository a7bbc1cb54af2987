//! What tests of this crate share.
#![allow(clippy::unwrap_used, dead_code, reason = "tests, each of which uses a part")]

pub mod mutator;
pub mod runs;
pub mod shell;
