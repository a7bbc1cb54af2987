//! Objects as files.

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use page::{Fault, Fields, Page, Range};

use super::object::{ObjectModel, SurfacePoint};
use super::shapes::{Part, Shape};
use super::symmetry::Symmetry;
use crate::error::PerceptionError;

const LENGTH: Range = Range::new(1e-4, 10.0, "m");
const PLACE: Range = Range::new(-10.0, 10.0, "m");
const ANGLE: Range = Range::new(-360.0, 360.0, "°");
const DIRECTION: Range = Range::new(-1.0, 1.0, "1");

impl ObjectModel {
    /// Reads objects; `file_name` is for the messages.
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
    /// "#, "objects.toml")?;
    /// assert_eq!(objects[0].name(), "cup");
    /// # Ok::<(), perception::PerceptionError>(())
    /// ```
    pub fn parse(text: &str, file_name: &str) -> Result<Vec<ObjectModel>, PerceptionError> {
        let page = Page { file: file_name, text };
        let root = page.parse()?;
        let mut fields = page.fields(&root);
        let objects = fields.each_named("object", object)?;
        if objects.is_empty() {
            return Err(fields.error_at("object", "at least one table", "none").into());
        }
        fields.finish()?;
        Ok(objects)
    }
}

fn object(fields: &mut Fields<'_>, name: String) -> Result<ObjectModel, Fault> {
    let colour = fields.optional_text("colour")?;
    let spacing = fields.number_or("spacing", Range::new(1e-3, 0.2, "m"), 0.005)?;
    let parts = fields.each("part", part)?;
    let symmetry = fields.one("symmetry", symmetry)?.unwrap_or_default();
    let made = ObjectModel::new(&name, colour.as_deref(), &parts, spacing, symmetry);
    made.map_err(|error| fields.refuse(error))
}

fn part(fields: &mut Fields<'_>) -> Result<Part, Fault> {
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
    Ok(Part { shape, pose })
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
