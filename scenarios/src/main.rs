//! `chiron`: the program, with what ships.

use std::process::ExitCode;

fn main() -> ExitCode {
    scenarios::main(scenarios::Registry::standard())
}
