//! The joints of a URDF, one by one.

use nalgebra::{Isometry3, Unit, Vector3};
use robot_io::{JointKind, JointLimits};
use roxmltree::Node;

use crate::ModelError;
use crate::report::ReportBuilder;
use crate::urdf::page::{Page, child};

/// A joint as the file gives it.
#[derive(Debug)]
pub(crate) struct RawJoint<'a, 'i> {
    /// Where it stands.
    pub node: Node<'a, 'i>,
    /// Its name.
    pub name: &'a str,
    /// Name of the parent link.
    pub parent: &'a str,
    /// Name of the child link.
    pub child: &'a str,
    /// How it moves; `None` if it does not.
    pub kind: Option<JointKind>,
    /// Pose of the child's frame in the parent's at zero.
    pub placement_in_parent: Isometry3<f64>,
    /// Axis in the child's frame.
    pub axis_in_link: Unit<Vector3<f64>>,
    /// What it may do; nothing to say for joints that do not move on their own.
    pub limits: JointLimits,
    /// Damping and friction.
    pub dynamics: (f64, f64),
    /// Whom it follows: master's name, multiplier, offset.
    pub mimic: Option<(&'a str, f64, f64)>,
}

/// Limits that hold nothing back.
const UNLIMITED: JointLimits =
    JointLimits { lower: f64::NEG_INFINITY, upper: f64::INFINITY, velocity: f64::INFINITY, effort: f64::INFINITY };

/// Since URDF 1.2, a limit that is not given is no limit; before, limits must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    Refused,
    Unlimited,
}

/// Reads one `<joint>`.
pub(crate) fn read_joint<'a, 'i>(
    page: &Page,
    node: Node<'a, 'i>,
    absent: Absent,
    report: &mut ReportBuilder,
) -> Result<RawJoint<'a, 'i>, ModelError> {
    let name = page.text(node, "name")?;
    let kind = read_kind(page, node, report)?;
    let link = |tag: &str| {
        let end = child(node, tag).ok_or_else(|| page.refuse(node, &format!("<{tag} link=\"…\"/>"), "none"))?;
        page.text(end, "link")
    };
    let (parent, child_link) = (link("parent")?, link("child")?);
    let placement_in_parent = page.origin(node)?;
    let moves = kind.is_some();
    let axis_in_link = if moves { read_axis(page, node, report)? } else { Vector3::x_axis() };
    let mimic = if moves { read_mimic(page, node)? } else { None };
    let limits = match kind {
        Some(kind) => read_limits(page, node, kind, absent, mimic.is_some(), report)?,
        None => UNLIMITED,
    };
    let dynamics = if moves { read_dynamics(page, node)? } else { (0.0, 0.0) };
    Ok(RawJoint {
        node,
        name,
        parent,
        child: child_link,
        kind,
        placement_in_parent,
        axis_in_link,
        limits,
        dynamics,
        mimic,
    })
}

fn read_kind(page: &Page, node: Node, report: &mut ReportBuilder) -> Result<Option<JointKind>, ModelError> {
    match node.attribute("type") {
        Some("revolute") => Ok(Some(JointKind::Revolute)),
        Some("continuous") => Ok(Some(JointKind::Continuous)),
        Some("prismatic") => Ok(Some(JointKind::Prismatic)),
        Some("fixed") => Ok(None),
        Some(free @ ("floating" | "planar")) => {
            let remark = format!("{free}: held at zero; the robot's own base floats");
            report.approximated("joint@type", &remark, page.attribute_line(node, "type"));
            Ok(None)
        }
        _ => {
            let kinds = "revolute, continuous, prismatic, fixed, floating or planar";
            Err(page.refuse_attribute(node, "type", kinds))
        }
    }
}

