//! Contacts with ground that gives way.

use mechanics::{Contact, Mechanics};
use worlds::Terrain;

use super::{Contacts, Middle};
use crate::collision::Owner;
use crate::soil::{Meeting, Soil};
use crate::solids::{Carrier, Solid};
use crate::tag::tag_on_sample;

impl Contacts {
    /// Lets ground that gives way do so under what is awake, in the middle of a step of `step` [s].
    pub fn press_soil(&mut self, terrain: &mut Terrain, mechanics: &Mechanics, step: f64) {
        if let Some(soil) = &mut self.soil {
            soil.press(terrain, &self.solids, mechanics, step);
        }
    }

    /// Before the step with this number: what lies on tools weighs on them, and runs off.
    pub fn weigh_soil(&mut self, number: u64, terrain: &mut Terrain, mechanics: &mut Mechanics) {
        if let Some(soil) = &mut self.soil {
            soil.weigh(number, terrain, &self.solids, mechanics);
        }
    }

    /// Takes what the soil carries and resists as contacts.
    pub(super) fn stand_on_soil(&mut self, Middle { step, .. }: Middle) {
        let Some(soil) = &mut self.soil else { return };
        for place in 0..soil.meetings().len() {
            let meeting = soil.meetings()[place];
            let Meeting { solid, sample, is_face, .. } = meeting;
            let Solid { owner, carrier: Carrier::Body(body), .. } = self.solids[solid] else { continue };
            let tag = tag_on_sample(owner, sample, is_face);
            let before = self.old.iter().find(|old| old.tag == tag && old.body == body);
            let contact = soil.contact(&meeting, body, before.map(|old| old.held), step);
            self.memory.points.push(Contact { tag, ..contact });
            if let Owner::Link(link) = owner {
                self.memory.material[link] = soil.material(sample);
            }
        }
    }

    /// Whether the ground gives way at a place, so that its columns carry there.
    pub(super) fn is_soil(&self, terrain: &Terrain, x: f64, y: f64) -> bool {
        let material = |soil: &Soil| terrain.material_at(x, y).is_some_and(|material| soil.gives_way(material));
        self.soil.as_ref().is_some_and(material)
    }
}
