//! A stool on four legs, whole and broken.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use robot_model::Source;

use super::*;

/// A plate on four legs that turn at its corners; `leg` is what the joints' `<limit>` says.
fn stool(limit: &str) -> RobotModel {
    let mut urdf = String::from(
        "<robot name=\"stool\"><link name=\"plate\"><inertial><mass value=\"8\"/><inertia ixx=\"0.3\" ixy=\"0\" \
         ixz=\"0\" iyy=\"0.3\" iyz=\"0\" izz=\"0.5\"/></inertial></link>",
    );
    for (index, (x, y)) in [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)].into_iter().enumerate() {
        urdf += &format!(
            "<link name=\"leg{index}\"><inertial><origin xyz=\"0 0 -0.2\"/><mass value=\"1\"/><inertia ixx=\"0.02\" \
             ixy=\"0\" ixz=\"0\" iyy=\"0.02\" iyz=\"0\" izz=\"0.001\"/></inertial><collision><origin xyz=\"0 0 -0.2\"/>\
             <geometry><box size=\"0.06 0.06 0.4\"/></geometry></collision></link>\
             <joint name=\"hip{index}\" type=\"revolute\"><parent link=\"plate\"/><child link=\"leg{index}\"/>\
             <origin xyz=\"{x} {y} 0\"/><axis xyz=\"0 1 0\"/>{limit}</joint>"
        );
    }
    urdf += "</robot>";
    RobotModel::from_urdf(Source { name: "stool.urdf".to_owned(), bytes: urdf.into_bytes().into() }).unwrap()
}

fn value(readings: &[Reading], what: &str) -> f64 {
    readings.iter().find(|reading| reading.what == what).unwrap_or_else(|| panic!("{what}: {readings:?}")).value
}

const STRONG: &str = "<limit lower=\"-1\" upper=\"1\" effort=\"60\" velocity=\"5\"/>";

#[test]
fn a_stool_that_is_dropped_falls_five_centimetres_lands_and_stays_whole() {
    let held = held(&stool(STRONG)).unwrap();
    let readings = Trial::new(&held).unwrap().drop(2.0).unwrap();
    assert!(readings.iter().all(Reading::holds), "{readings:#?}");
    assert!((value(&readings, "fell from") - 5.0).abs() < 0.3, "{readings:#?}");
    assert!(value(&readings, "the same over the weight") > 1.5, "landing is harder than standing: {readings:#?}");
    assert!((value(&readings, "final height of the base") - 0.4).abs() < 0.02, "{readings:#?}");
}

#[test]
fn a_stool_that_is_held_stands() {
    let held = held(&stool(STRONG)).unwrap();
    let readings = Trial::new(&held).unwrap().hold(3.0).unwrap();
    assert!(readings.iter().all(Reading::holds), "{readings:#?}");
}

/// On level ground its level legs would begin 8 mm deep in it, and lie on it.
#[test]
fn a_robot_whose_base_is_fixed_hangs_freely_below_it() {
    let mut held = held(&stool(&STRONG.replace("upper=\"1\"", "upper=\"2\""))).unwrap();
    held.model.description.base = Base::Fixed;
    held.model.description.poses[0].positions.fill(1.55);
    held.model.tree.links.iter_mut().skip(1).for_each(|leg| leg.placement_in_parent.translation.z = 0.03);
    let readings = Trial::new(&held).unwrap().hold(3.0).unwrap();
    let stiffness = held.model.description.joints[0].stiffness;
    let by_weight = 9.81 * 0.2 * 1.55_f64.sin() / stiffness;
    let error = value(&readings, "largest joint error");
    assert!((error / by_weight - 1.0).abs() < 0.3, "a leg gives way to its weight alone: {error} of {by_weight}");
}

#[test]
fn a_stool_with_weak_drives_on_bent_legs_does_not_pass() {
    let mut held = held(&stool("<limit lower=\"-1\" upper=\"1\" effort=\"0.5\" velocity=\"5\"/>")).unwrap();
    held.model.description.poses[0].positions.fill(0.6);
    let readings = Trial::new(&held).unwrap().hold(3.0).unwrap();
    let told = readings.iter().find(|reading| !reading.holds() && reading.joint.is_some());
    assert!(told.is_some(), "which joint is too weak: {readings:#?}");
}

#[test]
fn a_robot_without_effort_limits_is_refused_with_what_to_do() {
    let message =
        held(&stool("<limit lower=\"-1\" upper=\"1\" effort=\"0\" velocity=\"5\"/>")).unwrap_err().to_string();
    assert!(
        message.contains("<limit effort>") && message.contains("4 joints") && message.contains("TOML"),
        "{message}"
    );
}

#[test]
fn a_robot_that_touches_nothing_is_refused() {
    let mut model = stool(STRONG);
    model.tree.links.iter_mut().for_each(|link| link.collisions.clear());
    assert!(held(&model).unwrap_err().to_string().contains("<collision>"));
}

#[test]
fn joints_whose_range_leaves_zero_out_are_held_at_their_stop() {
    let held = held(&stool("<limit lower=\"0.2\" upper=\"1\" effort=\"60\" velocity=\"5\"/>")).unwrap();
    assert_eq!(held.pose, "zero");
    assert_eq!(held.model.description.pose("zero").unwrap().positions, [0.2; 4]);
}

#[test]
fn an_evaluation_is_json_with_the_mass() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.json");
    std::fs::write(&state, "{}").unwrap();
    let json: serde_json::Value = serde_json::from_str(&evaluation(&stool(STRONG), &state).unwrap()).unwrap();
    assert_eq!(json["mass"], 12.0);
    let missing = evaluation(&stool(STRONG), &folder.path().join("gone.json")).unwrap_err().to_string();
    assert!(missing.contains("gone.json: cannot read"), "{missing}");
}
