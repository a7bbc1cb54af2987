//! The tables of a log.

use std::collections::BTreeMap;

use ::replay::channel::TELEMETRY;
use ::replay::{Columns, LogReader};
use nalgebra::Isometry3;
use robot_io::Time;

use super::{Cell, Column, Kind, Selection, Tables};
use crate::ScenarioError;
use crate::progress::Progress;

/// Every reading and command of every cycle.
pub(super) fn cycles(
    log: &LogReader,
    selection: &Selection,
    tables: &mut Tables<'_>,
    progress: &mut Progress,
) -> Result<(), ScenarioError> {
    let mut known = Columns::of(log)?;
    let wanted =
        |name: &str| selection.columns.is_empty() || selection.columns.iter().any(|part| name.contains(part.as_str()));
    let chosen: Vec<usize> = (0..known.list().len()).filter(|index| wanted(&known.list()[*index].name)).collect();
    if chosen.is_empty() {
        let names = selection.columns.join("', '");
        let example = known.list().iter().rev().find(|column| column.name.contains("position"));
        let example = example.map_or("lifecycle", |column| column.name.as_str());
        return Err(ScenarioError::Usage(format!(
            "--columns: expected a part of a column's name, such as '{example}', found '{names}', which no column has"
        )));
    }
    let kinds: Vec<(usize, bool)> = chosen.iter().map(|index| (*index, known.list()[*index].integer)).collect();
    let mut columns = vec![Column::new("time", "s", Kind::Number)];
    columns.extend(chosen.iter().map(|index| {
        let column = &known.list()[*index];
        Column::new(&column.name, column.unit, if column.integer { Kind::Integer } else { Kind::Number })
    }));
    tables.write("cycles", &columns, |add| {
        let (mut row, mut cells) = (Vec::new(), Vec::with_capacity(columns.len()));
        for cycle in log.cycles() {
            let mut cycle = cycle?;
            let time = cycle.readings.time;
            if !selection.holds(time) || !cycle.readings.cycle.is_multiple_of(selection.every.max(1)) {
                continue;
            }
            known.row(&mut cycle, &mut row);
            cells.clear();
            cells.push(Cell::Number(time.seconds()));
            cells.extend(kinds.iter().map(|(index, integer)| match row[*index] {
                None => Cell::Missing,
                Some(bits) if *integer => Cell::Integer(bits),
                Some(bits) => Cell::Number(f64::from_bits(bits)),
            }));
            add(&cells)?;
            progress.show(time, "cycles written");
        }
        Ok(())
    })
}

/// The estimate from the robot's own sensors.
pub(super) fn odometry(log: &LogReader, selection: &Selection, tables: &mut Tables<'_>) -> Result<(), ScenarioError> {
    let mut columns = pose_columns("base_in_odom");
    let numbers = |name: &str, unit: &str| ["x", "y", "z"].map(|axis| number(&format!("{name}/{axis}"), unit));
    columns.extend(numbers("linear_velocity_in_base", "m/s"));
    columns.extend(numbers("angular_velocity_in_base", "rad/s"));
    let estimates = log.odometry()?;
    tables.write("odometry", &columns, |add| {
        for estimate in estimates.iter().filter(|estimate| selection.holds(estimate.stamp)) {
            let mut cells = pose_cells(estimate.stamp, &estimate.base_in_odom);
            let velocities = estimate.linear_velocity_in_base.iter().chain(estimate.angular_velocity_in_base.iter());
            cells.extend(velocities.map(|value| Cell::Number(*value)));
            add(&cells)?;
        }
        Ok(())
    })
}

/// Poses over time.
pub(super) fn poses(
    table: &str,
    name: &str,
    poses: &[(Time, Isometry3<f64>)],
    selection: &Selection,
    tables: &mut Tables<'_>,
) -> Result<(), ScenarioError> {
    tables.write(table, &pose_columns(name), |add| {
        let chosen = poses.iter().filter(|(time, _)| selection.holds(*time));
        chosen.map(|(time, pose)| pose_cells(*time, pose)).try_for_each(|cells| add(&cells))
    })
}

/// What the controllers thought worth plotting.
pub(super) fn telemetry(log: &LogReader, selection: &Selection, tables: &mut Tables<'_>) -> Result<(), ScenarioError> {
    let mut rows = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for message in log.messages(TELEMETRY)?.into_iter().filter(|message| selection.holds(message.time)) {
        let values: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&message.data)
            .map_err(|error| ScenarioError::File { path: log.path().to_owned(), message: error.to_string() })?;
        let mut row = vec![(0, Cell::Number(message.time.seconds()))];
        for (name, value) in values {
            let next = names.len() + 1;
            let place = *places.entry(name.clone()).or_insert(next);
            if place == next {
                names.push(name);
            }
            row.push((place, value.as_f64().map_or(Cell::Missing, Cell::Number)));
        }
        rows.push(row);
    }
    let titles = names.iter().map(|name| number(name, ""));
    let columns: Vec<Column> = std::iter::once(number("time", "s")).chain(titles).collect();
    tables.write("telemetry", &columns, |add| {
        rows.into_iter().try_for_each(|row| {
            let mut cells = vec![Cell::Missing; columns.len()];
            row.into_iter().for_each(|(place, cell)| cells[place] = cell);
            add(&cells)
        })
    })
}

/// What happened.
pub(super) fn events(log: &LogReader, selection: &Selection, tables: &mut Tables<'_>) -> Result<(), ScenarioError> {
    let text = |name: &str| Column::new(name, "", Kind::Text);
    let columns = [number("time", "s"), text("severity"), text("source"), text("message")];
    let events = log.events()?;
    tables.write("events", &columns, |add| {
        events.iter().filter(|event| selection.holds(event.time)).try_for_each(|event| {
            let severity = Cell::Text(event.severity.to_string());
            let (source, message) = (Cell::Text(event.source.clone()), Cell::Text(event.message.clone()));
            add(&[Cell::Number(event.time.seconds()), severity, source, message])
        })
    })
}

fn number(name: &str, unit: &str) -> Column {
    Column::new(name, unit, Kind::Number)
}

fn pose_columns(name: &str) -> Vec<Column> {
    let position = ["x", "y", "z"].map(|axis| number(&format!("{name}/position/{axis}"), "m"));
    let orientation = ["x", "y", "z", "w"].map(|axis| number(&format!("{name}/orientation/{axis}"), ""));
    std::iter::once(number("time", "s")).chain(position).chain(orientation).collect()
}

fn pose_cells(time: Time, pose: &Isometry3<f64>) -> Vec<Cell> {
    let (position, orientation) = (pose.translation.vector, pose.rotation.coords);
    let values = std::iter::once(time.seconds()).chain(position.iter().copied()).chain(orientation.iter().copied());
    values.map(Cell::Number).collect()
}
