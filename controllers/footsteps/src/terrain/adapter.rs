//! Ground from what navigation and prior maps know.

use navigation::{GridFrame, Ground, Heights, NavigationMap};
use robot_io::HeightMap;

use super::TerrainSettings;
use super::grid::{Cells, HeightTerrain};
use super::smooth::smooth;
use crate::error::FootstepError;

impl HeightTerrain {
    /// From a height map, for example a prior one. Its samples are taken for the middles of cells, and are [noisy](TerrainSettings::noise).
    pub fn from_map(map: &HeightMap, settings: &TerrainSettings) -> Result<HeightTerrain, FootstepError> {
        let HeightMap { cell, origin_x, origin_y, columns, rows, ref heights } = *map;
        let frame = GridFrame { cell, origin_x, origin_y, columns, rows };
        let cells =
            Cells { frame, heights: heights.clone(), assumed: vec![false; heights.len()], tops: heights.clone() };
        let mut cells = HeightTerrain::checked(cells, settings)?;
        smooth(&frame, &mut cells.heights, settings.noise);
        cells.tops.clone_from(&cells.heights);
        Ok(HeightTerrain::of_cells(cells, settings))
    }

    /// From the heights that navigation makes of what was seen. Cells that hold a wall are as high as what was seen in them, and
    /// something thin stands on its cell.
    pub fn from_heights(heights: &Heights, settings: &TerrainSettings) -> Result<HeightTerrain, FootstepError> {
        let mut tops = heights.height.clone();
        for (top, spread) in tops.iter_mut().zip(&heights.spread) {
            let spread = f64::from(*spread);
            *top += if spread > settings.wall { spread } else { 0.0 };
        }
        for cell in &heights.thin {
            if let Some(top) = tops.get_mut(*cell) {
                *top += settings.pole;
            }
        }
        let assumed = heights.ground.iter().map(|ground| *ground == Ground::Assumed).collect();
        let cells = Cells { frame: heights.frame, heights: heights.height.clone(), assumed, tops };
        Ok(HeightTerrain::of_cells(HeightTerrain::checked(cells, settings)?, settings))
    }

    /// From the map on which navigation plans. What stands in a cell beside its ground is not kept there:
    /// [`from_heights`](HeightTerrain::from_heights) knows it.
    pub fn from_navigation(map: &NavigationMap, settings: &TerrainSettings) -> Result<HeightTerrain, FootstepError> {
        let heights = map.heights().heights.clone();
        let assumed = map.costs().ground.iter().map(|code| Ground::from_code(*code) == Ground::Assumed).collect();
        let cells = Cells { frame: map.frame(), tops: heights.clone(), heights, assumed };
        Ok(HeightTerrain::of_cells(HeightTerrain::checked(cells, settings)?, settings))
    }
}
