#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use nalgebra::{Vector3, vector};
use robot_io::{JointKind, JointLimits};

use crate::parts::{Mimic, Motion};
use crate::report::Treatment;
use crate::{ModelError, Shape, Urdf};

const LEG: &str = include_str!("../../tests/support/leg.urdf");

fn leg() -> Urdf {
    Urdf::read("leg.urdf", LEG).unwrap()
}

/// The message that refuses the leg in which `from` stands as `to`.
fn refusal(from: &str, to: &str) -> String {
    assert!(LEG.contains(from), "{from} is not in the file");
    message(&LEG.replacen(from, to, 1))
}

fn message(text: &str) -> String {
    Urdf::read("leg.urdf", text).expect_err("this should be refused").to_string()
}

#[test]
fn links_are_parents_first_and_joints_in_their_order() {
    let tree = leg().tree;
    let links: Vec<_> = tree.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(links, ["base", "thigh", "shank", "sole", "wheel", "fender", "camera"]);
    let joints: Vec<_> = tree.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(joints, ["hip", "knee", "roll"]);
    assert!(tree.links.iter().enumerate().skip(1).all(|(index, link)| link.parent.unwrap() < index));
    assert_eq!(tree.velocity_names()[5..], ["base_angular_z", "hip", "knee", "roll"]);
    assert!((tree.mass() - 8.8).abs() < 1e-12);
}

#[test]
fn a_joint_has_its_axis_limits_and_friction() {
    let tree = leg().tree;
    let hip = &tree.joints[0];
    assert_eq!(hip.kind, JointKind::Revolute);
    assert_eq!(hip.limits, JointLimits { lower: -1.0, upper: 1.5, velocity: 6.0, effort: 80.0 });
    assert_eq!((hip.damping, hip.friction), (0.5, 0.2));
    let thigh = &tree.links[hip.link];
    assert_eq!(thigh.axis_in_link, Vector3::y_axis());
    assert_eq!(thigh.placement_in_parent.translation.vector, vector![0.1, 0.05, 0.0]);
    let (roll, pitch, yaw) = thigh.placement_in_parent.rotation.euler_angles();
    assert!((vector![roll, pitch, yaw] - vector![0.2, 0.0, 0.1]).amax() < 1e-15);
    assert_eq!(tree.joints[2].limits.upper, f64::INFINITY);
    assert_eq!(tree.joints[2].limits.effort, f64::INFINITY);
}

#[test]
fn a_mimic_joint_follows_and_a_floating_one_is_held() {
    let tree = leg().tree;
    let mimic = Mimic { joint: 0, multiplier: -0.5, offset: 0.1, kind: JointKind::Revolute };
    assert_eq!(tree.links[tree.link("fender").unwrap()].motion, Motion::Mimic(mimic));
    assert_eq!(tree.links[tree.link("camera").unwrap()].motion, Motion::Fixed);
}

#[test]
fn a_mimic_of_a_mimic_follows_the_last_master() {
    let text = LEG.replace(
        "<axis xyz=\"0 0 -1\"/>",
        "<axis xyz=\"0 0 -1\"/><mimic joint=\"fender_tilt\" multiplier=\"2\" offset=\"1\"/>",
    );
    let urdf = Urdf::read("leg.urdf", &text).unwrap();
    let mimic = Mimic { joint: 0, multiplier: -1.0, offset: 1.2, kind: JointKind::Prismatic };
    assert_eq!(urdf.tree.links[2].motion, Motion::Mimic(mimic));
    assert_eq!(urdf.tree.dof(), 2);
}

#[test]
fn shapes_keep_uri_place_and_colour() {
    let tree = leg().tree;
    let mesh = &tree.links[0].visuals[0];
    let uri = "package://nowhere/meshes/base.dae".to_owned();
    assert_eq!(mesh.shape, Shape::Mesh { uri, scale: vector![0.001, 0.001, 0.001] });
    assert_eq!(mesh.color, Some([0.5, 0.5, 0.6, 1.0]));
    let hull = &tree.links[0].collisions[0];
    assert_eq!(hull.shape, Shape::Box { size: vector![0.4, 0.3, 0.2] });
    assert_eq!(hull.pose_in_link.translation.z, 0.1);
}

#[test]
fn the_inertia_is_turned_into_the_links_axes() {
    let inertia = leg().tree.links[0].inertia;
    assert_eq!((inertia.mass, inertia.com_in_link), (5.0, vector![0.01, -0.02, 0.03]));
    let turned = inertia.rotational_at_com_in_link;
    assert!((turned.trace() - 0.18).abs() < 1e-15, "a rotation keeps the trace");
    let rotation = nalgebra::Rotation3::from_euler_angles(0.1, 0.2, 0.3);
    let back = rotation.transpose() * turned * rotation;
    let file = nalgebra::matrix![0.05, 0.001, 0.002; 0.001, 0.06, 0.003; 0.002, 0.003, 0.07];
    assert!((back - file).amax() < 1e-15);
}

