//! Links and joints → a tree.

use std::collections::BTreeMap;

use crate::ModelError;
use crate::parts::{Joint, Mimic, Motion};
use crate::report::ReportBuilder;
use crate::tree::Tree;
use crate::urdf::RawLink;
use crate::urdf::joint::RawJoint;
use crate::urdf::page::Page;

/// Puts parents before children, children in file order, depth first.
pub(crate) fn assemble(
    page: &Page,
    links: Vec<RawLink>,
    joints: &[RawJoint],
    report: &mut ReportBuilder,
) -> Result<Tree, ModelError> {
    let link_names = unique_links(page, &links)?;
    let joint_names = unique_joints(page, joints)?;
    let ends = find_ends(page, joints, &link_names)?;
    let hangs_on = hang(page, &links, joints, &ends)?;
    let root = find_root(page, &links, &hangs_on)?;
    let order = depth_first(&ends, root, links.len());
    if order.len() < links.len() {
        return Err(cycle(page, &links, joints, &hangs_on, &order));
    }
    let masters = find_masters(page, joints, &joint_names, report)?;
    build(links, joints, &ends, &hangs_on, &order, &masters)
}

/// Index of parent and child link, for each joint.
type Ends = Vec<(usize, usize)>;

/// For each joint: whom it follows and how (joint, multiplier, offset).
type Masters = Vec<Option<(usize, f64, f64)>>;

fn unique_links<'l>(page: &Page, links: &'l [RawLink]) -> Result<BTreeMap<&'l str, usize>, ModelError> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, RawLink { node, link }) in links.iter().enumerate() {
        if let Some(first) = names.insert(&link.name, index) {
            let found = format!("the same name as the link in line {}", page.line(links[first].node));
            return Err(page.refuse(*node, "a name of its own", &found));
        }
    }
    Ok(names)
}

fn unique_joints<'a>(page: &Page, joints: &[RawJoint<'a, '_>]) -> Result<BTreeMap<&'a str, usize>, ModelError> {
    let mut names = BTreeMap::new();
    for (index, joint) in joints.iter().enumerate() {
        if let Some(first) = names.insert(joint.name, index) {
            let first: &RawJoint = &joints[first];
            let found = format!("the same name as the joint in line {}", page.line(first.node));
            return Err(page.refuse(joint.node, "a name of its own", &found));
        }
    }
    Ok(names)
}

fn find_ends(page: &Page, joints: &[RawJoint], names: &BTreeMap<&str, usize>) -> Result<Ends, ModelError> {
    let find = |joint: &RawJoint, end: &str, name: &str| {
        let unknown = || {
            let node = crate::urdf::page::child(joint.node, end).unwrap_or(joint.node);
            page.refuse_attribute(node, "link", "the name of a link in this file")
        };
        names.get(name).copied().ok_or_else(unknown)
    };
    let ends = |joint| Ok((find(joint, "parent", joint.parent)?, find(joint, "child", joint.child)?));
    joints.iter().map(ends).collect()
}

/// For each link the joint on which it hangs.
fn hang(page: &Page, links: &[RawLink], joints: &[RawJoint], ends: &Ends) -> Result<Vec<Option<usize>>, ModelError> {
    let mut hangs_on: Vec<Option<usize>> = vec![None; links.len()];
    for (index, (_, child)) in ends.iter().enumerate() {
        if let Some(first) = hangs_on[*child].replace(index) {
            let name = &links[*child].link.name;
            let found = format!(
                "link \"{name}\", which hangs on joint \"{}\" in line {}",
                joints[first].name,
                page.line(joints[first].node)
            );
            return Err(page.refuse(joints[index].node, "a child that hangs on no other joint", &found));
        }
    }
    Ok(hangs_on)
}

fn find_root(page: &Page, links: &[RawLink], hangs_on: &[Option<usize>]) -> Result<usize, ModelError> {
    let mut roots = (0..links.len()).filter(|link| hangs_on[*link].is_none());
    match (roots.next(), roots.next()) {
        (Some(root), None) => Ok(root),
        (Some(first), Some(second)) => {
            let (first, second) = (&links[first], &links[second]);
            let line = page.line(first.node);
            let found = format!("a second one: link \"{}\" in line {line} hangs on nothing either", first.link.name);
            Err(page.refuse(second.node, "one root link", &found))
        }
        _ => {
            let found = if links.is_empty() { "no link" } else { "a cycle: every link hangs on a joint" };
            Err(ModelError::refused(page.file, 1, "robot", "one root link", found))
        }
    }
}

