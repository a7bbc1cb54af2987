//! Where a cloud of surfels lies in another one.

mod degeneracy;
mod pairs;
mod quality;
mod settings;
mod slip;
mod solve;
mod straighten;
mod sums;
mod target;

use nalgebra::{Isometry3, Matrix6, Vector6};

use crate::grid::SurfelCloud;

pub use settings::RegistrationSettings;
pub use slip::SlipModel;
pub use straighten::straighten;
pub(crate) use target::Target;

/// What is known of a pose beforehand, for example from odometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosePrior {
    /// The source in the target frame.
    pub source_in_target: Isometry3<f64>,
    /// Its covariance: translation [m²], then rotation [rad²], along the axes of the target frame.
    pub covariance: Matrix6<f64>,
}

/// The result of a registration.
#[derive(Clone, Debug, PartialEq)]
pub struct Registration {
    /// The source in the target frame.
    pub source_in_target: Isometry3<f64>,
    /// Its covariance, with what the prior knew: translation [m²], then rotation [rad²], along the axes of the target frame. A
    /// direction that neither the clouds nor a prior hold has a deviation of one metre.
    pub covariance: Matrix6<f64>,
    /// Share of the source's finest surfels that found a partner and agree with it, 0 to 1.
    pub matched_share: f64,
    /// The same, each surfel counted by how far it differs from most others: walls and stones, not the ground that is everywhere.
    /// It tells places apart.
    pub distinct_share: f64,
    /// Mean distance of the matched ones from their partners, along the partners' normals [m].
    pub mean_distance: f64,
    /// True if it came to rest within the permitted iterations, on enough pairs.
    pub converged: bool,
    /// How often pairs were sought.
    pub iterations: usize,
    /// How well the matched surfels hold the six directions of motion: eigenvalues of their information, normalised to the
    /// mean surfel and, for rotations, to its distance; ascending. A box has 1/3 three times for its translations.
    pub hold: Vector6<f64>,
    /// Directions in which the source's origin can move unnoticed, translation [m] then rotation [rad], in the axes of the
    /// target frame; the longest of both parts is one. They were left to the prior or the guess.
    pub weak: Vec<Vector6<f64>>,
}

/// Finds the source in the target frame, from a first guess. A prior counts beside the surfels, by its covariance.
///
/// Pairs are sought between the finest surfels of the source and the target's at the same place, or coarser ones where there
/// is none with a normal; the weighted distances along the normals are made small; again, until nothing moves. If the prior
/// does not say that the guess is near, it is also tried from coarse to fine, and what fits better counts. Directions without hold are not touched (Zhang, Kaess and Singh, "On degeneracy of optimization-based
/// state estimation problems", ICRA 2016).
pub fn register(
    source: &SurfelCloud,
    target: &SurfelCloud,
    guess: &Isometry3<f64>,
    prior: Option<&PosePrior>,
    settings: &RegistrationSettings,
) -> Registration {
    register_to(source, &Target::of(target), guess, prior, settings)
}

/// The same, against a target that was prepared once for many registrations.
pub(crate) fn register_to(
    source: &SurfelCloud,
    target: &Target<'_>,
    guess: &Isometry3<f64>,
    prior: Option<&PosePrior>,
    settings: &RegistrationSettings,
) -> Registration {
    let reach = prior.map_or(f64::INFINITY, |prior| settings.reach(&prior.covariance));
    solve::Search::new(source, target, prior, settings).run(guess, reach)
}

/// The same from many guesses, none of them near. Places to which several of them lead are told once.
pub(crate) fn register_from_all(
    source: &SurfelCloud,
    target: &Target<'_>,
    guesses: impl Iterator<Item = Isometry3<f64>>,
    settings: &RegistrationSettings,
) -> Vec<Registration> {
    solve::Search::new(source, target, None, settings).run_from_all(guesses)
}

/// The same from a guess that is promised to be no farther off than `reach` [m], without a prior that counts beside the surfels.
pub fn register_near(
    source: &SurfelCloud,
    target: &SurfelCloud,
    guess: &Isometry3<f64>,
    reach: f64,
    settings: &RegistrationSettings,
) -> Registration {
    solve::Search::new(source, &Target::of(target), None, settings).run(guess, reach.min(settings.near))
}
