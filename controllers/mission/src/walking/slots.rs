//! What a motion can move: each thing has one place for it in the whole body, whichever motion wants it.

use nalgebra::{Isometry3, Translation3, Vector3, Vector6};
use page::Fault;
use robot_io::{JointKind, State};
use robot_model::{Motion as Moves, RobotModel};
use whole_body::{Gaze, Goal, JointGoal, Pose, Posture, Task};

use crate::MissionError;
use crate::motion::{Motion, MotionFrame, PhaseTask};

/// Something that a motion can move.
#[derive(Clone, Debug, State)]
pub(super) struct Slot {
    #[state(fixed)]
    pub kind: Kind,
    /// The task of the whole body that moves it, if it is a link.
    #[state(fixed)]
    pub task: String,
    pub active: bool,
    /// On its way to where it is if no motion wants it.
    pub returns: bool,
    /// From where and to where, in the motion's frame: a pose, a point that is looked at, a height along z, or roll and pitch along x and y.
    pub from: Isometry3<f64>,
    pub to: Isometry3<f64>,
    /// The same of joints [rad].
    #[state(elements)]
    pub from_joints: Vec<f64>,
    #[state(elements)]
    pub to_joints: Vec<f64>,
    /// The acceleration that it takes to be where it shall be [m/s², rad/s²]: a hand may carry more than is known.
    pub lean: Vector6<f64>,
}

/// What a slot moves.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A link, which the joints of a group carry.
    Link { link: usize, group: Option<usize> },
    /// Where a link looks.
    Gaze { link: usize, group: Option<usize> },
    /// Joints.
    Joints { joints: Vec<usize> },
    /// The centre of mass over the ground.
    Height,
    /// How the base leans.
    Trunk,
}

/// A motion with everything looked up.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub frame: MotionFrame,
    pub phases: Vec<Part>,
    pub within: f64,
    pub turned_within: f64,
}

/// A phase of it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub seconds: f64,
    pub hold: f64,
    pub aims: Vec<Aim>,
}

/// What a phase wants of a slot.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    pub slot: usize,
    pub to: Isometry3<f64>,
    pub joints: Vec<f64>,
    /// Weight, gains, axes and points.
    pub task: Task,
}

/// Joints that hold a posture together, and the task that does it.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub name: String,
    pub joints: Vec<usize>,
}

/// Plans and slots of a mission's motions, and the tasks that the whole body needs for them.
#[derive(Debug, Default)]
pub(super) struct Bound {
    pub plans: Vec<Plan>,
    pub slots: Vec<Slot>,
    pub tasks: Vec<Task>,
}

impl Bound {
    /// Looks up what motions name; refused with file and line.
    pub fn new(model: &RobotModel, groups: &[Group], motions: &[&Motion]) -> Result<Bound, MissionError> {
        let mut bound = Bound::default();
        for motion in motions {
            let mut phases = Vec::new();
            for phase in &motion.phases {
                let aims = phase.tasks.iter().map(|wanted| bound.aim(model, groups, wanted, &motion.file));
                let aims: Vec<Aim> = aims.collect::<Result<_, MissionError>>()?;
                for (number, aim) in aims.iter().enumerate() {
                    if aims[..number].iter().any(|other| other.slot == aim.slot) {
                        let PhaseTask { task, line } = &phase.tasks[number];
                        let message = format!("task \"{}\": expected one task for each thing, found two", task.name);
                        return Err(Fault::new(&motion.file, *line, message).into());
                    }
                }
                phases.push(Part { seconds: phase.seconds, hold: phase.hold, aims });
            }
            let Motion { frame, within, turned_within, .. } = **motion;
            bound.plans.push(Plan { frame, phases, within, turned_within });
        }
        Ok(bound)
    }

    fn aim(
        &mut self,
        model: &RobotModel,
        groups: &[Group],
        wanted: &PhaseTask,
        file: &str,
    ) -> Result<Aim, MissionError> {
        let PhaseTask { task, line } = wanted;
        let names = Names { model, groups };
        let found = names.look_up(task).map_err(|message| {
            MissionError::from(Fault::new(file, *line, format!("task \"{}\": {message}", task.name)))
        })?;
        let (kind, goal, to, joints) = found;
        let task = Task { goal, ..task.clone() };
        let slot = self.slots.iter().position(|slot| slot.kind == kind);
        let slot = slot.unwrap_or_else(|| self.add(kind, &task, joints.len()));
        Ok(Aim { slot, to, joints, task })
    }

    fn add(&mut self, kind: Kind, task: &Task, joints: usize) -> usize {
        let name = format!("motion {}", self.slots.len() + 1);
        if !matches!(kind, Kind::Height | Kind::Trunk | Kind::Joints { .. }) {
            self.tasks.push(Task { name: name.clone(), level: 0, ..task.clone() });
        }
        let here = Isometry3::identity();
        let (from_joints, to_joints) = (vec![0.0; joints], vec![0.0; joints]);
        let (active, returns, lean) = (false, false, Vector6::zeros());
        self.slots.push(Slot { kind, task: name, active, returns, from: here, to: here, from_joints, to_joints, lean });
        self.slots.len() - 1
    }
}

/// A kind of slot, the task's goal with the robot's own names, and where it leads.
type Found = (Kind, Goal, Isometry3<f64>, Vec<f64>);

struct Names<'a> {
    model: &'a RobotModel,
    groups: &'a [Group],
}

