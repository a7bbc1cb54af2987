//! The states of statecharts over time: a row each, a bar for every time that it was active.

use robot_io::Time;

use super::ReportInput;
use super::chart::labels;
use super::html::{Text, nothing};
use crate::active::Span;

/// True if a statechart was at work.
pub fn has_states(input: &ReportInput<'_>) -> bool {
    !input.series.states.spans().is_empty()
}

/// The time line. What a state was told, and what led to it, are told by the bar under the pointer; a click leads to its beginning.
pub fn states(input: &ReportInput<'_>) -> String {
    let spans = input.series.states.spans();
    let mut paths: Vec<&str> = Vec::new();
    for span in spans {
        let path = span.state.path.as_str();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let row = |path: &&str| {
        let bars = spans.iter().filter(|span| span.state.path == **path).map(|span| bar(span, input));
        format!("<div class=\"row\"><span>{}</span>{}</div>", Text(path), bars.collect::<String>())
    };
    let rows: String = paths.iter().map(row).collect();
    let scale = super::over_time(input).scale;
    let cut = if input.series.states.is_cut() { nothing("Later states are not shown.") } else { String::new() };
    format!(
        "<figure class=\"events states time\"><figcaption><b>Active states</b></figcaption><div class=\"plot\">{rows}{}\
         <i class=\"cursor\"></i></div></figure>\n{cut}",
        labels(&scale.ticks(8.0), scale, &[], scale, "s"),
    )
}

fn bar(span: &Span, input: &ReportInput<'_>) -> String {
    let scale = super::over_time(input).scale;
    let end = span.ended.map_or(super::end_of(input), Time::seconds);
    let begun = span.begun.seconds();
    let (left, right) = (100.0 * scale.part(begun), 100.0 * scale.part(end));
    let until = if span.ended.is_some() { "" } else { ", until the end" };
    let mut title = format!("{}: {begun:.3} s to {end:.3} s{until}", span.state.path);
    for line in [&span.state.told, &span.state.because].into_iter().filter(|line| !line.is_empty()) {
        title = format!("{title}\n{line}");
    }
    format!(
        "<button class=\"active\" style=\"left:{left:.2}%;width:{:.2}%\" data-at=\"{begun:.3}\" title=\"{}\"></button>",
        right - left,
        Text(&title)
    )
}
