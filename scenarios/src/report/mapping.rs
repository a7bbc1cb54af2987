//! How well the robot knew where it was, and the map that it drew.

use robot_io::colour_maps::{cost_colour, height_colour, height_range};
use robot_io::{Event, Pose2, PoseGraphView};

use super::ReportInput;
use super::chart::{Across, Chart, Line, labels};
use super::html::{Number, Text, png_address, quantity, table};
use super::map::{Area, scale_bar};
use super::picture::transparent_png;
use super::relief::{self, Relief};
use super::scale::Scale;
use crate::checks::Signal;
use crate::evaluation::LENGTHS;

/// Who tells of mapping.
const SOURCES: [&str; 2] = ["slam", "navigation"];
/// Free ground about what was seen or driven [m].
const MARGIN: f64 = 0.4;
/// Where odometry is so much worse than localisation, the latter gets a chart of its own.
const DWARFED: f64 = 4.0;

/// True if the robot had a map in this run.
pub fn has_map(input: &ReportInput<'_>) -> bool {
    input.series.localized.iter().any(|pose| pose.x.is_finite())
}

/// The whole section.
pub fn mapping(input: &ReportInput<'_>) -> String {
    let events: Vec<Event> =
        input.series.events.iter().filter(|event| SOURCES.contains(&event.source.as_ref())).cloned().collect();
    let told = if events.is_empty() {
        String::new()
    } else {
        format!("<h3>What mapping and navigation reported</h3>{}", super::events::table_of(&events, input))
    };
    figures(input) + &plans(input) + &errors(input) + &drift(input) + &told
}

/// Key figures.
fn figures(input: &ReportInput<'_>) -> String {
    let (series, map) = (input.series, &input.series.map);
    let graph = map.graph().cloned().unwrap_or_default();
    let loops = match graph.edges.iter().filter(|edge| edge.closes_loop).count() {
        1 => "1 loop edge".to_owned(),
        count => format!("{count} loop edges"),
    };
    let last = |signal: Signal| {
        let value = series.signal(signal).iter().rfind(|value| value.is_finite());
        quantity(value.copied(), signal.unit())
    };
    let area = map.heights().map(|heights| relief::known_area(heights).round());
    let drift = map.drift.report();
    let cards = [
        (
            "sweeps",
            format!("{} <small>{} left out</small>", map.sweeps, map.left_out),
            "turns of the laser, and those of them that were not good enough for the map",
        ),
        (
            "key views",
            format!("{} <small>{loops}</small>", graph.nodes.len()),
            "places from which the map was seen, and ties between them that do not follow the order of time",
        ),
        ("known ground", quantity(area, "m²"), "area of the height map's known cells"),
        ("error at the end", last(Signal::SlamError), "distance between localisation and truth"),
        ("drift", quantity(drift.map(|drift| drift.translation_percent), "%"), "mean over pieces of 10 to 50 m"),
    ];
    let card = |(name, value, about): (&str, String, &str)| {
        format!("<div title=\"{}\"><dt>{name}</dt><dd>{value}</dd></div>", Text(about))
    };
    format!("<dl class=\"figures\">{}</dl>\n", cards.into_iter().map(card).collect::<String>())
}

/// Heights with the pose graph, costs with the ways, side by side.
fn plans(input: &ReportInput<'_>) -> String {
    let (series, map) = (input.series, &input.series.map);
    let range = map.heights().and_then(|heights| height_range(heights, map.costs()));
    let range = range.map(|(low, high)| Scale { low, high });
    let heights = map.heights().zip(range).and_then(|(heights, range)| relief::heights(heights, range));
    let costs = map.costs().and_then(relief::costs);
    let Some(area) = area(input, heights.as_ref()) else { return String::new() };
    let graph = map.graph().map_or_else(String::new, |graph| graph_lines(&area, graph));
    let plan = map.plan().map_or(&[][..], |path| &path.poses);
    let outline: Vec<Pose2> = closed(map.footprint().unwrap_or_default());
    let (truth, believed) = (area.path(&series.truth), area.path(&series.localized));
    let ways = format!(
        "<path class=\"halo\" d=\"{truth}\"/><path class=\"line c1\" d=\"{truth}\"/>\
         <path class=\"line c2 dashed\" d=\"{believed}\"/><path class=\"line plan\" d=\"{}\"/>\
         <path class=\"line foot\" d=\"{}\"/><path class=\"dots goal\" d=\"{}\"/>",
        area.path(plan),
        area.path(&outline),
        dots(&area, map.markers.iter().map(|marker| marker.pose)),
    );
    let height_keys = format!(
        "<b>Height map</b>{}<span class=\"key node\">key views</span><span class=\"key tie\">in order of time</span>\
         <span class=\"key loop\">loop</span>",
        range.map_or_else(String::new, height_ramp)
    );
    let cost_keys = format!(
        "<b>Cost map</b>{}<span class=\"key c1\">true path</span><span class=\"key c2 dashed\">localisation</span>\
         <span class=\"key plan\">last plan</span><span class=\"key foot\">footprint</span>\
         <span class=\"key goal\">goals</span>",
        cost_ramp()
    );
    format!(
        "<div class=\"plans\">{}{}</div>\n",
        figure(&area, &height_keys, heights.as_ref(), &graph, ""),
        figure(&area, &cost_keys, costs.as_ref(), &ways, &area.marks(input)),
    )
}

