//! Where in the file something stands, and errors that say so.

use std::fmt::Display;
use std::ops::Range;

use serde_spanned::Spanned;

use crate::ModelError;

/// A file's name and its text.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub file: String,
    pub text: String,
}

impl Place {
    /// Refuses what stands at `at`.
    pub fn refuse<T>(
        &self,
        at: &Spanned<T>,
        what: impl Into<String>,
        expected: impl Display,
        found: impl Display,
    ) -> ModelError {
        ModelError::refused(&self.file, self.line(at.span().start), what, expected, found)
    }

    /// Refuses the file for what it lacks.
    pub fn lacks(&self, what: impl Into<String>, expected: impl Display) -> ModelError {
        ModelError::refused(&self.file, self.last_line(), what, expected, "none up to the end of the file")
    }

    /// Puts the parser's error into our words: file, line, field, expected, found.
    pub fn not_toml(&self, error: &toml::de::Error) -> ModelError {
        let span = error.span().unwrap_or(0..0);
        let (expected, found) = split_message(error.message());
        ModelError::refused(&self.file, self.line(span.start), self.field(&span), expected, found)
    }

    fn line(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        1 + self.text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count()
    }

    fn last_line(&self) -> usize {
        self.text.lines().count().max(1)
    }

    /// The field in which `span` begins: `[[wheel]] radius`.
    fn field(&self, span: &Range<usize>) -> String {
        let lines: Vec<&str> = self.text.lines().take(self.line(span.start)).collect();
        let is_header = |line: &&&str| line.trim_start().starts_with('[') && line.trim_end().ends_with(']');
        let header = lines.iter().rev().find(is_header).map_or("", |line| line.trim());
        let here = lines.last().copied().unwrap_or("");
        let key = here.split_once('=').map_or("", |(key, _)| key.trim());
        match (header, key) {
            ("", "") => "the file".to_owned(),
            (header, "") => header.to_owned(),
            ("", key) => key.to_owned(),
            (header, key) => format!("{header} {key}"),
        }
    }
}

/// Serde's and TOML's messages taken apart into what was expected and what was found.
fn split_message(message: &str) -> (String, String) {
    let message = message.lines().collect::<Vec<_>>().join("; ");
    let bare = message.trim_start_matches("invalid type: ").trim_start_matches("invalid value: ");
    if let Some(field) = message.strip_prefix("missing field ") {
        return (format!("the field {field}"), "none".to_owned());
    }
    match bare.split_once(", expected ") {
        Some((found, expected)) => (in_words(expected).to_owned(), found.to_owned()),
        None => ("TOML".to_owned(), message),
    }
}

fn in_words(expected: &str) -> &str {
    match expected {
        "f64" => "a number",
        "i64" => "a whole number",
        "a sequence" => "an array",
        "a map" => "a table",
        other => other,
    }
}
