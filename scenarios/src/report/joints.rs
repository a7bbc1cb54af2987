//! How the joints followed, how hard they worked and how warm they became.

use robot_io::{JointKind, JointLayout};

use super::ReportInput;
use super::chart::{Chart, Line};
use super::heat::{Row, heat_map};
use super::html::{Number, Text, nothing, table};
use crate::series::JointSeries;

/// How many small charts of joints and how many rows of the table there are at most.
const MOST_CHARTS: usize = 24;
const MOST_ROWS: usize = 12;
/// A joint moves if its command covers more than this [rad or m].
const STILL: f64 = 0.01;
/// How many of the hottest joints are drawn, and their looks.
const HOTTEST: [&str; 6] = ["c1", "c2", "c3", "c4", "c5", "c6"];

type Joint<'a> = (&'a JointLayout, &'a JointSeries);

/// Whether the robot has wheels.
pub fn has_wheels(input: &ReportInput<'_>) -> bool {
    wheels_of(input).next().is_some()
}

/// Commanded and measured velocity of each wheel.
pub fn wheels(input: &ReportInput<'_>) -> String {
    let chart = |(layout, series): Joint<'_>| {
        let command = Line::new("command", &series.velocity_command, "command");
        let lines = vec![command, Line::new("measured", &series.velocity, "c1")];
        small_chart(input, layout, rate_unit(layout.kind), lines, 0.5)
    };
    gallery(wheels_of(input).map(chart).collect(), "No wheels.")
}

fn wheels_of<'a>(input: &'a ReportInput<'_>) -> impl Iterator<Item = Joint<'a>> {
    joints(input).filter(|(layout, series)| is_wheel(layout) && !series.velocity.is_empty())
}

/// Commanded and measured position of the joints that moved.
pub fn positions(input: &ReportInput<'_>) -> String {
    let mut moving: Vec<(f64, usize, Joint<'_>)> =
        joints(input).enumerate().map(|(index, joint)| (travel(joint.1), index, joint)).collect();
    moving.retain(|(travel, ..)| *travel > STILL);
    moving.sort_by(|a, b| b.0.total_cmp(&a.0));
    let left_out = moving.len().saturating_sub(MOST_CHARTS);
    moving.truncate(MOST_CHARTS);
    moving.sort_by_key(|(_, index, _)| *index);
    let chart = |(_, _, (layout, series)): (f64, usize, Joint<'_>)| {
        let command = Line::new("command", &series.position_command, "command");
        let lines = vec![command, Line::new("measured", &series.position, "c1")];
        small_chart(input, layout, unit(layout.kind), lines, 0.02)
    };
    let charts = gallery(moving.into_iter().map(chart).collect(), "No joint was moved by its position command.");
    let remark = format!("{left_out} more joints moved less than these.");
    charts + &if left_out > 0 { nothing(&remark) } else { String::new() }
}

/// The joints that followed their commands worst.
pub fn tracking(input: &ReportInput<'_>) -> String {
    let error = |(layout, series): Joint<'_>| {
        let mut worst = Worst { name: layout.name.clone(), unit: unit(layout.kind), ..Worst::default() };
        let samples = series.position.iter().zip(&series.position_command).zip(&input.series.times);
        samples.for_each(|((position, command), time)| worst.see(command - position, *time));
        worst
    };
    let mut worst: Vec<Worst> = joints(input).map(error).filter(|worst| worst.count > 0).collect();
    worst.sort_by(|a, b| b.largest.total_cmp(&a.largest));
    worst.truncate(MOST_ROWS);
    if worst.is_empty() {
        return nothing("No joint had a position command.");
    }
    let row = |worst: Worst| {
        let mean = (worst.squares / f64::from(worst.count)).sqrt();
        let at = format!("<span data-at=\"{:.3}\">{} s</span>", worst.at, Number(worst.at));
        vec![
            Text(&worst.name).to_string(),
            Number(worst.largest).to_string(),
            worst.unit.to_owned(),
            at,
            Number(mean).to_string(),
        ]
    };
    table(&["joint", "largest error#", "", "at#", "root mean square#"], worst.into_iter().map(row))
}

/// Efforts as parts of their limits.
pub fn efforts(input: &ReportInput<'_>) -> String {
    let rows: Vec<Row<'_>> = joints(input).filter_map(effort_row).collect();
    heat_map(&rows, &input.series.times, super::over_time(input).scale)
}

/// A joint without a limit has no row.
fn effort_row<'a>((layout, series): Joint<'a>) -> Option<Row<'a>> {
    let limit = layout.limits.effort;
    let parts = series.effort.iter().map(|effort| effort.abs() / limit).collect();
    (limit > 0.0 && limit.is_finite()).then_some(Row { name: layout.name.as_str(), parts })
}

/// The hottest windings.
pub fn temperatures(input: &ReportInput<'_>) -> String {
    let hottest = |series: &JointSeries| series.temperature.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut joints: Vec<Joint<'_>> = joints(input).filter(|(_, series)| hottest(series).is_finite()).collect();
    if joints.is_empty() {
        return nothing("No temperatures were recorded.");
    }
    joints.sort_by(|a, b| hottest(b.1).total_cmp(&hottest(a.1)));
    let pairs = joints.iter().zip(HOTTEST);
    let lines = pairs.map(|((layout, series), look)| Line::new(&layout.name, &series.temperature, look)).collect();
    let title = "Winding temperature of the hottest joints".to_owned();
    Chart { title, unit: "°C", across: super::over_time(input), lines, least: 5.0, level: None, small: false }.html()
}

fn joints<'a>(input: &ReportInput<'a>) -> impl Iterator<Item = Joint<'a>> {
    input.layout.joints.iter().zip(&input.series.joints)
}

/// Continuous joints are wheels unless some other name says what they are; a spinning laser is none.
fn is_wheel(layout: &JointLayout) -> bool {
    layout.kind == JointKind::Continuous && layout.name.contains("wheel")
}

/// How far a joint's command goes.
fn travel(series: &JointSeries) -> f64 {
    let finite = series.position_command.iter().copied().filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    high - low
}

fn small_chart<'a>(
    input: &ReportInput<'a>,
    layout: &JointLayout,
    unit: &'static str,
    lines: Vec<Line<'a>>,
    least: f64,
) -> String {
    let title = layout.name.clone();
    Chart { title, unit, across: super::over_time(input), lines, least, level: None, small: true }.html()
}

fn gallery(charts: Vec<String>, otherwise: &str) -> String {
    if charts.is_empty() { nothing(otherwise) } else { format!("<div class=\"multiples\">{}</div>\n", charts.concat()) }
}

fn unit(kind: JointKind) -> &'static str {
    if kind == JointKind::Prismatic { "m" } else { "rad" }
}

fn rate_unit(kind: JointKind) -> &'static str {
    if kind == JointKind::Prismatic { "m/s" } else { "rad/s" }
}

/// The errors of one joint.
#[derive(Debug, Default)]
struct Worst {
    name: String,
    unit: &'static str,
    largest: f64,
    at: f64,
    squares: f64,
    count: u32,
}

impl Worst {
    fn see(&mut self, error: f64, time: f64) {
        if !error.is_finite() {
            return;
        }
        if error.abs() > self.largest {
            (self.largest, self.at) = (error.abs(), time);
        }
        self.squares += error * error;
        self.count += 1;
    }
}
