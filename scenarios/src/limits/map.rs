//! A map: for each row and direction how much was survived, with each seed.

use serde::Serialize;

use super::plan::{MapKind, MapPlan};

/// A map and everything that one must know to read it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Map {
    /// Of what: `push`, `slope` or `step`.
    pub kind: &'static str,
    /// The scenario.
    pub case: String,
    /// Its title.
    pub title: String,
    /// The robot, as the scenario names it.
    pub robot: String,
    /// Its mass [kg].
    pub mass_kg: f64,
    /// What stood behind the plug.
    pub plant: String,
    /// The seeds, in the order of each cell's values.
    pub seeds: Vec<u64>,
    /// The unit of all sizes: m/s, ° or m.
    pub unit: &'static str,
    /// From one size that was tried to the next.
    pub resolution: f64,
    /// The largest size that was tried.
    pub limit: f64,
    /// What counts as survived, and how it was measured, in sentences.
    pub method: Vec<String>,
    /// The rows: phases of a step and standing, or the only one.
    pub rows: Vec<Row>,
    /// The directions.
    pub directions: Vec<Direction>,
    /// The cells, row by row.
    pub cells: Vec<Cell>,
    /// Runs that were made for it.
    pub runs: u64,
    /// Simulated time of them all [s].
    pub simulated_s: f64,
    /// Time on the wall [s].
    pub wall_s: f64,
    /// The program that made it.
    pub version: &'static str,
}

/// A row of a map.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// A few letters.
    pub name: String,
    /// What they stand for.
    pub about: String,
}

/// A direction of a map.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Direction {
    /// Counter-clockwise from straight ahead [°].
    pub degrees: f64,
    /// The same in words.
    pub name: String,
}

/// What was survived in one direction, in one row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The row, by its index.
    pub row: usize,
    /// The direction, by its index.
    pub direction: usize,
    /// The least of all seeds; none if with one of them it did not survive even nothing.
    pub least: Option<f64>,
    /// Each seed's, in their order.
    pub values: Vec<Survived>,
}

/// What was survived with one seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Survived {
    /// The largest size that was survived; none if not even nothing was.
    pub size: Option<f64>,
    /// What happened at the next larger one; none if the limit was survived.
    pub then: Option<String>,
}

impl Cell {
    /// A cell with each seed's value.
    pub fn new(row: usize, direction: usize, values: Vec<Survived>) -> Cell {
        let sizes = values.iter().map(|value| value.size);
        let least = sizes.reduce(|one, other| one.zip(other).map(|(one, other)| one.min(other))).flatten();
        Cell { row, direction, least, values }
    }

    /// True if so much was survived.
    pub fn holds(&self, size: f64) -> bool {
        self.least.is_some_and(|least| least >= size - 1e-9)
    }

    /// How many seeds survive so much.
    pub fn seeds_that_hold(&self, size: f64) -> usize {
        self.values.iter().filter(|value| value.size.is_some_and(|found| found >= size - 1e-9)).count()
    }
}

impl Map {
    /// The cells of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(move |cell| cell.row == row)
    }

    /// The cell that survives least; of several the first.
    pub fn weakest(&self) -> Option<&Cell> {
        let size = |cell: &Cell| cell.least.unwrap_or(f64::NEG_INFINITY);
        self.cells.iter().reduce(|weakest, cell| if size(cell) < size(weakest) { cell } else { weakest })
    }

    /// The share of cells and seeds that survive so much.
    pub fn share(&self, size: f64) -> f64 {
        let all = self.cells.iter().map(|cell| cell.values.len()).sum::<usize>();
        let held = self.cells.iter().map(|cell| cell.seeds_that_hold(size)).sum::<usize>();
        held as f64 / all.max(1) as f64
    }

    /// The size at the rim of a picture: a quarter, a half, three quarters or all of the limit, so that the largest one survived fits.
    pub fn rim(&self) -> f64 {
        let largest = self.cells.iter().filter_map(|cell| cell.least).fold(0.0, f64::max);
        self.limit * (4.0 * largest / self.limit - 1e-9).ceil().clamp(1.0, 4.0) / 4.0
    }

    /// A cell's number as it is shown: with ≥ where the limit was survived, a dash where nothing was.
    pub fn shown(&self, cell: &Cell) -> String {
        let digits = MapKind::digits(self.resolution);
        match cell.least {
            None => "–".to_owned(),
            Some(least) if least >= self.limit - 1e-9 => format!("≥{least:.digits$}"),
            Some(least) => format!("{least:.digits$}"),
        }
    }

    /// Where a cell is, in words.
    pub fn place(&self, cell: &Cell) -> String {
        let name = self.directions.get(cell.direction).map_or("", |direction| direction.name.as_str());
        match self.rows.get(cell.row) {
            Some(row) if self.rows.len() > 1 => format!("{name}, {}", row.name),
            _ => name.to_owned(),
        }
    }
}

/// The directions of a map: evenly around for pushes and slopes, up and down for steps.
pub fn directions(plan: &MapPlan) -> Vec<Direction> {
    if plan.kind == MapKind::Step {
        let direction = |(degrees, name): (f64, &str)| Direction { degrees, name: name.to_owned() };
        return [(0.0, "up"), (180.0, "down")].map(direction).to_vec();
    }
    let words = match plan.kind {
        MapKind::Push => ["forward", "to the left", "backward", "to the right"],
        MapKind::Slope | MapKind::Step => ["uphill", "rises to the left", "downhill", "rises to the right"],
    };
    let direction = |number: usize| {
        let degrees = 360.0 * number as f64 / plan.directions as f64;
        let word = words.iter().enumerate().find(|(quarter, _)| (degrees - 90.0 * *quarter as f64).abs() < 1e-9);
        let rounded = (degrees * 10.0).round() / 10.0;
        Direction { degrees, name: word.map_or(format!("{rounded}°"), |(_, word)| format!("{rounded}° {word}")) }
    };
    (0..plan.directions).map(direction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(sizes: &[Option<f64>]) -> Cell {
        Cell::new(0, 0, sizes.iter().map(|size| Survived { size: *size, then: None }).collect())
    }

    #[test]
    fn the_least_of_all_seeds_counts_and_one_that_falls_unpushed_leaves_nothing() {
        assert_eq!(cell(&[Some(0.4), Some(0.25), Some(0.3)]).least, Some(0.25));
        assert_eq!(cell(&[Some(0.4), None, Some(0.3)]).least, None);
        assert_eq!(cell(&[Some(0.4), None, Some(0.3)]).seeds_that_hold(0.3), 2);
        assert!(cell(&[Some(0.15 + 0.1)]).holds(0.25) && !cell(&[None]).holds(0.0));
    }
}
