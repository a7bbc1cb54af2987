//! Who touches what, and how hard.

use rapier3d::prelude::*;
use worlds::World;

use crate::convert::vector64;
use crate::frame::ContactPoint;
use crate::physics::Physics;
use crate::spawn::{Owner, Spawned};

/// Contacts of the last step, link by link.
#[derive(Clone, Debug)]
pub(crate) struct Contacts {
    /// For each link the sum of its normal forces [N].
    pub normal_force: Vec<f64>,
    /// For each link the material under it, by its number in the world, where it last touched the terrain.
    pub material: Vec<usize>,
    /// For each collider the material whose friction it has.
    friction_of: Vec<usize>,
}

impl Contacts {
    /// None yet; all links and objects have the friction of the world's first material until they touch the ground.
    pub fn new(spawned: &Spawned, world: &World, physics: &mut Physics) -> Contacts {
        let mut contacts = Contacts {
            normal_force: vec![0.0; spawned.links.len()],
            material: vec![0; spawned.links.len()],
            friction_of: vec![usize::MAX; spawned.owners.len()],
        };
        for (index, owner) in spawned.owners.iter().enumerate() {
            if matches!(owner, Owner::Link(_)) {
                contacts.take_friction(index, 0, world, physics);
            }
        }
        contacts
    }

    /// Reads the contacts of the last step. A collider that has come to another ground takes over its friction.
    pub fn gather(&mut self, spawned: &Spawned, world: &World, physics: &mut Physics) {
        self.normal_force.fill(0.0);
        // colliders that change ground in one step: more than this many wait for the next
        let mut changes = [(0, 0); 8];
        let mut changed = 0;
        for pair in physics.world.narrow_phase.contact_pairs() {
            let (one, two) = (number(pair.collider1), number(pair.collider2));
            let impulse: f64 = pair.solver_manifolds().iter().map(normal_impulse).sum();
            if impulse <= 0.0 {
                continue;
            }
            let force = impulse * per_step(physics);
            for (own, other) in [(one, two), (two, one)] {
                let Owner::Link(link) = spawned.owners[own] else { continue };
                self.normal_force[link] += force;
                if spawned.owners[other] != Owner::Terrain {
                    continue;
                }
                let at = physics.world.bodies[spawned.links[link].body].center_of_mass();
                let material = world.terrain.material_at(f64::from(at.x), f64::from(at.y)).unwrap_or(0);
                self.material[link] = material;
                if self.friction_of[own] != material && changed < changes.len() {
                    changes[changed] = (own, material);
                    changed += 1;
                }
            }
        }
        for (collider, material) in changes.into_iter().take(changed) {
            self.take_friction(collider, material, world, physics);
        }
    }

    fn take_friction(&mut self, collider: usize, material: usize, world: &World, physics: &mut Physics) {
        self.friction_of[collider] = material;
        let (Some(material), Some((_, handle))) =
            (world.materials.get(material), physics.world.colliders.get_unknown_gen(collider as u32))
        else {
            return;
        };
        if let Some(collider) = physics.world.colliders.get_mut(handle) {
            collider.set_friction(material.friction as f32);
            collider.set_restitution(material.restitution as f32);
        }
    }
}

impl robot_io::State for Contacts {
    fn visit_state(&mut self, visitor: &mut dyn robot_io::StateVisitor) {
        visitor.field("normal_force", self.normal_force.as_mut_slice());
        visitor.field("material", self.material.as_mut_slice());
        visitor.field("friction_of", self.friction_of.as_mut_slice());
    }
}

/// All contact points with a force, in rapier's order.
pub(crate) fn points(spawned: &Spawned, physics: &Physics, out: &mut Vec<ContactPoint>) {
    out.clear();
    for pair in physics.world.narrow_phase.contact_pairs() {
        let (one, two) = (number(pair.collider1), number(pair.collider2));
        let Some(collider) = physics.world.colliders.get(pair.collider1) else { continue };
        // the force on the robot where it takes part, otherwise on the second of the two
        let (sign, link) = match (spawned.owners[one], spawned.owners[two]) {
            (Owner::Link(link), _) => (-1.0, Some(link)),
            (_, Owner::Link(link)) => (1.0, Some(link)),
            _ => (1.0, None),
        };
        for manifold in pair.solver_manifolds() {
            let normal = vector64(manifold.data.normal) * sign;
            for point in manifold.points.iter().filter(|point| point.data.impulse > 0.0) {
                let place = manifold.subshape_pos1().map_or(point.local_p1, |at| at * point.local_p1);
                let position_in_world = vector64(*collider.position() * place);
                let friction = vector64(point.data.warmstart_tangent_world) * sign;
                let scale = per_step(physics);
                let force_in_world = normal * (f64::from(point.data.impulse) * scale) + friction * scale;
                out.push(ContactPoint { position_in_world, force_in_world, normal_in_world: normal, link });
            }
        }
    }
}

/// The sum of a manifold's impulses along its normal [N·s].
fn normal_impulse(manifold: &ContactManifold) -> f64 {
    manifold.points.iter().map(|point| f64::from(point.data.impulse)).sum()
}

/// From rapier's impulse to the mean force of the step [1/s]. In this version the impulse of a step is too large by one
/// substep: it is summed over n substeps and one more.
fn per_step(physics: &Physics) -> f64 {
    let n = physics.substeps as f64;
    n / (n + 1.0) / f64::from(physics.world.integration_parameters.dt)
}

fn number(collider: ColliderHandle) -> usize {
    collider.into_raw_parts().0 as usize
}
