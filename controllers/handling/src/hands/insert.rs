//! Into a hole: down until the rim is met, and then anew beside that, until it goes in.

use nalgebra::{Isometry3, Vector3};
use robot_io::State;

use super::goal::{HandFailure, Insertion};
use super::plan::{Leg, Planned, Refusal, Work};
use super::scene::Touch;

/// Beside where the rim was met it goes in from so far before it [m]: far enough to learn what is usual on the way.
const BEFORE: f64 = 0.022;
/// From one place to the next: share of the joints' top speeds.
const BACK: f64 = 0.1;

/// So often it is tried to get as deep as before at the place that was the deepest: there, and then a little to either side of it, as a hand is not
/// quite where it was.
const AGAIN: u64 = 3;
/// As a share of a step.
const ASIDE: f64 = 0.4;

/// So many places are tried before the deepest of them is believed; chosen.
const FEWEST: u64 = 3;

/// How far a search has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Search {
    /// The hand where it began, in the odometry frame; not known before the first plan.
    pub from: Option<Isometry3<f64>>,
    /// Places that were tried, and the first of them that counts: before it none was as deep a second time.
    pub tried: u64,
    first: u64,
    /// What was left of the way where something was met, the last time [m].
    left: f64,
    /// The place where least was left, and how much that was, and the most elsewhere [m].
    best: u64,
    least: f64,
    most: f64,
    /// How often it has gone back to the best place.
    returned: u64,
}

impl Search {
    /// Something was met with so much left of the way [m]. True if that is inside.
    pub fn meets(&mut self, insertion: &Insertion, left: f64) -> bool {
        self.left = left;
        if self.returned > 0 {
            self.returned += 1;
            if left < self.least + insertion.deeper {
                return true;
            }
            if self.returned > AGAIN {
                (self.first, self.returned) = (self.tried, 0);
            }
            return false;
        }
        let is_first = self.tried == self.first;
        if is_first || left < self.least {
            (self.best, self.least) = (self.tried, left);
        }
        self.most = if is_first { left } else { self.most.max(left) };
        self.tried += 1;
        if insertion.deeper <= 0.0 {
            return left <= insertion.left;
        }
        self.returned = u64::from(self.tried - self.first >= FEWEST && self.most - self.least >= insertion.deeper);
        self.returned > 0 && self.best + 1 == self.tried
    }

    /// The place to go to next, and how many steps beside it along the grid's first axis.
    fn place(&self) -> (u64, f64) {
        match self.returned {
            0 => (self.tried, 0.0),
            1 => (self.best, 0.0),
            2 => (self.best, ASIDE),
            _ => (self.best, -ASIDE),
        }
    }
}

impl Work<'_> {
    /// To the next place of a search, and straight in from there.
    pub fn insert(&self, insertion: &Insertion) -> Result<Planned, Refusal> {
        let search = self.question.search;
        let Search { tried, left, least, .. } = search;
        let from = search.from.unwrap_or_else(|| self.hand());
        let places = places(insertion);
        let (place, aside) = search.place();
        let beside = places.get(place as usize).ok_or(HandFailure::Stuck(tried, least))?;
        // the nearest place but the middle is a step along the grid's first axis
        let beside = beside + places.get(1).map_or(Vector3::zeros(), |step| step * aside);
        let turn = self.question.base_in_odom.rotation;
        let at = |offset: Vector3<f64>| {
            Isometry3::from_parts((from.translation.vector + turn * offset).into(), from.rotation)
        };
        let mut checker = self.checker(Touch::Anything, &self.question.body.close)?;
        let mut planned = Planned { search_from: Some(from), ..Planned::default() };
        let mut joints = self.with_arm(&self.start);
        if tried > 0 {
            let by = insertion.by;
            let before = (by.norm() - left - BEFORE).max(0.0) / by.norm();
            let (leg, end) = self.line(&at(beside + by * before), &joints, Touch::Anything, &mut checker)?;
            planned.legs.push(Leg { way: self.timed_at(leg.way.path().clone(), BACK)?, ..leg });
            joints = self.with_arm(&end);
        }
        let (leg, _) = self.line(&at(beside + insertion.by), &joints, Touch::Anything, &mut checker)?;
        planned.legs.push(Leg { until: Some(insertion.until), ..leg });
        Ok(planned)
    }
}

