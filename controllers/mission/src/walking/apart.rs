//! What is kept apart: hands and forearms from legs, from the trunk and from those of the other arm.
//!
//! Capsules are made of the shapes with which links collide. Whoever is an arm or a leg the robot's file says: a limb with a foot is a leg, another one
//! with an end effector an arm.

use nalgebra::{Point3, Vector3};
use robot_model::{Configuration, Data, Motion, RobotModel, forward_kinematics};
use whole_body::Capsule;

use super::capsule::{self, Ball};

/// What is kept apart, and the pairs of names.
#[derive(Debug, Default)]
pub(super) struct Apart {
    pub capsules: Vec<Capsule>,
    pub pairs: Vec<(String, String)>,
}

/// A body that moves as one, with all that hangs on it by the fingers' joints.
struct Part {
    link: usize,
    of: Of,
}

#[derive(Clone, Copy, PartialEq)]
enum Of {
    Arm(usize),
    Leg,
    Trunk,
}

impl Apart {
    /// For a robot that stands in its first pose: what is in touch there cannot be kept apart.
    pub fn new(model: &RobotModel) -> Apart {
        let data = at_zero(model);
        let parts = parts(model);
        let mut apart = Apart::default();
        let mut of = Vec::new();
        for part in &parts {
            if let Some(capsule) = around(model, &data, part, &parts) {
                apart.capsules.push(capsule);
                of.push(part.of);
            }
        }
        let standing = model.standing();
        for (one, other) in (0..of.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let meets = match (of[one], of[other]) {
                (Of::Arm(one), Of::Arm(other)) => one != other,
                (Of::Arm(_), _) | (_, Of::Arm(_)) => true,
                _ => false,
            };
            let [a, b] = [one, other].map(|index| &apart.capsules[index]);
            if meets && gap(model, &standing, a, b) > 0.0 {
                apart.pairs.push((a.name.clone(), b.name.clone()));
            }
        }
        apart
    }
}

/// Forearms and hands, legs without feet, and what is between the arms and the legs.
fn parts(model: &RobotModel) -> Vec<Part> {
    let (tree, description) = (&model.tree, &model.description);
    let is_leg = |limb: usize| description.feet.iter().any(|foot| foot.limb == limb);
    let mut parts = Vec::new();
    let mut trunk = vec![0];
    for (number, limb) in description.limbs.iter().enumerate() {
        let Some(effector) = limb.end_effector else { continue };
        let up =
            core::iter::successors(Some(description.end_effectors[effector].link), |link| tree.links[*link].parent);
        let moved: Vec<usize> = up.filter(|link| matches!(tree.links[*link].motion, Motion::Joint(_))).collect();
        let own =
            |link: &usize| matches!(tree.links[*link].motion, Motion::Joint(joint) if limb.joints.contains(&joint));
        if is_leg(number) {
            let feet = |link: &usize| description.feet.iter().any(|foot| same_body(model, foot.link, *link));
            let legs = moved.iter().filter(|link| own(link) && !feet(link));
            parts.extend(legs.map(|link| Part { link: *link, of: Of::Leg }));
            continue;
        }
        // the hand, and the last part of the arm before it that touches anything
        let (hand, arm) = match moved.iter().filter(|link| own(link)).collect::<Vec<_>>().as_slice() {
            [] => continue,
            [hand, arm @ ..] => (**hand, arm.to_vec()),
        };
        parts.push(Part { link: hand, of: Of::Arm(number) });
        let forearm = arm.iter().find(|link| {
            tree.links.iter().enumerate().any(|(of, with)| !with.collisions.is_empty() && same_body(model, of, ***link))
        });
        parts.extend(forearm.map(|link| Part { link: **link, of: Of::Arm(number) }));
        trunk.extend(moved.iter().filter(|link| !own(link)));
    }
    trunk.sort_unstable();
    trunk.dedup();
    parts.extend(trunk.into_iter().map(|link| Part { link, of: Of::Trunk }));
    parts
}

fn same_body(model: &RobotModel, one: usize, other: usize) -> bool {
    model.tree.place(one).body == model.tree.place(other).body
}

