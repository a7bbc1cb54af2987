//! What the latest sweeps show that the map does not: things that have just come.

use nalgebra::Point3;
use robot_io::{Digest, MapView, Sealed, Settings, State, Time};
use serde::{Deserialize, Serialize};

/// Parameters of the layer of things that have just come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct FreshSettings {
    /// So far around the robot it looks [m].
    #[setting(4.0, positive, up_to = 20.0)]
    pub radius: f64,
    /// What stands higher above the ground than this is in the way [m].
    #[setting(0.18, positive)]
    pub height: f64,
    /// What is higher than this above the ground is not: the robot passes beneath [m].
    #[setting(1.7, above = height)]
    pub clearance: f64,
    /// So many points of a sweep in a cell of 10 cm make an obstacle.
    #[setting(3, positive)]
    pub points: usize,
    /// It keeps away from what has just come by so much more than from what is on the map: it may move on before the next sweep [m].
    #[setting(0.25, not_negative)]
    pub distance: f64,
    /// What an older sweep has seen counts for so long [s].
    #[setting(2.0, positive)]
    pub memory: f64,
}

/// Side of a cell [m]; middles are whole multiples of it.
const CELL: f64 = 0.1;
/// How far around a cell its lowest neighbour is looked for, which is taken for the ground where the map knows none [cells].
const GROUND_WINDOW: i32 = 3;

/// Cells in which the last two sweeps show something that stands above the ground.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct FreshObstacles {
    seen: Sealed<Vec<u64>>,
    stamp: Time,
    before: Sealed<Vec<u64>>,
    before_stamp: Time,
    /// To forget without allocating.
    #[state(fixed)]
    nothing: Sealed<Vec<u64>>,
}

impl FreshObstacles {
    /// Time of the latest sweep.
    pub fn stamp(&self) -> Time {
        self.stamp
    }

    /// Takes in a sweep; `ground_at` is the height that the map knows [m].
    pub fn look(&mut self, sweep: &MapView, ground_at: impl Fn(f64, f64) -> Option<f64>, settings: &FreshSettings) {
        let cells = Sealed::new(obstacles(sweep, ground_at, settings));
        (self.before, self.before_stamp) = (core::mem::replace(&mut self.seen, cells), self.stamp);
        self.stamp = sweep.stamp;
    }

    /// Forgets what is too old; true if there was something.
    pub fn forget(&mut self, now: Time, settings: &FreshSettings) -> bool {
        let too_old = |stamp: Time| now.since(stamp).seconds() > settings.memory;
        let mut forgot = false;
        for (cells, stamp) in [(&mut self.seen, self.stamp), (&mut self.before, self.before_stamp)] {
            if !cells.is_empty() && too_old(stamp) {
                cells.clone_from(&self.nothing);
                forgot = true;
            }
        }
        forgot
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = FreshObstacles { stamp: self.stamp, ..FreshObstacles::default() };
    }

    /// One word that changes with the cells.
    pub fn digest(&self) -> Digest {
        Digest(self.seen.digest().0.rotate_left(17) ^ self.before.digest().0)
    }

    /// Shows the middle of each cell, and how far the cell reaches from there [m].
    pub fn for_each_place(&self, mut show: impl FnMut(f64, f64, f64)) {
        for packed in self.seen.iter().chain(self.before.iter()) {
            let (column, row) = unpack(*packed);
            show(f64::from(column) * CELL, f64::from(row) * CELL, 0.5 * CELL);
        }
    }
}

fn pack(column: i32, row: i32) -> u64 {
    u64::from(column as u32) << 32 | u64::from(row as u32)
}

fn unpack(packed: u64) -> (i32, i32) {
    ((packed >> 32) as u32 as i32, packed as u32 as i32)
}

