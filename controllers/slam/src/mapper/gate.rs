//! Which sweeps are good enough: before they are registered, and after.

use nalgebra::Isometry3;
use robot_io::{State, StateVisitor};

use super::settings::GateSettings;
use crate::registration::Registration;
use crate::{Flaw, Motion, Sweep, Verdict};

/// What is wrong with a sweep before anybody has looked where it fits.
pub fn flaw_before(sweep: &Sweep, settings: &GateSettings) -> Option<Flaw> {
    let Motion { peak_angular_rate, peak_acceleration, longest_gap, .. } = sweep.motion;
    if sweep.points.len() < settings.least_points {
        Some(Flaw::Sparse)
    } else if longest_gap > settings.longest_gap {
        Some(Flaw::Gaps)
    } else if peak_angular_rate > settings.most_angular_rate || peak_acceleration > settings.most_acceleration {
        Some(Flaw::Shaken)
    } else {
        None
    }
}

/// What is wrong with where it was found to fit. `moved_off` is the registration seen from where odometry expected the sweep;
/// `missed` says how many sweeps before it were left out, over which odometry may have slipped as well; `agreement` is the share
/// of its points that stand out and lie where the map has something.
pub fn flaw_after(
    registration: &Registration,
    moved_off: &Isometry3<f64>,
    motion: &Motion,
    (missed, agreement): (usize, f64),
    settings: &GateSettings,
) -> Option<Flaw> {
    let sweeps = 1.0 + missed as f64;
    let slip = sweeps * settings.slip + settings.slip_per_metre * sweeps * motion.distance;
    let turn_slip = sweeps * settings.turn_slip + settings.turn_slip_per_radian * sweeps * motion.turn;
    let covariance = &registration.covariance;
    let deviation = (0..3).map(|k| covariance[(k, k)].max(0.0).sqrt()).fold(0.0, f64::max);
    let is_elsewhere = agreement < settings.least_agreement
        || registration.matched_share < settings.least_share
        || registration.mean_distance > settings.most_distance;
    if !registration.converged {
        Some(Flaw::Diverged)
    } else if is_elsewhere {
        Some(Flaw::Unmatched)
    } else if moved_off.translation.vector.norm() > slip || moved_off.rotation.angle() > turn_slip {
        Some(Flaw::Diverged)
    } else if registration.weak.is_empty() && (deviation.is_nan() || deviation > settings.most_deviation) {
        Some(Flaw::Uncertain)
    } else {
        None
    }
}

/// How sweeps usually fit: what is good depends on the world and on the scanner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usual {
    share: f64,
    distance: f64,
}

impl Usual {
    /// Takes a sweep into account that fits.
    pub fn note(&mut self, registration: &Registration) {
        const NEWEST: f64 = 0.15;
        if self.share == 0.0 {
            (self.share, self.distance) = (registration.matched_share, registration.mean_distance);
        }
        self.share += NEWEST * (registration.matched_share - self.share);
        self.distance += NEWEST * (registration.mean_distance - self.distance);
    }

    /// True for a sweep that fits much worse.
    pub fn is_much_better_than(&self, registration: &Registration, settings: &GateSettings) -> bool {
        registration.matched_share < settings.least_usual_share * self.share
            || (self.distance > 0.0 && registration.mean_distance > settings.most_usual_distance * self.distance)
    }
}

/// What becomes of a sweep with these flaws; `is_worse` if it fits, but worse than usual.
pub fn verdict(before: Option<Flaw>, after: Option<Flaw>, is_worse: bool) -> Verdict {
    match (before, after) {
        (_, Some(flaw)) => Verdict::LeftOut(before.unwrap_or(flaw)),
        (Some(flaw), None) => Verdict::LocalizedOnly(flaw),
        (None, None) if is_worse => Verdict::LocalizedOnly(Flaw::Unmatched),
        (None, None) => Verdict::Accepted,
    }
}

impl State for Usual {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("share", &mut self.share);
        visitor.field("distance", &mut self.distance);
    }
}
