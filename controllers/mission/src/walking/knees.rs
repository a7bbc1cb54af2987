//! Legs that never stretch: a straight leg can neither take a push nor reach farther.

use robot_model::description::Foot;
use robot_model::{Configuration, Data, RobotModel, Tree, forward_kinematics};

/// Steps in which a joint's range is searched.
const STEPS: usize = 200;

/// The robot with the limits of its knees moved, so that they stay bent by `bend` [rad] at least.
///
/// A leg's knee is the joint that changes the distance from the leg's first joint to the sole the most; where that distance is
/// largest, the leg is straight. It bends to the side where there is more room.
pub(super) fn bent(model: &RobotModel, feet: &[&Foot], bend: f64) -> Tree {
    let mut tree = model.tree.clone();
    for foot in feet {
        if let Some((number, Reach { straight, .. })) = knee(model, foot) {
            let joint = model.description.limbs[foot.limb].joints[number];
            let limits = &mut tree.joints[joint].limits;
            match limits.upper - straight >= straight - limits.lower {
                true => limits.lower = limits.lower.max(straight + bend),
                false => limits.upper = limits.upper.min(straight - bend),
            }
        }
    }
    tree
}

/// The joints of a leg between its knee and its sole.
pub(super) fn below(model: &RobotModel, foot: &Foot) -> Vec<usize> {
    let first = knee(model, foot).map_or(0, |(number, _)| number + 1);
    model.description.limbs[foot.limb].joints[first..].to_vec()
}

/// The number of the knee among its leg's joints, and what it does.
fn knee(model: &RobotModel, foot: &Foot) -> Option<(usize, Reach)> {
    let joints = &model.description.limbs[foot.limb].joints;
    let reaches = joints.iter().map(|joint| reach(&model.tree, joints[0], *joint, foot)).enumerate();
    reaches.max_by(|(_, one), (_, other)| one.varies.total_cmp(&other.varies))
}

/// What a joint does to the length of its leg.
struct Reach {
    /// By how much the length changes over the joint's range [m].
    varies: f64,
    /// Where it is longest [rad].
    straight: f64,
}

fn reach(tree: &Tree, first: usize, joint: usize, foot: &Foot) -> Reach {
    let (mut data, mut configuration) = (Data::new(tree), Configuration::zero(tree));
    let (hip, limits) = (tree.joints[first].link, &tree.joints[joint].limits);
    let range = [limits.lower.max(-core::f64::consts::PI), limits.upper.min(core::f64::consts::PI)];
    let (mut shortest, mut longest, mut straight) = (f64::INFINITY, 0.0, range[0]);
    for step in 0..=STEPS {
        let position = range[0] + (range[1] - range[0]) * step as f64 / STEPS as f64;
        configuration.joints[joint] = position;
        forward_kinematics(tree, &configuration, &mut data);
        let [hip, sole] = [hip, foot.link].map(|link| data.link_in_base[link].translation.vector);
        let length = (sole - hip).norm();
        shortest = length.min(shortest);
        if length > longest {
            (longest, straight) = (length, position);
        }
    }
    Reach { varies: longest - shortest, straight }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn knees_stay_bent_and_nothing_else_is_changed() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robot_models/humanoid/humanoid.toml");
        let model = RobotModel::load(path.as_ref()).unwrap();
        let feet: Vec<&Foot> = model.description.feet.iter().collect();
        let tree = bent(&model, &feet, 0.2);
        let below = feet.iter().flat_map(|foot| below(&model, foot)).map(|joint| &model.tree.joints[joint].name);
        assert!(below.eq(["left_ankle_pitch", "left_ankle_roll", "right_ankle_pitch", "right_ankle_roll"].iter()));
        for (joint, was) in tree.joints.iter().zip(&model.tree.joints) {
            assert_eq!(joint.limits.upper, was.limits.upper, "{}", joint.name);
            match joint.name.ends_with("knee_pitch") {
                // straight from the first hip to the sole is a little bent: the hips are beside each other
                true => assert!((0.2..0.4).contains(&joint.limits.lower), "{:?}", joint.limits),
                false => assert_eq!(joint.limits.lower, was.limits.lower, "{}", joint.name),
            }
        }
    }
}
