//! How loose ground gives way: by Bekker under pressure, by Mohr, Coulomb and Janosi under shear.
//!
//! Sources of the presets' numbers, beside those of [`Sinkage`] in `material.rs`: J. Y. Wong, "Theory of Ground Vehicles", terrain table:
//! dry sand (Land Locomotion Laboratory) c = 1.04 kPa, φ = 28°; sandy loam at 15 % moisture c = 1.72 kPa, φ = 29°; shear displacement K
//! 1 cm for firm sand to 2.5 cm for loose; repeated loading k_u = A_u z with A_u = 503 MN/m⁴ (LETE sand), here at 3 cm for sand and at twice
//! that for soil. Gravel is our estimate: no cohesion, 35°. Bulk densities are our estimates too, of loose dry material.

use page::{Fault, Fields, Range};

/// Bekker's pressure-sinkage law p = (k_c / b + k_φ) zⁿ (M. G. Bekker, "Introduction to Terrain-Vehicle Systems", 1969).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sinkage {
    /// Depth of the loose layer [m]; 0 is rigid ground, whatever the moduli.
    pub max_depth: f64,
    /// Cohesive modulus k_c [N/mⁿ⁺¹].
    pub cohesive_modulus: f64,
    /// Frictional modulus k_φ [N/mⁿ⁺²].
    pub frictional_modulus: f64,
    /// Exponent n [1].
    pub exponent: f64,
}

impl Sinkage {
    /// Ground that does not give way.
    pub const RIGID: Self = Self { max_depth: 0.0, cohesive_modulus: 0.0, frictional_modulus: 1.0e9, exponent: 1.0 };

    /// What a table says; what it leaves out is the base's.
    pub(crate) fn read(mut table: Fields<'_>, base: Sinkage) -> Result<Sinkage, Fault> {
        let sinkage = Sinkage {
            max_depth: table.number_or("max_depth", Range::new(0.0, 10.0, "m"), base.max_depth)?,
            cohesive_modulus: table.number_or(
                "cohesive_modulus",
                Range::new(0.0, 1e12, "N/m^(n+1)"),
                base.cohesive_modulus,
            )?,
            frictional_modulus: table.number_or(
                "frictional_modulus",
                Range::new(1.0, 1e12, "N/m^(n+2)"),
                base.frictional_modulus,
            )?,
            exponent: table.number_or("exponent", Range::new(0.1, 5.0, "1"), base.exponent)?,
        };
        table.finish()?;
        Ok(sinkage)
    }

    /// A loose layer.
    pub(crate) fn loose(max_depth: f64, cohesive_modulus: f64, frictional_modulus: f64, exponent: f64) -> Sinkage {
        Sinkage { max_depth, cohesive_modulus, frictional_modulus, exponent }
    }

    /// Whether nothing sinks in here.
    pub fn is_rigid(&self) -> bool {
        self.max_depth <= 0.0
    }

    /// k_c / b + k_φ [N/mⁿ⁺²] for a contact patch whose smaller side is `width` [m].
    pub fn modulus(&self, width: f64) -> f64 {
        self.cohesive_modulus / width.max(1e-3) + self.frictional_modulus
    }

    /// Depth z [m] that carries `pressure` [Pa] under a patch of `width` [m], at most `max_depth`.
    pub fn depth(&self, pressure: f64, width: f64) -> f64 {
        if self.is_rigid() {
            return 0.0;
        }
        let ratio = pressure.max(0.0) / self.modulus(width);
        libm::pow(ratio, 1.0 / self.exponent).min(self.max_depth)
    }
}

/// What holds loose ground together, and how it springs back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Soil {
    /// Of what lies there, with the air in it [kg/m³].
    pub density: f64,
    /// Cohesion c [Pa].
    pub cohesion: f64,
    /// Angle of internal friction φ [rad].
    pub friction_angle: f64,
    /// Shear displacement K [m] of Janosi and Hanamoto's τ = (c + p tan φ) (1 − exp(−j/K)), after which the ground gives 63 % of its strength
    /// (Z. Janosi and B. Hanamoto, "The analytical determination of drawbar pull as a function of slip", 1961).
    pub shear_displacement: f64,
    /// Pressure by which what has sunk in goes back, for each metre that it is lifted [N/m³].
    pub unloading_modulus: f64,
}

impl Soil {
    /// That of the built-in material of a name; loam where a material says nothing.
    pub(crate) fn preset(name: &str) -> Soil {
        let (density, cohesion, friction_angle_deg, shear_displacement, unloading_modulus) = match name {
            "sand" => (1.6e3, 1.04e3, 28.0_f64, 0.018, 1.5e7),
            "gravel" => (1.7e3, 0.0, 35.0, 0.012, 3e7),
            _ => (1.5e3, 1.72e3, 29.0, 0.01, 3e7),
        };
        Soil {
            density,
            cohesion,
            friction_angle: friction_angle_deg.to_radians(),
            shear_displacement,
            unloading_modulus,
        }
    }

    /// What a table says; what it leaves out is the base's.
    pub(crate) fn read(mut table: Fields<'_>, base: Soil) -> Result<Soil, Fault> {
        let angle =
            table.number_or("friction_angle_deg", Range::new(0.0, 60.0, "°"), base.friction_angle.to_degrees())?;
        let soil = Soil {
            density: table.number_or("density", Range::new(100.0, 1e4, "kg/m³"), base.density)?,
            cohesion: table.number_or("cohesion", Range::new(0.0, 1e6, "Pa"), base.cohesion)?,
            friction_angle: angle.to_radians(),
            shear_displacement: table.number_or(
                "shear_displacement",
                Range::new(1e-4, 1.0, "m"),
                base.shear_displacement,
            )?,
            unloading_modulus: table.number_or(
                "unloading_modulus",
                Range::new(1e5, 1e10, "N/m³"),
                base.unloading_modulus,
            )?,
        };
        table.finish()?;
        Ok(soil)
    }

    /// The strength [Pa] across a surface under a pressure [Pa].
    pub fn strength(&self, pressure: f64) -> f64 {
        self.cohesion + pressure * libm::tan(self.friction_angle)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::Material;

    #[test]
    fn depth_solves_bekkers_law() {
        let sand = Material::preset("sand").unwrap().sinkage;
        let (pressure, width) = (20e3, 0.04);
        let z = sand.depth(pressure, width);
        assert!(z > 0.01 && z < sand.max_depth, "{z}");
        let back = sand.modulus(width) * libm::pow(z, sand.exponent);
        assert!((back - pressure).abs() < 1e-6 * pressure);
        assert_eq!(sand.depth(1e9, width), sand.max_depth);
        assert_eq!(Sinkage::RIGID.depth(1e9, width), 0.0);
    }
}
