//! Objects as files.

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use page::{Fault, Fields, Page, Range};

use super::object::{ObjectModel, SurfacePoint};
use super::shapes::{Part, Shape};
use super::symmetry::Symmetry;
use crate::colour::{ColourTable, read_classes};
use crate::error::PerceptionError;

const LENGTH: Range = Range::new(1e-4, 10.0, "m");
const PLACE: Range = Range::new(-10.0, 10.0, "m");
const ANGLE: Range = Range::new(-360.0, 360.0, "°");
const DIRECTION: Range = Range::new(-1.0, 1.0, "1");

/// A file of objects: what they look like, and the colours that they name.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// The objects.
    pub models: Vec<ObjectModel>,
    /// The colours; none if the file has no `[[class]]`.
    pub colours: Option<ColourTable>,
}

impl Catalogue {
    /// Reads objects and, if the file has any, the classes of their colours, as [`ColourTable::parse`] does; `file_name` is for the messages. If
    /// there are classes, each colour that an object names must be among them.
    ///
    /// ```
    /// let catalogue = perception::Catalogue::parse(r#"
    ///     [[class]]
    ///     name = "blue"
    ///     [[class.ellipse]]
    ///     centre = [190, 100]
    ///     half_axes = [40, 14]
    ///
    ///     [[object]]
    ///     name = "cup"
    ///     colour = "blue"
    ///     [[object.part]]
    ///     cup = { radius = 0.04, height = 0.1, wall = 0.003 }
    /// "#, "objects.toml")?;
    /// assert_eq!((catalogue.models.len(), catalogue.colours.map(|table| table.classes().len())), (1, Some(1)));
    /// # Ok::<(), perception::PerceptionError>(())
    /// ```
    pub fn parse(text: &str, file_name: &str) -> Result<Catalogue, PerceptionError> {
        let page = Page { file: file_name, text };
        let root = page.parse()?;
        let mut fields = page.fields(&root);
        let models = fields.each_named("object", object)?;
        if models.is_empty() {
            return Err(fields.error_at("object", "at least one table", "none").into());
        }
        let colours = read_classes(&mut fields)?;
        fields.finish()?;
        if let Some(table) = &colours {
            models.iter().try_for_each(|model| model.is_in(table))?;
        }
        Ok(Catalogue { models, colours })
    }
}

impl ObjectModel {
    /// Reads objects; `file_name` is for the messages. Classes of colours that the file has beside them are left to [`Catalogue::parse`].
    ///
    /// ```
    /// let objects = perception::ObjectModel::parse(r#"
    ///     [[object]]
    ///     name = "cup"
    ///     colour = "blue"                  # of a colour class; may be left out
    ///     spacing = 0.005                  # m, of the points of its surface; 5 mm if left out
    ///     symmetry = { round = [0, 0, 1] } # and, for example: turns = [{ axis = [1, 0, 0], fold = 2 }]
    ///
    ///     [[object.part]]                  # a box, cylinder, cup, or points: [[x, y, z, normal x, y, z], …]
    ///     cup = { radius = 0.04, height = 0.1, wall = 0.003 }
    ///     xyz = [0, 0, 0]                  # in the object's frame; may be left out, as rpy_deg
    ///     grip = true                      # hands take it by this part; by any if no part says so
    /// "#, "objects.toml")?;
    /// assert_eq!(objects[0].name(), "cup");
    /// # Ok::<(), perception::PerceptionError>(())
    /// ```
    pub fn parse(text: &str, file_name: &str) -> Result<Vec<ObjectModel>, PerceptionError> {
        Catalogue::parse(text, file_name).map(|catalogue| catalogue.models)
    }

    /// The colour that it names must be in a table.
    pub(crate) fn is_in(&self, table: &ColourTable) -> Result<(), PerceptionError> {
        let Some(name) = self.colour().filter(|name| table.class(name).is_none()) else { return Ok(()) };
        let known: Vec<&str> = table.classes().iter().map(|class| class.name.as_str()).collect();
        let field = format!("object '{}': colour", self.name());
        Err(PerceptionError::value(field, format!("one of {}", known.join(", ")), name))
    }
}

