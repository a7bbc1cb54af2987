//! One point where there are many.

use nalgebra::Isometry3;
use robot_io::{PointCloud, Time};

use super::settings::ViewSettings;
use crate::Sweep;
use crate::grid::{self, floor};

/// A sweep's points in the base frame at its end.
pub fn of_sweep(sweep: &Sweep, settings: &ViewSettings) -> PointCloud {
    let points = sweep.points.iter().map(|point| point.position);
    cloud(sweep.end, thinned(points, settings))
}

/// Several clouds in one, each given with its pose in the common frame.
pub fn joined<'a>(
    stamp: Time,
    clouds: impl Iterator<Item = (&'a PointCloud, Isometry3<f64>)>,
    settings: &ViewSettings,
) -> PointCloud {
    let points = clouds.flat_map(|(cloud, pose)| cloud.points.iter().map(move |point| placed(&pose, point)));
    cloud(stamp, thinned(points, settings))
}

/// A point in another frame.
pub fn placed(pose: &Isometry3<f64>, point: &[f32; 3]) -> [f32; 3] {
    let point = pose * grid::point(point);
    [point.x as f32, point.y as f32, point.z as f32]
}

fn cloud(stamp: Time, points: Vec<[f32; 3]>) -> PointCloud {
    PointCloud { stamp, frame: "base".into(), points, times: Vec::new(), intensities: Vec::new() }
}

/// The first point of every cell, in their order; evenly fewer if there are still too many.
fn thinned(points: impl Iterator<Item = [f32; 3]>, settings: &ViewSettings) -> Vec<[f32; 3]> {
    let within = |point: &[f32; 3]| square(point) < settings.cloud_radius * settings.cloud_radius;
    let points: Vec<[f32; 3]> = points.filter(within).collect();
    let mut cells = Cells::default();
    let kept: Vec<[f32; 3]> = points.into_iter().filter(|point| cells.is_new(cell(point, settings))).collect();
    let count = kept.len().min(settings.most_points);
    (0..count).map(|k| kept[k * kept.len() / count]).collect()
}

/// Numbers that have been met: a table in which each lies at the first free place from its hash on, no more than half full.
struct Cells {
    places: Vec<u64>,
    count: usize,
}

impl Cells {
    const FREE: u64 = u64::MAX;

    /// True the first time. The number is not `u64::MAX`.
    fn is_new(&mut self, number: u64) -> bool {
        if 2 * self.count >= self.places.len() {
            let more = Cells { places: vec![Cells::FREE; 4 * self.places.len()], count: self.count };
            let fewer = core::mem::replace(self, more);
            for number in fewer.places.into_iter().filter(|number| *number != Cells::FREE) {
                let place = self.place(number);
                self.places[place] = number;
            }
        }
        let place = self.place(number);
        let is_new = self.places[place] == Cells::FREE;
        self.places[place] = number;
        self.count += usize::from(is_new);
        is_new
    }

    /// Where a number lies, or would.
    fn place(&self, number: u64) -> usize {
        /// 2⁶⁴ by the golden ratio (Knuth, "The Art of Computer Programming", volume 3, section 6.4).
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let last = self.places.len() - 1;
        let mut place = (number.wrapping_mul(SPREAD) >> 32) as usize & last;
        while self.places[place] != Cells::FREE && self.places[place] != number {
            place = (place + 1) & last;
        }
        place
    }
}

impl Default for Cells {
    fn default() -> Self {
        Cells { places: vec![Cells::FREE; 1 << 13], count: 0 }
    }
}

/// The number of a point's cell.
fn cell(point: &[f32; 3], settings: &ViewSettings) -> u64 {
    const HALF: i32 = 1 << 19;
    let far = square(point) > 0.25 * settings.cloud_radius * settings.cloud_radius;
    let side = if far { 2.0 * settings.cloud_cell } else { settings.cloud_cell };
    let at = |axis: usize| (floor(f64::from(point[axis]) / side).clamp(-HALF, HALF - 1) + HALF) as u64;
    u64::from(far) << 60 | at(2) << 40 | at(1) << 20 | at(0)
}

fn square(point: &[f32; 3]) -> f64 {
    point.iter().map(|x| f64::from(*x) * f64::from(*x)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_point_stays_in_a_cell_and_far_ones_go() {
        let points = [
            [1.0, 1.0, 0.0],
            [1.01, 1.01, 0.01],
            [1.0, 1.2, 0.0],
            [7.0, 0.01, 0.0],
            [7.08, 0.01, 0.0],
            [13.0, 0.0, 0.0],
        ];
        let settings = ViewSettings::default();
        let kept = thinned(points.into_iter(), &settings);
        assert_eq!(kept, [[1.0, 1.0, 0.0], [1.0, 1.2, 0.0], [7.0, 0.01, 0.0]]);
        let two = ViewSettings { most_points: 2, ..settings };
        assert_eq!(thinned(points.into_iter(), &two).len(), 2);
    }
}
