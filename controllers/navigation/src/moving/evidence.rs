//! What is known of the ground around the robot: where it is free, where something stands, where something has come.

use nalgebra::{Point2, Point3};
use robot_io::{Packed, State, StateVisitor};

use super::profile::Profile;
use super::{Glimpse, MovingSettings, TURN};

/// Side of a cell [m].
pub(super) const CELL: f64 = 0.25;
/// Cells along each side of the window that moves with the robot.
const SIDE: i64 = 96;
/// The window moves in steps of so many cells.
const STRIDE: i64 = 4;
/// A point this near above the lowest of its cell is ground [m].
const GROUND: f32 = 0.15;
/// Ground that was taken to be so much too high was none [m].
const SUNK: f32 = 0.2;
/// Between points of the ground on the same line that are nearer to each other than this there is ground [m].
const BETWEEN: f64 = 1.2;
/// Steepest ground between them.
const SLOPE: f64 = 0.6;
/// What was free only within this time was seen in the same pass of the scanner [s].
const PASS: f32 = 0.6;
/// A thing that is thinner than the lines of a scan are apart may be missed for so long [s].
const SEEN_NOW_AND_THEN: f32 = 40.0;
/// What has come stands in the open if the ground was free in its own cell and all around, and nothing was seen there before: there is no
/// free ground in a wall, and a thin one is met sometimes.
const OPEN: i32 = 9;
/// Farther away than this there may be cells between the lines of a scan [m].
const SPARSE: f64 = 4.0;
/// Never.
const NEVER: f32 = f32::NEG_INFINITY;

/// A window on cells of the odometry frame that moves with the robot; times [s].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evidence {
    corner: [i64; 2],
    /// Lowest that was seen [m].
    floor: Vec<f32>,
    /// Since when it is what it is: free, or not.
    since: Vec<f32>,
    /// When it was last seen to be free.
    free: Vec<f32>,
    /// When something was last seen in it.
    hit: Vec<f32>,
    /// The same of what is not known to move, and before that came.
    stood: Vec<f32>,
    stood_before: Vec<f32>,
    /// When that came, if the ground was free before.
    came: Vec<f32>,
    /// The same if the ground was free all around.
    open: Vec<f32>,
}

/// A point that stands where the ground was free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stranger {
    /// Number of the point in the scan.
    pub point: usize,
    /// When something came to where it stands [s].
    pub came: f64,
    /// True if the ground was free all around when it came.
    pub is_open: bool,
    /// True if something stood there not long before the ground was free.
    pub is_back: bool,
}

/// A point of a scan, as the cells take it.
#[derive(Clone, Copy)]
struct Placed {
    cell: usize,
    above: f32,
}

impl Default for Evidence {
    fn default() -> Self {
        let cells = || vec![NEVER; (SIDE * SIDE) as usize];
        let floor = vec![f32::INFINITY; (SIDE * SIDE) as usize];
        Evidence {
            corner: [0; 2],
            floor,
            since: cells(),
            free: cells(),
            hit: cells(),
            stood: cells(),
            stood_before: cells(),
            came: cells(),
            open: cells(),
        }
    }
}

impl Evidence {
    /// Takes in a scan; the points that stand where the ground was free, in the order of the scan, and how far it is to the
    /// nearest thing on both sides of the scanner.
    pub fn look(&mut self, glimpse: &Glimpse, settings: &MovingSettings) -> (Vec<Stranger>, Profile) {
        self.follow(glimpse);
        self.sink(glimpse);
        let placed: Vec<Option<Placed>> = glimpse.points.iter().map(|point| self.place(point)).collect();
        let (low, high) = (settings.height as f32, settings.clearance as f32);
        let stands = |placed: &&Placed| placed.above > low && placed.above < high;
        let mut taken: Vec<usize> = placed.iter().flatten().filter(stands).map(|placed| placed.cell).collect();
        taken.sort_unstable();
        let hits: Vec<usize> =
            taken.chunk_by(|a, b| a == b).filter(|cell| cell.len() > 1).map(|cell| cell[0]).collect();
        self.note_hits(&hits, glimpse, settings);
        self.note_free(&taken, &placed, glimpse);
        let stranger = |(point, placed): (usize, &Option<Placed>)| {
            let placed = placed.as_ref().filter(stands)?;
            let came = Some(self.came[placed.cell]).filter(|came| *came > NEVER)?;
            let is_open = self.open[placed.cell] >= came;
            let is_back = came - self.stood_before[placed.cell] < SEEN_NOW_AND_THEN;
            let new = Stranger { point, came: f64::from(came), is_open, is_back };
            Some(new).filter(|_| self.rises(&glimpse.points[point], low))
        };
        let standing =
            placed.iter().zip(&glimpse.points).filter(|(placed, _)| placed.as_ref().filter(stands).is_some());
        let profile = Profile::of(glimpse, standing.map(|(_, point)| point));
        (placed.iter().enumerate().filter_map(stranger).collect(), profile)
    }

