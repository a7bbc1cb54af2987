//! The columns of soil themselves: what has been pressed, taken away and heaped up, and how heaps slide.
//!
//! What a shape presses becomes denser and stays where it is. What is taken from one column is put on another, or on a tool, to the last bit:
//! nothing else changes how much there is. What was put somewhere is loose and lies no steeper than its angle of friction (Sumner et al.,
//! "Animating sand, mud, and snow", 1999). Soil that nobody has moved stands as a wall, as high as its cohesion lets it:
//! 4 c / (ρ g) · tan(45° + φ/2) (Terzaghi, "Theoretical Soil Mechanics", 1943).

use robot_io::State;
use worlds::{Terrain, World};

use super::column::Column;

/// No column is changed by more than this [m].
const MOST_CHANGE: f64 = 100.0;
/// Slopes that are steeper by no more than this, from one sample to the next, stay [m].
const STEADY: f64 = 2e-4;
/// Samples that may slide in one step.
const MOST_SLIDING: usize = 256;

/// Columns of soil, sample by sample of the terrain.
pub(crate) struct Ground {
    pub memory: Touched,
    /// Heights before anything has touched them [m].
    untouched: Vec<f64>,
    /// The kind of column of each sample: its material, by its number in the world.
    materials: Vec<u8>,
    columns: Vec<Option<Column>>,
    /// Samples along x, and along y.
    size: (usize, usize),
    /// [m]
    pub cell: f64,
    /// For each sample its place among the ruts.
    rut_of: Vec<Option<u32>>,
    is_restless: Vec<bool>,
    /// Samples whose heights have changed in this step.
    changed: Vec<u32>,
}

/// What has become of the ground.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct Touched {
    /// What is not as it was, in the order in which it was first touched.
    ruts: Vec<Rut>,
    /// Samples whose slopes are to be looked at, in this order.
    restless: Vec<u32>,
    /// Volume that has vanished because what remains is denser [m³].
    pub pressed: f64,
}

/// A sample that has been touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Rut {
    sample: usize,
    /// How much higher it is than before; negative where it is lower [m].
    raised: f64,
    /// By how much it has become denser [m], which tells what it carries.
    pressed: f64,
    /// How much of it lies there only since it was put there [m].
    loose: f64,
}

impl Ground {
    /// The ground of a world.
    pub fn new(world: &World) -> Ground {
        let terrain = &world.terrain;
        let samples = terrain.heights.len();
        let across = terrain.columns - 1;
        let material = |sample: usize| {
            let (row, column) = (sample / terrain.columns, sample % terrain.columns);
            terrain.cell_materials[row.min(terrain.rows - 2) * across + column.min(across - 1)]
        };
        Ground {
            memory: Touched::default(),
            untouched: terrain.heights.clone(),
            materials: (0..samples).map(material).collect(),
            columns: world.materials.iter().map(|material| Column::of(material, world.gravity)).collect(),
            size: (terrain.columns, terrain.rows),
            cell: terrain.cell,
            rut_of: vec![None; samples],
            is_restless: vec![false; samples],
            changed: Vec::new(),
        }
    }

    /// What a material gives way by; `None` if it is rigid.
    pub fn kind(&self, material: usize) -> Option<&Column> {
        self.columns.get(material).and_then(Option::as_ref)
    }

    /// The material of a sample, by its number in the world.
    pub fn material(&self, sample: usize) -> usize {
        usize::from(self.materials[sample])
    }

    /// The column of a sample; `None` where the ground is rigid.
    pub fn column(&self, sample: usize) -> Option<&Column> {
        self.kind(self.material(sample))
    }

    /// Whether all of it gives way.
    pub fn is_everywhere(&self) -> bool {
        self.materials.iter().all(|material| self.kind(usize::from(*material)).is_some())
    }

    /// The sample nearest to a place; `None` outside the terrain.
    pub fn sample_at(&self, terrain: &Terrain, x: f64, y: f64) -> Option<usize> {
        let place = |at: f64, origin: f64, count: usize| {
            let place = ((at - origin) / self.cell).round();
            (place >= 0.0 && place < count as f64).then_some(place as usize)
        };
        Some(place(y, terrain.origin_y, self.size.1)? * self.size.0 + place(x, terrain.origin_x, self.size.0)?)
    }

    /// The nearest sample with soil, no farther than so many samples along x or y.
    pub fn soil_near(&self, terrain: &Terrain, x: f64, y: f64, most: usize) -> Option<usize> {
        let most = most as isize;
        let ways = (-most..=most).flat_map(|across| (-most..=most).map(move |along| (along, across)));
        let near = ways.filter_map(|(along, across)| {
            let (dx, dy) = (along as f64 * self.cell, across as f64 * self.cell);
            let sample = self.sample_at(terrain, x + dx, y + dy)?;
            self.column(sample).map(|_| (along * along + across * across, sample))
        });
        let here = self.sample_at(terrain, x, y).filter(|sample| self.column(*sample).is_some());
        here.or_else(|| near.min().map(|(_, sample)| sample))
    }

