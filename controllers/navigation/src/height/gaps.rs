//! Gaps between measured cells.

use super::{Ground, HeightSettings, Heights};

/// Cosine of the angle between two neighbours, seen from a gap, beyond which the gap lies between them: 120°.
const BETWEEN: f64 = -0.5;

/// Fills each unknown cell with enough measured neighbours by their mean, weighted by the inverse square of the distance. Only
/// what lies between neighbours is a gap: beyond the last one the ground may end.
///
/// Where the neighbours lie on both sides of an edge, only the lower ones count: what one cannot see lies behind the edge and
/// belongs to the lower ground. A mean of both would make a ramp of it.
pub(super) fn fill(heights: &mut Heights, settings: &HeightSettings) {
    let frame = heights.frame;
    let disc = disc(settings.gap_radius / frame.cell);
    let mut filled = Vec::new();
    let mut near = Vec::with_capacity(disc.len());
    let mut directions = Vec::with_capacity(disc.len());
    for cell in (0..frame.len()).filter(|cell| heights.ground[*cell] == Ground::Unknown) {
        near.clear();
        directions.clear();
        for &(across, along, weight) in &disc {
            let other = frame.neighbour(cell, across, along).filter(|other| heights.ground[*other] >= Ground::Weak);
            if let Some(other) = other {
                near.push((heights.height[other], weight));
                directions.push((f64::from(across) * weight.sqrt(), f64::from(along) * weight.sqrt()));
            }
        }
        if near.len() >= settings.gap_neighbours && is_between(&directions) {
            let lowest = near.iter().map(|(height, _)| *height).fold(f64::INFINITY, f64::min);
            let ceiling = lowest + settings.gap_step;
            let level = near.iter().filter(|(height, _)| *height <= ceiling);
            let (sum, weights) = level.fold((0.0, 0.0), |(sum, weights), (h, w)| (sum + w * h, weights + w));
            filled.push((cell, sum / weights));
        }
    }
    for (cell, height) in filled {
        heights.height[cell] = height;
        heights.ground[cell] = Ground::Filled;
    }
}

/// True if two of these unit vectors point to opposite sides.
fn is_between(directions: &[(f64, f64)]) -> bool {
    let opposite = |(x, y): &(f64, f64)| directions.iter().any(|(u, v)| x * u + y * v <= BETWEEN);
    directions.iter().any(opposite)
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
            thin: Vec::new(),
        }
    }

    #[test]
    fn a_gap_between_two_neighbours_is_filled_by_distance_and_one_neighbour_is_not_enough() {
        let mut heights = row(&[0.0, f64::NAN, f64::NAN, 0.05, f64::NAN, f64::NAN, f64::NAN]);
        fill(&mut heights, &HeightSettings::default());
        assert!((heights.height[1] - 0.01).abs() < 1e-12 && (heights.height[2] - 0.04).abs() < 1e-12, "{heights:?}");
        assert_eq!(heights.ground[4], Ground::Unknown, "0.05 alone lies within 0.2 m");
    }

    #[test]
    fn the_ground_is_not_drawn_out_beyond_its_end() {
        let mut heights = row(&[0.0, 0.0, 0.0, f64::NAN, f64::NAN]);
        fill(&mut heights, &HeightSettings::default());
        assert_eq!(heights.ground[3..], [Ground::Unknown; 2], "three neighbours, all on one side");
    }

    #[test]
    fn a_gap_at_an_edge_is_low() {
        let mut heights = row(&[0.0, f64::NAN, f64::NAN, 0.5]);
        fill(&mut heights, &HeightSettings::default());
        assert_eq!(heights.height, [0.0, 0.0, 0.0, 0.5]);
    }
}
