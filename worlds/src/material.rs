//! What the ground and the objects are made of.
//!
//! Sources of the presets' numbers:
//! - friction: rubber on the ground, sliding, J. Y. Wong, "Theory of Ground Vehicles", table "average values of
//!   coefficient of road adhesion" (after Taborek): dry concrete 0.75, dry earth road 0.65, gravel 0.55; loose dry
//!   sand from its shear strength, tan 28° = 0.53, less the loss of a tyre that digs itself in.
//! - rolling resistance: Wong, table "coefficient of rolling resistance" (after Taborek), car tyres: concrete 0.013,
//!   rolled gravel 0.02, unpaved road 0.05, sand 0.3 (field 0.1 to 0.35). Small solid wheels are worse on the hard
//!   grounds; a world file may say so.
//! - sinkage: Bekker's p = (k_c / b + k_φ) zⁿ with Wong's terrain table: dry sand (Land Locomotion Laboratory)
//!   n = 1.1, k_c = 0.99 kN/mⁿ⁺¹, k_φ = 1528 kN/mⁿ⁺²; sandy loam at 15 % moisture n = 0.7, k_c = 5.27, k_φ = 1515.
//!   The soil here is flattened, as in the SpaceBot arena (Schwarz et al. 2016, section 11), which limits its depth.
//!   Loose gravel is not in that table: sand's exponent with three times its k_φ is our estimate.
//! - reflectivity at 905 nm: our estimates from published spectra of such surfaces, dry, seen straight on (ECOSTRESS and
//!   ASTER spectral libraries: construction concrete 0.3 to 0.5, brown loams 0.3 to 0.4, quartz sand 0.5 to 0.6, basalt
//!   0.1 and granite 0.3).

use page::{Fault, Value};

use crate::soil::{Sinkage, Soil};

/// A material of the ground or of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name, unique in its world.
    pub name: String,
    /// Coulomb friction coefficient µ against rubber [1].
    pub friction: f64,
    /// Coefficient of restitution [1], 0 to 1.
    pub restitution: f64,
    /// Torque about the normal per normal force at which a point of it slips [m].
    pub torsional_friction: f64,
    /// Torque across the normal per normal force at which something rolls over a point of it [m]; of wheels on the ground see below.
    pub rolling_friction: f64,
    /// By how much it gives way under the weight of what lies on it [m]; 0 is hard.
    pub give: f64,
    /// Coefficient of rolling resistance c_rr [1]: force against rolling = c_rr × normal force.
    pub rolling_resistance: f64,
    /// How deep a wheel or foot sinks.
    pub sinkage: Sinkage,
    /// How it shears and springs back where the ground is deformable.
    pub soil: Soil,
    /// Red, green, blue (sRGB), each 0 to 1.
    pub color: [f32; 3],
    /// Share of infrared light (905 nm, that of laser range finders) that it scatters back, 0 to 1.
    pub reflectivity: f64,
}

/// Torsional friction of a material that says nothing about it [m], as in MuJoCo's default.
pub(crate) const TORSION: f64 = 5e-3;
/// Rolling friction of a material that says nothing about it [m]: hard things on soil. A thing that stands on two points of rough ground would rock for
/// long without.
pub(crate) const ROLLING: f64 = 5e-4;

/// Names of the built-in materials, in the order in which error messages list them.
pub const PRESETS: [&str; 5] = ["concrete", "soil", "gravel", "sand", "rock"];

impl Material {
    /// The built-in material of that name; the module's head has the sources.
    pub fn preset(name: &str) -> Option<Self> {
        let (friction, restitution, rolling_resistance, sinkage, color, reflectivity) = match name {
            "concrete" => (0.75, 0.1, 0.013, Sinkage::RIGID, [0.52, 0.52, 0.50], 0.40),
            "soil" => (0.65, 0.05, 0.05, Sinkage::loose(0.010, 5.27e3, 1.515e6, 0.7), [0.45, 0.27, 0.15], 0.35),
            "gravel" => (0.55, 0.05, 0.08, Sinkage::loose(0.020, 0.0, 4.6e6, 1.1), [0.38, 0.37, 0.36], 0.30),
            "sand" => (0.45, 0.0, 0.3, Sinkage::loose(0.060, 0.99e3, 1.528e6, 1.1), [0.80, 0.62, 0.36], 0.50),
            "rock" => (0.70, 0.1, 0.015, Sinkage::RIGID, [0.34, 0.30, 0.28], 0.25),
            _ => return None,
        };
        let soil = Soil::preset(name);
        let name = name.to_owned();
        let (torsional_friction, rolling_friction, give) = (TORSION, ROLLING, 0.0);
        let touch = Self {
            name,
            friction,
            restitution,
            torsional_friction,
            rolling_friction,
            give,
            rolling_resistance,
            sinkage,
            soil,
            color,
            reflectivity,
        };
        Some(touch)
    }
}

/// The index of the material that a value names.
pub(crate) fn material_index(name: &Value<'_>, materials: &[Material]) -> Result<usize, Fault> {
    let wanted = name.text()?;
    let known: Vec<&str> = materials.iter().map(|material| material.name.as_str()).collect();
    let found = materials.iter().position(|material| material.name == wanted);
    found.ok_or_else(|| name.error(&format!("a known material: {}", known.join(", ")), &format!("`{wanted}`")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_preset_exists_and_is_sane() {
        for name in PRESETS {
            let material = Material::preset(name).unwrap();
            assert_eq!(material.name, name);
            assert!(material.friction > 0.0 && material.rolling_resistance < material.friction);
        }
        assert!(Material::preset("cheese").is_none());
    }

    #[test]
    fn a_wheel_sinks_deeper_in_sand_than_in_soil() {
        // 58 kg on 8 wheels, patch 4 cm × 3 cm: 59 kPa.
        let depth = |name| Material::preset(name).unwrap().sinkage.depth(59e3, 0.03);
        assert!(depth("sand") > 2.0 * depth("soil") && depth("gravel") < depth("sand"));
        assert_eq!(depth("concrete"), 0.0);
    }
}