    /// A sample's neighbours in the grid's eight directions that exist, with how far away they are [m].
    pub fn around(&self, sample: usize) -> impl Iterator<Item = (usize, f64)> + use<> {
        const WAYS: [(isize, isize); 8] = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
        let ((across, along), cell) = (self.size, self.cell);
        let (column, row) = (sample % across, sample / across);
        WAYS.into_iter().filter_map(move |(x, y)| {
            let column = column.checked_add_signed(x).filter(|column| *column < across)?;
            let row = row.checked_add_signed(y).filter(|row| *row < along)?;
            let far = if x == 0 || y == 0 { cell } else { cell * core::f64::consts::SQRT_2 };
            Some((row * across + column, far))
        })
    }

    /// How much denser a column has become [m].
    pub fn density_gained(&self, sample: usize) -> f64 {
        self.rut_of[sample].map_or(0.0, |rut| self.memory.ruts[rut as usize].pressed)
    }

    /// How thick the layer still is at a sample [m].
    pub fn thickness(&self, sample: usize) -> f64 {
        let raised = self.rut_of[sample].map_or(0.0, |rut| self.memory.ruts[rut as usize].raised);
        self.column(sample).map_or(0.0, |column| (column.layer() + raised).max(0.0))
    }

    /// Presses a column deeper [m].
    pub fn press(&mut self, terrain: &mut Terrain, sample: usize, deeper: f64) {
        self.memory.pressed += deeper * self.cell * self.cell;
        let rut = self.change(terrain, sample, -deeper);
        rut.pressed += deeper;
        rut.loose = (rut.loose - deeper).max(0.0);
        self.look_around(terrain, sample);
    }

    /// Takes soil off a column [m].
    pub fn take(&mut self, terrain: &mut Terrain, sample: usize, thickness: f64) {
        let rut = self.change(terrain, sample, -thickness);
        rut.loose = (rut.loose - thickness).max(0.0);
        self.look_around(terrain, sample);
    }

    /// Puts loose soil on a column [m].
    pub fn put(&mut self, terrain: &mut Terrain, sample: usize, thickness: f64) {
        let rut = self.change(terrain, sample, thickness);
        rut.loose += thickness;
        // what is new there carries as soil does that nobody has pressed
        rut.pressed = (rut.pressed - thickness).max(0.0);
        self.look_at(sample);
    }

    fn change(&mut self, terrain: &mut Terrain, sample: usize, by: f64) -> &mut Rut {
        let place = *self.rut_of[sample].get_or_insert(self.memory.ruts.len() as u32) as usize;
        if place == self.memory.ruts.len() {
            self.memory.ruts.push(Rut { sample, ..Rut::default() });
        }
        self.changed.push(sample as u32);
        let rut = &mut self.memory.ruts[place];
        rut.raised += by;
        terrain.heights[sample] = self.untouched[sample] + rut.raised;
        rut
    }

    /// A sample's slopes are to be looked at.
    fn look_at(&mut self, sample: usize) {
        if !core::mem::replace(&mut self.is_restless[sample], true) {
            self.memory.restless.push(sample as u32);
        }
    }

    /// The slopes of a sample that has become lower or free are to be looked at, and those of what may slide down to it.
    pub fn look_around(&mut self, terrain: &Terrain, sample: usize) {
        self.look_at(sample);
        let low = terrain.heights[sample];
        for (neighbour, far) in self.around(sample) {
            let Some(column) = self.column(neighbour) else { continue };
            let excess = terrain.heights[neighbour] - low - column.friction() * far;
            let is_loose = self.rut_of[neighbour].is_some_and(|rut| self.memory.ruts[rut as usize].loose > 0.0);
            if excess > STEADY && (is_loose || excess > column.stands()) {
                self.look_at(neighbour);
            }
        }
    }

    /// Lets slide what is too steep, but not from or to what something covers.
    pub fn slide(&mut self, terrain: &mut Terrain, is_covered: impl Fn(usize) -> bool) {
        let turn = self.memory.restless.len().min(MOST_SLIDING);
        for place in 0..turn {
            let sample = self.memory.restless[place] as usize;
            self.is_restless[sample] = false;
            if !is_covered(sample) {
                self.slide_from(terrain, sample, &is_covered);
            }
        }
        self.memory.restless.drain(..turn);
    }

    fn slide_from(&mut self, terrain: &mut Terrain, sample: usize, is_covered: &impl Fn(usize) -> bool) {
        let Some(column) = self.column(sample).copied() else { return };
        let high = terrain.heights[sample];
        let free = self.around(sample).filter(|(to, _)| self.column(*to).is_some() && !is_covered(*to));
        let steep = free.map(|(to, far)| (to, high - terrain.heights[to] - column.friction() * far));
        // the first of the steepest, so that nothing depends on rounding
        let steepest = steep.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let Some((to, excess)) = steepest.filter(|(_, excess)| *excess > STEADY) else { return };
        let loose = self.rut_of[sample].map_or(0.0, |rut| self.memory.ruts[rut as usize].loose);
        let falls = 0.5 * (excess - column.stands());
        let slides = (0.5 * excess).min(loose.max(falls)).min(self.thickness(sample));
        if slides > 0.25 * STEADY {
            self.take(terrain, sample, slides);
            self.put(terrain, to, slides);
        }
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.changed.clear();
    }

