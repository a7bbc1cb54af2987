//! A map as a table for the terminal.

use std::fmt::Write;

use super::map::Map;

/// The map with a line for each direction and a column for each row of it.
pub fn table(map: &Map) -> String {
    let mut text = String::new();
    let first = map.directions.iter().map(|direction| direction.name.chars().count()).chain([9]).max().unwrap_or(9);
    let heads: Vec<String> = if map.rows.len() > 1 {
        map.rows.iter().map(|row| row.name.clone()).collect()
    } else {
        vec![format!("[{}]", map.unit)]
    };
    let widths: Vec<usize> = heads.iter().map(|head| head.chars().count().max(5)).collect();
    // a String takes everything that is written to it
    let _ = write!(text, "{:first$}", if map.rows.len() > 1 { format!("[{}]", map.unit) } else { String::new() });
    for (head, width) in heads.iter().zip(&widths) {
        let _ = write!(text, "  {head:>width$}");
    }
    for (number, direction) in map.directions.iter().enumerate() {
        let _ = write!(text, "\n{:first$}", direction.name);
        for (row, width) in (0..map.rows.len()).zip(&widths) {
            let cell = map.row(row).find(|cell| cell.direction == number);
            let _ = write!(text, "  {:>width$}", cell.map_or_else(String::new, |cell| map.shown(cell)));
        }
    }
    text.push('\n');
    text
}

/// The weakest cell and the whole in a line.
pub fn summary(map: &Map) -> String {
    let weakest = map.weakest().map_or_else(String::new, |cell| {
        let then = cell.values.iter().filter(|value| value.size == cell.least).find_map(|value| value.then.as_ref());
        let then = then.map_or_else(String::new, |then| format!("; beyond it {then}"));
        format!("least {} {} ({}){then}\n", map.shown(cell), map.unit, map.place(cell))
    });
    let seeds = if map.seeds.len() == 1 {
        "1 seed".to_owned()
    } else {
        format!("{} seeds, the least of which counts", map.seeds.len())
    };
    format!("{weakest}{} runs, {:.0} s simulated in {:.0} s; {seeds}", map.runs, map.simulated_s, map.wall_s)
}
