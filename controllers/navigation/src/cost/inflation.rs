//! Inflation in two stages (Momaro, section 6.2.1).

use crate::height::GridFrame;

/// The cost of what is forbidden.
pub const FORBIDDEN: f32 = 1.0;

/// D_D of equations 3 and 4: cells nearer to an obstacle than `robot_radius` [m] are forbidden, all others get the mean cost
/// over a disc of `radius` [m].
///
/// Printed, the sum over (u, v) adds up D̄(x, y), which would leave the costs as they are; meant is D̄(u, v).
pub(super) fn inflate(frame: &GridFrame, cost: &[f32], clearance: &[f32], robot_radius: f64, radius: f64) -> Vec<f32> {
    let forbidden = |cell: usize| f64::from(clearance[cell]) <= robot_radius;
    let grown: Vec<f64> =
        (0..frame.len()).map(|cell| if forbidden(cell) { 1.0 } else { f64::from(cost[cell]) }).collect();
    let sums = disc_means(frame, &grown, radius / frame.cell);
    let inflated = sums.into_iter().enumerate();
    inflated.map(|(cell, mean)| if forbidden(cell) { FORBIDDEN } else { (mean as f32).min(0.999) }).collect()
}

/// Mean over the cells nearer than `radius` [cells] that are on the grid.
fn disc_means(frame: &GridFrame, values: &[f64], radius: f64) -> Vec<f64> {
    let (columns, rows) = (frame.columns as i64, frame.rows as i64);
    let reach = libm::floor(radius) as i64;
    // half the width of the disc's rows: sqrt(r² − dy²), the edge itself left out
    let half_of = |along: i64| libm::ceil((radius * radius - (along * along) as f64).max(0.0).sqrt()) as i64 - 1;
    let halves: Vec<(i64, i64)> =
        (-reach..=reach).map(|along| (along, half_of(along))).filter(|(_, half)| *half >= 0).collect();
    let mut before = vec![0.0; (columns + 1) as usize * rows as usize];
    for row in 0..rows as usize {
        for column in 0..columns as usize {
            let place = row * (columns as usize + 1) + column;
            before[place + 1] = before[place] + values[row * columns as usize + column];
        }
    }
    let mut means = Vec::with_capacity(values.len());
    for row in 0..rows {
        for column in 0..columns {
            let (mut sum, mut count) = (0.0, 0);
            for &(along, half) in &halves {
                let (other, first, end) = (row + along, (column - half).max(0), (column + half + 1).min(columns));
                if (0..rows).contains(&other) {
                    let start = other * (columns + 1);
                    sum += before[(start + end) as usize] - before[(start + first) as usize];
                    count += end - first;
                }
            }
            means.push(if count > 0 { sum / count as f64 } else { values[(row * columns + column) as usize] });
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_that_of_the_disc() {
        let frame = GridFrame { cell: 0.1, columns: 15, rows: 13, ..GridFrame::default() };
        let values: Vec<f64> = (0..frame.len()).map(|cell| ((cell * 7919) % 101) as f64).collect();
        let means = disc_means(&frame, &values, 3.5);
        for (cell, mean) in means.iter().enumerate() {
            let (x, y) = frame.center(cell);
            let near = |other: &usize| libm::hypot(frame.center(*other).0 - x, frame.center(*other).1 - y) < 0.35;
            let disc: Vec<f64> = (0..frame.len()).filter(near).map(|other| values[other]).collect();
            assert!((mean - disc.iter().sum::<f64>() / disc.len() as f64).abs() < 1e-9, "cell {cell}");
        }
    }

    #[test]
    fn costs_rise_towards_an_obstacle_and_are_forbidden_within_the_robots_radius() {
        let frame = GridFrame { cell: 0.1, columns: 30, rows: 1, ..GridFrame::default() };
        let mut cost = vec![0.0; 30];
        cost[0] = FORBIDDEN;
        let clearance: Vec<f32> = (0..30).map(|cell| 0.1 * cell as f32).collect();
        let inflated = inflate(&frame, &cost, &clearance, 0.35, 0.7);
        assert!(inflated[..4].iter().all(|cost| *cost == FORBIDDEN) && inflated[4] < FORBIDDEN);
        assert!(inflated[4..11].windows(2).all(|pair| pair[0] > pair[1]), "{inflated:?}");
        assert_eq!(inflated[12], 0.0);
    }
}
