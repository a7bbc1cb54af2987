//! What the robot carries and its controller is not told of.

use nalgebra::{Matrix3, Vector3};
use page::{Fault, Fields, Range};
use robot_model::{RobotModel, Tree};

use crate::ScenarioError;

/// A load is a ball of this radius [m].
const RADIUS: f64 = 0.05;

/// A ball fixed to a link for the whole run, of which nobody tells the controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The link's name.
    pub link: String,
    /// How much it is [kg].
    pub mass: f64,
    /// Where its middle is, in the link's frame [m].
    pub point: [f64; 3],
    /// The line of its table, from 1.
    pub line: usize,
}

impl Load {
    pub(super) fn read(table: &mut Fields<'_>) -> Result<Load, Fault> {
        Ok(Load {
            link: table.text("link")?.to_owned(),
            mass: table.number("mass", Range::new(1e-3, 1e4, "kg"))?,
            point: table.vector_or("point", Range::new(-10.0, 10.0, "m"), [0.0; 3])?,
            line: table.line(),
        })
    }

    /// The robot with all of these.
    pub(crate) fn on(robot: &RobotModel, loads: &[Load]) -> Result<RobotModel, ScenarioError> {
        let mut links = robot.tree.links.clone();
        for load in loads {
            let Some(link) = links.iter_mut().find(|link| link.name == load.link) else { continue };
            let inertia = &mut link.inertia;
            let (mass, point) = (inertia.mass + load.mass, Vector3::from(load.point));
            let middle = (inertia.mass * inertia.com_in_link + load.mass * point) / mass;
            let own = inertia.rotational_at_com_in_link + about(inertia.mass, &(inertia.com_in_link - middle));
            let ball = Matrix3::identity() * (0.4 * load.mass * RADIUS * RADIUS);
            inertia.rotational_at_com_in_link = own + ball + about(load.mass, &(point - middle));
            (inertia.mass, inertia.com_in_link) = (mass, middle);
        }
        Ok(RobotModel { tree: Tree::new(links, robot.tree.joints.clone())?, ..robot.clone() })
    }
}

/// The inertia of a mass that is so far away [kg·m²].
fn about(mass: f64, arm: &Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * mass
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_load_adds_its_mass_and_moves_the_centre_of_mass() {
        let text = "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" \
                    ixz=\"0\" iyz=\"0\"/></inertial></link></robot>";
        let robot = robot_model::Urdf::read("r.urdf", text).unwrap();
        let (links, joints) = (robot.tree.links.clone(), robot.tree.joints.clone());
        let mut model = RobotModel::load(std::path::Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../robot_models/bench/bench.toml"
        )))
        .unwrap();
        model.tree = Tree::new(links, joints).unwrap();
        let load = Load { link: "a".to_owned(), mass: 2.0, point: [1.0, 0.0, 0.0], line: 1 };
        let loaded = Load::on(&model, &[load]).unwrap().tree.links[0].inertia;
        assert_eq!((loaded.mass, loaded.com_in_link.x), (4.0, 0.5));
        let turns = loaded.rotational_at_com_in_link;
        // two masses of 2 kg, each half a metre from their middle
        assert!((turns[(0, 0)] - 1.002).abs() < 1e-12 && (turns[(2, 2)] - 2.002).abs() < 1e-12, "{turns}");
    }
}
