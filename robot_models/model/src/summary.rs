//! A robot on one screen.

use std::fmt;

use crate::RobotModel;
use crate::description::Base;
use crate::parts::{Joint, Motion};
use crate::report::Treatment;
use robot_io::JointKind;

/// Name, mass, degrees of freedom and joints with their limits, to be printed.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a>(pub &'a RobotModel);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RobotModel { name, tree, description, report, .. } = self.0;
        let mimics = tree.links.iter().filter(|link| matches!(link.motion, Motion::Mimic(_))).count();
        writeln!(f, "robot   {name}")?;
        writeln!(f, "mass    {:.3} kg", tree.mass())?;
        writeln!(f, "links   {}", tree.links.len())?;
        match description.base {
            Base::Free => write!(f, "DoF     {} joints and the floating base's 6", tree.dof())?,
            Base::Fixed => write!(f, "DoF     {} joints; the base is fixed to the world", tree.dof())?,
        }
        match mimics {
            0 => writeln!(f)?,
            1 => writeln!(f, "; 1 more joint mimics")?,
            more => writeln!(f, "; {more} more joints mimic")?,
        }
        let count = |treatment| report.of(treatment).map(|entry| entry.lines.len()).sum::<usize>();
        writeln!(
            f,
            "import  {} fields used, {} approximated, {} ignored",
            count(Treatment::Used),
            count(Treatment::Approximated),
            count(Treatment::Ignored)
        )?;
        let width = tree.joints.iter().map(|joint| joint.name.chars().count()).max().unwrap_or(0).max(5);
        writeln!(
            f,
            "\n{:<width$}  {:<10}  {:>10}  {:>10}      {:>10}        {:>10}",
            "joint", "kind", "lower", "upper", "velocity", "effort"
        )?;
        tree.joints.iter().try_for_each(|joint| write_joint(f, joint, width))
    }
}

fn write_joint(f: &mut fmt::Formatter<'_>, joint: &Joint, width: usize) -> fmt::Result {
    let (kind, position, effort) = match joint.kind {
        JointKind::Revolute => ("revolute", "rad", "N·m"),
        JointKind::Continuous => ("continuous", "rad", "N·m"),
        JointKind::Prismatic => ("prismatic", "m", "N"),
    };
    let (name, limits) = (&joint.name, &joint.limits);
    let (lower, upper) = (Bound(limits.lower), Bound(limits.upper));
    let (velocity, force) = (Bound(limits.velocity), Bound(limits.effort));
    let speed = format!("{position}/s");
    write!(f, "{name:<width$}  {kind:<10}  {lower:>10}  {upper:>10} {position:<3}  ")?;
    writeln!(f, "{velocity:>10} {speed:<5}  {force:>10} {effort}")
}

/// A limit, rounded for the eye.
struct Bound(f64);

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is_finite() {
            true => f.pad(&format!("{:.4}", self.0)),
            false if self.0 < 0.0 => f.pad("−∞"),
            false => f.pad("∞"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::Source;

    #[test]
    fn the_summary_shows_mass_and_limits_with_units() {
        let bytes = include_bytes!("../tests/support/leg.urdf").as_slice().into();
        let model = RobotModel::from_urdf(Source { name: "leg.urdf".into(), bytes }).unwrap();
        let summary = Summary(&model).to_string();
        let lines: Vec<_> = summary.lines().collect();
        assert_eq!(lines[0], "robot   leg");
        assert_eq!(lines[1], "mass    8.800 kg");
        assert_eq!(lines[3], "DoF     3 joints and the floating base's 6; 1 more joint mimics");
        let hip = lines.iter().find(|line| line.starts_with("hip")).unwrap();
        let words: Vec<_> = hip.split_whitespace().collect();
        assert_eq!(words, ["hip", "revolute", "-1.0000", "1.5000", "rad", "6.0000", "rad/s", "80.0000", "N·m"]);
        let wheel = lines.iter().find(|line| line.starts_with("roll")).unwrap();
        assert!(wheel.contains("−∞") && wheel.contains('∞'), "{wheel}");
    }
}
