//! Gaps between measured cells.

use super::{Ground, HeightSettings, Heights};

/// Fills each unknown cell with enough measured neighbours by their mean, weighted by the inverse square of the distance.
pub(super) fn fill(heights: &mut Heights, settings: &HeightSettings) {
    let frame = heights.frame;
    let disc = disc(settings.gap_radius / frame.cell);
    let mut filled = Vec::new();
    for cell in (0..frame.len()).filter(|cell| heights.ground[*cell] == Ground::Unknown) {
        let (mut weights, mut sum, mut count) = (0.0, 0.0, 0);
        for &(across, along, weight) in &disc {
            let Some(other) = frame.neighbour(cell, across, along) else { continue };
            if heights.ground[other] >= Ground::Weak {
                weights += weight;
                sum += weight * heights.height[other];
                count += 1;
            }
        }
        if count >= settings.gap_neighbours {
            filled.push((cell, sum / weights));
        }
    }
    for (cell, height) in filled {
        heights.height[cell] = height;
        heights.ground[cell] = Ground::Filled;
    }
}

/// Steps to the cells within a radius [cells], and their weights.
fn disc(radius: f64) -> Vec<(i32, i32, f64)> {
    let reach = libm::floor(radius + 1e-9) as i32;
    let square = (-reach..=reach).flat_map(|along| (-reach..=reach).map(move |across| (across, along)));
    let weighted = square.map(|(across, along)| (across, along, f64::from(across * across + along * along)));
    let near = weighted.filter(|&(_, _, squared)| squared > 0.0 && squared <= radius * radius + 1e-9);
    near.map(|(across, along, squared)| (across, along, 1.0 / squared)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::GridFrame;
    use super::*;

    fn row(heights: &[f64]) -> Heights {
        let known = |height: &f64| if height.is_nan() { Ground::Unknown } else { Ground::Measured };
        Heights {
            frame: GridFrame { cell: 0.1, columns: heights.len(), rows: 1, ..GridFrame::default() },
            height: heights.to_vec(),
            ground: heights.iter().map(known).collect(),
            spread: vec![0.0; heights.len()],
        }
    }

    #[test]
    fn a_gap_between_two_neighbours_is_filled_by_distance_and_one_neighbour_is_not_enough() {
        let mut heights = row(&[0.0, f64::NAN, f64::NAN, 0.5, f64::NAN, f64::NAN, f64::NAN]);
        fill(&mut heights, &HeightSettings::default());
        assert!((heights.height[1] - 0.1).abs() < 1e-12 && (heights.height[2] - 0.4).abs() < 1e-12, "{heights:?}");
        assert_eq!(heights.ground[4], Ground::Unknown, "0.5 alone lies within 0.2 m");
    }
}