impl Names<'_> {
    fn look_up(&self, task: &Task) -> Result<Found, String> {
        let here = Isometry3::identity();
        match &task.goal {
            Goal::CenterOfMass(goal) => {
                let to = Translation3::new(0.0, 0.0, goal.position.z).into();
                Ok((Kind::Height, task.goal.clone(), to, Vec::new()))
            }
            Goal::Pose(goal) => self.pose(goal),
            Goal::Gaze(goal) => {
                let link = self.link(&goal.link)?;
                let group = Some(self.group(link).ok_or_else(|| self.not_free(&goal.link))?);
                let name = self.model.tree.links[link].name.clone();
                let to = Translation3::from(goal.target_in_world).into();
                Ok((Kind::Gaze { link, group }, Goal::Gaze(Gaze { link: name, ..goal.clone() }), to, Vec::new()))
            }
            Goal::Posture(goal) => {
                let joints = goal.joints.iter().map(|joint| self.joint(joint)).collect::<Result<Vec<_>, String>>()?;
                let to = goal.joints.iter().map(|joint| joint.position).collect();
                Ok((Kind::Joints { joints }, Goal::Posture(Posture { joints: goal.joints.clone() }), here, to))
            }
            Goal::AngularMomentum(_) => Err("angular momentum is left to balance".to_owned()),
        }
    }

    fn pose(&self, goal: &Pose) -> Result<Found, String> {
        let link = self.link(&goal.link)?;
        let name = self.model.tree.links[link].name.clone();
        let found = Goal::Pose(Pose { link: name, ..goal.clone() });
        if link == 0 {
            if goal.axes[..3].contains(&true) {
                return Err("expected roll_pitch_yaw alone of the base, whose place is left to balance".to_owned());
            }
            let (roll, pitch, _) = goal.pose_in_world.rotation.euler_angles();
            return Ok((Kind::Trunk, found, Translation3::new(roll, pitch, 0.0).into(), Vec::new()));
        }
        let group = Some(self.group(link).ok_or_else(|| self.not_free(&goal.link))?);
        Ok((Kind::Link { link, group }, found, goal.pose_in_world, Vec::new()))
    }

    /// A link by its name or that of its end effector.
    fn link(&self, name: &str) -> Result<usize, String> {
        let (tree, description) = (&self.model.tree, &self.model.description);
        let effector = description.end_effector(name).map(|effector| effector.link);
        effector.or_else(|| tree.link(name)).ok_or_else(|| {
            let known: Vec<&str> = description.end_effectors.iter().map(|effector| effector.name.as_str()).collect();
            format!("link: expected {} or a link, found '{name}'", known.join(", "))
        })
    }

    /// The group of the last joint before a link, if no leg carries the link.
    fn group(&self, link: usize) -> Option<usize> {
        let links = &self.model.tree.links;
        let up = core::iter::successors(Some(link), |link| links[*link].parent);
        let joint = up.into_iter().find_map(|link| match links[link].motion {
            Moves::Joint(joint) => Some(joint),
            Moves::Mimic(mimic) => Some(mimic.joint),
            Moves::Fixed => None,
        })?;
        self.groups.iter().position(|group| group.joints.contains(&joint))
    }

    fn not_free(&self, link: &str) -> String {
        format!("link: expected one that is in no leg of '{}', found '{link}'", self.model.name)
    }

    fn joint(&self, goal: &JointGoal) -> Result<usize, String> {
        let JointGoal { joint: name, position, .. } = goal;
        let tree = &self.model.tree;
        let is_free = |joint: &usize| {
            let turns = tree.joints[*joint].kind == JointKind::Continuous;
            !turns && self.groups.iter().any(|group| group.joints.contains(joint))
        };
        let found = tree.joint(name).filter(is_free);
        let joint = found.ok_or_else(|| {
            let known = (0..tree.dof()).filter(is_free).map(|joint| tree.joints[joint].name.as_str());
            format!("joint: expected one of {}, found '{name}'", known.collect::<Vec<_>>().join(", "))
        })?;
        let limits = &tree.joints[joint].limits;
        if !(limits.lower..=limits.upper).contains(position) {
            let (lower, upper) = (limits.lower, limits.upper);
            return Err(format!("joint {name}: expected a position from {lower} to {upper} [rad], found {position}"));
        }
        Ok(joint)
    }
}

/// The joints that are in no leg, limb by limb, each group called `posture` and its limb; those of no limb come last.
pub(super) fn groups(posture: &str, model: &RobotModel, is_free: impl Fn(usize) -> bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for limb in &model.description.limbs {
        let taken = |joint: &usize| groups.iter().any(|group| group.joints.contains(joint));
        let joints: Vec<usize> = limb.joints.iter().copied().filter(|joint| is_free(*joint) && !taken(joint)).collect();
        if !joints.is_empty() {
            groups.push(Group { name: format!("{posture} {}", limb.name), joints });
        }
    }
    let taken = |joint: &usize| groups.iter().any(|group| group.joints.contains(joint));
    let rest: Vec<usize> = (0..model.tree.dof()).filter(|joint| is_free(*joint) && !taken(joint)).collect();
    if !rest.is_empty() {
        groups.push(Group { name: posture.to_owned(), joints: rest });
    }
    groups
}

/// The point of a link that a task looks at, in the link's frame; what a gaze looks at lies ahead.
pub(super) fn point_of(task: &Task) -> Vector3<f64> {
    match &task.goal {
        Goal::Pose(pose) => pose.point_in_link,
        Goal::Gaze(gaze) => gaze.axis_in_link.normalize() * 2.0,
        _ => Vector3::zeros(),
    }
}
