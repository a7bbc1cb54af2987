//! 16-bit greyscale PNG height maps, read and written. The image's top row is the northernmost (largest y), its left
//! column the westernmost (smallest x), as on a map.

use std::io::Cursor;

use image::codecs::png::{PngDecoder, PngEncoder};
use image::{ColorType, ExtendedColorType, ImageDecoder, ImageEncoder, Limits};

use crate::WorldError;

/// Most height samples in a grid or an image.
pub const MAX_SAMPLES: usize = 4_000_000;

/// Raw samples of a height map, row-major, rows along +y: the image's top row is the last here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeightMap {
    /// Samples along y.
    pub rows: usize,
    /// Samples along x.
    pub columns: usize,
    /// Grey values.
    pub values: Vec<u16>,
}

impl HeightMap {
    /// Decodes a 16-bit greyscale PNG; `file` names it in errors.
    pub fn decode(bytes: &[u8], file: &str) -> Result<Self, WorldError> {
        let error = |found: String| fault(file, "a complete 16-bit greyscale PNG", found);
        let mut limits = Limits::no_limits();
        limits.max_alloc = Some(64 << 20);
        let decoder = PngDecoder::with_limits(Cursor::new(bytes), limits).map_err(|e| error(e.to_string()))?;
        if decoder.color_type() != ColorType::L16 {
            return Err(error(format!("colour type {:?}", decoder.original_color_type())));
        }
        let (columns, rows) = decoder.dimensions();
        let (rows, columns) = (rows as usize, columns as usize);
        if rows < 2 || columns < 2 || rows.saturating_mul(columns) > MAX_SAMPLES {
            let expected = format!("at least 2 × 2 and at most {MAX_SAMPLES} pixels");
            return Err(fault(file, &expected, format!("{columns} × {rows}")));
        }
        let mut raw = vec![0; rows * columns * 2];
        decoder.read_image(&mut raw).map_err(|e| error(e.to_string()))?;
        let image_rows = raw.chunks_exact(columns * 2).rev();
        let values = image_rows.flat_map(|row| row.chunks_exact(2).map(|b| u16::from_ne_bytes([b[0], b[1]]))).collect();
        Ok(Self { rows, columns, values })
    }

    /// Encodes as a 16-bit greyscale PNG.
    pub fn encode(&self, file: &str) -> Result<Vec<u8>, WorldError> {
        if self.columns == 0 || self.rows * self.columns != self.values.len() {
            let reason = format!("{} values for {} × {} pixels", self.values.len(), self.columns, self.rows);
            return Err(WorldError::Write { file: file.to_owned(), reason });
        }
        let raw: Vec<u8> = self.values.chunks(self.columns).rev().flatten().flat_map(|v| v.to_ne_bytes()).collect();
        let mut bytes = Vec::new();
        let encoder = PngEncoder::new(&mut bytes);
        let done = encoder.write_image(&raw, self.columns as u32, self.rows as u32, ExtendedColorType::L16);
        done.map_err(|e| WorldError::Write { file: file.to_owned(), reason: e.to_string() })?;
        Ok(bytes)
    }

    /// Heights [m] as grey values: (height − `offset`) / `scale`, rounded, clamped to the range of 16 bits.
    pub fn from_heights(heights: &[f64], columns: usize, scale: f64, offset: f64) -> Self {
        let grey = |h: &f64| libm::round((h - offset) / scale).clamp(0.0, f64::from(u16::MAX)) as u16;
        Self { rows: heights.len() / columns.max(1), columns, values: heights.iter().map(grey).collect() }
    }

    /// Heights [m]: `offset` + `scale` × grey value.
    pub fn heights(&self, scale: f64, offset: f64) -> Vec<f64> {
        self.values.iter().map(|&v| offset + scale * f64::from(v)).collect()
    }

    /// An error unless the map has this many rows and columns.
    pub(crate) fn expect_size(&self, file: &str, rows: usize, columns: usize) -> Result<(), WorldError> {
        if (self.rows, self.columns) == (rows, columns) {
            return Ok(());
        }
        let expected = format!("{columns} × {rows} pixels (width × height), one per grid sample");
        Err(fault(file, &expected, format!("{} × {}", self.columns, self.rows)))
    }
}

fn fault(file: &str, expected: &str, found: String) -> WorldError {
    WorldError::HeightMap { file: file.to_owned(), expected: expected.to_owned(), found }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_top_row_of_the_image_is_the_north() {
        let map = HeightMap { rows: 2, columns: 3, values: vec![1, 2, 3, 40_000, 50_000, 65_535] };
        let png = map.encode("x.png").unwrap();
        let image = image::load_from_memory(&png).unwrap().into_luma16();
        assert_eq!(image.get_pixel(0, 0).0, [40_000]);
        assert_eq!(image.get_pixel(2, 1).0, [3]);
    }

    #[test]
    fn eight_bits_colour_and_truncation_are_refused_by_name() {
        let grey = image::GrayImage::from_pixel(4, 4, image::Luma([9]));
        let mut png = Vec::new();
        grey.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        let error = HeightMap::decode(&png, "eight.png").unwrap_err().to_string();
        assert!(error.contains("eight.png") && error.contains("16-bit greyscale") && error.contains("L8"), "{error}");
        let noise = (0..64 * 64).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 16) as u16).collect();
        let map = HeightMap { rows: 64, columns: 64, values: noise };
        let png = map.encode("cut.png").unwrap();
        let error = HeightMap::decode(&png[..png.len() / 2], "cut.png").unwrap_err().to_string();
        assert!(error.contains("cut.png") && error.contains("complete"), "{error}");
        let error = HeightMap::decode(b"not a picture", "text.png").unwrap_err().to_string();
        assert!(error.contains("text.png"), "{error}");
    }

    #[test]
    fn heights_round_to_half_a_step() {
        let heights = [-0.3, 0.0, 0.123_4, 1.5];
        let map = HeightMap::from_heights(&heights, 2, 0.001, -10.0);
        let back = map.heights(0.001, -10.0);
        assert!(heights.iter().zip(&back).all(|(a, b)| (a - b).abs() <= 0.000_5 + 1e-12));
    }

    proptest! {
        #[test]
        fn a_round_trip_changes_nothing(columns in 2usize..20, rows in 2usize..20, seed in any::<u64>()) {
            let random = crate::Random::new(seed, 0);
            let values = (0..rows * columns).map(|i| random.bits(i as u64) as u16).collect();
            let map = HeightMap { rows, columns, values };
            prop_assert_eq!(HeightMap::decode(&map.encode("p").unwrap(), "p").unwrap(), map);
        }
    }
}