/// Does a link move with a part: is it fixed to it, or is it a finger of a hand?
fn belongs(model: &RobotModel, link: usize, part: &Part, parts: &[Part]) -> bool {
    if same_body(model, link, part.link) {
        return true;
    }
    let is_hand = matches!(part.of, Of::Arm(_)) && parts.iter().any(|first| first.link == part.link);
    let up = core::iter::successors(model.tree.links[link].parent, |link| model.tree.links[*link].parent);
    // the nearest part on the way up is the one to which it belongs
    let nearest = up.into_iter().find(|above| parts.iter().any(|part| same_body(model, *above, part.link)));
    let in_limb = |link: usize| match model.tree.links[link].motion {
        Motion::Joint(joint) | Motion::Mimic(robot_model::Mimic { joint, .. }) => {
            let limbs = model.description.limbs.iter().filter(|limb| limb.end_effector.is_some());
            limbs.into_iter().any(|limb| limb.joints.contains(&joint))
        }
        Motion::Fixed => false,
    };
    is_hand
        && nearest.is_some_and(|above| same_body(model, above, part.link))
        && !chain(model, link, part.link).any(in_limb)
}

/// The links from one up to another, without that.
fn chain(model: &RobotModel, from: usize, to: usize) -> impl Iterator<Item = usize> {
    let links = &model.tree.links;
    let body = model.tree.place(to).body;
    core::iter::successors(Some(from), |link| links[*link].parent)
        .take_while(move |link| model.tree.place(*link).body != body)
}

fn at_zero(model: &RobotModel) -> Data {
    let mut data = Data::new(&model.tree);
    forward_kinematics(&model.tree, &Configuration::zero(&model.tree), &mut data);
    data
}

/// The capsule around all that touches of a part; none where a part has nothing that does.
fn around(model: &RobotModel, data: &Data, part: &Part, parts: &[Part]) -> Option<Capsule> {
    let from_base = data.link_in_base[part.link].inverse();
    let links = model.tree.links.iter().enumerate().filter(|(number, _)| belongs(model, *number, part, parts));
    let balls: Vec<Ball> = links
        .flat_map(|(number, link)| link.collisions.iter().map(move |geometry| (number, geometry)))
        .flat_map(|(number, geometry)| capsule::balls(geometry, &(from_base * data.link_in_base[number])))
        .collect();
    let (from, to, radius) = capsule::around(&balls)?;
    let link = model.tree.links[part.link].name.clone();
    Some(Capsule { name: link.clone(), link, from, to, radius })
}

/// About how far two capsules are from each other [m]: places along them, a tenth of their lengths apart.
fn gap(model: &RobotModel, data: &Data, one: &Capsule, other: &Capsule) -> f64 {
    let places = |capsule: &Capsule| -> Vec<Vector3<f64>> {
        let Some(link) = model.tree.link(&capsule.link) else { return Vec::new() };
        let at = |share: u8| capsule.from.lerp(&capsule.to, f64::from(share) / 10.0);
        (0..=10).map(|share| (data.link_in_base[link] * Point3::from(at(share))).coords).collect()
    };
    let (ours, theirs) = (places(one), places(other));
    let distances = ours.iter().flat_map(|place| theirs.iter().map(move |other| (place - other).norm()));
    distances.fold(f64::INFINITY, f64::min) - one.radius - other.radius
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_humanoids_hands_are_kept_from_its_thighs_its_trunk_and_each_other() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/humanoid/humanoid.toml");
        let model = RobotModel::load(&file).unwrap();
        let Apart { capsules, pairs } = Apart::new(&model);
        let names: Vec<&str> = capsules.iter().map(|capsule| capsule.name.as_str()).collect();
        println!("{capsules:#?}\n{} pairs: {pairs:#?}", pairs.len());
        let meet = |one: &str, other: &str| {
            assert!(names.contains(&one) && names.contains(&other), "{one} and {other} of {names:?}");
            pairs
                .iter()
                .any(|(a, b)| [a.as_str(), b.as_str()] == [one, other] || [b.as_str(), a.as_str()] == [one, other])
        };
        let hands = ["left_arm_wrist_link", "right_arm_wrist_link"];
        assert!(meet(hands[0], hands[1]) && !meet("left_thigh_link", "right_thigh_link"));
        assert!(!meet("left_arm_wrist_link", "left_arm_forearm_link"));
        for hand in hands {
            let capsule = capsules.iter().find(|capsule| capsule.name == hand).unwrap();
            let length = (capsule.to - capsule.from).norm() + 2.0 * capsule.radius;
            assert!((0.15..0.35).contains(&length) && (0.03..0.08).contains(&capsule.radius), "{capsule:?}");
            for leg in ["left_thigh_link", "right_thigh_link", "left_shank_link", "torso_link"] {
                assert!(meet(hand, leg), "{hand} and {leg}");
            }
        }
    }
}
