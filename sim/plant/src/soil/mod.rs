//! Ground that gives way to what presses on it, and stays so.
//!
//! The terrain's samples are columns of soil (Krenn and Hirzinger, "SCM: a soil contact model for planetary rover mobility simulation",
//! 2009; Tasora et al., "A deformable terrain model in multi-domain dynamics using elastoplastic soil cells", 2019). A shape that
//! reaches below the top of one presses it along the shape's own normal, which for a wheel is the spoke. As long as the column holds, it is a
//! spring; what it cannot hold, by Bekker's p = (k_c / b + k_φ) zⁿ, presses it deeper, and there it stays. Across the normal it shears: the
//! spring gives way as it is stretched, so that its force goes as Janosi's and Hanamoto's (1 − exp(−j/K)) to what Mohr and Coulomb allow.
//!
//! So what rolling costs is not told but follows: soil in front of a wheel is pressed, behind it the rut stays. Columns are pressed before the step
//! is solved, by where the shapes are; the solver has springs only.

mod column;

use mechanics::{Contact, Law, Mechanics, Surface};
use nalgebra::Vector3;
use robot_io::State;
use worlds::{Terrain, World};

use crate::solids::{Carrier, Solid};
use crate::underside::Underside;
use column::Column;

/// The middles of a column's quarters, in cells from its own.
const QUARTERS: [[f64; 2]; 4] = [[-0.25, -0.25], [0.25, -0.25], [-0.25, 0.25], [0.25, 0.25]];
/// A face that leans more than this presses nothing down (cosine).
const LEAST_UPRIGHT: f64 = 1e-3;
/// No area is larger than that of a face that leans so much (cosine).
const STEEPEST: f64 = 0.2;
/// No layer is deeper than this [m].
const DEEPEST: f64 = 10.0;
/// Damping of a column that holds, over its stiffness [s].
const SETTLING: f64 = 0.001;
/// The least share of its first shear stiffness that a column keeps.
const LEAST_SHEAR: f64 = 0.02;

/// The ground's columns.
pub(crate) struct Soil {
    /// Heights before anything has pressed [m].
    untouched: Vec<f64>,
    /// What has been pressed since, in the order in which it first was.
    pub ruts: Vec<Rut>,
    /// For each sample its place among them.
    rut_of: Vec<Option<u32>>,
    /// The kind of column of each sample: its material, by its number in the world.
    materials: Vec<u8>,
    columns: Vec<Option<Column>>,
    is_everywhere: bool,
    /// For each solid of the contacts its lower side.
    undersides: Vec<Option<Underside>>,
    /// For each sample the last patch that held it, and how many there have been.
    patch_of: Vec<u64>,
    patches: u64,
    patch: Vec<Pressed>,
    /// What carries in this step.
    carrying: Vec<Carrying>,
    /// Samples that have sunk in this step.
    sunk: Vec<u32>,
}

/// A sample that has carried something.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Rut {
    sample: usize,
    /// How deep it has been pressed [m].
    depth: f64,
    /// Most of its strength that it has given since what it carries came there, 0 to 1.
    sheared: f64,
}

/// A sample that is below a shape's surface.
#[derive(Clone, Copy, Debug)]
struct Pressed {
    sample: usize,
    /// The shape's height there [m], and its normal.
    low: f64,
    normal: Vector3<f64>,
    /// How much of its area is below the shape, 0 to 1.
    covered: f64,
}

/// A column that carries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carrying {
    /// The solid that it carries.
    pub solid: usize,
    /// The sample, and its place among the ruts.
    pub sample: usize,
    rut: usize,
    position: Vector3<f64>,
    /// From the ground to the solid.
    normal: Vector3<f64>,
    /// Of the solid there [m/s].
    velocity: Vector3<f64>,
    gap: f64,
    /// Whether it gives way in this step.
    yields: bool,
    /// [m²]
    area: f64,
    column: Column,
}

impl Soil {
    /// The ground of a world; `None` if that is not deformable.
    pub fn new(world: &World, solids: &[Solid]) -> Option<Soil> {
        let terrain = &world.terrain;
        let samples = terrain.heights.len();
        let across = terrain.columns - 1;
        let material = |sample: usize| {
            let (row, column) = (sample / terrain.columns, sample % terrain.columns);
            terrain.cell_materials[row.min(terrain.rows - 2) * across + column.min(across - 1)]
        };
        let columns: Vec<Option<Column>> = world.materials.iter().map(Column::of).collect();
        world.deformable.then(|| Soil {
            is_everywhere: terrain.cell_materials.iter().all(|material| columns[usize::from(*material)].is_some()),
            untouched: terrain.heights.clone(),
            ruts: Vec::new(),
            rut_of: vec![None; samples],
            materials: (0..samples).map(material).collect(),
            columns,
            undersides: solids.iter().map(Solid::underside).collect(),
            patch_of: vec![0; samples],
            patches: 0,
            patch: Vec::new(),
            carrying: Vec::new(),
            sunk: Vec::new(),
        })
    }

