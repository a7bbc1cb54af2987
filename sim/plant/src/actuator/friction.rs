//! Friction that holds still as well as it slides.

use robot_io::State;

/// Coulomb friction with a presliding spring: the surfaces hang together by a bristle that bends with the motion and
/// slips where its force would exceed the Coulomb level.
///
/// It is the elasto-plastic model of Dupont, Hayward, Armstrong and Altpeter ("Single state elastoplastic friction
/// models", IEEE Transactions on Automatic Control 47(5), 2002) with the breakaway point at the Coulomb level: below it
/// purely elastic, so that a loaded joint at rest does not creep, as LuGre's would.
#[derive(Clone, Copy, Debug, State)]
pub(crate) struct Bristle {
    /// Force per bending [N·m/rad].
    #[state(fixed)]
    stiffness: f64,
    /// Damping of the bristle while it sticks [N·m·s/rad].
    #[state(fixed)]
    damping: f64,
    bending: f64,
    slipping: bool,
}

impl Bristle {
    /// Bending at which the Coulomb level is reached, where stability allows it [rad]: presliding displacements of
    /// geared drives are some 10⁻³ rad on the output (Dupont et al., section V).
    const PRESLIDING: f64 = 1e-3;

    /// A bristle for a Coulomb level [N·m] on an `inertia` [kg·m²] that is simulated in steps of `step` [s].
    ///
    /// The explicit spring is kept to a twentieth of what an explicit step can bear.
    pub fn new(coulomb: f64, inertia: f64, step: f64) -> Bristle {
        Bristle::over(Self::PRESLIDING, coulomb, inertia, step)
    }

    /// The same with another presliding displacement [rad].
    pub fn over(presliding: f64, coulomb: f64, inertia: f64, step: f64) -> Bristle {
        let stiffness = (coulomb / presliding).min(0.05 * inertia / (step * step));
        let damping = 1.4 * (stiffness * inertia).sqrt();
        Bristle { stiffness, damping, bending: 0.0, slipping: false }
    }

    /// The friction's effort [N·m] against a motion at `velocity` [rad/s], with the present Coulomb level [N·m].
    pub fn effort(&self, velocity: f64, coulomb: f64) -> f64 {
        let damping = if self.slipping && velocity * self.bending > 0.0 { 0.0 } else { self.damping };
        (self.stiffness * self.bending + damping * velocity).clamp(-coulomb, coulomb)
    }

    /// Bends by `displacement` [rad], slipping at the Coulomb level [N·m].
    pub fn bend(&mut self, displacement: f64, coulomb: f64) {
        let most = if self.stiffness > 0.0 { coulomb / self.stiffness } else { 0.0 };
        let bent = self.bending + displacement;
        self.bending = bent.clamp(-most, most);
        self.slipping = self.bending != bent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flywheel under a constant torque: its position after so many seconds.
    fn position_after(torque: f64, coulomb: f64, seconds: f64) -> (f64, f64) {
        let (inertia, step) = (0.1, 1e-3);
        let mut bristle = Bristle::new(coulomb, inertia, step);
        let (mut position, mut velocity) = (0.0, 0.0);
        for _ in 0..(seconds / step) as usize {
            velocity += step / inertia * (torque - bristle.effort(velocity, coulomb));
            position += step * velocity;
            bristle.bend(step * velocity, coulomb);
        }
        (position, velocity)
    }

    #[test]
    fn below_the_coulomb_level_it_stands_and_never_creeps() {
        let (early, _) = position_after(0.9, 1.0, 1.0);
        let (late, velocity) = position_after(0.9, 1.0, 60.0);
        assert!(late < 2e-3, "bent by {late} rad");
        assert!((late - early).abs() < 1e-9 && velocity.abs() < 1e-9, "crept from {early} to {late}");
    }

    #[test]
    fn above_it_the_rest_accelerates() {
        let (_, velocity) = position_after(1.5, 1.0, 2.0);
        // (1.5 − 1.0) N·m on 0.1 kg·m² for 2 s, less the beginning
        assert!((velocity - 10.0).abs() < 0.05, "{velocity}");
    }

    #[test]
    fn without_friction_there_is_none() {
        let bristle = Bristle::new(0.0, 0.1, 1e-3);
        assert_eq!(bristle.effort(3.0, 0.0), 0.0);
    }
}