fn read_axis(page: &Page, node: Node, report: &mut ReportBuilder) -> Result<Unit<Vector3<f64>>, ModelError> {
    let given = match child(node, "axis") {
        Some(axis) => page.direction(axis, "xyz")?.map(|xyz| (axis, Vector3::from(xyz))),
        None => None,
    };
    let Some((node, axis)) = given else {
        report.approximated("joint/axis", "absent: the x axis, as URDF says", page.line(node));
        return Ok(Vector3::x_axis());
    };
    // scaled first: tiny and huge axes are odd, but have a direction
    let scaled = axis / axis.amax();
    let unit = Unit::try_new(scaled, 0.5);
    let unit = unit.ok_or_else(|| page.refuse_attribute(node, "xyz", "an axis that is not zero"))?;
    if (axis.norm() - 1.0).abs() > 1e-6 {
        report.approximated("joint/axis@xyz", "not of unit length: normalised", page.attribute_line(node, "xyz"));
    }
    Ok(unit)
}

fn read_mimic<'a>(page: &Page, node: Node<'a, '_>) -> Result<Option<(&'a str, f64, f64)>, ModelError> {
    let Some(mimic) = child(node, "mimic") else { return Ok(None) };
    let multiplier = page.optional_number(mimic, "multiplier")?.unwrap_or(1.0);
    let offset = page.optional_number(mimic, "offset")?.unwrap_or(0.0);
    Ok(Some((page.text(mimic, "joint")?, multiplier, offset)))
}

fn read_dynamics(page: &Page, node: Node) -> Result<(f64, f64), ModelError> {
    let Some(dynamics) = child(node, "dynamics") else { return Ok((0.0, 0.0)) };
    let coefficient = |name| match page.optional_number(dynamics, name)? {
        Some(value) if value < 0.0 => Err(page.refuse_attribute(dynamics, name, "a coefficient that is not negative")),
        value => Ok(value.unwrap_or(0.0)),
    };
    Ok((coefficient("damping")?, coefficient("friction")?))
}

fn read_limits(
    page: &Page,
    node: Node,
    kind: JointKind,
    absent: Absent,
    mimics: bool,
    report: &mut ReportBuilder,
) -> Result<JointLimits, ModelError> {
    let endless = kind == JointKind::Continuous;
    let Some(limit) = child(node, "limit") else {
        if absent == Absent::Refused && !endless {
            return Err(page.refuse(node, "<limit effort=\"…\" velocity=\"…\"/>", "none"));
        }
        report.approximated("joint/limit", "absent: no limits", page.line(node));
        return Ok(UNLIMITED);
    };
    let bound = |name| match page.optional_limit(limit, name)? {
        Some(value) if value < 0.0 => Err(page.refuse_attribute(limit, name, "a limit that is not negative")),
        Some(value) => Ok(value),
        None if absent == Absent::Unlimited => Ok(f64::INFINITY),
        None => Err(page.refuse_attribute(limit, name, "a limit")),
    };
    let (velocity, effort) = (bound("velocity")?, bound("effort")?);
    if effort == 0.0 && !mimics {
        let line = page.attribute_line(limit, "effort");
        report.approximated("joint/limit@effort", "zero: kept, nothing can drive this joint", line);
    }
    let (lower, upper) = (page.optional_limit(limit, "lower")?, page.optional_limit(limit, "upper")?);
    if endless {
        if lower.or(upper).is_some() {
            let remark = "lower and upper of a continuous joint: no limits";
            report.approximated("joint/limit", remark, page.line(limit));
        }
        return Ok(JointLimits { velocity, effort, ..UNLIMITED });
    }
    let range = match absent {
        Absent::Unlimited => (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY)),
        Absent::Refused => (lower.unwrap_or(0.0), upper.unwrap_or(0.0)),
    };
    if absent == Absent::Refused && lower.and(upper).is_none() {
        let remark = "lower or upper absent: 0, as URDF says";
        report.approximated("joint/limit", remark, page.line(limit));
    }
    if range.0 > range.1 {
        let found = format!("lower {} above upper {}", range.0, range.1);
        return Err(page.refuse(limit, "lower ≤ upper", &found));
    }
    Ok(JointLimits { lower: range.0, upper: range.1, velocity, effort })
}