/// Where it is tried, across the way [m]: on a grid along the axes, the nearest first.
fn places(insertion: &Insertion) -> Vec<Vector3<f64>> {
    let Insertion { by, around, step, .. } = *insertion;
    let Some(along) = by.try_normalize(1e-9) else { return Vec::new() };
    let most = around.map(|around| if step > 0.0 { (around / step + 1e-9) as i32 } else { 0 });
    let steps = |axis: usize| -most[axis]..=most[axis];
    let grid = steps(0).flat_map(|x| steps(1).flat_map(move |y| steps(2).map(move |z| [x, y, z])));
    let mut grid: Vec<[i32; 3]> = grid.collect();
    grid.sort_by_key(|[x, y, z]| (x * x + y * y + z * z, *x, *y, *z));
    let across = |place: [i32; 3]| {
        let place = Vector3::from(place).map(f64::from) * step;
        place - along * along.dot(&place)
    };
    let mut places: Vec<Vector3<f64>> = Vec::with_capacity(grid.len());
    for place in grid.into_iter().map(across) {
        // what differs along the way only is one place
        if places.iter().all(|other| (other - place).norm() > 1e-6) {
            places.push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_across_the_way_the_nearest_first_and_none_twice() {
        let (by, around) = (Vector3::new(0.0, 0.0, -0.05), Vector3::new(0.006, 0.002, 0.0));
        let places = places(&Insertion { by, around, step: 0.002, ..Insertion::default() });
        assert_eq!(places[0], Vector3::zeros());
        assert_eq!(places.len(), 21);
        assert!(
            places.iter().all(|place| place.z == 0.0 && place.x.abs() < 0.0061 && place.y.abs() < 0.0021),
            "{places:?}"
        );
        assert!(places.windows(2).all(|pair| pair[0].norm() <= pair[1].norm() + 1e-12), "{places:?}");
        for (number, place) in places.iter().enumerate() {
            assert!(places[..number].iter().all(|other| (other - place).norm() > 0.0019), "{place} is there twice");
        }
    }

    #[test]
    fn room_along_the_way_adds_no_places() {
        let (by, around) = (Vector3::new(0.0, 0.0, -0.05), Vector3::new(0.004, 0.0, 0.004));
        let flat =
            places(&Insertion { by, around: Vector3::new(0.004, 0.0, 0.0), step: 0.002, ..Insertion::default() });
        let with_room = places(&Insertion { by, around, step: 0.002, ..Insertion::default() });
        assert_eq!(flat.len(), 5);
        assert_eq!(with_room.len(), 5, "{with_room:?}");
    }

    #[test]
    fn the_deepest_place_is_gone_back_to_once_it_is_deep_enough() {
        let insertion = Insertion { deeper: 0.003, ..Insertion::default() };
        let mut search = Search::default();
        for (left, place) in [(0.0101, 1), (0.0099, 2), (0.0100, 3)] {
            assert!(!search.meets(&insertion, left), "{left} m are left everywhere");
            assert_eq!(search.place(), (place, 0.0));
        }
        assert!(search.meets(&insertion, 0.006), "it is there");
        // a first place that is the best is only known by the others
        let mut search = Search::default();
        let told: Vec<bool> = [0.006, 0.0101, 0.0099].map(|left| search.meets(&insertion, left)).to_vec();
        assert_eq!((told, search.place()), (vec![false; 3], (0, 0.0)));
        assert!(!search.meets(&insertion, 0.0102), "something was met on the way back");
        assert_eq!(search.place(), (0, ASIDE), "a little beside it");
        assert!(search.meets(&insertion, 0.0065), "back there it is inside");
    }

    #[test]
    fn a_depth_that_is_not_met_again_ends_no_search() {
        let insertion = Insertion { deeper: 0.003, ..Insertion::default() };
        let mut search = Search::default();
        for left in [0.006, 0.0101, 0.0099, 0.0101, 0.0101, 0.0101] {
            assert!(!search.meets(&insertion, left));
        }
        assert_eq!(search.place(), (3, 0.0), "the next of the grid");
        for left in [0.0101, 0.0099] {
            assert!(!search.meets(&insertion, left), "the first three count no more");
        }
        assert!(search.meets(&insertion, 0.006), "the last of three is the deepest, and the hand is there");
    }

    #[test]
    fn without_room_around_it_is_tried_once() {
        let insertion = Insertion { by: Vector3::x(), ..Insertion::default() };
        assert_eq!(places(&insertion), [Vector3::zeros()]);
    }
}
