//! One height per cell: the median of the points that count.

use super::bins::{Bins, Sample};
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
    };
    let mut kept = Vec::with_capacity(4 * MOST_POINTS);
    for (cell, ground) in ground_nearby.into_iter().enumerate() {
        let ceiling = ground + settings.clearance;
        select(bins.cell(cell), ceiling as f32, settings, &mut kept);
        let Some(last) = kept.len().checked_sub(1) else { continue };
        heights.height[cell] = 0.5 * (f64::from(kept[last / 2]) + f64::from(kept[kept.len() / 2]));
        let enough = kept.len() >= settings.enough_points;
        heights.ground[cell] = if enough { Ground::Measured } else { Ground::Weak };
        let left_out = libm::ceil(EXTREME_SHARE * kept.len() as f64) as usize;
        if kept.len() > 2 * left_out {
            heights.spread[cell] = kept[last - left_out] - kept[left_out];
        }
    }
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
/// agree with them.
fn select(points: &[Sample], ceiling: f32, settings: &HeightSettings, kept: &mut Vec<f32>) {
    kept.clear();
    let mut below = points.iter().filter(|point| point.z <= ceiling).peekable();
    let mut age = 0;
    while let Some(point) = below.next_if(|point| kept.len() < settings.enough_points || point.age == age) {
        age = point.age;
        kept.push(point.z);
        if kept.len() >= MOST_POINTS {
            break;
        }
    }
    let tolerance = settings.agreement as f32;
    let low = kept.iter().fold(f32::INFINITY, |low, z| low.min(*z)) - tolerance;
    let high = kept.iter().fold(f32::NEG_INFINITY, |high, z| high.max(*z)) + tolerance;
    let room = MOST_POINTS.saturating_sub(kept.len());
    kept.extend(below.map(|point| point.z).filter(|z| (low..=high).contains(z)).take(room));
    kept.sort_unstable_by(f32::total_cmp);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(points: &[(f32, u32)]) -> Vec<f32> {
        let samples: Vec<Sample> = points.iter().map(|&(z, age)| Sample { z, age }).collect();
        let mut kept = Vec::new();
        select(&samples, 1.6, &HeightSettings::default(), &mut kept);
        kept
    }

    #[test]
    fn old_points_that_disagree_with_enough_new_ones_are_forgotten() {
        assert_eq!(chosen(&[(0.0, 0), (0.01, 0), (0.02, 0), (0.5, 3), (0.52, 3), (0.04, 4)]), [0.0, 0.01, 0.02, 0.04]);
    }

    #[test]
    fn few_new_points_do_not_outvote_the_old_ones() {
        assert_eq!(chosen(&[(0.0, 0), (0.5, 3), (0.52, 3), (0.51, 3)]), [0.0, 0.5, 0.51, 0.52]);
    }

    #[test]
    fn what_hangs_above_the_robot_does_not_count() {
        assert_eq!(chosen(&[(2.0, 0), (2.1, 0), (2.2, 0), (0.1, 3)]), [0.1]);
    }

    #[test]
    fn one_echo_from_below_is_not_the_ground() {
        let points: Vec<Sample> = [-3.0, 0.1, 0.2, 0.3, 0.4].iter().map(|&z| Sample { z, age: 0 }).collect();
        assert_eq!(lowest(&points), f64::from(0.1_f32));
        assert!(lowest(&[]).is_nan());
    }
}
