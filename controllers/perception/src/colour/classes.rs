//! Classes of colours, and the table that looks them up.

use robot_io::Image;

use super::Ellipse;
use super::yuv::yuv_of;

/// Most classes of one table.
pub const MOST_CLASSES: usize = 16;

/// Colours U and V, and their pairs.
const LEVELS: usize = 256;

/// A colour of objects, and what a patch of it has to be like to count.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourClass {
    /// Its name.
    pub name: String,
    /// It is any colour in one of them.
    pub ellipses: Vec<Ellipse>,
    /// Darkest and brightest Y, both allowed.
    pub luma: [u8; 2],
    /// Fewest pixels of a patch.
    pub least_pixels: usize,
    /// Least share of its bounding box that a patch fills.
    pub least_fill: f64,
    /// Longest side of its bounding box over the shorter one, at most.
    pub most_aspect: f64,
    /// From the foot of such an object, where it stands nearest to the camera, to its middle [m].
    pub foot_to_middle: f64,
    /// Smallest and largest width of such an object [m].
    pub width: [f64; 2],
}

impl ColourClass {
    /// A class of these colours, with no demands on patches but the size of a few pixels.
    pub fn new(name: &str, ellipses: Vec<Ellipse>, luma: [u8; 2]) -> ColourClass {
        ColourClass {
            name: name.to_owned(),
            ellipses,
            luma,
            least_pixels: 12,
            least_fill: 0.3,
            most_aspect: 6.0,
            foot_to_middle: 0.0,
            width: [0.0, f64::INFINITY],
        }
    }
}

/// For each pair of U and V the classes that it can be of.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourTable {
    classes: Vec<ColourClass>,
    /// A bit for each class.
    masks: Vec<u16>,
}

impl ColourTable {
    /// The table of these classes. Of several that a pixel could be of, the first counts. Classes beyond
    /// [`MOST_CLASSES`] are left out.
    pub fn new(mut classes: Vec<ColourClass>) -> ColourTable {
        classes.truncate(MOST_CLASSES);
        let mut masks = vec![0; LEVELS * LEVELS];
        for (bit, class) in classes.iter().enumerate() {
            for (place, mask) in masks.iter_mut().enumerate() {
                let (u, v) = ((place / LEVELS) as f64, (place % LEVELS) as f64);
                if class.ellipses.iter().any(|ellipse| ellipse.contains(u, v)) {
                    *mask |= 1 << bit;
                }
            }
        }
        ColourTable { classes, masks }
    }

    /// The classes.
    pub fn classes(&self) -> &[ColourClass] {
        &self.classes
    }

    /// The class of a name.
    pub fn class(&self, name: &str) -> Option<usize> {
        self.classes.iter().position(|class| class.name == name)
    }

    /// The class of a colour (sRGB).
    pub fn class_of(&self, rgb: [u8; 3]) -> Option<usize> {
        let [y, u, v] = yuv_of(rgb);
        let mut mask = self.masks[usize::from(u) * LEVELS + usize::from(v)];
        while mask != 0 {
            let class = mask.trailing_zeros() as usize;
            let [darkest, brightest] = self.classes[class].luma;
            if (darkest..=brightest).contains(&y) {
                return Some(class);
            }
            mask &= mask - 1;
        }
        None
    }

    /// The class of each pixel, row after row: 0 for none, otherwise one more than its place in [`classes`](Self::classes).
    pub fn classify(&self, image: &Image, pixels: &mut Vec<u8>) {
        pixels.clear();
        let class = |rgb: &[u8]| self.class_of([rgb[0], rgb[1], rgb[2]]).map_or(0, |class| class as u8 + 1);
        pixels.extend(image.rgb.chunks_exact(3).map(class));
    }
}
