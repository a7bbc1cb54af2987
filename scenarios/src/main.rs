//! `chiron`: the program.

use std::any::Any;
use std::io::Write;
use std::panic;
use std::process::ExitCode;

use clap::Parser;
use scenarios::cli::{Cli, Outcome, execute};
use scenarios::{environment, interrupt};

/// What a shell says of a program whose reader has gone away: 128 and the number of SIGPIPE.
const READER_GONE: u8 = 141;

fn main() -> ExitCode {
    environment::complete();
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if output_error(info.payload()).is_none() {
            usual(info);
        }
    }));
    // unwinding, not the signal, ends the program then: a robot on a bus is switched off on the way out
    match panic::catch_unwind(|| execute(Cli::parse())) {
        Ok(Ok(Outcome::Passed)) => ExitCode::SUCCESS,
        Ok(Ok(Outcome::Failed)) => ExitCode::from(1),
        Ok(Ok(Outcome::Interrupted)) => ExitCode::from(interrupt::EXIT_CODE),
        Ok(Err(error)) => refuse(&error.to_string()),
        Err(payload) => match output_error(payload.as_ref()) {
            Some(message) if message.contains("Broken pipe") => ExitCode::from(READER_GONE),
            Some(message) => refuse(message),
            None => panic::resume_unwind(payload),
        },
    }
}

/// Says why nothing came of it, if anybody can hear.
fn refuse(message: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {message}");
    ExitCode::from(2)
}

/// What `println!` panics with when nobody reads any more, as behind `| head`, or when the disk behind it is full.
fn output_error(payload: &(dyn Any + Send)) -> Option<&str> {
    let message = payload.downcast_ref::<String>()?;
    message.starts_with("failed printing to std").then_some(message)
}
