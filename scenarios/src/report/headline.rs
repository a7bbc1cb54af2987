//! The top of the page: the verdict, the key figures, the checks; and at its end how to do it again.

use super::ReportInput;
use super::html::{Number, Text, nothing, quantity, table};
use crate::checks::{Signal, Verdict};
use crate::environment::called;

/// Verdict, title, what the scenario shows, key figures.
pub fn headline(input: &ReportInput<'_>) -> String {
    let (case, outcome) = (input.case, input.outcome);
    let failed = outcome.checks.iter().filter(|check| !check.passed).count();
    let count = outcome.checks.len();
    let (class, word, remark) = match outcome.passed {
        true if count == 0 => ("passed", "passed", "the scenario has no checks".to_owned()),
        true => ("passed", "passed", format!("all of {count} checks held")),
        false => ("failed", "failed", format!("{failed} of {count} checks failed")),
    };
    format!(
        "<header><p class=\"verdict {class}\"><b>{word}</b> {remark}</p><h1>{}</h1>\n\
         <p class=\"case\"><code>{}</code> · robot <code>{}</code> · world <code>{}</code> · plant <code>{}</code> · mission: {}</p>\n\
         <p class=\"about\">{}</p>\n{}</header>\n",
        Text(&case.title),
        Text(&case.name),
        Text(&case.robot),
        Text(&case.world),
        case.plant,
        Text(&outcome.ending()),
        Text(&case.about),
        figures(input),
    )
}

fn figures(input: &ReportInput<'_>) -> String {
    let outcome = input.outcome;
    let last = |signal: Signal| {
        let value = input.series.signal(signal).iter().rfind(|value| value.is_finite());
        quantity(value.copied(), signal.unit())
    };
    let error = format!("{} ({})", last(Signal::OdometryError), last(Signal::OdometryErrorPercent));
    let lasted = if input.case.plant.is_simulated() { "simulated" } else { "lasted" };
    let cards = [
        (lasted, quantity(Some(outcome.simulated_s), "s"), "how long the run lasted, in the robot's time"),
        (
            "real-time factor",
            format!("{} ×", Number(outcome.real_time_factor)),
            "the robot's time over time on the wall",
        ),
        ("driven", last(Signal::Distance), "horizontal distance that the base has come"),
        ("energy", last(Signal::Energy), "electric energy that the battery has given"),
        ("odometry error", error, "distance between where the robot is and where it believes it is, at the end"),
        ("interventions", last(Signal::Interventions), "commands that the safety filter changed"),
    ];
    let card = |(name, value, about): (&str, String, &str)| {
        format!("<div title=\"{}\"><dt>{name}</dt><dd>{value}</dd></div>", Text(about))
    };
    let cards: String = cards.into_iter().map(card).collect();
    format!(
        "<dl class=\"figures\">{cards}</dl><p class=\"origin\">seed {} · {} cycles · digest <code>{}</code> · chiron {} · {}</p>\n",
        outcome.seed,
        outcome.cycles,
        Text(&outcome.digest),
        Text(outcome.version),
        Text(input.machine),
    )
}

/// The checks with what was seen and what was allowed.
pub fn checks(checks: &[Verdict]) -> String {
    if checks.is_empty() {
        return nothing("This scenario has no checks.");
    }
    let row = |check: &Verdict| {
        let (class, word) = if check.passed { ("ok", "passed") } else { ("bad", "failed") };
        vec![
            format!("<span class=\"{class}\">{word}</span>"),
            format!("{}{}", Text(&check.name), remark(check)),
            seen(check),
            quantity(check.limit, check.unit),
            bar(check),
        ]
    };
    table(&["", "what must hold", "seen#", "limit#", "seen against limit"], checks.iter().map(row))
}

/// By whose measure, where that needs saying.
fn remark(check: &Verdict) -> String {
    if check.remark.is_empty() {
        String::new()
    } else {
        format!(" <span class=\"quiet\">{}</span>", Text(check.remark))
    }
}

fn seen(check: &Verdict) -> String {
    match check.value {
        Some(value) => quantity(Some(value), check.unit),
        None if check.remark.is_empty() => "never".to_owned(),
        None => Text(check.remark).to_string(),
    }
}

