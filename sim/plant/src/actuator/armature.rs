//! The rotor's inertia, which the link feels multiplied by the gear ratio squared.
//!
//! Rapier's bodies know nothing of it, and torque that is computed outside the solver cannot supply it: −J·q̈ of the
//! last step is unstable where the rotor is heavier than the link, which with gears is the rule. So the drive's torque
//! goes through the joint's motor row, which is implicit: a row of damping d and target velocity ω* applies d (ω* − ω).
//! With ω* = ω₀ + τ/d, where ω₀ is the velocity at the beginning of the step, that is
//!
//! > τ − d (ω − ω₀),
//!
//! the drive's torque less an inertia's resistance to the change of velocity. Were the step one piece, d = J/Δt would be
//! it. In n substeps h = Δt/n of a joint with inertia I the row acts as (dot_jj + cfm) shows:
//! ω₍ᵢ₊₁₎ − ω* = (ω₍ᵢ₎ − ω*) / (1 + h d/I), so after the step ω − ω₀ = τ/d · (1 − (1 + h d/I)⁻ⁿ), and that shall be
//! τ Δt / (I + J). [`row_damping`] solves it for d. d·Δt/J lies between 1 (I ≪ J) and 2n/(n+1) (I ≫ J), so that an I
//! that is off by a factor of two costs a few per cent of J; the tests show how much.

/// The damping [N·m·s/rad] of a motor row that makes `substeps` substeps of a step of `step` [s] feel a rotor of
/// reflected inertia `rotor` [kg·m²] on a joint that otherwise moves `link` [kg·m²].
pub(crate) fn row_damping(rotor: f64, link: f64, step: f64, substeps: usize) -> f64 {
    let wanted = link + rotor;
    // felt inertia rises with d: bisect between its two limits
    let (mut low, mut high) = (rotor / step, 2.0 * rotor / step);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if felt_inertia(middle, link, step, substeps) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// What a row of damping `damping` on a joint of inertia `link` feels like altogether [kg·m²].
fn felt_inertia(damping: f64, link: f64, step: f64, substeps: usize) -> f64 {
    let ratio = step * damping / (substeps as f64 * link);
    let kept = (0..substeps).fold(1.0, |kept, _| kept / (1.0 + ratio));
    damping * step / (1.0 - kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_substep_is_the_textbook_and_many_lie_between_the_limits() {
        let step = 1e-3;
        assert!((row_damping(0.3, 0.1, step, 1) * step / 0.3 - 1.0).abs() < 1e-9);
        let light = row_damping(0.3, 1e-3, step, 4) * step / 0.3;
        let heavy = row_damping(0.3, 1e3, step, 4) * step / 0.3;
        assert!((light - 1.0).abs() < 0.01, "{light}");
        assert!((heavy - 1.6).abs() < 0.01, "{heavy}");
    }

    #[test]
    fn a_link_twice_as_heavy_as_thought_costs_a_tenth_of_the_rotor_at_worst() {
        let (rotor, step, substeps) = (0.3, 1e-3, 4);
        for thought in [0.003, 0.03, 0.3, 3.0] {
            let damping = row_damping(rotor, thought, step, substeps);
            for real in [0.5 * thought, 2.0 * thought] {
                let felt = felt_inertia(damping, real, step, substeps) - real;
                assert!((felt / rotor - 1.0).abs() < 0.1, "{felt} instead of {rotor} on {real} instead of {thought}");
            }
        }
    }
}
