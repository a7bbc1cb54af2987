//! The tasks and contacts of a robot on two feet, as the whole body knows them.

use nalgebra::{Isometry3, Vector3};
use robot_model::Tree;
use robot_model::description::Foot;
use whole_body::{CenterOfMass, Contact, Goal, JointGoal, Pose, Posture, Surface, Task};

use super::slots::Group;
use crate::walking_settings::BodySettings;

pub(super) const COM: &str = "centre of mass";
pub(super) const HEIGHT: &str = "height";
pub(super) const TRUNK: &str = "trunk";
pub(super) const POSTURE: &str = "posture";
pub(super) const LEGS: &str = "legs";
pub(super) const FEET: [&str; 2] = ["left foot", "right foot"];

/// A sole on the ground.
pub(super) fn contact(name: &str, foot: &Foot, tree: &Tree, settings: &BodySettings) -> Contact {
    let half = |side: f64| (0.5 * side - settings.inset).max(1e-3);
    let surface = Surface::Patch { half_lengths: [half(foot.length), half(foot.width)] };
    let link = &tree.links[foot.link].name;
    Contact { surface, ..Contact::point(name, link, Isometry3::identity(), settings.friction) }
}

/// All that the body shall do at once.
pub(super) fn tasks(
    tree: &Tree,
    feet: [&Foot; 2],
    (groups, legs): (&[Group], &[usize]),
    looks: impl Fn(&[usize]) -> bool,
    settings: &BodySettings,
) -> Vec<Task> {
    let here = Isometry3::identity();
    let com = |axes| Goal::CenterOfMass(CenterOfMass { axes, ..CenterOfMass::at(Vector3::zeros()) });
    let trunk = Goal::Pose(Pose::at(&tree.links[0].name, here).orientation_only());
    let mut tasks = vec![
        Task::new(COM, 0, com([true, true, false])).weighing(settings.com_weight),
        Task::new(HEIGHT, 0, com([false, false, true])).weighing(settings.height_weight).at_frequency(settings.trunk),
        Task::new(TRUNK, 0, trunk).weighing(settings.trunk_weight).at_frequency(settings.trunk),
    ];
    tasks.extend(feet.iter().zip(FEET).map(|(foot, name)| {
        let pose = Goal::Pose(Pose::at(&tree.links[foot.link].name, here));
        Task::new(name, 0, pose).at_frequency(settings.foot)
    }));
    let quick = |group: &Group| if looks(&group.joints) { settings.foot } else { settings.posture };
    let own = groups
        .iter()
        .map(|group| (group.name.as_str(), group.joints.as_slice(), settings.posture_weight, quick(group)));
    for (name, joints, weight, frequency) in own.chain([(LEGS, legs, settings.leg_weight, settings.posture)]) {
        let joints = joints.iter().map(|joint| JointGoal::at(&tree.joints[*joint].name, 0.0)).collect();
        let posture = Task::new(name, 0, Goal::Posture(Posture { joints }));
        tasks.push(posture.weighing(weight).at_frequency(frequency));
    }
    tasks
}
