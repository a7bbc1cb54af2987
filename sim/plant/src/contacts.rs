//! Who touches what: from rapier's manifolds to the points of our solver.

use nalgebra::Vector3;
use rapier3d::prelude::*;
use robot_io::State;
use worlds::World;

use crate::convert::vector64;
use crate::frame::{ContactPoint, Touched};
use crate::multibody::contact::{Point, Solver};
use crate::multibody::{Multibody, wrench_at};
use crate::physics::{Physics, point};
use crate::spawn::{Owner, Spawned};
use crate::unwanted::Watch;
use crate::wheel_contact::WheelContact;

/// Points that are further away do not take part [m].
const NEAR: f64 = 0.01;
/// Points of a link closer together than this, with like normals, are one [m].
const APART: f64 = 0.008;
/// Cosine of the angle between like normals.
const LIKE: f64 = 0.95;
/// Most points of one link; more would only say the same again.
const MOST: usize = 6;

/// Contacts of the last step, link by link.
#[derive(Clone, Debug, State)]
pub(crate) struct Contacts {
    /// For each link the sum of its normal forces [N].
    #[state(elements)]
    pub normal_force: Vec<f64>,
    /// For each link the material under it, by its number in the world, where it last touched the terrain.
    #[state(elements)]
    pub material: Vec<usize>,
    /// The robot's contacts with what does not move.
    pub solver: Solver,
    /// The wheels, which find the terrain themselves.
    #[state(fixed)]
    wheels: Vec<WheelContact>,
    /// What movable objects did to the robot in the last step.
    #[state(scratch)]
    by_objects: Vec<Touch>,
    /// Contacts that are no wheel on the ground.
    #[state(output)]
    pub unwanted: Watch,
}

/// A force [N] at a point [m] on a link, by a movable object.
#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    link: usize,
    object: usize,
    position: Vector3<f64>,
    force: Vector3<f64>,
    normal: Vector3<f64>,
}

impl Contacts {
    /// None yet.
    pub fn new(links: usize, wheels: Vec<WheelContact>, unwanted: Watch) -> Contacts {
        let solver = Solver::default();
        Contacts {
            normal_force: vec![0.0; links],
            material: vec![0; links],
            solver,
            wheels,
            by_objects: Vec::with_capacity(32),
            unwanted,
        }
    }

    /// Collects the points at which the robot touches something after rapier has looked.
    pub fn gather(&mut self, spawned: &Spawned, world: &World, physics: &Physics, robot: &Multibody) {
        self.solver.clear();
        self.by_objects.clear();
        for index in 0..self.wheels.len() {
            let wheel = self.wheels[index];
            let place = &spawned.links[wheel.link];
            let link_in_world = robot.bodies[wheel.body].in_world * place.pose_in_body;
            wheel.touch(&link_in_world, world, |point| self.add_point(point));
            let hub = link_in_world.translation.vector;
            self.material[wheel.link] = world.terrain.material_at(hub.x, hub.y).unwrap_or(self.material[wheel.link]);
        }
        for pair in physics.world.narrow_phase.contact_pairs() {
            let (one, two) = (owner(spawned, pair.collider1), owner(spawned, pair.collider2));
            let (link, other, flipped) = match (one, two) {
                (Owner::Link(link), other) => (link, other, true),
                (other, Owner::Link(link)) => (link, other, false),
                _ => continue,
            };
            match other {
                Owner::Object(object) if world.objects[object].mass.is_some() => {
                    self.add_touches(physics, pair, (link, object, flipped));
                }
                _ => self.add_points(spawned, world, physics, pair, (link, other, flipped)),
            }
        }
        sort_by_link(&mut self.solver.points);
        self.thin_out();
    }

    /// Pushes the robot's bodies with what movable objects did in the last step.
    pub fn push(&self, spawned: &Spawned, robot: &mut Multibody) {
        for touch in &self.by_objects {
            let at = touch.position - robot.reference;
            robot.bodies[spawned.links[touch.link].number].outer += wrench_at(&touch.force, &at);
        }
    }

    /// Sums up the normal forces of a step of `step` [s].
    pub fn sum(&mut self, step: f64) {
        self.normal_force.fill(0.0);
        for point in &self.solver.points {
            let force = point.impulse.dot(&point.normal) / step;
            self.normal_force[point.link] += force;
            self.unwanted.note(point.link, point.with, point.position, &point.normal, force);
        }
        for touch in &self.by_objects {
            let (force, with) = (touch.force.dot(&touch.normal), Touched::Object(touch.object));
            self.normal_force[touch.link] += force;
            self.unwanted.note(touch.link, with, touch.position, &touch.normal, force);
        }
    }

    /// All points that carry a force, in the order in which they were found.
    pub fn show(&self, step: f64, out: &mut Vec<ContactPoint>) {
        out.clear();
        let loaded = self.solver.points.iter().filter(|point| point.impulse != Vector3::zeros());
        out.extend(loaded.map(|point| ContactPoint {
            position_in_world: point.position,
            force_in_world: point.impulse / step,
            normal_in_world: point.normal,
            link: Some(point.link),
        }));
        out.extend(self.by_objects.iter().map(|touch| ContactPoint {
            position_in_world: touch.position,
            force_in_world: touch.force,
            normal_in_world: touch.normal,
            link: Some(touch.link),
        }));
    }

