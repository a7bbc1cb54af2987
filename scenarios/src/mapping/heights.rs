//! Height maps as 16-bit greyscale PNG, as the terrain layer `image` of a world reads them: a mapped place can be driven in.
//! Greys go from dark to white whatever the ground's relief, so that any viewer shows it.

use image::{ImageBuffer, Luma};
use robot_io::HeightMap;

/// The grey of the lowest ground; the highest is white. Black is what nobody knows, and as terrain no pit.
const DARKEST: u16 = 1;
/// Ground of less relief than this [m] is not stretched to white: noise would look like hills.
const LEAST_RELIEF: f64 = 0.2;

/// A height map as a picture, and the lines of a world file that place it.
pub struct HeightPicture {
    /// The picture: its top row is the north. Unknown cells are black.
    pub picture: ImageBuffer<Luma<u16>, Vec<u16>>,
    /// The terrain layer that reads it.
    pub layer: String,
}

/// The picture of `map`; `file` is its name in the layer.
pub fn to_picture(map: &HeightMap, file: &str) -> HeightPicture {
    let known = || map.heights.iter().copied().filter(|height| height.is_finite());
    let (lowest, highest) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    let relief = if lowest <= highest { (highest - lowest).max(LEAST_RELIEF) } else { LEAST_RELIEF };
    let scale = relief / f64::from(u16::MAX - DARKEST);
    let offset = if lowest.is_finite() { lowest - scale * f64::from(DARKEST) } else { 0.0 };
    let grey = |height: f64| match height.is_finite() {
        true => ((height - offset) / scale).round().clamp(f64::from(DARKEST), f64::from(u16::MAX)) as u16,
        false => 0,
    };
    let picture = ImageBuffer::from_fn(map.columns as u32, map.rows as u32, |column, row| {
        let from_south = map.rows - 1 - row as usize;
        let height = map.heights.get(from_south * map.columns + column as usize).copied();
        Luma([grey(height.unwrap_or(f64::NAN))])
    });
    let middle = |origin: f64, samples: usize| origin + 0.5 * map.cell * samples.saturating_sub(1) as f64;
    let (x, y) = (middle(map.origin_x, map.columns), middle(map.origin_y, map.rows));
    let layer = format!(
        "# Heights on the map [m] = offset + scale × grey; grey 0 is unknown.\n[[terrain.layer]]\nkind = \"image\"\n\
         file = \"{file}\"\ncell = {}\ncenter = [{x}, {y}]\nscale = {scale:e}\noffset = {offset}\n",
        map.cell
    );
    HeightPicture { picture, layer }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_north_is_on_top_and_what_is_unknown_is_black() {
        let heights = vec![-0.5, 0.0, f64::NAN, 1.0];
        let map = HeightMap { cell: 0.1, origin_x: 2.0, origin_y: 3.0, columns: 2, rows: 2, heights };
        let HeightPicture { picture, layer } = to_picture(&map, "heights.png");
        // half a metre above the lowest: a third of the way from dark to white
        assert_eq!(picture.as_raw(), &[0, 65535, 1, 21846]);
        assert!(layer.contains("center = [2.05, 3.05]"), "{layer}");
        let number = |name: &str| -> f64 {
            layer.lines().find_map(|line| line.strip_prefix(name)?.trim_start_matches([' ', '=']).parse().ok()).unwrap()
        };
        for (grey, height) in [(65535.0, 1.0), (1.0, -0.5), (21846.0, 0.0)] {
            assert!((number("offset") + number("scale") * grey - height).abs() < 1e-4, "{layer}");
        }
    }

    #[test]
    fn level_ground_is_no_mountain_and_an_empty_map_is_black() {
        let flat = HeightMap { cell: 0.1, origin_x: 0.0, origin_y: 0.0, columns: 2, rows: 1, heights: vec![0.0, 0.01] };
        let greys = to_picture(&flat, "f.png").picture.into_raw();
        assert!(greys[1] - greys[0] < 4000, "{greys:?}");
        let empty = HeightMap { heights: vec![f64::NAN; 2], ..flat };
        assert_eq!(to_picture(&empty, "e.png").picture.into_raw(), [0, 0]);
    }
}
