//! Mass and inertia of a link, and whether any body could have them.

use nalgebra::{Matrix3, SymmetricEigen};
use roxmltree::Node;

use crate::ModelError;
use crate::parts::Inertia;
use crate::report::ReportBuilder;
use crate::urdf::page::{Page, child, children};

/// Share of the largest entry below which an impossible inertia is the file's rounding.
const ROUNDING: f64 = 1e-6;

/// Real files contain placeholders that no body could have (PR2's sensor mount: 0.001, 0.001, 0.01 kg·m² for 50 g).
/// ROS accepts them. We keep and report them where they are too small to matter: the inertia in excess is less than
/// if the whole robot's mass sat this far off [m]. Beyond, the file is refused.
const CARELESS_RADIUS: f64 = 0.015;

/// The same for a negative principal inertia [m], which can turn a motor's push into a pull.
const NEGATIVE_RADIUS: f64 = 0.001;

/// A lighter link is a typing error [kg]; one without any mass is usual.
const LIGHTEST: f64 = 1e-9;
/// A heavier link is one too [kg].
const HEAVIEST: f64 = 1e5;

/// The sum of the masses in the file [kg].
pub(crate) fn read_total_mass(page: &Page, robot: Node) -> Result<f64, ModelError> {
    let masses = children(robot, "link").filter_map(|link| child(child(link, "inertial")?, "mass"));
    masses.map(|mass| read_mass(page, mass)).sum()
}

/// The inertia of a link; zero without `<inertial>`.
pub(crate) fn read_inertia(
    page: &Page,
    link: Node,
    total_mass: f64,
    report: &mut ReportBuilder,
) -> Result<Inertia, ModelError> {
    let Some(inertial) = child(link, "inertial") else { return Ok(Inertia::zero()) };
    let missing = |what: &str| page.refuse(inertial, &format!("<{what}>"), "none");
    let mass_node = child(inertial, "mass").ok_or_else(|| missing("mass"))?;
    let node = child(inertial, "inertia").ok_or_else(|| missing("inertia"))?;
    let mass = read_mass(page, mass_node)?;
    let entry = |name| page.number(node, name);
    let (ixx, iyy, izz) = (entry("ixx")?, entry("iyy")?, entry("izz")?);
    let (ixy, ixz, iyz) = (entry("ixy")?, entry("ixz")?, entry("iyz")?);
    let rotational = Matrix3::new(ixx, ixy, ixz, ixy, iyy, iyz, ixz, iyz, izz);
    check_rotational(page, node, &rotational, total_mass, report)?;
    let line = page.line(node);
    if mass > 0.0 && rotational.norm() == 0.0 {
        report.approximated("link/inertial/inertia", "all zero: a point mass", line);
    }
    if mass == 0.0 && rotational.norm() > 0.0 {
        report.approximated("link/inertial/inertia", "inertia without mass: kept", line);
    }
    let pose = page.origin(inertial)?;
    let rotation = pose.rotation.to_rotation_matrix();
    let rotational_at_com_in_link = match pose.rotation == nalgebra::UnitQuaternion::identity() {
        true => rotational,
        false => rotation.matrix() * rotational * rotation.matrix().transpose(),
    };
    Ok(Inertia { mass, com_in_link: pose.translation.vector, rotational_at_com_in_link })
}

/// Principal inertias are not negative, and none exceeds the sum of the others.
fn check_rotational(
    page: &Page,
    node: Node,
    rotational: &Matrix3<f64>,
    total_mass: f64,
    report: &mut ReportBuilder,
) -> Result<(), ModelError> {
    let size = rotational.amax();
    if size == 0.0 {
        return Ok(());
    }
    // scaled, so that neither tiny nor huge entries spoil the iteration
    let mut principal = SymmetricEigen::new(rotational / size).eigenvalues;
    principal.as_mut_slice().sort_by(f64::total_cmp);
    let [low, middle, high] = [principal[0], principal[1], principal[2]].map(|inertia| inertia * size);
    let found = format!("principal inertias {low:.3e}, {middle:.3e}, {high:.3e}");
    let line = page.line(node);
    if low < -ROUNDING * size {
        if -low > total_mass * NEGATIVE_RADIUS * NEGATIVE_RADIUS {
            return Err(page.refuse(node, "a positive definite inertia [kg·m²]", &found));
        }
        report.approximated("link/inertial/inertia", "a negative principal inertia, too small to matter: kept", line);
    }
    let excess = high - low.max(0.0) - middle;
    if excess > ROUNDING * size {
        if excess > total_mass * CARELESS_RADIUS * CARELESS_RADIUS {
            let expected = "principal inertias of which none exceeds the sum of the others [kg·m²]";
            return Err(page.refuse(node, expected, &found));
        }
        let remark = "a principal inertia exceeds the sum of the others, too little to matter: kept";
        report.approximated("link/inertial/inertia", remark, line);
    }
    Ok(())
}

fn read_mass(page: &Page, node: Node) -> Result<f64, ModelError> {
    match page.number(node, "value")? {
        mass if mass < 0.0 => Err(page.refuse_attribute(node, "value", "a mass that is not negative [kg]")),
        mass if mass > 0.0 && mass < LIGHTEST => {
            Err(page.refuse_attribute(node, "value", &format!("no mass, or at least {LIGHTEST:e} kg")))
        }
        mass if mass > HEAVIEST => Err(page.refuse_attribute(node, "value", &format!("at most {HEAVIEST} kg"))),
        mass => Ok(mass),
    }
}