    /// Whether a material gives way here.
    pub fn gives_way(&self, material: usize) -> bool {
        self.columns.get(material).is_some_and(Option::is_some)
    }

    /// Whether there is nothing else to stand on.
    pub fn is_everywhere(&self) -> bool {
        self.is_everywhere
    }

    /// The material of a sample, by its number in the world.
    pub fn material(&self, sample: usize) -> usize {
        usize::from(self.materials[sample])
    }

    /// Presses the ground by all solids that move by physics and are awake, in the middle of a step of `step` [s].
    pub fn press(&mut self, terrain: &mut Terrain, solids: &[Solid], mechanics: &Mechanics, step: f64) {
        self.carrying.clear();
        self.sunk.clear();
        for (index, solid) in solids.iter().enumerate() {
            let Carrier::Body(body) = solid.carrier else { continue };
            if !mechanics.is_asleep(body) {
                self.lay_patch(terrain, index, solid);
                self.press_patch(terrain, index, |at| mechanics.middle().velocity_at(body, at), step);
            }
        }
    }

    /// Finds the samples whose columns a solid's surface cuts.
    fn lay_patch(&mut self, terrain: &Terrain, index: usize, solid: &Solid) {
        self.patch.clear();
        self.patches += 1;
        let Some(underside) = &self.undersides[index] else { return };
        let (middle, half) = solid.bounds();
        let (lowest, cell) = (middle.z - half.z, terrain.cell);
        let underside = underside.at(&solid.in_world(), lowest - 1.0);
        let span = |at: f64, half: f64, origin: f64, samples: usize| {
            let sample = |place: f64| ((place - origin) / cell).round().clamp(0.0, samples as f64 - 1.0) as usize;
            sample(at - half)..=sample(at + half)
        };
        for row in span(middle.y, half.y, terrain.origin_y, terrain.rows) {
            for column in span(middle.x, half.x, terrain.origin_x, terrain.columns) {
                let sample = row * terrain.columns + column;
                let height = terrain.heights[sample];
                if height <= lowest || !self.gives_way(self.material(sample)) {
                    continue;
                }
                let (x, y) = terrain.position(row, column);
                let quarter = |[dx, dy]: [f64; 2]| underside.above(x + dx * cell, y + dy * cell);
                if let Some(pressed) = cut(sample, height, QUARTERS.map(quarter)) {
                    self.patch_of[sample] = self.patches;
                    self.patch.push(pressed);
                }
            }
        }
    }

    /// How many of a sample's neighbours along x and y are not in the patch.
    fn open_sides(&self, terrain: &Terrain, sample: usize) -> usize {
        let columns = terrain.columns;
        let is_in = |sample: Option<usize>| {
            sample.and_then(|sample| self.patch_of.get(sample)).is_some_and(|patch| *patch == self.patches)
        };
        let beside = [sample.checked_sub(1), Some(sample + 1), sample.checked_sub(columns), Some(sample + columns)];
        beside.into_iter().filter(|sample| !is_in(*sample)).count()
    }

    /// Twice the patch's area by its circumference [m]: about its width, if it is long.
    fn patch_width(&self, terrain: &Terrain) -> f64 {
        let edges: usize = self.patch.iter().map(|pressed| self.open_sides(terrain, pressed.sample)).sum();
        let area: f64 = self.patch.iter().map(|pressed| pressed.covered).sum();
        2.0 * area * terrain.cell / edges.max(1) as f64
    }

