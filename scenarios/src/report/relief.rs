//! A robot's map as pictures: heights with hills in the light, costs from yellow to red. What is unknown stays clear.

use image::{Rgba, RgbaImage};
use robot_io::colour_maps::{cost_colour, height_colour};
use robot_io::{Grid, HeightMap};

use super::scale::Scale;

/// Pixels of a side of a cell of the height map, and of the longer side of a picture at most.
const FINENESS: usize = 3;
const MOST_PIXELS: usize = 640;
/// So many shades of height and of light, few enough for a small file.
const SHADES: (f64, f64) = (96.0, 48.0);
/// Where the light comes from: west-north-west, half high.
const LIGHT: [f64; 3] = [-0.62, 0.36, 0.70];
/// Slopes look so much steeper than they are, since what a wheel notices the eye would not.
const RELIEF: f64 = 2.0;

/// A picture over a piece of ground, north up.
#[derive(Clone, Debug)]
pub struct Relief {
    /// The picture.
    pub picture: RgbaImage,
    /// What its width spans [m].
    pub x: Scale,
    /// What its height spans [m].
    pub y: Scale,
}

/// Area of which the height is known [m²].
pub fn known_area(map: &HeightMap) -> f64 {
    map.cell * map.cell * map.heights.iter().filter(|height| height.is_finite()).count() as f64
}

/// The heights as a picture whose colours span `range`; `None` if nothing is known.
pub fn heights(map: &HeightMap, range: Scale) -> Option<Relief> {
    map.heights.iter().any(|height| height.is_finite()).then_some(())?;
    let fineness = FINENESS.min(MOST_PIXELS / map.columns.max(map.rows).max(1)).max(1);
    let size = |cells: usize| (cells * fineness) as u32;
    let place = |pixel: u32, origin: f64| origin + (f64::from(pixel) + 0.5) * map.cell / fineness as f64;
    let (x0, y0) = (map.origin_x - 0.5 * map.cell, map.origin_y - 0.5 * map.cell);
    let picture = RgbaImage::from_fn(size(map.columns), size(map.rows), |column, row| {
        let (x, y) = (place(column, x0), place(size(map.rows) - 1 - row, y0));
        match height_near(map, x, y) {
            None => Rgba([0; 4]),
            Some(height) => shaded(range.part(height), light(map, x, y, height)),
        }
    });
    Some(Relief { picture, x: span(x0, map.columns, map.cell), y: span(y0, map.rows, map.cell) })
}

/// The costs as a picture; `None` if nothing is known.
pub fn costs(grid: &Grid) -> Option<Relief> {
    grid.values.iter().any(|value| value.is_finite()).then_some(())?;
    let picture = RgbaImage::from_fn(grid.columns as u32, grid.rows as u32, |column, row| {
        let from_south = grid.rows - 1 - row as usize;
        let value = grid.values.get(from_south * grid.columns + column as usize).copied().unwrap_or(f32::NAN);
        // few enough colours for a small file
        Rgba(cost_colour((f64::from(value) * SHADES.0).floor() / SHADES.0))
    });
    let (x0, y0) = (grid.origin_x - 0.5 * grid.cell, grid.origin_y - 0.5 * grid.cell);
    Some(Relief { picture, x: span(x0, grid.columns, grid.cell), y: span(y0, grid.rows, grid.cell) })
}

fn span(low: f64, cells: usize, cell: f64) -> Scale {
    Scale::new(low, low + cells as f64 * cell)
}

/// The height between known cells, else that of the cell itself.
fn height_near(map: &HeightMap, x: f64, y: f64) -> Option<f64> {
    let cell = |u: f64, cells: usize| (u.round().max(0.0) as usize).min(cells.saturating_sub(1));
    let column = cell((x - map.origin_x) / map.cell, map.columns);
    let row = cell((y - map.origin_y) / map.cell, map.rows);
    let own = map.heights.get(row * map.columns + column).copied().filter(|height| height.is_finite())?;
    Some(map.height_at(x, y).unwrap_or(own))
}

/// How much light falls on a place, 0 to about 1; level ground where its slope is not known.
fn light(map: &HeightMap, x: f64, y: f64, height: f64) -> f64 {
    let step = 0.5 * map.cell;
    let rise = |dx: f64, dy: f64| map.height_at(x + dx, y + dy).map_or(0.0, |there| there - height);
    let slope = |dx: f64, dy: f64| RELIEF * (rise(dx, dy) - rise(-dx, -dy)) / (2.0 * step);
    let (along_x, along_y) = (slope(step, 0.0), slope(0.0, step));
    let length = (along_x * along_x + along_y * along_y + 1.0).sqrt();
    ((LIGHT[2] - LIGHT[0] * along_x - LIGHT[1] * along_y) / length).max(0.0)
}

fn shaded(part: f64, light: f64) -> Rgba<u8> {
    let part = (part * SHADES.0).round() / SHADES.0;
    let light = (light.min(1.0) * SHADES.1).round() / SHADES.1;
    let brightness = 0.45 + 0.75 * light;
    let [red, green, blue] = height_colour(part).map(|channel| (f64::from(channel) * brightness).min(255.0) as u8);
    Rgba([red, green, blue, 255])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// 4 x 3 cells that rise to the east; the cell in the south-west corner is not known.
    fn slope() -> HeightMap {
        let mut heights: Vec<f64> = (0..12).map(|i| 0.1 * f64::from(i % 4)).collect();
        heights[0] = f64::NAN;
        HeightMap { cell: 0.5, origin_x: 1.0, origin_y: -1.0, columns: 4, rows: 3, heights }
    }

    #[test]
    fn the_unknown_is_clear_and_north_is_up() {
        let relief = heights(&slope(), Scale::new(0.0, 0.3)).unwrap();
        let (width, height) = relief.picture.dimensions();
        assert_eq!((width, height), (12, 9));
        assert_eq!(relief.picture.get_pixel(0, height - 1).0[3], 0, "south-west");
        assert_eq!(relief.picture.get_pixel(0, 0).0[3], 255, "north-west");
        assert_eq!((relief.x, relief.y), (Scale::new(0.75, 2.75), Scale::new(-1.25, 0.25)));
        assert!((known_area(&slope()) - 11.0 * 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_faces_the_light_is_brighter() {
        let map = slope();
        let away =
            light(&HeightMap { heights: map.heights.iter().map(|h| -h).collect(), ..map.clone() }, 2.0, -0.5, -0.2);
        assert!(light(&map, 2.0, -0.5, 0.2) > away, "the light comes from the west");
    }

    #[test]
    fn costs_go_from_pale_to_dark_red_and_an_empty_map_is_no_picture() {
        let grid = Grid { cell: 0.1, columns: 3, rows: 1, values: vec![f32::NAN, 0.0, 1.0], ..Grid::default() };
        let picture = costs(&grid).unwrap().picture;
        let pixels: Vec<[u8; 4]> = picture.pixels().map(|pixel| pixel.0).collect();
        assert_eq!((pixels[0][3], pixels[2]), (0, [120, 15, 38, 255]));
        assert!(pixels[1][3] > 0 && pixels[1][3] < 128, "free ground is seen, and seen through");
        let unknown = HeightMap { heights: vec![f64::NAN; 12], ..slope() };
        assert!(
            heights(&unknown, Scale::new(0.0, 0.3)).is_none()
                && costs(&Grid { values: vec![f32::NAN; 3], ..grid }).is_none()
        );
    }
}
