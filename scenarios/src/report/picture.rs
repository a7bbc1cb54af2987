//! Pictures small enough to live inside a page.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::imageops::{self, FilterType as Resampling};
use image::{ExtendedColorType, ImageEncoder, RgbImage, RgbaImage};

use super::html::{Text, png_address};

/// What all pictures of the scene may take together, before base64 makes it a third more [bytes].
const SCENE_BUDGET: usize = 950_000;
/// The widths [pixels] that are tried until a picture fits into its share.
const WIDTHS: [u32; 4] = [960, 800, 640, 480];
/// Colours are rounded to multiples of this, which nobody sees and which halves the file.
const COLOUR_STEP: u8 = 4;

/// A picture of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows.
    pub title: String,
    /// The picture as a PNG file.
    pub png: Vec<u8>,
}

/// The pictures of the scene, side by side.
pub fn gallery(pictures: &[Picture]) -> String {
    let share = SCENE_BUDGET / pictures.len().max(1);
    let figure = |picture: &Picture| {
        let (title, address) = (Text(&picture.title), png_address(&fitting(&picture.png, share)));
        format!("<figure><img src=\"{address}\" alt=\"{title}\"/><figcaption>{title}</figcaption></figure>\n")
    };
    format!("<div class=\"gallery\">{}</div>\n", pictures.iter().map(figure).collect::<String>())
}

/// The picture as a PNG of coarser colours and at most so many bytes, if a smaller picture can do that.
fn fitting(png: &[u8], share: usize) -> Vec<u8> {
    let Ok(picture) = image::load_from_memory(png) else { return png.to_vec() };
    let picture = picture.to_rgb8();
    if png.len() <= share {
        return png.to_vec();
    }
    let attempts =
        WIDTHS.iter().filter(|width| **width <= picture.width()).filter_map(|width| shrunk(&picture, *width));
    let mut best = png.to_vec();
    for attempt in attempts {
        let fits = attempt.len() <= share;
        if attempt.len() < best.len() {
            best = attempt;
        }
        if fits {
            break;
        }
    }
    best
}

fn shrunk(picture: &RgbImage, width: u32) -> Option<Vec<u8>> {
    let height = (picture.height() * width / picture.width()).max(1);
    coarse_png(imageops::resize(picture, width, height, Resampling::Triangle))
}

/// The picture as a PNG whose colours are rounded.
pub fn coarse_png(mut picture: RgbImage) -> Option<Vec<u8>> {
    for channel in picture.iter_mut() {
        *channel = channel.saturating_add(COLOUR_STEP / 2) / COLOUR_STEP * COLOUR_STEP;
    }
    encode(&picture, picture.width(), picture.height(), ExtendedColorType::Rgb8)
}

/// The picture as a PNG.
pub fn transparent_png(picture: &RgbaImage) -> Option<Vec<u8>> {
    encode(picture, picture.width(), picture.height(), ExtendedColorType::Rgba8)
}

fn encode(bytes: &[u8], width: u32, height: u32, colours: ExtendedColorType) -> Option<Vec<u8>> {
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Best, FilterType::Adaptive);
    encoder.write_image(bytes, width, height, colours).ok().map(|()| png)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn noisy(width: u32, height: u32) -> RgbImage {
        let mut seed = 1_u32;
        let mut noise = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        RgbImage::from_fn(width, height, |_, _| image::Rgb([noise(), noise(), noise()]))
    }

    #[test]
    fn a_large_picture_is_made_to_fit_and_keeps_its_shape() {
        let png = coarse_png(noisy(1200, 600)).unwrap();
        let small = fitting(&png, 900_000);
        let picture = image::load_from_memory(&small).unwrap();
        assert!(small.len() <= 900_000, "{}", small.len());
        assert_eq!(picture.width(), 2 * picture.height());
    }

    #[test]
    fn a_small_picture_and_one_that_nobody_can_read_stay_as_they_are() {
        let png = coarse_png(noisy(20, 10)).unwrap();
        assert_eq!(fitting(&png, 10_000), png);
        assert_eq!(fitting(b"no picture", 1), b"no picture");
    }
}
