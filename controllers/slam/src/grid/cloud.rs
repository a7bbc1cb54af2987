//! Surfels of a whole view at several resolutions.

use nalgebra::{Isometry3, Point3, Vector3};
use robot_io::Packed;
use robot_io::{State, StateVisitor};

use super::moments::{Moments, Sums};
use super::window::{CellKey, Window};
use super::{GridSettings, Surfel};
use crate::Sweep;

/// Surfels at several resolutions in one frame: those of a sweep, or a copy of a local map. What registration works on.
///
/// Levels lie over each other: where there are fine surfels there are coarse ones of the same points as well.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct SurfelCloud {
    layers: Vec<Layer>,
}

/// The surfels of one level.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layer {
    pub(crate) window: Window,
    pub(crate) keys: Vec<CellKey>,
    pub(crate) moments: Vec<Moments>,
}

impl SurfelCloud {
    /// The surfels of a sweep, in the base frame at its end.
    pub fn of_sweep(sweep: &Sweep, settings: &GridSettings) -> SurfelCloud {
        let windows: Vec<Window> = windows(settings).collect();
        SurfelCloud { layers: bin(sweep, &Isometry3::identity(), &windows) }
    }

    pub(crate) fn of_layers(layers: Vec<Layer>) -> SurfelCloud {
        SurfelCloud { layers }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.layers.len()
    }

    /// Number of surfels on all levels.
    pub fn len(&self) -> usize {
        self.layers.iter().map(|layer| layer.keys.len()).sum()
    }

    /// True if there is not one surfel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory that it takes [bytes].
    pub fn bytes(&self) -> usize {
        self.len() * (size_of::<CellKey>() + size_of::<Moments>())
    }

    /// All surfels of a level, also where there are finer ones.
    pub fn surfels(&self, level: usize) -> impl Iterator<Item = Surfel> + '_ {
        self.layers.get(level).into_iter().flat_map(move |layer| layer.surfels(level))
    }

    /// Each place once: the surfels of level `finest`, and coarser ones only where finer levels do not reach.
    pub fn finest_surfels(&self, finest: usize) -> impl Iterator<Item = Surfel> + '_ {
        (finest..self.levels()).flat_map(move |level| {
            let finer = level.checked_sub(1).filter(|_| level > finest).and_then(|finer| self.layers.get(finer));
            let is_covered = move |key: CellKey| finer.is_some_and(|finer| finer.window.covers_coarser(key));
            let layer = self.layers.get(level);
            let places =
                layer.into_iter().flat_map(|layer| layer.keys.iter().zip(&layer.moments).map(move |at| (layer, at)));
            places
                .filter(move |(_, (key, _))| !is_covered(**key))
                .map(move |(layer, (key, moments))| layer.surfel(level, *key, moments))
        })
    }

    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers
    }
}

impl Layer {
    pub(crate) fn surfels(&self, level: usize) -> impl Iterator<Item = Surfel> + '_ {
        self.keys.iter().zip(&self.moments).map(move |(key, moments)| self.surfel(level, *key, moments))
    }

    /// One of them, by its index.
    pub(crate) fn surfel_at(&self, level: usize, index: usize) -> Surfel {
        self.surfel(level, self.keys[index], &self.moments[index])
    }

    fn surfel(&self, level: usize, key: CellKey, moments: &Moments) -> Surfel {
        Surfel::new(level, self.window.cell, &self.window.middle(key), moments)
    }
}

/// The windows of all levels, about the origin.
pub(crate) fn windows(settings: &GridSettings) -> impl Iterator<Item = Window> + '_ {
    (0..settings.levels).map(|level| Window::new(settings.cell(level), settings.side_cells, settings.height_cells))
}

/// Sorts the points of a sweep into the cells of all windows. Each point is added once, on the finest level that reaches it; coarser
/// cells are the sums of the finer ones in them.
pub(crate) fn bin(sweep: &Sweep, base_in_frame: &Isometry3<f64>, windows: &[Window]) -> Vec<Layer> {
    let mut bins: Vec<Bins> = windows.iter().map(Bins::new).collect();
    let origins: Vec<Point3<f64>> = sweep.origins.iter().map(|origin| base_in_frame * point(origin)).collect();
    for hit in &sweep.points {
        let position = base_in_frame * point(&hit.position);
        let Some(origin) = origins.get(usize::from(hit.origin)) else { continue };
        let to_viewer = origin - position;
        let distance = to_viewer.norm();
        if distance > 0.0 && distance.is_finite() {
            let to_viewer = to_viewer / distance;
            let _ = bins.iter_mut().any(|bins| bins.add(&position, &to_viewer));
        }
    }
    for coarser in 1..bins.len() {
        let (finer, rest) = bins.split_at_mut(coarser);
        if let (Some(finer), Some(coarser)) = (finer.last(), rest.first_mut()) {
            coarser.merge(finer);
        }
    }
    bins.into_iter().map(Bins::layer).collect()
}

/// A point of a cloud, with which to compute.
pub(crate) fn point(coordinates: &[f32; 3]) -> Point3<f64> {
    let [x, y, z] = *coordinates;
    Point3::new(f64::from(x), f64::from(y), f64::from(z))
}

/// One level while it is being filled.
struct Bins {
    window: Window,
    /// Index of the cell's sums plus one; zero for none.
    places: Vec<u32>,
    keys: Vec<CellKey>,
    sums: Vec<Sums>,
}

impl Bins {
    fn new(window: &Window) -> Bins {
        Bins { window: *window, places: vec![0; window.len()], keys: Vec::new(), sums: Vec::new() }
    }

    /// False if the point lies outside of the window.
    fn add(&mut self, position: &Point3<f64>, to_viewer: &Vector3<f64>) -> bool {
        let key = self.window.key(position);
        let offset = position - self.window.middle(key);
        self.sums_at(key).map(|sums| sums.add(&offset, to_viewer)).is_some()
    }

    /// Takes in the cells of the next finer level.
    fn merge(&mut self, finer: &Bins) {
        for (key, sums) in finer.keys.iter().zip(&finer.sums) {
            let around = key.map(|k| k >> 1);
            let offset = finer.window.middle(*key) - self.window.middle(around);
            if let Some(own) = self.sums_at(around) {
                own.merge(sums, &offset);
            }
        }
    }

    fn sums_at(&mut self, key: CellKey) -> Option<&mut Sums> {
        let place = self.window.place(key)?;
        if self.places[place] == 0 {
            self.keys.push(key);
            self.sums.push(Sums::default());
            self.places[place] = self.sums.len() as u32;
        }
        self.sums.get_mut(self.places[place] as usize - 1)
    }

    fn layer(self) -> Layer {
        let moments = self.sums.iter().map(Sums::moments).collect();
        Layer { window: self.window, keys: self.keys, moments }
    }
}

impl State for Layer {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("window", &mut self.window);
        let mut keys: Vec<u32> = self.keys.iter().flatten().map(|at| *at as u32).collect();
        visitor.field("keys", &mut Packed(&mut keys));
        let mut numbers: Vec<f32> = self.moments.iter().flat_map(|moments| moments.to_numbers()).collect();
        visitor.field("moments", &mut Packed(&mut numbers));
        self.keys.clear();
        self.keys.extend(keys.as_chunks::<3>().0.iter().map(|key| key.map(|at| at as i32)));
        self.moments.clear();
        self.moments.extend(numbers.as_chunks().0.iter().map(|numbers| Moments::from_numbers(*numbers)));
    }
}
