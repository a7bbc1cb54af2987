//! The motion within a sweep, put right by what registration has found.

use nalgebra::Isometry3;

use crate::Sweep;

/// A sweep seen as if at once once more. Odometry undid the motion within it; where it slipped, its points are bent.
///
/// `slip` is the base at the sweep's end seen from where odometry says that it is, over the time `since` [s] up to the sweep's
/// end. It is taken to have grown evenly.
pub fn straighten(sweep: &Sweep, slip: &Isometry3<f64>, since: f64) -> Sweep {
    let slip = slip.inverse();
    let share = |time: f32| (f64::from(-time) / since.max(1e-9)).clamp(0.0, 1.0);
    // one place for all points of a scan: within it the slip hardly grows
    let mut places: Vec<Option<Isometry3<f64>>> = vec![None; sweep.origins.len()];
    let mut straight = sweep.clone();
    for point in &mut straight.points {
        let Some(place) = places.get_mut(usize::from(point.origin)) else { continue };
        let place = place.get_or_insert_with(|| part(&slip, share(point.time)));
        point.position = moved(place, &point.position);
    }
    for (origin, place) in straight.origins.iter_mut().zip(&places) {
        *origin = moved(&place.unwrap_or_default(), origin);
    }
    let middle = part(&slip, 0.5);
    straight.misses.iter_mut().for_each(|miss| *miss = moved(&middle, miss));
    straight
}

/// Part of a small motion.
fn part(motion: &Isometry3<f64>, share: f64) -> Isometry3<f64> {
    Isometry3::new(motion.translation.vector * share, motion.rotation.scaled_axis() * share)
}

fn moved(place: &Isometry3<f64>, point: &[f32; 3]) -> [f32; 3] {
    let placed = place * crate::grid::point(point);
    [placed.x as f32, placed.y as f32, placed.z as f32]
}
