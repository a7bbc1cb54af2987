//! Where the bodies are and how fast they move.

use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use robot_io::State;

use crate::body::Joint;
use crate::model::Model;

/// What a step changes and the next one needs.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Coordinates {
    /// For each body its pose in the world if it is free; else it is of no meaning.
    pub placements: Vec<Isometry3<f64>>,
    /// For each body the position of its joint [rad or m]; 0 for joints that have none.
    pub positions: Vec<f64>,
    /// The velocity of each dof, see [`Model`].
    pub velocities: Vec<f64>,
    /// For each body, if it is free, how far it has to go beside its velocity [m]: by so much its tree's centre of mass is not where
    /// momentum has taken it.
    pub lag: Vec<Vector3<f64>>,
    /// For each tree for how long it has been still on something that is [s]. A free body that has been for half a second sleeps.
    pub still: Vec<f64>,
}

/// A body sleeps that has been still for so long [s].
pub(crate) const ASLEEP_AFTER: f64 = 0.5;
/// See [`Coordinates::no_number`].
const LARGEST: f64 = 1e9;

impl Coordinates {
    /// Free bodies where the model has them, joints at zero, everything at rest.
    pub fn new(model: &Model) -> Coordinates {
        Coordinates {
            placements: model.bodies().iter().map(|body| body.placement_in_parent).collect(),
            positions: vec![0.0; model.bodies().len()],
            velocities: vec![0.0; model.dofs()],
            lag: vec![Vector3::zeros(); model.bodies().len()],
            still: vec![0.0; model.trees()],
        }
    }

    /// The first body whose place or velocity is no longer a finite number, or beyond all bounds: what moves farther or faster than a billion
    /// [m, rad, m/s, rad/s] has left physics, and soon is no number.
    pub fn no_number(&self, model: &Model) -> Option<usize> {
        let wrong = |number: &f64| number.is_nan() || number.abs() > LARGEST;
        // only free bodies are placed by their coordinates
        let is_placed = |root: usize| {
            let place = &self.placements[root];
            !place.translation.vector.iter().chain(place.rotation.coords.iter()).any(wrong)
        };
        let is_sound = |numbers: &[f64]| numbers.iter().fold(true, |sound, number| sound & (number.abs() <= LARGEST));
        if is_sound(&self.positions) && is_sound(&self.velocities) && model.roots().all(is_placed) {
            return None;
        }
        (0..model.bodies().len()).find(|body| {
            let dofs = model.first_dof(*body)..model.first_dof(*body) + model.bodies()[*body].joint.dofs();
            let place = &self.placements[*body];
            let placed = place.translation.vector.iter().chain(place.rotation.coords.iter());
            wrong(&self.positions[*body]) || self.velocities[dofs].iter().chain(placed).any(wrong)
        })
    }

    /// Moves on by `time` [s] at the present velocities.
    pub fn move_on(&mut self, model: &Model, time: f64) {
        for (index, body) in model.bodies().iter().enumerate() {
            let dof = model.first_dof(index);
            match body.joint {
                Joint::Fixed => {}
                Joint::Free if self.is_asleep(model.tree_of(index)) => {}
                Joint::Free => {
                    let [linear, angular] = self.free_velocity(model, index);
                    let placement = &mut self.placements[index];
                    placement.translation.vector += linear * time;
                    let turned = turn(&(angular * time)) * placement.rotation.into_inner();
                    placement.rotation = UnitQuaternion::new_normalize(turned);
                }
                Joint::Revolute(_) | Joint::Prismatic(_) => self.positions[index] += self.velocities[dof] * time,
            }
        }
    }

    /// Whether a tree sleeps.
    pub fn is_asleep(&self, tree: usize) -> bool {
        self.still[tree] >= ASLEEP_AFTER
    }

    /// Velocity of a free body's origin [m/s] and its angular velocity [rad/s].
    pub fn free_velocity(&self, model: &Model, body: usize) -> [Vector3<f64>; 2] {
        let dof = model.first_dof(body);
        let part = |from: usize| Vector3::from_column_slice(&self.velocities[from..from + 3]);
        [part(dof), part(dof + 3)]
    }

    /// Gives a free body another velocity [m/s, rad/s].
    pub fn set_free_velocity(&mut self, model: &Model, body: usize, linear: &Vector3<f64>, angular: &Vector3<f64>) {
        let dof = model.first_dof(body);
        self.velocities[dof..dof + 3].copy_from_slice(linear.as_slice());
        self.velocities[dof + 3..dof + 6].copy_from_slice(angular.as_slice());
    }
}

/// The turn by a rotation vector [rad].
fn turn(by: &Vector3<f64>) -> Quaternion<f64> {
    let angle = by.norm();
    let (sin, cos) = libm::sincos(0.5 * angle);
    // sin(x/2)/x goes to 1/2
    let share = if angle > 1e-8 { sin / angle } else { 0.5 };
    Quaternion::from_parts(cos, by * share)
}
