//! A robot's links stop each other.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::Point3;
use plant::{Simulation, Touched};
use robot_io::{Commands, JointCommand};
use robot_model::RobotModel;
use support::{active, floor, hinge, ideal_actuator, link, quiet, robot};

/// A box that floats, with an arm that can fold back onto it: an upper arm without a shape, and a forearm of 60 cm.
fn folding(elbow: f64, more: &str) -> RobotModel {
    let block = "<collision><geometry><box size=\"0.4 0.4 0.4\"/></geometry></collision>";
    let rod = "<collision><origin xyz=\"0.3 0 0\"/><geometry><box size=\"0.6 0.05 0.05\"/></geometry></collision>";
    let urdf = format!(
        "<robot name=\"f\">{}{}{}{}{}</robot>",
        link("block", 5.0, [0.0; 3], 0.2, block),
        link("upper", 1.0, [0.2, 0.0, 0.0], 0.02, ""),
        link("fore", 1.0, [0.3, 0.0, 0.0], 0.03, rod),
        hinge("shoulder", "block", "upper", [0.3, 0.0, 0.0]),
        hinge("elbow", "upper", "fore", [0.4, 0.0, 0.0]),
    );
    let toml = format!(
        "name = \"f\"\ncycle_period_us = 1000\n{}[[joints]]\nnames = [\"shoulder\", \"elbow\"]\nactuator = \"ideal\"\n\
         stiffness = 200.0\ndamping = 10.0\n[[pose]]\nname = \"stand\"\npositions = {{ elbow = {elbow} }}\n{more}",
        ideal_actuator(0.0, 1.0)
    );
    robot(&urdf, &toml)
}

/// The elbow's angle, and what touches, after it was told to fold.
fn fold(model: &RobotModel) -> (f64, Option<(String, Touched)>, Simulation) {
    let mut space = floor();
    space.gravity = 0.0;
    let mut simulation = active(&space, model, &quiet("stand", 0.0, 0.0));
    let mut commands = Commands::new(simulation.layout());
    commands.joints[0] = JointCommand::hold(0.0, 200.0, 10.0);
    commands.joints[1] = JointCommand::hold(3.1, 200.0, 10.0);
    simulation.command(&commands).unwrap();
    (0..2_000).for_each(|_| simulation.step());
    let truth = simulation.truth();
    let touched = truth.unwanted_contact.map(|found| (model.tree.links[found.link].name.clone(), found.with));
    (truth.joint_positions[1], touched, simulation)
}

#[test]
fn an_arm_that_folds_onto_its_own_body_stops_there_and_drives_it_nowhere() {
    let model = folding(1.5, "");
    let (angle, touched, simulation) = fold(&model);
    assert!(angle < 2.9, "the elbow is at {angle} rad");
    let (block, fore) = (model.tree.link("block").unwrap(), model.tree.link("fore").unwrap());
    // the block's lower edge lies on the rod's face, which is 25 mm from the rod's middle
    let edge = simulation.link_in_world(block) * Point3::new(0.2, 0.0, -0.2);
    let on_rod = simulation.link_in_world(fore).inverse_transform_point(&edge);
    assert!((on_rod.z.abs() - 0.025).abs() < 2e-5 && (0.0..0.6).contains(&on_rod.x), "{on_rod}");
    let both = [("block".to_owned(), Touched::Link(fore)), ("fore".to_owned(), Touched::Link(block))];
    assert!(touched.as_ref().is_some_and(|touched| both.contains(touched)), "{touched:?}");
    let (linear, angular) = simulation.momentum_in_world();
    assert!(linear.norm() < 1e-9 && angular.norm() < 1e-9, "{linear} {angular}");
}

#[test]
fn links_that_the_robots_file_keeps_apart_pass_through_each_other() {
    let (angle, touched, simulation) = fold(&folding(1.5, "[[no_contact]]\nlinks = [\"block\", \"fore\"]\n"));
    assert!((angle - 3.1).abs() < 1e-3 && touched.is_none(), "{angle} {touched:?}");
    assert!(simulation.overlaps().is_empty());
}

#[test]
fn links_that_overlap_at_the_beginning_are_told_and_do_not_throw_each_other_apart() {
    let model = folding(3.0, "");
    let (angle, touched, simulation) = fold(&model);
    assert!((angle - 3.1).abs() < 1e-3 && touched.is_none(), "{angle} {touched:?}");
    let [overlap] = simulation.overlaps() else { panic!("{:?}", simulation.overlaps()) };
    let names = [overlap.one, overlap.two].map(|link| model.tree.links[link].name.as_str());
    assert_eq!(names, ["block", "fore"]);
    assert!((0.02..0.3).contains(&overlap.depth), "{} m", overlap.depth);
}
