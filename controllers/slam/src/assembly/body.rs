//! The robot's own body, as its scanner sees it.

use nalgebra::{Isometry3, Point3, Vector3};
use robot_io::Readings;
use robot_model::{Configuration, Data, RobotModel, Shape, Tree, forward_kinematics};

use crate::SlamError;

/// The shapes of the robot, enlarged by a margin, at its present joint positions.
#[derive(Clone, Debug)]
pub(super) struct Body {
    tree: Tree,
    configuration: Configuration,
    data: Data,
    parts: Vec<Part>,
}

/// One shape: a rounded-off bound of its own, good enough for a margin.
#[derive(Clone, Debug)]
struct Part {
    link: usize,
    pose_in_link: Isometry3<f64>,
    bound: Bound,
    /// Radius of the sphere around it [m].
    radius: f64,
    /// Where it is now.
    base_in_part: Isometry3<f64>,
    middle_in_base: Point3<f64>,
}

#[derive(Clone, Copy, Debug)]
enum Bound {
    /// Half edges [m].
    Box(Vector3<f64>),
    /// About z: radius and half length [m].
    Cylinder(f64, f64),
    /// All of the sphere around it.
    Ball,
}

impl Body {
    /// The robot's collision shapes, `margin` [m] larger on all sides.
    pub fn new(model: &RobotModel, margin: f64) -> Result<Body, SlamError> {
        let mut parts = Vec::new();
        for (index, link) in model.tree.links.iter().enumerate() {
            for geometry in &link.collisions {
                let Some(bound) = Bound::of(&geometry.shape, margin) else {
                    let expected = "collision shapes of known size, to tell the robot itself from the world".to_owned();
                    return Err(SlamError::Robot { expected, found: format!("a mesh on link \"{}\"", link.name) });
                };
                parts.push(Part {
                    link: index,
                    pose_in_link: geometry.pose_in_link,
                    bound,
                    radius: bound.radius(&geometry.shape, margin),
                    base_in_part: Isometry3::identity(),
                    middle_in_base: Point3::origin(),
                });
            }
        }
        let (configuration, data) = (Configuration::zero(&model.tree), Data::new(&model.tree));
        Ok(Body { tree: model.tree.clone(), configuration, data, parts })
    }

    /// Takes the position that the robot had `age` [s] before `readings`.
    pub fn pose(&mut self, readings: &Readings, age: f64) {
        for (position, joint) in self.configuration.joints.iter_mut().zip(&readings.joints) {
            *position = joint.position - age * joint.velocity;
        }
        forward_kinematics(&self.tree, &self.configuration, &mut self.data);
        for part in &mut self.parts {
            let part_in_base = self.data.link_in_base[part.link] * part.pose_in_link;
            part.base_in_part = part_in_base.inverse();
            part.middle_in_base = part_in_base.translation.vector.into();
        }
    }

    /// True if a point in the base frame [m] is part of the robot.
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        self.parts.iter().any(|part| {
            (point - part.middle_in_base).norm_squared() < part.radius * part.radius
                && part.bound.contains(&(part.base_in_part * point))
        })
    }

    /// How far the robot reaches from a point in the base frame [m].
    pub fn reach_from(&self, point: &Point3<f64>) -> f64 {
        let reach = |part: &Part| (part.middle_in_base - point).norm() + part.radius;
        self.parts.iter().map(reach).fold(0.0, f64::max)
    }
}

impl Bound {
    fn of(shape: &Shape, margin: f64) -> Option<Bound> {
        match shape {
            Shape::Box { size } => Some(Bound::Box((0.5 * size).add_scalar(margin))),
            Shape::Cylinder { radius, length } => Some(Bound::Cylinder(radius + margin, 0.5 * length + margin)),
            Shape::Capsule { radius, length } => Some(Bound::Cylinder(radius + margin, 0.5 * length + radius + margin)),
            Shape::Sphere { .. } => Some(Bound::Ball),
            Shape::Mesh { .. } => None,
        }
    }

    fn radius(self, shape: &Shape, margin: f64) -> f64 {
        match (self, shape) {
            (Bound::Box(half), _) => half.norm(),
            (Bound::Cylinder(radius, half), _) => robot_io::math::hypot(radius, half),
            (Bound::Ball, Shape::Sphere { radius }) => radius + margin,
            (Bound::Ball, _) => margin,
        }
    }

    /// Whether a point in the shape's frame that lies in the sphere around it is inside.
    fn contains(self, point: &Point3<f64>) -> bool {
        match self {
            Bound::Box(half) => point.iter().zip(half.iter()).all(|(value, half)| value.abs() <= *half),
            Bound::Cylinder(radius, half) => {
                point.x * point.x + point.y * point.y <= radius * radius && point.z.abs() <= half
            }
            Bound::Ball => true,
        }
    }
}
