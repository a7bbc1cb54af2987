//! What a patch of skin feels of a step's contacts.

use nalgebra::Isometry3;
use robot_model::description::SkinPatch;

use super::Contacts;
use crate::collision::Owner;
use crate::tag::owners;

impl Contacts {
    /// The sum of the normal forces [N] on a link, by its number among those of all robots, at points within a patch of it; `step` is that of
    /// the physics [s].
    pub fn on_skin(&self, link: usize, link_in_world: &Isometry3<f64>, patch: &SkinPatch, step: f64) -> f64 {
        let is_felt = |point: &&mechanics::Contact| {
            let (one, two) = owners(point.tag);
            (one == Owner::Link(link) || two == Owner::Link(link))
                && patch.has(&link_in_world.inverse_transform_point(&point.position.into()))
        };
        self.memory.points.iter().filter(is_felt).map(|point| point.normal_impulse() / step).sum()
    }
}