#[test]
fn the_report_tells_what_was_made_of_each_field() {
    let report = leg().report;
    let has = |treatment, field: &str, lines: &[usize]| {
        let found = report.of(treatment).any(|entry| entry.field == field && entry.lines == lines);
        assert!(found, "{treatment} {field} {lines:?} is not in\n{report}");
    };
    has(Treatment::Used, "joint/limit@effort", &[32, 48]);
    has(Treatment::Used, "link/inertial/mass@value", &[8, 23, 39, 59, 72]);
    has(Treatment::Approximated, "joint/axis@xyz", &[31]);
    has(Treatment::Approximated, "joint@type", &[84]);
    has(Treatment::Approximated, "joint/limit", &[64]);
    has(Treatment::Ignored, "gazebo", &[89]);
    has(Treatment::Ignored, "transmission", &[90]);
    has(Treatment::Ignored, "joint/safety_controller", &[34]);
    has(Treatment::Ignored, "link/collision@name", &[15]);
    has(Treatment::Ignored, "joint/axis", &[55]);
    has(Treatment::Ignored, "joint/limit", &[80]);
}

#[test]
fn every_field_reported_as_used_changes_the_robot() {
    for (from, to) in [
        ("xyz=\"0.01 -0.02 0.03\"", "xyz=\"0.01 -0.02 0.04\""),
        ("rpy=\"0.1 0.2 0.3\"", "rpy=\"0.1 0.2 0.4\""),
        ("value=\"5\"", "value=\"6\""),
        ("ixx=\"0.05\"", "ixx=\"0.051\""),
        ("iyz=\"0.003\"", "iyz=\"0.004\""),
        ("base.dae", "other.dae"),
        ("scale=\"0.001", "scale=\"0.002"),
        ("rgba=\"0.5", "rgba=\"0.6"),
        ("size=\"0.4", "size=\"0.5"),
        ("radius=\"0.08\"", "radius=\"0.09\""),
        ("length=\"0.05\"", "length=\"0.06\""),
        ("type=\"prismatic\"", "type=\"revolute\""),
        ("xyz=\"0.1 0.05 0\"", "xyz=\"0.1 0.06 0\""),
        ("xyz=\"0 2 0\"", "xyz=\"2 0 0\""),
        ("lower=\"-1\"", "lower=\"-1.1\""),
        ("upper=\"1.5\"", "upper=\"1.6\""),
        ("effort=\"80\"", "effort=\"81\""),
        ("velocity=\"6\"", "velocity=\"7\""),
        ("damping=\"0.5\"", "damping=\"0.6\""),
        ("friction=\"0.2\"", "friction=\"0.3\""),
        ("multiplier=\"-0.5\"", "multiplier=\"0.5\""),
        ("offset=\"0.1\"", "offset=\"0.2\""),
        ("mimic joint=\"hip\"", "mimic joint=\"roll\""),
    ] {
        assert!(LEG.contains(from), "{from}");
        let changed = Urdf::read("leg.urdf", &LEG.replacen(from, to, 1)).unwrap();
        assert_ne!(format!("{:?}", changed.tree), format!("{:?}", leg().tree), "{from} → {to}");
    }
}

#[test]
fn refuses_impossible_masses_and_inertias() {
    assert_eq!(
        refusal("value=\"5\"", "value=\"-5\""),
        "leg.urdf:8: link \"base\": inertial/mass@value: expected a mass that is not negative [kg], found \"-5\""
    );
    assert_eq!(
        refusal("value=\"5\"", "value=\"NaN\""),
        "leg.urdf:8: link \"base\": inertial/mass@value: expected a number, -1000000 to 1000000, found \"NaN\""
    );
    assert_eq!(
        refusal("iyy=\"0.02\" iyz=\"0\" izz=\"0.004\"", "iyy=\"0.02\" iyz=\"0\" izz=\"-0.004\""),
        "leg.urdf:24: link \"thigh\": inertial/inertia: expected a positive definite inertia [kg·m²], \
         found principal inertias -4.000e-3, 2.000e-2, 2.000e-2"
    );
    assert_eq!(
        refusal("izz=\"0.004\"", "izz=\"0.4\""),
        "leg.urdf:24: link \"thigh\": inertial/inertia: expected principal inertias of which none exceeds the sum of \
         the others [kg·m²], found principal inertias 2.000e-2, 2.000e-2, 4.000e-1"
    );
    assert_eq!(
        refusal("ixx=\"0.05\" ", ""),
        "leg.urdf:9: link \"base\": inertial/inertia@ixx: expected a number, found nothing"
    );
    assert_eq!(refusal("<mass value=\"5\"/>", ""), "leg.urdf:6: link \"base\": inertial: expected <mass>, found none");
}

