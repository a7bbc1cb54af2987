//! Forward kinematics of one chain, with all that is constant computed before.

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use robot_io::JointKind;
use robot_model::{Chain, Motion, Tree};

use super::align::z_onto;
use super::pose::Matrix;
use crate::error::{ManipulationError, check_numbers};

/// A chain may have so many independent joints.
pub(crate) const MOST_JOINTS: usize = 16;
/// And so many with those that follow them.
const MOST_STEPS: usize = 2 * MOST_JOINTS;

/// The joints between a link and one that hangs on it: an arm, or an arm with the torso.
///
/// Poses are those of the tip's frame in the root's. Positions are those of the chain's own joints in its order,
/// which is [`SerialChain::joints`] [rad or m].
#[derive(Clone, Debug)]
pub struct SerialChain {
    root: usize,
    tip: usize,
    joints: Vec<usize>,
    names: Vec<String>,
    limits: Vec<[f64; 2]>,
    steps: Vec<Step>,
    tip_in_last: Matrix,
    reach: f64,
}

/// A joint on the way: a constant transform to a frame whose z is its axis, then its motion.
#[derive(Clone, Debug)]
struct Step {
    fixed: Matrix,
    /// Index in the chain's joints, and how this joint follows it.
    variable: usize,
    multiplier: f64,
    offset: f64,
    slides: bool,
}

/// What a unit of a joint's speed does to the tip: its velocity [m/s], then its angular velocity [rad/s].
pub(crate) type Column = [f64; 6];

impl SerialChain {
    /// The way from link `root` to link `tip`, by their indices in the tree; refused if there is none, or none with
    /// one to 16 independent joints.
    pub fn new(tree: &Tree, root: usize, tip: usize) -> Result<SerialChain, ManipulationError> {
        let part = "a chain of joints";
        for (field, link) in [("root", root), ("tip", tip)] {
            if link >= tree.links.len() {
                return Err(ManipulationError::refused(part, field, "the index of a link", link));
            }
        }
        let chain = Chain::new(tree, root, tip)
            .map_err(|error| ManipulationError::refused(part, "tip", "a link that hangs on the root", error))?;
        if chain.joints.is_empty() || chain.joints.len() > MOST_JOINTS {
            let expected = format!("1 to {MOST_JOINTS} independent joints");
            return Err(ManipulationError::refused(part, "joints", expected, chain.joints.len()));
        }
        let (steps, tip_in_last) = steps(tree, &chain);
        if steps.len() > MOST_STEPS {
            let expected = format!("at most {MOST_STEPS}, with those that follow others");
            return Err(ManipulationError::refused(part, "joints", expected, steps.len()));
        }
        let limits: Vec<[f64; 2]> = chain.joints.iter().map(|joint| bounds(tree, *joint)).collect();
        let names = chain.joints.iter().map(|joint| tree.joints[*joint].name.clone()).collect();
        let reach = reach(&steps, &tip_in_last, &limits);
        Ok(SerialChain { root, tip, joints: chain.joints, names, limits, steps, tip_in_last, reach })
    }

    /// The link in whose frame poses are given.
    pub fn root(&self) -> usize {
        self.root
    }

    /// The link whose pose it is.
    pub fn tip(&self) -> usize {
        self.tip
    }

    /// How many independent joints there are.
    pub fn dof(&self) -> usize {
        self.joints.len()
    }

    /// The independent joints from root to tip, as indices in the tree.
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The lowest and the highest position of each joint [rad or m]; where it has no limits, half a turn each way.
    pub fn limits(&self) -> &[[f64; 2]] {
        &self.limits
    }

    /// No point of the tip's frame's origin is farther than this from the first joint [m].
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The chain's joints among the positions of all joints of the tree.
    pub fn of_all(&self, all: &[f64]) -> Result<Vec<f64>, ManipulationError> {
        let pick = |joint: &usize| all.get(*joint).copied();
        let picked: Option<Vec<f64>> = self.joints.iter().map(pick).collect();
        let expected = "one position for each joint of the tree";
        picked.ok_or_else(|| ManipulationError::refused("positions", "length", expected, all.len()))
    }

    /// The tip's pose in the root's frame; refused unless there is one finite position for each joint.
    pub fn forward(&self, positions: &[f64]) -> Result<Isometry3<f64>, ManipulationError> {
        check_numbers("a chain's positions", "positions", self.dof(), positions)?;
        let Matrix { rotation, place } = self.tip_at(positions, None);
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(rotation);
        Ok(Isometry3::from_parts(Translation3::from(place), UnitQuaternion::from_rotation_matrix(&rotation)))
    }

