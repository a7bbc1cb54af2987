//! A chart: a few lines over time or distance, with grid, numbers beside it and a read-out below the pointer.

use super::html::{Number, Text};
use super::scale::{SPAN, Scale};
use super::trace;

/// How many columns a wide chart and one of the small multiples can show.
const WIDE_COLUMNS: usize = 420;
const SMALL_COLUMNS: usize = 150;

/// What runs along the bottom.
#[derive(Clone, Copy, Debug)]
pub struct Across<'a> {
    /// The numbers of the samples, ascending.
    pub values: &'a [f64],
    /// From where to where.
    pub scale: Scale,
    /// True if they are times, which all charts of the page share.
    pub is_time: bool,
}

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// What it is.
    pub label: String,
    /// Its samples.
    pub values: &'a [f64],
    /// Its look, a class of the style sheet: `c1` … `c6`, `command`.
    pub look: &'static str,
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart<'a> {
    /// What it shows.
    pub title: String,
    /// The unit of all lines.
    pub unit: &'static str,
    /// What runs along the bottom.
    pub across: Across<'a>,
    /// The lines, drawn in this order.
    pub lines: Vec<Line<'a>>,
    /// The chart is at least this high, in its unit, so that noise does not look like motion.
    pub least: f64,
    /// A level that matters, such as zero or a limit.
    pub level: Option<f64>,
    /// One of many.
    pub small: bool,
}

impl<'a> Line<'a> {
    /// A line.
    pub fn new(label: &str, values: &'a [f64], look: &'static str) -> Line<'a> {
        Line { label: label.to_owned(), values, look }
    }
}

impl Chart<'_> {
    /// The chart as HTML.
    pub fn html(&self) -> String {
        let mut y = Scale::around(self.lines.iter().flat_map(|line| line.values.iter().copied()), self.least);
        if let Some(level) = self.level {
            y = y.including(level);
        }
        let (x, columns) = (self.across.scale, if self.small { SMALL_COLUMNS } else { WIDE_COLUMNS });
        let lines: String = self
            .lines
            .iter()
            .map(|line| (line.look, trace::path(self.across.values, line.values, x, y, columns)))
            .map(|(look, path)| format!("<path class=\"line {look}\" d=\"{path}\"/>"))
            .collect();
        let level = self.level.map_or(String::new(), |level| rule("level", &[level], y, false));
        let (xs, ys) = (x.ticks(if self.small { 3.0 } else { 8.0 }), y.ticks(if self.small { 3.0 } else { 4.0 }));
        format!(
            "<figure class=\"chart{}{}\" data-low=\"{}\" data-high=\"{}\">{}<div class=\"plot\">\
             <svg viewBox=\"0 0 {SPAN} {SPAN}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">\
             {}{}{level}{lines}</svg>{}<i class=\"cursor\"></i></div></figure>\n",
            if self.small { " small" } else { "" },
            if self.across.is_time { " time" } else { "" },
            y.low,
            y.high,
            self.caption(),
            Text(&self.title),
            rule("grid", &xs, x, true),
            rule("grid", &ys, y, false),
            labels(&xs, x, &ys, y, if self.across.is_time { "s" } else { "m" }),
        )
    }

    fn caption(&self) -> String {
        let key = |line: &Line<'_>| {
            format!("<span class=\"key {}\">{} <output></output></span>", line.look, Text(&line.label))
        };
        let keys: String = self.lines.iter().map(key).collect();
        let (title, unit) = (Text(&self.title), Text(self.unit));
        format!("<figcaption><b>{title}</b> <span class=\"unit\">[{unit}]</span>{keys}</figcaption>")
    }
}

/// Straight lines through the whole picture.
fn rule(look: &str, values: &[f64], scale: Scale, upright: bool) -> String {
    let at = |value: &f64| (SPAN * scale.part(*value)).round();
    let line = |value: &f64| match upright {
        true => format!("M{} 0V{SPAN}", at(value)),
        false => format!("M0 {}H{SPAN}", SPAN - at(value)),
    };
    format!("<path class=\"{look}\" d=\"{}\"/>", values.iter().map(line).collect::<String>())
}

/// The numbers along both axes; the last along x carries the unit.
pub fn labels(xs: &[f64], x: Scale, ys: &[f64], y: Scale, x_unit: &str) -> String {
    let below = |(index, value): (usize, &f64)| {
        let unit = if index + 1 == xs.len() { format!("\u{202f}{x_unit}") } else { String::new() };
        format!("<span class=\"x\" style=\"left:{:.2}%\">{}{unit}</span>", 100.0 * x.part(*value), Number(tidy(*value)))
    };
    let beside = |value: &f64| {
        format!("<span class=\"y\" style=\"bottom:{:.2}%\">{}</span>", 100.0 * y.part(*value), Number(tidy(*value)))
    };
    xs.iter().enumerate().map(below).chain(ys.iter().map(beside)).collect()
}

/// A tick without the dust of its arithmetic.
fn tidy(value: f64) -> f64 {
    let rounded = (value * 1e9).round() / 1e9;
    if rounded == 0.0 { 0.0 } else { rounded }
}
