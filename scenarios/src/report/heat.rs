//! How hard each joint works over time, as a picture: one row a joint, one column a moment.

use image::{Rgba, RgbaImage};

use super::chart::labels;
use super::html::{Number, Text, nothing, png_address};
use super::picture::transparent_png;
use super::scale::Scale;

/// Columns of the picture.
const COLUMNS: usize = 360;
/// Colours from rest to the limit: part of the limit, then red, green, blue and opacity. Transparent at rest, so that
/// it suits a light page and a dark one.
const COLOURS: [(f64, [f64; 4]); 5] = [
    (0.0, [90.0, 140.0, 190.0, 18.0]),
    (0.25, [70.0, 150.0, 175.0, 130.0]),
    (0.5, [110.0, 175.0, 110.0, 220.0]),
    (0.75, [240.0, 170.0, 50.0, 255.0]),
    (1.0, [205.0, 45.0, 55.0, 255.0]),
];

/// One joint's row.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The joint's name.
    pub name: &'a str,
    /// The part of its limit, 0 to 1 and more, at each time.
    pub parts: Vec<f64>,
}

/// The heat map as HTML; `times` are those of all rows.
pub fn heat_map(rows: &[Row<'_>], times: &[f64], across: Scale) -> String {
    let picture =
        (!rows.is_empty() && !times.is_empty()).then(|| transparent_png(&draw(rows, times, across))).flatten();
    let Some(png) = picture else { return nothing("No efforts were recorded.") };
    let names: String = rows.iter().map(|row| format!("<span>{}</span>", Text(row.name))).collect();
    let peaks: String = rows.iter().map(|row| peak(&row.parts, times)).collect();
    let key: String = (0..=10).map(|i| format!("<i style=\"background:{}\"></i>", css(f64::from(i) / 10.0))).collect();
    format!(
        "<figure class=\"heat time\"><figcaption><b>Effort</b> <span class=\"unit\">[% of the joint's limit]</span>\
         <span class=\"ramp\">0 {key} 100</span></figcaption><div class=\"names\">{names}</div>\
         <div class=\"plot\" style=\"--rows:{}\"><img src=\"{}\" alt=\"efforts of all joints over time\"/>{}\
         <i class=\"cursor\"></i></div><div class=\"peaks\">{peaks}</div></figure>\n",
        rows.len(),
        png_address(&png),
        labels(&across.ticks(6.0), across, &[], across, "s"),
    )
}

/// The largest part that falls on each pixel; transparent where nothing is known.
fn draw(rows: &[Row<'_>], times: &[f64], across: Scale) -> RgbaImage {
    let columns = COLUMNS.min(times.len());
    let mut picture = RgbaImage::new(columns as u32, rows.len() as u32);
    for (row, y) in rows.iter().zip(0..) {
        let mut largest = vec![f64::NAN; columns];
        for (time, part) in times.iter().zip(&row.parts) {
            let column = (across.part(*time) * columns as f64).clamp(0.0, columns as f64 - 1.0) as usize;
            largest[column] = largest[column].max(*part);
        }
        for (part, x) in largest.into_iter().zip(0..) {
            picture.put_pixel(x, y, colour(part));
        }
    }
    picture
}

/// The largest part [%] and when.
fn peak(parts: &[f64], times: &[f64]) -> String {
    let finite = parts.iter().zip(times).filter(|(part, _)| part.is_finite());
    match finite.max_by(|a, b| a.0.total_cmp(b.0)) {
        None => "<span>–</span>".to_owned(),
        Some((part, time)) => {
            let percent = (100.0 * part).round();
            format!("<span data-at=\"{time:.3}\"><b>{percent}</b> at {} s</span>", Number((time * 10.0).round() / 10.0))
        }
    }
}

fn colour(part: f64) -> Rgba<u8> {
    if part.is_nan() {
        return Rgba([0; 4]);
    }
    let part = part.clamp(0.0, 1.0);
    let after = COLOURS.iter().position(|(stop, _)| *stop >= part).unwrap_or(COLOURS.len() - 1).max(1);
    let ((from, near), (to, far)) = (COLOURS[after - 1], COLOURS[after]);
    let mix = (part - from) / (to - from);
    Rgba([0, 1, 2, 3].map(|channel| (near[channel] + mix * (far[channel] - near[channel])).round() as u8))
}

fn css(part: f64) -> String {
    let Rgba([red, green, blue, opacity]) = colour(part);
    format!("rgb({red} {green} {blue} / {:.2})", f64::from(opacity) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hardest_moment_of_a_column_shows_and_the_unknown_stays_clear() {
        let mut parts = vec![0.0; 1_000];
        parts[501] = 2.0;
        let times: Vec<f64> = (0..1_000).map(|i| f64::from(i) * 0.01).collect();
        let rows = [Row { name: "knee", parts }, Row { name: "blind", parts: vec![f64::NAN; 1_000] }];
        let picture = draw(&rows, &times, Scale::new(0.0, 10.0));
        assert!(picture.rows().next().is_some_and(|mut row| row.any(|pixel| *pixel == colour(1.0))));
        assert!(picture.rows().nth(1).is_some_and(|mut row| row.all(|pixel| pixel.0[3] == 0)));
    }

    #[test]
    fn the_peak_is_named_with_its_time() {
        assert_eq!(
            peak(&[0.1, 0.834, f64::NAN], &[0.0, 1.5, 2.0]),
            "<span data-at=\"1.500\"><b>83</b> at 1.5 s</span>"
        );
    }
}
