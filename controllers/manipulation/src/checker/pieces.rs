//! Spheres that move as one and may meet the same things.

use nalgebra::Isometry3;

use crate::collision::{
    CollisionModel, Excluded, Object, Placed, Reason, Role, Scene, Sphere, around, cover, without_held,
};

use super::bodies::Bodies;
use super::hit::Touching;

/// What single precision may be wrong by [m].
pub(super) const ROUNDING: f64 = 1e-5;

/// A thing with a shape on one of the bodies: a link, or an object in a hand or in the world.
#[derive(Clone, Debug)]
pub(super) struct Thing {
    pub what: Touching,
    /// The body that carries it.
    pub body: usize,
    /// Its shape in the body's frame.
    pub solids: Vec<Placed>,
    /// Spheres that hold it, in the body's frame; none of what does not move.
    pub spheres: Vec<Sphere>,
}

/// Spheres on one body that may meet the same things.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub what: Touching,
    pub body: usize,
    pub spheres: Vec<Sphere>,
    /// For each thing whether it may not be met.
    pub apart: Vec<bool>,
}

/// All things: links with shapes, then objects that are not ignored; and pairs of links that overlap where the robot stands.
/// `base` is the first body's pose in the world.
pub(super) fn things(
    model: &CollisionModel,
    scene: &Scene,
    bodies: &Bodies,
    base: &Isometry3<f64>,
) -> (Vec<Thing>, Vec<Excluded>) {
    let (mut found, mut excluded) = (Vec::new(), Vec::new());
    for (link, (body, pose)) in bodies.links.iter().enumerate() {
        let solids: Vec<Placed> = model.solids(link).iter().map(|placed| placed.moved(pose)).collect();
        let spheres = match *body {
            0 => Vec::new(),
            _ => moved(&spheres(model, bodies, link, &mut excluded), pose),
        };
        if !solids.is_empty() {
            found.push(Thing { what: Touching::Link(link), body: *body, solids, spheres });
        }
    }
    for (index, object) in scene.objects().iter().enumerate() {
        let what = Touching::Object(index);
        match object.in_hand() {
            Some((link, placed)) => {
                let (body, pose) = bodies.links[link];
                let solid = placed.moved(&pose);
                let spheres = if body == 0 { Vec::new() } else { cover(&solid, model.settings().excess) };
                found.push(Thing { what, body, solids: vec![solid], spheres: without_held(spheres) });
            }
            None if object.role == Role::Ignored => {}
            None => {
                let placed = Placed { solid: object.solid, pose: base.inverse() * object.pose };
                found.push(Thing { what, body: 0, solids: vec![placed], spheres: Vec::new() });
            }
        }
    }
    (found, excluded)
}

/// A link's spheres, as fine as they have to be for what they are held against: links on bodies before its own.
fn spheres(model: &CollisionModel, bodies: &Bodies, link: usize, excluded: &mut Vec<Excluded>) -> Vec<Sphere> {
    let (body, margin) = (bodies.links[link].0, model.settings().margin);
    let others = bodies.links.iter().enumerate().filter(|(other, (carrier, _))| {
        *carrier < body && model.keeps_apart(link, *other) && !model.solids(*other).is_empty()
    });
    // both of two that move may come nearer between two looks
    let margins = |carrier: usize| if carrier == 0 { margin } else { 2.0 * margin };
    let others = others.map(|(other, (carrier, _))| (other, margins(*carrier) + ROUNDING));
    model.fine_spheres(link, others, |other, depth| {
        excluded.push(Excluded { one: link, two: other, reason: Reason::Standing(depth) });
    })
}

fn moved(spheres: &[Sphere], pose: &Isometry3<f64>) -> Vec<Sphere> {
    let moved = |sphere: &Sphere| Sphere {
        center: pose.rotation * sphere.center + pose.translation.vector,
        radius: sphere.radius,
    };
    spheres.iter().map(moved).collect()
}

/// Whether two things have to be kept apart.
fn are_apart(model: &CollisionModel, objects: &[Object], one: Touching, other: Touching) -> bool {
    use Touching::{Link, Object};
    match (one, other) {
        (Link(one), Link(other)) => model.keeps_apart(one, other),
        (Link(link), Object(object)) | (Object(object), Link(link)) => {
            let object = &objects[object];
            match (object.held, object.role) {
                (Some(held), _) => {
                    !model.is_of_hand(link, held.link) && !held.also.is_some_and(|also| model.is_of_hand(link, also))
                }
                (None, Role::Obstacle) => true,
                (None, Role::Target { hand }) => !model.is_of_hand(link, hand),
                (None, Role::Ignored) => false,
            }
        }
        (Object(one), Object(other)) => {
            let (one, other) = (&objects[one], &objects[other]);
            match (one.held, other.held) {
                (Some(one), Some(other)) => one.link != other.link,
                (Some(held), None) => meets_in_hand(model, held.link, other.role),
                (None, Some(held)) => meets_in_hand(model, held.link, one.role),
                (None, None) => false,
            }
        }
        _ => true,
    }
}

/// Whether what a link's hand holds has to be kept apart from an object of this role.
fn meets_in_hand(model: &CollisionModel, link: usize, role: Role) -> bool {
    match role {
        Role::Obstacle => true,
        Role::Target { hand } => !model.is_of_hand(link, hand) && !model.is_of_hand(hand, link),
        Role::Ignored => false,
    }
}

/// Puts things on the same body that have to be kept apart from the same other things together, bodies in their order.
pub(super) fn groups(model: &CollisionModel, scene: &Scene, things: &[Thing], excluded: &[Excluded]) -> Vec<Group> {
    let may_meet = |one: Touching, other: Touching| {
        let links = [one, other].map(|what| if let Touching::Link(link) = what { Some(link) } else { None });
        excluded
            .iter()
            .any(|pair| links == [Some(pair.one), Some(pair.two)] || links == [Some(pair.two), Some(pair.one)])
    };
    let mut found: Vec<Group> = Vec::new();
    for thing in things {
        if thing.spheres.is_empty() {
            continue;
        }
        let apart_from = |other: &Thing| {
            other.body != thing.body
                && are_apart(model, scene.objects(), thing.what, other.what)
                && !may_meet(thing.what, other.what)
        };
        let apart: Vec<bool> = things.iter().map(apart_from).collect();
        // what a hand holds is told apart from the hand
        let are_links = |group: &Group| [group.what, thing.what].iter().all(|what| matches!(what, Touching::Link(_)));
        let mut alike = found.iter_mut().filter(|group| group.body == thing.body && group.apart == apart);
        match alike.find(|group| are_links(group)) {
            Some(group) => group.spheres.extend(&thing.spheres),
            None => {
                let (what, body, spheres) = (thing.what, thing.body, thing.spheres.clone());
                found.push(Group { what, body, spheres, apart });
            }
        }
    }
    for group in &mut found {
        group.spheres = without_held(core::mem::take(&mut group.spheres));
    }
    found.sort_by_key(|group| group.body);
    found
}

impl Group {
    /// The sphere around its spheres.
    pub fn around(&self) -> Sphere {
        around(self.spheres.iter())
    }
}
