//! A height map as a picture of its own, with a legend: colours with their heights [m], and a bar that tells the scale.

use font8x8::{BASIC_FONTS, UnicodeFonts};
use image::{Rgba, RgbaImage, imageops};
use robot_io::HeightMap;
use robot_io::colour_maps::{height_colour, height_range};

use super::relief;
use super::scale::{Scale, round_step};

/// Around map and legend [px].
const MARGIN: u32 = 16;
/// The strip of colours [px].
const STRIP: u32 = 18;
/// Side of a letter [px].
const LETTER: u32 = 8;
/// Room for the heights beside the strip [px].
const NUMBERS: u32 = 8 * LETTER;
/// Least height of the strip [px].
const LEAST_STRIP: u32 = 160;
/// Colours of paper, of what is unknown, and of letters (sRGB).
const PAPER: Rgba<u8> = Rgba([255, 255, 255, 255]);
const UNKNOWN: Rgba<u8> = Rgba([214, 214, 214, 255]);
const INK: Rgba<u8> = Rgba([30, 30, 30, 255]);

/// The picture; `None` if nothing of the map is known.
pub fn height_picture(map: &HeightMap) -> Option<RgbaImage> {
    let (low, high) = height_range(map, None)?;
    let range = Scale::new(low, high);
    let ground = relief::heights(map, range)?.picture;
    let (width, height) = ground.dimensions();
    let below = 4 * LETTER;
    let strip = height.max(LEAST_STRIP);
    let size = (3 * MARGIN + width + STRIP + NUMBERS, 2 * MARGIN + strip + below);
    let mut picture = RgbaImage::from_pixel(size.0, size.1, PAPER);
    fill(&mut picture, (MARGIN, MARGIN), (width, height), |_| UNKNOWN);
    imageops::overlay(&mut picture, &ground, MARGIN.into(), MARGIN.into());
    legend(&mut picture, (2 * MARGIN + width, MARGIN), strip, range);
    let metres = f64::from(width) / (map.columns as f64 * map.cell);
    scale_bar(&mut picture, (MARGIN, MARGIN + strip + LETTER), f64::from(width), metres);
    Some(picture)
}

/// The strip of colours, high on top, with round heights beside it.
fn legend(picture: &mut RgbaImage, (x, y): (u32, u32), height: u32, range: Scale) {
    let part = |row: u32| 1.0 - f64::from(row) / f64::from(height - 1);
    fill(picture, (x, y), (STRIP, height), |row| {
        let [red, green, blue] = height_colour(part(row));
        Rgba([red, green, blue, 255])
    });
    for tick in range.ticks(6.0) {
        let row = y + ((1.0 - range.part(tick)) * f64::from(height - 1)).round() as u32;
        fill(picture, (x + STRIP, row), (4, 1), |_| INK);
        let top = row.saturating_sub(LETTER / 2).clamp(y, y + height - LETTER);
        write(picture, (x + STRIP + 6, top), &format!("{tick:.2}"));
    }
    write(picture, (x, y + height + LETTER), "height [m]");
}

/// A bar of a round length under the map.
fn scale_bar(picture: &mut RgbaImage, (x, y): (u32, u32), width: f64, pixels_per_metre: f64) {
    let length = round_step(0.2 * width / pixels_per_metre);
    let pixels = (length * pixels_per_metre).round() as u32;
    fill(picture, (x, y), (pixels, 3), |_| INK);
    write(picture, (x, y + LETTER), &format!("{length} m"));
}

fn fill(picture: &mut RgbaImage, (x, y): (u32, u32), (width, height): (u32, u32), colour: impl Fn(u32) -> Rgba<u8>) {
    for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
        put(picture, x + column, y + row, colour(row));
    }
}

fn write(picture: &mut RgbaImage, (x, y): (u32, u32), text: &str) {
    for (place, letter) in (0..).zip(text.chars()) {
        for (row, bits) in (0..).zip(BASIC_FONTS.get(letter).unwrap_or_default()) {
            for column in (0..LETTER).filter(|column| bits >> column & 1 == 1) {
                put(picture, x + place * LETTER + column, y + row, INK);
            }
        }
    }
}

/// Beyond the picture's edge nothing is drawn.
fn put(picture: &mut RgbaImage, x: u32, y: u32, colour: Rgba<u8>) {
    if let Some(pixel) = picture.get_pixel_mut_checked(x, y) {
        *pixel = colour;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// A slope of 1 m over 20 × 15 m; a corner is unknown.
    fn map() -> HeightMap {
        let mut heights: Vec<f64> = (0..300).map(|cell| 0.05 * f64::from(cell % 20)).collect();
        heights[0] = f64::NAN;
        HeightMap { cell: 1.0, origin_x: 0.0, origin_y: 0.0, columns: 20, rows: 15, heights }
    }

    #[test]
    fn low_and_high_ground_look_different_and_a_legend_stands_beside() {
        let picture = height_picture(&map()).unwrap();
        let at = |x, y| picture.get_pixel(MARGIN + x, MARGIN + y).0;
        assert_eq!(at(1, 43), UNKNOWN.0, "the corner in the south-west");
        let distance: i32 = (0..3).map(|c| (i32::from(at(10, 20)[c]) - i32::from(at(58, 20)[c])).abs()).sum();
        assert!(distance > 150, "{:?} {:?}", at(10, 20), at(58, 20));
        let letters = picture.enumerate_pixels().filter(|(x, _, pixel)| *x > 3 * MARGIN + 60 && **pixel == INK).count();
        assert!(letters > 200, "{letters}");
        assert!(height_picture(&HeightMap { heights: vec![f64::NAN; 300], ..map() }).is_none());
    }
}
