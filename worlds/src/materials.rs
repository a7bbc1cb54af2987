//! The `[[material]]` tables.

use page::{Fault, Fields, Range};

use crate::fields::{FRACTION, color};
use crate::material::{self, material_index};
use crate::pair::{ARM, GIVE};
use crate::soil::Soil;
use crate::{Material, PRESETS, Sinkage};

/// Most materials of a world: a cell of its ground names one with a byte.
pub(crate) const MOST_MATERIALS: usize = 256;
/// Reflectivity of a material that says nothing about it [1].
const REFLECTIVITY: f64 = 0.35;

/// The five presets, changed and extended by the file's `[[material]]` tables.
pub(crate) fn read(fields: &mut Fields<'_>) -> Result<Vec<Material>, Fault> {
    let mut materials: Vec<Material> = PRESETS.iter().filter_map(|name| Material::preset(name)).collect();
    let mut taken = Vec::new();
    for mut table in fields.tables("material")? {
        let name = table.unique_name(&mut taken)?;
        let position = materials.iter().position(|material| material.name == name);
        let material = read_material(&mut table, name, &materials)?;
        table.finish()?;
        match position {
            Some(index) => materials[index] = material,
            None if materials.len() >= MOST_MATERIALS => {
                return Err(fields.error(&format!("at most {MOST_MATERIALS} materials"), "more"));
            }
            None => materials.push(material),
        }
    }
    Ok(materials)
}

/// A material; what its table leaves out is its base's, or that of the known one of its name, and without a base nothing may be left out but the sinkage.
pub(crate) fn read_material(table: &mut Fields<'_>, name: String, known: &[Material]) -> Result<Material, Fault> {
    let same = known.iter().position(|material| material.name == name);
    let base = table.get("base").map(|value| material_index(&value, known)).transpose()?;
    let base = base.or(same).map(|index| known[index].clone());
    let mut value = |key, range, inherited: Option<f64>| match inherited {
        Some(inherited) => table.number_or(key, range, inherited),
        None => table.number(key, range),
    };
    let friction = value("friction", Range::new(0.0, 10.0, "1"), base.as_ref().map(|b| b.friction))?;
    let restitution = value("restitution", FRACTION, base.as_ref().map(|b| b.restitution))?;
    let rolling = value("rolling_resistance", Range::new(0.0, 2.0, "1"), base.as_ref().map(|b| b.rolling_resistance))?;
    let of_base = |number: fn(&Material) -> f64, none: f64| base.as_ref().map_or(none, number);
    let torsional_friction =
        table.number_or("torsional_friction", ARM, of_base(|b| b.torsional_friction, material::TORSION))?;
    let rolling_friction =
        table.number_or("rolling_friction", ARM, of_base(|b| b.rolling_friction, material::ROLLING))?;
    let give = table.number_or("give", GIVE, of_base(|b| b.give, 0.0))?;
    let inherited = base.as_ref().map_or(Sinkage::RIGID, |b| b.sinkage);
    let sinkage = match table.get("sinkage") {
        Some(value) => Sinkage::read(value.table()?, inherited)?,
        None => inherited,
    };
    let inherited = base.as_ref().map_or(Soil::preset(&name), |b| b.soil);
    let soil = table.get("soil").map_or(Ok(inherited), |value| Soil::read(value.table()?, inherited))?;
    let inherited = base.as_ref().map_or(REFLECTIVITY, |b| b.reflectivity);
    let reflectivity = table.number_or("reflectivity", FRACTION, inherited)?;
    let color = color(table)?.or(base.map(|b| b.color)).unwrap_or([0.5, 0.5, 0.5]);
    Ok(Material {
        name,
        friction,
        restitution,
        torsional_friction,
        rolling_friction,
        give,
        rolling_resistance: rolling,
        sinkage,
        soil,
        color,
        reflectivity,
    })
}
