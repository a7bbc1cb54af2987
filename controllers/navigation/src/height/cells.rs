//! One height per cell: the median of the points that count.

use super::bins::{Bins, Sample};
use super::columns::{thin_cells, thin_column};
use super::windows::window_extremes;
use super::{Ground, HeightSettings, Heights};

/// Ground is looked for within so many cells when something might hang above it.
const GROUND_WINDOW: usize = 5;
/// More points than this do not make a cell's median better.
const MOST_POINTS: usize = 64;
/// Share of a cell's points that is left out at either end of its spread.
const EXTREME_SHARE: f64 = 0.15;

/// The median height of each cell, its spread, and whether enough points were seen.
pub(super) fn medians(bins: &Bins, settings: &HeightSettings) -> Heights {
    let cells = bins.frame.len();
    let lowest: Vec<f64> = (0..cells).map(|cell| lowest(bins.cell(cell))).collect();
    let (ground_nearby, _) = window_extremes(&bins.frame, &lowest, GROUND_WINDOW);
    let mut heights = Heights {
        frame: bins.frame,
        height: vec![f64::NAN; cells],
        ground: vec![Ground::Unknown; cells],
        spread: vec![0.0; cells],
        thin: Vec::new(),
    };
    let mut kept = Vec::with_capacity(MOST_POINTS);
    for (cell, ground) in ground_nearby.into_iter().enumerate() {
        let ceiling = ground + settings.clearance;
        let mut seen_from_near = select(bins.cell(cell), ceiling as f32, settings, &mut kept);
        if let Some(column) = thin_column(bins, cell, ground, settings) {
            kept.clear();
            kept.extend(column.iter().filter(|point| f64::from(point.z) <= ceiling).take(MOST_POINTS));
            kept.sort_unstable_by(|a, b| a.z.total_cmp(&b.z));
            seen_from_near = true;
        }
        let Some(last) = kept.len().checked_sub(1) else { continue };
        let height = |place: usize| f64::from(kept[place].z);
        heights.height[cell] = 0.5 * (height(last / 2) + height(kept.len() / 2));
        heights.ground[cell] = if seen_from_near { Ground::Measured } else { Ground::Weak };
        let left_out = libm::ceil(EXTREME_SHARE * kept.len() as f64) as usize;
        if seen_from_near && kept.len() > 2 * left_out {
            heights.spread[cell] = kept[last - left_out].z - kept[left_out].z;
        }
    }
    heights.thin = thin_cells(&heights);
    heights
}

/// The lowest point, or the second lowest of many: one echo from below the ground is not the ground.
fn lowest(points: &[Sample]) -> f64 {
    let (mut first, mut second) = (f32::INFINITY, f32::INFINITY);
    for point in points {
        second = second.min(point.z.max(first));
        first = first.min(point.z);
    }
    match points.len() {
        0 => f64::NAN,
        1..5 => f64::from(first),
        _ => f64::from(second),
    }
}

/// Collects in `kept`, in order of height, the points below the ceiling that the newest views saw, and the older ones that
/// agree with them; of those only the ones from near by, if there are enough. Returns whether there are.
fn select(points: &[Sample], ceiling: f32, settings: &HeightSettings, kept: &mut Vec<Sample>) -> bool {
    kept.clear();
    let mut below = points.iter().filter(|point| point.z <= ceiling).peekable();
    let mut age = 0;
    while let Some(point) = below.next_if(|point| kept.len() < settings.enough_points || point.age == age) {
        age = point.age;
        kept.push(*point);
        if kept.len() >= MOST_POINTS {
            break;
        }
    }
    let range = kept.iter().map(Sample::range).fold(0.0, f64::max);
    let tolerance = (settings.agreement + settings.attitude_error * range) as f32;
    let low = kept.iter().fold(f32::INFINITY, |low, point| low.min(point.z)) - tolerance;
    let high = kept.iter().fold(f32::NEG_INFINITY, |high, point| high.max(point.z)) + tolerance;
    let room = MOST_POINTS.saturating_sub(kept.len());
    kept.extend(below.filter(|point| (low..=high).contains(&point.z)).take(room));
    let is_near = |point: &Sample| point.range() <= settings.near;
    let enough = kept.iter().filter(|point| is_near(point)).count() >= settings.enough_points;
    if enough {
        kept.retain(is_near);
    }
    kept.sort_unstable_by(|a, b| a.z.total_cmp(&b.z));
    enough
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(points: &[(f32, u16)], range: u16) -> Vec<Sample> {
        points.iter().map(|&(z, age)| Sample { z, age, range }).collect()
    }

    fn chosen(samples: &[Sample]) -> Vec<f32> {
        let mut kept = Vec::new();
        select(samples, 1.6, &HeightSettings::default(), &mut kept);
        kept.iter().map(|point| point.z).collect()
    }

    #[test]
    fn points_from_near_by_count_more_than_newer_ones_from_far_away_unless_those_disagree() {
        let near = seen(&[(0.0, 3), (0.01, 3), (0.02, 3)], 200);
        let both = |far: Vec<Sample>| chosen(&far.into_iter().chain(near.clone()).collect::<Vec<_>>());
        assert_eq!(both(seen(&[(0.15, 0), (0.15, 0), (0.15, 0)], 1000)), [0.0, 0.01, 0.02]);
        assert_eq!(both(seen(&[(0.5, 0), (0.5, 0), (0.5, 0)], 1000)), [0.5, 0.5, 0.5]);
    }

    #[test]
    fn old_points_that_disagree_with_enough_new_ones_are_forgotten() {
        assert_eq!(
            chosen(&seen(&[(0.0, 0), (0.01, 0), (0.02, 0), (0.5, 3), (0.52, 3), (0.04, 4)], 0)),
            [0.0, 0.01, 0.02, 0.04]
        );
    }

    #[test]
    fn few_new_points_do_not_outvote_the_old_ones() {
        assert_eq!(chosen(&seen(&[(0.0, 0), (0.5, 3), (0.52, 3), (0.51, 3)], 0)), [0.0, 0.5, 0.51, 0.52]);
    }

    #[test]
    fn what_hangs_above_the_robot_does_not_count() {
        assert_eq!(chosen(&seen(&[(2.0, 0), (2.1, 0), (2.2, 0), (0.1, 3)], 0)), [0.1]);
    }

    #[test]
    fn one_echo_from_below_is_not_the_ground() {
        let points: Vec<Sample> =
            [-3.0, 0.1, 0.2, 0.3, 0.4].iter().map(|&z| Sample { z, ..Sample::default() }).collect();
        assert_eq!(lowest(&points), f64::from(0.1_f32));
        assert!(lowest(&[]).is_nan());
    }
}
