//! The ground around the robot, as the rollout needs it: fine, small, and with the distance to what is forbidden.

use robot_io::{Digest, Pose2};

use super::distance::DistanceTransform;
use super::fresh::FreshObstacles;

/// Side of a cell [m].
const CELL: f64 = 0.05;
/// Cells along each side: half of it holds the horizon, the footprint and the way to the next middle.
const SIDE: usize = 152;
/// The middle moves in steps of this many cells.
const STRIDE: i64 = 16;
/// Distances beyond this are all the same [m].
const FAR: f32 = 2.0;

/// What is known of a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ground {
    /// Height on the map [m]; not-a-number where nothing is known.
    pub height: f32,
    /// 0 (easy) to 1 (forbidden); not-a-number where nothing is known.
    pub cost: f32,
}

/// What the surroundings were made of: they are made again when it changes, and after a restored snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The map's digest.
    pub map: Digest,
    /// The digest of what the latest sweeps show.
    pub fresh: Digest,
    /// Column and row of the first cell, in cells from the map's origin.
    pub corner: (i64, i64),
}

/// The ground around the robot.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    of: Option<Origin>,
    corner: (i64, i64),
    ground: Vec<Ground>,
    clearance: Vec<f32>,
    transform: DistanceTransform,
}

impl Surroundings {
    /// Nothing is known yet.
    pub fn new() -> Surroundings {
        let unknown = Ground { height: f32::NAN, cost: f32::NAN };
        Surroundings {
            of: None,
            corner: (0, 0),
            ground: vec![unknown; SIDE * SIDE],
            clearance: vec![FAR; SIDE * SIDE],
            transform: DistanceTransform::new(SIDE),
        }
    }

    /// The corner of the surroundings of a robot at `pose`; it moves in large steps.
    pub fn corner_for(pose: &Pose2) -> (i64, i64) {
        let corner = |place: f64| {
            let cell = (place / CELL).clamp(-1e9, 1e9).floor() as i64;
            (cell.div_euclid(STRIDE)) * STRIDE + STRIDE / 2 - SIDE as i64 / 2
        };
        (corner(pose.x), corner(pose.y))
    }

    /// Makes them anew if they are not of this origin; true if they were not.
    pub fn prepare(&mut self, of: Origin, ground_at: impl Fn(f64, f64) -> Ground, fresh: &FreshObstacles) -> bool {
        if self.of == Some(of) {
            return false;
        }
        (self.of, self.corner) = (Some(of), of.corner);
        for row in 0..SIDE {
            for column in 0..SIDE {
                let (x, y) = self.middle_of(row, column);
                self.ground[row * SIDE + column] = ground_at(x, y);
            }
        }
        let (ground, corner) = (&mut self.ground, self.corner);
        fresh.for_each_place(|x, y, reach| {
            let cells = (reach / CELL).round() as i64;
            let (column, row) = (cell_of(x) - corner.0, cell_of(y) - corner.1);
            for r in (row - cells).max(0)..(row + cells + 1).min(SIDE as i64) {
                for c in (column - cells).max(0)..(column + cells + 1).min(SIDE as i64) {
                    ground[r as usize * SIDE + c as usize].cost = 1.0;
                }
            }
        });
        self.transform.transform(SIDE, &mut self.clearance, |index| ground[index].cost >= 1.0);
        for distance in &mut self.clearance {
            // from the nearer side of the forbidden cell
            *distance = ((distance.sqrt() - 0.5).max(0.0) * CELL as f32).min(FAR);
        }
        true
    }

    /// What is known of a place; nothing outside.
    pub fn at(&self, x: f64, y: f64) -> Ground {
        self.index(x, y).map_or(Ground { height: f32::NAN, cost: f32::NAN }, |index| self.ground[index])
    }

    /// How far it is from a place to what is forbidden [m]; far outside.
    pub fn clearance(&self, x: f64, y: f64) -> f64 {
        f64::from(self.index(x, y).map_or(FAR, |index| self.clearance[index]))
    }

    fn index(&self, x: f64, y: f64) -> Option<usize> {
        let (column, row) = (cell_of(x) - self.corner.0, cell_of(y) - self.corner.1);
        let inside = 0..SIDE as i64;
        (inside.contains(&column) && inside.contains(&row)).then(|| row as usize * SIDE + column as usize)
    }

    fn middle_of(&self, row: usize, column: usize) -> (f64, f64) {
        let middle = |cell: i64| (cell as f64 + 0.5) * CELL;
        (middle(self.corner.0 + column as i64), middle(self.corner.1 + row as i64))
    }
}

fn cell_of(place: f64) -> i64 {
    (place / CELL).floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(pose: &Pose2) -> Origin {
        Origin { map: Digest(1), fresh: Digest(2), corner: Surroundings::corner_for(pose) }
    }

    #[test]
    fn the_clearance_is_the_distance_to_the_wall() {
        let pose = Pose2 { x: 12.3, y: -4.0, yaw: 0.0 };
        let wall = |x: f64, _: f64| Ground { height: 0.0, cost: if x > 13.0 { 1.0 } else { 0.2 } };
        let mut surroundings = Surroundings::new();
        surroundings.prepare(origin(&pose), wall, &FreshObstacles::default());
        for x in [11.5, 12.0, 12.7, 12.9] {
            let found = surroundings.clearance(x, -4.2);
            assert!((found - (13.0 - x)).abs() <= CELL, "{x}: {found}");
        }
        assert_eq!(surroundings.at(12.0, -4.0).cost, 0.2);
        assert!(surroundings.at(30.0, 0.0).cost.is_nan());
    }

    #[test]
    fn the_robot_is_always_well_inside() {
        for place in [-7.31, -0.01, 0.0, 0.42, 3.999] {
            let pose = Pose2 { x: place, y: -place, yaw: 0.0 };
            let corner = Surroundings::corner_for(&pose);
            let from_corner = cell_of(place) - corner.0;
            assert!((SIDE as i64 / 2 - STRIDE..=SIDE as i64 / 2 + STRIDE).contains(&from_corner), "{place}");
        }
    }
}
