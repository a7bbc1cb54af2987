//! By how much a link may be elsewhere than its joints' readings say, as the scanner sees it.

use robot_io::{JointKind, JointState};
use robot_model::description::{ActuatorClass, EncoderAt};
use robot_model::{Motion, RobotModel, Tree};

/// How many standard deviations of a reading are believed possible.
const DEVIATIONS: f64 = 3.0;

/// How wrong the position of each joint may be.
#[derive(Clone, Debug)]
pub(super) struct Play {
    /// Half a step of the encoder, its noise and the gear's play [rad or m].
    fixed: Vec<f64>,
    /// What a spring between motor and link gives way [rad/N·m or m/N].
    compliance: Vec<f64>,
    /// Now: with the springs as they are loaded [rad or m].
    now: Vec<f64>,
    /// How far each joint moves away during the present scan from where it is at its middle [rad or m].
    moved: Vec<f64>,
}

/// A joint between scanner and part, or one that carries both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lever {
    joint: usize,
    /// How far the part moves at most [m] for each radian or metre of the joint.
    length: f64,
    /// Whether the joint lies between the two, so that an error of its reading matters.
    is_between: bool,
    /// Whether it matters that it moves during a scan: the scanner is placed beam by beam, the part only once.
    carries: bool,
}

impl Play {
    /// For all joints of a robot.
    pub fn new(model: &RobotModel) -> Play {
        let actuators = || (0..model.tree.dof()).map(|joint| model.description.actuator_of(joint));
        // an encoder on the link has neither play nor spring between
        let behind = |actuator: &&ActuatorClass| actuator.encoder_at == EncoderAt::Motor;
        let fixed = actuators().map(|actuator| {
            let play = actuator.filter(behind).map_or(0.0, |a| a.backlash);
            actuator.map_or(0.0, |a| 0.5 * a.encoder_step() + DEVIATIONS * a.position_noise + play)
        });
        let spring = |stiffness: f64| if stiffness > 0.0 { 1.0 / stiffness } else { 0.0 };
        let compliance = actuators().map(|actuator| actuator.filter(behind).and_then(|a| a.spring).map_or(0.0, spring));
        let dof = model.tree.dof();
        Play { fixed: fixed.collect(), compliance: compliance.collect(), now: vec![0.0; dof], moved: vec![0.0; dof] }
    }

    /// Takes in a scan: efforts, and the joints' positions at its begin, middle and end.
    pub fn take(&mut self, joints: &[JointState], [begin, middle, end]: [&[f64]; 3]) {
        for (joint, state) in joints.iter().enumerate().take(self.now.len()) {
            self.now[joint] = self.fixed[joint] + self.compliance[joint] * state.effort.abs();
            self.moved[joint] = (begin[joint] - middle[joint]).abs().max((end[joint] - middle[joint]).abs());
        }
    }

    /// How far a part with these levers may be from where it is believed to be [m].
    pub fn of(&self, levers: &[Lever]) -> f64 {
        let each = levers.iter().map(|lever| {
            let error = if lever.is_between { self.now[lever.joint] } else { 0.0 };
            let moved = if lever.carries { self.moved[lever.joint] } else { 0.0 };
            lever.length * (error + moved)
        });
        each.sum()
    }
}

/// The joints that matter for a part of `size` [m] about the origin of a link, seen from the link of the scanner. Lengths
/// hold in every posture: they are measured along the links.
pub(super) fn levers(tree: &Tree, link: usize, size: f64, scanner: usize) -> Vec<Lever> {
    let above_scanner: Vec<usize> = upwards(tree, scanner).collect();
    let mut levers = Vec::new();
    let (mut length, mut meeting) = (size, None);
    for above in upwards(tree, link) {
        let is_between = !above_scanner.contains(&above);
        if !is_between {
            meeting.get_or_insert((above, length));
        }
        levers.extend(lever(tree, above, length, is_between, true));
        length += step(tree, above);
    }
    let Some((meeting, mut length)) = meeting else { return levers };
    // down again to the scanner
    let down = above_scanner.iter().rev().skip_while(|link| **link != meeting).skip(1);
    for &below in down {
        length += step(tree, below);
        levers.extend(lever(tree, below, length, true, false));
    }
    levers
}

fn lever(tree: &Tree, link: usize, length: f64, is_between: bool, carries: bool) -> Option<Lever> {
    let (joint, share) = match tree.links[link].motion {
        Motion::Fixed => return None,
        Motion::Joint(joint) => (joint, 1.0),
        Motion::Mimic(mimic) => (mimic.joint, mimic.multiplier.abs()),
    };
    let length = if tree.kind(link) == Some(JointKind::Prismatic) { 1.0 } else { length };
    Some(Lever { joint, length: share * length, is_between, carries })
}

/// From a link's origin to its parent's, at most [m].
fn step(tree: &Tree, link: usize) -> f64 {
    let slides = tree.kind(link) == Some(JointKind::Prismatic);
    let limits = |joint: usize| tree.joints[joint].limits;
    let travel = match tree.links[link].motion {
        Motion::Joint(joint) if slides => limits(joint).lower.abs().max(limits(joint).upper.abs()),
        _ => 0.0,
    };
    tree.links[link].placement_in_parent.translation.vector.norm() + travel
}

/// A link and all that carry it.
fn upwards(tree: &Tree, link: usize) -> impl Iterator<Item = usize> {
    core::iter::successors(Some(link), |link| tree.links.get(*link)?.parent)
}
