//! Which limb is the head, and how it keeps looking where it looks while the body sways (the vestibulo-ocular reflex of the eyes, here of the neck).
//!
//! Its joints turn against what the gyroscope and the joints below it feel. What is slow leaks away: a robot that turns takes its head along.

use nalgebra::{Unit, Vector3};
use robot_io::{JointKind, State};
use robot_model::description::Limb;
use robot_model::{Configuration, Data, RobotModel, Tree, forward_kinematics};

/// So many times each joint takes what the others leave.
const ROUNDS: usize = 4;

/// The limb whose last joint is the highest, of those that end in no hand and no foot, have ends, and carry no limb that does.
pub(super) fn head(model: &RobotModel) -> Option<&Limb> {
    let tree = &model.tree;
    let mut straight = Data::new(tree);
    forward_kinematics(tree, &Configuration::zero(tree), &mut straight);
    let link_of = |joint: usize| tree.joints[joint].link;
    let limbs = &model.description.limbs;
    let carries = |limb: &Limb| {
        let own: Vec<usize> = limb.joints.iter().map(|joint| link_of(*joint)).collect();
        let hangs = |link: usize| {
            core::iter::successors(Some(link), |link| tree.links[*link].parent).any(|link| own.contains(&link))
        };
        limbs.iter().any(|other| {
            other.end_effector.is_some() && other.joints.first().is_some_and(|joint| hangs(link_of(*joint)))
        })
    };
    let ends = |limb: &&Limb| limb.joints.iter().all(|joint| tree.joints[*joint].kind != JointKind::Continuous);
    let height = |limb: &Limb| {
        limb.joints.last().map_or(f64::MIN, |joint| straight.link_in_base[link_of(*joint)].translation.vector.z)
    };
    let heads = limbs.iter().filter(|limb| limb.end_effector.is_none() && !limb.joints.is_empty());
    heads.filter(ends).filter(|limb| !carries(limb)).max_by(|one, other| height(one).total_cmp(&height(other)))
}

/// The head's joints, and where they are beside their places.
#[derive(Clone, Debug, State)]
pub(super) struct Gaze {
    #[state(fixed)]
    joints: Vec<Turning>,
    /// Those between it and the base.
    #[state(fixed)]
    below: Vec<Turning>,
    /// How far joints go beside their places at most [rad], and what takes longer than this is let through [s].
    #[state(fixed)]
    most: f64,
    #[state(fixed)]
    time: f64,
    /// Beside their places [rad], and how fast they move for it [rad/s].
    #[state(elements)]
    beside: Vec<[f64; 2]>,
    #[state(scratch)]
    speeds: Vec<f64>,
    /// How fast the head turns as it is measured [rad/s].
    #[state(output)]
    turning: f64,
}

/// A joint that turns the head.
#[derive(Clone, Copy, Debug)]
struct Turning {
    joint: usize,
    link: usize,
    axis_in_link: Unit<Vector3<f64>>,
}

impl Turning {
    /// None for a joint that slides.
    fn new(tree: &Tree, joint: usize) -> Option<Turning> {
        let link = tree.joints[joint].link;
        let turns = tree.joints[joint].kind != JointKind::Prismatic;
        turns.then(|| Turning { joint, link, axis_in_link: tree.links[link].axis_in_link })
    }

    fn axis(&self, data: &Data) -> Vector3<f64> {
        data.link_in_world[self.link].rotation * *self.axis_in_link
    }
}

/// How fast all of these turn what they carry [rad/s].
fn turned(joints: &[Turning], data: &Data, velocities: &[f64]) -> Vector3<f64> {
    joints.iter().map(|turning| turning.axis(data) * velocities[turning.joint]).sum()
}

impl Gaze {
    /// Of a robot with a head; without, there is nothing to do. Joints go `most` [rad] beside their places, and what turns slower than
    /// `time` [s] is let through.
    pub fn new(model: &RobotModel, most: f64, time: f64) -> Gaze {
        let tree = &model.tree;
        let joints = head(model).map_or(&[][..], |head| &head.joints);
        let joints: Vec<Turning> = joints.iter().filter_map(|joint| Turning::new(tree, *joint)).collect();
        let carrier = joints.first().and_then(|first| tree.links[first.link].parent);
        let below = core::iter::successors(carrier, |link| tree.links[*link].parent);
        let below = below.filter_map(|link| tree.joints.iter().position(|joint| joint.link == link));
        let below = below.filter_map(|joint| Turning::new(tree, joint)).collect();
        let (beside, speeds) = (vec![[0.0; 2]; joints.len()], vec![0.0; joints.len()]);
        Gaze { joints, below, most, time, beside, speeds, turning: 0.0 }
    }

