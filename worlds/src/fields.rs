//! A reader of TOML tables that knows where it is: each mistake is reported with file, line, field, what was expected
//! and what was found, and a field that nobody asked for is a mistake too.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::WorldError;
use crate::files::Reader;

/// A world file's name and text.
#[derive(Clone, Copy)]
pub(crate) struct Document<'d> {
    pub(crate) file: &'d str,
    pub(crate) text: &'d str,
}

/// Smallest and largest value of a number, both allowed, and its unit.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) unit: &'static str,
}

/// A table being read.
pub(crate) struct Fields<'d> {
    document: Document<'d>,
    path: String,
    offset: usize,
    table: &'d DeTable<'d>,
    asked: Vec<&'static str>,
}

/// A value and its place.
#[derive(Clone)]
pub(crate) struct Value<'d> {
    document: Document<'d>,
    pub(crate) field: String,
    value: &'d Spanned<DeValue<'d>>,
}

impl<'d> Document<'d> {
    /// Parses the text.
    pub(crate) fn parse(self) -> Result<Spanned<DeTable<'d>>, WorldError> {
        DeTable::parse(self.text).map_err(|error| WorldError::Syntax {
            file: self.file.to_owned(),
            line: self.line(error.span().map_or(0, |span| span.start)),
            message: error.message().replace('\n', ", "),
        })
    }

    /// The outermost table.
    pub(crate) fn fields(self, root: &'d Spanned<DeTable<'d>>) -> Fields<'d> {
        Fields { document: self, path: String::new(), offset: 0, table: root.get_ref(), asked: Vec::new() }
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|&byte| byte == b'\n').count()
    }

    fn error(&self, offset: usize, field: &str, expected: &str, found: &str) -> WorldError {
        WorldError::Field {
            file: self.file.to_owned(),
            line: self.line(offset),
            field: field.to_owned(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        }
    }
}

