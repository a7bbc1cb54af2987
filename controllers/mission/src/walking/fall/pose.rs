//! How the joints are held in a fall, for any robot with two feet: which of them are arms, legs and head is told by the limbs of its file.
//!
//! An arm is a limb that ends in an end effector and in no foot.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::JointKind;
use robot_model::description::{Foot, Limb};
use robot_model::{Configuration, Data, RobotModel, Tree, forward_kinematics};
use whole_body::{Goal, InverseKinematics, JointGoal, Pose, Posture, Task, WholeBodyError};

use super::super::head::head;
use super::Way;
use crate::fall_settings::FallPosture;

/// A joint of the head whose axis is this much along the base's y axis nods.
const NODS: f64 = 0.7;
/// The search begins so far on the way from zero to the middle of each joint's range: stretched limbs do not know where to bend.
const BENT: f64 = 0.5;
/// How much each joint's place counts beside hands and feet.
const REST: f64 = 0.01;

/// The joints' places [rad], for each way to fall. The tree has knees that stay bent.
pub(super) fn of_ways(
    model: &RobotModel,
    tree: &Tree,
    feet: [&Foot; 2],
    settings: &FallPosture,
) -> Result<[Vec<f64>; 4], WholeBodyError> {
    let mut builder = Builder::new(model, tree, feet);
    let mut poses = Way::ALL.map(|_| Vec::new());
    for (pose, way) in poses.iter_mut().zip(Way::ALL) {
        *pose = builder.pose(way, settings)?;
    }
    Ok(poses)
}

struct Builder<'m> {
    model: &'m RobotModel,
    tree: &'m Tree,
    feet: [&'m Foot; 2],
    /// With all joints at zero.
    straight: Data,
}

impl<'m> Builder<'m> {
    fn new(model: &'m RobotModel, tree: &'m Tree, feet: [&'m Foot; 2]) -> Builder<'m> {
        let mut straight = Data::new(tree);
        forward_kinematics(tree, &Configuration::zero(tree), &mut straight);
        Builder { model, tree, feet, straight }
    }

    fn place(&self, link: usize) -> Vector3<f64> {
        self.straight.link_in_base[link].translation.vector
    }

    fn link_of(&self, joint: usize) -> usize {
        self.tree.joints[joint].link
    }

    fn pose(&mut self, way: Way, settings: &FallPosture) -> Result<Vec<f64>, WholeBodyError> {
        let mut tasks =
            vec![Task::new("base", 0, Goal::Pose(Pose::at(&self.tree.links[0].name, Isometry3::identity())))];
        tasks.extend(self.feet.iter().enumerate().map(|(number, foot)| self.foot(number, foot, way, settings)));
        let limbs = &self.model.description.limbs;
        tasks.extend(limbs.iter().enumerate().filter_map(|(number, limb)| self.hand(number, limb, way, settings)));
        let goals = self.rest(way, settings);
        let joints = goals.iter().map(|(joint, goal)| JointGoal::at(&self.tree.joints[*joint].name, *goal)).collect();
        tasks.push(Task::new("rest", 1, Goal::Posture(Posture { joints })).weighing(REST));
        let mut configuration = Configuration::zero(self.tree);
        for (joint, _) in &goals {
            let limits = &self.tree.joints[*joint].limits;
            configuration.joints[*joint] = BENT * 0.5 * (limits.lower + limits.upper);
        }
        InverseKinematics::new(self.tree, tasks)?.solve(&mut configuration)?;
        Ok(configuration.joints)
    }

    /// A sole where its leg lets the body down.
    fn foot(&self, number: usize, foot: &Foot, way: Way, settings: &FallPosture) -> Task {
        let hip = self.model.description.limbs[foot.limb].joints.first().map_or(0, |joint| self.link_of(*joint));
        let (hip, sole) = (self.place(hip), self.straight.link_in_base[foot.link].translation.vector);
        let [ahead, out, up] = match way {
            Way::Forward => settings.forward_feet,
            Way::Backward => settings.backward_feet,
            Way::Left | Way::Right => settings.sideways_feet,
        };
        let outwards = if sole.y < 0.0 { -1.0 } else { 1.0 };
        let off = Vector3::new(ahead, outwards * out, up) * (hip - sole).z;
        let place = Translation3::new(hip.x + off.x, sole.y + off.y, hip.z + off.z);
        let pose = Isometry3::from_parts(place, UnitQuaternion::identity());
        let name = ["left foot", "right foot"][number];
        Task::new(name, 1, Goal::Pose(Pose::at(&self.tree.links[foot.link].name, pose).position_only()))
    }

    /// A hand is held out where it meets the ground first.
    fn hand(&self, number: usize, limb: &Limb, way: Way, settings: &FallPosture) -> Option<Task> {
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
        let [ahead, out, up] = match way {
            Way::Forward => settings.forward_hands,
            Way::Backward => settings.backward_hands,
            Way::Left if outwards > 0.0 => settings.near_hand,
            Way::Right if outwards < 0.0 => settings.near_hand,
            Way::Left | Way::Right => settings.far_hand,
        };
        let place = shoulder + Vector3::new(ahead, outwards * out, up) * length.1;
        let pose = Isometry3::from_parts(Translation3::from(place), UnitQuaternion::identity());
        let pose = Pose::at(&self.tree.links[hand].name, pose).position_only();
        Some(Task::new(&format!("hand {number}"), 1, Goal::Pose(pose)))
    }

    /// Where joints are drawn that nothing else decides: zero, and the head nods. Joints without ends are left out.
    fn rest(&self, way: Way, settings: &FallPosture) -> Vec<(usize, f64)> {
        let head = head(self.model);
        let joints = self.tree.joints.iter().enumerate();
        let ends = joints.filter(|(_, joint)| joint.kind != JointKind::Continuous);
        ends.map(|(index, joint)| {
            let axis = self.straight.link_in_base[joint.link].rotation * self.tree.links[joint.link].axis_in_link;
            let is_head = head.is_some_and(|head| head.joints.contains(&index));
            let nod = if is_head && axis.y.abs() > NODS { settings.nod[way.number()] * axis.y.signum() } else { 0.0 };
            (index, nod.max(joint.limits.lower).min(joint.limits.upper))
        })
        .collect()
    }
}
