//! Where the robot went: the hill-shaded ground from above, the true and the believed path, the waypoints.

use image::{RgbImage, imageops};
use robot_io::Pose2;
use worlds::World;

use super::ReportInput;
use super::chart::labels;
use super::html::{Number, nothing, png_address};
use super::picture::coarse_png;
use super::scale::{Scale, round_step};

/// Pixels of the longer side of the map, and the finest scale [pixels/m].
const PIXELS: f64 = 760.0;
const FINEST: f64 = 64.0;
/// Free ground around what was driven: this part of its size, and no less than so much [m].
const MARGIN: (f64, f64) = (0.12, 1.0);
/// No side of the map is shorter than this part of the other, nor than so much [m].
const SQUAREST: (f64, f64) = (0.5, 5.0);
/// Points of the path, and of the track that the marker follows.
const PATH_POINTS: usize = 900;
const TRACK_POINTS: usize = 300;

/// A piece of ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// From west to east [m].
    pub x: Scale,
    /// From south to north [m].
    pub y: Scale,
}

/// The map as HTML.
pub fn map(input: &ReportInput<'_>) -> String {
    let series = input.series;
    let others = || series.others.iter().map(|(_, truth)| truth);
    let places = series.truth.iter().chain(&series.odometry).chain(input.route).chain(others().flatten());
    let Some(area) = Area::of(places, input.world) else { return nothing("No path was recorded.") };
    let Some(ground) = area.ground(input.world).and_then(coarse_png) else { return nothing("No ground to draw.") };
    let (width, height) = (area.x.high - area.x.low, area.y.high - area.y.low);
    let other_lines: String =
        others().map(|truth| format!("<path class=\"line c3\" d=\"{}\"/>", area.path(truth))).collect();
    let other_key = if series.others.is_empty() { "" } else { "<span class=\"key c3\">other robots</span>" };
    let ticks = (area.x.ticks(10.0), area.y.ticks(10.0 * height / width));
    format!(
        "<figure class=\"map\"><figcaption><span class=\"key c1\">true path</span>\
         <span class=\"key c2 dashed\">odometry</span><span class=\"key waypoint\">waypoints</span>{other_key}</figcaption>\
         <div class=\"plot\" style=\"aspect-ratio:{width:.3}/{height:.3};max-width:{:.0}vh\" data-track=\"{}\">\
         <img src=\"{}\" alt=\"the ground from above\"/><svg viewBox=\"0 0 {:.0} {:.0}\" preserveAspectRatio=\"none\">{other_lines}\
         <path class=\"halo\" d=\"{truth}\"/><path class=\"line c1\" d=\"{truth}\"/>\
         <path class=\"line c2 dashed\" d=\"{}\"/></svg>{}{}{}<b class=\"here\"></b></div></figure>\n",
        78.0 * width / height,
        area.track(input),
        png_address(&ground),
        100.0 * width,
        100.0 * height,
        area.path(&series.odometry),
        area.marks(input),
        scale_bar(width),
        labels(&ticks.0, area.x, &ticks.1, area.y, "m"),
        truth = area.path(&series.truth),
    )
}

