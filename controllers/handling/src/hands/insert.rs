//! Into a hole: down until the rim is met, and then anew beside that, until it goes in.

use nalgebra::{Isometry3, Vector3};
use robot_io::State;

use super::goal::{HandFailure, Insertion};
use super::plan::{Leg, Planned, Refusal, Work};
use super::scene::Touch;

/// Beside where the rim was met it goes in from so far before it [m].
const BEFORE: f64 = 0.012;
/// From one place to the next: share of the joints' top speeds.
const BACK: f64 = 0.1;

/// How far a search has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Search {
    /// The hand where it began, in the odometry frame; not known before the first plan.
    pub from: Option<Isometry3<f64>>,
    /// Places that were tried.
    pub tried: u64,
    /// What was left of the way where the rim was met, the last time and at the best [m].
    pub left: [f64; 2],
}

impl Search {
    /// Something was met with so much left of the way [m]. True if that is inside.
    pub fn meets(&mut self, insertion: &Insertion, left: f64) -> bool {
        self.left = [left, if self.tried == 0 { left } else { self.left[1].min(left) }];
        self.tried += 1;
        left <= insertion.left
    }
}

impl Work<'_> {
    /// To the next place of a search, and straight in from there.
    pub fn insert(&self, insertion: &Insertion) -> Result<Planned, Refusal> {
        let Search { from, tried, left } = self.question.search;
        let from = from.unwrap_or_else(|| self.hand());
        let places = places(insertion);
        let beside = places.get(tried as usize).ok_or(HandFailure::Stuck(tried, left[1]))?;
        let turn = self.question.base_in_odom.rotation;
        let at = |offset: Vector3<f64>| {
            Isometry3::from_parts((from.translation.vector + turn * offset).into(), from.rotation)
        };
        let mut checker = self.checker(Touch::Anything, &self.question.body.close)?;
        let mut planned = Planned { search_from: Some(from), ..Planned::default() };
        let mut joints = self.with_arm(&self.start);
        if tried > 0 {
            let by = insertion.by;
            let before = (by.norm() - left[0] - BEFORE).max(0.0) / by.norm();
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
    grid.into_iter().map(across).collect()
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
    fn without_room_around_it_is_tried_once() {
        let insertion = Insertion { by: Vector3::x(), ..Insertion::default() };
        assert_eq!(places(&insertion), [Vector3::zeros()]);
    }
}
