//! Height maps as 16-bit greyscale PNG, as the terrain layer `image` of a world reads them: a mapped place can be driven in.

use image::{ImageBuffer, Luma};
use robot_io::HeightMap;

/// One grey step [m].
const SCALE: f64 = 0.001;

/// A height map as a picture, and the lines of a world file that place it.
pub struct HeightPicture {
    /// The picture: its top row is the north. Unknown cells are black.
    pub picture: ImageBuffer<Luma<u16>, Vec<u16>>,
    /// The terrain layer that reads it.
    pub layer: String,
}

/// The picture of `map`; `file` is its name in the layer.
pub fn to_picture(map: &HeightMap, file: &str) -> HeightPicture {
    let lowest = map.heights.iter().copied().filter(|height| height.is_finite()).fold(f64::INFINITY, f64::min);
    // grey 0 is what nobody knows; what is known begins one step above
    let offset = if lowest.is_finite() { lowest - SCALE } else { 0.0 };
    let grey = |height: f64| match height.is_finite() {
        true => ((height - offset) / SCALE).round().clamp(1.0, f64::from(u16::MAX)) as u16,
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
         file = \"{file}\"\ncell = {}\ncenter = [{x}, {y}]\nscale = {SCALE}\noffset = {offset}\n",
        map.cell
    );
    HeightPicture { picture, layer }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_north_is_on_top_and_what_is_unknown_is_black() {
        let heights = vec![-0.5, 0.0, f64::NAN, 1.0];
        let map = HeightMap { cell: 0.1, origin_x: 2.0, origin_y: 3.0, columns: 2, rows: 2, heights };
        let HeightPicture { picture, layer } = to_picture(&map, "heights.png");
        assert_eq!(picture.as_raw(), &[0, 1501, 1, 501]);
        assert!(layer.contains("center = [2.05, 3.05]") && layer.contains("offset = -0.501"), "{layer}");
    }
}
