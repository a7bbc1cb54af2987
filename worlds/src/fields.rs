//! What stands in the fields of a world file: places, lengths, names and files.

use page::{Fault, Fields, Range, Value};

use crate::WorldError;
use crate::files::Reader;

/// World coordinates.
pub(crate) const COORDINATE: Range = Range::new(-1e4, 1e4, "m");
/// Lengths that must not vanish.
pub(crate) const LENGTH: Range = Range::new(1e-3, 1e4, "m");
/// Lengths that may vanish.
pub(crate) const DISTANCE: Range = Range::new(0.0, 1e4, "m");
/// Heights of the ground.
pub(crate) const HEIGHT: Range = Range::new(-1e3, 1e3, "m");
/// Directions and phases.
pub(crate) const DIRECTION: Range = Range::new(-360.0, 360.0, "deg");
/// Inclinations that can be climbed by a grid.
pub(crate) const INCLINE: Range = Range::new(0.1, 89.0, "deg");
/// Fractions and colours.
pub(crate) const FRACTION: Range = Range::new(0.0, 1.0, "1");

/// A colour, red, green and blue from 0 to 1.
pub(crate) fn color(fields: &mut Fields<'_>) -> Result<Option<[f32; 3]>, Fault> {
    let color = fields.get("color").map(|value| value.vector::<3>(FRACTION)).transpose()?;
    Ok(color.map(|rgb| rgb.map(|channel| channel as f32)))
}

/// The name of a file of the world, and its bytes.
pub(crate) fn file<'d>(value: &Value<'d>, reader: &mut Reader<'_>) -> Result<(&'d str, Vec<u8>), WorldError> {
    let name = value.text()?;
    let bytes = reader.read(name).map_err(|error| match error {
        WorldError::Read { file, reason } => {
            value.error("the name of a file that can be read", &format!("'{file}': {reason}")).into()
        }
        other => other,
    })?;
    Ok((name, bytes))
}
