//! A TOML table that knows where each of its fields stands.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use page::{Fault, Page};
use toml::Spanned;
use toml::Value;
use toml::de::{DeTable, DeValue};

use super::names;

/// A table and the byte offset at which it begins.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub at: usize,
    pub fields: BTreeMap<String, Field>,
}

/// A field: where its name stands, and what it holds.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub at: usize,
    pub content: Content,
}

/// Tables keep their places, everything else is a value.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Value(Value),
    Table(Table),
    Tables(Vec<Table>),
}

impl Table {
    /// Reads a whole file.
    pub fn parse(page: &Page) -> Result<Table, Fault> {
        let root = page.parse()?;
        Table::read(page, 0, root.get_ref())
    }

    fn read(page: &Page, at: usize, table: &DeTable) -> Result<Table, Fault> {
        let field = |(key, value): (&Spanned<_>, &Spanned<DeValue>)| {
            let name: &std::borrow::Cow<str> = key.get_ref();
            Ok((name.to_string(), Field { at: key.span().start, content: content(page, value)? }))
        };
        Ok(Table { at, fields: table.iter().map(field).collect::<Result<_, Fault>>()? })
    }

    /// This table with what `template` has beside; tables within are merged, too.
    pub fn or(mut self, template: &Table) -> Table {
        for (name, field) in &template.fields {
            match self.fields.remove(name) {
                None => {
                    self.fields.insert(name.clone(), field.clone());
                }
                Some(own) => {
                    self.fields.insert(name.clone(), own.or(field));
                }
            }
        }
        self
    }

    /// Where a field stands, else where the table begins.
    pub fn place(&self, name: &str) -> usize {
        self.fields.get(name).map_or(self.at, |field| field.at)
    }

    /// Takes a field out.
    pub fn take(&mut self, name: &str) -> Option<Field> {
        self.fields.remove(name)
    }

    /// Takes a text out; it may not be empty.
    pub fn text(&mut self, page: &Page, name: &str) -> Result<Option<String>, Fault> {
        let Some(field) = self.take(name) else { return Ok(None) };
        match field.content {
            Content::Value(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text)),
            other => Err(page.fault(field.at, format!("{name}: expected a text, found {}", other.describe()))),
        }
    }

    /// Takes true or false out.
    pub fn flag(&mut self, page: &Page, name: &str) -> Result<Option<bool>, Fault> {
        let Some(field) = self.take(name) else { return Ok(None) };
        match field.content {
            Content::Value(Value::Boolean(flag)) => Ok(Some(flag)),
            other => Err(page.fault(field.at, format!("{name}: expected true or false, found {}", other.describe()))),
        }
    }

    /// Takes a whole number out.
    pub fn whole(
        &mut self,
        page: &Page,
        name: &str,
        range: RangeInclusive<u64>,
        unit: &str,
    ) -> Result<Option<u64>, Fault> {
        let Some(field) = self.take(name) else { return Ok(None) };
        let number = match &field.content {
            Content::Value(Value::Integer(number)) => u64::try_from(*number).ok(),
            _ => None,
        };
        number.filter(|number| range.contains(number)).map(Some).ok_or_else(|| {
            let expected = format!("a whole number from {} to {}{unit}", range.start(), range.end());
            page.fault(field.at, format!("{name}: expected {expected}, found {}", field.content.describe()))
        })
    }

    /// Takes a number out.
    pub fn number(
        &mut self,
        page: &Page,
        name: &str,
        range: RangeInclusive<f64>,
        unit: &str,
    ) -> Result<Option<f64>, Fault> {
        let Some(field) = self.take(name) else { return Ok(None) };
        let number = match &field.content {
            Content::Value(Value::Integer(number)) => Some(*number as f64),
            Content::Value(Value::Float(number)) => Some(*number),
            _ => None,
        };
        number.filter(|number| range.contains(number)).map(Some).ok_or_else(|| {
            let expected = format!("a number from {} to {}{unit}", range.start(), range.end());
            page.fault(field.at, format!("{name}: expected {expected}, found {}", field.content.describe()))
        })
    }

    /// Takes a table out; an absent one is empty.
    pub fn table(&mut self, page: &Page, name: &str) -> Result<Table, Fault> {
        match self.take(name) {
            None => Ok(Table { at: self.at, fields: BTreeMap::new() }),
            Some(Field { content: Content::Table(table), .. }) => Ok(table),
            Some(Field { at, content }) => {
                Err(page.fault(at, format!("{name}: expected a table, found {}", content.describe())))
            }
        }
    }

    /// Refuses what nobody has taken.
    pub fn finish(self, page: &Page, what: &str, known: &[&str]) -> Result<(), Fault> {
        let Some((name, field)) = self.fields.first_key_value() else { return Ok(()) };
        let hint = names::hint(name, known.iter().copied());
        let expected =
            if hint.is_empty() { format!("; there are: {}", names::list(known.iter().copied())) } else { hint };
        Err(page.fault(field.at, format!("{what}: no such field '{name}'{expected}")))
    }

    /// The table without its places.
    pub fn into_toml(self) -> toml::Table {
        self.fields.into_iter().map(|(name, field)| (name, field.content.into_toml())).collect()
    }

    /// The names of all fields and where they stand, those of tables within included.
    pub fn places(&self) -> Vec<(String, usize)> {
        let mut places = Vec::new();
        for (name, field) in &self.fields {
            places.push((name.clone(), field.at));
            match &field.content {
                Content::Value(_) => {}
                Content::Table(table) => places.extend(table.places()),
                Content::Tables(tables) => tables.iter().for_each(|table| places.extend(table.places())),
            }
        }
        places
    }
}

