//! What soil resists a face by that is pushed through it.
//!
//! The fundamental equation of earthmoving: P = (ρ g d² N_γ + c d N_c) w for a blade of width w at depth d, at the angle δ of friction between
//! blade and soil off its normal (A. R. Reece, "The fundamental equation of earthmoving mechanics", 1964). N_γ and N_c are those of a wedge of soil that
//! slides up along a plane at an angle β to the ground (E. McKyes, "Soil Cutting and Tillage", 1985); of all planes it is the one along which the
//! least is needed.

use worlds::Soil;

/// Angles of a face to the ground before it, as degrees, for which there are numbers.
const EVERY: f64 = 5.0;
const ANGLES: usize = 30;
/// Planes along which a wedge may slide.
const PLANES: usize = 48;
/// Friction between a tool and soil, as a share of the soil's own angle (Terzaghi: two thirds for smooth concrete and steel).
const TOOL: f64 = 2.0 / 3.0;
/// No wedge is thinner than this: steeper faces jam [rad].
const THIN: f64 = 0.05;

/// N_γ and N_c of a plane.
type Numbers = (f64, f64);

/// The numbers of a soil.
#[derive(Clone, Debug)]
pub(super) struct Wedge {
    /// Tangent of the angle of friction between a tool and the soil.
    pub tool_friction: f64,
    /// ρ g [N/m³].
    weight: f64,
    /// [Pa]
    cohesion: f64,
    /// For faces at multiples of five degrees, from five on, and for planes between the flattest and the steepest.
    numbers: Vec<[Numbers; PLANES]>,
}

impl Wedge {
    /// Of a soil under a gravity [m/s²].
    pub fn new(soil: &Soil, gravity: f64) -> Wedge {
        let (phi, delta) = (soil.friction_angle, TOOL * soil.friction_angle);
        let steepest = core::f64::consts::PI - phi - delta - 4.0 * THIN;
        let numbers = (1..=ANGLES).map(|place| {
            let rake = (place as f64 * EVERY).to_radians().min(steepest);
            core::array::from_fn(|plane| along(plane, rake, phi, delta))
        });
        let weight = soil.density * gravity;
        Wedge { tool_friction: libm::tan(delta), weight, cohesion: soil.cohesion, numbers: numbers.collect() }
    }

    /// Force [N/m] along the normal of a face, for each metre of its width, that soil before it resists with between two depths [m]: what the deeper
    /// face meets less what the shallower one does. `rise` is the vertical part of the face's normal, which points into the soil.
    pub fn resistance(&self, (from, to): (f64, f64), rise: f64) -> f64 {
        let place = libm::acos(rise.clamp(-1.0, 1.0)).to_degrees() / EVERY - 1.0;
        let low = place.clamp(0.0, (ANGLES - 2) as f64) as usize;
        let share = (place - low as f64).clamp(0.0, 1.0);
        let between = |angle: usize| self.least(angle, to) - self.least(angle, from);
        let whole = (1.0 - share) * between(low) + share * between(low + 1);
        // at an angle off the normal whose tangent this is
        whole / (1.0 + self.tool_friction * self.tool_friction).sqrt()
    }

    /// What a wedge needs at least that slides up before a face of one of the angles, from a depth [m].
    fn least(&self, angle: usize, depth: f64) -> f64 {
        let (weight, cohesion) = (self.weight * depth * depth, self.cohesion * depth);
        let planes =
            self.numbers[angle].iter().map(|(by_weight, by_cohesion)| weight * by_weight + cohesion * by_cohesion);
        planes.fold(f64::INFINITY, f64::min)
    }
}

/// The numbers of one of the planes before a face at an angle `rake` to the ground.
fn along(plane: usize, rake: f64, phi: f64, delta: f64) -> Numbers {
    let cot = |angle: f64| 1.0 / libm::tan(angle);
    let last = core::f64::consts::PI - phi - delta - rake - THIN;
    let beta = THIN + (last - THIN) * plane as f64 / (PLANES - 1) as f64;
    let under = libm::cos(rake + delta) + libm::sin(rake + delta) * cot(beta + phi);
    ((cot(rake) + cot(beta)) / (2.0 * under), (1.0 + cot(beta) * cot(beta + phi)) / under)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use worlds::Material;

    /// Coulomb's coefficient of passive earth pressure on a rough wall that stands upright.
    fn coulomb(phi: f64, delta: f64) -> f64 {
        let (sin, cos) = (libm::sin, libm::cos);
        let root = (sin(phi + delta) * sin(phi) / cos(delta)).sqrt();
        cos(phi) * cos(phi) / (cos(delta) * (1.0 - root) * (1.0 - root))
    }

    #[test]
    fn an_upright_wall_meets_coulombs_and_rankines_pressure() {
        let sand = Material::preset("sand").unwrap().soil;
        for degrees in [25.0_f64, 28.0, 35.0] {
            let phi = degrees.to_radians();
            let dry = Soil { friction_angle: phi, cohesion: 0.0, ..sand };
            let delta = TOOL * phi;
            let expected = 0.5 * 1600.0 * 9.81 * 0.01 * coulomb(phi, delta) * libm::cos(delta);
            let found = Wedge::new(&dry, 9.81).resistance((0.0, 0.1), 0.0);
            assert!((found / expected - 1.0).abs() < 5e-3, "{degrees}°: {found} N/m, Coulomb {expected} N/m");
        }
        // of clay that has no friction Rankine's: 2 c d, and its weight
        let clay = Soil { friction_angle: 0.0, cohesion: 5e3, ..sand };
        let (found, expected) =
            (Wedge::new(&clay, 9.81).resistance((0.0, 0.1), 0.0), 2.0 * 5e3 * 0.1 + 0.5 * 1600.0 * 9.81 * 0.01);
        assert!((found / expected - 1.0).abs() < 5e-3, "{found} N/m, Rankine {expected} N/m");
    }

    #[test]
    fn a_flat_blade_is_easier_to_push_than_a_steep_one() {
        let wedge = Wedge::new(&Material::preset("sand").unwrap().soil, 9.81);
        let at = |degrees: f64| wedge.resistance((0.0, 0.1), libm::cos(degrees.to_radians()));
        assert!(at(30.0) < at(60.0) && at(60.0) < at(90.0) && at(90.0) < at(100.0));
        // between two angles it goes evenly
        assert!((at(62.5) / (0.5 * (at(60.0) + at(65.0))) - 1.0).abs() < 2e-3);
        // what is known of the parts adds up
        let parts = wedge.resistance((0.0, 0.04), 0.0) + wedge.resistance((0.04, 0.1), 0.0);
        assert!((parts / at(90.0) - 1.0).abs() < 1e-9);
    }
}