    /// When a place was last seen to be free [s]; minus infinity if never or if something stands there.
    pub fn free_at(&self, x: f64, y: f64) -> f64 {
        let free = self.index(cell_of(x), cell_of(y)).filter(|cell| self.free[*cell] > self.hit[*cell]);
        f64::from(free.map_or(NEVER, |cell| self.free[cell]))
    }

    /// When something was last seen to stand at a place [s]; minus infinity if never.
    pub fn hit_at(&self, x: f64, y: f64) -> f64 {
        f64::from(self.index(cell_of(x), cell_of(y)).map_or(NEVER, |cell| self.hit[cell]))
    }

    /// What moves is there: it is not what stood there.
    pub fn note_mover(&mut self, place: &Point2<f64>, half: f64) {
        let reach = (half / CELL).ceil() as i64;
        let cells: Vec<usize> = self.around(cell_of(place.x), cell_of(place.y), reach).collect();
        cells.into_iter().for_each(|cell| self.stood[cell] = NEVER);
    }

    /// Height of the ground at a place [m], if it is known.
    pub fn floor_at(&self, x: f64, y: f64) -> Option<f64> {
        let floor = self.index(cell_of(x), cell_of(y)).map(|cell| self.floor[cell]);
        floor.filter(|floor| floor.is_finite()).map(f64::from)
    }