impl Field {
    fn or(self, template: &Field) -> Field {
        match (self.content, &template.content) {
            (Content::Table(own), Content::Table(template)) => {
                Field { at: self.at, content: Content::Table(own.or(template)) }
            }
            (content, _) => Field { at: self.at, content },
        }
    }
}

impl Content {
    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match self {
            Content::Value(Value::String(text)) => format!("the text \"{text}\""),
            Content::Value(Value::Array(_)) => "an array".to_owned(),
            Content::Value(value) => value.to_string(),
            Content::Table(_) => "a table".to_owned(),
            Content::Tables(_) => "tables".to_owned(),
        }
    }

    fn into_toml(self) -> Value {
        match self {
            Content::Value(value) => value,
            Content::Table(table) => Value::Table(table.into_toml()),
            Content::Tables(tables) => Value::Array(tables.into_iter().map(|t| Value::Table(t.into_toml())).collect()),
        }
    }
}

fn content(page: &Page, value: &Spanned<DeValue>) -> Result<Content, Fault> {
    let at = value.span().start;
    match value.get_ref() {
        DeValue::Table(table) => Ok(Content::Table(Table::read(page, at, table)?)),
        DeValue::Array(array) => {
            let contents = array.iter().map(|value| content(page, value)).collect::<Result<Vec<_>, _>>()?;
            let all_tables = !contents.is_empty() && contents.iter().all(|one| matches!(one, Content::Table(_)));
            if all_tables {
                let tables = contents.into_iter().filter_map(|one| match one {
                    Content::Table(table) => Some(table),
                    _ => None,
                });
                return Ok(Content::Tables(tables.collect()));
            }
            Ok(Content::Value(Value::Array(contents.into_iter().map(Content::into_toml).collect())))
        }
        scalar => Ok(Content::Value(plain(page, at, scalar)?)),
    }
}

fn plain(page: &Page, at: usize, value: &DeValue) -> Result<Value, Fault> {
    let too_large = |text: &str| page.fault(at, format!("expected a number of 64 bits, found {text}"));
    match value {
        DeValue::String(text) => Ok(Value::String(text.to_string())),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            parsed.map(Value::Integer).map_err(|_| too_large(number.as_str()))
        }
        DeValue::Float(number) => number.as_str().parse().map(Value::Float).map_err(|_| too_large(number.as_str())),
        DeValue::Boolean(flag) => Ok(Value::Boolean(*flag)),
        DeValue::Datetime(date) => Ok(Value::Datetime(*date)),
        DeValue::Array(_) | DeValue::Table(_) => Err(page.fault(at, "expected a value")),
    }
}
