//! How the joints are held in a fall, for any robot with two feet: which of them are arms, legs and head is told by the limbs of its file.
//!
//! An arm is a limb that ends in an end effector and in no foot. Places of hands and soles are given for falls to the front, the back and the side;
//! between them they are blended. The head goes where it is farthest from the ground that comes.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector2, Vector3};
use robot_io::JointKind;
use robot_model::description::{Foot, Limb};
use robot_model::{Configuration, Data, RobotModel, Tree, forward_kinematics};
use whole_body::{Goal, InverseKinematics, JointGoal, Pose, Posture, Task, WholeBodyError};

use super::super::head::head;
use crate::fall_settings::FallPosture;

/// The search begins so far on the way from zero to the middle of each joint's range: stretched limbs do not know where to bend.
const BENT: f64 = 0.5;
/// A head's joint is tried at this many places of its range and one, and each so many times.
const PLACES: usize = 8;
const ROUNDS: usize = 3;
/// How much each joint's place counts beside hands and feet.
const REST: f64 = 0.01;

const DIAGONAL: f64 = core::f64::consts::FRAC_1_SQRT_2;
/// Unit vectors ahead and to the left.
const DIRECTIONS: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [DIAGONAL, DIAGONAL],
    [0.0, 1.0],
    [-DIAGONAL, DIAGONAL],
    [-1.0, 0.0],
    [-DIAGONAL, -DIAGONAL],
    [0.0, -1.0],
    [DIAGONAL, -DIAGONAL],
];

/// The joints' places [rad], for each of eight directions to fall.
#[derive(Clone, Debug)]
pub(super) struct Poses([Vec<f64>; 8]);

impl Poses {
    /// The tree has knees that stay bent.
    pub fn new(
        model: &RobotModel,
        tree: &Tree,
        feet: [&Foot; 2],
        settings: &FallPosture,
    ) -> Result<Poses, WholeBodyError> {
        let builder = Builder::new(model, tree, feet, settings);
        let mut poses = Poses(Default::default());
        for (pose, towards) in poses.0.iter_mut().zip(DIRECTIONS) {
            *pose = builder.pose(Vector2::from(towards))?;
        }
        Ok(poses)
    }

    /// Those of the nearest direction, ahead and to the left.
    pub fn towards(&self, direction: &Vector2<f64>) -> &[f64] {
        let along = |number: &usize| direction.dot(&Vector2::from(DIRECTIONS[*number]));
        let nearest = (0..DIRECTIONS.len()).max_by(|one, other| along(one).total_cmp(&along(other)));
        &self.0[nearest.unwrap_or(0)]
    }
}

/// A place for falls ahead or back, and one for those to a side, as far as a direction is the one or the other.
fn blend(towards: Vector2<f64>, along: [f64; 3], aside: [f64; 3]) -> Vector3<f64> {
    Vector3::from(along) * (towards.x * towards.x) + Vector3::from(aside) * (towards.y * towards.y)
}

struct Builder<'m> {
    model: &'m RobotModel,
    tree: &'m Tree,
    feet: [&'m Foot; 2],
    settings: &'m FallPosture,
    /// With all joints at zero.
    straight: Data,
}

impl<'m> Builder<'m> {
    fn new(model: &'m RobotModel, tree: &'m Tree, feet: [&'m Foot; 2], settings: &'m FallPosture) -> Builder<'m> {
        let mut straight = Data::new(tree);
        forward_kinematics(tree, &Configuration::zero(tree), &mut straight);
        Builder { model, tree, feet, settings, straight }
    }

    fn place(&self, link: usize) -> Vector3<f64> {
        self.straight.link_in_base[link].translation.vector
    }

    fn link_of(&self, joint: usize) -> usize {
        self.tree.joints[joint].link
    }

