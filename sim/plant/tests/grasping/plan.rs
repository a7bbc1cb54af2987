//! From a grasp to ways of an arm: before it, at it, up, and turned.

use manipulation::{
    Checker, CollisionModel, CollisionSettings, Grasp, GraspObject, Hand, JointPath, Keyframe, KeyframePlanner,
    LimbGoal, Motion, MotionError, MotionSettings, Object, Role, Scene, SerialChain, Solid, Way,
};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::bench::Bench;

/// From where the hand comes straight [m], how far it lifts [m], by how much it turns then [rad].
const BEFORE: f64 = 0.12;
/// Until then the hand keeps so far from the object [m], beside the checker's margin: what perception may be wrong by.
const WRONG: f64 = 0.012;
const LIFT: f64 = 0.15;
const TURN: f64 = core::f64::consts::PI / 6.0;
/// The hand may come from below by no more than this, as the sine of the angle.
const FROM_BELOW: f64 = 0.2;

/// What is planned once for a robot and a hand.
pub struct Reacher {
    pub hand: Hand,
    pub group: Vec<usize>,
    model: CollisionModel,
    planner: KeyframePlanner,
    tree: robot_model::Tree,
    table: Object,
}

/// Four ways of the arm, and which grasp they are for.
pub struct Reach {
    pub number: usize,
    pub grasp: Grasp,
    pub ways: [JointPath; 4],
}

/// What is known while a grasp is planned.
pub struct Situation<'s> {
    pub object: &'s GraspObject,
    pub object_in_world: Isometry3<f64>,
    pub base_in_world: Isometry3<f64>,
    /// Where all joints are.
    pub joints: Vec<f64>,
}

/// What is around, with open fingers: the object in the way, at the fingers, and in the hand.
struct Surroundings {
    preshape: f64,
    joints: Vec<f64>,
    before: Checker,
    at: Checker,
    held: Checker,
}

impl Surroundings {
    fn new(reacher: &Reacher, situation: &Situation, preshape: f64) -> Result<Surroundings, MotionError> {
        let mut joints = situation.joints.clone();
        reacher.set_fingers(&mut joints, preshape);
        let checker = |role: Role| -> Result<Checker, MotionError> {
            let mut scene = Scene::default();
            scene.add(reacher.table.clone())?;
            for (number, placed) in situation.object.solids().into_iter().enumerate() {
                let (name, pose) = (format!("part {number}"), situation.object_in_world * placed.pose);
                let solid = if role == Role::Obstacle { grown(placed.solid) } else { placed.solid };
                scene.add(Object { name, solid, pose, role, held: None })?;
            }
            Ok(Checker::new(&reacher.model, &scene, &situation.base_in_world, &reacher.group, &joints)?)
        };
        let at = checker(Role::Target { hand: reacher.hand.link() })?;
        Ok(Surroundings { preshape, before: checker(Role::Obstacle)?, at, held: checker(Role::Ignored)?, joints })
    }
}

impl Reacher {
    /// Of the left arm and hand.
    pub fn new(bench: &Bench) -> Reacher {
        let robot = &bench.robot;
        let standing = robot.description.pose("stand").unwrap().positions.clone();
        let settings = CollisionSettings { excess: 0.006, margin: 0.005 };
        let model = CollisionModel::new(robot, &standing, settings, |_| None).unwrap();
        let hand = Hand::new(robot, "left_hand", &model).unwrap();
        let group = robot.description.limb("left_arm").unwrap().joints.clone();
        let chain = SerialChain::new(&robot.tree, robot.tree.link("torso_link").unwrap(), hand.link()).unwrap();
        let planner = KeyframePlanner::new(&robot.tree, &group, vec![chain], MotionSettings::default()).unwrap();
        Reacher { hand, group, model, planner, tree: robot.tree.clone(), table: bench.table() }
    }

    /// The first of the grasps that the arm gets to, lifts and turns from.
    pub fn choose(&self, grasps: &[Grasp], situation: &Situation) -> Result<Reach, String> {
        let mut last = "no grasp".to_owned();
        let mut surroundings: Option<Surroundings> = None;
        for (number, grasp) in grasps.iter().enumerate() {
            let ahead = situation.object_in_world.rotation * grasp.approach_in_object.into_inner();
            if ahead.z > FROM_BELOW {
                continue;
            }
            let known = surroundings.take().filter(|known| known.preshape == grasp.preshape);
            let mut around = known.unwrap_or_else(|| Surroundings::new(self, situation, grasp.preshape).unwrap());
            match self.ways(grasp, situation, &mut around) {
                Ok(ways) => return Ok(Reach { number, grasp: *grasp, ways }),
                Err(why) => last = why.to_string(),
            }
            surroundings = Some(around);
        }
        Err(last)
    }

    fn ways(
        &self,
        grasp: &Grasp,
        situation: &Situation,
        around: &mut Surroundings,
    ) -> Result<[JointPath; 4], MotionError> {
        let mut all = around.joints.clone();
        let at = situation.object_in_world * grasp.hand_in_object;
        let before = situation.object_in_world * grasp.before(BEFORE);
        let to = self.way(situation, Way::Joints, &before, &mut all, &mut around.before)?;
        let there = self.way(situation, Way::Cartesian, &at, &mut all, &mut around.at)?;
        let lifted = Translation3::new(0.0, 0.0, LIFT) * at;
        let up = self.way(situation, Way::Cartesian, &lifted, &mut all, &mut around.held)?;
        let mut turned = |sign: f64| {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), sign * TURN);
            let goal = Isometry3::from_parts(lifted.translation, turn * lifted.rotation);
            self.way(situation, Way::Cartesian, &goal, &mut all.clone(), &mut around.held)
        };
        let aside = turned(1.0).or_else(|_| turned(-1.0))?;
        Ok([to, there, up, aside])
    }

    fn set_fingers(&self, all: &mut [f64], share: f64) {
        let positions = self.hand.positions(share);
        self.hand.joints().iter().zip(positions).for_each(|(joint, position)| all[*joint] = position);
    }

    /// The hand's way to a pose in the world; `all` is moved to its end.
    fn way(
        &self,
        situation: &Situation,
        way: Way,
        hand_in_world: &Isometry3<f64>,
        all: &mut [f64],
        checker: &mut Checker,
    ) -> Result<JointPath, MotionError> {
        let pose_in_base = situation.base_in_world.inv_mul(hand_in_world);
        let goals = vec![LimbGoal::Hand { hand: self.hand.link(), pose_in_base, relative_to: None }];
        let keyframe = Keyframe { name: format!("{way:?}"), goals, way, stops: true };
        let motion = Motion { keyframes: vec![keyframe], ..Motion::default() };
        let path = self.planner.path(&motion, &[], all, Some(checker))?;
        let mut end = vec![0.0; path.dof()];
        path.at(path.length(), &mut end)?;
        self.group.iter().zip(&end).for_each(|(joint, position)| all[*joint] = *position);
        Ok(path)
    }

    /// Limits of the arm's joints as a share of their speeds.
    pub fn limits(&self, share: f64) -> manipulation::MotionLimits {
        manipulation::MotionLimits::of_joints(&self.tree, &self.group, share, 0.4).unwrap()
    }
}

/// A solid with what perception may be wrong by on all sides.
fn grown(solid: Solid) -> Solid {
    match solid {
        Solid::Box { size } => Solid::Box { size: size.add_scalar(2.0 * WRONG) },
        Solid::Cylinder { radius, length } => Solid::Cylinder { radius: radius + WRONG, length: length + 2.0 * WRONG },
        other => other,
    }
}
