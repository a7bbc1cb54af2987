//! The shipped centaur against the figures of its README.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use nalgebra::{DVector, Isometry3, Matrix4x3, Point3, Vector3, Vector4};
use robot_model::description::{Description, DescriptionFile};
use robot_model::{
    Configuration, Data, JointKind, Tree, Urdf, center_of_mass_in_world, forward_kinematics, link_jacobian_in_world, rnea,
};

const GRAVITY: f64 = 9.81;
const LEGS: [&str; 4] = ["front_left", "front_right", "rear_left", "rear_right"];

struct Centaur {
    tree: Tree,
    description: Description,
}

impl Centaur {
    fn load() -> Centaur {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../centaur");
        let text = std::fs::read_to_string(folder.join("centaur.toml")).unwrap();
        let file = DescriptionFile::parse("centaur.toml", &text).unwrap_or_else(|error| panic!("{error}"));
        let urdf = std::fs::read_to_string(folder.join(file.urdf().unwrap())).unwrap();
        let tree = Urdf::read("centaur.urdf", &urdf).unwrap_or_else(|error| panic!("{error}")).tree;
        let description = file.resolve(&tree).unwrap_or_else(|error| panic!("{error}"));
        Centaur { tree, description }
    }

    fn posed(&self, pose: &str) -> (Configuration, Data) {
        let joints = self.description.pose(pose).expect(pose).positions.clone();
        let configuration = Configuration { base_in_world: Isometry3::identity(), joints };
        let mut data = Data::new(&self.tree);
        forward_kinematics(&self.tree, &configuration, &mut data);
        (configuration, data)
    }
}

#[test]
fn it_loads() {
    let centaur = Centaur::load();
    println!("{:.3} kg, {} joints", centaur.tree.mass(), centaur.tree.dof());
}
