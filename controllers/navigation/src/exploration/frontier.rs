//! Where known, drivable ground borders on unknown ground.

use super::flood::Flood;
use super::{ExplorationSettings, Region};
use crate::NavigationMap;

/// The pieces of the frontier within a region that can be reached, in the order of the map.
pub(super) fn clusters(
    map: &NavigationMap,
    flood: &Flood,
    region: &Region,
    settings: &ExplorationSettings,
) -> Vec<Vec<usize>> {
    let frame = map.frame();
    let is_frontier: Vec<bool> = (0..frame.len()).map(|cell| is_frontier(map, flood, region, cell)).collect();
    let reach = (settings.cluster_distance / frame.cell).round().max(1.0) as i32;
    let mut taken = vec![false; frame.len()];
    let mut clusters = Vec::new();
    for first in (0..frame.len()).filter(|cell| is_frontier[*cell]) {
        if taken[first] {
            continue;
        }
        taken[first] = true;
        let mut cluster = vec![first];
        let mut next = 0;
        while let Some(cell) = cluster.get(next).copied() {
            next += 1;
            for row in -reach..=reach {
                for column in -reach..=reach {
                    let Some(other) = frame.neighbour(cell, column, row) else { continue };
                    if is_frontier[other] && !taken[other] {
                        taken[other] = true;
                        cluster.push(other);
                    }
                }
            }
        }
        if cluster.len() as f64 * frame.cell >= settings.least_frontier {
            clusters.extend(split(map, cluster));
        }
    }
    clusters
}

/// A long piece is cut into pieces of about this length [m]: from its middle one may not see its ends.
const LONGEST: f64 = 3.0;

/// Cuts a piece along the squares of a coarse grid.
fn split(map: &NavigationMap, cluster: Vec<usize>) -> Vec<Vec<usize>> {
    let frame = map.frame();
    let square = |cell: &usize| {
        let (x, y) = frame.center(*cell);
        ((y / LONGEST).floor() as i64, (x / LONGEST).floor() as i64)
    };
    let mut keyed: Vec<((i64, i64), usize)> = cluster.iter().map(|cell| (square(cell), *cell)).collect();
    keyed.sort_unstable();
    keyed.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk.iter().map(|(_, cell)| *cell).collect()).collect()
}

fn is_frontier(map: &NavigationMap, flood: &Flood, region: &Region, cell: usize) -> bool {
    const SIDES: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    if flood.cost(cell).is_none() {
        return false;
    }
    let frame = map.frame();
    SIDES.into_iter().any(|(column, row)| match frame.neighbour(cell, column, row) {
        Some(beside) => {
            let (x, y) = frame.center(beside);
            map.costs().is_unknown(beside) && region.contains(x, y)
        }
        None => {
            let (x, y) = frame.center(cell);
            region.contains(x + f64::from(column) * frame.cell, y + f64::from(row) * frame.cell)
        }
    })
}
