//! A robot that was pushed: its wheels slid sideways, and odometry has not noticed.

use nalgebra::{Isometry3, Vector3};
use robot_io::State;

use super::gate::misfit;
use super::settings::MapperSettings;
use super::tracking::Tracking;
use crate::Sweep;
use crate::grid::SurfelCloud;
use crate::registration::{Registration, Target, register_from_all, register_to};

/// That the robot is elsewhere than odometry led, but not far: one sweep has said so.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Suspicion {
    /// The base in the local map, brought up to date by odometry.
    base_in_local: Option<Isometry3<f64>>,
}

impl Suspicion {
    /// True if the last sweep has said so.
    pub fn is_held(&self) -> bool {
        self.base_in_local.is_some()
    }

    /// How far the place where the robot may be is from another [m].
    pub fn distance_from(&self, place: &Isometry3<f64>) -> Option<f64> {
        let there = self.base_in_local?;
        Some((there.translation.vector - place.translation.vector).norm())
    }

    /// Goes on with the robot.
    pub fn advance(&mut self, motion: &Isometry3<f64>) {
        self.base_in_local = self.base_in_local.map(|base| base * motion);
    }
}

impl Tracking {
    /// Where a sweep fits that does not fit, or worse than usual, where odometry led; `None` until two sweeps in a row say the same
    /// place, or one does after a bump that was felt.
    ///
    /// Places alike are no evidence: the place must fit clearly better than any other about, and than where odometry led.
    /// `expected` is that place, and what registration made of it.
    pub(super) fn look_about(
        &mut self,
        sweep: &Sweep,
        (source, target): (&SurfelCloud, &Target<'_>),
        (expected, found): (&Isometry3<f64>, &Registration),
        settings: &MapperSettings,
    ) -> Option<Registration> {
        let before = self.suspicion.base_in_local.take();
        let from = |guess: &Isometry3<f64>| register_to(source, target, guess, None, &settings.registration);
        let fits = |place: &Registration| {
            let agreement = self.agreement(sweep, &place.source_in_target);
            is_within_reach(place, expected)
                && place.weak.is_empty()
                && misfit(place, agreement, &settings.gate).is_none()
        };
        let mut places = register_from_all(source, target, guesses_about(expected), &settings.registration);
        places.extend(before.map(|guess| from(&guess)));
        places.push(found.clone());
        places.retain(fits);
        let best = places.iter().max_by(|a, b| a.distinct_share.total_cmp(&b.distinct_share))?;
        let lead = settings.lost.least_lead;
        let is_alone = places
            .iter()
            .all(|place| is_near(place, &best.source_in_target) || best.distinct_share - place.distinct_share >= lead);
        let there = self.agreement(sweep, &best.source_in_target);
        if !is_alone || there - self.agreement(sweep, expected) < lead {
            return None;
        }
        let is_confirmed = self.slid > 0.0 || before.is_some_and(|before| is_near(best, &before));
        self.suspicion.base_in_local = Some(best.source_in_target).filter(|_| !is_confirmed);
        is_confirmed.then(|| best.clone())
    }
}

/// Guesses in two rings about a place: each is within reach of the next one.
fn guesses_about(place: &Isometry3<f64>) -> impl Iterator<Item = Isometry3<f64>> {
    /// [m]
    const RINGS: [f64; 2] = [0.8, 1.6];
    const AROUND: [[f64; 2]; 8] =
        [[1.0, 0.0], [0.7, 0.7], [0.0, 1.0], [-0.7, 0.7], [-1.0, 0.0], [-0.7, -0.7], [0.0, -1.0], [0.7, -0.7]];
    let place = *place;
    let offsets = RINGS.into_iter().flat_map(|ring| AROUND.into_iter().map(move |[x, y]| [ring * x, ring * y]));
    offsets.map(move |[x, y]| {
        let mut guess = place;
        guess.translation.vector += Vector3::new(x, y, 0.0);
        guess
    })
}

/// True for a place to which a push may have moved the robot. Whoever is farther off was carried: that is for the search of the
/// whole map.
fn is_within_reach(found: &Registration, expected: &Isometry3<f64>) -> bool {
    let off = expected.inv_mul(&found.source_in_target);
    off.translation.vector.norm() < 2.2 && off.rotation.angle() < 0.4
}

/// True for a registration that leads to a place.
fn is_near(found: &Registration, place: &Isometry3<f64>) -> bool {
    let off = found.source_in_target.inv_mul(place);
    off.translation.vector.norm() < 0.4 && off.rotation.angle() < 0.1
}
