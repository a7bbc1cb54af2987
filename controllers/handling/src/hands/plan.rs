//! How a hand gets where it is wanted: slow work, done beside the cycle.

use std::sync::Arc;

use manipulation::{
    Checker, CollisionModel, Goal, Hit, IkSettings, InverseKinematics, JointPath, Keyframe, KeyframePlanner, LimbGoal,
    ManipulationError, Motion, MotionError, MotionLimits, MotionSettings, Scene, Touching, Trajectory, Way,
};
use nalgebra::Isometry3;
use robot_io::{ShortName, State};
use robot_model::{Configuration, Data, forward_kinematics};

use super::course::Course;
use super::goal::{HandFailure, HandTask, Shift};
use super::insert::Search;
use super::scene::{HeldThing, Touch, scene};
use super::sway::Stood;
use crate::known::Known;
use crate::setup::{ArmSetup, Body};

/// A joint reaches its speed within this time [s]; chosen.
pub(super) const RISE: f64 = 0.3;
/// Inverse kinematics looks for so many answers, of which the nearest is taken.
const ANSWERS: u32 = 4;
/// After so many places that can be reached no others are looked at: the way to one of them is the nearest; chosen.
pub(super) const ENOUGH: usize = 3;
/// A joint at rest may be so far beyond its limit as it is measured [rad].
const BEYOND: f64 = 0.02;

/// What is asked.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub body: Arc<Body>,
    pub arm: usize,
    pub task: HandTask,
    pub speed: f64,
    /// The hand that goes along.
    pub with: Option<ShortName>,
    /// Where all joints are told to be, or are where nobody tells them [rad or m].
    pub joints: Vec<f64>,
    pub base_in_odom: Isometry3<f64>,
    pub known: Known,
    /// For each arm what its hand holds.
    pub held: Vec<Option<HeldThing>>,
    /// How far a search for a hole has got.
    pub search: Search,
}

/// What was found: one way after the other, and the fingers between them.
#[derive(Clone, Debug, Default, State)]
pub(super) struct Planned {
    pub failure: Option<HandFailure>,
    pub legs: Vec<Leg>,
    /// The arm that goes along: its joints come behind those of the arm itself.
    pub with: Option<usize>,
    /// What is to be grasped at the end of the last way.
    pub grasp: Option<Grip>,
    /// Where a search for a hole began: the hand in the odometry frame.
    pub search_from: Option<Isometry3<f64>>,
}

/// A way to go.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(super) struct Leg {
    pub way: Trajectory,
    /// What may be met on it.
    pub touch: Touch,
    /// Only the smaller margin is kept on it.
    pub is_close: bool,
    /// Where the hand goes on it, if it is led straight or around something.
    pub course: Option<Course>,
    /// It ends where something holds against it with this force [N].
    pub until: Option<f64>,
}

/// A grasp that was chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Grip {
    /// The share of their way to closed at which fingers come to the object …
    pub preshape: f64,
    /// … and how far apart they are around it [m].
    pub width: f64,
    /// The share of their force with which they hold it.
    pub force: f64,
    /// What will be held.
    pub thing: HeldThing,
    /// Where the object was, in the base's frame.
    pub object_in_base: Isometry3<f64>,
}

/// One question at work: everything that its parts share.
pub(super) struct Work<'q> {
    pub question: &'q Question,
    pub setup: &'q ArmSetup,
    /// The links in the odometry frame.
    pub data: Data,
    /// The arm that goes along.
    pub second: Option<usize>,
    /// The joints that move: the arm's, and those of the one that goes along; and where they are.
    pub group: Vec<usize>,
    pub start: Vec<f64>,
    limits: MotionLimits,
    lines: KeyframePlanner,
}

/// Why there is no plan.
pub(super) type Refusal = HandFailure;

impl Question {
    /// Looks for a way.
    pub fn answer(&self) -> Planned {
        let planned = Work::new(self).and_then(|work| Ok(Planned { with: work.second, ..work.plan()? }));
        planned.unwrap_or_else(|failure| Planned { failure: Some(failure), ..Planned::default() })
    }

    /// Where the links are in the odometry frame.
    fn links(&self) -> Data {
        let tree = &self.body.robot.tree;
        let mut data = Data::new(tree);
        let configuration = Configuration { base_in_world: self.base_in_odom, joints: self.joints.clone() };
        forward_kinematics(tree, &configuration, &mut data);
        data
    }

    /// How the robot stands, if what is planned are ways of the hand.
    pub fn stood(&self) -> Option<Stood> {
        let root = self.body.arms[self.arm].chain.root();
        let is_of_hand = !matches!(self.task, HandTask::Pose(_));
        let stood = || Stood { base_in_odom: self.base_in_odom, root_in_odom: self.links().link_in_world[root] };
        is_of_hand.then(stood)
    }
}

