//! How far each joint was from its shadow.

use robot_io::{JointKind, JointLayout};

use super::ReportInput;
use super::chart::{Chart, Line};
use super::html::{Number, Text, nothing, table};
use crate::outcome::RunOutcome;
use crate::residual::JointResiduals;
use crate::series::JointSeries;

/// How many joints are drawn and how many are listed.
const MOST_CHARTS: usize = 12;
const MOST_ROWS: usize = 20;

/// The joints that were farthest from their shadows: a table, and their position residuals over time.
pub fn residuals(input: &ReportInput<'_>, outcome: &RunOutcome) -> String {
    let Some(summary) = &outcome.twin else { return nothing("This run had no twin.") };
    let mut joints: Vec<Joint<'_>> = input
        .layout
        .joints
        .iter()
        .zip(&input.series.joints)
        .filter_map(|(layout, series)| Some(Joint { layout, series, residuals: *summary.get(&layout.name)? }))
        .collect();
    if joints.iter().all(|joint| joint.residuals == JointResiduals::default()) {
        return nothing("Robot and shadow were the same, to the bit, in every joint and cycle.");
    }
    joints.sort_by(|a, b| b.residuals.position_max.total_cmp(&a.residuals.position_max));
    let left_out = joints.len().saturating_sub(MOST_ROWS);
    joints.truncate(MOST_ROWS);
    let heads =
        ["joint", "position, largest#", "rms#", "", "velocity, largest#", "rms#", "", "effort, largest#", "rms#", ""];
    let rows = table(&heads, joints.iter().map(Joint::row));
    let charts: String = joints.iter().take(MOST_CHARTS).map(|joint| joint.chart(input)).collect();
    let more = if left_out > 0 { nothing(&format!("{left_out} more joints were nearer.")) } else { String::new() };
    format!(
        "<p>Robot minus a simulation that was told the same. Alarms are among the events, with source <code>twin</code>.</p>\n\
         {rows}{more}<div class=\"multiples\">{charts}</div>\n"
    )
}

struct Joint<'a> {
    layout: &'a JointLayout,
    series: &'a JointSeries,
    residuals: JointResiduals,
}

impl Joint<'_> {
    fn units(&self) -> [&'static str; 3] {
        if self.layout.kind == JointKind::Prismatic { ["m", "m/s", "N"] } else { ["rad", "rad/s", "N·m"] }
    }

    fn row(&self) -> Vec<String> {
        let [position, velocity, effort] = self.units();
        let JointResiduals { position_max, position_rms, velocity_max, velocity_rms, effort_max, effort_rms } =
            self.residuals;
        let number = |value: f64| Number(value).to_string();
        vec![
            Text(&self.layout.name).to_string(),
            number(position_max),
            number(position_rms),
            position.to_owned(),
            number(velocity_max),
            number(velocity_rms),
            velocity.to_owned(),
            number(effort_max),
            number(effort_rms),
            effort.to_owned(),
        ]
    }

    fn chart(&self, input: &ReportInput<'_>) -> String {
        let lines = vec![Line::new("residual", &self.series.residual[0], "c1")];
        let (title, unit) = (self.layout.name.clone(), self.units()[0]);
        let across = super::over_time(input);
        Chart { title, unit, across, lines, least: 1e-3, level: Some(0.0), small: true }.html()
    }
}
