//! Heights without the noise of whoever measured them.
//!
//! The sigma filter: a height is the mean of those around it that differ from it by no more than noise can make them differ; so edges
//! stay where they are. J.-S. Lee, *Digital image smoothing and the sigma filter*, 1983.

use navigation::GridFrame;

/// Heights farther apart than so many standard deviations are not the same ground: one in two hundred noisy ones is left out.
const SAME: f64 = 4.0;
/// So many times in turn, as a height that is far off itself finds few that agree with it the first time.
const PASSES: usize = 2;
/// Means are taken over so far to each side [m]: a quarter of a sole.
const REACH: f64 = 0.06;

/// Takes white noise of the deviation `noise` [m] out of heights. What nobody knows stays unknown.
pub(super) fn smooth(frame: &GridFrame, heights: &mut Vec<f64>, noise: f64) {
    let cells = libm::round(REACH / frame.cell) as i32;
    if noise <= 0.0 || cells == 0 {
        return;
    }
    for _ in 0..PASSES {
        *heights = (0..frame.len()).map(|cell| mean_of_same(frame, heights, cell, SAME * noise, cells)).collect();
    }
}

fn mean_of_same(frame: &GridFrame, heights: &[f64], cell: usize, same: f64, reach: i32) -> f64 {
    let here = heights[cell];
    let (mut sum, mut count) = (0.0, 0.0);
    for along in -reach..=reach {
        for across in -reach..=reach {
            let Some(other) = frame.neighbour(cell, across, along) else { continue };
            // as much on the one side as on the other: a slope stays a slope
            let Some(opposite) = frame.neighbour(cell, -across, -along) else { continue };
            let off = [heights[other] - here, heights[opposite] - here];
            if off.iter().all(|off| off.abs() <= same) {
                sum += off[0];
                count += 1.0;
            }
        }
    }
    if count > 0.0 { here + sum / count } else { here }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: GridFrame = GridFrame { cell: 0.025, origin_x: 0.0, origin_y: 0.0, columns: 60, rows: 40 };

    /// Standard deviation of what is left of a noise of 1 cm on `ground`.
    fn left(ground: impl Fn(usize) -> f64) -> f64 {
        let random = robot_io::RandomStream::new(3, "survey");
        let truth: Vec<f64> = (0..FRAME.len()).map(|cell| ground(cell % FRAME.columns)).collect();
        let mut heights: Vec<f64> =
            truth.iter().zip(0..).map(|(height, k)| height + 0.01 * random.normal(k, 0)).collect();
        smooth(&FRAME, &mut heights, 0.01);
        let squares: f64 = heights.iter().zip(&truth).map(|(found, height)| (found - height).powi(2)).sum();
        (squares / FRAME.len() as f64).sqrt()
    }

    #[test]
    fn a_noise_of_a_centimetre_becomes_one_of_millimetres_and_stairs_and_slopes_stay() {
        for (ground, name) in [
            (Box::new(|_| 0.3) as Box<dyn Fn(usize) -> f64>, "level"),
            (Box::new(|column| 0.17 * 0.025 * column as f64), "a slope of 10 degrees"),
            (Box::new(|column| 0.185 * (column / 12) as f64), "stairs"),
            (Box::new(|column| if column % 20 < 2 { 0.08 } else { 0.0 }), "hurdles"),
        ] {
            assert!(left(&ground) < 0.004, "{name}: {:.4} m", left(&ground));
        }
    }

    #[test]
    fn what_nobody_knows_stays_unknown_and_does_not_spread() {
        let mut heights = vec![0.2; FRAME.len()];
        heights[500] = f64::NAN;
        smooth(&FRAME, &mut heights, 0.01);
        assert!(heights.iter().enumerate().all(|(cell, height)| height.is_nan() == (cell == 500)));
        assert!(heights.iter().all(|height| height.is_nan() || (height - 0.2).abs() < 1e-12));
    }
}