/// What is known and what was driven, with a margin.
fn area(input: &ReportInput<'_>, heights: Option<&Relief>) -> Option<Area> {
    let places = input.series.truth.iter().chain(&input.series.localized).filter(|pose| pose.x.is_finite());
    let mut corners: Vec<(f64, f64)> = places.map(|pose| (pose.x, pose.y)).collect();
    corners
        .extend(heights.into_iter().flat_map(|relief| [(relief.x.low, relief.y.low), (relief.x.high, relief.y.high)]));
    Area::about(corners.into_iter(), MARGIN)
}

/// One plan: a picture on its piece of ground, lines over it.
fn figure(area: &Area, keys: &str, relief: Option<&Relief>, lines: &str, marks: &str) -> String {
    let (width, height) = (area.x.high - area.x.low, area.y.high - area.y.low);
    let image = relief.and_then(|relief| {
        let png = transparent_png(&relief.picture)?;
        let (left, top) = (area.x.part(relief.x.low), 1.0 - area.y.part(relief.y.high));
        let (wide, high) = ((relief.x.high - relief.x.low) / width, (relief.y.high - relief.y.low) / height);
        Some(format!(
            "<img style=\"left:{:.3}%;top:{:.3}%;width:{:.3}%;height:{:.3}%\" src=\"{}\" alt=\"the robot's map\"/>",
            100.0 * left,
            100.0 * top,
            100.0 * wide,
            100.0 * high,
            png_address(&png)
        ))
    });
    let ticks = (area.x.ticks(6.0), area.y.ticks(6.0 * height / width));
    format!(
        "<figure class=\"map overview\"><figcaption>{keys}</figcaption>\
         <div class=\"plot\" style=\"aspect-ratio:{width:.3}/{height:.3}\">{}\
         <svg viewBox=\"0 0 {:.0} {:.0}\" preserveAspectRatio=\"none\">{lines}</svg>{marks}{}{}</div></figure>\n",
        image.unwrap_or_default(),
        100.0 * width,
        100.0 * height,
        scale_bar(width),
        labels(&ticks.0, area.x, &ticks.1, area.y, "m"),
    )
}

/// Ties between key views, those that close loops on top, then the views.
fn graph_lines(area: &Area, graph: &PoseGraphView) -> String {
    let place = |node: usize| {
        let at = graph.nodes.get(node)?.translation;
        Some(Pose2 { x: at.x, y: at.y, yaw: 0.0 })
    };
    let ties = |closes: bool| -> String {
        let chosen = graph.edges.iter().filter(|edge| edge.closes_loop == closes);
        chosen.filter_map(|edge| Some(area.path(&[place(edge.from)?, place(edge.to)?]))).collect()
    };
    let nodes = dots(area, (0..graph.nodes.len()).filter_map(place));
    format!(
        "<path class=\"line tie\" d=\"{}\"/><path class=\"line loop\" d=\"{}\"/><path class=\"dots node\" d=\"{nodes}\"/>",
        ties(false),
        ties(true)
    )
}

/// Lines of no length, which round ends make dots.
fn dots(area: &Area, places: impl Iterator<Item = Pose2>) -> String {
    places.map(|place| area.path(&[place, place])).collect()
}

/// A closed line as a path.
fn closed(outline: &[[f64; 2]]) -> Vec<Pose2> {
    let corner = |[x, y]: &[f64; 2]| Pose2 { x: *x, y: *y, yaw: 0.0 };
    outline.iter().chain(outline.first()).map(corner).collect()
}

