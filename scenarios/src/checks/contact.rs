//! How hard links are touched.

use std::f64::consts::TAU;

use super::Observation;

/// Forces are seen as by a cell whose filter ends here [Hz]: what one step of the physics gives depends on how long that step is, what a
/// neck feels does not. SAE J211 asks for 1,000 Hz of crash tests' cells; of that which damages gears and cameras 100 Hz shows the most.
const BANDWIDTH: f64 = 100.0;

/// Takes in a cycle: the normal force on each of these links [N] goes through the filter; returns the largest of them.
pub(super) fn feel(filtered: &mut Vec<f64>, links: &[usize], seen: &Observation<'_>) -> f64 {
    filtered.resize(links.len(), 0.0);
    let dt = seen.layout.period.seconds();
    let share = dt * TAU * BANDWIDTH / (1.0 + dt * TAU * BANDWIDTH);
    for (filtered, link) in filtered.iter_mut().zip(links) {
        let impulse = seen.truth.link_impulses.get(*link).copied().unwrap_or(f64::NAN);
        *filtered += share * (impulse / dt - *filtered);
    }
    // what is no number must not look like no force
    filtered
        .iter()
        .copied()
        .fold(0.0, |most: f64, force| if most.is_nan() || force.is_nan() { f64::NAN } else { most.max(force) })
}
