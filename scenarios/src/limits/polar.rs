//! One row of a map as a picture: a wedge for each direction, as long as what was survived.

use std::fmt::Write;

use super::map::{Cell, Map};
use crate::report::Text;

/// The picture's half width, in its own units.
const HALF: f64 = 150.0;
/// The radius of the rim …
const RADIUS: f64 = 108.0;
/// … and where the numbers stand.
const NUMBERS: f64 = 127.0;
/// The share of a direction's part of the circle that its wedge fills.
const FILLED: f64 = 0.86;

/// The picture of a row: straight ahead is up, left is left.
pub fn polar(map: &Map, row: usize) -> String {
    let mut svg = String::new();
    // a String takes everything that is written to it
    let _ = write!(svg, "<svg viewBox=\"{0} {0} {1} {1}\" role=\"img\">", -HALF, 2.0 * HALF);
    for quarter in 1..=4 {
        let part = f64::from(quarter) / 4.0;
        let _ = write!(svg, "<circle class=\"ring\" r=\"{:.1}\"/>", part * RADIUS);
    }
    for cell in map.row(row) {
        let degrees = map.directions.get(cell.direction).map_or(0.0, |direction| direction.degrees);
        wedge(&mut svg, map, cell, degrees);
    }
    // between two directions
    let (sin, cos) = (std::f64::consts::PI / map.directions.len().max(4) as f64).sin_cos();
    for part in [0.5, 1.0] {
        let (radius, size) = (part * RADIUS, (map.rim() * part * 1000.0).round() / 1000.0);
        let _ = write!(
            svg,
            "<text class=\"scale\" x=\"{:.1}\" y=\"{:.1}\">{size}</text>",
            radius * sin + 1.0,
            -radius * cos - 1.0
        );
    }
    svg.push_str("</svg>");
    svg
}

fn wedge(svg: &mut String, map: &Map, cell: &Cell, degrees: f64) {
    let half = FILLED * 180.0 / map.directions.len().max(4) as f64;
    let (size, rim) = (cell.least.unwrap_or(0.0), map.rim());
    let point = |degrees: f64, radius: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        (-radius * sin, -radius * cos)
    };
    let title = Text(&told(map, cell)).to_string();
    if size > 0.0 {
        let radius = size / rim * RADIUS;
        let ((x, y), (to_x, to_y)) = (point(degrees + half, radius), point(degrees - half, radius));
        let _ = write!(
            svg,
            "<path d=\"M0 0L{x:.1} {y:.1}A{radius:.1} {radius:.1} 0 0 1 {to_x:.1} {to_y:.1}Z\" fill=\"{}\"><title>{title}</title></path>",
            colour(size / map.limit)
        );
    }
    let (x, y) = point(degrees, NUMBERS);
    let _ = write!(
        svg,
        "<text class=\"size\" x=\"{x:.1}\" y=\"{:.1}\">{}<title>{title}</title></text>",
        y + 4.0,
        map.shown(cell)
    );
}

/// All that is known of a cell: each seed's number, and what happened beyond it.
pub fn told(map: &Map, cell: &Cell) -> String {
    let mut text = format!("{}: {} {}", map.place(cell), map.shown(cell), map.unit);
    for (seed, value) in map.seeds.iter().zip(&cell.values) {
        let size = value.size.map_or_else(
            || "–".to_owned(),
            |size| format!("{:.3}", size).trim_end_matches('0').trim_end_matches('.').to_owned(),
        );
        let then = value.then.as_ref().map_or_else(String::new, |then| format!("; beyond it {then}"));
        let _ = write!(text, "\nseed {seed}: {size}{then}");
    }
    text
}

/// From red, where little is survived, to green at the limit.
pub fn colour(part: f64) -> String {
    format!("hsl({:.0} 62% 48%)", 140.0 * part.clamp(0.0, 1.0))
}