    fn press_patch(
        &mut self,
        terrain: &mut Terrain,
        solid: usize,
        velocity_at: impl Fn(&Vector3<f64>) -> Vector3<f64>,
        step: f64,
    ) {
        let width = self.patch_width(terrain);
        for place in 0..self.patch.len() {
            let Pressed { sample, low, normal, covered } = self.patch[place];
            let Some(column) = self.columns[self.material(sample)] else { continue };
            let overlap = terrain.heights[sample] - low;
            let rut = *self.rut_of[sample].get_or_insert(self.ruts.len() as u32) as usize;
            if rut == self.ruts.len() {
                self.ruts.push(Rut { sample, ..Rut::default() });
            }
            let depth = self.ruts[rut].depth;
            let deeper = column.yields(depth, overlap, normal.z, width);
            if deeper > 0.0 {
                self.ruts[rut].depth += deeper;
                terrain.heights[sample] = self.untouched[sample] - (depth + deeper);
                self.sunk.push(sample as u32);
            }
            let mut gap = -(overlap - deeper) * normal.z;
            let (x, y) = terrain.position(sample / terrain.columns, sample % terrain.columns);
            let position = Vector3::new(x, y, terrain.heights[sample]) + normal * (0.5 * gap);
            let velocity = velocity_at(&position);
            let yields = deeper > 0.0;
            if yields {
                // at the end of the step it shall push as hard as it holds, and no harder
                gap = (gap - 0.5 * step * normal.dot(&velocity).min(0.0)).min(0.0);
            }
            let area = covered * terrain.cell * terrain.cell / normal.z.max(STEEPEST);
            self.carrying.push(Carrying { solid, sample, rut, position, normal, velocity, gap, yields, area, column });
        }
    }

    /// What carries in this step.
    pub fn carrying(&self) -> &[Carrying] {
        &self.carrying
    }

    /// The contact of a body with what carries at a `place` in the list, with the impulse across the normal that it held the body with in the last
    /// step, of `step` [s], if it did.
    pub fn contact(&mut self, place: usize, body: usize, held: Option<Vector3<f64>>, step: f64) -> Contact {
        let Carrying { rut, position, normal, velocity, gap, yields, area, column, .. } = self.carrying[place];
        let stiffness = column.unloading_modulus * area;
        let strength = column.strength(-column.unloading_modulus * gap) * area;
        let sheared = &mut self.ruts[rut].sheared;
        let mut left = 1.0;
        if let Some(held) = held {
            let given = (held.norm() / (strength * step).max(f64::MIN_POSITIVE)).min(1.0);
            // beyond the most that it has given it goes on along the exponential; below that it is as stiff as it began
            if velocity.dot(&held) <= 0.0 && given >= *sheared {
                left = (1.0 - given).max(LEAST_SHEAR);
            }
            *sheared = sheared.max(given);
        } else {
            *sheared = 0.0;
        }
        let shear = left * strength / column.shear_displacement / stiffness;
        let damping = if yields { 0.0 } else { stiffness * SETTLING };
        let law = Law {
            surface: Surface::Soft { stiffness, damping, shear },
            cohesion: column.cohesion * area,
            ..Law::soft(0.0, 0.0, column.strength_per_pressure())
        };
        Contact { held: held.unwrap_or_default(), ..Contact::new(body, None, position, normal, gap, law) }
    }

    /// Samples that have sunk in this step.
    pub fn sunk(&self) -> impl Iterator<Item = usize> {
        self.sunk.iter().map(|sample| *sample as usize)
    }

    /// Whether its ruts, which may have been put there, lie on this ground.
    pub fn has_room(&self) -> bool {
        self.ruts.iter().all(|rut| rut.sample < self.untouched.len() && (0.0..=DEEPEST).contains(&rut.depth))
    }

    /// Takes up ruts that were put in place of its own, and gives them to the terrain.
    pub fn take_up_ruts(&mut self, terrain: &mut Terrain) {
        terrain.heights.copy_from_slice(&self.untouched);
        self.rut_of.fill(None);
        for (place, rut) in self.ruts.iter().enumerate() {
            self.rut_of[rut.sample] = Some(place as u32);
            terrain.heights[rut.sample] = self.untouched[rut.sample] - rut.depth;
        }
        self.sunk.clear();
    }
}

/// A column of a `height` [m], if a shape reaches below that which is as low as this over the middles of the column's quarters.
fn cut(sample: usize, height: f64, low: [Option<(f64, Vector3<f64>)>; 4]) -> Option<Pressed> {
    // a wall beside a column does not press it
    let met = low.into_iter().flatten().filter(|(_, normal)| normal.z < -LEAST_UPRIGHT);
    let (count, low, normal) = met.fold((0, 0.0, Vector3::zeros()), |(count, low, normal), (next, turned)| {
        (count + 1, low + next, normal - turned)
    });
    let count = f64::from(count);
    let cuts = count > 0.0 && low / count < height;
    cuts.then(|| Pressed { sample, low: low / count, normal: normal.normalize(), covered: 0.25 * count })
}
