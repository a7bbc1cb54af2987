//! How a robot walked: its soles from above, planned and taken, what it balanced over them, and what they carried.

use robot_io::Pose2;

use super::ReportInput;
use super::chart::{Chart, Line, labels};
use super::html::{nothing, png_address};
use super::map::{Area, scale_bar};
use super::picture::coarse_png;
use crate::feet_seen::FeetSeen;

/// Free ground around the steps [m].
const MARGIN: f64 = 0.6;

/// True if a robot walked.
pub fn has_steps(input: &ReportInput<'_>) -> bool {
    !input.series.feet.is_empty()
}

/// The picture from above, and the same over time.
pub fn steps(input: &ReportInput<'_>) -> String {
    picture(input) + &balance(input)
}

fn picture(input: &ReportInput<'_>) -> String {
    let feet = &input.series.feet;
    let soles = || feet.stood.iter().map(|(_, pose)| pose).chain(&feet.planned);
    let places = soles().map(|pose| (pose.x, pose.y)).filter(|(x, y)| x.is_finite() && y.is_finite());
    let Some(area) = Area::about(places, MARGIN).and_then(|area| area.within(input.world)) else {
        return nothing("Nobody knows where the soles were.");
    };
    let Some(ground) = area.ground(input.world).and_then(coarse_png) else { return nothing("No ground to draw.") };
    let (width, height) = (area.x.high - area.x.low, area.y.high - area.y.low);
    let taken = |foot: usize, look: &str| {
        outlines(&area, feet, look, feet.stood.iter().filter(|(of, _)| *of == foot).map(|(_, pose)| pose))
    };
    let planned = outlines(&area, feet, "line plan dashed", feet.planned.iter());
    let [com, capture, zmp] = feet.balance.each_ref().map(|track| area.path(track));
    let ticks = (area.x.ticks(10.0), area.y.ticks(10.0 * height / width));
    format!(
        "<figure class=\"map\"><figcaption><b>Steps</b><span class=\"key c1\">left soles</span><span class=\"key c2\">right soles</span>\
         <span class=\"key plan dashed\">planned</span><span class=\"key foot\">centre of mass</span>\
         <span class=\"key c4\">capture point</span><span class=\"key loop\">zero-moment point, wanted</span></figcaption>\
         <div class=\"plot\" style=\"aspect-ratio:{width:.3}/{height:.3};max-width:{:.0}vh\"><img src=\"{}\" alt=\"the ground from above\"/>\
         <svg viewBox=\"0 0 {:.0} {:.0}\" preserveAspectRatio=\"none\">{planned}{}{}<path class=\"line loop\" d=\"{zmp}\"/>\
         <path class=\"line c4\" d=\"{capture}\"/><path class=\"line foot\" d=\"{com}\"/></svg>{}{}</div></figure>\n",
        78.0 * width / height,
        png_address(&ground),
        100.0 * width,
        100.0 * height,
        taken(0, "line c1"),
        taken(1, "line c2"),
        scale_bar(width),
        labels(&ticks.0, area.x, &ticks.1, area.y, "m"),
    )
}

/// The outlines of soles as one path.
fn outlines<'p>(area: &Area, feet: &FeetSeen, look: &str, soles: impl Iterator<Item = &'p Pose2>) -> String {
    let [length, width] = feet.sole.map(|side| 0.5 * side);
    let corners = [(length, width), (length, -width), (-length, -width), (-length, width), (length, width)];
    let outline = |sole: &Pose2| {
        let corners = corners.map(|(x, y)| Pose2 { x, y, yaw: 0.0 }.placed_at(sole));
        area.path(&corners)
    };
    format!("<path class=\"{look}\" d=\"{}\"/>", soles.map(outline).collect::<String>())
}

/// What is balanced, along both axes of the world, and the forces on the soles.
fn balance(input: &ReportInput<'_>) -> String {
    const LOOKS: [(&str, &str); 3] =
        [("zero-moment point, wanted", "c3"), ("capture point", "c4"), ("centre of mass", "c1")];
    const ERRORS: [[(&str, &str); 3]; 2] = [
        [("left foot", "c1"), ("right foot", "c2"), ("height of the centre of mass", "c3")],
        [("left foot", "c1"), ("right foot", "c2"), ("trunk", "c3")],
    ];
    let feet = &input.series.feet;
    let tracks = |axis: fn(&Pose2) -> f64| {
        [2, 1, 0].map(|which: usize| feet.balance[which].iter().map(axis).collect::<Vec<f64>>())
    };
    let (along, across) = (tracks(|place| place.x), tracks(|place| place.y));
    let chart = |title: &str, unit, least, values: &[Vec<f64>], looks: &[(&str, &'static str)]| {
        let lines = values.iter().zip(looks).map(|(track, (label, look))| Line::new(label, track, look)).collect();
        let across = super::over_time(input);
        Chart { title: title.to_owned(), unit, across, lines, least, level: None, small: false }.html()
    };
    chart("Balance along x", "m", 0.2, &along, &LOOKS)
        + &chart("Balance along y", "m", 0.2, &across, &LOOKS)
        + &chart("Vertical forces", "N", 100.0, &feet.forces, &[("left sole", "c1"), ("right sole", "c2")])
        + &chart("What tasks are off by: places", "m", 0.01, &feet.place_errors, &ERRORS[0])
        + &chart("What tasks are off by: angles", "rad", 0.01, &feet.turn_errors, &ERRORS[1])
}
