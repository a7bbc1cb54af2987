//! `chiron bus`: emulated boards on a network card, and what boards are there.

mod calibrate;
mod import;

use hil::bus_file::{self, Found};
use hil::link::RawSocket;
use hil::main_device::{Scanned, scan};
use hil::realtime::RealtimeSetup;
use hil::virtual_bus::server::{Service, serve};
use hil::wire::AlCode;
use robot_io::Period;

use super::run::load_stage;
use crate::case::PlantKind;
use crate::cli::{BusAction, BusArgs, Changes, Ends};
use crate::outcome::Outcome;
use crate::{Library, ScenarioError, console, interrupt};

/// Counts are printed this often [s].
const TOLD_EVERY_SECONDS: f64 = 5.0;

/// Serves a scenario's boards, or tells what boards are on a cable.
pub fn bus(args: &BusArgs, library: &Library, quiet: bool) -> Result<Outcome, ScenarioError> {
    match (&args.action, &args.case, &args.interface) {
        (Some(BusAction::Scan { interface }), ..) => tell_boards(interface),
        (Some(BusAction::Calibrate(args)), ..) => calibrate::calibrate(args, library),
        (Some(BusAction::Import(args)), ..) => import::import(args),
        (Some(BusAction::Acknowledge { run }), ..) => say(run.as_deref(), "acknowledge"),
        (Some(BusAction::Stop { run }), ..) => say(run.as_deref(), "stop"),
        (Some(BusAction::Pause { run }), ..) => say(run.as_deref(), "pause"),
        (Some(BusAction::Resume { run }), ..) => say(run.as_deref(), "resume"),
        (None, Some(case), Some(interface)) => serve_boards(library, case, interface, args, quiet),
        _ => Err(ScenarioError::Usage(
            "bus: expected CASE --interface INTERFACE, or scan INTERFACE; for example: chiron bus bench_two_drives \
             --interface veth1"
                .to_owned(),
        )),
    }
}

/// Says a word to a run that is under way, as a person at its terminal would.
fn say(run: Option<&str>, word: &str) -> Result<Outcome, ScenarioError> {
    let (lines, done) = console::say(run, word)?;
    lines.iter().for_each(|line| println!("{line}"));
    Ok(if done { Outcome::Passed } else { Outcome::Failed })
}

fn serve_boards(
    library: &Library,
    case: &str,
    interface: &str,
    args: &BusArgs,
    quiet: bool,
) -> Result<Outcome, ScenarioError> {
    let changes = Changes { seed: args.seed, ends: Ends::of_plant(PlantKind::VirtualBus), ..Changes::default() };
    let stage = load_stage(library, case, &changes)?;
    interrupt::install();
    let (mut bus, period) = (stage.virtual_bus()?, stage.layout().period);
    let mut link = RawSocket::open(interface)?.for_boards()?;
    let setup = RealtimeSetup { priority: args.priority, core: args.core.map(usize::from), ..RealtimeSetup::default() };
    print!("{}", setup.apply());
    println!("{}: {} boards on {interface}, cycle {period}", stage.case.name, stage.bus_boards());
    let every = (TOLD_EVERY_SECONDS / period.seconds()) as u64;
    let end = args.duration.map(|seconds| (seconds / period.seconds()) as u64);
    let mut told = 0;
    let mut lateness = Lateness::new(period);
    let served = serve(&mut bus, &mut link, period, |service| {
        if let Some(message) = lateness.message(service) {
            eprintln!("{message}");
        }
        if !quiet && service.cycles >= told + every {
            told = service.cycles;
            println!("{}", line(service));
        }
        !interrupt::requested() && end.is_none_or(|end| service.cycles < end)
    })?;
    println!("{}", line(&served));
    Ok(if interrupt::requested() { Outcome::Interrupted } else { Outcome::Passed })
}

/// Says that the robot's time is behind while it is: once when that begins, and then once a second of the robot's time.
struct Lateness {
    period: Period,
    /// The cycle in which it was last said; `None` while the robot is in time.
    said_in: Option<u64>,
    skipped: u64,
}

