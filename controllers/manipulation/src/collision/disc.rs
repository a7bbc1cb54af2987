//! Circles that cover a disc.

/// Circles of one radius that together cover a disc about the origin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Disc {
    /// Their centres [m].
    pub centers: Vec<[f64; 2]>,
    /// Their radius [m].
    pub waist: f64,
    /// How far from the origin the farthest centre is [m].
    pub farthest: f64,
}

/// Covers a disc with rings of circles, from the rim inwards; `None` if more than `most` are needed.
///
/// Where the circles of a ring meet the rim, their chords are as long as can be; what is nearer to the middle than where
/// neighbours cross is the disc that the next ring has to cover.
pub(super) fn cover_disc(radius: f64, waist: f64, most: usize) -> Option<Disc> {
    let mut disc = Disc { centers: Vec::new(), waist, farthest: 0.0 };
    let mut rim = radius;
    while rim > waist {
        let number = (core::f64::consts::PI / libm::asin(waist / rim) - 1e-9).ceil().max(3.0);
        let half = core::f64::consts::PI / number;
        let far = (rim * rim - waist * waist).sqrt();
        let (sin, cos) = libm::sincos(half);
        if disc.centers.len() + number as usize >= most {
            return None;
        }
        disc.farthest = disc.farthest.max(far);
        disc.centers.extend((0..number as usize).map(|index| {
            let (sin, cos) = libm::sincos(2.0 * half * index as f64);
            [far * cos, far * sin]
        }));
        let chord = waist * waist - far * far * sin * sin;
        let inner = far * cos - chord.max(0.0).sqrt();
        if inner <= 0.0 {
            return Some(disc);
        }
        rim = inner.min(rim * (1.0 - 1e-6));
    }
    disc.centers.push([0.0; 2]);
    Some(disc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_disc_is_in_a_circle() {
        for waist in [1.0, 0.95, 0.8, 0.6, 0.5, 0.3, 0.11] {
            let Some(disc) = cover_disc(1.0, waist, 400) else { continue };
            for ring in 0..=50 {
                for turn in 0..180 {
                    let (sin, cos) = libm::sincos(f64::from(turn) * core::f64::consts::TAU / 180.0);
                    let place = [f64::from(ring) / 50.0 * cos, f64::from(ring) / 50.0 * sin];
                    let away = |center: &[f64; 2]| libm::hypot(center[0] - place[0], center[1] - place[1]);
                    let nearest = disc.centers.iter().map(away).fold(f64::INFINITY, f64::min);
                    assert!(nearest <= waist + 1e-9, "{place:?} is {nearest} from {waist}");
                }
            }
        }
        let circles = |waist: f64| cover_disc(1.0, waist, 400).map_or(0, |disc| disc.centers.len());
        assert_eq!((circles(1.0), circles(0.11) > 100), (1, true));
        assert!(cover_disc(1.0, 0.001, 400).is_none());
    }
}
