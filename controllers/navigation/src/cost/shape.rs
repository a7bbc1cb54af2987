//! The shape of the ground: slope, steps, roughness.

use crate::height::{GridFrame, box_sum};

/// Slopes are medians over this many differences, this many cells apart: over 1 m, about the robot's own size. A median does
/// not see a stone or a step that lies within it.
const SAMPLES: i32 = 5;
const SAMPLE_STEP: i32 = 2;
/// Fewer differences than this tell no slope.
const FEWEST_SAMPLES: usize = 2;
/// The edge of a step may lie within a cell; so much of it must lie before that cell's middle to be seen from the cell before.
const BEGINNING: f64 = 0.25;
/// Roughness is the mean of the steps within so many cells.
const ROUGHNESS_WINDOW: usize = 2;

/// Slope, steps and roughness of each cell; zero where the ground is unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    /// Rise along x.
    pub slope_x: Vec<f64>,
    /// Rise along y.
    pub slope_y: Vec<f64>,
    /// How much the ground falls off beside the cell, slope taken out [m].
    pub step: Vec<f64>,
    /// Mean of the steps around [m].
    pub roughness: Vec<f64>,
}

impl Shape {
    /// The shape of the ground.
    pub fn of(frame: &GridFrame, heights: &[f64]) -> Shape {
        let slope_x = slope(frame, heights, (1, 0));
        let slope_y = slope(frame, heights, (0, 1));
        let step = steps(frame, heights, &slope_x, &slope_y);
        let area = box_sum(frame, &vec![1.0; heights.len()], ROUGHNESS_WINDOW);
        let sums = box_sum(frame, &step, ROUGHNESS_WINDOW);
        let roughness = sums.iter().zip(&area).map(|(sum, count)| sum / count).collect();
        Shape { slope_x, slope_y, step, roughness }
    }

    /// Slope of a cell in its steepest direction [rad].
    pub fn slope(&self, cell: usize) -> f64 {
        libm::atan(libm::hypot(self.slope_x[cell], self.slope_y[cell]))
    }
}

/// Rise of the ground along an axis: the median along it of differences over two cells, then the median across it.
fn slope(frame: &GridFrame, heights: &[f64], (across, along): (i32, i32)) -> Vec<f64> {
    let at = |cell: usize, steps: i32| {
        let other = frame.neighbour(cell, steps * across, steps * along);
        other.map(|other| heights[other]).filter(|height| !height.is_nan())
    };
    // at the edge of what is known, one side has to do
    let rise = |cell: usize| match (at(cell, 1), at(cell, -1)) {
        (Some(ahead), Some(behind)) => ahead - behind,
        (Some(ahead), None) => 2.0 * (ahead - heights[cell]),
        (None, Some(behind)) => 2.0 * (heights[cell] - behind),
        (None, None) => f64::NAN,
    };
    let rises: Vec<f64> = (0..frame.len()).map(rise).collect();
    let along_axis = medians(frame, &rises, (across, along));
    let across_axis = medians(frame, &along_axis, (along, across));
    let scale = 1.0 / (2.0 * frame.cell);
    across_axis.into_iter().map(|rise| if rise.is_nan() { 0.0 } else { rise * scale }).collect()
}

fn medians(frame: &GridFrame, values: &[f64], (across, along): (i32, i32)) -> Vec<f64> {
    let half = SAMPLES / 2 * SAMPLE_STEP;
    let stride = i64::from(along) * frame.columns as i64 + i64::from(across);
    let median = |cell: usize| {
        let (column, row) = frame.column_row(cell);
        let (place, count) = if across == 1 { (column, frame.columns) } else { (row, frame.rows) };
        let mut near = [0.0; SAMPLES as usize];
        let mut found = 0;
        for step in (-half..=half).step_by(SAMPLE_STEP as usize) {
            let there = place as i64 + i64::from(step);
            if there < 0 || there >= count as i64 {
                continue;
            }
            let value = values[(cell as i64 + i64::from(step) * stride) as usize];
            if !value.is_nan() {
                near[found] = value;
                found += 1;
            }
        }
        middle(&mut near[..found])
    };
    (0..frame.len()).map(median).collect()
}