fn depth_first(ends: &Ends, root: usize, links: usize) -> Vec<usize> {
    let mut children = vec![Vec::new(); links];
    for (parent, child) in ends {
        children[*parent].push(*child);
    }
    let (mut order, mut open) = (Vec::with_capacity(links), vec![root]);
    while let Some(link) = open.pop() {
        order.push(link);
        open.extend(children[link].iter().rev());
    }
    order
}

/// The first joint whose links no way from the root reaches.
fn cycle(
    page: &Page,
    links: &[RawLink],
    joints: &[RawJoint],
    hangs_on: &[Option<usize>],
    order: &[usize],
) -> ModelError {
    let lost = (0..links.len()).find(|link| !order.contains(link)).unwrap_or(0);
    let joint = hangs_on[lost].map_or(links[lost].node, |joint| joints[joint].node);
    let found = format!("a cycle through link \"{}\"", links[lost].link.name);
    page.refuse(joint, "a way from the root link to every link", &found)
}

/// Follows each mimic to a joint that moves on its own.
fn find_masters(
    page: &Page,
    joints: &[RawJoint],
    names: &BTreeMap<&str, usize>,
    report: &mut ReportBuilder,
) -> Result<Masters, ModelError> {
    let mut masters = Vec::with_capacity(joints.len());
    for joint in joints {
        let Some((mut name, mut multiplier, mut offset)) = joint.mimic else {
            masters.push(None);
            continue;
        };
        let node = crate::urdf::page::child(joint.node, "mimic").unwrap_or(joint.node);
        let mut steps = 0;
        let master = loop {
            let Some(&master) = names.get(name) else {
                return Err(page.refuse_attribute(node, "joint", "the name of a joint in this file"));
            };
            if joints[master].kind.is_none() {
                return Err(page.refuse_attribute(node, "joint", "the name of a joint that moves"));
            }
            let Some((next, by, plus)) = joints[master].mimic else { break master };
            steps += 1;
            if steps > joints.len() {
                return Err(page.refuse_attribute(node, "joint", "a joint that does not, in the end, mimic itself"));
            }
            (name, offset, multiplier) = (next, multiplier * plus + offset, multiplier * by);
        };
        if steps > 0 {
            let remark = "follows a joint that follows another: tied to the last";
            report.approximated("joint/mimic", remark, page.line(node));
        }
        masters.push(Some((master, multiplier, offset)));
    }
    Ok(masters)
}

fn build(
    links: Vec<RawLink>,
    joints: &[RawJoint],
    ends: &Ends,
    hangs_on: &[Option<usize>],
    order: &[usize],
    masters: &Masters,
) -> Result<Tree, ModelError> {
    // new index of each link, and of each independent joint
    let mut place = vec![0; links.len()];
    let mut independent = vec![0; joints.len()];
    let mut tree_joints = Vec::new();
    for (index, &link) in order.iter().enumerate() {
        place[link] = index;
        let Some(joint) = hangs_on[link].filter(|joint| masters[*joint].is_none()) else { continue };
        let raw = &joints[joint];
        let Some(kind) = raw.kind else { continue };
        independent[joint] = tree_joints.len();
        let (damping, friction) = raw.dynamics;
        tree_joints.push(Joint { name: raw.name.into(), link: index, kind, limits: raw.limits, damping, friction });
    }
    let mut links: Vec<_> = links.into_iter().map(|raw| Some(raw.link)).collect();
    let mut tree_links = Vec::with_capacity(order.len());
    for &index in order {
        let Some(mut link) = links[index].take() else { continue };
        if let Some(joint) = hangs_on[index] {
            let raw = &joints[joint];
            link.parent = Some(place[ends[joint].0]);
            link.joint_name = Some(raw.name.into());
            link.placement_in_parent = raw.placement_in_parent;
            link.axis_in_link = raw.axis_in_link;
            link.motion = match (raw.kind, masters[joint]) {
                (None, _) => Motion::Fixed,
                (Some(_), None) => Motion::Joint(independent[joint]),
                (Some(kind), Some((master, multiplier, offset))) => {
                    Motion::Mimic(Mimic { joint: independent[master], multiplier, offset, kind })
                }
            };
        }
        tree_links.push(link);
    }
    Tree::new(tree_links, tree_joints)
}