    /// The tip's pose and, where wanted, the Jacobian's columns, along the root's axes. `positions` and `columns` have
    /// one entry a joint.
    pub(crate) fn tip_at(&self, positions: &[f64], columns: Option<&mut [Column]>) -> Matrix {
        let mut axes = [(Vector3::zeros(), Vector3::zeros()); MOST_STEPS];
        let (mut rotation, mut place) = (Matrix3::identity(), Vector3::zeros());
        for (step, axis) in self.steps.iter().zip(&mut axes) {
            place += rotation * step.fixed.place;
            rotation *= step.fixed.rotation;
            let along: Vector3<f64> = rotation.column(2).into();
            let position = step.multiplier * positions[step.variable] + step.offset;
            if step.slides {
                place += along * position;
            } else {
                let (sin, cos) = libm::sincos(position);
                let (x, y): (Vector3<f64>, Vector3<f64>) = (rotation.column(0).into(), rotation.column(1).into());
                rotation.set_column(0, &(x * cos + y * sin));
                rotation.set_column(1, &(y * cos - x * sin));
            }
            *axis = (along, place);
        }
        place += rotation * self.tip_in_last.place;
        rotation *= self.tip_in_last.rotation;
        if let Some(columns) = columns {
            self.fill(columns, &axes, &place);
        }
        Matrix { rotation, place }
    }

    fn fill(&self, columns: &mut [Column], axes: &[(Vector3<f64>, Vector3<f64>)], tip: &Vector3<f64>) {
        columns.fill([0.0; 6]);
        for (step, (along, place)) in self.steps.iter().zip(axes) {
            let (linear, angular) = match step.slides {
                true => (*along, Vector3::zeros()),
                false => (along.cross(&(tip - place)), *along),
            };
            let column = &mut columns[step.variable];
            for axis in 0..3 {
                column[axis] += step.multiplier * linear[axis];
                column[3 + axis] += step.multiplier * angular[axis];
            }
        }
    }
}

/// The limits of a joint; half a turn each way, or a metre, where it has none.
pub(crate) fn bounds(tree: &Tree, joint: usize) -> [f64; 2] {
    let (limits, kind) = (&tree.joints[joint].limits, tree.joints[joint].kind);
    let far = if kind == JointKind::Prismatic { 1.0 } else { core::f64::consts::PI };
    [limits.lower, limits.upper].map(|limit| if limit.is_finite() { limit } else { far.copysign(limit) })
}

fn steps(tree: &Tree, chain: &Chain) -> (Vec<Step>, Matrix) {
    let mut steps = Vec::new();
    let mut carried = Isometry3::identity();
    for &index in &chain.links {
        let link = &tree.links[index];
        carried *= link.placement_in_parent;
        let (joint, multiplier, offset) = match link.motion {
            Motion::Fixed => continue,
            Motion::Joint(joint) => (joint, 1.0, 0.0),
            Motion::Mimic(mimic) => (mimic.joint, mimic.multiplier, mimic.offset),
        };
        let align = z_onto(&link.axis_in_link);
        let variable = chain.joints.iter().position(|known| *known == joint).unwrap_or(0);
        let slides = tree.kind(index) == Some(JointKind::Prismatic);
        steps.push(Step { fixed: matrix(&(carried * align)), variable, multiplier, offset, slides });
        carried = Isometry3::from_parts(Translation3::identity(), align.inverse());
    }
    (steps, matrix(&carried))
}

fn matrix(pose: &Isometry3<f64>) -> Matrix {
    Matrix { rotation: pose.rotation.to_rotation_matrix().into_inner(), place: pose.translation.vector }
}

fn reach(steps: &[Step], tip_in_last: &Matrix, limits: &[[f64; 2]]) -> f64 {
    let slide = |step: &Step| {
        let ends = limits[step.variable].map(|limit| (step.multiplier * limit + step.offset).abs());
        if step.slides { ends[0].max(ends[1]) } else { 0.0 }
    };
    let between: f64 = steps.iter().skip(1).map(|step| step.fixed.place.norm()).sum();
    between + steps.iter().map(slide).sum::<f64>() + tip_in_last.place.norm()
}
