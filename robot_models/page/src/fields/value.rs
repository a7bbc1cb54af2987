//! A value: what it has to be, and what it is.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use toml::de::DeValue;

use super::{Fields, Range, Value, describe_whole, describe_words};
use crate::{Fault, Place, near};

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
        self.whole_in(bounds, "")
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

    /// A whole number of any type, with its unit; none if that is empty.
    pub fn whole_in<T>(&self, bounds: RangeInclusive<T>, unit: &str) -> Result<T, Fault>
    where
        T: TryFrom<i128> + PartialOrd + Display,
    {
        let whole = self.integer().and_then(|whole| T::try_from(whole).ok());
        let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        let inside = whole.filter(|whole| bounds.contains(whole));
        inside.ok_or_else(|| self.error(&(describe_whole(&bounds) + &unit), &self.found()))
    }

    /// Which of some names it is; `what` they are names of.
    pub fn index(&self, what: &str, names: &[&str]) -> Result<usize, Fault> {
        let text = self.text().map_err(|_| self.error(what, &self.found()))?;
        let unknown = || match near::hint(text, names.iter().copied()) {
            hint if !hint.is_empty() => hint,
            _ if names.is_empty() => "; there is none".to_owned(),
            _ => format!("; there are: {}", names.join(", ")),
        };
        let found = names.iter().position(|name| *name == text);
        found.ok_or_else(|| self.error(what, &(self.found() + &unknown())))
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

impl Place for Value<'_> {
    fn byte(&self) -> usize {
        self.value.byte()
    }
}
