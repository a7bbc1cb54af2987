//! The bus file from top to bottom.

use page::{Fault, Page};
use robot_io::{Period, RobotLayout};

use super::calibration::{Calibration, Zeros};
use super::table::{Content, Table};
use super::{BusPlan, Reactions, StopRules, boards, checks};
use crate::board::ParseBoard;

/// Bus cycles for which drives and this program are made [µs].
const CYCLES: core::ops::RangeInclusive<u64> = 125..=20_000;
/// The longest watchdog: beyond a second nobody would call it one [ms].
const LONGEST_WATCHDOG: u64 = 1_000;
const REACTIONS: [&str; 9] = [
    "warn_clock_us",
    "ride_through",
    "stale_after",
    "command_age",
    "jump_factor",
    "warn_temperature",
    "stop_temperature",
    "stop",
    "stop_on",
];

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
    page: &Page,
    layout: &RobotLayout,
    types: &[(&str, ParseBoard)],
    offsets: Offsets<'_>,
) -> Result<BusPlan, Fault> {
    let mut file = Table::parse(page)?;
    cycle_is_possible(page, layout)?;
    let name = file.text(page, "name")?.ok_or_else(|| page.fault(0, "expected `name`, the bus's name"))?;
    let reactions = reactions(page, file.table(page, "reactions")?)?;
    let sync0_shift = sync0_shift(page, &mut file, layout)?;
    let watchdog = watchdog(page, &mut file, layout, &reactions)?;
    let partial = file.flag(page, "partial")?.unwrap_or(false);
    let zeros = zeros(page, &mut file, offsets)?;
    let defaults = file.table(page, "defaults")?;
    let tables = board_tables(page, &mut file)?;
    file.finish(
        page,
        "the bus",
        &["name", "sync0_shift_us", "watchdog_ms", "partial", "calibration", "reactions", "defaults", "board"],
    )?;
    let measuring = matches!(offsets, Offsets::Zero);
    let entries = boards::read(page, tables, &defaults, layout, types, (zeros.as_ref(), measuring))?;
    checks::all(page, &entries, layout, partial)?;
    if let Some(zeros) = &zeros {
        zeros.check(&name, layout, entries.iter().map(|entry| entry.plan.name.as_str()))?;
    }
    let boards = entries.into_iter().map(|entry| entry.plan).collect();
    let source = (page.file.to_owned(), page.text.to_owned());
    let calibration = if let Offsets::Given(calibration) = offsets { calibration.cloned() } else { None };
    Ok(BusPlan { name, sync0_shift, watchdog, partial, reactions, boards, source, calibration })
}

/// The calibration file that a bus file names, and the line.
pub(super) fn calibration_named(page: &Page) -> Result<Option<(String, usize)>, Fault> {
    let mut file = Table::parse(page)?;
    let line = page.line(file.place("calibration"));
    Ok(file.text(page, "calibration")?.map(|name| (name, line)))
}

fn zeros(page: &Page, file: &mut Table, offsets: Offsets<'_>) -> Result<Option<Zeros>, Fault> {
    let at = file.place("calibration");
    match (file.text(page, "calibration")?, offsets) {
        (None, _) | (_, Offsets::Zero) => Ok(None),
        (Some(_), Offsets::Given(Some((file, text)))) => {
            Ok(Some(Zeros { file: file.clone(), calibration: Calibration::parse(text, file)? }))
        }
        (Some(name), Offsets::Given(None)) => {
            Err(page.fault(at, format!("calibration: expected the text of '{name}' with this file's, found none")))
        }
    }
}

fn cycle_is_possible(page: &Page, layout: &RobotLayout) -> Result<(), Fault> {
    let cycle = layout.period.nanoseconds() / 1_000;
    if CYCLES.contains(&cycle) {
        return Ok(());
    }
    let (least, most) = (CYCLES.start(), CYCLES.end());
    let found = format!("{cycle} of robot '{}'", layout.robot);
    Err(page.fault(0, format!("the bus's cycle: expected {least} to {most} [µs], found {found}")))
}

fn sync0_shift(page: &Page, file: &mut Table, layout: &RobotLayout) -> Result<Option<Period>, Fault> {
    let most = layout.period.nanoseconds() / 1_000 - 1;
    let shift = file.whole(page, "sync0_shift_us", 0..=most, " [µs], less than the robot's cycle")?;
    Ok(shift.map(Period::from_microseconds))
}

/// A board's watchdog must outlast what the bridge rides through, or it would trip first.
fn watchdog(page: &Page, file: &mut Table, layout: &RobotLayout, reactions: &Reactions) -> Result<Period, Fault> {
    let cycle = layout.period.nanoseconds();
    let least = ((reactions.ride_through + 2) * cycle).div_ceil(1_000_000).max(1);
    let note = format!(" [ms], at least ride_through + 2 = {} cycles", reactions.ride_through + 2);
    let found = file.whole(page, "watchdog_ms", least..=LONGEST_WATCHDOG, &note)?;
    let missing = || {
        page.fault(0, "expected `watchdog_ms`, after which a board without outputs does what its bus_loss says [ms]")
    };
    found.map(Period::from_milliseconds).ok_or_else(missing)
}

fn reactions(page: &Page, mut table: Table) -> Result<Reactions, Fault> {
    let usual = Reactions::default();
    let stop_at = table.place("stop_temperature");
    let mut cycles = |name: &str, least: u64, most: u64, usual: u64| {
        table.whole(page, name, least..=most, " [cycles]").map(|found| found.unwrap_or(usual))
    };
    let ride_through = cycles("ride_through", 0, 50, usual.ride_through)?;
    let stale_after = cycles("stale_after", 1, 100, usual.stale_after)?;
    let command_age = cycles("command_age", 1, 50, usual.command_age)?;
    let warn_clock = table.whole(page, "warn_clock_us", 1..=1_000_000, " [µs]")?;
    let warn_clock = warn_clock.map_or(usual.warn_clock, |microseconds| 1_000 * microseconds);
    let mut number = |name: &str, least: f64, most: f64, unit: &str, usual: f64| {
        table.number(page, name, least..=most, unit).map(|found| found.unwrap_or(usual))
    };
    let jump_factor = number("jump_factor", 1.0, 100.0, " times the joint's velocity limit", usual.jump_factor)?;
    let warn_temperature = number("warn_temperature", 0.0, 200.0, " [°C]", usual.warn_temperature)?;
    let stop_temperature = number("stop_temperature", 0.0, 200.0, " [°C]", usual.stop_temperature)?;
    let stop = StopRules::read(page, &mut table, "")?;
    table.finish(page, "[reactions]", &REACTIONS)?;
    if stop_temperature <= warn_temperature {
        let expected = format!("more than warn_temperature, {warn_temperature} [°C]");
        let message = format!("stop_temperature: expected {expected}, found {stop_temperature}");
        return Err(page.fault(stop_at, message));
    }
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

fn board_tables(page: &Page, file: &mut Table) -> Result<Vec<Table>, Fault> {
    match file.take("board") {
        Some(field) => match field.content {
            Content::Tables(tables) => Ok(tables),
            other => Err(page.fault(field.at, format!("board: expected [[board]] tables, found {}", other.describe()))),
        },
        None => Err(page.lacks("board", "a [[board]]")),
    }
}
