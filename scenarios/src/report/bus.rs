//! What the run was like on the bus.

use super::html::{Number, Text, nothing, quantity, table};
use crate::bus_use::{BusUse, ClockUse, Frames};

/// Frames, working counters and clocks; the real-time thread's times and rights where there was one.
pub fn bus(bus: &BusUse) -> String {
    format!(
        "<p><code>{}</code>, {} boards.</p>\n{}{}{}{}",
        Text(&bus.bus),
        bus.boards,
        cycles(bus),
        clocks(&bus.clocks),
        frames(&bus.frames),
        times(bus)
    )
}

fn cycles(bus: &BusUse) -> String {
    let counter = match bus.least_working_counter {
        Some(least) => format!("{least} of {}", bus.expected_working_counter),
        None => "–".to_owned(),
    };
    let rows = [
        ("cycles without inputs in time", bus.lost_cycles.to_string()),
        ("cycles with a short working counter", bus.short_cycles.to_string()),
        ("smallest working counter", counter),
        ("largest difference of clocks", quantity(bus.clock_difference_max_us, "µs")),
        ("cycles that log and checks missed", bus.unseen_cycles.to_string()),
    ];
    table(&["", "#"], rows.into_iter().map(|(what, value)| vec![what.to_owned(), value]))
}

/// How far each board's clock was from the reference clock (register 0x092C).
fn clocks(clocks: &[ClockUse]) -> String {
    if clocks.is_empty() {
        return String::new();
    }
    let row = |clock: &ClockUse| {
        let numbers = [clock.min_ns, clock.median_ns, clock.max_ns].map(|number| number.to_string());
        std::iter::once(Text(&clock.board).to_string()).chain([clock.samples.to_string()]).chain(numbers).collect()
    };
    "<h3>Clocks: phase error to the reference clock</h3>".to_owned()
        + &table(&["board", "samples#", "smallest [ns]#", "median [ns]#", "largest [ns]#"], clocks.iter().map(row))
}

fn frames(frames: &Frames) -> String {
    if *frames == Frames::default() {
        return nothing("This bus is a model without frames.");
    }
    let Frames { sent, received, lost, late, duplicate, stray, malformed, link_errors, skipped_cycles } = *frames;
    let numbers = [sent, received, lost, late, duplicate, stray, malformed, link_errors, skipped_cycles];
    let heads = [
        "sent#",
        "back in time#",
        "lost#",
        "late#",
        "twice#",
        "stray#",
        "malformed#",
        "link errors#",
        "cycles left out#",
    ];
    "<h3>Frames</h3>".to_owned() + &table(&heads, [numbers.iter().map(u64::to_string).collect()])
}

fn times(bus: &BusUse) -> String {
    let Some(times) = &bus.times else {
        return nothing("In lock-step the bus makes its own time: there are no deadlines to keep.");
    };
    let rows = times.rows.iter().map(|row| {
        let numbers = [row.p50_us, row.p90_us, row.p99_us, row.p999_us, row.max_us];
        let numbers = numbers.into_iter().map(|number| Number(number).to_string());
        std::iter::once(row.name.to_owned()).chain(numbers).collect()
    });
    let granted = bus.granted.as_ref().map_or(String::new(), |granted| {
        let row = |step: &hil::realtime::Step| {
            let (class, word) = if step.granted { ("ok", "granted") } else { ("bad", "refused") };
            let mark = format!("<span class=\"{class}\">{word}</span>");
            vec![step.kind.name().to_owned(), mark, Text(&step.found).to_string()]
        };
        "<h3>Asked of the operating system</h3>".to_owned() + &table(&["", "", "found"], granted.steps.iter().map(row))
    });
    format!(
        "<h3>Times</h3><p>{} cycles of {} µs; {} ended after their period.</p>\n{}{granted}",
        times.cycles,
        Number(times.period_us),
        times.deadline_misses,
        table(&["[µs]", "median#", "90 %#", "99 %#", "99.9 %#", "longest#"], rows)
    )
}
