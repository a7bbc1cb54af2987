//! A column of soil: when it gives way, and by how much; how steep it lies.

use worlds::{Material, Sinkage};

/// What a column is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    sinkage: Sinkage,
    /// [kg/m³]
    pub density: f64,
    /// [N/m³]
    pub unloading_modulus: f64,
    /// [Pa]
    pub cohesion: f64,
    /// [m]
    pub shear_displacement: f64,
    /// Tangent of the angle of friction.
    friction: f64,
    /// How high it stands as a wall [m].
    stands: f64,
}

impl Column {
    /// When a column has sunk as exactly as this, that will do [m].
    const EXACT: f64 = 1e-9;
    /// More steps are never needed.
    const MOST: usize = 30;

    /// Of a material under a gravity [m/s²]; `None` if it is rigid.
    pub fn of(material: &Material, gravity: f64) -> Option<Column> {
        let soil = &material.soil;
        let passive = libm::tan(core::f64::consts::FRAC_PI_4 + 0.5 * soil.friction_angle);
        (!material.sinkage.is_rigid()).then(|| Column {
            sinkage: material.sinkage,
            density: soil.density,
            unloading_modulus: soil.unloading_modulus,
            cohesion: soil.cohesion,
            shear_displacement: soil.shear_displacement,
            friction: libm::tan(soil.friction_angle),
            stands: 4.0 * soil.cohesion * passive / (soil.density * gravity).max(f64::MIN_POSITIVE),
        })
    }

    /// The strength [Pa] across a surface under a pressure [Pa].
    pub fn strength(&self, pressure: f64) -> f64 {
        self.cohesion + self.friction * pressure
    }

    /// By how much that grows with the pressure; loose soil lies no steeper than this, too.
    pub fn friction(&self) -> f64 {
        self.friction
    }

    /// How high undisturbed soil stands as a wall [m].
    pub fn stands(&self) -> f64 {
        self.stands
    }

    /// How thick the layer is where nobody has touched it [m].
    pub fn layer(&self) -> f64 {
        self.sinkage.max_depth
    }

    /// By how much a column that is pressed in by `depth` and is still as thick as `left` [m] gives way, if a shape of a patch of a `width` reaches
    /// below its top by `overlap` [m] and leans with a normal whose vertical part is `upright`.
    ///
    /// Afterwards its spring pushes as hard as it can hold: k_u (overlap − d) · upright = k (depth + d)ⁿ. By Newton's method, within bounds that it
    /// may not leave.
    pub fn yields(&self, (depth, left): (f64, f64), overlap: f64, upright: f64, width: f64) -> f64 {
        let (modulus, n) = (self.sinkage.modulus(width), self.sinkage.exponent);
        let spring = self.unloading_modulus * upright;
        let holds = |deeper: f64| modulus * libm::pow(depth + deeper, n);
        let most = overlap.min(left);
        if most <= 0.0 || spring * overlap <= holds(0.0) {
            return 0.0;
        }
        if spring * (overlap - most) >= holds(most) {
            return most;
        }
        let (mut low, mut high) = (0.0, most);
        let mut deeper = 0.5 * most;
        for _ in 0..Self::MOST {
            let held = holds(deeper);
            let excess = held - spring * (overlap - deeper);
            if excess > 0.0 {
                high = deeper
            } else {
                low = deeper
            }
            let next = deeper - excess / (held * n / (depth + deeper) + spring);
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            if (next - deeper).abs() < Self::EXACT {
                return next;
            }
            deeper = next;
        }
        deeper
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_column_gives_way_until_it_holds() {
        for (name, overlap) in [("sand", 0.01), ("sand", 1e-4), ("soil", 0.003), ("gravel", 0.015)] {
            let material = Material::preset(name).unwrap();
            let column = Column::of(&material, 9.81).unwrap();
            for upright in [1.0, 0.6] {
                let deeper = column.yields((0.0, 0.06), overlap, upright, 0.04);
                let pushes = column.unloading_modulus * upright * (overlap - deeper);
                let holds = material.sinkage.modulus(0.04) * libm::pow(deeper, material.sinkage.exponent);
                assert!((pushes - holds).abs() < 1e-3 * holds, "{name} {overlap}: pushes {pushes}, holds {holds} Pa");
                // and then it does hold
                assert!(column.yields((deeper, 0.06 - deeper), overlap - deeper, upright, 0.04) < 2e-9);
            }
        }
    }

    #[test]
    fn no_column_is_deeper_than_its_layer() {
        let sand = Material::preset("sand").unwrap();
        let column = Column::of(&sand, 9.81).unwrap();
        assert_eq!(column.yields((0.05, 0.01), 0.1, 1.0, 0.04), 0.01);
        assert_eq!(column.yields((0.06, 0.0), 0.1, 1.0, 0.04), 0.0);
        assert!(Column::of(&Material::preset("concrete").unwrap(), 9.81).is_none());
    }
}