#[test]
fn keeps_and_reports_inertias_that_are_only_careless() {
    let report = Urdf::read("leg.urdf", &LEG.replace("izz=\"0.004\"", "izz=\"0.0415\"")).unwrap().report;
    let careless = report.of(Treatment::Approximated).find(|entry| entry.field == "link/inertial/inertia").unwrap();
    assert_eq!(careless.lines, [24]);
    assert!(careless.remark.ends_with("kept"), "{}", careless.remark);
}

#[test]
fn refuses_wrong_limits() {
    assert_eq!(
        refusal("lower=\"-1\"", "lower=\"2\""),
        "leg.urdf:32: joint \"hip\": limit: expected lower ≤ upper, found lower 2 above upper 1.5"
    );
    assert_eq!(
        refusal("upper=\"1.5\"", "upper=\"nan\""),
        "leg.urdf:32: joint \"hip\": limit@upper: expected a number, found \"nan\""
    );
    assert_eq!(
        refusal(" effort=\"80\"", ""),
        "leg.urdf:32: joint \"hip\": limit@effort: expected a limit, found nothing"
    );
    assert_eq!(
        refusal("velocity=\"6\"", "velocity=\"-6\""),
        "leg.urdf:32: joint \"hip\": limit@velocity: expected a limit that is not negative, found \"-6\""
    );
    assert_eq!(
        refusal("<limit lower=\"-1\" upper=\"1.5\" effort=\"80\" velocity=\"6\"/>", ""),
        "leg.urdf:27: joint \"hip\": expected <limit effort=\"…\" velocity=\"…\"/>, found none"
    );
}

#[test]
fn since_urdf_1_2_an_absent_limit_is_no_limit() {
    let text =
        LEG.replace("<robot ", "<robot version=\"1.2\" ").replace(" lower=\"-1\" upper=\"1.5\" effort=\"80\"", "");
    let limits = Urdf::read("leg.urdf", &text).unwrap().tree.joints[0].limits;
    let expected = JointLimits { lower: f64::NEG_INFINITY, upper: f64::INFINITY, velocity: 6.0, effort: f64::INFINITY };
    assert_eq!(limits, expected);
}

#[test]
fn refuses_wrong_names() {
    assert_eq!(
        refusal("<link name=\"shank\">", "<link name=\"thigh\">"),
        "leg.urdf:36: link \"thigh\": expected a name of its own, found the same name as the link in line 20"
    );
    assert_eq!(
        refusal("<joint name=\"knee\"", "<joint name=\"hip\""),
        "leg.urdf:43: joint \"hip\": expected a name of its own, found the same name as the joint in line 27"
    );
    assert_eq!(
        refusal("<parent link=\"thigh\"/>", "<parent link=\"tigh\"/>"),
        "leg.urdf:45: joint \"knee\": parent@link: expected the name of a link in this file, found \"tigh\""
    );
    assert_eq!(
        refusal("mimic joint=\"hip\"", "mimic joint=\"hop\""),
        "leg.urdf:81: joint \"fender_tilt\": mimic@joint: expected the name of a joint in this file, found \"hop\""
    );
    assert_eq!(
        refusal("mimic joint=\"hip\"", "mimic joint=\"sole_fixed\""),
        "leg.urdf:81: joint \"fender_tilt\": mimic@joint: expected the name of a joint that moves, found \"sole_fixed\""
    );
    assert_eq!(
        refusal("mimic joint=\"hip\"", "mimic joint=\"fender_tilt\""),
        "leg.urdf:81: joint \"fender_tilt\": mimic@joint: expected a joint that does not, in the end, mimic itself, \
         found \"fender_tilt\""
    );
    assert_eq!(
        refusal("<link name=\"sole\"/>", "<link/>"),
        "leg.urdf:50: robot/link@name: expected a name, found nothing"
    );
    assert_eq!(refusal("<robot name=\"leg\"", "<robot"), "leg.urdf:3: robot@name: expected a name, found nothing");
}

#[test]
fn refuses_what_is_no_tree() {
    assert_eq!(
        refusal("<link name=\"sole\"/>", "<link name=\"sole\"/><link name=\"moon\"/>"),
        "leg.urdf:50: link \"moon\": expected one root link, found a second one: link \"base\" in line 5 hangs on \
         nothing either"
    );
    assert_eq!(
        refusal("<child link=\"fender\"/>", "<child link=\"wheel\"/>"),
        "leg.urdf:76: joint \"fender_tilt\": expected a child that hangs on no other joint, found link \"wheel\", \
         which hangs on joint \"roll\" in line 64"
    );
    assert_eq!(
        refusal("<parent link=\"base\"/>", "<parent link=\"sole\"/>"),
        "leg.urdf:27: joint \"hip\": expected a way from the root link to every link, found a cycle through link \
         \"thigh\""
    );
    assert_eq!(message("<robot name=\"r\"/>"), "leg.urdf:1: robot: expected one root link, found no link");
    let knot = "<robot name='r'><link name='a'/>
        <joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint></robot>";
    assert!(message(knot).contains("found a cycle"), "{}", message(knot));
}

