//! Ground that is known by a grid of heights.

use nalgebra::Vector3;
use navigation::GridFrame;
use robot_io::Settings;

use super::distance::to_nearest;
use super::pyramid::Pyramid;
use super::sole::{Contact, Limits, rest};
use super::{Foothold, Terrain, TerrainSettings};
use crate::error::FootstepError;
use crate::geometry::Rectangle;

/// Ground known by the heights of cells. Nothing is interpolated: an edge lies between two cells.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightTerrain {
    frame: GridFrame,
    /// Of the ground [m]; not-a-number where nobody knows it.
    heights: Vec<f64>,
    /// Whether that was not seen but taken for granted.
    assumed: Vec<bool>,
    /// Distance to the nearest edge [m].
    edge: Vec<f64>,
    /// Of what stands on the ground, too.
    highest: Pyramid,
    tops: Vec<f64>,
    settings: TerrainSettings,
}

/// What is known of each cell.
pub(super) struct Cells {
    pub frame: GridFrame,
    pub heights: Vec<f64>,
    pub assumed: Vec<bool>,
    /// Height of what stands there [m]; that of the ground if nothing does.
    pub tops: Vec<f64>,
}

impl HeightTerrain {
    /// Refuses what is no grid of heights.
    pub(super) fn checked(cells: Cells, settings: &TerrainSettings) -> Result<Cells, FootstepError> {
        settings.check()?;
        let frame = cells.frame;
        let refused = |field, expected: String, found: String| Err(FootstepError::Terrain { field, expected, found });
        if !(frame.cell > 0.0 && frame.cell <= settings.coarsest) {
            let expected = format!("more than 0, at most {}", settings.coarsest);
            return refused("cell [m]", expected, frame.cell.to_string());
        }
        if cells.heights.len() != frame.len() {
            let expected = format!("{} × {} = {}", frame.columns, frame.rows, frame.len());
            return refused("heights", expected, cells.heights.len().to_string());
        }
        if !(frame.origin_x.is_finite() && frame.origin_y.is_finite()) {
            let found = format!("{}, {}", frame.origin_x, frame.origin_y);
            return refused("origin [m]", "finite numbers".to_owned(), found);
        }
        if let Some(height) = cells.heights.iter().find(|height| height.is_infinite()) {
            return refused("heights [m]", "finite, or not-a-number where unknown".to_owned(), height.to_string());
        }
        Ok(cells)
    }

    pub(super) fn of_cells(mut cells: Cells, settings: &TerrainSettings) -> HeightTerrain {
        let frame = cells.frame;
        assume(&mut cells, settings.assume);
        let Cells { heights, assumed, tops, .. } = cells;
        let on_edge = edges(&frame, &heights, settings.edge.max(frame.cell));
        let edge = to_nearest(frame.columns, frame.rows, &on_edge);
        let edge = edge.into_iter().map(|cells| cells * frame.cell).collect();
        let highest = Pyramid::new(frame.columns, frame.rows, &tops);
        HeightTerrain { frame, heights, assumed, edge, highest, tops, settings: *settings }
    }

    /// Which cell is where.
    pub fn frame(&self) -> &GridFrame {
        &self.frame
    }

    /// First and last column and row that an area meets; `None` if it is off the map.
    fn span(&self, area: &Rectangle) -> Option<[[usize; 2]; 2]> {
        let GridFrame { cell, origin_x, origin_y, columns, rows } = self.frame;
        let extent = area.extent();
        let range = |middle: f64, half: f64, origin: f64, count: usize| {
            let (low, high) = ((middle - half - origin) / cell, (middle + half - origin) / cell);
            let (first, last) = (libm::ceil(low).max(0.0), libm::floor(high).min(count as f64 - 1.0));
            (first <= last).then_some([first as usize, last as usize])
        };
        let across = range(area.centre.x, extent.x, origin_x, columns)?;
        Some([across, range(area.centre.y, extent.y, origin_y, rows)?])
    }

    /// Shows cells whose middles lie in an area, with those middles as seen from its middle in the world's axes, and in its own.
    fn each_cell(&self, area: &Rectangle, mut see: impl FnMut(usize, [f64; 2], [f64; 2])) {
        if let Some([across, along]) = self.span(area) {
            self.each_cell_of(area, across, along, &mut see);
        }
    }

