//! The map that moves with the robot.

use core::cell::OnceCell;

use nalgebra::{Isometry3, Point3, Vector3};
use robot_io::Packed;
use robot_io::{State, StateVisitor};

use super::cloud::{Layer, SurfelCloud, bin, windows};
use super::moments::Moments;
use super::rays::{Passes, Ray, rays_of};
use super::window::{CellKey, Window};
use super::{GridSettings, OccupancySettings, Surfel};
use crate::Sweep;

/// What is around the robot, in a frame that stands still: surfels and occupancy at several resolutions, each in a box of
/// cells that follows the robot.
///
/// Surfels remember the last sweeps and forget older ones; what beams go through is taken out of the map.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct LocalMap {
    settings: GridSettings,
    levels: Vec<Level>,
    /// How far the robot has driven in this map [m], and where it was last.
    driven: f64,
    last_place: Option<Vector3<f64>>,
}

/// One resolution.
#[derive(Clone, Debug, Default, PartialEq)]
struct Level {
    layer: Layer,
    /// How far the robot had driven when each surfel was hit last [m].
    hit_at: Vec<f32>,
    /// Cell by cell, see [`Cell`].
    cells: Vec<Cell>,
}

/// Which surfel a cell has and how likely it is occupied, in one word: the surfel's index plus one in the upper 24 bits, the
/// log odds in the lowest 8.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell(u32);

impl LocalMap {
    /// An empty map about the origin.
    pub fn new(settings: &GridSettings) -> LocalMap {
        let level = |window: Window| Level {
            layer: Layer { window, ..Layer::default() },
            hit_at: Vec::new(),
            cells: vec![Cell::UNKNOWN; window.len()],
        };
        LocalMap { settings: *settings, levels: windows(settings).map(level).collect(), ..LocalMap::default() }
    }

    /// Takes in a sweep: its points, and what its beams found free. What was hit last a long way ago goes.
    pub fn insert(&mut self, sweep: &Sweep, base_in_local: &Isometry3<f64>) {
        let place = base_in_local.translation.vector;
        self.driven += self.last_place.map_or(0.0, |last| (place - last).norm());
        self.last_place = Some(place);
        let oldest = (self.driven - self.settings.remembered_distance) as f32;
        let windows: Vec<Window> = self.levels.iter().map(|level| level.layer.window).collect();
        let newer = bin(sweep, base_in_local, &windows);
        let rays = rays_of(sweep, base_in_local);
        for (number, (level, newer)) in self.levels.iter_mut().zip(&newer).enumerate() {
            level.free(&rays, newer, &self.settings.occupancy, number);
            level.renew(newer, &self.settings, self.driven as f32);
            level.forget_before(oldest);
        }
    }

    /// Moves the boxes of cells with the robot. What leaves them is forgotten; all else stays where it is.
    pub fn recentre(&mut self, centre: &Point3<f64>) {
        for level in &mut self.levels {
            let mut window = level.layer.window;
            window.recentre(centre, |place| level.forget(place));
            level.layer.window = window;
        }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The surfels of a level, in the map's frame.
    pub fn surfels(&self, level: usize) -> impl Iterator<Item = Surfel> + '_ {
        self.levels.get(level).into_iter().flat_map(move |found| found.layer.surfels(level))
    }

    /// How likely it is that something is at a point, 0 to 1, from the finest level that reaches there; `None` where no beam
    /// has been.
    pub fn occupancy(&self, point: &Point3<f64>) -> Option<f64> {
        self.log_odds(point).map(|log_odds| 1.0 / (1.0 + robot_io::math::exp(-log_odds)))
    }

    /// True if something is rather likely to be at a point than not; `None` where no beam has been.
    pub(crate) fn is_occupied(&self, point: &Point3<f64>) -> Option<bool> {
        self.log_odds(point).map(|log_odds| log_odds > 0.0)
    }

    /// True if what was seen at a point has gone: beams go through there, and it belongs to no pole on any level. Beams that pass a pole tell
    /// the finest level that all of the cell is free, if the pole was met only when it was too far away for that level.
    pub(crate) fn is_gone(&self, point: &Point3<f64>) -> bool {
        self.is_free(point) && !self.levels.iter().enumerate().any(|(number, level)| level.has_line(number, point))
    }

    /// True where beams go through: less likely to be occupied than 0.45.
    fn is_free(&self, point: &Point3<f64>) -> bool {
        /// ln(0.45/0.55)
        const FREE: f64 = -0.2007;
        self.log_odds(point).is_some_and(|log_odds| log_odds < FREE)
    }

