//! `chiron bus`: emulated boards on a network card, and what boards are there.

use hil::bus_file::{self, Found};
use hil::link::RawSocket;
use hil::main_device::{Scanned, scan};
use hil::realtime::RealtimeSetup;
use hil::virtual_bus::server::{Service, serve};
use hil::wire::AlCode;

use super::run::{Changes, load_stage};
use crate::case::PlantKind;
use crate::cli::{BusAction, BusArgs, Outcome};
use crate::{Library, ScenarioError, interrupt};

/// Counts are printed this often [s].
const TOLD_EVERY_SECONDS: f64 = 5.0;

/// Serves a scenario's boards, or tells what boards are on a cable.
pub fn bus(args: &BusArgs, quiet: bool) -> Result<Outcome, ScenarioError> {
    match (&args.action, &args.case, &args.interface) {
        (Some(BusAction::Scan { interface }), ..) => tell_boards(interface),
        (None, Some(case), Some(interface)) => serve_boards(case, interface, args, quiet),
        _ => Err(ScenarioError::Usage(
            "bus: expected CASE --interface INTERFACE, or scan INTERFACE; for example: chiron bus bench_two_drives \
             --interface veth1"
                .to_owned(),
        )),
    }
}

fn serve_boards(case: &str, interface: &str, args: &BusArgs, quiet: bool) -> Result<Outcome, ScenarioError> {
    let changes = Changes { seed: args.seed, plant: Some(PlantKind::VirtualBus), ..Changes::default() };
    let stage = load_stage(&Library::find(), case, &changes)?;
    interrupt::install();
    let (mut bus, period) = (stage.virtual_bus()?, stage.layout().period);
    let mut link = RawSocket::open(interface)?;
    let setup = RealtimeSetup { priority: args.priority, core: args.core, ..RealtimeSetup::default() };
    print!("{}", setup.apply());
    println!("{}: {} boards on {interface}, cycle {period}", stage.case.name, stage.bus_boards());
    let every = (TOLD_EVERY_SECONDS / period.seconds()) as u64;
    let end = args.duration.map(|seconds| (seconds / period.seconds()) as u64);
    let mut told = 0;
    let served = serve(&mut bus, &mut link, period, |service| {
        if !quiet && service.cycles >= told + every {
            told = service.cycles;
            println!("{}", line(service));
        }
        !interrupt::requested() && end.is_none_or(|end| service.cycles < end)
    })?;
    println!("{}", line(&served));
    Ok(Outcome::Passed)
}

fn line(service: &Service) -> String {
    let Service { frames, dropped, unsent, cycles, skipped, longest_answer, longest_cycle, in_use } = *service;
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