/// Cells on the map in which a sweep shows something above the ground, in order.
fn obstacles(sweep: &MapView, ground_at: impl Fn(f64, f64) -> Option<f64>, settings: &FreshSettings) -> Vec<u64> {
    let half = (settings.radius / CELL).ceil() as i32;
    let base = &sweep.base_in_map.translation;
    let cell_of = |place: f64| (place / CELL + 0.5).floor() as i32;
    let (left, low) = (cell_of(base.x) - half, cell_of(base.y) - half);
    let side = 2 * half + 1;
    let mut lowest = vec![f32::INFINITY; (side * side) as usize];
    let mut placed = Vec::new();
    for point in &sweep.cloud.points {
        let on_map = sweep.base_in_map * Point3::from(point.map(f64::from));
        let (column, row) = (cell_of(on_map.x) - left, cell_of(on_map.y) - low);
        if (0..side).contains(&column) && (0..side).contains(&row) {
            let cell = (row * side + column) as usize;
            lowest[cell] = lowest[cell].min(on_map.z as f32);
            placed.push((cell, on_map));
        }
    }
    let mut counts = vec![0_usize; lowest.len()];
    for (cell, point) in placed {
        let ground = ground_at(point.x, point.y).unwrap_or_else(|| f64::from(lowest_around(&lowest, side, cell)));
        let above = point.z - ground;
        if above > settings.height && above < settings.clearance {
            counts[cell] += 1;
        }
    }
    let found = counts.iter().enumerate().filter(|(_, count)| **count >= settings.points);
    found.map(|(cell, _)| pack(left + cell as i32 % side, low + cell as i32 / side)).collect()
}

fn lowest_around(lowest: &[f32], side: i32, cell: usize) -> f32 {
    let (column, row) = (cell as i32 % side, cell as i32 / side);
    let mut least = f32::INFINITY;
    for r in (row - GROUND_WINDOW).max(0)..(row + GROUND_WINDOW + 1).min(side) {
        for c in (column - GROUND_WINDOW).max(0)..(column + GROUND_WINDOW + 1).min(side) {
            least = least.min(lowest[(r * side + c) as usize]);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Isometry3, Vector3};
    use robot_io::PointCloud;

    /// A floor with a box of 0.5 m height between 1.5 and 1.9 m ahead of a robot at (2, 3).
    fn sweep(stamp: f64, with_box: bool) -> MapView {
        let mut points = Vec::new();
        for column in -150..150 {
            for row in -150..150 {
                let (x, y) = (0.03 * column as f32, 0.03 * row as f32);
                let inside = with_box && (1.5..1.9).contains(&x) && y.abs() < 0.2;
                let height = if inside { 0.3 + 0.002 * (row + 150) as f32 } else { 0.0 };
                points.push([x, y, height - 0.5]);
            }
        }
        let cloud = Sealed::new(PointCloud { points, ..PointCloud::default() });
        let base_in_map = Isometry3::new(Vector3::new(2.0, 3.0, 0.5), Vector3::zeros());
        MapView { number: 0, stamp: Time::from_seconds(stamp), base_in_map, cloud }
    }

    fn places(fresh: &FreshObstacles) -> Vec<(f64, f64)> {
        let mut places = Vec::new();
        fresh.for_each_place(|x, y, _| places.push((x, y)));
        places
    }

    #[test]
    fn what_stands_on_the_ground_is_found_with_a_map_and_without() {
        for ground in [None, Some(0.0)] {
            let mut fresh = FreshObstacles::default();
            fresh.look(&sweep(1.0, true), |_, _| ground, &FreshSettings::default());
            let found = places(&fresh);
            assert!(found.len() >= 16, "{}", found.len());
            assert!(found.iter().all(|(x, y)| (3.4..4.0).contains(x) && (y - 3.0).abs() < 0.3), "{found:?}");
        }
    }

    #[test]
    fn what_the_map_knows_is_not_fresh() {
        let mut fresh = FreshObstacles::default();
        fresh.look(&sweep(1.0, true), |x, _| Some(if x > 3.4 { 0.5 } else { 0.0 }), &FreshSettings::default());
        assert!(places(&fresh).is_empty());
    }

    #[test]
    fn what_has_gone_is_soon_forgotten() {
        let settings = FreshSettings::default();
        let mut fresh = FreshObstacles::default();
        fresh.look(&sweep(1.0, true), |_, _| Some(0.0), &settings);
        fresh.look(&sweep(2.3, false), |_, _| Some(0.0), &settings);
        assert!(!places(&fresh).is_empty(), "it may have hidden for a moment");
        assert!(!fresh.forget(Time::from_seconds(2.9), &settings));
        assert!(fresh.forget(Time::from_seconds(3.1), &settings));
        assert!(places(&fresh).is_empty());
    }

    #[test]
    fn cells_on_all_sides_of_the_origin_survive_packing() {
        for cell in [(0, 0), (-1, 1), (1, -1), (-100_000, 100_000), (i32::MIN, i32::MAX)] {
            assert_eq!(unpack(pack(cell.0, cell.1)), cell);
        }
    }
}
