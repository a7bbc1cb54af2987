//! Where the robot is on the map: its place as seen from a key view; and how the map grows and is put right.

use nalgebra::{Isometry3, Matrix6};
use robot_io::State;

use super::Mapper;
use super::key_views::{KeyViews, Sight, Surroundings};
use super::news::What;
use super::settings::ViewSettings;
use super::tracking::Fit;
use crate::graph::{Constraint, Node, UncertainPose, diagonal};
use crate::{Sweep, Verdict};

/// The robot as seen from a key view.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Place {
    /// The key view.
    pub view: usize,
    /// The base in its frame.
    pub base_in_view: UncertainPose,
    /// The base in its frame when it was last compared with it.
    last_seen: Isometry3<f64>,
    /// Covariance of the key view's own pose in the map.
    view_covariance: Matrix6<f64>,
    /// Key views that contradicted the map when they were compared with the robot's surroundings.
    refused: Vec<usize>,
    /// Old key views that the newest one might be tied to.
    to_be_tied: Vec<usize>,
}

impl Place {
    /// At a key view, as seen from there.
    pub fn at(view: usize, base_in_view: UncertainPose) -> Place {
        Place { view, base_in_view, last_seen: base_in_view.pose, ..Place::default() }
    }

    /// Moves on.
    pub fn advance(&mut self, motion: &UncertainPose) {
        self.base_in_view = self.base_in_view.then(motion);
    }

    /// The laser was put right: the base is elsewhere among what it sees, by `back` in its own frame.
    pub fn put_laser_right(&mut self, back: &Isometry3<f64>) {
        self.base_in_view.pose *= back;
        self.last_seen *= back;
    }

    /// The base in the map.
    pub fn in_map(&self, views: &KeyViews) -> UncertainPose {
        UncertainPose { pose: views.pose(self.view), covariance: self.view_covariance }.then(&self.base_in_view)
    }

    /// True if it is known well enough to drive by it.
    pub fn is_sure(&self) -> bool {
        const ENOUGH: f64 = 0.3;
        self.base_in_view.translation_deviation() < ENOUGH
    }

    /// True if it is worth being looked at from its key view again: nearly the same surroundings say nothing new.
    fn is_due(&self) -> bool {
        /// [m]
        const APART: f64 = 1.0;
        let way = self.base_in_view.pose.translation.vector - self.last_seen.translation.vector;
        way.norm() >= APART || !self.is_sure()
    }
}

impl Mapper {
    /// Compares the local map with the nearest key view; makes a new key view where there is none near; closes loops.
    pub(super) fn localize(&mut self, sweep: &Sweep, fit: &Fit) {
        let base_in_map = self.place.in_map(&self.views).pose;
        let is_fit = |view: usize| !self.place.refused.contains(&view) && self.is_straight(view);
        let ViewSettings { spacing, first_sweeps, .. } = self.setup.settings.views;
        let near = self.views.nearest(&base_in_map, is_fit).filter(|(_, distance)| *distance <= spacing);
        let Some((nearest, _)) = near else {
            self.see_again(self.place.view);
            if fit.verdict == Verdict::Accepted && self.tracking.sweeps >= first_sweeps {
                self.add_view(sweep);
            }
            return;
        };
        if nearest == self.place.view {
            if self.place.is_due() {
                self.see_again(nearest);
            }
            self.tie_one(sweep);
        } else if self.is_known_from_here(nearest) {
            self.see_again(nearest);
        } else {
            self.close_loop_here(sweep, nearest);
        }
    }

    /// True if the graph already says how the robot's key view and another one lie to each other, by a tie or by having been made
    /// one after the other.
    fn is_known_from_here(&self, view: usize) -> bool {
        let gap = self.setup.settings.views.loop_gap;
        view.abs_diff(self.place.view) < gap || self.views.graph.are_tied(view, self.place.view)
    }

    /// True for a key view made with the laser where it is by now: others are bent, and lead astray.
    fn is_straight(&self, view: usize) -> bool {
        !self.setup.settings.views.is_bent(&self.views.views[view].surfels.laser, &self.tracking.laser)
    }

    /// Puts the robot's place right by what it looks like from a key view.
    fn see_again(&mut self, view: usize) {
        if !self.is_straight(view) {
            return;
        }
        let expected = self.expected_in(view);
        let sight = self.views.sight(view, &self.tracking.surroundings(), &expected, &self.setup.settings);
        let limit = self.setup.settings.graph.consistency_limit;
        if sight.is_good && sight.base_in_view.distance_squared(&expected) < limit {
            self.move_to(view, expected.fused_with(&sight.base_in_view));
        }
    }

    /// Where the robot should be as seen from a key view.
    fn expected_in(&self, view: usize) -> UncertainPose {
        if view == self.place.view {
            return self.place.base_in_view;
        }
        let graph = &self.views.graph;
        match graph.marginals(&self.setup.settings.graph) {
            Some(marginals) => marginals.relative(graph, view, self.place.view).then(&self.place.base_in_view),
            None => UncertainPose { pose: graph.seen_from(self.place.view, view), ..UncertainPose::default() }
                .then(&self.place.base_in_view),
        }
    }

