//! Half-buried stones: half-ellipsoids strewn by seed, whole or not at all inside the layer's area.

use std::f64::consts::PI;

use crate::Random;
use crate::fields::LENGTH;
use crate::material::material_index;
use crate::terrain::Terrain;
use page::{Fault, Fields, Range, Value};

use super::region::Area;
use super::{Profile, Site};

/// Stones, filed in square bins so that a sample looks at its own bin only.
pub(super) struct Stones {
    stones: Vec<Stone>,
    bins: Vec<Vec<u32>>,
    bin: f64,
    columns: usize,
    origin: (f64, f64),
}

struct Stone {
    center: (f64, f64),
    /// Long and short half axis [m], and the long one's direction (cos, sin).
    axes: (f64, f64),
    along: (f64, f64),
    height: f64,
}

/// Most stones in one layer.
const MOST: u64 = 20_000;
/// Places tried for a stone before it is left out.
const TRIES: u64 = 32;
/// Random numbers reserved for one stone: its tries (two each), and its shape.
const STRIDE: u64 = 2 * TRIES + 8;

impl Stones {
    /// The stones, and the material that they are made of if it is not the ground's.
    pub(super) fn read(
        mut fields: Fields<'_>,
        area: &Area,
        random: &Random,
        site: &Site<'_, '_>,
    ) -> Result<(Self, Option<usize>), Fault> {
        let count = fields.whole("count", 0..=MOST)?;
        let radius = interval(&fields.need("radius", "[smallest, largest] in metres")?, LENGTH)?;
        let height = interval(&fields.need("height", "[lowest, highest] in metres")?, Range::new(0.0, 100.0, "m"))?;
        let material = fields.get("material").map(|name| material_index(&name, site.materials)).transpose()?;
        fields.finish()?;
        let ground = &*site.terrain;
        let stones = (0..count).filter_map(|i| Stone::place(random, i * STRIDE, radius, height, area, ground));
        Ok((Self::file(stones.collect(), radius[1], ground), material))
    }

    fn file(stones: Vec<Stone>, largest: f64, ground: &Terrain) -> Self {
        let ((x0, x1), (y0, y1)) = ground.extent();
        // At most 512 bins a side.
        let bin = (2.0 * largest).max((x1 - x0).max(y1 - y0) / 512.0);
        let (columns, rows) = (((x1 - x0) / bin) as usize + 1, ((y1 - y0) / bin) as usize + 1);
        let mut filed = Self { stones, bins: vec![Vec::new(); rows * columns], bin, columns, origin: (x0, y0) };
        for (number, stone) in filed.stones.iter().enumerate() {
            let range = |center: f64, origin: f64, count: usize| {
                let index = |p: f64| ((p - origin) / bin).max(0.0) as usize;
                index(center - stone.axes.0)..=index(center + stone.axes.0).min(count - 1)
            };
            for row in range(stone.center.1, y0, rows) {
                for column in range(stone.center.0, x0, columns) {
                    filed.bins[row * columns + column].push(number as u32);
                }
            }
        }
        filed
    }
}

impl Stone {
    /// Stone with random numbers from `counter` on, or `None` where no try found room for it.
    fn place(
        random: &Random,
        counter: u64,
        radius: [f64; 2],
        height: [f64; 2],
        area: &Area,
        ground: &Terrain,
    ) -> Option<Self> {
        let ((x0, x1), (y0, y1)) = ground.extent();
        let long = random.between(counter, radius[0], radius[1]);
        let turn = random.between(counter + 1, 0.0, PI);
        let place = |i: u64| (random.between(i, x0, x1), random.between(i + 1, y0, y1));
        let tries = (0..TRIES).map(|i| place(counter + 8 + 2 * i));
        let center = tries.into_iter().find(|&(x, y)| area.distance(x, y) <= -long)?;
        Some(Self {
            center,
            axes: (long, long * random.between(counter + 2, 0.7, 1.0)),
            along: (libm::cos(turn), libm::sin(turn)),
            height: random.between(counter + 3, height[0], height[1]),
        })
    }

    fn bump(&self, x: f64, y: f64) -> f64 {
        let (dx, dy) = (x - self.center.0, y - self.center.1);
        let u = (dx * self.along.0 + dy * self.along.1) / self.axes.0;
        let v = (dy * self.along.0 - dx * self.along.1) / self.axes.1;
        self.height * (1.0 - u * u - v * v).max(0.0).sqrt()
    }
}

impl Profile for Stones {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        height + self.bump(x, y)
    }
}

impl Stones {
    /// Height of the stones above the ground [m], 0 beside them.
    pub(super) fn bump(&self, x: f64, y: f64) -> f64 {
        let (column, row) = ((x - self.origin.0) / self.bin, (y - self.origin.1) / self.bin);
        let bin = self.bins.get(row as usize * self.columns + (column as usize).min(self.columns - 1));
        let bumps = bin.into_iter().flatten().map(|&stone| self.stones[stone as usize].bump(x, y));
        bumps.fold(0.0, f64::max)
    }
}

fn interval(value: &Value<'_>, range: Range) -> Result<[f64; 2], Fault> {
    let [low, high] = value.vector(range)?;
    if low > high {
        return Err(value.error("the smaller number first", &format!("[{low}, {high}]")));
    }
    Ok([low, high])
}
