//! URDF → [`Tree`], with a report of what was made of each field.
//!
//! The file is read straight from its XML, because every complaint names a line.

mod inertial;
mod joint;
mod page;
mod shape;
mod survey;
#[cfg(test)]
mod tests;
mod topology;

use roxmltree::{Document, Node};

use crate::ModelError;
use crate::parts::{Link, Motion};
use crate::report::{ImportReport, ReportBuilder};
use crate::tree::Tree;
use crate::urdf::inertial::{read_inertia, read_total_mass};
use crate::urdf::joint::{Absent, read_joint};
use crate::urdf::page::{Page, children};
use crate::urdf::shape::{read_materials, read_shapes};
use crate::urdf::topology::assemble;

/// A robot read from a URDF.
#[derive(Clone, Debug)]
pub struct Urdf {
    /// The robot's name.
    pub name: String,
    /// Its links and joints.
    pub tree: Tree,
    /// What was made of each field.
    pub report: ImportReport,
}

/// Elements within elements beyond this are no URDF.
const DEEPEST: usize = 64;

impl Urdf {
    /// Reads the text of a URDF; `file` is its name in messages.
    pub fn read(file: &str, text: &str) -> Result<Urdf, ModelError> {
        let text = page::readable(file, text)?;
        let page = Page::new(file, &text);
        let document = Document::parse(&text)
            .map_err(|error| ModelError::refused(file, error.pos().row as usize, "XML", "well-formed XML", error))?;
        let robot = document.root_element();
        check_root(&page, robot)?;

        let mut report = ReportBuilder::default();
        survey::expect_once(&page, robot)?;
        survey::survey(&page, robot, &mut report);
        let links = read_links(&page, robot, &mut report)?;
        let absent = absent_limits(robot);
        let joints = children(robot, "joint").map(|joint| read_joint(&page, joint, absent, &mut report));
        let joints = joints.collect::<Result<Vec<_>, _>>()?;
        let tree = assemble(&page, links, &joints, &mut report)?;
        Ok(Urdf { name: page.text(robot, "name")?.to_owned(), tree, report: report.build(file) })
    }
}

/// A link that does not yet know its place.
pub(crate) struct RawLink<'a, 'i> {
    node: Node<'a, 'i>,
    link: Link,
}

fn check_root(page: &Page, root: Node) -> Result<(), ModelError> {
    if root.tag_name().name() != "robot" {
        return Err(page.refuse(root, "<robot>", &format!("<{}>", root.tag_name().name())));
    }
    let is_macro = |node: &Node| node.tag_name().namespace().is_some_and(|uri| uri.contains("xacro"));
    if let Some(node) = root.descendants().find(is_macro) {
        return Err(page::xacro(page.file, page.line(node)));
    }
    let mut open = vec![(root, 0)];
    while let Some((node, depth)) = open.pop() {
        if depth > DEEPEST {
            let expected = format!("at most {DEEPEST} elements within each other");
            return Err(page.refuse(node, &expected, "more"));
        }
        open.extend(node.children().filter(Node::is_element).map(|child| (child, depth + 1)));
    }
    page.text(root, "name").map(|_| ())
}

fn absent_limits(robot: Node) -> Absent {
    let version = robot.attribute("version").and_then(|version| version.trim().split_once('.'));
    let version = version.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    if version.unwrap_or((1_u32, 0_u32)) >= (1, 2) { Absent::Unlimited } else { Absent::Refused }
}

fn read_links<'a, 'i: 'a>(
    page: &Page,
    robot: Node<'a, 'i>,
    report: &mut ReportBuilder,
) -> Result<Vec<RawLink<'a, 'i>>, ModelError> {
    let materials = read_materials(page, robot)?;
    let total_mass = read_total_mass(page, robot)?;
    let mut links = Vec::new();
    for node in children(robot, "link") {
        let link = Link {
            name: page.text(node, "name")?.to_owned(),
            parent: None,
            joint_name: None,
            motion: Motion::Fixed,
            placement_in_parent: nalgebra::Isometry3::identity(),
            axis_in_link: nalgebra::Vector3::x_axis(),
            inertia: read_inertia(page, node, total_mass, report)?,
            visuals: read_shapes(page, node, "visual", &materials, report)?,
            collisions: read_shapes(page, node, "collision", &materials, report)?,
        };
        links.push(RawLink { node, link });
    }
    Ok(links)
}
