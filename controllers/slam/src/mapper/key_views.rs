//! Places from which the world was seen, and how they lie to one another.

use nalgebra::{Isometry3, Vector6};
use robot_io::{Edge, MapView, PointCloud, PoseGraphView, Sealed, State, Time};

use super::settings::{MapperSettings, ViewSettings};
use crate::graph::{Constraint, Node, PoseGraph, UncertainPose, diagonal};
use crate::grid::SurfelCloud;
use crate::registration::{Registration, Target, register, register_from_all, register_near};

/// A view that is kept.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct KeyView {
    /// Number of the sweep with which it was made.
    pub number: u64,
    /// When.
    pub stamp: Time,
    /// What was around.
    pub surfels: Surroundings,
    /// The same as points, in the base frame.
    pub cloud: Sealed<PointCloud>,
}

/// Surfels of a place and where the robot was among them.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Surroundings {
    /// The base in the frame of the surfels.
    pub base: Isometry3<f64>,
    /// The surfels.
    pub surfels: Sealed<SurfelCloud>,
    /// Where the laser was taken to be: [`Sweep::laser`](crate::Sweep).
    pub laser: Vector6<f64>,
}

/// Where one was, as seen from a key view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// The base in the key view.
    pub base_in_view: UncertainPose,
    /// Share of matched surfels.
    pub matched_share: f64,
    /// The same of those that stand out.
    pub distinct_share: f64,
    /// Mean distance of the matched ones [m].
    pub mean_distance: f64,
    /// True if it is good enough to believe it.
    pub is_good: bool,
    /// True if the surfels hold it in all directions: it can be nowhere else near.
    pub is_held: bool,
}

/// All key views.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct KeyViews {
    /// The views; each is the node of the same index.
    pub views: Vec<KeyView>,
    /// How they lie to one another.
    pub graph: Sealed<PoseGraph>,
}

impl KeyViews {
    /// Number of views.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Where a view is in the map.
    pub fn pose(&self, view: usize) -> Isometry3<f64> {
        self.graph.nodes()[view].pose
    }

    /// The nearest view to a place in the map and its distance [m], of those that are `fit`.
    pub fn nearest(&self, base_in_map: &Isometry3<f64>, fit: impl Fn(usize) -> bool) -> Option<(usize, f64)> {
        let distance = |view: usize| (self.pose(view).translation.vector - base_in_map.translation.vector).norm();
        let candidates = (0..self.len()).filter(|view| fit(*view));
        candidates.map(|view| (view, distance(view))).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Old views about `view` that nothing ties to it, nearest first.
    pub fn untied_about(&self, view: usize, settings: &ViewSettings) -> Vec<usize> {
        let distance = |other: usize| self.graph.seen_from(other, view).translation.vector.norm();
        let old = 0..(view + 1).saturating_sub(settings.loop_gap);
        let mut near: Vec<usize> =
            old.filter(|other| distance(*other) < settings.loop_radius && !self.graph.are_tied(*other, view)).collect();
        near.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        near
    }

    /// Adds a view and ties it to another as it was seen from there; the first view stands alone.
    pub fn add(&mut self, view: KeyView, node: Node, tie: Option<(usize, UncertainPose)>) -> usize {
        self.views.push(view);
        self.graph.change(|graph| {
            let to = graph.add_node(node);
            if let Some((from, to_in_from)) = tie {
                graph.tie(Constraint { from, to, to_in_from, closes_loop: false });
            }
            to
        })
    }

    /// Where surroundings lie as seen from a view. It is sought near where they are expected, if they are expected there with some
    /// certainty; if they are not found there, farther away.
    pub fn sight(
        &self,
        view: usize,
        surroundings: &Surroundings,
        expected: &UncertainPose,
        settings: &MapperSettings,
    ) -> Sight {
        let target = &self.views[view].surfels;
        let guess = target.base * expected.pose * surroundings.base.inverse();
        let registration = &settings.registration;
        let reach = registration.reach(&expected.covariance);
        let near = (reach <= registration.near)
            .then(|| register_near(&surroundings.surfels, &target.surfels, &guess, reach, registration))
            .filter(|found| settings.views.is_good(found) && is_within(registration.near, found, &guess));
        let found =
            near.unwrap_or_else(|| register(&surroundings.surfels, &target.surfels, &guess, None, registration));
        sight_of(found, target, surroundings, &settings.views)
    }

    /// Where surroundings may lie as seen from a view, from guesses of which none may be near: where each leads, and places to which several
    /// of them lead once. All of them together cost little more than the first.
    pub fn sights(
        &self,
        view: usize,
        surroundings: &Surroundings,
        guesses_in_view: &[Isometry3<f64>],
        settings: &MapperSettings,
    ) -> Vec<Sight> {
        let seen = &self.views[view].surfels;
        let target = Target::of(&seen.surfels);
        let guesses = guesses_in_view.iter().map(|base_in_view| seen.base * base_in_view * surroundings.base.inverse());
        let found = register_from_all(&surroundings.surfels, &target, guesses, &settings.registration);
        found.into_iter().map(|found| sight_of(found, seen, surroundings, &settings.views)).collect()
    }

    /// The views as others get them.
    pub fn map_views(&self) -> impl Iterator<Item = MapView> + '_ {
        self.views.iter().enumerate().map(|(index, view)| MapView {
            number: view.number,
            stamp: view.stamp,
            base_in_map: self.pose(index),
            cloud: view.cloud.clone(),
        })
    }

