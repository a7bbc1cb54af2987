//! What is around the robot.

use std::sync::Arc;

use capt::Capt;
use nalgebra::Isometry3;
use robot_io::HeightMap;

use super::solid::{Placed, Solid};
use crate::error::{ManipulationError, check_number};

/// What an object is to the robot (J. Leitner et al., "A modular software framework for hand-eye coordination in humanoid
/// robots", Frontiers in Robotics and AI 3:26, 2016, give objects roles that change while the robot acts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing may touch it.
    Obstacle,
    /// The hand of this link may touch it, and what that hand holds; nothing else may.
    Target {
        /// A link of the hand, by its index in the tree.
        hand: usize,
    },
    /// It is not there.
    Ignored,
}

/// That a hand holds an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// The link that carries it; its hand may touch it.
    pub link: usize,
    /// Where it is on that link [m].
    pub pose_in_link: Isometry3<f64>,
    /// A link of another hand that holds it, too, or comes to: that hand may touch it as well.
    pub also: Option<usize>,
}

/// A thing that is known by its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its name, unique in the scene.
    pub name: String,
    /// Its shape.
    pub solid: Solid,
    /// Where it is in the world [m]; of no meaning while it is held.
    pub pose: Isometry3<f64>,
    /// What it is to the robot; of no meaning while it is held.
    pub role: Role,
    /// The hand that holds it.
    pub held: Option<Held>,
}

/// What is known by points and heights instead of shapes.
#[derive(Clone, Debug)]
pub enum Surroundings {
    /// Ground, solid below these heights in the world; nothing is known where there is no number, and nothing met.
    Heights(HeightMap),
    /// Points in the world, each a small ball.
    Cloud(Cloud),
}

/// Points in a tree for collision checks (C. Ramsey et al., "Collision-affording point trees: SIMD-amenable nearest neighbors
/// for fast collision checking", RSS 2024). A copy shares them.
#[derive(Clone, Debug)]
pub struct Cloud {
    tree: Arc<Capt<3, f32, u32>>,
    /// The box around the points, with their radius [m].
    pub(crate) low: [f32; 3],
    pub(crate) high: [f32; 3],
    /// Spheres may be so large [m].
    pub(crate) largest: f32,
}

/// Objects, ground and points around a robot.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    objects: Vec<Object>,
    surroundings: Vec<Surroundings>,
}

/// Most points of a cloud.
const MOST_POINTS: usize = 1 << 20;

impl Cloud {
    /// Of points in the world [m] with a radius each [m], for spheres of the robot up to `largest` [m] with their margin.
    /// A larger sphere counts as one that meets a point wherever it meets the box around all points. Points that are no numbers
    /// are left out; more than 2²⁰ are refused.
    pub fn new(points: &[[f32; 3]], radius: f64, largest: f64) -> Result<Cloud, ManipulationError> {
        let part = "a cloud of points";
        check_number(part, "radius", (0.0, 1.0), "m", radius)?;
        check_number(part, "largest", (1e-3, 10.0), "m", largest)?;
        let finite = |point: &&[f32; 3]| point.iter().all(|number| number.is_finite());
        let points: Vec<[f32; 3]> = points.iter().filter(finite).copied().collect();
        if points.len() > MOST_POINTS {
            return Err(ManipulationError::refused(part, "points", format!("at most {MOST_POINTS}"), points.len()));
        }
        let (radius, largest) = (radius as f32, largest as f32);
        // what is asked for is the sphere's radius and the point's together
        let range = (0.0, largest + radius);
        let tree = Capt::try_with_point_radius(&points, range, radius, 1).map_err(|error| {
            ManipulationError::refused(part, "points", "points that fit into a tree", format!("{error:?}"))
        })?;
        let bound = |start: f32, pick: fn(f32, f32) -> f32, beyond: f32| {
            core::array::from_fn(|axis| points.iter().map(|point| point[axis]).fold(start, pick) + beyond)
        };
        let low = bound(f32::INFINITY, f32::min, -radius);
        let high = bound(f32::NEG_INFINITY, f32::max, radius);
        Ok(Cloud { tree: Arc::new(tree), low, high, largest })
    }

    /// Whether a sphere meets a point.
    pub(crate) fn meets(&self, center: &[f32; 3], radius: f32) -> bool {
        self.tree.collides(center, radius)
    }
}

impl Scene {
    /// All objects.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Ground and points.
    pub fn surroundings(&self) -> &[Surroundings] {
        &self.surroundings
    }

    /// Adds an object; refused if its name is taken or its size is no length.
    pub fn add(&mut self, object: Object) -> Result<(), ManipulationError> {
        let part = format!("object \"{}\"", object.name);
        object.solid.check(&part)?;
        if self.objects.iter().any(|known| known.name == object.name) {
            return Err(ManipulationError::refused(&part, "name", "a name of its own", "one that is taken"));
        }
        self.objects.push(object);
        Ok(())
    }

    /// Adds ground or points; refused is a map whose numbers do not fit together.
    pub fn surround(&mut self, surroundings: Surroundings) -> Result<(), ManipulationError> {
        if let Surroundings::Heights(map) = &surroundings {
            check_number("a height map", "cell", (1e-4, 1e3), "m", map.cell)?;
            if map.columns.checked_mul(map.rows) != Some(map.heights.len()) {
                let expected = format!("{} × {} numbers", map.columns, map.rows);
                return Err(ManipulationError::refused("a height map", "heights", expected, map.heights.len()));
            }
        }
        self.surroundings.push(surroundings);
        Ok(())
    }

    /// Takes an object out; refused if there is none of that name.
    pub fn remove(&mut self, name: &str) -> Result<Object, ManipulationError> {
        let index = self.index(name)?;
        Ok(self.objects.remove(index))
    }

    /// Moves an object; one that is held is let go.
    pub fn place(&mut self, name: &str, pose: Isometry3<f64>) -> Result<(), ManipulationError> {
        let index = self.index(name)?;
        self.objects[index].pose = pose;
        self.objects[index].held = None;
        Ok(())
    }

    /// Gives an object another role.
    pub fn set_role(&mut self, name: &str, role: Role) -> Result<(), ManipulationError> {
        let index = self.index(name)?;
        self.objects[index].role = role;
        Ok(())
    }

    /// Has a link hold an object from now on, where it is on that link.
    pub fn attach(&mut self, name: &str, held: Held) -> Result<(), ManipulationError> {
        let index = self.index(name)?;
        self.objects[index].held = Some(held);
        Ok(())
    }

    fn index(&self, name: &str) -> Result<usize, ManipulationError> {
        self.objects.iter().position(|object| object.name == name).ok_or_else(|| {
            let known = self.objects.iter().map(|object| object.name.as_str()).collect::<Vec<_>>().join(", ");
            ManipulationError::refused("the scene", "object", format!("one of {known}"), format!("\"{name}\""))
        })
    }
}

impl Object {
    /// An obstacle.
    pub fn obstacle(name: &str, solid: Solid, pose: Isometry3<f64>) -> Object {
        Object { name: name.to_owned(), solid, pose, role: Role::Obstacle, held: None }
    }

    /// Its shape where it is held, in the frame of the link that does.
    pub(crate) fn in_hand(&self) -> Option<(usize, Placed)> {
        self.held.map(|held| (held.link, Placed { solid: self.solid, pose: held.pose_in_link }))
    }
}