impl<'d> Fields<'d> {
    /// The value of `key`, if the file has one.
    pub(crate) fn get(&mut self, key: &'static str) -> Option<Value<'d>> {
        self.asked.push(key);
        let value = self.table.get(key)?;
        Some(Value { document: self.document, field: self.name(key), value })
    }

    /// The value of `key`, or an error that says what is missing.
    pub(crate) fn need(&mut self, key: &'static str, expected: &str) -> Result<Value<'d>, WorldError> {
        let (offset, field) = (self.offset, self.name(key));
        self.get(key).ok_or_else(|| self.document.error(offset, &field, expected, "nothing"))
    }

    /// A number that must be there.
    pub(crate) fn number(&mut self, key: &'static str, range: Range) -> Result<f64, WorldError> {
        self.need(key, &range.describe("a number"))?.number(range)
    }

    /// A number that may be left out.
    pub(crate) fn number_or(&mut self, key: &'static str, range: Range, default: f64) -> Result<f64, WorldError> {
        self.get(key).map_or(Ok(default), |value| value.number(range))
    }

    /// An angle, in degrees in the file, in radians here.
    pub(crate) fn angle(&mut self, key: &'static str, range: Range) -> Result<f64, WorldError> {
        Ok(self.number(key, range)?.to_radians())
    }

    /// A list of N numbers that must be there.
    pub(crate) fn vector<const N: usize>(&mut self, key: &'static str, range: Range) -> Result<[f64; N], WorldError> {
        self.need(key, &range.describe(&format!("a list of {N} numbers")))?.vector(range)
    }

    /// A text that must be there and not be empty.
    pub(crate) fn text(&mut self, key: &'static str) -> Result<&'d str, WorldError> {
        self.need(key, "a text")?.text()
    }

    /// The tables of a list, none if the list is left out.
    pub(crate) fn tables(&mut self, key: &'static str) -> Result<Vec<Fields<'d>>, WorldError> {
        let list = self.get(key).map_or(Ok(Vec::new()), |value| value.list("a list of tables"))?;
        list.into_iter().map(Value::table).collect()
    }

    /// An error at this table's own place.
    pub(crate) fn error(&self, expected: &str, found: &str) -> WorldError {
        let field = if self.path.is_empty() { "(file)" } else { &self.path };
        self.document.error(self.offset, field, expected, found)
    }

    /// To be called last: an error if the table has a key that nobody asked for.
    pub(crate) fn finish(self) -> Result<(), WorldError> {
        for key in self.table.keys() {
            let name = key.get_ref().as_ref();
            if !self.asked.contains(&name) {
                let expected = format!("one of {}", self.asked.join(", "));
                let offset = key.span().start;
                return Err(self.document.error(offset, &self.name(name), &expected, "an unknown field"));
            }
        }
        Ok(())
    }

    fn name(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

impl<'d> Value<'d> {
    /// An error at this place.
    pub(crate) fn error(&self, expected: &str, found: &str) -> WorldError {
        self.document.error(self.value.span().start, &self.field, expected, found)
    }

    /// A finite number within the range; whole numbers may be written without a point.
    pub(crate) fn number(&self, range: Range) -> Result<f64, WorldError> {
        let number = match self.value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(_) => self.whole().map(|whole| whole as f64),
            _ => None,
        };
        // NaN is in no range.
        let inside = number.filter(|n| (range.low..=range.high).contains(n));
        inside.ok_or_else(|| self.error(&range.describe("a number"), &self.found()))
    }

    /// A whole number from 0 to `high`.
    pub(crate) fn integer(&self, high: u64) -> Result<u64, WorldError> {
        let inside = self.whole().and_then(|whole| u64::try_from(whole).ok()).filter(|&whole| whole <= high);
        inside.ok_or_else(|| self.error(&format!("a whole number from 0 to {high}"), &self.found()))
    }

    /// True or false.
    pub(crate) fn flag(&self) -> Result<bool, WorldError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.error("true or false", &self.found()))
    }

    /// A text that is not empty.
    pub(crate) fn text(&self) -> Result<&'d str, WorldError> {
        let text = self.value.get_ref().as_str().filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.error("a text that is not empty", &self.found()))
    }

    /// The name of a file of the world, and its bytes.
    pub(crate) fn file(&self, reader: &mut Reader<'_>) -> Result<(&'d str, Vec<u8>), WorldError> {
        let name = self.text()?;
        let bytes = reader.read(name).map_err(|error| match error {
            WorldError::Read { file, reason } => {
                self.error("the name of a file that can be read", &format!("'{file}': {reason}"))
            }
            other => other,
        })?;
        Ok((name, bytes))
    }

    /// A list of N numbers within the range.
    pub(crate) fn vector<const N: usize>(&self, range: Range) -> Result<[f64; N], WorldError> {
        let expected = range.describe(&format!("a list of {N} numbers"));
        let list = self.list(&expected)?;
        if list.len() != N {
            return Err(self.error(&expected, &format!("a list of {}", list.len())));
        }
        let mut vector = [0.0; N];
        for (slot, value) in vector.iter_mut().zip(&list) {
            *slot = value.number(range)?;
        }
        Ok(vector)
    }

    /// The values of a list.
    pub(crate) fn list(&self, expected: &str) -> Result<Vec<Value<'d>>, WorldError> {
        let array = self.value.get_ref().as_array().ok_or_else(|| self.error(expected, &self.found()))?;
        let item = |(index, value)| {
            let field = format!("{}[{index}]", self.field);
            Value { document: self.document, field, value }
        };
        Ok(array.iter().enumerate().map(item).collect())
    }

    /// The fields of a table.
    pub(crate) fn table(self) -> Result<Fields<'d>, WorldError> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.error("a table", &self.found()))?;
        let offset = self.value.span().start;
        Ok(Fields { document: self.document, path: self.field, offset, table, asked: Vec::new() })
    }

    fn whole(&self) -> Option<i64> {
        let integer = self.value.get_ref().as_integer()?;
        i64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    /// What stands in the file, cut short.
    fn found(&self) -> String {
        let written: String = self.document.text.get(self.value.span()).unwrap_or("").chars().take(40).collect();
        let kind = self.value.get_ref().type_str();
        format!("{kind} `{}`", written.replace('\n', " "))
    }
}

impl Range {
    /// A range with its unit.
    pub(crate) const fn new(low: f64, high: f64, unit: &'static str) -> Self {
        Self { low, high, unit }
    }

    fn describe(&self, what: &str) -> String {
        format!("{what} from {} to {} [{}]", self.low, self.high, self.unit)
    }
}

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

/// An error if one of `taken` has the name already.
pub(crate) fn unique_name<'d>(fields: &mut Fields<'d>, taken: &mut Vec<&'d str>) -> Result<String, WorldError> {
    let value = fields.need("name", "a text")?;
    let name = value.text()?;
    if taken.contains(&name) {
        return Err(value.error("a name that is used once", &format!("a second `{name}`")));
    }
    taken.push(name);
    Ok(name.to_owned())
}

/// A colour, red, green and blue from 0 to 1.
pub(crate) fn color(fields: &mut Fields<'_>) -> Result<Option<[f32; 3]>, WorldError> {
    let color = fields.get("color").map(|value| value.vector::<3>(FRACTION)).transpose()?;
    Ok(color.map(|rgb| rgb.map(|channel| channel as f32)))
}
