//! What rolling costs.

use robot_io::State;
use worlds::Material;

use crate::actuator::Bristle;

/// One wheel's resistance against rolling.
///
/// Its torque has the larger of two forces at the rim, because a measured coefficient of a soft ground already holds
/// what the wheel spends on pressing its rut:
///
/// - rolling resistance, c_rr × normal force (Wong, "Theory of ground vehicles", chapter 1);
/// - Bekker's motion resistance of a rigid wheel by compaction (M. G. Bekker, "Theory of land locomotion", 1956; Wong,
///   section 2.5): with k = k_c/b + k_φ the sinkage is z = (3 W / ((3 − n) b k √D))^(2/(2n+1)), and the resistance is
///   the work of pressing a rut of that depth, R = b k z^(n+1) / (n+1), z being limited to the loose layer.
///
/// It is a friction, so it also holds: a bristle sticks below the level and slips at it. Not modelled: the wheel does not
/// sink geometrically, nor does it bulldoze or dig itself in by slip.
#[derive(Clone, Copy, Debug, State)]
pub(crate) struct Rolling {
    /// [m]
    #[state(fixed)]
    radius: f64,
    /// [m]
    #[state(fixed)]
    width: f64,
    bristle: Bristle,
    level: f64,
}

impl Rolling {
    /// Rolling by which a wheel's material gives way before it resists fully [rad].
    const PRESLIDING: f64 = 5e-3;
    /// The level for which the bristle is made [N·m]: a stiff one would not bend less for it.
    const TYPICAL: f64 = 2.0;

    /// A wheel of `radius` and `width` [m] whose axle feels `inertia` [kg·m²], in steps of `step` [s].
    pub fn new(radius: f64, width: f64, inertia: f64, step: f64) -> Rolling {
        let bristle = Bristle::over(Self::PRESLIDING, Self::TYPICAL, inertia, step);
        Rolling { radius, width, bristle, level: 0.0 }
    }

    /// The wheel's radius [m].
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The torque about the axle [N·m] against rolling at `velocity` [rad/s] under `load` [N] on `ground`.
    pub fn torque(&mut self, velocity: f64, load: f64, ground: &Material, step: f64) -> f64 {
        self.level = self.radius * resistance(load, self.radius, self.width, ground);
        self.bristle.bend(velocity * step, self.level);
        -self.bristle.effort(velocity, self.level)
    }
}

/// The force [N] at the rim that rolling costs under `load` [N].
fn resistance(load: f64, radius: f64, width: f64, ground: &Material) -> f64 {
    let rolling = ground.rolling_resistance * load;
    if ground.sinkage.is_rigid() || load <= 0.0 {
        return rolling.max(0.0);
    }
    let n = ground.sinkage.exponent;
    let modulus = ground.sinkage.modulus(width);
    let root = (2.0 * radius).sqrt();
    let sinkage = libm::pow(3.0 * load / ((3.0 - n) * width * modulus * root), 2.0 / (2.0 * n + 1.0));
    let sinkage = sinkage.min(ground.sinkage.max_depth);
    let compaction = width * modulus * libm::pow(sinkage, n + 1.0) / (n + 1.0);
    rolling.max(compaction)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn hard_ground_costs_its_coefficient() {
        let concrete = Material::preset("concrete").unwrap();
        assert!((resistance(100.0, 0.1, 0.04, &concrete) - 1.3).abs() < 1e-12);
        assert_eq!(resistance(0.0, 0.1, 0.04, &concrete), 0.0);
    }

    #[test]
    fn soft_ground_costs_at_least_the_work_of_its_rut() {
        let mut sand = Material::preset("sand").unwrap();
        sand.rolling_resistance = 0.0;
        let rut = resistance(80.0, 0.08, 0.04, &sand);
        // a rut costs some ten per cent of the load of a small wheel
        assert!(rut > 4.0 && rut < 40.0, "{rut}");
        assert!(resistance(80.0, 0.08, 0.02, &sand) > rut, "a narrower wheel sinks deeper");
        assert!(resistance(80.0, 0.16, 0.04, &sand) < rut, "a larger wheel sinks less");
    }
}
