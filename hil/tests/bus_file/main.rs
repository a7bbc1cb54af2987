//! The bus file: what it says, what is refused, and whether the boards on a cable are those of the file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod board;
mod cable;
mod calibration;
mod file;
mod shipped;