    /// The same of some columns and rows, first and last, only.
    fn each_cell_of(
        &self,
        area: &Rectangle,
        across: [usize; 2],
        along: [usize; 2],
        mut see: impl FnMut(usize, [f64; 2], [f64; 2]),
    ) {
        let GridFrame { cell, origin_x, origin_y, columns, .. } = self.frame;
        for row in along[0]..=along[1] {
            let y = origin_y + row as f64 * cell - area.centre.y;
            for column in across[0]..=across[1] {
                let x = origin_x + column as f64 * cell - area.centre.x;
                let local = [x * area.ahead.x + y * area.ahead.y, y * area.ahead.x - x * area.ahead.y];
                if local[0].abs() <= area.half.x && local[1].abs() <= area.half.y {
                    see(row * columns + column, [x, y], local);
                }
            }
        }
    }
}

impl Terrain for HeightTerrain {
    fn foothold(&self, sole: &Rectangle) -> Option<Foothold> {
        let (mut all, mut unknown, mut assumed, mut edge) = ([0_usize; 4], 0_usize, 0_usize, f64::INFINITY);
        let mut ground = Vec::with_capacity(160);
        let around = sole.grown(0.5 * self.frame.cell + self.settings.skirt);
        self.each_cell(&around, |cell, [x, y], [along, across]| {
            let inside = along.abs() <= sole.half.x && across.abs() <= sole.half.y;
            let quarter = inside.then_some(2 * usize::from(along < 0.0) + usize::from(across < 0.0));
            // what stands on the ground is in the way beside the sole, too
            let height = self.tops[cell];
            if let Some(quarter) = quarter {
                all[quarter] += 1;
                unknown += usize::from(height.is_nan());
                assumed += usize::from(self.assumed[cell]);
                edge = edge.min(self.edge[cell]);
            }
            if !height.is_nan() {
                ground.push(Contact { point: Vector3::new(x, y, height), quarter });
            }
        });
        let limits = Limits { contact: self.settings.contact, give: self.settings.give };
        let rest = rest(&ground, &limits)?;
        let count = all.iter().sum::<usize>();
        let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        Some(Foothold {
            height: rest.height,
            normal: rest.normal,
            support: share(rest.carried.iter().sum(), count),
            weakest_quarter: (0..4).map(|k| share(rest.carried[k], all[k])).fold(1.0, f64::min),
            roughness: rest.roughness,
            unknown: if count == 0 { 1.0 } else { share(unknown, count) },
            assumed: share(assumed, count),
            edge,
        })
    }

    fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        self.frame.index_at(x, y).map(|cell| self.heights[cell]).filter(|height| !height.is_nan())
    }

    fn rises_above(&self, area: &Rectangle, height: f64) -> Option<f64> {
        let area = area.grown(0.5 * self.frame.cell);
        let [across, along] = self.span(&area)?;
        if self.highest.bound(across, along) <= height {
            return None;
        }
        let mut highest = height;
        // blocks that are not higher are not looked into
        self.highest.each_block(across, along, |columns, rows, top| {
            if top > highest {
                self.each_cell_of(&area, columns, rows, |cell, _, _| highest = highest.max(self.tops[cell]));
            }
        });
        (highest > height).then_some(highest)
    }
}

/// Takes ground that nobody knows for as high as the nearest that is known, up to a distance [m].
fn assume(cells: &mut Cells, distance: f64) {
    let frame = cells.frame;
    // ring by ring; of several known neighbours the first in the order of cells counts
    let mut ring: Vec<usize> = (0..frame.len()).filter(|cell| !cells.heights[*cell].is_nan()).collect();
    for _ in 0..frame.cells(distance) {
        let mut next = Vec::new();
        for cell in &ring {
            for (across, along) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                let Some(other) = frame.neighbour(*cell, across, along) else { continue };
                if cells.heights[other].is_nan() {
                    cells.heights[other] = cells.heights[*cell];
                    cells.tops[other] = cells.heights[*cell];
                    cells.assumed[other] = true;
                    next.push(other);
                }
            }
        }
        ring = next;
    }
}

/// Cells beside which the ground falls off or rises by more than `height` [m].
fn edges(frame: &GridFrame, heights: &[f64], height: f64) -> Vec<bool> {
    let is_edge = |cell: usize| {
        let neighbours = [(1, 0), (-1, 0), (0, 1), (0, -1)];
        let others = neighbours.into_iter().filter_map(|(across, along)| frame.neighbour(cell, across, along));
        others.into_iter().any(|other| (heights[other] - heights[cell]).abs() > height)
    };
    (0..frame.len()).map(is_edge).collect()
}
