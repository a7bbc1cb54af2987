//! The ground that feet stand on, as what the odometry frame is fixed to.
//!
//! Heading and place in the world are seen by nothing, but they are tied to what is: once the gyroscope's bias is learnt, the filter also knows where it
//! must have walked to. It would carry robot and feet there within a second, and a controller would run after them. Odometry does not jump, so what
//! is learnt of the world as a whole is left to those who see landmarks; only what is learnt of the robot on its feet counts.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Two feet and a heading are enough to tell a frame by.
const FEET: usize = 2;

/// Where feet stand, in the odometry frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    /// The first feet that stand: which, and where [m].
    feet: [Option<(usize, Vector3<f64>)>; FEET],
    heading: f64,
}

impl Ground {
    /// The ground under these feet, on which a body turned by `rotation` stands.
    pub fn new(feet: &[Option<Vector3<f64>>], rotation: &UnitQuaternion<f64>) -> Ground {
        let mut standing = feet.iter().enumerate().filter_map(|(foot, place)| Some((foot, (*place)?)));
        Ground { feet: core::array::from_fn(|_| standing.next()), heading: rotation.euler_angles().2 }
    }

    /// What brings this ground back to where it was: a turn about the vertical and a shift. None if no foot stood then that stands now, or
    /// if it is not the same feet that stand.
    pub fn back_to(&self, before: &Ground) -> Option<Isometry3<f64>> {
        let [(foot, here), (_, there)] = [self.feet[0]?, before.feet[0]?];
        let others = [self.feet[1], before.feet[1]];
        let same =
            |[one, other]: [Option<(usize, Vector3<f64>)>; 2]| one.map(|foot| foot.0) == other.map(|foot| foot.0);
        if foot != before.feet[0]?.0 || !same(others) {
            return None;
        }
        let (turn, middles) = match others {
            [Some((_, other_here)), Some((_, other_there))] => {
                let angle = |from: &Vector3<f64>, to: &Vector3<f64>| libm::atan2(to.y - from.y, to.x - from.x);
                let turn = angle(&there, &other_there) - angle(&here, &other_here);
                (turn, [(here + other_here) * 0.5, (there + other_there) * 0.5])
            }
            _ => (before.heading - self.heading, [here, there]),
        };
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
        Some(Isometry3::from_parts((middles[1] - rotation * middles[0]).into(), rotation))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use nalgebra::Point3;

    use super::*;

    fn turned(heading: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), heading)
    }

    /// What is learnt moves and turns all; back it goes.
    fn moved(feet: &[Option<Vector3<f64>>], heading: f64) -> (Ground, Ground, Isometry3<f64>) {
        let learnt = Isometry3::from_parts(Vector3::new(0.3, -0.2, 0.1).into(), turned(0.4));
        let after: Vec<_> = feet.iter().map(|foot| foot.map(|place| (learnt * Point3::from(place)).coords)).collect();
        let before = Ground::new(feet, &turned(heading));
        (before, Ground::new(&after, &(learnt.rotation * turned(heading))), learnt)
    }

    #[test]
    fn feet_that_stand_stay_where_they_stood() {
        let both = [Some(Vector3::new(1.0, 2.0, 0.0)), Some(Vector3::new(1.1, 1.7, 0.05))];
        for feet in [both, [both[0], None], [None, both[1]]] {
            let (before, after, learnt) = moved(&feet, 3.0);
            let back = after.back_to(&before).unwrap();
            let off = back * learnt;
            assert!(off.translation.vector.norm() < 1e-12 && off.rotation.angle() < 1e-12, "{off}");
        }
    }

    #[test]
    fn what_is_learnt_of_the_feet_to_each_other_is_kept() {
        let before = Ground::new(&[Some(Vector3::zeros()), Some(Vector3::new(0.0, 0.3, 0.0))], &turned(0.0));
        let after = Ground::new(&[Some(Vector3::zeros()), Some(Vector3::new(0.0, 0.32, 0.0))], &turned(0.0));
        let back = after.back_to(&before).unwrap();
        assert!((back.translation.vector - Vector3::new(0.0, -0.01, 0.0)).norm() < 1e-12);
    }

    #[test]
    fn other_feet_tell_nothing() {
        let [one, other] = [Some(Vector3::zeros()), Some(Vector3::new(0.0, 0.3, 0.0))];
        let ground = |feet: [Option<Vector3<f64>>; 2]| Ground::new(&feet, &turned(0.0));
        assert!(ground([one, other]).back_to(&ground([one, None])).is_none());
        assert!(ground([None, other]).back_to(&ground([one, None])).is_none());
        assert!(ground([None, None]).back_to(&ground([one, other])).is_none());
    }
}
