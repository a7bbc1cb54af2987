//! `chiron`: the program.

use std::any::Any;
use std::panic;
use std::process::ExitCode;

use clap::Parser;
use scenarios::cli::{Cli, Outcome, execute};
use scenarios::interrupt;

/// What a shell says of a program whose reader has gone away: 128 and the number of SIGPIPE.
const READER_GONE: u8 = 141;

fn main() -> ExitCode {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !is_broken_pipe(info.payload()) {
            usual(info);
        }
    }));
    // unwinding, not the signal, ends the program then: a robot on a bus is switched off on the way out
    match panic::catch_unwind(|| execute(Cli::parse())) {
        Ok(Ok(Outcome::Passed)) => ExitCode::SUCCESS,
        Ok(Ok(Outcome::Failed)) => ExitCode::from(1),
        Ok(Ok(Outcome::Interrupted)) => ExitCode::from(interrupt::EXIT_CODE),
        Ok(Err(error)) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
        Err(payload) if is_broken_pipe(payload.as_ref()) => ExitCode::from(READER_GONE),
        Err(payload) => panic::resume_unwind(payload),
    }
}

/// True for what `println!` panics with when nobody reads any more, as behind `| head`.
fn is_broken_pipe(payload: &(dyn Any + Send)) -> bool {
    payload.downcast_ref::<String>().is_some_and(|message| message.contains("Broken pipe"))
}
