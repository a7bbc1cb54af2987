//! Both ends of each board type over plain buffers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod alone;
mod bench;
mod body;
mod cia402;
mod cia402_faults;
mod cia402_lab;
mod skin;
mod walkman;