    /// Moves the window with the scanner.
    fn follow(&mut self, glimpse: &Glimpse) {
        let corner = |place: f64| (cell_of(place) - SIDE / 2).div_euclid(STRIDE) * STRIDE;
        let new = [corner(glimpse.scanner.x), corner(glimpse.scanner.y)];
        if new == self.corner {
            return;
        }
        let old = core::mem::replace(&mut self.corner, new);
        for (column, row) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (column, row))) {
            let (column, row) = (new[0] + column, new[1] + row);
            let was_inside = (0..SIDE).contains(&(column - old[0])) && (0..SIDE).contains(&(row - old[1]));
            if let (false, Some(cell)) = (was_inside, self.index(column, row)) {
                self.forget(cell);
            }
        }
    }

    fn forget(&mut self, cell: usize) {
        self.floor[cell] = f32::INFINITY;
        let times = [&mut self.since, &mut self.free, &mut self.hit, &mut self.stood, &mut self.stood_before];
        times.into_iter().chain([&mut self.came, &mut self.open]).for_each(|times| times[cell] = NEVER);
    }

    /// The lowest points are the ground.
    fn sink(&mut self, glimpse: &Glimpse) {
        for point in &glimpse.points {
            let Some(cell) = self.index(cell_of(point.x), cell_of(point.y)) else { continue };
            let height = point.z as f32;
            if height < self.floor[cell] - SUNK {
                // what was taken for the ground was none
                self.forget(cell);
            }
            self.floor[cell] = self.floor[cell].min(height);
        }
    }

    fn place(&self, point: &Point3<f64>) -> Option<Placed> {
        let cell = self.index(cell_of(point.x), cell_of(point.y))?;
        Some(Placed { cell, above: point.z as f32 - self.floor[cell] })
    }

    /// True if a point stands higher than this above the free ground around its cell: not at the edge of a trench, which stands above the
    /// trench only.
    fn rises(&self, point: &Point3<f64>, low: f32) -> bool {
        point.z as f32 - self.ground(cell_of(point.x), cell_of(point.y)) > low
    }

    /// Height of the free ground around a cell [m]; minus infinity where there is none.
    fn ground(&self, column: i64, row: i64) -> f32 {
        let is_free = |cell: &usize| self.free[*cell] > self.hit[*cell];
        let floor = self.around(column, row, 2).filter(is_free).map(|cell| self.floor[cell]);
        let mut floors: Vec<f32> = floor.filter(|floor| floor.is_finite()).collect();
        floors.sort_by(f32::total_cmp);
        floors.get(floors.len() / 2).copied().unwrap_or(f32::NEG_INFINITY)
    }

    /// The cells as near to one as so many, and itself.
    fn around(&self, column: i64, row: i64, reach: i64) -> impl Iterator<Item = usize> {
        let steps = move || -reach..=reach;
        let all = steps().flat_map(move |along| steps().map(move |across| (column + across, row + along)));
        all.filter_map(|(column, row)| self.index(column, row))
    }

    fn note_hits(&mut self, hits: &[usize], glimpse: &Glimpse, settings: &MovingSettings) {
        let now = glimpse.time.seconds() as f32;
        let come = |cell: &usize| Some((*cell, self.has_come(*cell, glimpse, settings)?));
        let new: Vec<(usize, bool)> = hits.iter().filter_map(come).collect();
        for &cell in hits {
            if self.hit[cell] <= self.free[cell] {
                (self.since[cell], self.stood_before[cell]) = (now, self.stood[cell]);
            }
            (self.hit[cell], self.stood[cell]) = (now, now);
        }
        for (cell, is_open) in new {
            self.came[cell] = now;
            self.open[cell] = if is_open { now } else { NEVER };
        }
    }

    /// Whether what stands in a cell now has come there, and in the open: the ground was free before, and nothing stood beside it.
    fn has_come(&self, cell: usize, glimpse: &Glimpse, settings: &MovingSettings) -> Option<bool> {
        if self.came[cell] > NEVER {
            return None;
        }
        let (now, memory) = (glimpse.time.seconds() as f32, settings.memory as f32);
        let [column, row] = self.cell_at(cell);
        let (mut free, mut beside, mut open) = (false, 0, 0);
        for other in self.around(column, row, 1) {
            let is_known = now - self.free[other].max(self.hit[other]) < memory;
            let is_free = self.free[other] >= self.hit[other];
            let is_old = is_known && now - self.since[other] > PASS;
            if is_old && !is_free && self.came[other] == NEVER {
                return None;
            }
            let was_free = is_old && is_free;
            free |= was_free && other == cell;
            beside += i32::from(was_free);
            let since_hit = now - self.hit[other];
            open += i32::from(since_hit < PASS && self.came[other] > NEVER || was_free && since_hit > memory);
        }
        let (x, y) = (CELL * column as f64 - glimpse.scanner.x, CELL * row as f64 - glimpse.scanner.y);
        let is_far = robot_io::math::hypot(x, y) > SPARSE;
        (free || beside >= 2 && is_far).then_some(open == OPEN)
    }

    /// Ground that is seen, and ground between two points of it, is free if nothing is seen to stand there. `taken` is sorted.
    fn note_free(&mut self, taken: &[usize], placed: &[Option<Placed>], glimpse: &Glimpse) {
        let now = glimpse.time.seconds() as f32;
        let mut before: Option<usize> = None;
        for (index, place) in placed.iter().enumerate() {
            let Some(here) = place.filter(|place| place.above <= GROUND) else {
                before = before.filter(|_| place.is_none());
                continue;
            };
            self.set_free(here.cell, taken, now);
            let (last, point) = (before.replace(index).map(|last| glimpse.points[last]), glimpse.points[index]);
            let Some(last) = last else { continue };
            let apart = robot_io::math::hypot(point.x - last.x, point.y - last.y);
            if apart > CELL && apart < BETWEEN && (point.z - last.z).abs() < SLOPE * apart {
                let steps = (2.0 * apart / CELL).ceil() as usize;
                for share in (1..steps).map(|step| step as f64 / steps as f64) {
                    let between = last + share * (point - last);
                    if let Some(cell) = self.index(cell_of(between.x), cell_of(between.y)) {
                        self.floor[cell] = self.floor[cell].min(between.z as f32);
                        self.set_free(cell, taken, now);
                    }
                }
            }
        }
    }

    fn set_free(&mut self, cell: usize, taken: &[usize], now: f32) {
        let stays = if self.came[cell] > NEVER { PASS } else { TURN as f32 };
        let stands = now - self.hit[cell] < stays;
        if stands || taken.binary_search(&cell).is_ok() {
            return;
        }
        if self.free[cell] <= self.hit[cell] {
            self.since[cell] = now;
        }
        (self.free[cell], self.came[cell], self.open[cell]) = (now, NEVER, NEVER);
    }

    fn index(&self, column: i64, row: i64) -> Option<usize> {
        let inside = |place: i64, first: i64| (0..SIDE).contains(&(place - first));
        let inside = inside(column, self.corner[0]) && inside(row, self.corner[1]);
        inside.then(|| (row.rem_euclid(SIDE) * SIDE + column.rem_euclid(SIDE)) as usize)
    }

    /// Column and row of the cell with an index.
    fn cell_at(&self, index: usize) -> [i64; 2] {
        let (column, row) = (index as i64 % SIDE, index as i64 / SIDE);
        let [first, low] = self.corner;
        [first + (column - first).rem_euclid(SIDE), low + (row - low).rem_euclid(SIDE)]
    }
}

