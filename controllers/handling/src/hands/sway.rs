//! A base that gives way while a hand is on its way: the hand is led in the odometry frame all the same.
//!
//! A robot whose whole body balances moves its base with each arm that it stretches out: the humanoid's goes back by 2 cm and up by 3 while its hand comes to a
//! table. A way is planned for the base as it is then; what its joints have to be beside that way, so that the hand goes where it was to go, is found in each cycle.

use manipulation::{SerialChain, follow};
use nalgebra::Isometry3;
use robot_io::State;

/// Over this time it is averaged [s]: what is felt of the base is no smooth way.
const AVERAGED: f64 = 0.03;
/// Steps towards it in a cycle.
const STEPS: u32 = 2;
/// No joint is led farther beside its way [rad or m].
const MOST: f64 = 0.25;

/// Where a robot stood when a way was planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Stood {
    /// Its base, and what the arm hangs on, in the odometry frame.
    pub base_in_odom: Isometry3<f64>,
    pub root_in_odom: Isometry3<f64>,
}

/// Where the joints of an arm are led beside their way.
#[derive(Debug, State)]
pub(super) struct Sway {
    /// How the robot stood when a way was asked for, and when the present one was; none if that does not count.
    asked: Option<Stood>,
    stood: Option<Stood>,
    #[state(elements)]
    beside: Vec<f64>,
    #[state(scratch)]
    wanted: Vec<f64>,
}

impl Sway {
    pub fn new(dof: usize) -> Sway {
        Sway { asked: None, stood: None, beside: vec![0.0; dof], wanted: vec![0.0; dof] }
    }

    /// A way is asked for, of a robot that stands so.
    pub fn ask(&mut self, stood: Option<Stood>) {
        self.asked = stood;
    }

    /// The way begins that was asked for last.
    pub fn begin(&mut self) {
        self.stood = self.asked;
        self.beside.fill(0.0);
    }

    /// Where the base was when the way was planned along which the hand is led in the odometry frame; none if it goes with the base.
    pub fn base_in_odom(&self) -> Option<Isometry3<f64>> {
        self.stood.map(|stood| stood.base_in_odom)
    }

    /// A look ahead on the way: as if the base were where it was, with the joints as they would be then.
    pub fn take_back(&self, base_in_odom: &mut Isometry3<f64>, joints: &[usize], positions: &mut [f64]) {
        let Some(stood) = &self.stood else { return };
        *base_in_odom = stood.base_in_odom;
        joints.iter().zip(&self.beside).for_each(|(joint, beside)| positions[*joint] -= beside);
    }

    /// One cycle [s]: brings positions on the way to where the hand is then where it was to be, though the arm's root is here now.
    pub fn lead(&mut self, cycle: f64, chain: &SerialChain, root_in_odom: &Isometry3<f64>, positions: &mut [f64]) {
        let Some(Stood { root_in_odom: planned, .. }) = &self.stood else { return };
        let Ok(hand) = chain.forward(positions) else { return };
        for ((wanted, position), beside) in self.wanted.iter_mut().zip(positions.iter()).zip(&self.beside) {
            *wanted = position + beside;
        }
        follow(chain, &(root_in_odom.inv_mul(planned) * hand), &mut self.wanted, STEPS);
        let share = cycle / (AVERAGED + cycle);
        for ((position, wanted), beside) in positions.iter_mut().zip(&self.wanted).zip(&mut self.beside) {
            *beside = (*beside + share * (wanted - *position - *beside)).clamp(-MOST, MOST);
            *position += *beside;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use nalgebra::{Translation3, UnitQuaternion, Vector3};
    use robot_model::RobotModel;

    const CYCLE: f64 = 0.001;

    #[test]
    fn a_hand_goes_where_it_was_to_go_though_its_base_gives_way() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/humanoid/humanoid.toml");
        let robot = RobotModel::load(&file).unwrap();
        let link = |name: &str| robot.tree.links.iter().position(|link| link.name == name).unwrap();
        let chain = SerialChain::new(&robot.tree, link("torso_link"), link("right_hand_grasp_link")).unwrap();
        // over a table, pointing down
        let way = [0.354, -0.742, -0.084, -1.524, -0.79, 1.241, -0.853];
        let root_in_odom = Isometry3::translation(0.5, 0.0, 1.3);
        let mut sway = Sway::new(7);
        sway.ask(Some(Stood { base_in_odom: Isometry3::identity(), root_in_odom }));
        sway.begin();
        let gone = Isometry3::from_parts(
            Translation3::new(-0.02, -0.03, 0.03),
            UnitQuaternion::from_scaled_axis(Vector3::new(0.01, -0.01, 0.02)),
        );
        let (planned, now) = (root_in_odom * chain.forward(&way).unwrap(), gone * root_in_odom);
        let mut told = way;
        for cycle in 0..300 {
            let before = told;
            told = way;
            sway.lead(CYCLE, &chain, &now, &mut told);
            let fastest = told.iter().zip(before).map(|(now, before)| (now - before).abs()).fold(0.0, f64::max);
            assert!(fastest < 0.02, "{fastest} rad in cycle {cycle}");
        }
        let off = planned.inv_mul(&(now * chain.forward(&told).unwrap()));
        assert!(off.translation.vector.norm() < 1e-3 && off.rotation.angle() < 2e-3, "{off}");
        // a way that does not count goes with the base
        sway.ask(None);
        sway.begin();
        let mut told = way;
        sway.lead(CYCLE, &chain, &now, &mut told);
        assert_eq!(told, way);
    }
}