    /// The graph as a picture.
    pub fn picture(&self) -> PoseGraphView {
        let nodes = self.graph.nodes().iter().map(|node| node.pose).collect();
        let edge = |tie: &Constraint| Edge { from: tie.from, to: tie.to, closes_loop: tie.closes_loop };
        PoseGraphView { nodes, edges: self.graph.constraints().iter().map(edge).collect() }
    }
}

impl ViewSettings {
    /// True if what was made with the laser at one place lies off what was made with it at another by more than a tie is likely to. The
    /// laser turns, and its error with it, so there is no motion that brings them together.
    pub(super) fn is_bent(&self, laser: &Vector6<f64>, other: &Vector6<f64>) -> bool {
        /// How far off things stand that hold a registration [m].
        const ARM: f64 = 5.0;
        const DEVIATIONS: f64 = 2.0;
        let [place, turn] = self.tie_deviation.map(|deviation| DEVIATIONS * deviation);
        let off = laser - other;
        let turned = off.fixed_rows::<3>(3).norm();
        turned > turn || off.fixed_rows::<3>(0).norm() + ARM * turned > place
    }

    /// True for a registration that is good enough to believe it.
    fn is_good(&self, found: &Registration) -> bool {
        found.converged && found.matched_share >= self.least_share && found.mean_distance <= self.most_distance
    }
}

/// What a registration of surroundings on those of a view tells.
fn sight_of(found: Registration, target: &Surroundings, surroundings: &Surroundings, settings: &ViewSettings) -> Sight {
    let [place, turn] = settings.tie_deviation;
    let source_in_target = UncertainPose { pose: found.source_in_target, covariance: found.covariance };
    let mut base_in_view = exactly(target.base.inverse()).then(&source_in_target).then(&exactly(surroundings.base));
    base_in_view.covariance += diagonal(place, place, turn, turn);
    let is_good = settings.is_good(&found);
    let Registration { matched_share, distinct_share, mean_distance, .. } = found;
    let is_held = found.weak.is_empty();
    Sight { base_in_view, matched_share, distinct_share, mean_distance, is_good, is_held }
}

/// True if the source was found within a distance of the guess [m].
fn is_within(distance: f64, found: &Registration, guess: &Isometry3<f64>) -> bool {
    (found.source_in_target.translation.vector - guess.translation.vector).norm() <= distance
}

/// A pose without doubt.
fn exactly(pose: Isometry3<f64>) -> UncertainPose {
    UncertainPose { pose, ..UncertainPose::default() }
}