fn cell_of(place: f64) -> i64 {
    (place / CELL + 0.5).clamp(-1e9, 1e9).floor() as i64
}

impl State for Evidence {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut corner = self.corner.map(|place| place as u64);
        visitor.field("corner", &mut corner);
        self.corner = corner.map(|place| place as i64);
        for (name, cells) in [
            ("floor", &mut self.floor),
            ("since", &mut self.since),
            ("free", &mut self.free),
            ("hit", &mut self.hit),
            ("stood", &mut self.stood),
            ("stood_before", &mut self.stood_before),
            ("came", &mut self.came),
            ("open", &mut self.open),
        ] {
            visitor.field(name, &mut Packed(cells));
            // a broken snapshot must not lead outside
            cells.resize((SIDE * SIDE) as usize, NEVER);
        }
    }
}

#[cfg(test)]
mod tests {
    use robot_io::Time;

    use super::*;

    /// The points that stand where level ground with a trench was seen for three seconds, if some come in the trench's cell at a height [m].
    fn strangers_at(height: f64) -> usize {
        let (settings, mut evidence) = (MovingSettings::default(), Evidence::default());
        let scanner = Point3::new(0.0, 0.0, 1.4);
        let cell = |column: i32, row: i32| (3.0 + CELL * f64::from(column), CELL * f64::from(row));
        let places = (-3..=3).flat_map(|row| (-3..=3).map(move |column| (column, row)));
        let ground = |(column, row)| {
            let (x, y) = cell(column, row);
            Point3::new(x, y, if column == 0 { -0.3 } else { 0.0 })
        };
        let seen: Vec<_> = places.map(ground).collect();
        for scan in 0..120 {
            let time = Time::from_seconds(0.025 * f64::from(scan));
            let (strangers, _) = evidence.look(&Glimpse { time, scanner, points: seen.clone() }, &settings);
            assert_eq!(strangers, [], "at {time:?}");
        }
        let (x, y) = cell(0, 0);
        let points = (0..5).map(|point| Point3::new(x, y, height + 0.02 * f64::from(point))).collect();
        evidence.look(&Glimpse { time: Time::from_seconds(3.0), scanner, points }, &settings).0.len()
    }

    #[test]
    fn the_edge_of_a_trench_does_not_stand_in_it() {
        assert_eq!(strangers_at(0.0), 0, "its edge");
        assert_eq!(strangers_at(0.6), 5, "something that has come");
    }
}
