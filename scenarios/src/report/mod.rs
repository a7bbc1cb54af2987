//! `report.html`: a run on one page that needs nothing else, neither network nor program.

mod bus;
mod chart;
mod events;
mod feet;
mod headline;
mod heat;
mod height_picture;
mod html;
mod joints;
mod map;
mod mapping;
mod motion;
mod picture;
mod relief;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod sample;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod sample_map;
mod scale;
mod states;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
mod trace;
mod twin;

use std::path::Path;

use robot_io::{Pose2, RobotLayout};

pub use height_picture::height_picture;
pub use picture::Picture;

/// For other pages of the same looks.
pub(crate) use self::html::{Text, section};

use self::chart::Across;
use self::scale::Scale;
use crate::checks::TruthSource;
use crate::outcome::RunOutcome;
use crate::results::write_whole;
use crate::series::Series;
use crate::{Case, ScenarioError};

pub(crate) const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What a report tells of.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    /// The scenario.
    pub case: &'a Case,
    /// How it ended.
    pub outcome: &'a RunOutcome,
    /// What was seen on the way.
    pub series: &'a Series,
    /// The robot's joints.
    pub layout: &'a RobotLayout,
    /// Where it happened.
    pub world: &'a worlds::World,
    /// The mission's waypoints, in the world.
    pub route: &'a [Pose2],
    /// The scene at some moments.
    pub pictures: &'a [Picture],
    /// The machine that computed it, in words.
    pub machine: &'a str,
}

/// Writes the report; the log of the run, `run.mcap`, is looked for beside it.
pub fn write(path: &Path, input: &ReportInput<'_>) -> Result<(), ScenarioError> {
    let has_log = path.with_file_name("run.mcap").is_file();
    let folder = path.parent().map(|folder| folder.join("").display().to_string()).unwrap_or_default();
    write_whole(path, page(input, has_log, &folder).as_bytes())
}

/// The page: HTML that is well-formed XML as well.
fn page(input: &ReportInput<'_>, has_log: bool, folder: &str) -> String {
    let sections = sections(input, has_log, folder);
    let link = |(id, title, _): &(&str, &str, String)| format!("<a href=\"#{id}\">{title}</a>");
    let menu: String = sections.iter().map(link).collect();
    let body: String = sections.iter().map(|(id, title, body)| section(id, title, body)).collect();
    let mark = if input.outcome.passed { "✓" } else { "✗" };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta charset=\"utf-8\"/>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
         <title>{mark} {title} · chiron</title>\n<style>\n{STYLE}</style></head>\n<body data-end=\"{end}\">\n<main>\n\
         {headline}<nav>{menu}</nav>\n{body}</main>\n\
         <footer class=\"time\"><div class=\"plot\">{marks}<i class=\"cursor\"></i></div><output>move the pointer over a \
         chart, click to keep a moment</output></footer>\n\
         <script>//<![CDATA[\n{SCRIPT}//]]></script></body></html>\n",
        title = Text(&input.case.title),
        end = end_of(input),
        headline = headline::headline(input),
        marks = events::marks(input),
    )
}

/// Identifier, title and content of each section.
fn sections<'t>(input: &ReportInput<'_>, has_log: bool, folder: &str) -> Vec<(&'t str, &'t str, String)> {
    let mut sections = vec![
        ("checks", "Checks", headline::checks(&input.outcome.checks)),
        ("path", "Path", map::map(input)),
        ("events", "Events", events::timeline(input) + &events::list(input)),
        ("base", "Base", motion::base(input)),
        ("odometry", "Odometry", motion::odometry(input)),
        ("wheels", "Wheels", joints::wheels(input)),
        ("joints", "Joints", joints::positions(input) + "<h3>Largest tracking errors</h3>" + &joints::tracking(input)),
        ("efforts", "Efforts", joints::efforts(input)),
        ("temperatures", "Temperatures", joints::temperatures(input)),
        ("safety", "Safety filter", events::interventions(input)),
        ("tasks", "Deadline tasks", events::tasks(&input.outcome.deadline_tasks)),
        ("again", "Run it again", headline::again(input, has_log, folder)),
    ];
    if !joints::has_wheels(input) {
        sections.retain(|(id, ..)| *id != "wheels");
    }
    if feet::has_steps(input) {
        let after_path = 1 + sections.iter().position(|(id, ..)| *id == "path").unwrap_or(0);
        sections.insert(after_path, ("steps", "Steps", feet::steps(input)));
    }
    if mapping::has_map(input) {
        sections.insert(2, ("map", "Map", mapping::mapping(input)));
    }
    if states::has_states(input) {
        let after_events = 1 + sections.iter().position(|(id, ..)| *id == "events").unwrap_or(0);
        sections.insert(after_events, ("behaviour", "Behaviour", states::states(input)));
    }
    if let Some(used) = &input.outcome.bus {
        sections.insert(sections.len() - 1, ("bus", "Bus", bus::bus(used)));
    }
    if input.outcome.twin.is_some() {
        sections.insert(sections.len() - 1, ("twin", "Twin", twin::residuals(input, input.outcome)));
    }
    if !input.pictures.is_empty() {
        sections.insert(1, ("scene", "Scene", picture::gallery(input.pictures)));
    }
    let robot_only = input.outcome.truth_from == TruthSource::Nobody && !input.case.plant.is_simulated();
    if robot_only {
        // what only the truth knows, and a map of a robot that does not know where it is
        let has_path = input.series.odometry.iter().any(|pose| pose.x.is_finite());
        sections.retain(|(id, ..)| !matches!(*id, "base" | "odometry") && (*id != "path" || has_path));
    }
    sections
}

/// The time that all charts share.
fn over_time<'a>(input: &ReportInput<'a>) -> Across<'a> {
    Across { values: &input.series.times, scale: Scale { low: 0.0, high: end_of(input) }, is_time: true }
}

/// Where the time axis ends [s]; an empty run has one too.
fn end_of(input: &ReportInput<'_>) -> f64 {
    let last = input.series.times.last().copied().unwrap_or(0.0);
    let end = f64::max(last, input.outcome.simulated_s);
    if end > 0.0 && end.is_finite() { end } else { 1.0 }
}