    /// The robot's place is counted from a key view from now on.
    pub(super) fn move_to(&mut self, view: usize, base_in_view: UncertainPose) {
        let changed = view != self.place.view;
        (self.place.view, self.place.base_in_view, self.place.last_seen) = (view, base_in_view, base_in_view.pose);
        if changed {
            self.know_view();
        }
    }

    /// Takes the covariance of the robot's key view from the graph.
    pub(super) fn know_view(&mut self) {
        let marginals = self.views.graph.marginals(&self.setup.settings.graph);
        let of_view = marginals.map(|marginals| marginals.of(&self.views.graph, self.place.view).covariance);
        self.place.view_covariance = of_view.unwrap_or_default();
    }

    /// A new key view where the robot is.
    fn add_view(&mut self, sweep: &Sweep) {
        let settings = &self.setup.settings;
        let [place, turn] = settings.views.tie_deviation;
        let mut tie = self.place.base_in_view;
        tie.covariance += diagonal(place, place, turn, turn);
        let is_up_known = super::gate::flaw_before(sweep, &settings.gate).is_none();
        let up = Some(sweep.motion.up_in_base).filter(|up| is_up_known && (up.norm() - 1.0).abs() < 0.1);
        let node = Node { pose: self.views.pose(self.place.view) * tie.pose, up };
        let view = self.views.add(self.key_view(sweep), node, Some((self.place.view, tie)));
        self.place.refused.clear();
        let near = self.views.untied_about(view, &self.setup.settings.views);
        self.place.to_be_tied = near.into_iter().filter(|old| self.is_straight(*old)).collect();
        let here = UncertainPose { covariance: diagonal(1e-3, 1e-3, 1e-4, 1e-4), ..UncertainPose::default() };
        self.move_to(view, here);
    }

    /// The robot has come near a key view of long ago: if the world looks the same, that closes a loop.
    fn close_loop_here(&mut self, sweep: &Sweep, view: usize) {
        let expected = self.expected_in(view);
        let sight = self.best_sight(view, &self.tracking.surroundings(), &expected);
        let here = self.place.base_in_view;
        let to_in_from = here.then(&sight.base_in_view.inverse());
        let tie = Constraint { from: self.place.view, to: view, to_in_from, closes_loop: true };
        if sight.is_good && self.tie(sweep, tie) {
            self.move_to(view, sight.base_in_view);
        } else {
            self.place.refused.push(view);
        }
    }

    /// Ties the newest key view to one of the old ones near it.
    fn tie_one(&mut self, sweep: &Sweep) {
        if self.place.to_be_tied.is_empty() {
            return;
        }
        let (old, new) = (self.place.to_be_tied.remove(0), self.views.len() - 1);
        if self.views.graph.are_tied(old, new) {
            return;
        }
        let surroundings = self.views.views[new].surfels.clone();
        let graph = &self.views.graph;
        let marginals = graph.marginals(&self.setup.settings.graph);
        let Some(expected) = marginals.map(|marginals| marginals.relative(graph, old, new)) else { return };
        let sight = self.best_sight(old, &surroundings, &expected);
        if sight.is_good {
            self.tie(sweep, Constraint { from: old, to: new, to_in_from: sight.base_in_view, closes_loop: true });
        }
    }

    /// The best of several sights: if the place is not known well, from several guesses.
    fn best_sight(&self, view: usize, surroundings: &Surroundings, expected: &UncertainPose) -> Sight {
        /// What registration finds by itself [m].
        const CAPTURE: f64 = 0.2;
        let first = self.views.sight(view, surroundings, expected, &self.setup.settings);
        let deviation = expected.translation_deviation();
        if first.is_good && deviation < CAPTURE {
            return first;
        }
        let reach = (1.5 * deviation).clamp(CAPTURE, 4.0 * CAPTURE);
        let offsets = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
        let guesses = offsets.map(|[x, y]| {
            let mut guess = expected.pose;
            guess.translation.vector += reach * nalgebra::Vector3::new(x, y, 0.0);
            guess
        });
        let others = self.views.sights(view, surroundings, &guesses, &self.setup.settings);
        let value = |sight: &Sight| f64::from(sight.is_good) + sight.matched_share;
        others.into_iter().fold(first, |best, sight| if value(&sight) > value(&best) { sight } else { best })
    }

    /// Adds a tie that closes a loop, unless it contradicts the rest, and optimises.
    fn tie(&mut self, sweep: &Sweep, tie: Constraint) -> bool {
        let settings = self.setup.settings.graph;
        let before = self.place.in_map(&self.views).pose;
        let (contradiction, is_consistent) = self.views.graph.change(|graph| {
            let contradiction = graph.contradiction(&tie, &settings);
            let is_consistent = contradiction < settings.consistency_limit && graph.tie(tie);
            if is_consistent {
                graph.optimize(&settings);
            }
            (contradiction, is_consistent)
        });
        if is_consistent {
            self.know_view();
            let after = self.place.in_map(&self.views).pose;
            let moved = (after.translation.vector - before.translation.vector).norm();
            self.tell(sweep, What::LoopClosed, moved, f64::NAN);
        } else {
            self.tell(sweep, What::LoopRefused, contradiction, settings.consistency_limit);
        }
        is_consistent
    }
}