    /// The head is where it belongs.
    pub fn reset(&mut self) {
        self.beside.fill([0.0; 2]);
        self.turning = 0.0;
    }

    /// Whether it moves some of these joints.
    pub fn moves(&self, joints: &[usize]) -> bool {
        self.joints.iter().any(|turning| joints.contains(&turning.joint))
    }

    /// How fast the head turns [rad/s].
    pub fn turning(&self) -> f64 {
        self.turning
    }

    /// Where a joint shall be beside its place [rad], and how fast it shall move for that [rad/s].
    pub fn beside(&self, joint: usize) -> [f64; 2] {
        let own = self.joints.iter().position(|turning| turning.joint == joint);
        own.map_or([0.0; 2], |own| self.beside[own])
    }

    /// A cycle of `dt` [s] later. The base turns as `base_turns` says [rad/s], along the axes of the frame that `data` is in.
    pub fn counter(&mut self, data: &Data, base_turns: Vector3<f64>, velocities: &[f64], dt: f64) {
        let Gaze { joints, below, most, time, beside, speeds, turning } = self;
        let carried = base_turns + turned(below, data, velocities);
        *turning = (carried + turned(joints, data, velocities)).norm();
        let mut left = carried;
        speeds.fill(0.0);
        for _ in 0..ROUNDS {
            for (speed, joint) in speeds.iter_mut().zip(joints.iter()) {
                let axis = joint.axis(data);
                let takes = -axis.dot(&left);
                *speed += takes;
                left += axis * takes;
            }
        }
        for (beside, speed) in beside.iter_mut().zip(speeds) {
            let place = (beside[0] + (*speed - beside[0] / *time) * dt).clamp(-*most, *most);
            *beside = [place, (place - beside[0]) / dt];
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use nalgebra::{Isometry3, UnitQuaternion};

    use super::*;

    fn humanoid() -> RobotModel {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/humanoid/humanoid.toml");
        RobotModel::load(&file).unwrap()
    }

    /// The base sways with `sway` [rad] at `rate` [Hz] about an axis, and turns at `turns` [rad/s]; the neck does as it is told. How far the head
    /// turns in the last five of ten seconds, there and back, and how far the base does.
    fn swung(sway: f64, rate: f64, about: Vector3<f64>, turns: f64) -> [f64; 2] {
        let (model, dt) = (humanoid(), 1e-3);
        let tree = &model.tree;
        let (mut gaze, mut data, mut configuration) =
            (Gaze::new(&model, 0.4, 0.5), Data::new(tree), Configuration::zero(tree));
        let neck = head(&model).unwrap().joints.clone();
        let link = tree.joints[*neck.last().unwrap()].link;
        let mut seen: Vec<[UnitQuaternion<f64>; 2]> = Vec::new();
        let mut velocities = vec![0.0; tree.dof()];
        for cycle in 0..10_000 {
            let time = f64::from(cycle) * dt;
            let phase = core::f64::consts::TAU * rate * time;
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turns * time);
            let swing = UnitQuaternion::from_scaled_axis(about * sway * phase.sin());
            configuration.base_in_world = Isometry3::from_parts(Default::default(), turn * swing);
            let swings = about * (sway * core::f64::consts::TAU * rate * phase.cos());
            forward_kinematics(tree, &configuration, &mut data);
            gaze.counter(&data, turn * swings + Vector3::z() * turns, &velocities, dt);
            for joint in &neck {
                [configuration.joints[*joint], velocities[*joint]] = gaze.beside(*joint);
            }
            forward_kinematics(tree, &configuration, &mut data);
            if cycle >= 5000 {
                seen.push([data.link_in_world[link].rotation, turn * swing]);
            }
        }
        let way = |which: usize| seen.windows(2).map(|now| now[1][which].angle_to(&now[0][which])).sum();
        [way(0), way(1)]
    }

    #[test]
    fn the_head_looks_where_it_looked_while_the_body_sways() {
        for about in [Vector3::z(), Vector3::y()] {
            let [head, base] = swung(0.05, 1.5, about, 0.0);
            assert!(head < 0.25 * base, "{head:.3} of {base:.3} rad about {about:?}");
        }
    }

    #[test]
    fn a_body_that_turns_takes_its_head_along() {
        let [head, base] = swung(0.0, 1.0, Vector3::z(), 0.3);
        assert!((head - base).abs() < 0.05, "{head:.3}, {base:.3} rad");
    }

    #[test]
    fn what_carries_arms_is_no_head() {
        let model = humanoid();
        assert_eq!(head(&model).unwrap().name, "neck");
        let mut headless = humanoid();
        headless.description.limbs.retain(|limb| limb.name != "neck");
        assert!(head(&headless).is_none_or(|limb| limb.name != "waist"));
    }
}
