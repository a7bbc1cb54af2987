//! A map on one page that needs nothing else.

use std::fmt::Write;

use super::map::{Cell, Map};
use super::polar::{colour, polar, told};
use super::text::summary;
use crate::report::{STYLE, Text, section};

/// The page's own style, beside that of reports.
const OWN_STYLE: &str = include_str!("page.css");

/// The page: HTML that is well-formed XML as well. `command` makes the map again; `least` is what every cell must hold, in the map's unit.
pub fn page(map: &Map, command: &str, least: Option<f64>) -> String {
    let sections = [
        section("map", "Map", &(pictures(map) + &key(map))),
        section("numbers", "Numbers", &numbers(map, least)),
        section("share", "How many survive", &shares(map)),
        section("method", "How it was measured", &method(map)),
        section("again", "Draw it again", &format!("<pre>{}</pre>\n", Text(command))),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta charset=\"utf-8\"/>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><title>{title} · {kind} · chiron</title>\n\
         <style>\n{STYLE}{OWN_STYLE}</style></head>\n<body>\n<main>\n<p class=\"case\">{case} · {robot} · {plant} · {seeds}</p>\n<h1>{title}: {heading}</h1>\n\
         {verdict}<p class=\"about\">{summary}</p>\n{body}</main></body></html>\n",
        title = Text(&map.title),
        kind = map.kind,
        case = Text(&map.case),
        robot = Text(&map.robot),
        plant = Text(&map.plant),
        seeds = seeds(map),
        heading = heading(map),
        verdict = least.map_or_else(String::new, |least| verdict(map, least)),
        summary = Text(&summary(map)),
        body = sections.concat(),
    )
}

fn seeds(map: &Map) -> String {
    match map.seeds.as_slice() {
        [seed] => format!("seed {seed}"),
        [first, .., last] => format!("seeds {first} to {last}"),
        [] => String::new(),
    }
}

fn heading(map: &Map) -> &'static str {
    match map.kind {
        "push" => "pushes that it survives",
        "slope" => "slopes that it comes over",
        _ => "steps that it comes over",
    }
}

/// Whether every cell holds what was asked for.
fn verdict(map: &Map, least: f64) -> String {
    let below = map.cells.iter().filter(|cell| !cell.holds(least)).count();
    let (class, word) = if below == 0 { ("passed", "passed") } else { ("failed", "failed") };
    let found =
        if below == 0 { "all".to_owned() } else { format!("{} of {}", map.cells.len() - below, map.cells.len()) };
    format!("<p class=\"verdict {class}\"><b>{word}</b> {found} cells hold {least} {}</p>\n", map.unit)
}

fn pictures(map: &Map) -> String {
    let figure = |(number, row): (usize, &super::map::Row)| {
        let name = if map.rows.len() > 1 { Text(&row.name).to_string() } else { String::new() };
        format!(
            "<figure><figcaption><b>{name}</b> <span class=\"unit\">{}</span></figcaption>{}</figure>\n",
            Text(&row.about),
            polar(map, number)
        )
    };
    let class = if map.rows.len() > 1 { "polars" } else { "polars one" };
    format!("<div class=\"{class}\">\n{}</div>\n", map.rows.iter().enumerate().map(figure).collect::<String>())
}

fn key(map: &Map) -> String {
    let steps: String =
        (0..=10).map(|part| format!("<i style=\"background:{}\"></i>", colour(f64::from(part) / 10.0))).collect();
    format!(
        "<p class=\"quiet\"><span class=\"ramp\">0 {steps} {limit} {unit}</span> Up is straight ahead, left is left; a wedge is as long as what was \
         survived, and the outer circle is {rim} {unit}. Under the pointer: each seed, and what happened beyond.</p>\n",
        limit = map.limit,
        rim = (map.rim() * 1000.0).round() / 1000.0,
        unit = map.unit
    )
}

fn numbers(map: &Map, least: Option<f64>) -> String {
    let head: String = map.rows.iter().map(|row| format!("<th class=\"number\">{}</th>", Text(&row.name))).collect();
    let mut body = String::new();
    for (number, direction) in map.directions.iter().enumerate() {
        let cells = (0..map.rows.len()).filter_map(|row| map.row(row).find(|cell| cell.direction == number));
        // a String takes everything that is written to it
        let _ = writeln!(
            body,
            "<tr><td>{}</td>{}</tr>",
            Text(&direction.name),
            cells.map(|cell| number_of(map, cell, least)).collect::<String>()
        );
    }
    format!(
        "<div class=\"scroll\"><table class=\"numbers\"><thead><tr><th>direction, [{}]</th>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n",
        Text(map.unit)
    )
}

/// A coloured number; with several seeds how many hold it, or what was asked for.
fn number_of(map: &Map, cell: &Cell, least: Option<f64>) -> String {
    let seeds = match (map.seeds.len(), least) {
        (1, _) => String::new(),
        (all, Some(least)) => format!(" <small>{} of {all}</small>", cell.seeds_that_hold(least)),
        (_, None) => {
            let most = cell.values.iter().filter_map(|value| value.size).fold(f64::NAN, f64::max);
            if most.is_finite() {
                format!(" <small>to {}</small>", (most * 1000.0).round() / 1000.0)
            } else {
                String::new()
            }
        }
    };
    let class = if least.is_some_and(|least| !cell.holds(least)) { "number below" } else { "number" };
    let colour = colour(cell.least.unwrap_or(0.0) / map.limit);
    let style = format!("background:color-mix(in srgb, {colour} 38%, transparent)");
    format!(
        "<td class=\"{class}\" style=\"{style}\" title=\"{}\">{}{seeds}</td>",
        Text(&told(map, cell)),
        map.shown(cell)
    )
}

