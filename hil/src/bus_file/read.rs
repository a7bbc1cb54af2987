//! The bus file from top to bottom.

use page::{Fault, Fields, Page, Range};
use robot_io::{Period, RobotLayout};

use super::boards::{self, Reader};
use super::calibration::{Calibration, Zeros};
use super::templates::Templates;
use super::{BusPlan, Reactions, StopRules, checks};
use crate::board::{ParseBoard, skin::SKIN};

/// Bus cycles for which drives and this program are made [µs].
const CYCLES: core::ops::RangeInclusive<u64> = 125..=20_000;
/// The longest watchdog: beyond a second nobody would call it one [ms].
const LONGEST_WATCHDOG: u64 = 1_000;

/// Where zero offsets come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Offsets<'s> {
    /// From the bus file and, if it names one, this calibration file: path and text.
    Given(Option<&'s (String, String)>),
    /// All are 0: for measuring.
    Zero,
}

/// Everything.
pub(super) fn bus_plan(
    page: &Page<'_>,
    layout: &RobotLayout,
    types: &[(&str, ParseBoard)],
    offsets: Offsets<'_>,
) -> Result<BusPlan, Fault> {
    let root = page.parse()?;
    let mut file = page.fields(&root);
    cycle_is_possible(page, layout)?;
    let name = file.text("name")?.to_owned();
    let reactions = reactions(&mut file)?;
    let sync0_shift = sync0_shift(&mut file, layout)?;
    let watchdog = watchdog(&mut file, layout, &reactions)?;
    let partial = file.flag_or("partial", false)?;
    let zeros = zeros(&mut file, offsets)?;
    let templates = Templates::read(&mut file)?;
    let boards = board_tables(page, &mut file)?;
    file.finish()?;
    let mut tables = Vec::new();
    for mut board in boards {
        let name = boards::name(&mut board)?;
        let mut table = templates.complete(&mut board)?;
        match &zeros {
            Some(zeros) => zeros.put_into(page, name, &mut table)?,
            None if matches!(offsets, Offsets::Zero) => drop(table.get_mut().remove("offset")),
            None => {}
        }
        tables.push((name, table));
    }
    let reader = Reader { layout, types, zeros: zeros.as_ref() };
    let entries = tables.iter().map(|(name, table)| reader.board(name, page.fields(table)));
    let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
    let has_skin = entries.iter().any(|entry| entry.plan.kind.type_name() == SKIN);
    entries.retain(|entry| entry.plan.kind.is_there());
    checks::all(page, &entries, layout, partial)?;
    if has_skin && !partial {
        checks::all_contacts_are_read(page, &entries, layout)?;
    }
    if let Some(zeros) = &zeros {
        zeros.check(&name, layout, entries.iter().map(|entry| entry.plan.name.as_str()))?;
    }
    let boards = entries.into_iter().map(|entry| entry.plan).collect();
    let source = (page.file.to_owned(), page.text.to_owned());
    let calibration = if let Offsets::Given(calibration) = offsets { calibration.cloned() } else { None };
    Ok(BusPlan { name, sync0_shift, watchdog, partial, reactions, boards, source, calibration })
}

/// The `[[board]]` tables, of which there must be one.
pub(super) fn board_tables<'d>(page: &Page<'_>, file: &mut Fields<'d>) -> Result<Vec<Fields<'d>>, Fault> {
    let tables = file.tables("board")?;
    if tables.is_empty() { Err(page.lacks("board", "a [[board]]")) } else { Ok(tables) }
}

/// The calibration file that a bus file names, and the line.
pub(super) fn calibration_named(page: &Page<'_>) -> Result<Option<(String, usize)>, Fault> {
    let root = page.parse()?;
    let Some(named) = page.fields(&root).get("calibration") else { return Ok(None) };
    Ok(Some((named.text()?.to_owned(), page.line(&named))))
}

fn zeros(file: &mut Fields<'_>, offsets: Offsets<'_>) -> Result<Option<Zeros>, Fault> {
    let Some(named) = file.get("calibration") else { return Ok(None) };
    let name = named.text()?;
    match offsets {
        Offsets::Zero => Ok(None),
        Offsets::Given(Some((file, text))) => Ok(Some(Zeros::new(file, Calibration::parse(text, file)?))),
        Offsets::Given(None) => Err(named.error(&format!("the text of '{name}' with this file's"), "none")),
    }
}

fn cycle_is_possible(page: &Page<'_>, layout: &RobotLayout) -> Result<(), Fault> {
    let cycle = layout.period.nanoseconds() / 1_000;
    if CYCLES.contains(&cycle) {
        return Ok(());
    }
    let expected = format!("{} to {} [µs]", CYCLES.start(), CYCLES.end());
    Err(page.expected(0, "the bus's cycle", expected, format!("{cycle} of robot '{}'", layout.robot)))
}

fn sync0_shift(file: &mut Fields<'_>, layout: &RobotLayout) -> Result<Option<Period>, Fault> {
    let most = layout.period.nanoseconds() / 1_000 - 1;
    let Some(shift) = file.get("sync0_shift_us") else { return Ok(None) };
    Ok(Some(Period::from_microseconds(shift.whole_in(0..=most, "µs, less than the robot's cycle")?)))
}

/// A board's watchdog must outlast what the bridge rides through, or it would trip first.
fn watchdog(file: &mut Fields<'_>, layout: &RobotLayout, reactions: &Reactions) -> Result<Period, Fault> {
    let cycles = reactions.ride_through + 2;
    let least = (cycles * layout.period.nanoseconds()).div_ceil(1_000_000).max(1);
    let expected = "the time after which a board without outputs does what its bus_loss says [ms]";
    let watchdog = file.need("watchdog_ms", expected)?;
    let unit = format!("ms, at least ride_through + 2 = {cycles} cycles");
    Ok(Period::from_milliseconds(watchdog.whole_in(least..=LONGEST_WATCHDOG, &unit)?))
}

fn reactions(file: &mut Fields<'_>) -> Result<Reactions, Fault> {
    let usual = Reactions::default();
    let Some(value) = file.get("reactions") else { return Ok(usual) };
    let mut table = value.table()?;
    let mut whole = |key, bounds, unit, usual| table.get(key).map_or(Ok(usual), |value| value.whole_in(bounds, unit));
    let ride_through = whole("ride_through", 0..=50, "cycles", usual.ride_through)?;
    let stale_after = whole("stale_after", 1..=100, "cycles", usual.stale_after)?;
    let command_age = whole("command_age", 1..=50, "cycles", usual.command_age)?;
    let warn_clock = 1_000 * whole("warn_clock_us", 1..=1_000_000, "µs", usual.warn_clock / 1_000)?;
    let factor = Range::new(1.0, 100.0, "times the joint's velocity limit");
    let jump_factor = table.number_or("jump_factor", factor, usual.jump_factor)?;
    let celsius = Range::new(0.0, 200.0, "°C");
    let warn_temperature = table.number_or("warn_temperature", celsius, usual.warn_temperature)?;
    let stop_temperature = table.number_or("stop_temperature", celsius, usual.stop_temperature)?;
    if stop_temperature <= warn_temperature {
        let expected = format!("more than warn_temperature, {warn_temperature} [°C]");
        return Err(table.error_at("stop_temperature", &expected, &stop_temperature.to_string()));
    }
    let stop = StopRules::read(&mut table)?;
    table.finish()?;
    Ok(Reactions {
        ride_through,
        stale_after,
        command_age,
        jump_factor,
        warn_temperature,
        stop_temperature,
        warn_clock,
        stop,
    })
}
