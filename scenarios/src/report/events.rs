//! What happened: events on a time line and in a list, interventions of the safety filter, deadline tasks.

use std::collections::{BTreeMap, BTreeSet};

use robot_io::{Event, Severity, Subject};

use super::ReportInput;
use super::chart::labels;
use super::html::{Number, Text, nothing, quantity, table};
use crate::checks::Signal;
use crate::outcome::TaskUse;

/// How many events the time line and the list show; worse ones come first.
const MOST_MARKS: usize = 400;
const MOST_ROWS: usize = 200;

/// One row a source, one mark an event.
pub fn timeline(input: &ReportInput<'_>) -> String {
    let events = worst_first(&input.series.events, MOST_MARKS);
    let sources: BTreeSet<&str> = events.iter().map(|event| event.source.as_ref()).collect();
    let row = |source: &&str| {
        let marks = events.iter().filter(|event| event.source == **source).map(|event| mark(event, input));
        format!("<div class=\"row\"><span>{}</span>{}</div>", Text(source), marks.collect::<String>())
    };
    let rows: String = sources.iter().map(row).collect();
    let scale = super::over_time(input).scale;
    format!(
        "<figure class=\"events time\"><figcaption><b>Events</b>{}</figcaption><div class=\"plot\">{rows}{}\
         <i class=\"cursor\"></i></div></figure>\n",
        [Severity::Info, Severity::Warning, Severity::Error, Severity::Stop]
            .map(|severity| format!("<span class=\"key {severity}\">{severity}</span>"))
            .concat(),
        labels(&scale.ticks(8.0), scale, &[], scale, "s"),
    )
}

/// The marks of all events without names, for the bar at the foot of the page.
pub fn marks(input: &ReportInput<'_>) -> String {
    worst_first(&input.series.events, MOST_MARKS).into_iter().map(|event| mark(event, input)).collect()
}

fn mark(event: &Event, input: &ReportInput<'_>) -> String {
    let (time, line) = (event.time.seconds(), describe(event, input));
    let left = 100.0 * super::over_time(input).scale.part(time);
    let severity = event.severity;
    format!(
        "<button class=\"{severity}\" style=\"left:{left:.2}%\" data-at=\"{time:.3}\" title=\"{time:.3} s, {severity}: {}\"></button>",
        Text(&line)
    )
}

/// Every event with its time, severity and text; a click leads to its moment.
pub fn list(input: &ReportInput<'_>) -> String {
    let all = &input.series.events;
    if all.is_empty() { nothing("Nothing happened worth telling.") } else { table_of(all, input) }
}

/// Some events as a list that folds up if it is long.
pub fn table_of(all: &[Event], input: &ReportInput<'_>) -> String {
    let events = worst_first(all, MOST_ROWS);
    let row = |event: &&Event| {
        let time = event.time.seconds();
        vec![
            format!("<a data-at=\"{time:.3}\">{time:.3} s</a>"),
            format!("<span class=\"key {0}\">{0}</span>", event.severity),
            Text(&describe(event, input)).to_string(),
        ]
    };
    let left_out = all.len() - events.len();
    let rows = table(&["time#", "severity", "what"], events.iter().map(row));
    let remark = format!("{left_out} more events, none of them worse than these, are in the log.");
    let summary = format!("{} events", all.len());
    let more = if left_out > 0 { nothing(&remark) } else { String::new() };
    let open = if events.len() <= 40 { " open=\"\"" } else { "" };
    format!("<details{open}><summary>{summary}</summary>{rows}{more}</details>\n")
}

/// What the safety filter changed, by joint and cause.
pub fn interventions(input: &ReportInput<'_>) -> String {
    let total = input.series.signal(Signal::Interventions).last().copied();
    let mut groups: BTreeMap<(String, &str), Group> = BTreeMap::new();
    let is_one = |event: &&Event| event.source == "safety_filter" && event.severity > Severity::Info;
    for event in input.series.events.iter().filter(is_one) {
        groups.entry((subject(event, input), event.what.as_ref())).or_default().see(event);
    }
    if groups.is_empty() {
        return nothing("The safety filter changed nothing.");
    }
    let most = groups.values().map(|group| group.count).max().unwrap_or(1);
    let row = |((joint, what), group): (&(String, &str), &Group)| {
        let width = 100.0 * f64::from(group.count) / f64::from(most);
        vec![
            Text(joint).to_string(),
            Text(what).to_string(),
            format!("<div class=\"meter warn\"><i style=\"width:{width:.1}%\"></i></div>"),
            group.count.to_string(),
            format!("<a data-at=\"{:.3}\">{:.3} s</a>", group.first, group.first),
            Number(group.worst).to_string(),
            Number(group.limit).to_string(),
        ]
    };
    let told = total.filter(|total| total.is_finite()).map_or(String::new(), |total| {
        format!(
            "<p>{} commands were changed in all; changes that last are reported once in a while.</p>\n",
            Number(total)
        )
    });
    told + &table(&["joint", "what", "how often", "reports#", "first#", "furthest#", "limit#"], groups.iter().map(row))
}

/// How deadline tasks kept their time on this machine.
pub fn tasks(tasks: &BTreeMap<String, TaskUse>) -> String {
    if tasks.is_empty() {
        return nothing("The controllers ran no deadline tasks.");
    }
    let row = |(name, usage): (&String, &TaskUse)| {
        let class = if usage.overruns == 0 { "ok" } else { "bad" };
        let part = (100.0 * usage.longest_ms / usage.given_ms.max(1e-9)).min(100.0);
        vec![
            Text(name).to_string(),
            usage.runs.to_string(),
            quantity(Some(usage.longest_ms), "ms"),
            quantity(Some(usage.given_ms), "ms"),
            format!("<div class=\"meter {class}\"><i style=\"width:{part:.1}%\"></i></div>"),
            format!("<span class=\"{class}\">{}</span>", usage.overruns),
        ]
    };
    table(&["task", "runs#", "longest#", "given#", "longest of given", "too late#"], tasks.iter().map(row))
}

/// The worst events, as many as there is room for, in order of time.
fn worst_first(events: &[Event], most: usize) -> Vec<&Event> {
    let mut chosen: Vec<&Event> = events.iter().collect();
    // The sort is stable: of equally bad events the first ones stay.
    chosen.sort_by_key(|event| std::cmp::Reverse(event.severity));
    chosen.truncate(most);
    chosen.sort_by_key(|event| event.time);
    chosen
}

fn describe(event: &Event, input: &ReportInput<'_>) -> String {
    event.describe(|index| input.layout.joints.get(index).map(|joint| joint.name.as_str()))
}

fn subject(event: &Event, input: &ReportInput<'_>) -> String {
    match event.subject {
        Subject::Joint(index) => {
            input.layout.joints.get(index).map_or_else(|| format!("joint {index}"), |joint| joint.name.clone())
        }
        Subject::Step(step) => format!("step {}", step + 1),
        Subject::Robot => "the robot".to_owned(),
    }
}

/// Interventions of one kind on one joint.
#[derive(Debug)]
struct Group {
    count: u32,
    first: f64,
    worst: f64,
    limit: f64,
}

impl Default for Group {
    fn default() -> Group {
        Group { count: 0, first: f64::INFINITY, worst: f64::NAN, limit: f64::NAN }
    }
}

impl Group {
    fn see(&mut self, event: &Event) {
        self.count += 1;
        self.first = self.first.min(event.time.seconds());
        let beyond = (event.value - event.limit).abs();
        if self.worst.is_nan() || beyond > (self.worst - self.limit).abs() {
            (self.worst, self.limit) = (event.value, event.limit);
        }
    }
}