    fn pose(&self, towards: Vector2<f64>) -> Result<Vec<f64>, WholeBodyError> {
        let mut tasks =
            vec![Task::new("base", 0, Goal::Pose(Pose::at(&self.tree.links[0].name, Isometry3::identity())))];
        tasks.extend(self.feet.iter().enumerate().map(|(number, foot)| self.foot(number, foot, towards)));
        let limbs = &self.model.description.limbs;
        tasks.extend(limbs.iter().enumerate().filter_map(|(number, limb)| self.hand(number, limb, towards)));
        let goals = self.rest();
        let joints = goals.iter().map(|(joint, goal)| JointGoal::at(&self.tree.joints[*joint].name, *goal)).collect();
        tasks.push(Task::new("rest", 1, Goal::Posture(Posture { joints })).weighing(REST));
        let mut configuration = Configuration::zero(self.tree);
        for (joint, _) in &goals {
            let limits = &self.tree.joints[*joint].limits;
            configuration.joints[*joint] = BENT * 0.5 * (limits.lower + limits.upper);
        }
        InverseKinematics::new(self.tree, tasks)?.solve(&mut configuration)?;
        if let Some(head) = head(self.model) {
            raise(self.tree, &head.joints, &-towards.push(0.0), &mut configuration);
        }
        Ok(configuration.joints)
    }

    /// A sole where its leg lets the body down.
    fn foot(&self, number: usize, foot: &Foot, towards: Vector2<f64>) -> Task {
        let hip = self.model.description.limbs[foot.limb].joints.first().map_or(0, |joint| self.link_of(*joint));
        let (hip, sole) = (self.place(hip), self.straight.link_in_base[foot.link].translation.vector);
        let along = if towards.x < 0.0 { self.settings.backward_feet } else { self.settings.forward_feet };
        let share = blend(towards, along, self.settings.sideways_feet);
        let outwards = if sole.y < 0.0 { -1.0 } else { 1.0 };
        let off = Vector3::new(share.x, outwards * share.y, share.z) * (hip - sole).z;
        let place = Translation3::new(hip.x + off.x, sole.y + off.y, hip.z + off.z);
        let pose = Isometry3::from_parts(place, UnitQuaternion::identity());
        let name = ["left foot", "right foot"][number];
        Task::new(name, 1, Goal::Pose(Pose::at(&self.tree.links[foot.link].name, pose).position_only()))
    }

    /// A hand is held out where it meets the ground first.
    fn hand(&self, number: usize, limb: &Limb, towards: Vector2<f64>) -> Option<Task> {
        let hand = self.model.description.end_effectors.get(limb.end_effector?)?.link;
        if self.feet.iter().any(|foot| foot.limb == number) {
            return None;
        }
        let shoulder = self.place(self.link_of(*limb.joints.first()?));
        let links = limb.joints.iter().map(|joint| self.link_of(*joint)).chain([hand]);
        let length = links.fold((shoulder, 0.0), |(from, length), link| {
            let to = self.place(link);
            (to, length + (to - from).norm())
        });
        let outwards = if shoulder.y < 0.0 { -1.0 } else { 1.0 };
        let along = if towards.x < 0.0 { self.settings.backward_hands } else { self.settings.forward_hands };
        let aside = if towards.y * outwards > 0.0 { self.settings.near_hand } else { self.settings.far_hand };
        let share = blend(towards, along, aside);
        let place = shoulder + Vector3::new(share.x, outwards * share.y, share.z) * length.1;
        let pose = Isometry3::from_parts(Translation3::from(place), UnitQuaternion::identity());
        let pose = Pose::at(&self.tree.links[hand].name, pose).position_only();
        Some(Task::new(&format!("hand {number}"), 1, Goal::Pose(pose)))
    }

    /// Where joints are drawn that nothing else decides: zero. Joints without ends are left out.
    fn rest(&self) -> Vec<(usize, f64)> {
        let joints = self.tree.joints.iter().enumerate();
        let ends = joints.filter(|(_, joint)| joint.kind != JointKind::Continuous);
        ends.map(|(index, joint)| (index, 0.0_f64.max(joint.limits.lower).min(joint.limits.upper))).collect()
    }
}

