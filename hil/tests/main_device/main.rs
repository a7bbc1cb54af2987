//! The MainDevice on boards in memory: up, through trouble, and back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod bench;
mod cycle;
mod recovery;
mod start;
