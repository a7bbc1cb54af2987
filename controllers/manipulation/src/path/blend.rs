//! A corner between two straight ways, rounded.

use robot_io::State;

/// A curve of degree five that leaves one straight way `reach` before the corner and is on the other `reach` behind it. Its
/// first and second derivatives are those of the straight ways at both ends, so that speed and acceleration are continuous.
///
/// Its control points are at −1, −0.6 and −0.2 of `reach` on the first way and at 0.2, 0.6 and 1 on the second: on a straight
/// way it is that way, at constant speed, and its second derivative is the difference of the directions times 3 t (1 − t) /
/// `reach`, with t from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(super) struct Blend {
    pub corner: Vec<f64>,
    /// The directions of both ways; their lengths are 1.
    pub from: Vec<f64>,
    pub to: Vec<f64>,
    pub reach: f64,
}

impl Blend {
    /// Its length as the ways are measured.
    pub fn length(&self) -> f64 {
        2.0 * self.reach
    }

    /// One joint's position and its first and second derivatives, a share of the length from 0 to 1 along.
    pub fn at(&self, share: f64, joint: usize) -> [f64; 3] {
        let (t, r) = (share, 1.0 - share);
        let (u, v) = (self.from[joint], self.to[joint]);
        let bernstein = [r * r * r * r * r, 5.0 * t * r * r * r * r, 10.0 * t * t * r * r * r];
        let mirrored = [t * t * t * t * t, 5.0 * r * t * t * t * t, 10.0 * r * r * t * t * t];
        let before = bernstein[0] + 0.6 * bernstein[1] + 0.2 * bernstein[2];
        let behind = mirrored[0] + 0.6 * mirrored[1] + 0.2 * mirrored[2];
        let position = self.corner[joint] + self.reach * (v * behind - u * before);
        // the first derivative's control points are u, u, (u + v) / 2, v, v
        let first = r * r * r * r + 4.0 * t * r * r * r + 3.0 * t * t * r * r;
        let speed = u * first + v * (1.0 - first);
        [position, speed, (v - u) * 3.0 * t * r / self.reach]
    }

    /// The greatest first, second and third derivative of one joint.
    pub fn bounds(&self, joint: usize) -> [f64; 3] {
        let (u, v) = (self.from[joint], self.to[joint]);
        let turn = (v - u).abs();
        [u.abs().max(v.abs()), 0.75 * turn / self.reach, 1.5 * turn / (self.reach * self.reach)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_leaves_one_way_and_joins_the_other_smoothly_and_its_bounds_hold() {
        let (from, to) = (vec![1.0, 0.0, 0.0], vec![0.6, 0.8, 0.0]);
        let blend = Blend { corner: vec![0.5, -0.2, 1.0], from, to, reach: 0.3 };
        for joint in 0..3 {
            let [begin, end] = [0.0, 1.0].map(|share| blend.at(share, joint));
            assert!((begin[0] - (blend.corner[joint] - 0.3 * blend.from[joint])).abs() < 1e-12);
            assert!((end[0] - (blend.corner[joint] + 0.3 * blend.to[joint])).abs() < 1e-12);
            assert!((begin[1] - blend.from[joint]).abs() + (end[1] - blend.to[joint]).abs() < 1e-12);
            assert_eq!((begin[2], end[2]), (0.0, 0.0));
            let bounds = blend.bounds(joint);
            let small = 1e-4;
            for step in 1..1000 {
                let share = f64::from(step) / 1000.0;
                let [before, at, behind] = [-small, 0.0, small].map(|way| blend.at(share + way / 0.6, joint));
                assert!(at[1].abs() <= bounds[0] + 1e-12 && at[2].abs() <= bounds[1] + 1e-12);
                assert!(((behind[0] - before[0]) / (2.0 * small) - at[1]).abs() < 1e-6, "first derivative at {share}");
                assert!(((behind[1] - before[1]) / (2.0 * small) - at[2]).abs() < 1e-6, "second derivative at {share}");
                assert!(
                    (behind[2] - before[2]).abs() / (2.0 * small) <= bounds[2] + 1e-6,
                    "third derivative at {share}"
                );
            }
        }
    }
}