impl Lateness {
    fn new(period: Period) -> Lateness {
        Lateness { period, said_in: None, skipped: 0 }
    }

    fn message(&mut self, service: &Service) -> Option<String> {
        let given_up = service.skipped - self.skipped;
        if service.behind <= self.period.nanoseconds() && given_up == 0 {
            self.said_in = None;
            return None;
        }
        let second = (1.0 / self.period.seconds()) as u64;
        if self.said_in.is_some_and(|cycle| service.cycles < cycle + second) {
            return None;
        }
        (self.said_in, self.skipped) = (Some(service.cycles), service.skipped);
        let left_out = if given_up == 0 { String::new() } else { format!(", {given_up} cycles left out") };
        let expired = match service.expired {
            0 => String::new(),
            boards => {
                format!(", {boards} boards left OP because no outputs reached them in time (AL status code 0x001b)")
            }
        };
        Some(format!(
            "late: the robot's time is {:.1} ms behind{left_out}{expired}; this program was held up, or a cycle takes longer than {} \
             (longest so far {:.1} ms)",
            service.behind as f64 * 1e-6,
            self.period,
            service.longest_cycle as f64 * 1e-6
        ))
    }
}

fn line(service: &Service) -> String {
    let Service { frames, dropped, unsent, cycles, skipped, longest_answer, longest_cycle, in_use, .. } = *service;
    let state = if in_use { "in use" } else { "waiting for a MainDevice" };
    format!(
        "{state}: {cycles} cycles, {frames} frames, {dropped} dropped, {unsent} unsent, {skipped} cycles left out, \
         longest answer {:.1} µs, longest cycle {:.1} µs",
        longest_answer as f64 * 1e-3,
        longest_cycle as f64 * 1e-3
    )
}

/// A page that is a bus file: the boards as comments, and its beginning for whoever knows what they drive.
fn tell_boards(interface: &str) -> Result<Outcome, ScenarioError> {
    let boards = scan(RawSocket::open(interface)?)?;
    if boards.is_empty() {
        eprintln!("no board answers on {interface}");
        return Ok(Outcome::Failed);
    }
    println!("# place  name                      vendor      product     revision    serial      alias   now");
    boards.iter().zip(1..).for_each(|(board, place)| println!("{}", row(place, board)));
    let found: Vec<Found> = boards.into_iter().map(|board| board.found).collect();
    print!("\n{}", bus_file::skeleton(&found));
    Ok(Outcome::Passed)
}

fn row(place: usize, board: &Scanned) -> String {
    let Scanned { found, state, code, .. } = board;
    let state = state.map_or("in no known state".to_owned(), |state| state.to_string());
    let error = if *code == AlCode::NONE { String::new() } else { format!(", {code}") };
    let Found { alias, vendor, product, revision, serial, name } = found;
    // the EEPROM's text may hold anything, a comment may not
    let name: String = name.chars().filter(|letter| !letter.is_control()).collect();
    format!(
        "# {place:5}  {name:24}  {vendor:#010x}  {product:#010x}  {revision:#010x}  {serial:<10}  {alias:<6}  {state}{error}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_said_when_it_begins_and_once_a_second_while_it_lasts() {
        let mut lateness = Lateness::new(Period::from_milliseconds(2));
        let mut said = |cycles: u64, behind_ms: u64, skipped: u64| {
            let service = Service { cycles, behind: 1_000_000 * behind_ms, skipped, ..Service::default() };
            lateness.message(&service)
        };
        assert_eq!(said(1, 1, 0), None, "less than a period");
        let first = said(2, 30, 0).unwrap_or_default();
        assert!(first.starts_with("late: the robot's time is 30.0 ms behind; "), "{first}");
        assert_eq!(said(3, 31, 0), None);
        assert!(said(502, 32, 0).is_some(), "a second later");
        assert_eq!(said(503, 0, 0), None);
        assert!(said(504, 5, 0).is_some(), "it begins again");
        assert!(said(600, 0, 0).is_none() && said(601, 0, 40).is_some_and(|text| text.contains("40 cycles left out")));
    }
}
