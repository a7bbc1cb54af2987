//! Classes as files.

use page::{Fault, Fields, Page, Range};

use super::classes::{ColourClass, ColourTable, MOST_CLASSES};
use super::ellipse::Ellipse;
use crate::error::PerceptionError;

const COLOUR: Range = Range::new(0.0, 255.0, "1");
const HALF_AXIS: Range = Range::new(0.5, 255.0, "1");
const DEGREES: Range = Range::new(-360.0, 360.0, "°");
const SHARE: Range = Range::new(0.0, 1.0, "1");
const LENGTH: Range = Range::new(0.0, 100.0, "m");

impl ColourTable {
    /// Reads classes; `file_name` is for the messages.
    ///
    /// ```
    /// let table = perception::ColourTable::parse(r#"
    ///     [[class]]
    ///     name = "cup"
    ///     luma = [20, 240]          # darkest and brightest Y
    ///     least_pixels = 20         # 12 if left out
    ///     foot_to_middle = 0.04     # m
    ///     width = [0.04, 0.2]       # m, of the object; any if left out
    ///
    ///     [[class.ellipse]]
    ///     centre = [190, 100]       # U and V
    ///     half_axes = [40, 14]
    ///     angle_deg = 150           # from U to the first axis, towards V
    /// "#, "colours.toml")?;
    /// assert_eq!(table.class("cup"), Some(0));
    /// # Ok::<(), perception::PerceptionError>(())
    /// ```
    pub fn parse(text: &str, file_name: &str) -> Result<ColourTable, PerceptionError> {
        let page = Page { file: file_name, text };
        let root = page.parse()?;
        let mut fields = page.fields(&root);
        let table = read_classes(&mut fields)?;
        let table = table.ok_or_else(|| fields.error_at("class", &format!("1 to {MOST_CLASSES} tables"), "0"))?;
        fields.finish()?;
        Ok(table)
    }

    /// The classes as a file that [`parse`](Self::parse) reads, for what was [trained](ColourClass::train).
    pub fn to_toml(&self) -> String {
        self.classes().iter().map(written).collect()
    }
}

/// The classes of a file; `None` if it has none.
pub(crate) fn read_classes(fields: &mut Fields<'_>) -> Result<Option<ColourTable>, Fault> {
    let classes = fields.each_named("class", class)?;
    if classes.len() > MOST_CLASSES {
        let expected = format!("1 to {MOST_CLASSES} tables");
        return Err(fields.error_at("class", &expected, &classes.len().to_string()));
    }
    Ok((!classes.is_empty()).then(|| ColourTable::new(classes)))
}

fn class(fields: &mut Fields<'_>, name: String) -> Result<ColourClass, Fault> {
    let luma: [f64; 2] = fields.vector_or("luma", COLOUR, [0.0, 255.0])?;
    if luma[0] > luma[1] {
        return Err(fields.error_at(
            "luma",
            "the darkest before the brightest",
            &format!("{} and {}", luma[0], luma[1]),
        ));
    }
    let width: [f64; 2] = fields.vector_or("width", LENGTH, [0.0, LENGTH.high])?;
    if width[0] > width[1] {
        let found = format!("{} and {}", width[0], width[1]);
        return Err(fields.error_at("width", "the smallest before the largest", &found));
    }
    let ellipses = fields.each("ellipse", ellipse)?;
    if ellipses.is_empty() {
        return Err(fields.error_at("ellipse", "at least one table", "none"));
    }
    Ok(ColourClass {
        luma: luma.map(|level| level as u8),
        least_pixels: fields.whole_or("least_pixels", 1..=10_000_000, 12)? as usize,
        least_fill: fields.number_or("least_fill", SHARE, 0.3)?,
        most_aspect: fields.number_or("most_aspect", Range::new(1.0, 1e3, "1"), 6.0)?,
        foot_to_middle: fields.number_or("foot_to_middle", LENGTH, 0.0)?,
        width: if width[1] >= LENGTH.high { [width[0], f64::INFINITY] } else { width },
        ..ColourClass::new(&name, ellipses, [0, 255])
    })
}

fn ellipse(fields: &mut Fields<'_>) -> Result<Ellipse, Fault> {
    Ok(Ellipse {
        centre: fields.vector("centre", COLOUR)?,
        half_axes: fields.vector("half_axes", HALF_AXIS)?,
        angle: fields.number_or("angle_deg", DEGREES, 0.0)?.to_radians(),
    })
}

fn written(class: &ColourClass) -> String {
    let ColourClass { name, luma, least_pixels, least_fill, most_aspect, foot_to_middle, width, ellipses } = class;
    let mut text = format!(
        "[[class]]\nname = {name:?}\nluma = [{}, {}]\nleast_pixels = {least_pixels}\nleast_fill = {least_fill:?}\n\
         most_aspect = {most_aspect:?}\nfoot_to_middle = {foot_to_middle:?}\nwidth = [{:?}, {:?}]\n",
        luma[0],
        luma[1],
        width[0],
        width[1].min(LENGTH.high)
    );
    for Ellipse { centre, half_axes, angle } in ellipses {
        let degrees = angle.to_degrees();
        text +=
            &format!("[[class.ellipse]]\ncentre = {centre:?}\nhalf_axes = {half_axes:?}\nangle_deg = {degrees:?}\n");
    }
    text
}