fn object(fields: &mut Fields<'_>, name: String) -> Result<ObjectModel, Fault> {
    let colour = fields.optional_text("colour")?;
    let spacing = fields.number_or("spacing", Range::new(1e-3, 0.2, "m"), 0.005)?;
    let parts = fields.each("part", part)?;
    let grips = parts.iter().enumerate().filter(|(_, (_, is_grip))| *is_grip).map(|(number, _)| number).collect();
    let parts: Vec<Part> = parts.into_iter().map(|(part, _)| part).collect();
    let symmetry = fields.one("symmetry", symmetry)?.unwrap_or_default();
    let made = ObjectModel::new(&name, colour.as_deref(), &parts, spacing, symmetry);
    made.map(|made| made.with_grips(grips)).map_err(|error| fields.refuse(error))
}

/// A part, and whether hands take the object by it.
fn part(fields: &mut Fields<'_>) -> Result<(Part, bool), Fault> {
    let shapes = [
        fields.get("box").map(|value| Ok(Shape::Box(value.vector(LENGTH)?.into()))).transpose()?,
        fields.one("cylinder", cylinder)?,
        fields.one("cup", cup)?,
        fields.get("points").map(|value| points(value.list("a list of points")?)).transpose()?,
    ];
    let mut shapes: Vec<Shape> = shapes.into_iter().flatten().collect();
    let count = shapes.len();
    let (Some(shape), 1) = (shapes.pop(), count) else {
        return Err(fields.error("one of box, cylinder, cup and points", &format!("{count} of them")));
    };
    let at: Vector3<f64> = fields.vector_or("xyz", PLACE, [0.0; 3])?.into();
    let [roll, pitch, yaw] = fields.vector_or("rpy_deg", ANGLE, [0.0; 3])?.map(f64::to_radians);
    let pose = Isometry3::from_parts(at.into(), UnitQuaternion::from_euler_angles(roll, pitch, yaw));
    Ok((Part { shape, pose }, fields.flag_or("grip", false)?))
}

fn cylinder(fields: &mut Fields<'_>) -> Result<Shape, Fault> {
    Ok(Shape::Cylinder { radius: fields.number("radius", LENGTH)?, height: fields.number("height", LENGTH)? })
}

fn cup(fields: &mut Fields<'_>) -> Result<Shape, Fault> {
    let (radius, height) = (fields.number("radius", LENGTH)?, fields.number("height", LENGTH)?);
    let wall = fields.number("wall", LENGTH)?;
    if wall >= radius.min(height) {
        let expected = format!("less than radius and height, {}", radius.min(height));
        return Err(fields.error_at("wall", &expected, &wall.to_string()));
    }
    Ok(Shape::Cup { radius, height, wall })
}

fn points(list: Vec<page::Value<'_>>) -> Result<Shape, Fault> {
    let point = |value: page::Value<'_>| {
        let [x, y, z, across, beside, up] = value.clone().vector(PLACE)?;
        let normal = Vector3::new(across, beside, up).try_normalize(1e-6);
        let normal = normal.ok_or_else(|| value.error("a normal after the point", "one of length 0"))?;
        Ok(SurfacePoint { point: [x, y, z].into(), normal })
    };
    Ok(Shape::Points(list.into_iter().map(point).collect::<Result<_, Fault>>()?))
}

fn symmetry(fields: &mut Fields<'_>) -> Result<Symmetry, Fault> {
    let round = match fields.get("round") {
        Some(value) => Some(direction(value)?),
        None => None,
    };
    let turns = fields.each("turns", |fields| {
        let axis = direction(fields.need("axis", "a list of 3 numbers")?)?;
        Ok((axis, fields.whole("fold", 2..=60)? as u32))
    })?;
    Symmetry::new(round, &turns).map_err(|error| fields.refuse(error))
}

fn direction(value: page::Value<'_>) -> Result<Unit<Vector3<f64>>, Fault> {
    let vector: [f64; 3] = value.clone().vector(DIRECTION)?;
    Unit::try_new(vector.into(), 1e-6).ok_or_else(|| value.error("a direction", "a vector of length 0"))
}
