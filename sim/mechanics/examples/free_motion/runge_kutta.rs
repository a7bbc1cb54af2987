//! A floating robot by Runge and Kutta's method of fourth order.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use robot_model::{BASE_DOF, Configuration, Data, ModelError, Tree, aba, forward_kinematics};

/// A robot on its way: 3 numbers for the base's place, 4 for its quaternion (i, j, k, w), the joints' positions, and the velocities, those of the
/// base in its own frame.
pub struct RungeKutta<'t> {
    tree: &'t Tree,
    data: Data,
    state: Vec<f64>,
}

impl<'t> RungeKutta<'t> {
    /// At the origin, all joints at zero.
    pub fn new(tree: &'t Tree, velocities: Vec<f64>) -> RungeKutta<'t> {
        let mut state = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        state.resize(7 + tree.dof(), 0.0);
        state.extend(velocities);
        RungeKutta { tree, data: Data::new(tree), state }
    }

    /// Goes on for `seconds` in steps of `step`, with an effort of each dof from its number, time, position and velocity.
    pub fn run(
        &mut self,
        seconds: f64,
        step: f64,
        effort: impl Fn(usize, f64, f64, f64) -> f64,
    ) -> Result<(), ModelError> {
        for count in 0..(seconds / step).round() as u64 {
            let (time, begin) = (count as f64 * step, self.state.clone());
            let one = self.rate(time, &begin, &effort)?;
            let two = self.rate(time + 0.5 * step, &along(&begin, &one, 0.5 * step), &effort)?;
            let three = self.rate(time + 0.5 * step, &along(&begin, &two, 0.5 * step), &effort)?;
            let four = self.rate(time + step, &along(&begin, &three, step), &effort)?;
            for (index, number) in self.state.iter_mut().enumerate() {
                *number += step / 6.0 * (one[index] + 2.0 * (two[index] + three[index]) + four[index]);
            }
        }
        Ok(())
    }

    /// Where the links are that move [m].
    pub fn links(&mut self) -> Vec<Vector3<f64>> {
        let configuration = self.configuration(&self.state);
        forward_kinematics(self.tree, &configuration, &mut self.data);
        let place = |link: usize| self.data.link_in_world[link].translation.vector;
        self.tree.rigid_bodies().map(|body| place(body.link)).collect()
    }

    fn configuration(&self, state: &[f64]) -> Configuration {
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(state[6], state[3], state[4], state[5]));
        let place = Translation3::new(state[0], state[1], state[2]);
        Configuration {
            base_in_world: Isometry3::from_parts(place, turn),
            joints: state[7..7 + self.tree.dof()].to_vec(),
        }
    }

    fn rate(
        &mut self,
        time: f64,
        state: &[f64],
        effort: &impl Fn(usize, f64, f64, f64) -> f64,
    ) -> Result<Vec<f64>, ModelError> {
        let configuration = self.configuration(state);
        let velocities = &state[7 + self.tree.dof()..];
        let joint =
            |joint: usize| effort(BASE_DOF + joint, time, configuration.joints[joint], velocities[BASE_DOF + joint]);
        let efforts: Vec<f64> = core::iter::repeat_n(0.0, BASE_DOF).chain((0..self.tree.dof()).map(joint)).collect();
        aba(self.tree, &configuration, velocities, &efforts, &Vector3::zeros(), &mut self.data)?;
        let turn = configuration.base_in_world.rotation;
        let moved = turn * Vector3::new(velocities[0], velocities[1], velocities[2]);
        let turned = turn.into_inner() * Quaternion::new(0.0, velocities[3], velocities[4], velocities[5]) * 0.5;
        let mut rate = moved.as_slice().to_vec();
        rate.extend(turned.coords.iter());
        rate.extend(&velocities[BASE_DOF..]);
        rate.extend(self.data.accelerations.iter());
        Ok(rate)
    }
}

fn along(begin: &[f64], rate: &[f64], step: f64) -> Vec<f64> {
    begin.iter().zip(rate).map(|(number, rate)| number + step * rate).collect()
}
