//! Kinematics and dynamics of one state as JSON: `chiron robot FILE --eval STATE.json`.

mod state;
#[cfg(test)]
mod tests;

use nalgebra::{Isometry3, Vector3};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::eval::state::{State, read_state};
use crate::momentum::center_of_mass_in_world;
use crate::rnea::{GRAVITY_IN_WORLD, rnea};
use crate::{Data, ModelError, RobotModel, crba, forward_kinematics};

/// What a robot does in one state, under standard gravity.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Evaluation {
    /// Mass of the robot [kg].
    pub mass: f64,
    /// Centre of mass in the world [m].
    pub com: [f64; 3],
    /// LinkPose of every link in the world.
    pub links: LinkPoses,
    /// Names of the velocity coordinates: base linear and angular, both in the base frame, then the joints.
    pub velocity_order: Vec<String>,
    /// The mass matrix, row by row.
    pub mass_matrix: Vec<Vec<f64>>,
    /// Efforts at zero acceleration: gravity, centrifugal and Coriolis terms [N, N·m].
    pub bias: Vec<f64>,
    /// Efforts for the state's accelerations [N, N·m].
    pub inverse_dynamics: Vec<f64>,
    /// What was assumed: fields that were left out, and other things worth knowing.
    pub remarks: Vec<String>,
}

/// Poses by link name; written as a map in the tree's order.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPoses(pub Vec<(String, LinkPose)>);

/// A pose in the world.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct LinkPose {
    /// Position [m].
    pub position: [f64; 3],
    /// Orientation as a quaternion x, y, z, w with w ≥ 0.
    pub orientation: [f64; 4],
}

/// Evaluates the state in `state_json`, which is called `state_name` in messages.
///
/// All fields of the state are optional: `base` (default: at the world's origin, upright), `q` by joint name (default:
/// zero), `v` and `a` in velocity order (default: zero). What was left out is named in [`Evaluation::remarks`].
pub fn evaluate(model: &RobotModel, state_json: &str, state_name: &str) -> Result<Evaluation, ModelError> {
    let tree = &model.tree;
    let State { configuration, velocity, acceleration, remarks } = read_state(tree, state_json, state_name)?;
    let mut data = Data::new(tree);

    forward_kinematics(tree, &configuration, &mut data);
    let com = center_of_mass_in_world(tree, &data);
    let names = tree.links.iter().map(|link| link.name.clone());
    let links = LinkPoses(names.zip(data.link_in_world.iter().map(LinkPose::from)).collect());

    crba(tree, &configuration, &mut data);
    let mass_matrix = data.mass_matrix.row_iter().map(|row| row.iter().copied().collect()).collect();
    let mut efforts = |acceleration: &[f64]| {
        rnea(tree, &configuration, &velocity, acceleration, &GRAVITY_IN_WORLD, &mut data);
        data.efforts.iter().copied().collect()
    };
    let bias = efforts(&vec![0.0; tree.velocity_dof()]);
    let inverse_dynamics = efforts(&acceleration);
    Ok(Evaluation {
        mass: tree.mass(),
        com: com.into(),
        links,
        velocity_order: tree.velocity_names(),
        mass_matrix,
        bias,
        inverse_dynamics,
        remarks,
    })
}

impl Serialize for LinkPoses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, pose) in &self.0 {
            map.serialize_entry(name, pose)?;
        }
        map.end()
    }
}

impl From<&Isometry3<f64>> for LinkPose {
    fn from(pose: &Isometry3<f64>) -> LinkPose {
        let coords = pose.rotation.coords;
        let sign = if coords.w < 0.0 { -1.0 } else { 1.0 };
        let position: Vector3<f64> = pose.translation.vector;
        LinkPose { position: position.into(), orientation: (coords * sign).into() }
    }
}
