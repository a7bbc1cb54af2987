//! Whether a drive's own loop can be stable at the step at which it runs.

/// When a servo does what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// Between evaluations [s].
    pub step: f64,
    /// From an evaluation to its torque [steps].
    pub delay: usize,
    /// How much of a new difference of positions enters the velocity, 0 to 1.
    pub share: f64,
}

/// Whether an inertia [kg·m²] under a servo of `stiffness` [N·m/rad] and `damping` [N·m·s/rad] comes to rest.
///
/// The loop is q̈ = −(k q + d q̇)/I, sampled. Without delay and filter it is stable for d Δt/I < 2 − k Δt²/(2 I). With them the
/// condition has no handy form, so the loop is let run from a push: that is the power iteration on its companion matrix,
/// which grows if and only if an eigenvalue lies outside the unit circle.
pub(crate) fn is_stable(inertia: f64, stiffness: f64, damping: f64, timing: Timing) -> bool {
    const STEPS: usize = 1_500;
    let Timing { step, delay, share } = timing;
    let mut line = vec![0.0; delay];
    let (mut position, mut velocity, mut seen) = (0.0, 1.0_f64, 1.0_f64);
    let (mut early, mut late) = (0.0_f64, 0.0_f64);
    for k in 0..STEPS {
        let wanted = -(stiffness * position + damping * seen);
        let slot = if delay > 0 { k % delay } else { 0 };
        let effort = if delay > 0 { core::mem::replace(&mut line[slot], wanted) } else { wanted };
        velocity += step / inertia * effort;
        position += step * velocity;
        seen += share * (velocity - seen);
        match k {
            k if (STEPS / 2..3 * STEPS / 4).contains(&k) => early = early.max(velocity.abs()),
            k if k >= 3 * STEPS / 4 => late = late.max(velocity.abs()),
            _ => {}
        }
        if !velocity.is_finite() {
            return false;
        }
    }
    late <= early * (1.0 + 1e-9) || late < 1e-9
}

/// The largest damping [N·m·s/rad] with which the loop is stable, 0 if none is.
pub(crate) fn most_damping(inertia: f64, stiffness: f64, timing: Timing) -> f64 {
    let most = 2.0 * inertia / timing.step;
    let stable = |damping: &f64| is_stable(inertia, stiffness, *damping, timing);
    // from the top, as too little damping is unstable too where there is a delay
    (0..=100).rev().map(|k| most * f64::from(k) / 100.0).find(stable).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_delay_it_agrees_with_the_closed_form() {
        let (inertia, step) = (0.02, 1e-3);
        for (stiffness, share) in [(0.0, 0.98), (0.0, 1.02), (5_000.0, 0.98), (5_000.0, 1.02), (20_000.0, 0.95)] {
            let limit = inertia / step * (2.0 - stiffness * step * step / (2.0 * inertia));
            let timing = Timing { step, delay: 0, share: 1.0 };
            assert_eq!(is_stable(inertia, stiffness, share * limit, timing), share < 1.0, "{stiffness} {share}");
        }
    }

    #[test]
    fn a_filter_takes_damping_away() {
        let at = |share| most_damping(0.02, 100.0, Timing { step: 1e-3, delay: 2, share });
        assert!(at(0.3) < at(1.0) && at(0.1) < at(0.3), "{} {} {}", at(1.0), at(0.3), at(0.1));
    }

    #[test]
    fn delay_takes_damping_away() {
        let at = |delay| most_damping(0.02, 100.0, Timing { step: 1e-3, delay, share: 1.0 });
        assert!(at(0) > 38.0 && at(1) < at(0) && at(3) < at(1), "{} {} {}", at(0), at(1), at(3));
    }
}
