//! What each spot of the lattice is for a foot; looked at once, when it is asked for.

use std::collections::BTreeMap;

use walking::Side;

use super::lattice::{Lattice, Spot};
use crate::parts::Parts;
use crate::refusal::Refusal;
use crate::standing::{Place, stand_at};

/// All spots that were asked for.
#[derive(Debug)]
pub(crate) struct Places {
    lattice: Lattice,
    finer: usize,
    numbers: BTreeMap<Spot, Result<u32, Refusal>>,
    places: Vec<Place>,
}

impl Places {
    pub fn new(lattice: Lattice, finer: usize) -> Places {
        Places { lattice, finer, numbers: BTreeMap::new(), places: Vec::new() }
    }

    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    pub fn get(&self, number: u32) -> Option<&Place> {
        self.places.get(number as usize)
    }

    /// The number of a spot's place and the place, or why no foot can stand there.
    pub fn look(&mut self, spot: &Spot, parts: &Parts) -> Result<(u32, Place), Refusal> {
        if let Some(known) = self.numbers.get(spot) {
            return known.map(|number| (number, self.places[number as usize]));
        }
        let found = self.best_around(spot, parts);
        let number = self.places.len() as u32;
        self.numbers.insert(*spot, found.map(|_| number));
        self.places.extend(found);
        found.map(|place| (number, place))
    }

    /// The middle of the spot if a foot stands well there, else the cheapest place in it.
    fn best_around(&self, spot: &Spot, parts: &Parts) -> Result<Place, Refusal> {
        const WHOLE: f64 = 0.999;
        let middle = stand_at(parts, Side::Left, &self.lattice.pose(spot));
        let is_good = |place: &Place| place.ground.support > WHOLE;
        if self.finer < 2 || middle.as_ref().is_ok_and(is_good) || self.is_hopeless(spot, parts) {
            return middle;
        }
        let part = |k: usize| (k as f64 + 0.5) / self.finer as f64 - 0.5;
        let parts_of = (0..self.finer).flat_map(|along| (0..self.finer).map(move |across| (part(along), part(across))));
        let others =
            parts_of.map(|(along, across)| stand_at(parts, Side::Left, &self.lattice.beside(spot, along, across)));
        let cheapest = others.flatten().chain(middle.iter().copied()).min_by(|a, b| a.cost.total_cmp(&b.cost));
        cheapest.map_or(middle, Ok)
    }

    /// Where nobody knows the middle of the ground, a few centimetres help nobody.
    fn is_hopeless(&self, spot: &Spot, parts: &Parts) -> bool {
        let pose = self.lattice.pose(spot);
        parts.terrain.height_at(pose.x, pose.y).is_none()
    }
}
