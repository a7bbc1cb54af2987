//! A checker from a robot, what is around it, and the joints that move.

use nalgebra::Isometry3;

use super::bodies::Bodies;
use super::check::{Checker, Facing, MOST_FACING, Piece, Step};
use super::hit::Touching;
use super::obstacle::{Around, Obstacle};
use super::pieces::{Group, ROUNDING, Thing, groups, things};
use super::ways::{reach, ways};
use crate::collision::{CollisionModel, Scene, Sphere, around};
use crate::error::{ManipulationError, check_numbers};
use crate::kinematics::{MOST_JOINTS, bounds};
use crate::lanes::{Fixed, Frame, Lanes};

impl Checker {
    /// While the joints of `group` move (their indices in the tree, each once, 1 to 32) and all others rest at `positions`
    /// (one for each joint of the tree [rad or m]); `base_in_world` is where the robot is.
    ///
    /// What does not move is not checked against what does not move either. Another role of an object, an object taken in
    /// hand, or other joints that rest elsewhere need another checker.
    pub fn new(
        model: &CollisionModel,
        scene: &Scene,
        base_in_world: &Isometry3<f64>,
        group: &[usize],
        positions: &[f64],
    ) -> Result<Checker, ManipulationError> {
        check(model, scene, group, positions)?;
        let limits: Vec<[f64; 2]> = group.iter().map(|joint| bounds(model.tree(), *joint)).collect();
        let bodies = Bodies::new(model.tree(), group, positions);
        let (things, excluded) = things(model, scene, &bodies, base_in_world);
        let groups = groups(model, scene, &things, &excluded);
        let obstacles: Vec<(usize, Obstacle)> = things.iter().enumerate().flat_map(obstacles_of).collect();
        let mut checker = Checker {
            joints: group.to_vec(),
            margin: model.settings().margin,
            leave: 0.0,
            excluded,
            steps: steps(&bodies),
            pieces: Vec::new(),
            spheres: Vec::new(),
            obstacles: obstacles.iter().map(|(_, obstacle)| obstacle.clone()).collect(),
            around: surroundings(scene, base_in_world),
            positions: vec![Lanes::ZERO; group.len()],
            frames: vec![Frame::base(); bodies.bodies.len()],
            centers: vec![[Lanes::ZERO; 3]; groups.len()],
            points: Vec::new(),
            is_ready: vec![false; groups.len()],
            limits,
        };
        for group in &groups {
            let (origin, far) = reach(&bodies, group.body, &group.spheres, &checker.limits);
            let in_reach = |thing: &Thing| {
                let nearest = thing.solids.iter().map(|placed| placed.distance(&origin)).fold(f64::INFINITY, f64::min);
                nearest < far + checker.margin + ROUNDING
            };
            let still = |thing: usize| things[thing].body == 0 && group.apart[thing] && in_reach(&things[thing]);
            let met = (0..obstacles.len()).filter(|number| still(obstacles[*number].0)).collect();
            let facing = facing(group, &things, &obstacles);
            let ways = ways(&bodies, group.body, &group.spheres, &checker.limits);
            checker.add(group, met, facing, ways);
        }
        Ok(checker)
    }

    fn add(&mut self, group: &Group, obstacles: Vec<usize>, facing: Vec<Facing>, ways: Vec<f64>) {
        let (around, first) = (group.around(), self.spheres.len());
        let padded = |radius: f64| (radius + self.margin + ROUNDING) as f32;
        let radius = padded(around.radius);
        self.spheres.extend(group.spheres.iter().map(|sphere| (single(&sphere.center), padded(sphere.radius))));
        self.points.resize(self.spheres.len(), [Lanes::ZERO; 3]);
        self.pieces.push(Piece {
            what: group.what,
            body: group.body,
            center: single(&around.center),
            radius,
            spheres: first..self.spheres.len(),
            obstacles,
            facing,
            ways,
        });
    }
}

fn check(model: &CollisionModel, scene: &Scene, group: &[usize], positions: &[f64]) -> Result<(), ManipulationError> {
    let (part, tree) = ("joints that move", model.tree());
    check_numbers("where the robot is", "positions", tree.dof(), positions)?;
    if group.is_empty() || group.len() > 2 * MOST_JOINTS {
        return Err(ManipulationError::refused(part, "number", format!("1 to {}", 2 * MOST_JOINTS), group.len()));
    }
    for (place, joint) in group.iter().enumerate() {
        if *joint >= tree.dof() || group[..place].contains(joint) {
            return Err(ManipulationError::refused(part, "joint", "indices in the tree, each once", joint));
        }
    }
    let links = tree.links.len();
    for object in scene.objects() {
        if let Some(held) = object.held.filter(|held| held.link >= links) {
            let part = format!("object \"{}\"", object.name);
            return Err(ManipulationError::refused(&part, "link", format!("one of {links} links"), held.link));
        }
        if let Some(also) = object.held.and_then(|held| held.also).filter(|also| *also >= links) {
            let part = format!("object \"{}\"", object.name);
            return Err(ManipulationError::refused(&part, "also", format!("one of {links} links"), also));
        }
        if let crate::collision::Role::Target { hand } = object.role
            && hand >= links
        {
            let part = format!("object \"{}\"", object.name);
            return Err(ManipulationError::refused(&part, "hand", format!("one of {links} links"), hand));
        }
    }
    Ok(())
}

fn steps(bodies: &Bodies) -> Vec<Step> {
    let step = |body: &super::bodies::Body| Step {
        parent: body.parent.unwrap_or(0),
        fixed: Fixed::new(&body.fixed),
        variable: body.variable,
        multiplier: body.multiplier as f32,
        offset: body.offset as f32,
        slides: body.slides,
    };
    bodies.bodies.iter().skip(1).map(step).collect()
}

fn single(center: &nalgebra::Vector3<f64>) -> [f32; 3] {
    [center.x as f32, center.y as f32, center.z as f32]
}

/// The solids of a thing in its body's frame, with the thing's index.
fn obstacles_of((index, thing): (usize, &Thing)) -> Vec<(usize, Obstacle)> {
    thing.solids.iter().map(|placed| (index, Obstacle::new(thing.what, placed))).collect()
}

/// What a group of spheres may meet on bodies that move and come before its own.
fn facing(group: &Group, things: &[Thing], obstacles: &[(usize, Obstacle)]) -> Vec<Facing> {
    let mut found = Vec::new();
    for body in 1..group.body {
        let on_body = |(thing, _): &&(usize, Obstacle)| things[*thing].body == body && group.apart[*thing];
        let numbers: Vec<usize> = (0..obstacles.len()).filter(|number| on_body(&&obstacles[*number])).collect();
        for some in numbers.chunks(MOST_FACING) {
            let spheres: Vec<Sphere> = some.iter().map(|number| obstacles[*number].1.around()).collect();
            let around = around(spheres.iter());
            let (center, radius) = (single(&around.center), (around.radius + ROUNDING) as f32);
            found.push(Facing { body, center, radius, obstacles: some.to_vec() });
        }
    }
    found
}

fn surroundings(scene: &Scene, base_in_world: &Isometry3<f64>) -> Vec<Around> {
    let all = scene.surroundings().iter().enumerate();
    all.map(|(index, one)| Around::new(Touching::Surroundings(index), one, base_in_world)).collect()
}