    fn add_points(
        &mut self,
        spawned: &Spawned,
        world: &World,
        physics: &Physics,
        pair: &ContactPair,
        (link, other, flipped): (usize, Owner, bool),
    ) {
        let colliders = &physics.world.colliders;
        let (one, two) = (&colliders[pair.collider1], &colliders[pair.collider2]);
        for manifold in &pair.manifolds {
            let local_normal =
                manifold.subshape_pos1().map_or(manifold.local_n1, |place| place.rotation * manifold.local_n1);
            let along = vector64(one.position().rotation * local_normal);
            for contact in &manifold.points {
                let first = point(one, manifold.subshape_pos1(), contact.local_p1);
                let second = point(two, manifold.subshape_pos2(), contact.local_p2);
                let distance = (second - first).dot(&along);
                if distance > NEAR {
                    continue;
                }
                let position = 0.5 * (first + second);
                let (material, with) = match other {
                    Owner::Object(object) => (world.objects[object].material, Touched::Object(object)),
                    _ => (world.terrain.material_at(position.x, position.y).unwrap_or(0), Touched::Ground),
                };
                self.material[link] = material;
                let material = &world.materials[material];
                self.add_point(Point {
                    body: spawned.links[link].number,
                    link,
                    with,
                    position,
                    normal: if flipped { -along } else { along },
                    distance,
                    friction: material.friction,
                    restitution: material.restitution,
                    impulse: Vector3::zeros(),
                });
            }
        }
    }

    /// Adds a point unless the link has one there; of two the deeper one stays.
    fn add_point(&mut self, new: Point) {
        for old in self.solver.points.iter_mut().filter(|old| old.link == new.link) {
            let near = (old.position - new.position).norm_squared() < APART * APART;
            if near && old.normal.dot(&new.normal) > LIKE {
                if new.distance < old.distance {
                    *old = new;
                }
                return;
            }
        }
        self.solver.points.push(new);
    }

    /// Of a link with too many points those stay that lie farthest out in some direction, and the deepest. A choice by depth
    /// alone would differ from step to step and lose the impulses to begin with.
    fn thin_out(&mut self) {
        let points = &mut self.solver.points;
        let mut begin = 0;
        while begin < points.len() {
            let link = points[begin].link;
            let count = points[begin..].iter().take_while(|point| point.link == link).count();
            if count > MOST {
                let kept = corners(&points[begin..begin + count]);
                let mut place = begin;
                for index in (0..count).filter(|index| kept.contains(index)) {
                    points[place] = points[begin + index];
                    place += 1;
                }
                points.drain(place..begin + count);
                begin = place;
            } else {
                begin += count;
            }
        }
    }

    fn add_touches(&mut self, physics: &Physics, pair: &ContactPair, (link, object, flipped): (usize, usize, bool)) {
        let one = &physics.world.colliders[pair.collider1];
        let (scale, sign) = (physics.force_per_impulse(), if flipped { -1.0 } else { 1.0 });
        for manifold in &pair.manifolds {
            let normal = vector64(manifold.data.normal) * sign;
            for contact in manifold.points.iter().filter(|contact| contact.data.impulse > 0.0) {
                let friction = vector64(contact.data.warmstart_tangent_world) * sign;
                let force = (normal * f64::from(contact.data.impulse) + friction) * scale;
                let position = point(one, manifold.subshape_pos1(), contact.local_p1);
                self.by_objects.push(Touch { link, object, position, force, normal });
            }
        }
    }
}

/// Insertion sort: points of a link keep their order, as in `sort_by_key`, which would allocate in every step.
fn sort_by_link(points: &mut [Point]) {
    for end in 1..points.len() {
        let mut place = end;
        while place > 0 && points[place - 1].link > points[place].link {
            points.swap(place - 1, place);
            place -= 1;
        }
    }
}

/// The points that lie farthest out in some horizontal direction, and the deepest.
fn corners(points: &[Point]) -> [usize; MOST] {
    let farthest = |measure: &dyn Fn(&Point) -> f64| {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, point) in points.iter().enumerate() {
            let measured = measure(point);
            // a little more than the best so far, so that equals do not change places
            if measured > best.0 + 1e-6 {
                best = (measured, index);
            }
        }
        best.1
    };
    core::array::from_fn(|side| match side {
        0 => farthest(&|point| -point.distance),
        _ => {
            let (sin, cos) = libm::sincos(0.3 + core::f64::consts::TAU * side as f64 / (MOST - 1) as f64);
            farthest(&|point| point.position.x * cos + point.position.y * sin)
        }
    })
}

fn owner(spawned: &Spawned, collider: ColliderHandle) -> Owner {
    spawned.owners[collider.into_raw_parts().0 as usize]
}