/// The share of cells and seeds that survive each size.
fn shares(map: &Map) -> String {
    let steps = (map.limit / map.resolution - 1e-9).ceil() as usize;
    let bar = |step: usize| {
        let size = (step as f64 * map.resolution).min(map.limit);
        let percent = 100.0 * map.share(size);
        let shown = (size * 1000.0).round() / 1000.0;
        let label = if step.is_multiple_of(steps.div_ceil(10)) { shown.to_string() } else { String::new() };
        format!(
            "<span title=\"{percent:.0} % survive {shown} {unit}\"><i style=\"height:{percent:.1}%;background:{}\"></i><b>{label}</b></span>",
            colour(size / map.limit),
            unit = map.unit
        )
    };
    format!(
        "<p class=\"quiet\">Share of all cells{} that survive at least so much [{}]; the whole height is 100 %.</p>\n<div class=\"shares\">{}</div>\n",
        if map.seeds.len() > 1 { " and seeds" } else { "" },
        Text(map.unit),
        (0..=steps).map(bar).collect::<String>()
    )
}

fn method(map: &Map) -> String {
    let lines: String = map.method.iter().map(|line| format!("<li>{}</li>\n", Text(line))).collect();
    format!("<ul class=\"about\">\n{lines}</ul>\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use roxmltree::{Document, ParsingOptions};

    use super::super::map::{Direction, Row, Survived};
    use super::*;

    fn map(rows: &[&str], sizes: &[Option<f64>]) -> Map {
        let direction = |degrees: f64| Direction { degrees, name: format!("{degrees}°") };
        let value = |size: &Option<f64>| Survived { size: *size, then: Some("it falls <over> & \"lies\"".to_owned()) };
        let cell = |(number, size): (usize, &Option<f64>)| {
            Cell::new(number / 2, number % 2, vec![value(size), value(&Some(0.4))])
        };
        Map {
            kind: "push",
            case: "a <case>".to_owned(),
            title: "it & they".to_owned(),
            robot: "robot".to_owned(),
            mass_kg: 90.0,
            plant: "sim".to_owned(),
            seeds: vec![3, 4],
            unit: "m/s",
            resolution: 0.05,
            limit: 0.4,
            method: vec!["as <said>".to_owned()],
            rows: rows.iter().map(|name| Row { name: (*name).to_owned(), about: "about & <it>".to_owned() }).collect(),
            directions: vec![direction(0.0), direction(90.0)],
            cells: sizes.iter().enumerate().map(cell).collect(),
            runs: 7,
            simulated_s: 30.0,
            wall_s: 10.0,
            version: "0",
        }
    }

    fn texts(document: &Document<'_>, class: &str) -> Vec<String> {
        let is_one = |node: &roxmltree::Node<'_, '_>| node.attribute("class") == Some(class);
        document.descendants().filter(is_one).map(|node| node.text().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn every_cell_has_a_wedge_as_long_as_what_it_survives_and_its_number() {
        let page =
            page(&map(&["0/2", "standing"], &[Some(0.2), Some(0.0), None, Some(0.4)]), "chiron check <x>", Some(0.1));
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        let document = Document::parse_with_options(&page, options).unwrap();
        let body = page.split("</style>").nth(1).unwrap();
        assert!(!body.contains("NaN") && !body.contains("inf"), "{body}");
        // nothing survived is no wedge, whether the robot falls without a push or at the first one
        let wedges: Vec<&str> = document
            .descendants()
            .filter(|node| node.has_tag_name("path"))
            .filter_map(|node| node.attribute("d"))
            .collect();
        assert_eq!(wedges.len(), 2);
        assert!(wedges[0].contains("A54.0 54.0") && wedges[1].contains("A108.0 108.0"), "{wedges:?}");
        assert!(body.contains("the outer circle is 0.4 m/s"), "{body}");
        assert_eq!(texts(&document, "size"), ["0.20", "0.00", "–", "≥0.40"]);
        assert_eq!(texts(&document, "number below").len(), 2, "two cells do not hold 0.1 m/s");
        assert!(page.contains("2 of 4 cells hold 0.1 m/s") && page.contains("class=\"verdict failed\""), "{page}");
        assert!(page.contains("seed 4: 0.4; beyond it it falls &lt;over&gt;"), "{page}");
    }

    #[test]
    fn where_little_is_survived_the_picture_is_drawn_larger() {
        let little = map(&["standing"], &[Some(0.1), Some(0.05)]);
        assert_eq!(little.rim(), 0.1);
        let page = page(&little, "chiron", None);
        assert!(page.contains("A108.0 108.0") && page.contains("the outer circle is 0.1 m/s"), "{page}");
        assert_eq!(map(&["standing"], &[None, None]).rim(), 0.1);
    }

    #[test]
    fn half_of_all_seeds_are_half_the_height() {
        let page = page(&map(&["standing"], &[Some(0.2), None]), "chiron", None);
        // of four two survive more than 0.2 m/s, three so much, and one not even nothing
        assert!(
            page.contains("title=\"75 % survive 0.2 m/s\"") && page.contains("title=\"50 % survive 0.25 m/s\""),
            "{page}"
        );
        assert!(page.contains("title=\"75 % survive 0 m/s\"") && !page.contains("class=\"verdict"), "{page}");
    }
}