impl<'q> Work<'q> {
    pub fn new(question: &'q Question) -> Result<Work<'q>, Refusal> {
        let setup = &question.body.arms[question.arm];
        let tree = &question.body.robot.tree;
        let data = question.links();
        let within = |joint: &usize| {
            let (position, limits) = (question.joints[*joint], &tree.joints[*joint].limits);
            let is_near = position > limits.lower - BEYOND && position < limits.upper + BEYOND;
            if is_near { position.max(limits.lower).min(limits.upper) } else { position }
        };
        let second = question.second()?;
        let setups = || core::iter::once(setup).chain(second.map(|second| &question.body.arms[second]));
        let group: Vec<usize> = setups().flat_map(|setup| &setup.joints).copied().collect();
        let start = group.iter().map(within).collect();
        let limits = MotionLimits::of_joints(tree, &group, question.speed, RISE).map_err(|_| HandFailure::BadGoal)?;
        let hands = setups().map(|setup| setup.chain.clone()).collect();
        let lines = KeyframePlanner::new(tree, &group, hands, MotionSettings::default()).map_err(refused)?;
        Ok(Work { question, setup, data, second, group, start, limits, lines })
    }

    fn plan(&self) -> Result<Planned, Refusal> {
        match self.question.task {
            HandTask::Pose(name) => self.to_pose(&name),
            HandTask::Reach(place) => self.to_place(&place),
            HandTask::Shift(shift) => self.straight(&shift),
            HandTask::Grasp(taking) => self.grasp(&taking),
            HandTask::Insert(insertion) => self.insert(&insertion),
            HandTask::Turn(turn) => self.turn(&turn),
            HandTask::Nothing | HandTask::Release | HandTask::Fingers(_) => Ok(Planned::default()),
        }
    }

    fn to_pose(&self, name: &ShortName) -> Result<Planned, Refusal> {
        let description = &self.question.body.robot.description;
        let pose = description.pose(&name.to_string()).ok_or(HandFailure::NoPose(*name))?;
        let goal: Vec<f64> = self.setup.joints.iter().map(|joint| pose.positions[*joint]).collect();
        Ok(Planned { legs: self.around(Touch::Nothing, &[goal])?.1, ..Planned::default() })
    }

    fn straight(&self, shift: &Shift) -> Result<Planned, Refusal> {
        let hand = self.hand();
        let by = if shift.in_hand { hand.rotation * shift.by } else { self.question.base_in_odom.rotation * shift.by };
        let wanted = Isometry3::from_parts((hand.translation.vector + by).into(), hand.rotation);
        let touch = if shift.may_touch { Touch::Anything } else { Touch::Nothing };
        let mut checker = self.checker(touch, &self.question.body.close)?;
        let (leg, _) = self.line(&wanted, &self.question.joints, touch, &mut checker)?;
        self.only(Leg { until: shift.until, ..leg })
    }

    fn only(&self, leg: Leg) -> Result<Planned, Refusal> {
        Ok(Planned { legs: vec![leg], ..Planned::default() })
    }

    /// The hand in the odometry frame.
    pub fn hand(&self) -> Isometry3<f64> {
        self.data.link_in_world[self.setup.link]
    }

    /// A checker for the arm among what is known.
    pub fn checker(&self, touch: Touch, model: &CollisionModel) -> Result<Checker, Refusal> {
        self.checker_of(touch, model).map_err(refused)
    }

    pub fn checker_of(&self, touch: Touch, model: &CollisionModel) -> Result<Checker, ManipulationError> {
        let question = self.question;
        let scene = self.scene(touch)?;
        Checker::new(model, &scene, &question.base_in_odom, &self.group, &question.joints)
    }

    fn scene(&self, touch: Touch) -> Result<Scene, ManipulationError> {
        let Question { body, known, held, arm, .. } = self.question;
        let hands = body.arms.iter().map(|arm| self.data.link_in_world[arm.link]);
        let held: Vec<_> = held.iter().copied().zip(hands).collect();
        scene(body, known, &held, (*arm, touch))
    }

    /// All joints, with the arm's there.
    pub fn with_arm(&self, arm: &[f64]) -> Vec<f64> {
        let mut joints = self.question.joints.clone();
        self.setup.joints.iter().zip(arm).for_each(|(joint, position)| joints[*joint] = *position);
        joints
    }

    /// Joints of the arm with its hand at a pose in the odometry frame, near to `from`, free of collisions, from which it can go on as it shall.
    pub fn joints_at(
        &self,
        wanted: &Isometry3<f64>,
        from: &[f64],
        checker: &mut Checker,
        mut leads_on: impl FnMut(&[f64]) -> bool,
    ) -> Result<Vec<f64>, Refusal> {
        let settings = IkSettings { answers: ANSWERS, ..IkSettings::default() };
        let search = InverseKinematics::new(self.setup.chain.clone(), settings).map_err(refused)?;
        let root = self.data.link_in_world[self.setup.chain.root()];
        let mut positions = from.to_vec();
        let mut met = None;
        let accepts = |answer: &[f64]| match checker.hit(answer) {
            Ok(None) => leads_on(answer),
            Ok(Some(hit)) => {
                met = met.or(Some(hit));
                false
            }
            Err(_) => false,
        };
        let outcome =
            search.solve_where(&Goal::Pose(root.inv_mul(wanted)), &mut positions, accepts).map_err(refused)?;
        match met {
            _ if outcome.reached => Ok(positions),
            Some(hit) => Err(self.blocked(Touch::Nothing, &hit)),
            None => Err(HandFailure::OutOfReach(outcome.position_error, outcome.orientation_error)),
        }
    }

    /// A straight way of the hand to a pose in the odometry frame from where all joints are, free by a checker of this touch, and where the arm's
    /// joints are at its end.
    pub fn line(
        &self,
        wanted: &Isometry3<f64>,
        joints: &[f64],
        touch: Touch,
        checker: &mut Checker,
    ) -> Result<(Leg, Vec<f64>), Refusal> {
        let pose_in_base = self.question.base_in_odom.inv_mul(wanted);
        let (path, end) = self.hand_path((Way::Cartesian, pose_in_base), joints, touch, checker)?;
        let line = Course::Line { from: self.hand_at(joints).translation.vector, to: wanted.translation.vector };
        let way = self.timed(path).map_err(refused)?;
        Ok((Leg { way, touch, is_close: true, course: Some(line), until: None }, end))
    }

    /// The same on any way of the hand to a pose in the frame of the base.
    pub fn hand_path(
        &self,
        (way, pose_in_base): (Way, Isometry3<f64>),
        joints: &[f64],
        touch: Touch,
        checker: &mut Checker,
    ) -> Result<(JointPath, Vec<f64>), Refusal> {
        let goal = LimbGoal::Hand { hand: self.setup.link, pose_in_base, relative_to: None };
        let goals = core::iter::once(goal).chain(self.along(&pose_in_base, joints)).collect();
        let keyframe = Keyframe { name: "end".to_owned(), goals, way, stops: true };
        let motion = Motion { name: "way".to_owned(), references: Vec::new(), keyframes: vec![keyframe] };
        let path = self.lines.path(&motion, &[], joints, Some(checker)).map_err(|error| match error {
            MotionError::OutOfReach { outcome, .. } => {
                HandFailure::OutOfReach(outcome.position_error, outcome.orientation_error)
            }
            MotionError::Collision(collision) => self.blocked(touch, &collision.hit),
            MotionError::Jump { found, .. } => HandFailure::OutOfReach(0.0, found),
            MotionError::Refused(_) | MotionError::UnknownObject { .. } => HandFailure::BadGoal,
        })?;
        let mut end = vec![0.0; self.group.len()];
        path.at(path.length(), &mut end).map_err(refused)?;
        Ok((path, end))
    }

    /// The hand in the odometry frame with all joints there.
    pub fn hand_at(&self, joints: &[f64]) -> Isometry3<f64> {
        self.hand_of(self.setup, joints)
    }

    /// The hand of an arm, likewise.
    pub fn hand_of(&self, setup: &ArmSetup, joints: &[f64]) -> Isometry3<f64> {
        let own: Vec<f64> = setup.joints.iter().map(|joint| joints[*joint]).collect();
        let hand = setup.chain.forward(&own).unwrap_or_else(|_| Isometry3::identity());
        self.data.link_in_world[setup.chain.root()] * hand
    }

    pub fn timed(&self, path: JointPath) -> Result<Trajectory, ManipulationError> {
        Trajectory::new(path, &self.limits)
    }

    /// The same at another share of the joints' top speeds, if that is less.
    pub fn timed_at(&self, path: JointPath, speed: f64) -> Result<Trajectory, Refusal> {
        let (tree, speed) = (&self.question.body.robot.tree, speed.min(self.question.speed));
        let limits = MotionLimits::of_joints(tree, &self.group, speed, RISE).map_err(refused)?;
        Trajectory::new(path, &limits).map_err(refused)
    }

    pub fn blocked(&self, touch: Touch, hit: &Hit) -> Refusal {
        let scene = self.scene(touch).ok();
        let name = |what: Touching| {
            let name = match what {
                Touching::Link(link) => self.question.body.robot.tree.links[link].name.clone(),
                Touching::Object(object) => {
                    let object = scene.as_ref().and_then(|scene| scene.objects().get(object));
                    object.map_or_else(|| "an object".to_owned(), |object| object.name.clone())
                }
                Touching::Surroundings(_) => "what is around".to_owned(),
            };
            ShortName::new(&name).unwrap_or_default()
        };
        HandFailure::Blocked(name(hit.one), name(hit.other))
    }
}

/// What makes no sense here is a goal that makes none.
pub(super) fn refused(_: ManipulationError) -> Refusal {
    HandFailure::BadGoal
}
