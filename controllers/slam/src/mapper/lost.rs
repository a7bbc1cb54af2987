//! A robot that does not know where it is looks for itself on its map.

use nalgebra::Isometry3;
use robot_io::{Pose2, State};

use super::key_views::Sight;
use super::news::What;
use super::tracking::Fit;
use super::{Mapper, upright};
use crate::graph::{UncertainPose, diagonal};
use crate::grid::point;
use crate::relocalization::{Candidate, Relief, levelled, search};
use crate::{Flaw, Sweep, Verdict};

/// The search for the robot.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Search {
    /// True once a new local map has been begun where the robot is now.
    begun: bool,
    /// Where it may be.
    suspected: Option<Suspected>,
}

/// A place where the robot may be.
#[derive(Clone, Debug, Default, PartialEq, State)]
struct Suspected {
    view: usize,
    base_in_view: UncertainPose,
    times: usize,
}

/// A place that was looked at more closely.
#[derive(Clone, Copy)]
struct Looked {
    view: usize,
    sight: Sight,
    base_in_map: Isometry3<f64>,
}

impl Search {
    /// The laser was put right: the base is elsewhere among what it sees, by `back` in its own frame.
    pub(super) fn put_laser_right(&mut self, back: &Isometry3<f64>) {
        if let Some(suspected) = &mut self.suspected {
            suspected.base_in_view.pose *= back;
        }
    }
}

impl Mapper {
    /// One sweep's share of the search. The local map is begun anew, and again whenever a sweep does not fit: somebody may still be
    /// carrying the robot.
    pub(super) fn look_for_itself(&mut self, sweep: &Sweep, fit: &Fit) {
        let mut state = self.search.take().unwrap_or_default();
        if let Some(suspected) = &mut state.suspected {
            suspected.base_in_view = suspected.base_in_view.then(&fit.motion);
        }
        let fits = fit.verdict == Verdict::Accepted && state.begun;
        if !fits {
            let sound = fit.flaw_before.is_none() && !matches!(fit.verdict, Verdict::LeftOut(Flaw::Sparse));
            state = Search { begun: sound, suspected: None };
            if sound {
                let here =
                    UncertainPose { covariance: diagonal(1e-3, 1e-3, 1e-3, 1e-3), ..self.tracking.base_in_local };
                self.tracking.begin(sweep, here, &self.setup.settings);
            }
        } else if self.tracking.sweeps >= self.setup.settings.lost.sweeps {
            state.suspected = self.suspect(state.suspected);
        }
        match &state.suspected {
            Some(found) if found.times >= self.setup.settings.lost.confirmations => {
                self.misfits = 0.0;
                self.place = super::Place::at(found.view, found.base_in_view);
                self.know_view();
                self.tell(sweep, What::Found, fit.matched_share, self.setup.settings.lost.least_share);
            }
            _ => self.search = Some(state),
        }
    }

    /// Where the robot may be, given where it was suspected before.
    fn suspect(&self, before: Option<Suspected>) -> Option<Suspected> {
        let looked = self.look_at_candidates();
        let winner = self.clear_winner(&looked)?;
        let times = before.filter(|before| self.is_same_place(before, winner)).map_or(1, |before| before.times + 1);
        Some(Suspected { view: winner.view, base_in_view: winner.sight.base_in_view, times })
    }

    /// Registers the place to which odometry has led, and the best ones by the relief of the whole map.
    fn look_at_candidates(&self) -> Vec<Looked> {
        let settings = &self.setup.settings;
        let candidates = search(&self.relief_of_map(), &self.relief_around(settings.lost.cell), &settings.search);
        let surroundings = self.tracking.surroundings();
        let level = levelled(&self.tracking.base_in_local.pose);
        let height = self.height_over_ground();
        let by_odometry = self.place.in_map(&self.views).pose;
        let found = candidates.iter().take(settings.lost.registrations).map(|at| guess(at, height) * level);
        let mut guesses: Vec<(usize, Vec<Isometry3<f64>>)> = Vec::new();
        for base_in_map in core::iter::once(by_odometry).chain(found) {
            let Some((view, _)) = self.views.nearest(&base_in_map, |_| true) else { continue };
            let base_in_view = self.views.pose(view).inv_mul(&base_in_map);
            match guesses.iter_mut().find(|(known, _)| *known == view) {
                Some((_, of_view)) => of_view.push(base_in_view),
                None => guesses.push((view, vec![base_in_view])),
            }
        }
        let looks = guesses.iter().flat_map(|(view, guesses)| {
            let pose = self.views.pose(*view);
            let sights = self.views.sights(*view, &surroundings, guesses, settings);
            sights.into_iter().map(move |sight| {
                let base_in_map = pose * sight.base_in_view.pose;
                Looked { view: *view, sight, base_in_map }
            })
        });
        looks.collect()
    }

    /// The best place, if it is good and no other is nearly as good.
    fn clear_winner<'a>(&self, looked: &'a [Looked]) -> Option<&'a Looked> {
        let settings = &self.setup.settings.lost;
        let is_good = |place: &&Looked| {
            place.sight.is_good && place.sight.is_held && place.sight.matched_share >= settings.least_share
        };
        let good = looked.iter().filter(is_good);
        let best = good.max_by(|a, b| a.sight.distinct_share.total_cmp(&b.sight.distinct_share))?;
        let elsewhere = looked.iter().filter(|place| !is_near(&place.base_in_map, &best.base_in_map));
        let rival = elsewhere.map(|place| place.sight.distinct_share).fold(0.0, f64::max);
        (best.sight.distinct_share - rival >= settings.least_lead).then_some(best)
    }

    /// True if the robot was suspected there before.
    fn is_same_place(&self, before: &Suspected, now: &Looked) -> bool {
        is_near(&(self.views.pose(before.view) * before.base_in_view.pose), &now.base_in_map)
    }

    /// The relief of all key views.
    fn relief_of_map(&self) -> Relief {
        let settings = &self.setup.settings.lost;
        let mut points = Vec::new();
        for (index, view) in self.views.views.iter().enumerate() {
            let pose = self.views.pose(index);
            let ceiling = pose.translation.z + settings.ceiling;
            let placed = view.cloud.points.iter().map(|at| pose * point(at));
            points.extend(placed.filter(|point| point.z < ceiling));
        }
        Relief::of(&points, settings.cell, f64::INFINITY)
    }

    /// The base's height over the ground that the last sweeps saw near it [m].
    fn height_over_ground(&self) -> f64 {
        const NEAR: f64 = 1.5;
        let relief = self.relief_around(self.setup.settings.lost.cell);
        let near = relief.cells().filter(|cell| cell.x * cell.x + cell.y * cell.y < NEAR * NEAR);
        let lowest = near.map(|cell| cell.z).fold(0.0, f64::min);
        -lowest
    }
}

/// A candidate's level frame in the map.
fn guess(candidate: &Candidate, height_over_ground: f64) -> Isometry3<f64> {
    let Candidate { pose: Pose2 { .. }, ground, .. } = candidate;
    let mut level = upright(&candidate.pose);
    level.translation.z = ground + height_over_ground;
    level
}

/// True for poses that differ by less than a registration may.
fn is_near(a: &Isometry3<f64>, b: &Isometry3<f64>) -> bool {
    let off = a.inv_mul(b);
    off.translation.vector.norm() < 0.4 && off.rotation.angle() < 0.1
}
