//! What of a table is left to serde: settings, and the variants of enums.

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::Fields;
use crate::Fault;

impl<'d> Fields<'d> {
    /// All fields that nobody has asked for, as serde reads them.
    pub fn rest<T: Deserialize<'d>>(&mut self) -> Result<T, Fault> {
        let rest = self.take_rest();
        self.read(rest)
    }

    /// What `kind` says, which tells what else stands in this table: one of those that are `known`, if any are.
    pub fn kind(&mut self, known: &[&str]) -> Result<Spanned<String>, Fault> {
        let expected = if known.is_empty() { "a text".to_owned() } else { format!("one of {}", known.join(", ")) };
        let kind = self.need("kind", &expected)?;
        let name = kind.any_text().ok().filter(|name| known.is_empty() || known.contains(name));
        let name = name.ok_or_else(|| kind.error(&expected, &kind.found()))?;
        Ok(Spanned::new(kind.value.span(), name.to_owned()))
    }

    /// All fields that nobody has asked for, as the variant of an enum that `kind` names; its variants have named fields.
    pub fn rest_of<T: Deserialize<'d>>(&mut self, kind: &Spanned<String>) -> Result<T, Fault> {
        let rest = Spanned::new(self.span.clone(), DeValue::Table(self.take_rest()));
        let mut variant = DeTable::new();
        variant.insert(Spanned::new(kind.span(), kind.get_ref().clone().into()), rest);
        self.read(variant)
    }

    fn take_rest(&mut self) -> DeTable<'d> {
        let unread = self.table.iter().filter(|(key, _)| !self.asked.contains(&key.get_ref().as_ref()));
        let rest = unread.map(|(key, value)| (key.clone(), value.clone())).collect();
        self.asked.extend(self.table.keys().map(|key| key.get_ref().as_ref()));
        rest
    }

    fn read<T: Deserialize<'d>>(&self, table: DeTable<'d>) -> Result<T, Fault> {
        let table = Spanned::new(self.span.clone(), DeValue::Table(table));
        T::deserialize(ValueDeserializer::from(table)).map_err(|error| self.page.misread(&error))
    }
}
