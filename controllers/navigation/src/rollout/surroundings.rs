//! The ground around the robot, as the rollout needs it: small, and with the distance to what is forbidden.

use robot_io::{Digest, Pose2, StateHasher};

use super::fresh::FreshObstacles;
use crate::distance::DistanceTransform;

/// Side of the surroundings [m]: half of it holds the horizon, the footprint and the way to the next middle.
const SIDE: f64 = 7.6;
/// The middle moves in steps of this length [m].
const STRIDE: f64 = 0.8;
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

impl Ground {
    /// Nothing is known.
    pub const UNKNOWN: Ground = Ground { height: f32::NAN, cost: f32::NAN };
}

/// What the surroundings were made of: they are made again when it changes, and after a restored snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The map's digest.
    pub map: Digest,
    /// The digest of what the latest sweeps show.
    pub fresh: Digest,
    /// Column and row of the first cell; that of the map's origin is zero.
    pub corner: (i64, i64),
}

impl Origin {
    /// The digest of all of it.
    pub fn digest(&self) -> Digest {
        let mut hasher = StateHasher::default();
        let corner = [self.corner.0, self.corner.1].map(|cells| cells as u64);
        [self.map.0, self.fresh.0].into_iter().chain(corner).for_each(|word| hasher.add(word));
        hasher.finish()
    }
}

/// The ground around the robot, on cells whose middles are whole multiples of their side, as the map's are.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    cell: f64,
    side: usize,
    of: Option<Origin>,
    /// The first cell's middle [m].
    origin: (f64, f64),
    ground: Vec<Ground>,
    clearance: Vec<f32>,
    /// The same, with ground that nobody knows forbidden as well.
    firm: Vec<f32>,
    transform: DistanceTransform,
}

/// The cells around a place, and the place's share of the way from the first to the last, along x and y.
#[derive(Clone, Copy, Debug)]
struct Corner {
    index: usize,
    across: f32,
    along: f32,
}

impl Surroundings {
    /// Nothing is known yet, on cells of this side [m].
    pub fn new(cell: f64) -> Surroundings {
        let side = (SIDE / cell).ceil() as usize;
        Surroundings {
            cell,
            side,
            of: None,
            origin: (0.0, 0.0),
            ground: vec![Ground::UNKNOWN; side * side],
            clearance: vec![FAR; side * side],
            firm: vec![FAR; side * side],
            transform: DistanceTransform::new(side),
        }
    }

    /// The corner of the surroundings of a robot at `pose`; it moves in large steps.
    pub fn corner_for(&self, pose: &Pose2) -> (i64, i64) {
        let stride = (STRIDE / self.cell).ceil() as i64;
        let corner = |place: f64| {
            let cell = (place / self.cell).clamp(-1e9, 1e9).floor() as i64;
            cell.div_euclid(stride) * stride + stride / 2 - self.side as i64 / 2
        };
        (corner(pose.x), corner(pose.y))
    }

    /// Makes them anew if they are not of this origin. `ground_in` tells of a column and
    /// row; what has just come is kept away from by a `distance` [m].
    pub fn prepare(
        &mut self,
        of: Origin,
        ground_in: impl Fn(i64, i64) -> Ground,
        (fresh, distance): (&FreshObstacles, f64),
    ) {
        if self.of == Some(of) {
            return;
        }
        self.of = Some(of);
        self.origin = (of.corner.0 as f64 * self.cell, of.corner.1 as f64 * self.cell);
        for (index, ground) in self.ground.iter_mut().enumerate() {
            let (column, row) = ((index % self.side) as i64, (index / self.side) as i64);
            *ground = ground_in(of.corner.0 + column, of.corner.1 + row);
        }
        let (ground, cell, side) = (&mut self.ground, self.cell, self.side as i64);
        fresh.for_each_place(|x, y, reach| {
            let reach = reach + distance;
            let first = |place: f64| ((place - reach) / cell + 0.501).floor() as i64;
            let last = |place: f64| ((place + reach) / cell + 0.499).floor() as i64;
            for row in (first(y) - of.corner.1).max(0)..(last(y) - of.corner.1 + 1).min(side) {
                for column in (first(x) - of.corner.0).max(0)..(last(x) - of.corner.0 + 1).min(side) {
                    ground[(row * side + column) as usize].cost = 1.0;
                }
            }
        });
        self.transform.transform(self.side, &mut self.clearance, |index| ground[index].cost >= 1.0);
        self.transform.transform(self.side, &mut self.firm, |index| {
            let cost = ground[index].cost;
            cost.is_nan() || cost >= 1.0
        });
        for distance in self.clearance.iter_mut().chain(&mut self.firm) {
            // from the nearer side of the forbidden cell; negative within it
            *distance = ((distance.sqrt() - 0.5) * cell as f32).min(FAR);
        }
    }

