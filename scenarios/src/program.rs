//! The program: `chiron`, or one of somebody else's that knows more controllers.

use std::any::Any;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::cli::{Bench, Cli, Command};
use crate::outcome::Outcome;
use crate::{Library, Registry, ScenarioError, command, environment, interrupt};

/// What a shell says of a program whose reader has gone away: 128 and the number of SIGPIPE.
const READER_GONE: u8 = 141;

/// Does what the command line asks, with these controllers and plants, and says how it ended: 0 passed, 1 a check failed, 2 bad input, 130
/// interrupted.
pub fn main(registry: Registry) -> ExitCode {
    environment::complete();
    environment::note_name();
    if let Some(message) = registry.taken_name() {
        return refuse(&message);
    }
    let library = match Library::find() {
        Ok(library) => library.with_registry(registry),
        Err(error) => return refuse(&error.to_string()),
    };
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if output_error(info.payload()).is_none() {
            usual(info);
        }
    }));
    // unwinding, not the signal, ends the program then: a robot on a bus is switched off on the way out
    match panic::catch_unwind(AssertUnwindSafe(|| execute(command_line(library.registry()), &library))) {
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

/// What was typed; the help of a program of somebody else's says what it has of its own.
fn command_line(registry: &Registry) -> Cli {
    let mut command = Cli::command();
    if let Some(own) = registry.own() {
        for name in ["run", "check"] {
            command = command.mut_subcommand(name, |command| {
                let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
                command.after_help(format!("{own}\n\n{help}"))
            });
        }
    }
    Cli::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
}

/// Does what the command line asks, with what the library has.
pub fn execute(cli: Cli, library: &Library) -> Result<Outcome, ScenarioError> {
    let quiet = cli.quiet;
    match cli.command {
        Command::Run(args) => command::run(&args, library, quiet),
        Command::Check(args) => command::check(&args, library, quiet),
        Command::Table(args) => command::table(&args),
        Command::Replay(args) => command::replay(&args, library, quiet),
        Command::Slam(args) => command::slam(&args, quiet),
        Command::Export(args) => command::export(&args, quiet),
        Command::Diff(args) => command::diff(&args),
        Command::View(args) => command::view(&args, library),
        Command::Robot(args) => command::robot(&args, library),
        Command::Bus(args) => command::bus(&args, library, quiet),
        Command::New(args) => command::new(&args),
        Command::Chart(args) => command::chart(&args, library),
        Command::Bench(args) => match args.what {
            Bench::Speed => command::bench(&args, library, quiet),
            Bench::Physics => command::book(&args, quiet),
        },
        Command::Settings(args) => command::settings(&args, library),
        Command::Doctor => command::doctor(library),
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
