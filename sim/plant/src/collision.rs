//! What collides in a world with a robot, and whose it is.
//!
//! Everything is created in file order: the terrain's shape, the objects', then the links'. Meshes of links become boxes of the same inertia,
//! one a body.

use nalgebra::Isometry3;
use parry3d::shape::SharedShape;
use robot_model::{RigidBody, RobotModel};
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
    /// The link with this index.
    Link(usize),
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

/// All shapes that collide: the terrain's, the objects', then the robot's. An object's mesh that has no volume is an error.
pub fn collision_shapes(world: &World, robot: &RobotModel) -> Result<Vec<CollisionShape>, PlantError> {
    let mut shapes = vec![CollisionShape::new(Owner::Terrain, shapes::of_terrain(&world.terrain))];
    for (index, object) in world.objects.iter().enumerate() {
        shapes.push(CollisionShape::new(Owner::Object(index), shapes::of_object(object)?));
    }
    add_links(robot, &mut shapes);
    Ok(shapes)
}

fn add_links(robot: &RobotModel, colliding: &mut Vec<CollisionShape>) {
    let rigid: Vec<RigidBody> = robot.tree.rigid_bodies().collect();
    let mut has_box = vec![false; rigid.len()];
    for (index, link) in robot.tree.links.iter().enumerate() {
        let is_wheel = robot.description.wheels.iter().any(|wheel| wheel.link == index);
        for geometry in &link.collisions {
            let body = robot.tree.place(index).body;
            match shapes::of_link(geometry, is_wheel) {
                Some(placed) => colliding.push(CollisionShape::new(Owner::Link(index), placed)),
                None if !has_box[body] => {
                    has_box[body] = true;
                    let owner = Owner::Link(rigid[body].link);
                    let standing_in = shapes::equivalent_box(&rigid[body].inertia);
                    colliding.extend(standing_in.map(|placed| CollisionShape::new(owner, placed)));
                }
                None => {}
            }
        }
    }
}
