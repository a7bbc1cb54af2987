//! A hinge that is not quite where it is believed: what turns on it leads the hand, and the hand's arc goes there.
//!
//! Where an axis is, is seen to a centimetre. A hand that keeps to its own arc pulls what it holds away from the hinge, with its arm's stiffness, until that slips
//! out of its fingers. Along the radius the hand is where its grip has it, not where it is told to be: the arc is shifted there.

use manipulation::{SerialChain, follow};
use nalgebra::{Isometry3, Translation3, Vector3};
use robot_io::State;

use super::course::Course;

/// How fast the arc goes to where the hand is [1/s].
const RATE: f64 = 6.0;
/// No arc is shifted farther [m].
const MOST: f64 = 0.03;
/// Nearer to its axis than this a hand has no radius to speak of [m].
const LEAST_RADIUS: f64 = 0.03;
/// No joint goes aside faster than this [rad/s or m/s]: near the end of its reach an arm would be thrown about.
const FASTEST: f64 = 0.5;
/// Steps towards it in a cycle.
const STEPS: u32 = 2;

/// How far beside its arc a hand is led.
#[derive(Debug, State)]
pub(super) struct Hinge {
    /// In the odometry frame [m].
    pub shift: Vector3<f64>,
    #[state(elements)]
    beside: Vec<f64>,
    #[state(scratch)]
    wanted: Vec<f64>,
}

impl Hinge {
    pub fn new(dof: usize) -> Hinge {
        Hinge { shift: Vector3::zeros(), beside: vec![0.0; dof], wanted: vec![0.0; dof] }
    }

    /// Another way begins.
    pub fn begin(&mut self) {
        self.shift = Vector3::zeros();
        self.beside.fill(0.0);
    }

    /// One cycle [s] on an arc: the hand is here in the odometry frame, its arm's root there; brings the arm's joints from the arc to beside it.
    pub fn lead(
        &mut self,
        cycle: f64,
        course: &Course,
        (chain, root): (&SerialChain, &Isometry3<f64>),
        hand: &Isometry3<f64>,
        positions: &mut [f64],
    ) {
        let Ok(told) = chain.forward(positions) else { return };
        let told = Translation3::from(self.shift) * root * told;
        if let Some(out) = course.outwards(&told.translation.vector, LEAST_RADIUS) {
            let off = out.dot(&(hand.translation.vector - told.translation.vector));
            self.shift += out * (RATE * cycle * off);
            self.shift *= (MOST / self.shift.norm().max(1e-9)).min(1.0);
        }
        for ((wanted, position), beside) in self.wanted.iter_mut().zip(positions.iter()).zip(&self.beside) {
            *wanted = position + beside;
        }
        follow(chain, &root.inv_mul(&told), &mut self.wanted, STEPS);
        for ((position, wanted), beside) in positions.iter_mut().zip(&self.wanted).zip(&mut self.beside) {
            *beside += (wanted - *position - *beside).clamp(-FASTEST * cycle, FASTEST * cycle);
            *position += *beside;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use manipulation::Arc;
    use nalgebra::Unit;
    use robot_model::RobotModel;

    const CYCLE: f64 = 0.004;

    #[test]
    fn an_arc_goes_to_where_the_hinge_is() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/humanoid/humanoid.toml");
        let robot = RobotModel::load(&file).unwrap();
        let link = |name: &str| robot.tree.links.iter().position(|link| link.name == name).unwrap();
        let chain = SerialChain::new(&robot.tree, link("torso_link"), link("right_hand_grasp_link")).unwrap();
        let root = Isometry3::translation(0.5, 0.0, 1.3);
        let mut arm = vec![0.354, -0.742, -0.084, -1.524, -0.79, 1.241, -0.853];
        let from = root * chain.forward(&arm).unwrap();
        // the hinge is believed a centimetre beside where it is
        let (wrong, axis) = (Vector3::y() * 0.01, Vector3::x_axis());
        let about = from.translation.vector - Vector3::z() * 0.1;
        let believed = Arc { about: about + wrong, axis, by: 1.2, keep: true };
        let truth = Arc { about, axis: Unit::new_unchecked(axis.into_inner()), by: 1.2, keep: true };
        let (course, mut hinge, mut hand) = (Course::arc(from, &believed), Hinge::new(7), from);
        let mut told = arm.clone();
        for cycle in 0..1500 {
            let share = f64::from(cycle) / 1500.0;
            follow(&chain, &root.inv_mul(&believed.pose(&from, share)), &mut arm, 3);
            hand = truth.pose(&from, share);
            told.copy_from_slice(&arm);
            hinge.lead(CYCLE, &course, (&chain, &root), &hand, &mut told);
        }
        let out = (hand.translation.vector - about).normalize();
        let off = |joints: &[f64]| {
            out.dot(&((root * chain.forward(joints).unwrap()).translation.vector - hand.translation.vector)).abs()
        };
        assert!(
            off(&arm) > 5e-3 && off(&told) < 1.5e-3,
            "{} m and {} m from the hinge's circle",
            off(&arm),
            off(&told)
        );
        // another way is led as it was planned, until it is seen to be elsewhere
        hinge.begin();
        assert_eq!(hinge.shift, Vector3::zeros());
    }
}
