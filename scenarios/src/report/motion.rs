//! How the base moved: attitude, speed and height, and what odometry made of it.

use super::ReportInput;
use super::chart::{Across, Chart, Line};
use super::html::nothing;
use super::scale::Scale;
use crate::checks::Signal;

/// Attitude, tip-over margin, height, speed and slip.
pub fn base(input: &ReportInput<'_>) -> String {
    let of = |signal| input.series.signal(signal);
    let chart = |title: &str, unit, least, lines| Chart {
        title: title.to_owned(),
        unit,
        across: super::over_time(input),
        lines,
        least,
        level: None,
        small: false,
    };
    let attitude = chart(
        "Attitude of the base",
        "deg",
        2.0,
        vec![
            Line::new("tilt", of(Signal::Tilt), "c3"),
            Line::new("roll", of(Signal::Roll), "c2"),
            Line::new("pitch", of(Signal::Pitch), "c1"),
        ],
    );
    let margin = chart("Tip-over margin", "m", 0.1, vec![Line::new("margin", of(Signal::TipOverMargin), "c1")]);
    let rise = chart("Height above the start", "m", 0.05, vec![Line::new("height", of(Signal::Rise), "c1")]);
    let speed = chart(
        "Speed and slip",
        "m/s",
        0.1,
        vec![Line::new("fastest wheel's slip", of(Signal::Slip), "c2"), Line::new("speed", of(Signal::Speed), "c1")],
    );
    let charts = [attitude, Chart { level: Some(0.0), ..margin }, rise, speed];
    charts.iter().filter(|chart| has_numbers(chart)).map(Chart::html).collect()
}

/// Odometry error over distance driven and over time.
pub fn odometry(input: &ReportInput<'_>) -> String {
    let of = |signal| input.series.signal(signal);
    let driven = of(Signal::Distance);
    if !of(Signal::OdometryError).iter().any(|value| value.is_finite()) {
        return nothing("The robot had no odometry.");
    }
    let far = driven.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let across = Across { values: driven, scale: Scale::new(0.0, far), is_time: false };
    let place = Chart {
        title: "Odometry error over distance driven".to_owned(),
        unit: "m",
        across,
        lines: vec![Line::new("error", of(Signal::OdometryError), "c1")],
        least: 0.02,
        level: Some(0.0),
        small: false,
    };
    let heading = Chart {
        title: "Heading error".to_owned(),
        unit: "deg",
        across: super::over_time(input),
        lines: vec![Line::new("error", of(Signal::HeadingError), "c2")],
        least: 0.5,
        ..place.clone()
    };
    // A robot that stands has no distance to draw over.
    let place = if far > 0.1 {
        place
    } else {
        Chart { title: "Odometry error".to_owned(), across: super::over_time(input), ..place }
    };
    place.html() + &heading.html()
}

fn has_numbers(chart: &Chart<'_>) -> bool {
    chart.lines.iter().any(|line| line.values.iter().any(|value| value.is_finite()))
}