/// Moves the head's joints to where its centre of mass is highest; `up` is as seen from the base.
///
/// One joint after the other goes to the best of some places in its range, all in the middle at first: so a neck that turns and nods lifts the head
/// to a side, which neither joint could alone.
fn raise(tree: &Tree, joints: &[usize], up: &Vector3<f64>, configuration: &mut Configuration) {
    let Some(&last) = joints.last() else { return };
    let link = tree.joints[last].link;
    let mut data = Data::new(tree);
    let mut height = |configuration: &Configuration| {
        forward_kinematics(tree, configuration, &mut data);
        (data.link_in_base[link] * Point3::from(tree.links[link].inertia.com_in_link)).coords.dot(up)
    };
    let place = |joint: usize, number: usize| {
        let limits = &tree.joints[joint].limits;
        limits.lower + (limits.upper - limits.lower) * number as f64 / PLACES as f64
    };
    joints.iter().for_each(|joint| configuration.joints[*joint] = place(*joint, PLACES / 2));
    for _ in 0..ROUNDS {
        for joint in joints {
            let best = (0..=PLACES).map(|number| {
                configuration.joints[*joint] = place(*joint, number);
                (height(configuration), configuration.joints[*joint])
            });
            let best = best.max_by(|one, other| one.0.total_cmp(&other.0));
            configuration.joints[*joint] = best.map_or(0.0, |best| best.1);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_head_is_held_away_from_the_ground_and_hands_towards_it() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/humanoid/humanoid.toml");
        let model = RobotModel::load(&file).unwrap();
        let tree = &model.tree;
        let feet = [&model.description.feet[0], &model.description.feet[1]];
        let poses = Poses::new(&model, tree, feet, &FallPosture::default()).unwrap();
        let link = |name: &str| tree.links.iter().position(|link| link.name == name).unwrap();
        let head = link("head_link");
        let shoulders = [link("left_arm_shoulder_pitch_link"), link("right_arm_shoulder_pitch_link")];
        let ends = model.description.end_effectors.iter().map(|end| end.link);
        let hands: Vec<usize> = ends.filter(|link| feet.iter().all(|foot| foot.link != *link)).collect();
        let mut data = Data::new(tree);
        let mut at = |joints: &[f64]| {
            let configuration = Configuration { joints: joints.to_vec(), ..Configuration::zero(tree) };
            forward_kinematics(tree, &configuration, &mut data);
            let head = data.link_in_base[head] * Point3::from(tree.links[head].inertia.com_in_link);
            let place = |link: &usize| data.link_in_base[*link].translation.vector;
            let [hands, shoulders] = [&hands[..], &shoulders].map(|links| links.iter().map(place).collect::<Vec<_>>());
            (head.coords, hands, shoulders)
        };
        let (straight, ..) = at(&vec![0.0; tree.dof()]);
        for number in 0..16 {
            let angle = core::f64::consts::TAU / 16.0 * f64::from(number);
            let towards = Vector2::new(angle.cos(), angle.sin());
            let down = towards.push(0.0);
            let (head, hands, shoulders) = at(poses.towards(&towards));
            assert!((head - straight).dot(&down) < -0.02, "{angle:.2} rad: head {:?}", head - straight);
            if towards.x < -0.1 {
                continue; // it sits down, hands beside it
            }
            let first = |points: &[Vector3<f64>]| points.iter().map(|it| it.dot(&down)).fold(f64::MIN, f64::max);
            assert!(first(&hands) > first(&shoulders) + 0.1, "{angle:.2} rad: {hands:?}");
            assert!(first(&hands) > head.dot(&down) + 0.1, "{angle:.2} rad: {hands:?}");
        }
    }
}
