//! A reader of TOML tables that knows where it is: each mistake is reported with file, line, field, what was expected
//! and what was found, and a field that nobody asked for is a mistake too.

mod by_serde;

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Fault, Page};

/// Smallest and largest value of a number, both allowed, and its unit.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// The unit, as in `m/s²`; `1` for none.
    pub unit: &'static str,
}

/// A table being read.
#[derive(Debug)]
pub struct Fields<'d> {
    page: Page<'d>,
    path: String,
    span: std::ops::Range<usize>,
    table: &'d DeTable<'d>,
    asked: Vec<&'d str>,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Value<'d> {
    page: Page<'d>,
    /// Its whole name, as in `terrain.layer[2].width`.
    pub field: String,
    value: &'d Spanned<DeValue<'d>>,
}

impl<'d> Page<'d> {
    /// The TOML, read as it stands.
    pub fn parse(&self) -> Result<Spanned<DeTable<'d>>, Fault> {
        DeTable::parse(self.text).map_err(|error| self.not_toml(&error))
    }

    /// The outermost table.
    pub fn fields(&self, root: &'d Spanned<DeTable<'d>>) -> Fields<'d> {
        Fields { page: *self, path: String::new(), span: 0..0, table: root.get_ref(), asked: Vec::new() }
    }
}

impl<'d> Fields<'d> {
    /// The value of `key`, if the file has one.
    pub fn get(&mut self, key: &'static str) -> Option<Value<'d>> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        let value = self.table.get(key)?;
        Some(Value { page: self.page, field: self.name(key), value })
    }