    fn log_odds(&self, point: &Point3<f64>) -> Option<f64> {
        let place = |level: &Level| level.layer.window.place(level.layer.window.key(point));
        let cell = self.levels.iter().find_map(|level| place(level).map(|place| level.cells[place]))?;
        cell.log_odds()
    }

    /// A copy of its surfels, to register against.
    pub fn to_cloud(&self) -> SurfelCloud {
        SurfelCloud::of_layers(self.levels.iter().map(|level| level.layer.clone()).collect())
    }

    /// Memory that it takes [bytes].
    pub fn bytes(&self) -> usize {
        let of = |level: &Level| {
            level.cells.len() * size_of::<Cell>()
                + level.layer.keys.len() * (size_of::<CellKey>() + size_of::<Moments>())
        };
        self.levels.iter().map(of).sum()
    }

    /// True if nothing has been seen yet.
    pub fn is_empty(&self) -> bool {
        self.levels.iter().all(|level| level.layer.keys.is_empty())
    }
}

impl Level {
    /// True if a point belongs to the surfel of its cell, and that is a line.
    fn has_line(&self, number: usize, point: &Point3<f64>) -> bool {
        let place = self.layer.window.place(self.layer.window.key(point));
        let surfel = place.and_then(|place| self.cells[place].surfel()).map(|at| self.layer.surfel_at(number, at));
        surfel.is_some_and(|surfel| surfel.line().is_some() && surfel.holds(point))
    }

    /// Lowers the occupancy of the cells that beams went through. Surfels in cells that are free now have gone.
    fn free(&mut self, rays: &[Ray], newer: &Layer, settings: &OccupancySettings, number: usize) {
        let most = (settings.most_passes / settings.pass).ceil().clamp(1.0, 255.0) as u8;
        let mut passes = Passes::new(&self.layer.window, most);
        newer.keys.iter().for_each(|key| passes.is_hit(*key));
        // neighbouring beams tell the same; the coarse levels serve where the fine one does not reach
        let each = if number == 0 { 1 } else { 2 };
        let surfels: Vec<OnceCell<Surfel>> = vec![OnceCell::new(); self.layer.keys.len()];
        let surfel_at = |place: usize| {
            let at = self.cells[place].surfel()?;
            Some(surfels[at].get_or_init(|| self.layer.surfel_at(number, at)))
        };
        passes.cast(rays, each, surfel_at);
        for (place, beams) in passes.passed() {
            let less = (settings.pass * f64::from(beams)).min(settings.most_passes);
            let log_odds = (self.cells[place].log_odds().unwrap_or(0.0) - less).max(settings.lowest);
            if log_odds < settings.free_below && self.cells[place].surfel().is_some() {
                self.forget(place);
            }
            self.cells[place].set_log_odds(log_odds);
        }
    }

    /// Brings in the points.
    fn renew(&mut self, newer: &Layer, settings: &GridSettings, driven: f32) {
        let keep = 1.0 - 1.0 / settings.remembered_sweeps;
        for (key, moments) in newer.keys.iter().zip(&newer.moments) {
            let Some(place) = self.layer.window.place(*key) else { continue };
            match self.cells[place].surfel() {
                Some(at) => {
                    self.layer.moments[at].renew(moments, keep);
                    self.hit_at[at] = driven;
                }
                None => {
                    self.layer.keys.push(*key);
                    self.layer.moments.push(*moments);
                    self.hit_at.push(driven);
                    self.cells[place].set_surfel(Some(self.layer.keys.len() - 1));
                }
            }
            let occupancy = &settings.occupancy;
            let log_odds = self.cells[place].log_odds().unwrap_or(0.0).max(0.0) + occupancy.hit;
            self.cells[place].set_log_odds(log_odds.min(occupancy.highest));
        }
    }

    /// Empties the cells whose surfels were hit last before the robot had driven so far [m].
    fn forget_before(&mut self, oldest: f32) {
        for at in (0..self.hit_at.len()).rev() {
            let place = if self.hit_at[at] < oldest { self.layer.window.place(self.layer.keys[at]) } else { None };
            if let Some(place) = place {
                self.forget(place);
            }
        }
    }

