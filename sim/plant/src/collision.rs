//! What collides in a world with robots, and whose it is.
//!
//! Everything is created in file order: the terrain's shape, the objects', then the links'. Meshes become convex parts; where the robot has not
//! found their files, a box of the same inertia stands in, one a body.

use core::ops::Range;

use nalgebra::Isometry3;
use parry3d::shape::SharedShape;
use robot_model::{RigidBody, RobotModel, Shape};
use worlds::World;

use crate::error::PlantError;
use crate::shapes::{self, Placed};

/// Whose a shape is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The ground.
    Terrain,
    /// The object with this index.
    Object(usize),
    /// The link with this index; where there are several robots, the links of all are counted in the robots' order.
    Link(usize),
}

impl Owner {
    /// The index of a link among these of one robot's; `None` if it is none of them.
    pub(crate) fn link_of(self, robot: &Range<usize>) -> Option<usize> {
        match self {
            Owner::Link(link) if robot.contains(&link) => Some(link - robot.start),
            _ => None,
        }
    }
}

/// A shape that collides.
#[derive(Clone)]
pub struct CollisionShape {
    /// Whose it is.
    pub owner: Owner,
    /// The shape.
    pub shape: SharedShape,
    /// Its place in the frame of its owner; the terrain's is the world's [m].
    pub pose_in_owner: Isometry3<f64>,
}

impl CollisionShape {
    fn new(owner: Owner, Placed { shape, pose }: Placed) -> CollisionShape {
        CollisionShape { owner, shape, pose_in_owner: pose }
    }
}

/// All shapes that collide: the terrain's, the objects', then the robot's. A mesh that cannot be read, or whose size is absurd, is an error.
pub fn collision_shapes(world: &World, robot: &RobotModel) -> Result<Vec<CollisionShape>, PlantError> {
    shapes_with(world, core::iter::once(robot))
}

/// The same for several robots, one after the other.
pub(crate) fn shapes_with<'r>(
    world: &World,
    robots: impl Iterator<Item = &'r RobotModel>,
) -> Result<Vec<CollisionShape>, PlantError> {
    let mut shapes = vec![CollisionShape::new(Owner::Terrain, shapes::of_terrain(&world.terrain))];
    for (index, object) in world.objects.iter().enumerate() {
        let placed = shapes::of_object(object)?.into_iter();
        shapes.extend(placed.map(|placed| CollisionShape::new(Owner::Object(index), placed)));
    }
    let mut first_link = 0;
    for robot in robots {
        add_links(robot, first_link, &mut shapes)?;
        first_link += robot.tree.links.len();
    }
    Ok(shapes)
}

fn add_links(robot: &RobotModel, first_link: usize, colliding: &mut Vec<CollisionShape>) -> Result<(), PlantError> {
    let rigid: Vec<RigidBody> = robot.tree.rigid_bodies().collect();
    let mut has_box = vec![false; rigid.len()];
    for (index, link) in robot.tree.links.iter().enumerate() {
        let is_wheel = robot.description.wheels.iter().any(|wheel| wheel.link == index);
        for geometry in &link.collisions {
            let body = robot.tree.place(index).body;
            let owner = Owner::Link(first_link + index);
            if let Shape::Mesh { uri, scale } = &geometry.shape {
                if let Some(mesh) = robot.mesh(uri) {
                    let parts = shapes::of_mesh(&link.name, mesh, scale)?;
                    let placed = parts.iter().map(|shape| Placed { shape: shape.clone(), pose: geometry.pose_in_link });
                    colliding.extend(placed.map(|placed| CollisionShape::new(owner, placed)));
                } else if !core::mem::replace(&mut has_box[body], true) {
                    let standing_in = shapes::equivalent_box(&rigid[body].inertia);
                    let owner = Owner::Link(first_link + rigid[body].link);
                    colliding.extend(standing_in.map(|placed| CollisionShape::new(owner, placed)));
                }
            } else if let Some(placed) = shapes::of_link(geometry, is_wheel) {
                colliding.push(CollisionShape::new(owner, placed));
            }
        }
    }
    Ok(())
}
