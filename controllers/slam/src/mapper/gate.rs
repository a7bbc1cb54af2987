//! Which sweeps are good enough: before they are registered, and after.

use nalgebra::Isometry3;
use robot_io::State;

use super::settings::GateSettings;
use crate::registration::Registration;
use crate::{Flaw, Motion, Sweep, Verdict};

/// What is wrong with a sweep before anybody has looked where it fits.
pub fn flaw_before(sweep: &Sweep, settings: &GateSettings) -> Option<Flaw> {
    let Motion { peak_angular_rate, peak_acceleration, longest_gap, slid, .. } = sweep.motion;
    if sweep.points.len() < settings.least_points {
        Some(Flaw::Sparse)
    } else if longest_gap > settings.longest_gap {
        Some(Flaw::Gaps)
    } else if slid > settings.most_slide {
        Some(Flaw::Bumped)
    } else if peak_angular_rate > settings.most_angular_rate || peak_acceleration > settings.most_acceleration {
        Some(Flaw::Shaken)
    } else {
        None
    }
}

/// Something wrong with a sweep, what it was judged by, and the limit.
pub type Judgement = (Flaw, [f64; 2]);

/// What is wrong with where it was found to fit. `agreement` is the share of its points that stand out and lie where the map has
/// something.
pub fn misfit(registration: &Registration, agreement: f64, settings: &GateSettings) -> Option<Judgement> {
    let Registration { matched_share, mean_distance, converged, covariance, weak, .. } = registration;
    let deviation = (0..3).map(|k| covariance[(k, k)].max(0.0).sqrt()).fold(0.0, f64::max);
    if !converged {
        Some((Flaw::Diverged, [*matched_share, settings.least_share]))
    } else if *matched_share < settings.least_share {
        Some((Flaw::Unmatched, [*matched_share, settings.least_share]))
    } else if *mean_distance > settings.most_distance {
        Some((Flaw::Loose, [*mean_distance, settings.most_distance]))
    } else if agreement < settings.least_agreement {
        Some((Flaw::Contradicted, [agreement, settings.least_agreement]))
    } else if weak.is_empty() && (deviation.is_nan() || deviation > settings.most_deviation) {
        Some((Flaw::Uncertain, [deviation, settings.most_deviation]))
    } else {
        None
    }
}

/// Whether it fits where odometry can have led. `moved_off` is where it was found, seen from where odometry expected it; `missed`
/// says how many sweeps before it were left out, over which odometry may have slipped as well.
pub fn displacement(
    moved_off: &Isometry3<f64>,
    motion: &Motion,
    missed: usize,
    settings: &GateSettings,
) -> Option<Judgement> {
    let sweeps = 1.0 + missed as f64;
    /// Deviations of what was felt that are believed.
    const DEVIATIONS: f64 = 2.0;
    let slip = sweeps * settings.slip + settings.slip_per_metre * sweeps * motion.distance + DEVIATIONS * motion.slid;
    let turn_slip = sweeps * settings.turn_slip + settings.turn_slip_per_radian * sweeps * motion.turn;
    let (moved, turned) = (moved_off.translation.vector.norm(), moved_off.rotation.angle());
    if moved > slip {
        Some((Flaw::Displaced, [moved, slip]))
    } else if turned > turn_slip {
        Some((Flaw::Turned, [turned, turn_slip]))
    } else {
        None
    }
}

/// How sweeps usually fit: what is good depends on the world and on the scanner.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Usual {
    share: f64,
    /// Of what stands out.
    distinct_share: f64,
    distance: f64,
}

impl Usual {
    /// Takes a sweep into account that fits.
    pub fn note(&mut self, registration: &Registration) {
        const NEWEST: f64 = 0.15;
        if self.share == 0.0 {
            (self.share, self.distance) = (registration.matched_share, registration.mean_distance);
            self.distinct_share = registration.distinct_share;
        }
        self.share += NEWEST * (registration.matched_share - self.share);
        self.distinct_share += NEWEST * (registration.distinct_share - self.distinct_share);
        self.distance += NEWEST * (registration.mean_distance - self.distance);
    }

    /// Whether a sweep may be of another place: it fits much worse, or what stands out in it does. The ground, which is most of it, fits
    /// everywhere.
    pub fn doubts(&self, registration: &Registration, settings: &GateSettings) -> bool {
        let is_elsewhere = registration.distinct_share < settings.least_usual_share * self.distinct_share;
        is_elsewhere || self.is_much_better_than(registration, settings).is_some()
    }

    /// Whether a sweep fits much worse.
    pub fn is_much_better_than(&self, registration: &Registration, settings: &GateSettings) -> Option<Judgement> {
        let share = registration.matched_share / self.share.max(f64::MIN_POSITIVE);
        let distance = registration.mean_distance / self.distance.max(f64::MIN_POSITIVE);
        if share < settings.least_usual_share {
            Some((Flaw::Unusual, [share, settings.least_usual_share]))
        } else if self.distance > 0.0 && distance > settings.most_usual_distance {
            Some((Flaw::Unusual, [distance, settings.most_usual_distance]))
        } else {
            None
        }
    }
}

/// What becomes of a sweep with these flaws: of its motion, of where it fits, and of how it fits against others.
pub fn verdict(before: Option<Flaw>, after: Option<Flaw>, unusual: Option<Flaw>) -> Verdict {
    match (before, after, unusual) {
        (_, Some(flaw), _) => Verdict::LeftOut(before.unwrap_or(flaw)),
        (Some(flaw), None, _) | (None, None, Some(flaw)) => Verdict::LocalizedOnly(flaw),
        (None, None, None) => Verdict::Accepted,
    }
}
