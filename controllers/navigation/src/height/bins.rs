//! Points sorted into cells, the newest views first.

use nalgebra::Point3;
use robot_io::MapViews;

use super::{GridFrame, HeightSettings};
use crate::RobotFootprint;

/// All points of a map, cell by cell.
pub(super) struct Bins {
    pub frame: GridFrame,
    /// Where each cell's points begin; one more than there are cells.
    pub starts: Vec<u32>,
    /// The points, newest view first within a cell.
    pub points: Vec<Sample>,
}

/// A point without its place.
#[derive(Clone, Copy, Default)]
pub(super) struct Sample {
    /// Height in the map frame [m].
    pub z: f32,
    /// Which view, counted from the newest; very old ones are all the same.
    pub age: u16,
    /// How far away the robot was [cm].
    pub range: u16,
}

impl Sample {
    /// How far away the robot was [m].
    pub fn range(&self) -> f64 {
        0.01 * f64::from(self.range)
    }
}

fn centimetres(x: f64, y: f64) -> u16 {
    (100.0 * (x * x + y * y).sqrt()) as u16
}

impl Bins {
    /// Sorts by counting: one pass to place the points, one to count, one to distribute.
    pub fn sort(views: &MapViews, robot: &RobotFootprint, settings: &HeightSettings) -> Bins {
        let mut placed = Vec::with_capacity(views.views.iter().map(|view| view.cloud.points.len()).sum());
        let center = robot.base_in_map.translation.vector;
        let (mut low, mut high) = ([center.x, center.y], [center.x, center.y]);
        for (age, view) in views.views.iter().rev().enumerate() {
            for point in &view.cloud.points {
                let [x, y, z] = point.map(f64::from);
                let at = view.base_in_map * Point3::new(x, y, z);
                let near = (at.x - center.x).abs() <= settings.reach && (at.y - center.y).abs() <= settings.reach;
                if near && at.z.is_finite() {
                    low = [low[0].min(at.x), low[1].min(at.y)];
                    high = [high[0].max(at.x), high[1].max(at.y)];
                    let sample =
                        Sample { z: at.z as f32, age: age.min(u16::MAX.into()) as u16, range: centimetres(x, y) };
                    placed.push((at.x as f32, at.y as f32, sample));
                }
            }
        }
        let margin = settings.blind_radius;
        let low = [low[0].min(center.x - margin), low[1].min(center.y - margin)];
        let high = [high[0].max(center.x + margin), high[1].max(center.y + margin)];
        Bins::distribute(GridFrame::around(settings.cell, low, high), &placed)
    }

    fn distribute(frame: GridFrame, placed: &[(f32, f32, Sample)]) -> Bins {
        let off_grid = frame.len();
        let scale = 1.0 / frame.cell;
        let cell_of = |x: f32, y: f32| {
            let column = ((f64::from(x) - frame.origin_x) * scale + 0.5).max(0.0) as usize;
            let row = ((f64::from(y) - frame.origin_y) * scale + 0.5).max(0.0) as usize;
            if column < frame.columns && row < frame.rows { row * frame.columns + column } else { off_grid }
        };
        let mut starts = vec![0_u32; frame.len() + 2];
        let cells: Vec<u32> = placed.iter().map(|&(x, y, _)| cell_of(x, y) as u32).collect();
        cells.iter().for_each(|&cell| starts[cell as usize + 1] += 1);
        for cell in 1..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        let mut next = starts.clone();
        let mut points = vec![Sample::default(); placed.len()];
        for (&cell, &(_, _, sample)) in cells.iter().zip(placed) {
            let place = &mut next[cell as usize];
            points[*place as usize] = sample;
            *place += 1;
        }
        Bins { frame, starts, points }
    }

    /// The points of a cell, newest view first.
    pub fn cell(&self, index: usize) -> &[Sample] {
        &self.points[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}
