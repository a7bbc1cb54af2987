//! Which columns a shape cuts, and how low it is there.

use nalgebra::Vector3;
use worlds::Terrain;

use super::ground::Ground;
use crate::solids::Solid;
use crate::underside::Underside;

/// The middles of a column's quarters, in cells from its own.
const QUARTERS: [[f64; 2]; 4] = [[-0.25, -0.25], [0.25, -0.25], [-0.25, 0.25], [0.25, 0.25]];
/// None of them is farther away than this.
const QUARTER: f64 = 0.36;
/// A face that leans more than this presses nothing down (cosine).
const LEAST_UPRIGHT: f64 = 1e-3;

/// What a solid covers of the ground.
pub(super) struct Patch {
    /// The samples whose columns its surface cuts.
    pub pressed: Vec<Pressed>,
    /// Those over which it is, by less than a cell: what lies beside is beside it.
    hovered: Vec<Pressed>,
    /// For each sample the last patch that pressed it, the last that was over it or pressed it, and how many there have been.
    pressed_by: Vec<u64>,
    of: Vec<u64>,
    number: u64,
    /// The last one before this step.
    last: u64,
}

/// A sample with a shape over it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pressed {
    pub sample: usize,
    /// The shape's height there [m], and its normal.
    pub low: f64,
    pub normal: Vector3<f64>,
    /// How much of its area is below the shape, 0 to 1.
    pub covered: f64,
    /// Which of its quarters are.
    quarters: [bool; 4],
}

impl Pressed {
    /// How much of its side along y, if it ends `along_x`, or else along x, is covered, 0 to 1.
    pub fn side(&self, along_x: bool) -> f64 {
        let [a, b, c, d] = self.quarters;
        let halves = if along_x { [a || b, c || d] } else { [a || c, b || d] };
        halves.map(|half| if half { 0.5 } else { 0.0 }).iter().sum()
    }
}

impl Patch {
    /// None yet, on so many samples.
    pub fn new(samples: usize) -> Patch {
        let none = vec![0; samples];
        Patch { pressed: Vec::new(), hovered: Vec::new(), pressed_by: none.clone(), of: none, number: 0, last: 0 }
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.last = self.number;
    }

    /// Finds what a solid covers.
    pub fn lay(&mut self, ground: &Ground, terrain: &Terrain, solid: &Solid, underside: &Underside) {
        self.pressed.clear();
        self.hovered.clear();
        self.number += 1;
        let (middle, half) = solid.bounds();
        let (lowest, cell) = (middle.z - half.z, terrain.cell);
        let pose = solid.in_world();
        let to_own = pose.rotation.inverse().to_rotation_matrix().into_inner();
        let underside = underside.at(&pose, middle.z, half.z);
        let span = |at: f64, half: f64, origin: f64, samples: usize| {
            let sample = |place: f64| ((place - origin) / cell).round().clamp(0.0, samples as f64 - 1.0) as usize;
            sample(at - half)..=sample(at + half)
        };
        for row in span(middle.y, half.y, terrain.origin_y, terrain.rows) {
            for column in span(middle.x, half.x, terrain.origin_x, terrain.columns) {
                let sample = row * terrain.columns + column;
                let height = terrain.heights[sample];
                if height + cell <= lowest || ground.column(sample).is_none() {
                    continue;
                }
                let (x, y) = terrain.position(row, column);
                let end = Vector3::new(x, y, height + cell);
                if !solid.may_be_over(&pose, &to_own, &end, QUARTER * cell) {
                    continue;
                }
                let quarter = |[dx, dy]: [f64; 2]| underside.above(x + dx * cell, y + dy * cell);
                let Some(covered) = cover(sample, height + cell, QUARTERS.map(quarter)) else { continue };
                self.of[sample] = self.number;
                if covered.low < height {
                    self.pressed_by[sample] = self.number;
                    self.pressed.push(covered);
                } else {
                    self.hovered.push(covered);
                }
            }
        }
    }

    /// All that it covers.
    pub fn covered(&self) -> impl Iterator<Item = &Pressed> {
        self.pressed.iter().chain(&self.hovered)
    }

    /// Whether it covers a sample.
    pub fn holds(&self, sample: usize) -> bool {
        self.of[sample] == self.number
    }

    /// Whether any solid has covered a sample in this step.
    pub fn is_covered(&self, sample: usize) -> bool {
        self.of[sample] > self.last
    }

    /// Twice the pressed area by its circumference [m]: about its width, if it is long.
    pub fn width(&self, terrain: &Terrain) -> f64 {
        let edges: usize = self.pressed.iter().map(|pressed| self.open_sides(terrain, pressed.sample)).sum();
        let area: f64 = self.pressed.iter().map(|pressed| pressed.covered).sum();
        2.0 * area * terrain.cell / edges.max(1) as f64
    }

    /// How many of a sample's neighbours along x and y are not pressed.
    fn open_sides(&self, terrain: &Terrain, sample: usize) -> usize {
        let columns = terrain.columns;
        let is_in = |sample: Option<usize>| {
            sample.and_then(|sample| self.pressed_by.get(sample)).is_some_and(|patch| *patch == self.number)
        };
        let beside = [sample.checked_sub(1), Some(sample + 1), sample.checked_sub(columns), Some(sample + columns)];
        beside.into_iter().filter(|sample| !is_in(*sample)).count()
    }
}

/// A column with a shape over it that is as low as this over the middles of the column's quarters; what is higher than `reach` [m] does not count.
fn cover(sample: usize, reach: f64, low: [Option<(f64, Vector3<f64>)>; 4]) -> Option<Pressed> {
    // a wall beside a column does not press it
    let low = low.map(|met| met.filter(|(low, normal)| normal.z < -LEAST_UPRIGHT && *low < reach));
    let quarters = low.map(|met| met.is_some());
    let (count, low, normal) =
        low.into_iter().flatten().fold((0, 0.0, Vector3::zeros()), |(count, low, normal), (next, turned)| {
            (count + 1, low + next, normal - turned)
        });
    let count = f64::from(count);
    (count > 0.0).then(|| Pressed {
        sample,
        low: low / count,
        normal: normal.normalize(),
        covered: 0.25 * count,
        quarters,
    })
}