#[test]
fn refuses_wrong_joints_and_shapes() {
    assert_eq!(
        refusal("<axis xyz=\"0 2 0\"/>", "<axis xyz=\"0 0 0\"/>"),
        "leg.urdf:31: joint \"hip\": axis@xyz: expected an axis that is not zero, found \"0 0 0\""
    );
    assert_eq!(
        refusal("<axis xyz=\"0 2 0\"/>", "<axis xyz=\"0,1,0\"/>"),
        "leg.urdf:31: joint \"hip\": axis@xyz: expected 3 finite numbers, found \"0,1,0\""
    );
    assert_eq!(
        refusal("type=\"prismatic\"", "type=\"spherical\""),
        "leg.urdf:43: joint \"knee\"@type: expected revolute, continuous, prismatic, fixed, floating or planar, found \
         \"spherical\""
    );
    assert_eq!(
        refusal("xyz=\"0.1 0.05 0\"", "xyz=\"0.1 0.05\""),
        "leg.urdf:28: joint \"hip\": origin@xyz: expected 3 numbers, -1000000 to 1000000, found \"0.1 0.05\""
    );
    assert_eq!(
        refusal("radius=\"0.08\"", "radius=\"-0.08\""),
        "leg.urdf:62: link \"wheel\": collision/geometry/cylinder@radius: expected a length that is not negative [m], \
         found \"-0.08\""
    );
    assert_eq!(
        refusal("<box size=\"0.4 0.3 0.2\"/>", "<cone/>"),
        "leg.urdf:17: link \"base\": collision/geometry/cone: expected box, cylinder, capsule, sphere or mesh, found \
         <cone>"
    );
    assert_eq!(
        refusal("damping=\"0.5\"", "damping=\"-1\""),
        "leg.urdf:33: joint \"hip\": dynamics@damping: expected a coefficient that is not negative, found \"-1\""
    );
}

#[test]
fn refuses_what_is_no_urdf() {
    assert_eq!(message("<sdf/>"), "leg.urdf:1: sdf: expected <robot>, found <sdf>");
    let open = message("<robot name='r'>\n<link name='a'>\n</robot>");
    assert!(open.starts_with("leg.urdf:3: XML: expected well-formed XML, found "), "{open}");
    assert!(message("").starts_with("leg.urdf:1: XML: expected well-formed XML"), "{}", message(""));
    let expected =
        "expected a URDF; expand the xacro first (`xacro FILE.xacro > FILE.urdf`, from ROS), found a xacro file";
    let declared = refusal("<link name=\"sole\"/>", "<xacro:include filename=\"x\"/>");
    assert_eq!(declared, format!("leg.urdf:50: robot: {expected}"));
    let undeclared = message("<robot name='r'>\n<xacro:include filename='x'/></robot>");
    assert_eq!(undeclared, format!("leg.urdf:2: robot: {expected}"));
}

#[test]
fn forgives_what_rosss_parser_forgives() {
    let text = LEG
        .replace("<?xml version=\"1.0\"?>", "\n<?xml version=\"1.0\"?>")
        .replace("<!-- A", "<!-- -- A")
        .replace("<gazebo reference=\"base\">", "<gazebo reference=\"base\"><controller:p3d rate=\"1\"/>");
    let urdf = Urdf::read("leg.urdf", &text).unwrap();
    assert_eq!(urdf.tree.dof(), 3);
    let gazebo = urdf.report.of(Treatment::Ignored).find(|entry| entry.field == "gazebo").unwrap();
    assert_eq!(gazebo.lines, [90], "one line was added at the top");
}

#[test]
fn a_quaternion_may_stand_for_angles() {
    let text = LEG.replace("rpy=\"0.2 0 0.1\"", "quat_xyzw=\"0 0 1 1\"");
    let tree = Urdf::read("leg.urdf", &text).unwrap().tree;
    let (_, _, yaw) = tree.links[1].placement_in_parent.rotation.euler_angles();
    assert!((yaw - core::f64::consts::FRAC_PI_2).abs() < 1e-15);
}

#[test]
fn a_refusal_can_be_matched() {
    let error = Urdf::read("leg.urdf", &LEG.replace("value=\"5\"", "value=\"-5\"")).unwrap_err();
    assert!(matches!(error, ModelError::File(page::Fault { line: 8, .. })), "{error:?}");
}
