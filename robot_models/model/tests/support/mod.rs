//! Random robots and states for the property tests.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests; each uses its part")]

use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};
use proptest::prelude::*;
use robot_model::{Configuration, Inertia, Joint, JointKind, JointLimits, Link, Mimic, Motion, Tree, Urdf};

pub const LEG: &str = include_str!("leg.urdf");

/// At most so many links in a random tree.
const MOST_LINKS: usize = 10;

/// A robot in motion.
#[derive(Clone, Debug)]
pub struct Case {
    pub tree: Tree,
    pub configuration: Configuration,
    /// Velocity, acceleration and other vectors in velocity order.
    pub velocity: Vec<f64>,
    pub acceleration: Vec<f64>,
}

pub fn leg() -> Tree {
    Urdf::read("leg.urdf", LEG).unwrap().tree
}

/// A random tree with all kinds of joints, or the leg; in a random state.
pub fn any_case() -> impl Strategy<Value = Case> {
    case_of(prop_oneof![4 => any_tree(true), 1 => Just(leg())])
}

/// The same without mimic joints.
pub fn case_without_mimics() -> impl Strategy<Value = Case> {
    case_of(any_tree(false))
}

/// The configuration after a short time `t` [s] at a constant velocity, exact to the first order in `t`.
pub fn moved(configuration: &Configuration, velocity: &[f64], t: f64) -> Configuration {
    let Configuration { base_in_world, joints } = configuration;
    let linear = Vector3::new(velocity[0], velocity[1], velocity[2]);
    let angular = Vector3::new(velocity[3], velocity[4], velocity[5]);
    let rotation = base_in_world.rotation * UnitQuaternion::from_scaled_axis(angular * t);
    let translation = base_in_world.translation.vector + base_in_world.rotation * linear * t;
    let joints = joints.iter().zip(&velocity[6..]).map(|(q, v)| q + v * t).collect();
    Configuration { base_in_world: Isometry3::from_parts(Translation3::from(translation), rotation), joints }
}

/// Asserts that two vectors agree to `tolerance`, relative to the larger.
#[track_caller]
pub fn assert_close(left: &[f64], right: &[f64], tolerance: f64, what: &str) {
    assert_eq!(left.len(), right.len(), "{what}");
    let size = left.iter().chain(right).fold(1.0_f64, |size, x| size.max(x.abs()));
    for (index, (l, r)) in left.iter().zip(right).enumerate() {
        assert!((l - r).abs() <= tolerance * size, "{what}[{index}]: {l} and {r}\n{left:?}\n{right:?}");
    }
}

fn case_of(tree: impl Strategy<Value = Tree>) -> impl Strategy<Value = Case> {
    let numbers = |range: f64| prop::collection::vec(-range..range, 6 + MOST_LINKS);
    (tree, any_pose(3.0), numbers(2.0), numbers(3.0), numbers(5.0)).prop_map(|(tree, base, q, v, a)| {
        let dof = tree.velocity_dof();
        let configuration = Configuration { base_in_world: base, joints: q[..tree.dof()].to_vec() };
        Case { tree, configuration, velocity: v[..dof].to_vec(), acceleration: a[..dof].to_vec() }
    })
}

fn any_tree(mimics: bool) -> impl Strategy<Value = Tree> {
    let link = (0.0..1.0_f64, 0..6_u8, any_pose(0.5), any_direction(), any_inertia(), -1.5..1.5_f64);
    prop::collection::vec(link, 1..MOST_LINKS).prop_map(move |specs| {
        let (mut links, mut joints) = (Vec::new(), Vec::new());
        for (index, (parent, kind, placement, axis, inertia, multiplier)) in specs.into_iter().enumerate() {
            let parent = (index > 0).then_some((parent * index as f64) as usize);
            let motion = parent.map_or(Motion::Fixed, |_| add_motion(kind, index, multiplier, mimics, &mut joints));
            // a body that moves has mass
            let inertia = if kind == 5 && motion == Motion::Fixed && index > 0 { Inertia::zero() } else { inertia };
            links.push(Link {
                name: format!("link_{index}"),
                parent,
                joint_name: parent.map(|_| format!("joint_{index}")),
                motion,
                placement_in_parent: placement,
                axis_in_link: axis,
                inertia,
                visuals: Vec::new(),
                collisions: Vec::new(),
            });
        }
        Tree::new(links, joints).unwrap()
    })
}

fn add_motion(kind: u8, link: usize, multiplier: f64, mimics: bool, joints: &mut Vec<Joint>) -> Motion {
    let kinds = [JointKind::Revolute, JointKind::Prismatic, JointKind::Continuous];
    match kind {
        0..3 => {
            let limits = JointLimits {
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
                velocity: f64::INFINITY,
                effort: f64::INFINITY,
            };
            let (name, kind) = (format!("joint_{link}"), kinds[kind as usize]);
            joints.push(Joint { name, link, kind, limits, damping: 0.0, friction: 0.0 });
            Motion::Joint(joints.len() - 1)
        }
        3..5 if mimics && !joints.is_empty() => {
            let joint = link % joints.len();
            Motion::Mimic(Mimic { joint, multiplier, offset: 0.3, kind: kinds[kind as usize - 3] })
        }
        _ => Motion::Fixed,
    }
}

fn any_vector(range: f64) -> impl Strategy<Value = Vector3<f64>> {
    [-range..range, -range..range, -range..range].prop_map(Vector3::from)
}

fn any_direction() -> impl Strategy<Value = Unit<Vector3<f64>>> {
    any_vector(1.0).prop_map(|v| Unit::try_new(v, 1e-3).unwrap_or(Vector3::z_axis()))
}

fn any_pose(range: f64) -> impl Strategy<Value = Isometry3<f64>> {
    let part = || -1.0..1.0_f64;
    (any_vector(range), [part(), part(), part(), part()]).prop_map(|(position, [x, y, z, w])| {
        let rotation = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-3).unwrap_or_default();
        Isometry3::from_parts(Translation3::from(position), rotation)
    })
}

/// The inertia of four random point masses and a small ball: any body could have it.
fn any_inertia() -> impl Strategy<Value = Inertia> {
    let points = prop::collection::vec((any_vector(0.2), 0.05..2.0_f64), 4);
    points.prop_map(|points| {
        let mass: f64 = points.iter().map(|(_, mass)| mass).sum();
        let com = points.iter().map(|(at, mass)| at * *mass).sum::<Vector3<f64>>() / mass;
        let mut rotational = Matrix3::from_diagonal_element(mass * 1e-3);
        for (at, mass) in points {
            let arm = at - com;
            rotational += mass * (Matrix3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose());
        }
        Inertia { mass, com_in_link: com, rotational_at_com_in_link: rotational }
    })
}
