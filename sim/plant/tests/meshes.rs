//! Robots collide with what their mesh files show.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::Path;

use plant::{Simulation, collision_shapes};
use robot_model::{RobotModel, Treatment};
use support::{floor, link, quiet, run};

/// A block of 0.4 × 0.2 × 0.1 m whose middle lies 0.3 m before the link's origin, in millimetres.
fn block() -> String {
    let corner = |index: usize| {
        let side = |axis: usize| if index >> axis & 1 == 1 { 1.0 } else { -1.0 };
        format!("v {} {} {}\n", 300.0 + 200.0 * side(0), 100.0 * side(1), 50.0 * side(2))
    };
    let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    (0..8).map(corner).collect::<String>() + faces
}

/// A robot of one link of 8 kg in a folder of its own, with a mesh at a scale; `file` is where the mesh is put.
fn robot(file: &str, scale: f64) -> (tempfile::TempDir, RobotModel) {
    let folder = tempfile::tempdir().unwrap();
    let mesh = format!(
        "<collision><geometry><mesh filename=\"package://brick/meshes/block.obj\" scale=\"{scale} {scale} {scale}\"/></geometry></collision>"
    );
    let urdf = format!("<robot name=\"brick\">\n{}\n</robot>", link("brick", 8.0, [0.3, 0.0, 0.0], 0.05, &mesh));
    let at = |path: &str| folder.path().join(path);
    for path in [at("brick/urdf"), at(file).parent().unwrap().to_path_buf()] {
        std::fs::create_dir_all(path).unwrap();
    }
    std::fs::write(at("brick/urdf/brick.urdf"), urdf).unwrap();
    std::fs::write(at(file), block()).unwrap();
    let model = RobotModel::load(&at("brick/urdf/brick.urdf")).unwrap();
    (folder, model)
}

#[test]
fn a_robot_lies_on_its_mesh() {
    let (_folder, model) = robot("brick/meshes/block.obj", 1e-3);
    let mut simulation = Simulation::new(&floor(), &model, &quiet("zero", 0.0, 0.0)).unwrap();
    run(&mut simulation, 1.0);
    let truth = simulation.truth();
    assert!((truth.base_in_world.translation.z - 0.05).abs() < 1e-5, "{}", truth.base_in_world.translation);
    assert!(truth.base_in_world.rotation.angle() < 1e-4, "its weight is over its middle");
}

#[test]
fn a_mesh_that_is_nowhere_is_told_with_its_line_and_a_box_stands_in() {
    let (_folder, model) = robot("elsewhere/block.obj", 1e-3);
    let told = model.report.of(Treatment::Approximated).find(|entry| entry.remark.contains("block.obj")).unwrap();
    assert!(told.remark.contains("package://brick/meshes/block.obj: not found; a box"), "{}", told.remark);
    assert_eq!(told.lines, [2]);
    assert_eq!(collision_shapes(&floor(), &model).unwrap().len(), 2, "the ground, and a box");
}

#[test]
fn a_mesh_of_absurd_size_is_refused_by_name() {
    let (_folder, model) = robot("brick/meshes/block.obj", 1.0);
    let error = Simulation::new(&floor(), &model, &quiet("zero", 0.0, 0.0)).err().unwrap().to_string();
    assert!(error.contains("brick") && error.contains("block.obj: 400 m") && error.contains("scale"), "{error}");
}

#[test]
fn a_mesh_that_is_none_is_refused_with_file_and_line() {
    let (folder, _) = robot("brick/meshes/block.obj", 1e-3);
    std::fs::write(folder.path().join("brick/meshes/block.obj"), "v 0 0 0\nv 1 zero 0\n").unwrap();
    let model = RobotModel::load(Path::new(&folder.path().join("brick/urdf/brick.urdf"))).unwrap();
    let error = Simulation::new(&floor(), &model, &quiet("zero", 0.0, 0.0)).err().unwrap().to_string();
    assert!(error.contains("block.obj:2") && error.contains("zero"), "{error}");
}