/// What was seen as a bar, the limit as a tick on it; nothing where the two cannot share an axis.
fn bar(check: &Verdict) -> String {
    let (Some(value), Some(limit)) = (check.value, check.limit) else { return String::new() };
    let longest = 1.15 * f64::max(value.abs(), limit.abs());
    if value * limit < 0.0 || longest <= 0.0 {
        return String::new();
    }
    let (value, limit) = (100.0 * value.abs() / longest, 100.0 * limit.abs() / longest);
    let class = if check.passed { "ok" } else { "bad" };
    format!("<div class=\"meter {class}\"><i style=\"width:{value:.1}%\"></i><b style=\"left:{limit:.1}%\"></b></div>")
}

/// How to run it again and how to look into the log.
pub fn again(input: &ReportInput<'_>, has_log: bool, folder: &str) -> String {
    let mut commands = vec![run_command(input)];
    if has_log {
        commands.extend(log_commands(input, &quoted(&format!("{folder}run.mcap"))));
    }
    let lines: String = commands.iter().map(|line| format!("{}\n", Text(line))).collect();
    let log = if has_log { "" } else { "<p class=\"quiet\">This run kept no log.</p>" };
    let repeats = match input.case.plant.is_simulated() {
        true => "The same program, scenario and seed give the same digest on every x86-64 machine: ",
        false => "No two runs over a network card are the same to the bit; this one's digest: ",
    };
    format!("<pre>{lines}</pre>{log}\n<p>{repeats}<code>{}</code>.</p>\n", Text(&input.outcome.digest))
}

/// What can be done with a log: that of a network card cannot be computed again, and no bus's can be forked.
fn log_commands(input: &ReportInput<'_>, log: &str) -> Vec<String> {
    let (plant, chiron) = (&input.case.plant, called());
    let mut commands = Vec::new();
    if plant.is_simulated() {
        commands.push(format!("{chiron} replay {log} --verify    # recompute it and compare every cycle"));
        commands.push(format!("{chiron} replay {log} --view      # look at it, with a time line"));
    } else {
        commands.push(format!("{chiron} replay {log} --controllers-only    # its readings, today's controllers"));
    }
    if !plant.has_bus() {
        let (time, seed) = (fork_time(input), input.case.seed + 1);
        commands.push(format!("{chiron} replay {log} --fork-at {time} --seed {seed} --out out/fork"));
    }
    commands
}

/// The command that makes this run again, with flags only where it differs from its file.
fn run_command(input: &ReportInput<'_>) -> String {
    let case = input.case;
    let ships = case.source.path == format!("scenarios/cases/{}.toml", case.name);
    let name = if ships { &case.name } else { &case.source.path };
    let file: toml::Table = case.source.text.parse().unwrap_or_default();
    let duration = case.duration.seconds();
    let is_seed_of_file = file.get("seed").and_then(toml::Value::as_integer) == i64::try_from(case.seed).ok();
    let of_file = file.get("duration").and_then(|value| value.as_float().or(value.as_integer().map(|s| s as f64)));
    let mut command = format!("{} run {}", called(), quoted(name));
    if !is_seed_of_file {
        command += &format!(" --seed {}", case.seed);
    }
    if of_file != Some(duration) {
        command += &format!(" --duration {duration}");
    }
    let plant_of_file = file.get("plant").and_then(toml::Value::as_str).unwrap_or("sim");
    if plant_of_file != case.plant.to_string() {
        command += &format!(" --plant {}", case.plant);
    }
    if case.twin.is_some() && !file.contains_key("twin") {
        command += " --twin shadow";
    }
    command
}

/// Half way, in whole seconds.
fn fork_time(input: &ReportInput<'_>) -> f64 {
    (input.outcome.simulated_s / 2.0).floor()
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,".contains(c);
    match !argument.is_empty() && argument.chars().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_survive_a_shell() {
        assert_eq!(quoted("out/a-1/run.mcap"), "out/a-1/run.mcap");
        assert_eq!(quoted("it's here"), "'it'\\''s here'");
    }

    #[test]
    fn a_bar_shows_the_limit_where_both_have_one_sign() {
        let check = |value, limit| Verdict { name: String::new(), value, limit, unit: "m", passed: true, remark: "" };
        assert!(bar(&check(Some(1.0), Some(2.0))).contains("width:43.5%"), "half of the tick at 87 %");
        assert_eq!(bar(&check(Some(-1.0), Some(2.0))), "");
        assert_eq!(bar(&check(Some(0.0), Some(0.0))), "");
        assert_eq!(bar(&check(None, Some(2.0))), "");
    }
}