    /// Empties a cell. The last surfel takes the place of the one that goes.
    fn forget(&mut self, place: usize) {
        if let Some(at) = self.cells[place].surfel() {
            self.layer.keys.swap_remove(at);
            self.layer.moments.swap_remove(at);
            self.hit_at.swap_remove(at);
            let moved = self.layer.keys.get(at).and_then(|key| self.layer.window.place(*key));
            if let Some(moved) = moved {
                self.cells[moved].set_surfel(Some(at));
            }
        }
        self.cells[place] = Cell::UNKNOWN;
    }

    /// A snapshot that has been tampered with must not lead astray.
    fn is_sound(&self) -> bool {
        let layer = &self.layer;
        let found = |(at, key): (usize, &CellKey)| {
            layer.window.place(*key).is_some_and(|place| self.cells[place].surfel() == Some(at))
        };
        self.cells.len() == layer.window.len()
            && layer.keys.len() == layer.moments.len()
            && layer.keys.len() == self.hit_at.len()
            && layer.keys.iter().enumerate().all(found)
            && self.cells.iter().filter(|cell| cell.surfel().is_some()).count() == layer.keys.len()
    }
}

impl Cell {
    /// Log odds per step.
    const STEP: f64 = 0.05;
    const NOT_SEEN: u8 = 128;
    const UNKNOWN: Cell = Cell(Cell::NOT_SEEN as u32);

    fn surfel(self) -> Option<usize> {
        (self.0 >> 8).checked_sub(1).map(|at| at as usize)
    }

    fn set_surfel(&mut self, at: Option<usize>) {
        self.0 = (at.map_or(0, |at| at as u32 + 1) << 8) | (self.0 & 0xff);
    }

    fn log_odds(self) -> Option<f64> {
        let steps = self.0 as u8;
        (steps != Cell::NOT_SEEN).then(|| Cell::STEP * f64::from(steps as i8))
    }

    fn set_log_odds(&mut self, log_odds: f64) {
        let steps = (log_odds / Cell::STEP).round().clamp(-127.0, 127.0) as i8;
        self.0 = (self.0 & !0xff) | u32::from(steps as u8);
    }
}

impl State for Level {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("surfels", &mut self.layer);
        visitor.field("hit_at", &mut Packed(&mut self.hit_at));
        let mut cells: Vec<u32> = self.cells.iter().map(|cell| cell.0).collect();
        visitor.field("cells", &mut Packed(&mut cells));
        self.cells.clear();
        self.cells.extend(cells.into_iter().map(Cell));
        if !self.is_sound() {
            let window = self.layer.window;
            let cells = vec![Cell::UNKNOWN; window.len()];
            *self = Level { layer: Layer { window, ..Layer::default() }, hit_at: Vec::new(), cells };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SweepPoint;

    /// A sweep of a scanner 1 m above the base, with these hits in the base frame [m].
    fn sweep(hits: impl Iterator<Item = [f32; 3]>) -> Sweep {
        let point = |position| SweepPoint { position, as_measured: position, ..SweepPoint::default() };
        Sweep { points: hits.map(point).collect(), origins: vec![[0.0, 0.0, 1.0]], ..Sweep::default() }
    }

    /// What beams in a plane hit that goes up and down, `beside` the pole at x = 5 m and seen from `x` [m].
    fn plane(x: f32, beside: f32) -> impl Iterator<Item = [f32; 3]> {
        let far = (5.0 - x) + 3.0;
        (0..60).map(move |beam| [far, beside * far / (5.0 - x), 0.02 * beam as f32 + 0.4])
    }

    #[test]
    fn a_pole_met_from_afar_is_there_until_beams_go_through_it() {
        let mut map = LocalMap::new(&GridSettings::default());
        let insert = |map: &mut LocalMap, sweep: &Sweep, x: f64| {
            map.recentre(&Point3::new(x, 0.0, 0.0));
            map.insert(sweep, &Isometry3::translation(x, 0.0, 0.0));
        };
        let pole = Point3::new(5.0, 0.0, 1.0);
        insert(&mut map, &sweep((0..60).map(|beam| [5.0, 0.003 * (beam % 3) as f32, 0.02 * beam as f32 + 0.4])), 0.0);
        assert!(!map.is_gone(&pole));
        for _ in 0..4 {
            insert(&mut map, &sweep(plane(2.0, 0.1).chain(plane(2.0, -0.1))), 2.0);
        }
        assert!(map.is_free(&pole), "the finest level knows of no pole");
        assert!(!map.is_gone(&pole), "beams that pass beside it");
        for _ in 0..8 {
            insert(&mut map, &sweep(plane(2.0, 0.0)), 2.0);
        }
        assert!(map.is_gone(&pole), "beams that go through it");
    }
}