impl Area {
    /// The piece of a world that holds all places, with a margin; `None` without places.
    fn of<'p>(places: impl Iterator<Item = &'p Pose2> + Clone, world: &World) -> Option<Area> {
        let (x_range, y_range) = world.terrain.extent();
        let within = |(low, high): (f64, f64)| move |value: &f64| (low - 1.0..=high + 1.0).contains(value);
        let mut x = bounds(places.clone().map(|place| place.x).filter(within(x_range)))?;
        let mut y = bounds(places.map(|place| place.y).filter(within(y_range)))?;
        let longest = f64::max(x.1 - x.0, y.1 - y.0);
        let margin = f64::max(MARGIN.0 * longest, MARGIN.1);
        let least = f64::max(SQUAREST.0 * (longest + 2.0 * margin), SQUAREST.1);
        for (range, limits) in [(&mut x, x_range), (&mut y, y_range)] {
            let wider = f64::max(margin, (least - (range.1 - range.0)) / 2.0);
            *range = (f64::max(range.0 - wider, limits.0), f64::min(range.1 + wider, limits.1));
        }
        (x.1 > x.0 && y.1 > y.0).then(|| Area { x: Scale::new(x.0, x.1), y: Scale::new(y.0, y.1) })
    }

    /// The piece of ground that holds all places (x, y), with a margin [m]; `None` without places.
    pub fn about(places: impl Iterator<Item = (f64, f64)> + Clone, margin: f64) -> Option<Area> {
        let x = bounds(places.clone().map(|(x, _)| x))?;
        let y = bounds(places.map(|(_, y)| y))?;
        let wider = |(low, high): (f64, f64)| Scale::new(low - margin, high + margin);
        Some(Area { x: wider(x), y: wider(y) })
    }

    /// What of it belongs to a world; `None` if nothing does.
    pub fn within(self, world: &World) -> Option<Area> {
        let clip = |scale: Scale, (low, high): (f64, f64)| (scale.low.max(low), scale.high.min(high));
        let (x, y) = world.terrain.extent();
        let (x, y) = (clip(self.x, x), clip(self.y, y));
        (x.1 > x.0 && y.1 > y.0).then(|| Area { x: Scale::new(x.0, x.1), y: Scale::new(y.0, y.1) })
    }

    /// The ground in the area, north up.
    pub fn ground(&self, world: &World) -> Option<RgbImage> {
        let ((x0, x1), (_, y1)) = world.terrain.extent();
        let longest = f64::max(self.x.high - self.x.low, self.y.high - self.y.low);
        let whole = world.top_view(f64::min(PIXELS / longest, FINEST));
        // The view may be coarser than asked for.
        let scale = f64::from(whole.width()) / (x1 - x0);
        let pixels = |length: f64| (length * scale).round().max(0.0) as u32;
        let (left, top) = (pixels(self.x.low - x0).min(whole.width()), pixels(y1 - self.y.high).min(whole.height()));
        let width = pixels(self.x.high - self.x.low).min(whole.width() - left);
        let height = pixels(self.y.high - self.y.low).min(whole.height() - top);
        (width > 0 && height > 0).then(|| imageops::crop_imm(&whole, left, top, width, height).to_image())
    }

    /// A path in centimetres from the upper left corner.
    pub fn path(&self, poses: &[Pose2]) -> String {
        let stride = poses.len().div_ceil(PATH_POINTS).max(1);
        let last = poses.len().saturating_sub(1);
        let mut lead = "M";
        let mut path = String::new();
        for (_, pose) in poses.iter().enumerate().filter(|(index, _)| index % stride == 0 || *index == last) {
            if pose.x.is_finite() && pose.y.is_finite() {
                let (x, y) = (100.0 * (pose.x - self.x.low), 100.0 * (self.y.high - pose.y));
                path += &format!("{lead}{x:.0} {y:.0}");
                lead = "L";
            } else {
                lead = "M";
            }
        }
        path
    }

    /// Place [%] and heading [deg] at even times, for the marker.
    fn track(&self, input: &ReportInput<'_>) -> String {
        let series = input.series;
        let end = super::end_of(input);
        let pose = |i: usize| {
            let at = robot_io::Time::from_seconds(end * i as f64 / TRACK_POINTS as f64);
            let pose = series.truth.get(series.index_at(at))?;
            let (left, top) = (100.0 * self.x.part(pose.x), 100.0 - 100.0 * self.y.part(pose.y));
            let known = left.is_finite() && top.is_finite() && pose.yaw.is_finite();
            known.then(|| format!("{left:.1},{top:.1},{:.0}", -pose.yaw.to_degrees()))
        };
        (0..=TRACK_POINTS).map(|i| pose(i).unwrap_or_default()).collect::<Vec<_>>().join(" ")
    }

    /// Waypoints with their numbers, start and end.
    pub fn marks(&self, input: &ReportInput<'_>) -> String {
        let mark = |pose: &Pose2, class: &str, text: &str| {
            let (left, top) = (100.0 * self.x.part(pose.x), 100.0 - 100.0 * self.y.part(pose.y));
            format!("<span class=\"mark {class}\" style=\"left:{left:.2}%;top:{top:.2}%\">{text}</span>")
        };
        let route = input.route.iter().enumerate();
        let mut marks: String = route.map(|(i, pose)| mark(pose, "waypoint", &(i + 1).to_string())).collect();
        let finite = |pose: &&Pose2| pose.x.is_finite() && pose.y.is_finite();
        if let Some(start) = input.series.truth.iter().find(finite) {
            marks += &mark(start, "start", "start");
        }
        if let Some(end) = input.series.truth.iter().rfind(finite) {
            marks += &mark(end, "end", "end");
        }
        for (name, truth) in &input.series.others {
            marks += &truth.iter().rfind(finite).map_or_else(String::new, |end| mark(end, "end", name));
        }
        marks
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let bounds = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    (bounds.0 <= bounds.1).then_some(bounds)
}

/// A bar of a round length, about a fifth of the width.
pub fn scale_bar(width: f64) -> String {
    let length = round_step(width / 8.0);
    format!("<span class=\"bar\" style=\"width:{:.2}%\">{} m</span>", 100.0 * length / width, Number(length))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn yard() -> World {
        let text = "name = \"yard\"\n[terrain]\ncell = 0.5\nsize = [20.0, 10.0]\nmaterial = \"concrete\"\n";
        World::from_str(text, "yard.toml", std::path::Path::new(".")).unwrap()
    }

    #[test]
    fn the_map_shows_what_was_driven_with_a_margin_and_ends_with_the_world() {
        let places = [Pose2 { x: -9.5, y: 0.0, yaw: 0.0 }, Pose2 { x: 0.5, y: f64::NAN, yaw: 0.0 }];
        let area = Area::of(places.iter(), &yard()).unwrap();
        assert_eq!(area.x, Scale { low: -10.0, high: 1.7 });
        assert!(area.y.low <= -2.5 && area.y.high >= 2.5, "{area:?}");
        assert_eq!(Area::of([].iter(), &yard()), None);
    }

    #[test]
    fn the_ground_has_the_shape_of_its_area() {
        let area = Area { x: Scale::new(-5.0, 5.0), y: Scale::new(-2.0, 3.0) };
        let picture = area.ground(&yard()).unwrap();
        assert_eq!(picture.width(), 2 * picture.height());
    }

    #[test]
    fn lost_odometry_interrupts_the_path() {
        let area = Area { x: Scale::new(0.0, 4.0), y: Scale::new(0.0, 4.0) };
        let at = |x: f64| Pose2 { x, y: 1.0, yaw: 0.0 };
        assert_eq!(area.path(&[at(0.0), at(1.0), at(f64::NAN), at(3.0)]), "M0 300L100 300M300 300");
    }
}
