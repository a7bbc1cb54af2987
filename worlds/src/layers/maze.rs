//! A maze: a grid of passages, of which every place can be reached from every other.

use crate::Random;
use crate::fields::{COORDINATE, FRACTION, LENGTH};
use crate::route::segment_distance;
use page::{Fault, Fields};

use super::Profile;

/// Most passages along one side.
const MOST: u64 = 32;

/// Adds the walls of a maze, the outer ones too.
pub(super) struct Maze {
    walls: Vec<[[f64; 2]; 2]>,
    thickness: f64,
    height: f64,
}

impl Maze {
    pub(super) fn read(fields: &mut Fields<'_>, random: Random) -> Result<Self, Fault> {
        let center: [f64; 2] = fields.vector("center", COORDINATE)?;
        let columns = fields.whole("columns", 1..=MOST)? as usize;
        let rows = fields.whole("rows", 1..=MOST)? as usize;
        let pitch = fields.number("pitch", LENGTH)?;
        let thickness = fields.number("thickness", LENGTH)?;
        let height = fields.number("height", LENGTH)?;
        let open = fields.number_or("open", FRACTION, 0.0)?;
        let corner = [center[0] - 0.5 * pitch * columns as f64, center[1] - 0.5 * pitch * rows as f64];
        let plan = Plan::dig(columns, rows, open, &random);
        let at = |column: usize, row: usize| [corner[0] + pitch * column as f64, corner[1] + pitch * row as f64];
        let walls = plan.walls().into_iter().map(|[from, to]| [at(from.0, from.1), at(to.0, to.1)]).collect();
        Ok(Self { walls, thickness, height })
    }
}

impl Profile for Maze {
    fn height(&self, x: f64, y: f64, height: f64) -> f64 {
        let is_wall = |wall: &[[f64; 2]; 2]| segment_distance([x, y], wall[0], wall[1]) <= 0.5 * self.thickness;
        if self.walls.iter().any(is_wall) { height + self.height } else { height }
    }
}

/// Which neighbouring passages are joined.
struct Plan {
    columns: usize,
    rows: usize,
    /// For each passage whether it is joined with the one to its east.
    east: Vec<bool>,
    /// For each passage whether it is joined with the one to its north.
    north: Vec<bool>,
}

impl Plan {
    /// Digs from passage to passage until all are joined (depth-first search with backtracking), then takes out the share `open`
    /// of the walls that are left.
    fn dig(columns: usize, rows: usize, open: f64, random: &Random) -> Plan {
        let count = columns * rows;
        let mut plan = Plan { columns, rows, east: vec![false; count], north: vec![false; count] };
        let mut is_dug = vec![false; count];
        let mut path = vec![0_usize];
        is_dug[0] = true;
        let mut draws = 0;
        while let Some(&here) = path.last() {
            let next: Vec<usize> = plan.neighbours(here).into_iter().filter(|other| !is_dug[*other]).collect();
            if next.is_empty() {
                path.pop();
                continue;
            }
            let there = next[(random.unit(draws) * next.len() as f64) as usize % next.len()];
            draws += 1;
            is_dug[there] = true;
            plan.join(here, there);
            path.push(there);
        }
        for here in 0..count {
            for there in plan.neighbours(here).into_iter().filter(|other| *other > here) {
                draws += 1;
                if random.unit(draws) < open {
                    plan.join(here, there);
                }
            }
        }
        plan
    }

    fn neighbours(&self, here: usize) -> Vec<usize> {
        let (column, row) = (here % self.columns, here / self.columns);
        let mut found = Vec::with_capacity(4);
        found.extend((column + 1 < self.columns).then_some(here + 1));
        found.extend((row + 1 < self.rows).then_some(here + self.columns));
        found.extend((column > 0).then(|| here - 1));
        found.extend((row > 0).then(|| here - self.columns));
        found
    }

    fn join(&mut self, one: usize, two: usize) {
        let (low, high) = (one.min(two), one.max(two));
        if high == low + 1 { self.east[low] = true } else { self.north[low] = true }
    }

    /// The walls, by the corners of the grid between which they stand.
    fn walls(&self) -> Vec<[(usize, usize); 2]> {
        let (columns, rows) = (self.columns, self.rows);
        let mut walls = vec![
            [(0, 0), (columns, 0)],
            [(columns, 0), (columns, rows)],
            [(columns, rows), (0, rows)],
            [(0, rows), (0, 0)],
        ];
        for here in 0..columns * rows {
            let (column, row) = (here % columns, here / columns);
            if column + 1 < columns && !self.east[here] {
                walls.push([(column + 1, row), (column + 1, row + 1)]);
            }
            if row + 1 < rows && !self.north[here] {
                walls.push([(column, row + 1), (column + 1, row + 1)]);
            }
        }
        walls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(plan: &Plan) -> usize {
        let mut seen = vec![false; plan.columns * plan.rows];
        let mut open = vec![0];
        seen[0] = true;
        while let Some(here) = open.pop() {
            for there in plan.neighbours(here) {
                let low = here.min(there);
                let joined = if here.abs_diff(there) == 1 { plan.east[low] } else { plan.north[low] };
                if joined && !seen[there] {
                    seen[there] = true;
                    open.push(there);
                }
            }
        }
        seen.iter().filter(|seen| **seen).count()
    }

    #[test]
    fn every_place_of_a_maze_can_be_reached_and_seeds_make_others() {
        let dig = |seed| Plan::dig(7, 5, 0.0, &Random::new(seed, 0));
        for seed in 0..20 {
            assert_eq!(reached(&dig(seed)), 35);
            assert_eq!(dig(seed).walls(), dig(seed).walls());
            // a tree: one wall less than there are passages is taken out
            assert_eq!(dig(seed).walls().len() - 4, (6 * 5 + 7 * 4) - 34);
        }
        assert_ne!(dig(1).walls(), dig(2).walls());
        assert_eq!(Plan::dig(7, 5, 1.0, &Random::new(1, 0)).walls().len(), 4, "all open");
    }
}
