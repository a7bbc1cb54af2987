//! What can be reached on known ground, and at what cost.

use std::collections::BinaryHeap;

use robot_io::Pose2;

use crate::NavigationMap;

/// A metre on the worst ground costs this much more than one on the best.
const CAUTION: f64 = 4.0;
/// A robot that stands where its circle does not fit may begin up to so many cells away.
const ESCAPE: i32 = 6;

/// The cheapest way from one place to all others (Dijkstra 1959).
pub(super) struct Flood {
    costs: Vec<f64>,
}

/// A cell that waits, the cheapest first; ties in the order of the map.
#[derive(PartialEq)]
struct Waiting {
    cost: f64,
    cell: usize,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        other.cost.total_cmp(&self.cost).then(other.cell.cmp(&self.cell))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Flood {
    /// Floods the known ground on which the robot fits; `None` if it does not fit anywhere near where it stands.
    pub fn from(map: &NavigationMap, from: &Pose2) -> Option<Flood> {
        const NEIGHBOURS: [(i32, i32, f64); 8] = {
            const D: f64 = core::f64::consts::SQRT_2;
            [(1, 0, 1.0), (-1, 0, 1.0), (0, 1, 1.0), (0, -1, 1.0), (1, 1, D), (1, -1, D), (-1, 1, D), (-1, -1, D)]
        };
        let (frame, costs) = (map.frame(), map.costs());
        let is_open = |cell: usize| costs.inflated[cell] < 1.0 && !costs.is_unknown(cell);
        let here = frame.index_at(from.x, from.y)?;
        let around = (-ESCAPE..=ESCAPE).flat_map(|row| (-ESCAPE..=ESCAPE).map(move |column| (column, row)));
        let start = around
            .filter_map(|(column, row)| {
                let cell = frame.neighbour(here, column, row).filter(|cell| is_open(*cell))?;
                Some((column * column + row * row, cell))
            })
            .min()?
            .1;
        let mut flood = Flood { costs: vec![f64::INFINITY; frame.len()] };
        flood.costs[start] = 0.0;
        let mut waiting = BinaryHeap::from([Waiting { cost: 0.0, cell: start }]);
        while let Some(Waiting { cost, cell }) = waiting.pop() {
            if cost > flood.costs[cell] {
                continue;
            }
            for (column, row, length) in NEIGHBOURS {
                let Some(next) = frame.neighbour(cell, column, row).filter(|next| is_open(*next)) else { continue };
                let price = frame.cell * length * (1.0 + CAUTION * f64::from(costs.inflated[next]));
                if cost + price < flood.costs[next] {
                    flood.costs[next] = cost + price;
                    waiting.push(Waiting { cost: cost + price, cell: next });
                }
            }
        }
        Some(flood)
    }

    /// What the way to a cell costs [m]; `None` if there is none.
    pub fn cost(&self, cell: usize) -> Option<f64> {
        self.costs.get(cell).copied().filter(|cost| cost.is_finite())
    }
}
