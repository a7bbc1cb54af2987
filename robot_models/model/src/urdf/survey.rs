//! Which fields of a URDF there are, and what becomes of each.

use roxmltree::Node;

use crate::ModelError;
use crate::report::{ReportBuilder, Treatment};
use crate::urdf::page::{Page, child};

/// What the import takes as it stands: path below `robot`, and its attributes.
const USED: &[(&str, &[&str])] = &[
    ("", &["name", "version"]),
    ("link", &["name"]),
    ("link/inertial", &[]),
    ("link/inertial/origin", POSE),
    ("link/inertial/mass", &["value"]),
    ("link/inertial/inertia", &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]),
    ("link/visual", &[]),
    ("link/visual/origin", POSE),
    ("link/visual/geometry", &[]),
    ("link/visual/geometry/*", SHAPE),
    ("link/visual/material", &["name"]),
    ("link/visual/material/color", &["rgba"]),
    ("link/collision", &[]),
    ("link/collision/origin", POSE),
    ("link/collision/geometry", &[]),
    ("link/collision/geometry/*", SHAPE),
    ("joint", &["name", "type"]),
    ("joint/origin", POSE),
    ("joint/parent", &["link"]),
    ("joint/child", &["link"]),
    ("joint/axis", &["xyz"]),
    ("joint/limit", &["lower", "upper", "velocity", "effort"]),
    ("joint/dynamics", &["damping", "friction"]),
    ("joint/mimic", &["joint", "multiplier", "offset"]),
    ("material", &["name"]),
    ("material/color", &["rgba"]),
];

const POSE: &[&str] = &["xyz", "rpy", "quat_xyzw"];
const SHAPE: &[&str] = &["size", "radius", "length", "filename", "scale"];

/// What is known and left out, and why.
const IGNORED: &[(&str, &str)] = &[
    ("gazebo", "for Gazebo only"),
    ("transmission", "actuators are described in NAME.toml"),
    ("ros2_control", "actuators are described in NAME.toml"),
    ("sensor", "sensors are described in NAME.toml"),
    ("joint/safety_controller", "the safety filter has its own limits"),
    ("joint/calibration", "the simulation's joints need no calibration"),
    ("link/visual/material/texture", "textures are not shown"),
    ("material/texture", "textures are not shown"),
    ("link/collision/verbose", "no meaning in URDF"),
    ("link/visual@name", "shapes have no names here"),
    ("link/collision@name", "shapes have no names here"),
];

/// Reports every element and attribute of the file; elements that are ignored count with all they contain.
pub(crate) fn survey(page: &Page, robot: Node, report: &mut ReportBuilder) {
    let mut open = vec![(robot, String::new())];
    while let Some((node, path)) = open.pop() {
        let used = USED.iter().find(|(known, _)| *known == path || is_shape(known, &path));
        let idle = idle(&path, node);
        let Some((_, attributes)) = used.filter(|_| idle.is_none()) else {
            report.add(Treatment::Ignored, &path, idle.unwrap_or(reason(&path)), page.line(node));
            continue;
        };
        for attribute in node.attributes() {
            let element = if path.is_empty() { "robot" } else { &path };
            let field = format!("{element}@{}", attribute.name());
            let (treatment, remark) = match attributes.contains(&attribute.name()) {
                true => (Treatment::Used, ""),
                false => (Treatment::Ignored, reason(&field)),
            };
            report.add(treatment, &field, remark, page.attribute_line(node, attribute.name()));
        }
        for child in node.children().filter(Node::is_element) {
            let slash = if path.is_empty() { "" } else { "/" };
            open.push((child, format!("{path}{slash}{}", child.tag_name().name())));
        }
    }
}

/// What may stand several times within its parent.
const MANY: [&str; 5] = ["link", "joint", "material", "link/visual", "link/collision"];

/// An error if something is given twice: which of the two holds is anybody's guess, and other programs guess otherwise.
pub(crate) fn expect_once(page: &Page, robot: Node) -> Result<(), ModelError> {
    let mut open = vec![(robot, String::new())];
    while let Some((node, path)) = open.pop() {
        let mut earlier: Vec<&str> = Vec::new();
        for child in node.children().filter(Node::is_element) {
            let tag = child.tag_name().name();
            let below = if path.is_empty() { tag.to_owned() } else { format!("{path}/{tag}") };
            let shape = is_shape(&format!("{path}/*"), &below);
            if !shape && !USED.iter().any(|(known, _)| *known == below) {
                continue;
            }
            // of shapes there may be one, whichever it is
            let kind = if shape { "shape" } else { tag };
            if earlier.contains(&kind) && !MANY.contains(&below.as_str()) {
                return Err(page.refuse(child, &format!("one {kind}"), "a second"));
            }
            earlier.push(kind);
            open.push((child, below));
        }
    }
    Ok(())
}

/// Why a part of a joint has no meaning, if it has none.
fn idle(path: &str, node: Node) -> Option<&'static str> {
    let joint = node.parent()?;
    let moves = matches!(joint.attribute("type"), Some("revolute" | "continuous" | "prismatic"));
    match path {
        "joint/axis" | "joint/limit" | "joint/dynamics" | "joint/mimic" if !moves => {
            Some("of a joint that does not move")
        }
        "joint/limit" | "joint/dynamics" if child(joint, "mimic").is_some() => Some("of a joint that follows another"),
        _ => None,
    }
}

fn is_shape(known: &str, path: &str) -> bool {
    let shapes = ["box", "cylinder", "capsule", "sphere", "mesh"];
    known.strip_suffix('*').and_then(|parent| path.strip_prefix(parent)).is_some_and(|tag| shapes.contains(&tag))
}

fn reason(field: &str) -> &'static str {
    IGNORED.iter().find(|(known, _)| *known == field).map_or("not part of URDF", |(_, why)| *why)
}
