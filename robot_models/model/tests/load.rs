//! Robots from files: TOML with URDF, URDF alone, and what is neither.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::path::Path;

use robot_model::{ModelError, RobotModel, Source, Treatment};
use support::LEG;

const LEG_TOML: &str = "name = \"left_leg\"\nurdf = \"leg.urdf\"\ncycle_period_us = 2000
[[joints]]
names = [\"hip\", \"knee\", \"roll\"]
";

fn source(name: &str, bytes: &[u8]) -> Source {
    Source { name: name.into(), bytes: bytes.into() }
}

#[test]
fn a_toml_and_its_urdf_make_one_robot_that_keeps_both_files() {
    let urdf = source("leg.urdf", LEG.as_bytes());
    let robot = RobotModel::from_sources(source("leg.toml", LEG_TOML.as_bytes()), urdf).unwrap();
    assert_eq!(robot.name, "left_leg");
    assert_eq!(robot.layout().joints.len(), robot.tree.dof());
    assert_eq!(robot.sources.iter().map(|source| source.name.as_str()).collect::<Vec<_>>(), ["leg.toml", "leg.urdf"]);
}

#[test]
fn the_centaur_is_found_through_its_toml() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../centaur/centaur.toml");
    let robot = RobotModel::load(&path).unwrap();
    assert_eq!((robot.name.as_str(), robot.tree.dof()), ("centaur", 56));
}

#[test]
fn a_urdf_alone_has_passive_joints_and_no_sensors() {
    let robot = RobotModel::from_urdf(source("leg.urdf", LEG.as_bytes())).unwrap();
    let layout = robot.layout();
    assert_eq!((robot.name.as_str(), layout.joints.len(), layout.imus.len()), ("leg", 3, 0));
    assert!(robot.description.actuator_of(0).is_none());
    assert_eq!(layout.joints[0].limits, robot.tree.joints[0].limits);
}

#[test]
fn bytes_that_are_not_text_are_reported_in_a_urdf_and_refused_in_a_toml() {
    let latin = |text: &str| text.bytes().map(|byte| if byte == b'~' { 0xe9 } else { byte }).collect::<Vec<u8>>();
    let urdf = latin(&LEG.replace("<!-- A leg", "<!-- Andr~'s leg"));
    let robot = RobotModel::from_urdf(source("leg.urdf", &urdf)).unwrap();
    let text = robot.report.of(Treatment::Approximated).find(|entry| entry.field == "text").unwrap();
    assert_eq!(text.lines, [2]);

    let toml = source("leg.toml", &latin(&format!("{LEG_TOML}# ~\n")));
    let error = RobotModel::from_sources(toml, source("leg.urdf", LEG.as_bytes())).unwrap_err();
    assert_eq!(error.to_string(), "leg.toml:6: the file: expected UTF-8 text, found bytes that are not UTF-8");
}

#[test]
fn what_is_not_there_or_not_expanded_is_said_so() {
    let error = RobotModel::load(Path::new("/nowhere/leg.urdf")).unwrap_err();
    assert!(matches!(error, ModelError::Read { .. }));
    assert!(error.to_string().starts_with("/nowhere/leg.urdf: cannot be read: "), "{error}");
    let error = RobotModel::load(Path::new("leg.urdf.xacro")).unwrap_err().to_string();
    assert!(error.starts_with("leg.urdf.xacro: expected a URDF; expand the xacro first"), "{error}");
}