    /// Samples whose heights have changed in this step, some of them more than once.
    pub fn changed(&self) -> impl Iterator<Item = usize> {
        self.changed.iter().map(|sample| *sample as usize)
    }

    /// Whether there is a sample with this number.
    pub fn has(&self, sample: usize) -> bool {
        sample < self.untouched.len()
    }

    /// Whether what was put in place of its own lies on this ground.
    pub fn has_room(&self) -> bool {
        let samples = self.untouched.len();
        let fits = |rut: &Rut| {
            let sizes = [rut.raised.abs(), rut.pressed, rut.loose];
            rut.sample < samples && sizes.iter().all(|size| (0.0..=MOST_CHANGE).contains(size))
        };
        self.memory.ruts.iter().all(fits) && self.memory.restless.iter().all(|sample| (*sample as usize) < samples)
    }

    /// Takes up what was put in place of its own, and gives the terrain its heights.
    pub fn take_up(&mut self, terrain: &mut Terrain) {
        self.rut_of.fill(None);
        self.is_restless.fill(false);
        self.changed.clear();
        terrain.heights.copy_from_slice(&self.untouched);
        for (place, rut) in self.memory.ruts.iter().enumerate() {
            self.rut_of[rut.sample] = Some(place as u32);
            terrain.heights[rut.sample] = self.untouched[rut.sample] + rut.raised;
        }
        for sample in &self.memory.restless {
            self.is_restless[*sample as usize] = true;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use super::*;

    fn world(material: &str) -> World {
        let text = format!(
            "name = \"t\"\n[terrain]\ndeformable = true\ncell = 0.05\nsize = [2.0, 2.0]\nmaterial = \"{material}\"\n\
             [[material]]\nname = \"{material}\"\nsinkage = {{ max_depth = 0.5 }}\n"
        );
        World::from_str(&text, "t.toml", Path::new(".")).unwrap()
    }

    fn settle(ground: &mut Ground, terrain: &mut Terrain) {
        for _ in 0..1000 {
            ground.slide(terrain, |_| false);
        }
    }

    #[test]
    fn a_heap_lies_as_steep_as_its_friction_and_is_as_much_as_was_put_there() {
        for material in ["sand", "gravel"] {
            let world = world(material);
            let (mut ground, mut terrain) = (Ground::new(&world), world.terrain.clone());
            let middle = ground.sample_at(&terrain, 0.0, 0.0).unwrap();
            ground.put(&mut terrain, middle, 1.5);
            settle(&mut ground, &mut terrain);
            assert!((terrain.heights.iter().sum::<f64>() - 1.5).abs() < 1e-12);
            let slope = ground.column(middle).unwrap().friction();
            let steepest = (0..terrain.heights.len()).flat_map(|sample| {
                let high = terrain.heights[sample];
                ground.around(sample).map(move |(to, far)| (high, to, far)).collect::<Vec<_>>()
            });
            let steepest = steepest.map(|(high, to, far)| (high - terrain.heights[to]) / far).fold(0.0, f64::max);
            assert!((steepest / slope - 1.0).abs() < 0.02, "{material}: {steepest}, stays at {slope}");
        }
    }

    #[test]
    fn sand_that_nobody_has_moved_stands_as_a_wall_and_gravel_does_not() {
        for (material, stands) in [("sand", true), ("gravel", false)] {
            let world = world(material);
            let (mut ground, mut terrain) = (Ground::new(&world), world.terrain.clone());
            let middle = ground.sample_at(&terrain, 0.0, 0.0).unwrap();
            ground.take(&mut terrain, middle, 0.2);
            settle(&mut ground, &mut terrain);
            assert_eq!(terrain.heights[middle] == -0.2, stands, "{material}: {} m", terrain.heights[middle]);
        }
    }

    #[test]
    fn nothing_slides_from_or_to_what_is_covered_and_no_layer_is_dug_through() {
        let world = world("gravel");
        let (mut ground, mut terrain) = (Ground::new(&world), world.terrain.clone());
        let middle = ground.sample_at(&terrain, 0.0, 0.0).unwrap();
        ground.put(&mut terrain, middle, 0.5);
        for _ in 0..100 {
            ground.slide(&mut terrain, |sample| sample == middle + 1);
        }
        assert_eq!(terrain.heights[middle + 1], 0.0);
        assert!(terrain.heights[middle - 1] > 0.02, "{}", terrain.heights[middle - 1]);
        assert!((ground.thickness(middle + 1) - 0.5).abs() < 1e-12);
    }
}