/// The median of a few values; not-a-number of too few.
fn middle(values: &mut [f64]) -> f64 {
    if values.len() < FEWEST_SAMPLES {
        return f64::NAN;
    }
    // insertion sort: there are five
    for end in 1..values.len() {
        let mut place = end;
        while place > 0 && values[place - 1] > values[place] {
            values.swap(place - 1, place);
            place -= 1;
        }
    }
    let last = values.len() - 1;
    0.5 * (values[last / 2] + values[values.len() / 2])
}

/// How much each cell stands above the cells around it, slope taken out [m]. Only the higher cell counts: at the foot of a wall
/// one can stand.
fn steps(frame: &GridFrame, heights: &[f64], slope_x: &[f64], slope_y: &[f64]) -> Vec<f64> {
    let directions = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
    let mut result = vec![0.0_f64; heights.len()];
    for (cell, step) in result.iter_mut().enumerate().filter(|(cell, _)| !heights[*cell].is_nan()) {
        for (across, along) in directions {
            let rise = frame.cell * (f64::from(across) * slope_x[cell] + f64::from(along) * slope_y[cell]);
            let fall = |distance: i32| {
                let other = frame.neighbour(cell, across * distance, along * distance);
                other.map_or(f64::NAN, |other| heights[cell] - heights[other] + f64::from(distance) * rise)
            };
            let (near, far) = (fall(1), fall(2));
            // a step that begins only behind the next cell is that cell's
            let spread_out = if near > BEGINNING * far { far } else { f64::NAN };
            *step = step.max(near).max(spread_out);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: usize = 31;

    fn shape(height: impl Fn(f64, f64) -> f64) -> Shape {
        let frame = GridFrame { cell: 0.1, columns: SIDE, rows: SIDE, ..GridFrame::default() };
        let at = |cell: usize| frame.center(cell);
        let heights: Vec<f64> = (0..frame.len()).map(|cell| height(at(cell).0, at(cell).1)).collect();
        Shape::of(&frame, &heights)
    }

    fn at(column: usize, row: usize) -> usize {
        row * SIDE + column
    }

    #[test]
    fn a_plane_has_its_slope_and_no_steps() {
        let shape = shape(|x, y| 0.3 * x - 0.2 * y);
        let middle = at(15, 15);
        assert!((shape.slope_x[middle] - 0.3).abs() < 1e-9 && (shape.slope_y[middle] + 0.2).abs() < 1e-9);
        assert!(shape.step[middle].abs() < 1e-9 && shape.roughness[middle].abs() < 1e-9);
    }

    #[test]
    fn a_step_counts_where_the_ground_is_high_and_is_no_slope() {
        let shape = shape(|x, _| if x > 1.55 { 0.15 } else { 0.0 });
        assert!((shape.step[at(16, 15)] - 0.15).abs() < 1e-9, "{}", shape.step[at(16, 15)]);
        assert_eq!(shape.step[at(15, 15)], 0.0, "the foot of the step");
        assert!(shape.slope(at(15, 15)) < 1e-9 && shape.slope(at(20, 15)) < 1e-9);
    }

    #[test]
    fn a_step_that_is_spread_over_two_cells_is_seen_whole() {
        let shape = shape(|x, _| ((x - 1.5) / 0.2).clamp(0.0, 1.0) * 0.15);
        let largest = shape.step.iter().copied().fold(0.0, f64::max);
        assert!((largest - 0.15).abs() < 1e-9, "{largest}");
    }

    #[test]
    fn the_foot_and_the_top_of_a_ramp_are_no_steps() {
        let shape = shape(|x, _| (x - 1.0).clamp(0.0, 1.0) * 0.36);
        let largest = shape.step.iter().copied().fold(0.0, f64::max);
        assert!(largest < 0.045, "{largest}");
        assert!((shape.slope_x[at(15, 15)] - 0.36).abs() < 1e-9);
    }
}
