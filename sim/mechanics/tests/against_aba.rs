//! Accelerations are those of `robot_model`'s articulated-body algorithm, which is compared with Pinocchio's on 66 robots.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use mechanics::{Coordinates, Drive, Joint, Mechanics, Model};
use nalgebra::{Isometry3, Vector3};
use robot_io::RandomStream;
use robot_model::{Configuration, Data, RobotModel, Wrench, aba};

/// Bodies of less than 1e-6 kg·m² are heavier here.
/// So short that a step's change of velocity is its acceleration.
const STEP: f64 = 1e-7;

#[test]
fn the_centaur_accelerates_as_its_model_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
    let robot = RobotModel::load(&path).unwrap();
    let tree = &robot.tree;
    let parts = mechanics::robot(tree, Joint::Free, &Isometry3::identity(), 0, |_| 0.0);
    let model = Model::new(parts.bodies).unwrap();
    let random = RandomStream::new(7, "accelerations");
    for state in 0..20 {
        let number = |index: usize, part: u32| 2.0 * random.uniform((100 * state + index) as u64, part) - 1.0;
        let mut coordinates = Coordinates::new(&model);
        let base = Isometry3::new(
            Vector3::new(number(0, 0), number(0, 1), number(0, 2)),
            Vector3::new(number(0, 3), number(0, 4), number(0, 5)),
        );
        coordinates.placements[0] = base;
        let mut configuration = Configuration::zero(tree);
        configuration.base_in_world = base;
        let (linear, angular) = (Vector3::new(1.0, -0.5, 0.2), Vector3::new(0.7, -1.1, 0.4));
        coordinates.set_free_velocity(&model, 0, &linear, &angular);
        let in_base = base.rotation.inverse();
        let mut velocity: Vec<f64> = (in_base * linear).iter().chain((in_base * angular).iter()).copied().collect();
        let (mut efforts, mut drives) = (vec![0.0; 6], vec![Drive::default(); model.dofs()]);
        for joint in 0..tree.dof() {
            let body = tree.place(tree.joints[joint].link).body;
            let dof = model.first_dof(body);
            configuration.joints[joint] = number(joint + 1, 0);
            coordinates.positions[body] = configuration.joints[joint];
            coordinates.velocities[dof] = number(joint + 1, 1);
            drives[dof].effort = number(joint + 1, 2);
            velocity.push(coordinates.velocities[dof]);
            efforts.push(drives[dof].effort);
        }
        let before = coordinates.velocities.clone();
        let mut mechanics = Mechanics::new(model.clone(), coordinates);
        mechanics.begin(STEP);
        let outer = vec![Wrench::zero(); model.bodies().len()];
        mechanics.finish(&drives, &outer, &mut [], STEP);
        let mut data = Data::new(tree);
        aba(tree, &configuration, &velocity, &efforts, &Vector3::zeros(), &mut data).unwrap();
        for joint in 0..tree.dof() {
            let dof = model.first_dof(tree.place(tree.joints[joint].link).body);
            let found = (mechanics.coordinates().velocities[dof] - before[dof]) / STEP;
            let wanted = data.accelerations[6 + joint];
            assert!(
                (found - wanted).abs() < 1e-4 * (1.0 + wanted.abs()),
                "{}: {found} {wanted}",
                tree.joints[joint].name
            );
        }
    }
}
