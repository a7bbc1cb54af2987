//! What came of the contacts of a step.

use mechanics::Mechanics;
use nalgebra::Vector3;
use worlds::World;

use super::Contacts;
use crate::collision::Owner;
use crate::frame::{ContactPoint, Touched};
use crate::tag::owners;
use crate::unwanted;

impl Contacts {
    /// Sums up the normal forces of a step of `step` [s], and wakes who is about to be touched.
    pub fn sum(&mut self, world: &World, mechanics: &mut Mechanics, step: f64) {
        self.woken.iter().for_each(|body| mechanics.wake(*body));
        self.memory.normal_force.fill(0.0);
        for point in &self.memory.points {
            let (one, two) = owners(point.tag);
            let force = point.normal_impulse() / step;
            if force == 0.0 {
                continue;
            }
            let first = if let Owner::Link(link) = one { self.robot_of(link) } else { None };
            let second = if let Owner::Link(link) = two { self.robot_of(link) } else { None };
            for owner in [one, two] {
                if let Owner::Link(link) = owner {
                    self.memory.normal_force[link] += force;
                }
            }
            if let Some((robot, link)) = first {
                let with = match (two, second) {
                    (Owner::Object(object), _) => Touched::Object(object),
                    (_, Some((other, link))) if other == robot => Touched::Link(link),
                    (_, Some((robot, link))) => Touched::Robot { robot, link },
                    _ => unwanted::terrain(world.terrain.normal_at(point.position.x, point.position.y)),
                };
                if !matches!(with, Touched::Link(_)) {
                    self.unwanted[robot].hit(link, point.normal_impulse());
                }
                self.unwanted[robot].note(link, with, point.position, &point.normal, force);
            }
            // of two robots both feel it
            if let (Some((robot, link)), Some((other, touched))) = (second, first)
                && robot != other
            {
                let with = Touched::Robot { robot: other, link: touched };
                self.unwanted[robot].hit(link, point.normal_impulse());
                self.unwanted[robot].note(link, with, point.position, &-point.normal, force);
            }
        }
    }

    /// Whose a link is, and which of that robot's.
    fn robot_of(&self, link: usize) -> Option<(usize, usize)> {
        let robot = self.robots.iter().position(|links| links.contains(&link))?;
        Some((robot, link - self.robots[robot].start))
    }

    /// All points that carry a force.
    pub fn show(&self, step: f64, out: &mut Vec<ContactPoint>) {
        out.clear();
        let loaded = self.memory.points.iter().filter(|point| point.impulse != Vector3::zeros());
        out.extend(loaded.map(|point| ContactPoint {
            position_in_world: point.position,
            force_in_world: point.impulse / step,
            normal_in_world: point.normal,
            link: self.robots.first().and_then(|first| owners(point.tag).0.link_of(first)),
        }));
    }
}