    /// The value of `key`, or an error that says what is missing.
    pub fn need(&mut self, key: &'static str, expected: &str) -> Result<Value<'d>, Fault> {
        self.get(key).ok_or_else(|| self.missing(key, expected))
    }

    /// A number that must be there.
    pub fn number(&mut self, key: &'static str, range: Range) -> Result<f64, Fault> {
        self.need(key, &range.describe("a number"))?.number(range)
    }

    /// A number that may be left out.
    pub fn number_or(&mut self, key: &'static str, range: Range, default: f64) -> Result<f64, Fault> {
        self.get(key).map_or(Ok(default), |value| value.number(range))
    }

    /// A number, if the file has it.
    pub fn optional(&mut self, key: &'static str, range: Range) -> Result<Option<f64>, Fault> {
        self.get(key).map(|value| value.number(range)).transpose()
    }

    /// A whole number that must be there.
    pub fn whole(&mut self, key: &'static str, bounds: RangeInclusive<u64>) -> Result<u64, Fault> {
        self.need(key, &describe_whole(&bounds))?.whole(bounds)
    }

    /// A whole number that may be left out.
    pub fn whole_or(&mut self, key: &'static str, bounds: RangeInclusive<u64>, default: u64) -> Result<u64, Fault> {
        self.get(key).map_or(Ok(default), |value| value.whole(bounds))
    }

    /// True or false; may be left out.
    pub fn flag_or(&mut self, key: &'static str, default: bool) -> Result<bool, Fault> {
        self.get(key).map_or(Ok(default), |value| value.flag())
    }

    /// What one of some words stands for; may be left out.
    pub fn word_or<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)], default: T) -> Result<T, Fault> {
        self.get(key).map_or(Ok(default), |value| value.word(words))
    }

    /// An angle, in degrees in the file, in radians here.
    pub fn angle(&mut self, key: &'static str, range: Range) -> Result<f64, Fault> {
        Ok(self.number(key, range)?.to_radians())
    }

    /// A list of N numbers that must be there.
    pub fn vector<const N: usize>(&mut self, key: &'static str, range: Range) -> Result<[f64; N], Fault> {
        self.need(key, &range.describe(&format!("a list of {N} numbers")))?.vector(range)
    }

    /// A text that must be there and not be empty.
    pub fn text(&mut self, key: &'static str) -> Result<&'d str, Fault> {
        self.need(key, "a text")?.text()
    }

    /// `name`, which must be there; an error if it is among those `taken`.
    pub fn unique_name(&mut self, taken: &mut Vec<&'d str>) -> Result<String, Fault> {
        let value = self.need("name", "a text")?;
        let name = value.text()?;
        if taken.contains(&name) {
            return Err(value.error("a name that is used once", &format!("a second `{name}`")));
        }
        taken.push(name);
        Ok(name.to_owned())
    }

    /// All fields and their names, where the file's author chooses the names.
    pub fn entries(self) -> Vec<(Spanned<&'d str>, Value<'d>)> {
        let entry = |(key, value): (&'d Spanned<Cow<'d, str>>, _)| {
            let name = key.get_ref().as_ref();
            (Spanned::new(key.span(), name), Value { page: self.page, field: self.name(name), value })
        };
        self.table.iter().map(entry).collect()
    }

    /// The tables of a list, none if the list is left out.
    pub fn tables(&mut self, key: &'static str) -> Result<Vec<Fields<'d>>, Fault> {
        let list = self.get(key).map_or(Ok(Vec::new()), |value| value.list("a list of tables"))?;
        list.into_iter().map(Value::table).collect()
    }

    /// Where this table begins in its file's text.
    pub fn place(&self) -> usize {
        self.span.start
    }

    /// An error at this table's own place.
    pub fn error(&self, expected: &str, found: &str) -> Fault {
        self.refuse(format!("expected {expected}, found {found}"))
    }

    /// To be called last: an error if the table has a key that nobody asked for.
    pub fn finish(&self) -> Result<(), Fault> {
        self.only(&self.asked)
    }

    /// What is not there; a name that nobody has asked for and that differs by one letter is most likely it.
    fn missing(&self, key: &str, expected: &str) -> Fault {
        let is_meant = |other: &str| key.len() > 2 && strsim::osa_distance(other, key) == 1;
        let mut unread = self.table.keys().filter(|other| !self.asked.contains(&other.get_ref().as_ref()));
        match unread.find(|other| is_meant(other.get_ref())) {
            Some(other) => self.page.expected(other, self.name(key), expected, format!("`{}`", other.get_ref())),
            None => self.page.expected(self.span.start, self.name(key), expected, "nothing"),
        }
    }

    fn name(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// An error if the table has a key that is not `known`.
    pub fn only(&self, known: &[&str]) -> Result<(), Fault> {
        let is_known = |key: &&Spanned<Cow<'_, str>>| known.contains(&key.get_ref().as_ref());
        let Some(key) = self.table.keys().find(|key| !is_known(key)) else { return Ok(()) };
        let expected = format!("one of {}", known.join(", "));
        Err(self.page.expected(key, self.name(key.get_ref()), expected, "an unknown field"))
    }

    /// What `read` makes of this table; an error if it leaves a field unread.
    pub fn read_by<T>(mut self, read: impl FnOnce(&mut Fields<'d>) -> Result<T, Fault>) -> Result<T, Fault> {
        let what = read(&mut self)?;
        self.finish()?;
        Ok(what)
    }

    /// What `read` makes of each table of a list, none if the list is left out; an error if it leaves a field unread.
    pub fn each<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(&mut Fields<'d>) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        self.tables(key)?.into_iter().map(|table| table.read_by(&mut read)).collect()
    }

    /// The same of tables that have a `name`, each its own.
    pub fn each_named<T>(
        &mut self,
        key: &'static str,
        read: impl FnMut(&mut Fields<'d>, String) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        self.each_named_unlike(&mut Vec::new(), key, read)
    }

    /// The same of tables whose names are none of those `taken` either.
    pub fn each_named_unlike<T>(
        &mut self,
        taken: &mut Vec<&'d str>,
        key: &'static str,
        mut read: impl FnMut(&mut Fields<'d>, String) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        self.each(key, |table| table.unique_name(taken).and_then(|name| read(table, name)))
    }

    /// What `read` makes of a table, if the file has it; an error if it leaves a field unread.
    pub fn one<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Fields<'d>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        self.get(key).map(|value| value.table()?.read_by(read)).transpose()
    }

    /// What one of some words stands for; must be there.
    pub fn word<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Result<T, Fault> {
        self.need(key, &describe_words(words))?.word(words)
    }

    /// A text, if the file has it.
    pub fn optional_text(&mut self, key: &'static str) -> Result<Option<String>, Fault> {
        self.get(key).map(|value| value.text().map(str::to_owned)).transpose()
    }

    /// A list of N numbers that may be left out.
    pub fn vector_or<const N: usize>(
        &mut self,
        key: &'static str,
        range: Range,
        default: [f64; N],
    ) -> Result<[f64; N], Fault> {
        self.get(key).map_or(Ok(default), |value| value.vector(range))
    }

    /// An error at this table's own place, in words of its own.
    pub fn refuse(&self, told: impl Display) -> Fault {
        let field = if self.path.is_empty() { "(file)" } else { &self.path };
        self.page.fault(self.span.start, format!("{field}: {told}"))
    }

    /// The line in which this table begins, from 1.
    pub fn line(&self) -> usize {
        self.page.line(self.span.start)
    }
}

impl<'d> Value<'d> {
    /// An error at this place.
    pub fn error(&self, expected: &str, found: &str) -> Fault {
        self.page.expected(self.value.span().start, &self.field, expected, found)
    }

    /// A finite number within the range; whole numbers may be written without a point.
    pub fn number(&self, range: Range) -> Result<f64, Fault> {
        let number = match self.value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(_) => self.integer().map(|whole| whole as f64),
            _ => None,
        };
        // NaN is in no range.
        let inside = number.filter(|n| (range.low..=range.high).contains(n));
        inside.ok_or_else(|| self.error(&range.describe("a number"), &self.found()))
    }

    /// A whole number.
    pub fn whole(&self, bounds: RangeInclusive<u64>) -> Result<u64, Fault> {
        let whole = self.integer().and_then(|whole| u64::try_from(whole).ok());
        let inside = whole.filter(|whole| bounds.contains(whole));
        inside.ok_or_else(|| self.error(&describe_whole(&bounds), &self.found()))
    }

    /// What the word in the file stands for.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Fault> {
        let found = self.value.get_ref().as_str();
        let word = words.iter().find(|(word, _)| found == Some(word));
        word.map(|(_, what)| *what).ok_or_else(|| self.error(&describe_words(words), &self.found()))
    }

    /// True or false.
    pub fn flag(&self) -> Result<bool, Fault> {
        self.value.get_ref().as_bool().ok_or_else(|| self.error("true or false", &self.found()))
    }

    /// A text that is not empty.
    pub fn text(&self) -> Result<&'d str, Fault> {
        let text = self.value.get_ref().as_str().filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.error("a text that is not empty", &self.found()))
    }

    /// A list of N numbers within the range.
    pub fn vector<const N: usize>(&self, range: Range) -> Result<[f64; N], Fault> {
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
    pub fn list(&self, expected: &str) -> Result<Vec<Value<'d>>, Fault> {
        let array = self.value.get_ref().as_array().ok_or_else(|| self.error(expected, &self.found()))?;
        let item = |(index, value)| {
            let field = format!("{}[{index}]", self.field);
            Value { page: self.page, field, value }
        };
        Ok(array.iter().enumerate().map(item).collect())
    }

    /// The fields of a table.
    pub fn table(self) -> Result<Fields<'d>, Fault> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.error("a table", &self.found()))?;
        Ok(Fields { page: self.page, path: self.field, span: self.value.span(), table, asked: Vec::new() })
    }

    fn integer(&self) -> Option<i128> {
        let integer = self.value.get_ref().as_integer()?;
        i128::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    /// What stands in the file, cut short.
    pub fn found(&self) -> String {
        let written: String = self.page.text.get(self.value.span()).unwrap_or("").chars().take(40).collect();
        let kind = self.value.get_ref().type_str();
        format!("{kind} `{}`", written.replace('\n', " "))
    }

    /// A text, be it empty.
    pub fn any_text(&self) -> Result<&'d str, Fault> {
        self.value.get_ref().as_str().ok_or_else(|| self.error("a text", &self.found()))
    }

    /// The texts of a list.
    pub fn texts(&self) -> Result<Vec<String>, Fault> {
        let list = self.list("a list of texts")?;
        list.iter().map(|text| text.any_text().map(str::to_owned)).collect()
    }

    /// What a text stands for; its type says in words of its own what is wrong with it.
    pub fn parse<T: FromStr<Err: Display>>(&self) -> Result<T, Fault> {
        let told = |error| self.page.fault(self.value, format!("{}: {error}", self.field));
        self.any_text()?.parse().map_err(told)
    }
}

impl Range {
    /// A range with its unit.
    pub const fn new(low: f64, high: f64, unit: &'static str) -> Self {
        Self { low, high, unit }
    }

    fn describe(&self, what: &str) -> String {
        format!("{what} from {} to {} [{}]", self.low, self.high, self.unit)
    }
}

fn describe_words<T>(words: &[(&str, T)]) -> String {
    let list: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
    format!("one of {}", list.join(", "))
}

fn describe_whole(bounds: &RangeInclusive<u64>) -> String {
    format!("a whole number from {} to {}", bounds.start(), bounds.end())
}