fn height_ramp(range: Scale) -> String {
    let swatch = |i: i32| {
        let [red, green, blue] = height_colour(f64::from(i) / 10.0);
        format!("<i style=\"background:rgb({red} {green} {blue})\"></i>")
    };
    let swatches: String = (0..=10).map(swatch).collect();
    let rounded = |height: f64| Number((100.0 * height).round() / 100.0);
    format!("<span class=\"ramp\">{} {swatches} {}\u{202f}m</span>", rounded(range.low), rounded(range.high))
}

fn cost_ramp() -> String {
    let swatch = |i: i32| {
        let [red, green, blue, opacity] = cost_colour(f64::from(i) / 10.0);
        format!("<i style=\"background:rgb({red} {green} {blue} / {:.2})\"></i>", f64::from(opacity) / 255.0)
    };
    format!("<span class=\"ramp\">free {} forbidden</span>", (0..=10).map(swatch).collect::<String>())
}

/// Errors over the distance driven, where somebody knows the truth.
fn errors(input: &ReportInput<'_>) -> String {
    let of = |signal| input.series.signal(signal);
    let largest = |values: &[f64]| values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    if !of(Signal::SlamError).iter().any(|value| value.is_finite()) {
        return String::new();
    }
    let driven = of(Signal::Distance);
    let far = largest(driven);
    let across = if far > 0.1 {
        Across { values: driven, scale: Scale::new(0.0, far), is_time: false }
    } else {
        super::over_time(input)
    };
    let over = if across.is_time { "time" } else { "distance driven" };
    let chart = |title: String, unit, least, lines| {
        Chart { title, unit, across, lines, least, level: Some(0.0), small: false }.html()
    };
    let localisation = Line::new("localisation", of(Signal::SlamError), "c1");
    let baseline = Line::new("baseline in the manner of KISS-ICP", of(Signal::BaselineError), "c3");
    let odometry = Line::new("odometry", of(Signal::OdometryError), "c2");
    let is_dwarfed = largest(odometry.values) > DWARFED * largest(localisation.values);
    let vgicp = Line::new("voxelised GICP", of(Signal::VgicpError), "c4");
    let is_there = |line: &Line| line.values.iter().any(|value| value.is_finite());
    let baselines = [baseline, vgicp].into_iter().filter(is_there);
    let lines = [odometry].into_iter().chain(baselines).chain([localisation.clone()]).collect();
    let mut charts = chart(format!("Position error over {over}"), "m", 0.02, lines);
    if is_dwarfed {
        charts += &chart("Position error of localisation alone".to_owned(), "m", 0.02, vec![localisation]);
    }
    let attitude = vec![
        Line::new("odometry's heading", of(Signal::HeadingError), "c2"),
        Line::new("localisation's attitude", of(Signal::SlamAttitudeError), "c1"),
    ];
    charts + &chart(format!("Attitude error over {over}"), "deg", 0.5, attitude)
}

/// The drift by the length of the pieces, as in the KITTI benchmark.
fn drift(input: &ReportInput<'_>) -> String {
    let map = &input.series.map;
    let Some(all) = map.drift.report() else { return String::new() };
    let baseline = map.baseline.as_ref().and_then(|drift| Some((drift.by_length(), drift.report()?)));
    let percent = |value: f64| format!("{value:.3}");
    let pieces = LENGTHS.iter().zip(map.drift.by_length()).enumerate().filter(|(_, (_, errors))| errors.count > 0);
    let mut rows: Vec<Vec<String>> = pieces
        .map(|(index, (length, errors))| {
            let (mean, worst) = (errors.translation_percent(), errors.worst_percent());
            let turn = format!("{:.4}", errors.rotation_deg_per_m());
            let of_baseline = baseline.map_or(f64::NAN, |(pieces, _)| pieces[index].translation_percent());
            vec![
                format!("{length} m"),
                errors.count.to_string(),
                percent(mean),
                percent(worst),
                turn,
                percent(of_baseline),
            ]
        })
        .collect();
    let turn = format!("{:.4}", all.rotation_deg_per_m);
    let of_baseline = baseline.map_or(f64::NAN, |(_, all)| all.translation_percent);
    let (mean, worst) = (percent(all.translation_percent), percent(all.worst_percent));
    rows.push(vec!["all".to_owned(), all.pieces.to_string(), mean, worst, turn, percent(of_baseline)]);
    let heads =
        ["piece of way", "pieces#", "mean [%]#", "worst [%]#", "rotation, mean [deg/m]#", "baseline, mean [%]#"];
    // a table shows as many columns as it has heads
    let shown = if baseline.is_some() { &heads[..] } else { &heads[..heads.len() - 1] };
    format!("<h3>Drift of localisation</h3>{}", table(shown, rows))
}
