//! Our dynamics against `robot_model`'s, which another hand has written.

#![allow(clippy::unwrap_used, reason = "tests")]

use nalgebra::{Isometry3, Vector3};
use robot_io::RandomStream;
use robot_model::{BASE_DOF, Configuration, Data, RobotModel, aba, forward_kinematics};

use super::{JointDrive, Multibody, Skeleton};
use crate::lumped::lump;

/// The centaur, bent and moving anyhow, on no ground.
fn centaur(seed: u64) -> (RobotModel, Multibody) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
    let robot = RobotModel::load(&path).unwrap();
    let (lumps, _) = lump(&robot.tree);
    let random = RandomStream::new(seed, "test");
    let draw = |index: usize| random.uniform(0, index as u32) - 0.5;
    let base = Isometry3::new(Vector3::new(3.0, -2.0, 1.0), Vector3::new(draw(900), draw(901), draw(902)));
    let mut positions = vec![0.0; lumps.len()];
    positions.iter_mut().enumerate().skip(1).for_each(|(index, q)| *q = draw(index));
    let mut multibody = Multibody::new(Skeleton::new(&robot.tree, &lumps), base, positions);
    let state = &mut multibody.state;
    state.velocities.iter_mut().enumerate().skip(1).for_each(|(index, v)| *v = 4.0 * draw(200 + index));
    state.base_velocity = Vector3::new(draw(910), draw(911), draw(912));
    state.base_angular_velocity = Vector3::new(draw(913), draw(914), draw(915)) * 3.0;
    multibody.update();
    (robot, multibody)
}

/// The tree's joint above each body but the base.
fn joints(robot: &RobotModel) -> Vec<usize> {
    let (lumps, _) = lump(&robot.tree);
    let joint = |link: usize| robot.tree.joints.iter().position(|joint| joint.link == link).unwrap();
    lumps.iter().skip(1).map(|lump| joint(lump.link)).collect()
}

#[test]
fn accelerations_are_those_of_robot_models_articulated_bodies() {
    for seed in 0..20 {
        let (robot, mut multibody) = centaur(seed);
        let joints = joints(&robot);
        let random = RandomStream::new(seed, "efforts");
        let mut drives = vec![JointDrive::default(); multibody.bodies.len()];
        let mut efforts = vec![0.0; robot.tree.velocity_dof()];
        let mut velocity = vec![0.0; robot.tree.velocity_dof()];
        let mut configuration = Configuration::zero(&robot.tree);
        configuration.base_in_world = multibody.state.base_in_world;
        let to_base = multibody.state.base_in_world.rotation.inverse();
        velocity[..3].copy_from_slice((to_base * multibody.state.base_velocity).as_slice());
        velocity[3..6].copy_from_slice((to_base * multibody.state.base_angular_velocity).as_slice());
        for (place, joint) in joints.iter().enumerate() {
            let effort = 10.0 * random.normal(0, place as u32);
            drives[place + 1].effort = effort;
            efforts[BASE_DOF + joint] = effort;
            velocity[BASE_DOF + joint] = multibody.state.velocities[place + 1];
            configuration.joints[*joint] = multibody.state.positions[place + 1];
        }
        let mut data = Data::new(&robot.tree);
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        aba(&robot.tree, &configuration, &velocity, &efforts, &gravity, &mut data).unwrap();

        multibody.weigh(9.81);
        multibody.accelerate(&drives, 1e-3);
        for (place, joint) in joints.iter().enumerate() {
            let (ours, theirs) = (multibody.bodies[place + 1].acceleration, data.accelerations[BASE_DOF + joint]);
            assert!((ours - theirs).abs() < 1e-6 * (1.0 + theirs.abs()), "{ours} {theirs} joint {joint}");
        }
    }
}

#[test]
fn bodies_are_where_robot_model_puts_them() {
    let (robot, multibody) = centaur(3);
    let mut configuration = Configuration::zero(&robot.tree);
    configuration.base_in_world = multibody.state.base_in_world;
    for (place, joint) in joints(&robot).into_iter().enumerate() {
        configuration.joints[joint] = multibody.state.positions[place + 1];
    }
    let mut data = Data::new(&robot.tree);
    forward_kinematics(&robot.tree, &configuration, &mut data);
    let (lumps, _) = lump(&robot.tree);
    for (body, lump) in multibody.bodies.iter().zip(&lumps) {
        let off = data.link_in_world[lump.link].inv_mul(&body.in_world);
        assert!(off.translation.vector.norm() < 1e-12 && off.rotation.angle() < 1e-7);
    }
}

#[test]
fn an_impulse_does_what_the_response_says() {
    let (_, mut multibody) = centaur(5);
    let drives = vec![JointDrive { rotor: 0.1, ..JointDrive::default() }; multibody.bodies.len()];
    multibody.weigh(0.0);
    multibody.accelerate(&drives, 1e-3);
    let last = multibody.bodies.len() - 1;
    let mut responses = super::response::Responses::default();
    responses.bodies = vec![7, 12, last];
    responses.compute(&multibody);
    let impulse = super::wrench_at(&Vector3::new(1.0, -2.0, 3.0), &Vector3::new(0.2, 0.1, -0.4));
    let before: Vec<_> = multibody.bodies.iter().map(|body| body.next_twist).collect();
    multibody.bodies[12].impulse = impulse;
    multibody.integrate(1e-3);
    for (place, body) in [7, 12, last].into_iter().enumerate() {
        let gained = multibody.bodies[body].next_twist - before[body];
        assert!((gained - responses.twist(place, 1, &impulse)).norm() < 1e-9 * (1.0 + gained.norm()), "body {body}");
    }
    // and it is symmetric, as Maxwell and Betti say
    assert!((responses.block(0, 2) - responses.block(2, 0).transpose()).norm() < 1e-9);
}

#[test]
fn a_rotor_adds_to_its_joint_and_nothing_else() {
    let (robot, mut multibody) = centaur(8);
    multibody.state.velocities.fill(0.0);
    multibody.state.base_angular_velocity = Vector3::zeros();
    multibody.update();
    let mut drives = vec![JointDrive::default(); multibody.bodies.len()];
    let elbow = joints(&robot).iter().position(|j| robot.tree.joints[*j].name == "left_arm_elbow_pitch").unwrap() + 1;
    drives[elbow].effort = 5.0;
    let felt = |multibody: &mut Multibody, drives: &[JointDrive]| {
        multibody.weigh(0.0);
        multibody.accelerate(drives, 1e-3);
        5.0 / multibody.bodies[elbow].acceleration
    };
    let light = felt(&mut multibody, &drives);
    drives[elbow].rotor = 0.25;
    assert!((felt(&mut multibody, &drives) - light - 0.25).abs() < 1e-9);
}
