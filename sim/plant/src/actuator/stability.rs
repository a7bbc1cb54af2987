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

/// Whether an inertia [kg·m²] under a servo of `stiffness` [N·m/rad] and `damping` [N·m·s/rad] comes to rest, or at least does not stray:
/// whether no root of the sampled loop's characteristic polynomial lies outside the unit circle.
///
/// With h the step, d the delay, σ the filter's share and b = 1 − σ, the loop q̈ = −(k q + d q̇)/I as the drive runs it has
///
/// ```text
/// zᵈ (z − 1)² (z − b) + (h/I) z [k h (z − b) + damping σ (z − 1)] = 0
/// ```
///
/// which without delay and filter is the condition damping·h/I < 2 − k h²/(2 I).
pub(crate) fn is_stable(inertia: f64, stiffness: f64, damping: f64, timing: Timing) -> bool {
    let Timing { step, delay, share } = timing;
    let (b, gain) = (1.0 - share, step / inertia);
    let (spring, damper) = (gain * stiffness * step, gain * damping * share);
    // without a spring nothing asks for the position, and one root z = 1 is of no interest
    let (free, servo) = if stiffness == 0.0 {
        (vec![b, -(1.0 + b), 1.0], vec![0.0, damper])
    } else {
        (vec![-b, 1.0 + 2.0 * b, -(2.0 + b), 1.0], vec![0.0, -(spring * b + damper), spring + damper])
    };
    let mut polynomial = vec![0.0; delay];
    polynomial.extend(free);
    polynomial.iter_mut().zip(servo).for_each(|(term, servo)| *term += servo);
    has_no_root_outside(polynomial)
}

/// Whether all roots of a polynomial, from the constant term up, lie in the unit circle or as good as on it (Schur and Cohn).
fn has_no_root_outside(mut polynomial: Vec<f64>) -> bool {
    /// What grows by less than this in a step is not noticed.
    const MARGIN: f64 = 1e-6;
    let mut scale = 1.0;
    for term in &mut polynomial {
        *term *= scale;
        scale *= 1.0 + MARGIN;
    }
    while let [first, .., last] = polynomial[..] {
        if first.abs() >= last.abs() {
            return false;
        }
        // the same for a polynomial of one degree less, whose last term is one
        let share = first / last;
        let of_last = (1.0 - share * share) * last;
        let degree = polynomial.len() - 1;
        polynomial = (1..=degree).map(|i| (polynomial[i] - share * polynomial[degree - i]) / of_last).collect();
    }
    true
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
    fn a_soft_servo_on_a_heavy_joint_is_stable_and_one_that_is_told_late_needs_damping() {
        let slow = |damping, delay| is_stable(0.3, 1.0, damping, Timing { step: 1e-3, delay, share: 1.0 });
        assert!(slow(0.1, 0) && slow(0.0, 0) && slow(0.1, 20));
        // growing by k·delay/(2 I) each second
        assert!(!slow(0.0, 5) && !slow(0.004, 5) && slow(0.006, 5));
    }

    #[test]
    fn a_limp_joint_is_stable() {
        assert!(is_stable(0.3, 0.0, 0.0, Timing { step: 1e-3, delay: 3, share: 0.2 }));
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
