//! A reader of TOML tables that knows where it is: each mistake is reported with file, line, field, what was expected
//! and what was found, and a field that nobody asked for is a mistake too.

mod by_serde;
mod value;

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Fault, Page, near};

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

    /// The outermost table, or one that was put together from tables of this page.
    pub fn fields(&self, root: &'d Spanned<DeTable<'d>>) -> Fields<'d> {
        Fields { page: *self, path: String::new(), span: root.span(), table: root.get_ref(), asked: Vec::new() }
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

    /// An angle, in degrees in the file, in radians here.
    pub fn angle(&mut self, key: &'static str, range: Range) -> Result<f64, Fault> {
        Ok(self.number(key, range)?.to_radians())
    }

    /// A list of N numbers that must be there.
    pub fn vector<const N: usize>(&mut self, key: &'static str, range: Range) -> Result<[f64; N], Fault> {
        self.need(key, &range.describe(&format!("a list of {N} numbers")))?.vector(range)
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

    /// True or false; may be left out.
    pub fn flag_or(&mut self, key: &'static str, default: bool) -> Result<bool, Fault> {
        self.get(key).map_or(Ok(default), |value| value.flag())
    }

    /// A text that must be there and not be empty.
    pub fn text(&mut self, key: &'static str) -> Result<&'d str, Fault> {
        self.need(key, "a text")?.text()
    }

    /// A text, if the file has it.
    pub fn optional_text(&mut self, key: &'static str) -> Result<Option<String>, Fault> {
        self.get(key).map(|value| value.text().map(str::to_owned)).transpose()
    }

    /// What one of some words stands for; must be there.
    pub fn word<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Result<T, Fault> {
        self.need(key, &describe_words(words))?.word(words)
    }

    /// What one of some words stands for; may be left out.
    pub fn word_or<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)], default: T) -> Result<T, Fault> {
        self.get(key).map_or(Ok(default), |value| value.word(words))
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

    /// The tables of a list, none if the list is left out.
    pub fn tables(&mut self, key: &'static str) -> Result<Vec<Fields<'d>>, Fault> {
        let list = self.get(key).map_or(Ok(Vec::new()), |value| value.list("a list of tables"))?;
        list.into_iter().map(Value::table).collect()
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

    /// What `read` makes of this table; an error if it leaves a field unread.
    pub fn read_by<T>(mut self, read: impl FnOnce(&mut Fields<'d>) -> Result<T, Fault>) -> Result<T, Fault> {
        let what = read(&mut self)?;
        self.finish()?;
        Ok(what)
    }

    /// The fields that nobody has asked for, and their names: all of a table whose names its author chooses.
    pub fn unread(&self) -> Vec<(Spanned<&'d str>, Value<'d>)> {
        let unread = self.table.iter().filter(|(key, _)| !self.asked.contains(&key.get_ref().as_ref()));
        let entry = |(key, value): (&'d Spanned<Cow<'d, str>>, _)| {
            let name = key.get_ref().as_ref();
            (Spanned::new(key.span(), name), Value { page: self.page, field: self.name(name), value })
        };
        unread.map(entry).collect()
    }

    /// To be called last: an error if the table has a key that nobody asked for.
    pub fn finish(&self) -> Result<(), Fault> {
        self.only(&self.asked)
    }

    /// An error if the table has a key that is not `known`.
    pub fn only(&self, known: &[&str]) -> Result<(), Fault> {
        let is_known = |key: &&Spanned<Cow<'_, str>>| known.contains(&key.get_ref().as_ref());
        let Some(key) = self.table.keys().find(|key| !is_known(key)) else { return Ok(()) };
        let found = format!("an unknown field{}", near::hint(key.get_ref(), known.iter().copied()));
        Err(self.page.expected(key, self.name(key.get_ref()), format!("one of {}", known.join(", ")), found))
    }

    /// The same table, called by a name in messages instead of by its place in the file.
    pub fn named(self, path: String) -> Self {
        Fields { path, ..self }
    }

    /// The table as it stands, so that it can be completed from others and read by [`Page::fields`].
    pub fn written(&self) -> Spanned<DeTable<'d>> {
        Spanned::new(self.span.clone(), self.table.clone())
    }

    /// The table as it stands without its field `like`, and what that says: the name of another table, with which it is to be completed by
    /// [`complete`](crate::complete).
    pub fn without_like(&mut self) -> (Spanned<DeTable<'d>>, Option<Value<'d>>) {
        let mut table = self.written();
        table.get_mut().remove("like");
        (table, self.get("like"))
    }

    /// Where this table begins in its file's text.
    pub fn place(&self) -> usize {
        self.span.start
    }

    /// The line in which this table begins, from 1.
    pub fn line(&self) -> usize {
        self.page.line(self.span.start)
    }

    /// An error at this table's own place.
    pub fn error(&self, expected: &str, found: &str) -> Fault {
        self.refuse(format!("expected {expected}, found {found}"))
    }

    /// An error at this table's own place, in words of its own.
    pub fn refuse(&self, told: impl Display) -> Fault {
        let field = if self.path.is_empty() { "(file)" } else { &self.path };
        self.page.fault(self.span.start, format!("{field}: {told}"))
    }

    /// An error at a field, or at what is there of the way to it: `encoder.counts`. It need not have been asked for.
    pub fn error_at(&self, path: &str, expected: &str, found: &str) -> Fault {
        let (mut at, mut table) = (self.span.start, Some(self.table));
        for key in path.split('.') {
            let Some(value) = table.and_then(|table| table.get(key)) else { break };
            (at, table) = (value.span().start, value.get_ref().as_table());
        }
        self.page.expected(at, self.name(path), expected, found)
    }

    /// What is not there; it may be there misspelt.
    fn missing(&self, key: &str, expected: &str) -> Fault {
        let names = self.table.keys().map(|name| name.get_ref().as_ref());
        let unread: Vec<&str> = names.filter(|name| !self.asked.contains(name)).collect();
        match near::misspelt(key, &unread).and_then(|name| self.table.get_key_value(name)) {
            Some((name, _)) => {
                self.page.expected(name, self.name(key), expected, format!("nothing; near it: '{name}'"))
            }
            None => self.page.expected(self.span.start, self.name(key), expected, "nothing"),
        }
    }

    fn name(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// Adds to a table what `template` has beside; tables within are completed, too.
pub fn complete<'d>(table: &mut DeTable<'d>, template: &DeTable<'d>) {
    for (key, value) in template {
        match (table.get_mut(key).map(Spanned::get_mut), value.get_ref()) {
            (None, _) => drop(table.insert(key.clone(), value.clone())),
            (Some(DeValue::Table(own)), DeValue::Table(template)) => complete(own, template),
            _ => {}
        }
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

fn describe_whole<T: Display>(bounds: &RangeInclusive<T>) -> String {
    format!("a whole number from {} to {}", bounds.start(), bounds.end())
}

fn describe_words<T>(words: &[(&str, T)]) -> String {
    let list: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
    format!("one of {}", list.join(", "))
}
