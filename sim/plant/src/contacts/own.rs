//! Contacts of robots with themselves.

use mechanics::{Joint, Mechanics};

use super::soon::reach_of_own;
use super::{Contacts, Middle, OwnMeeting, rests};
use crate::finder::Near;
use crate::meeting_place::MeetingPlace;
use crate::solids::{Carrier, Solid};

/// Sine of the angle between the way of two surfaces and the surfaces, below which they only slide along each other.
const SLIDES: f64 = 0.01;

impl Contacts {
    /// Looks for contacts of robots with themselves.
    pub(super) fn meet_own(&mut self, middle: Middle) {
        core::mem::swap(&mut self.memory.meetings, &mut self.old_meetings);
        self.memory.meetings.clear();
        let positions = &middle.mechanics.coordinates().positions;
        for robot in 0..self.own.len() {
            let Contacts { own, solids, finder, memory, old_meetings, .. } = self;
            let before = |pair: usize| {
                let met = old_meetings.iter().find(|old| (old.robot, old.pair) == (robot, pair));
                met.map_or_else(MeetingPlace::default, |old| old.place)
            };
            let reach = |one: &Solid, two: &Solid| reach_of_own(middle, one, two);
            let count = own[robot].find(solids, positions, finder, |solid| rests(middle, solid), (before, reach));
            let met = own[robot].meetings().map(|(pair, place)| OwnMeeting { robot, pair, place });
            memory.meetings.extend(met);
            for place in 0..count {
                let (pair, points) = self.own[robot].found(place);
                let solids = (&self.solids[pair.0], &self.solids[pair.1]);
                self.near.clear();
                self.near.extend(points.iter().filter(|near| can_part(middle.mechanics, solids, near)));
                self.take(middle, pair);
            }
        }
    }
}

/// Whether a joint between two solids of a robot takes their surfaces from each other. Where none does, no force ever ends an
/// overlap, and it would grow without bound: a shoulder that turns about the normal of the chest that it overlaps by a hair.
fn can_part(mechanics: &Mechanics, (one, two): (&Solid, &Solid), near: &Near) -> bool {
    let (Carrier::Body(mut one), Carrier::Body(mut two)) = (one.carrier, two.carrier) else { return true };
    while one != two {
        // whoever carries a body stands before it
        let carried = one.max(two);
        let Some(parent) = mechanics.model().bodies()[carried].parent else { return true };
        if parts(mechanics, carried, near) {
            return true;
        }
        (one, two) = (one.min(two), parent);
    }
    false
}

/// Whether a body's own joint moves a point of it along the normal, and not only across it.
fn parts(mechanics: &Mechanics, body: usize, near: &Near) -> bool {
    let pose = mechanics.middle().bodies[body].in_world;
    let way = match mechanics.model().bodies()[body].joint {
        Joint::Fixed => return false,
        Joint::Free => return true,
        Joint::Revolute(axis) => (pose.rotation * *axis).cross(&(near.position - pose.translation.vector)),
        Joint::Prismatic(axis) => pose.rotation * *axis,
    };
    way.dot(&near.normal).abs() > SLIDES * way.norm()
}