    /// Cost of the ground at a place; `None` where nothing is known.
    pub fn cost(&self, x: f64, y: f64) -> Option<f64> {
        let Corner { index, across, along } = self.corner(x, y)?;
        let nearest = index + usize::from(across >= 0.5) + if along >= 0.5 { self.side } else { 0 };
        let cost = self.ground[nearest].cost;
        (!cost.is_nan()).then(|| f64::from(cost))
    }

    /// Height of the ground at a place [m]; `None` where not all is known around it.
    pub fn height(&self, x: f64, y: f64) -> Option<f64> {
        let height = self.between(&self.corner(x, y)?, |index| self.ground[index].height);
        height.is_finite().then(|| f64::from(height))
    }

    /// How far it is from a place to what is forbidden [m]; far outside.
    pub fn clearance(&self, x: f64, y: f64) -> f64 {
        let clearance = |corner| self.between(&corner, |index| self.clearance[index]);
        f64::from(self.corner(x, y).map_or(FAR, clearance))
    }

    /// How far it is from a place to what is forbidden or not known [m]: so far there is ground to drive on; far outside.
    pub fn firm_ground(&self, x: f64, y: f64) -> f64 {
        let firm = |corner| self.between(&corner, |index| self.firm[index]);
        f64::from(self.corner(x, y).map_or(FAR, firm))
    }

    fn corner(&self, x: f64, y: f64) -> Option<Corner> {
        let (u, v) = ((x - self.origin.0) / self.cell, (y - self.origin.1) / self.cell);
        let last = (self.side - 1) as f64;
        if !(u >= 0.0 && v >= 0.0 && u < last && v < last) {
            return None;
        }
        // not below zero: to cut off is to round down
        let (column, row) = (u as usize, v as usize);
        let (across, along) = ((u - column as f64) as f32, (v - row as f64) as f32);
        Some(Corner { index: row * self.side + column, across, along })
    }

    fn between(&self, corner: &Corner, value: impl Fn(usize) -> f32) -> f32 {
        let Corner { index, across, along } = *corner;
        let near = value(index) * (1.0 - across) + value(index + 1) * across;
        let far = value(index + self.side) * (1.0 - across) + value(index + self.side + 1) * across;
        near * (1.0 - along) + far * along
    }
}

#[cfg(test)]
impl Surroundings {
    /// The surroundings of a place in a world without surprises.
    pub fn around(pose: &Pose2, ground_at: impl Fn(f64, f64) -> Ground) -> Surroundings {
        let mut surroundings = Surroundings::new(0.1);
        let of = Origin { map: Digest(0), fresh: Digest(0), corner: surroundings.corner_for(pose) };
        let ground_in = |column: i64, row: i64| ground_at(0.1 * column as f64, 0.1 * row as f64);
        surroundings.prepare(of, ground_in, (&FreshObstacles::default(), 0.0));
        surroundings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clearance_is_the_distance_to_the_wall() {
        let pose = Pose2 { x: 12.3, y: -4.0, yaw: 0.0 };
        // cells whose middle is beyond 13.0 reach down to 12.95
        let wall = |x: f64, _: f64| Ground { height: 0.0, cost: if x > 12.99 { 1.0 } else { 0.2 } };
        let surroundings = Surroundings::around(&pose, wall);
        for x in [11.5, 12.04, 12.7, 12.86] {
            let found = surroundings.clearance(x, -4.23);
            assert!((found - (12.95 - x)).abs() < 0.01, "{x}: {found}");
        }
        assert_eq!(surroundings.cost(12.0, -4.0), Some(f64::from(0.2_f32)));
        assert_eq!((surroundings.cost(30.0, 0.0), surroundings.height(12.0, -4.0)), (None, Some(0.0)));
    }

    #[test]
    fn the_robot_is_always_well_inside() {
        let surroundings = Surroundings::new(0.1);
        for place in [-7.31, -0.01, 0.0, 0.42, 3.999] {
            let corner = surroundings.corner_for(&Pose2 { x: place, y: -place, yaw: 0.0 });
            let from_corner = place - 0.1 * corner.0 as f64;
            assert!((0.5 * SIDE - STRIDE..=0.5 * SIDE + STRIDE).contains(&from_corner), "{place}");
        }
    }
}
