//! A file's text, and the places in it.

use std::fmt::Display;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;

use crate::{Fault, words};

/// A place in a file's text: a byte, or where what was read begins.
pub trait Place {
    /// The byte.
    fn byte(&self) -> usize;
}

impl Place for usize {
    fn byte(&self) -> usize {
        *self
    }
}

impl Place for Range<usize> {
    fn byte(&self) -> usize {
        self.start
    }
}

impl<T> Place for Spanned<T> {
    fn byte(&self) -> usize {
        self.span().start
    }
}

impl<P: Place> Place for &P {
    fn byte(&self) -> usize {
        (*self).byte()
    }
}

/// The name and the text of a file that is read.
#[derive(Clone, Copy, Debug)]
pub struct Page<'t> {
    /// The file, as the user named it.
    pub file: &'t str,
    /// Its text.
    pub text: &'t str,
}

impl<'t> Page<'t> {
    /// The page of a file's bytes, or where they are no text.
    pub fn of_bytes(file: &'t str, bytes: &'t [u8]) -> Result<Page<'t>, Fault> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Page { file, text }),
            Err(error) => {
                let line = line_in(bytes, error.valid_up_to());
                Err(Fault::of_field(file, line, "the file", "UTF-8 text", "bytes that are not UTF-8"))
            }
        }
    }

    /// What the TOML says; fields are checked as serde does it.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        let document = toml::Deserializer::parse(self.text).map_err(|error| self.not_toml(&error))?;
        T::deserialize(document).map_err(|error| self.misread(&error))
    }

    /// A fault at a place of the text.
    pub fn fault(&self, at: impl Place, message: impl Into<String>) -> Fault {
        Fault::new(self.file, self.line(at), message)
    }

    /// What a field at a place of the text was expected to be, and what it is.
    pub fn expected(&self, at: impl Place, field: impl Display, expected: impl Display, found: impl Display) -> Fault {
        Fault::of_field(self.file, self.line(at), field, expected, found)
    }

    /// What the file lacks, up to its last line.
    pub fn lacks(&self, field: impl Display, expected: impl Display) -> Fault {
        self.expected(self.text.trim_end().len(), field, expected, "none up to the end of the file")
    }

    /// The line of a place, from 1.
    pub fn line(&self, at: impl Place) -> usize {
        line_in(self.text.as_bytes(), at.byte())
    }

    /// The parser's complaint about what is no TOML.
    pub fn not_toml(&self, error: &toml::de::Error) -> Fault {
        let at = error.span().map_or(0, |span| span.start);
        self.fault(at, format!("not valid TOML: {}", words::in_one_line(error.message())))
    }

    /// What serde says of TOML that it cannot read, in our words.
    pub fn misread(&self, error: &toml::de::Error) -> Fault {
        let span = error.span().unwrap_or(0..0);
        self.fault(span.start, format!("{}: {}", self.field(&span), words::of(error.message())))
    }

    /// The field in which a span begins: `[[wheel]] radius`.
    fn field(&self, span: &Range<usize>) -> String {
        let before = self.text.get(..span.start).unwrap_or_default();
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let here = self.text[begin..].lines().next().unwrap_or_default().trim();
        let bare = |line| str::trim(line).split('#').next().unwrap_or_default().trim_end();
        let is_header = |line: &&str| line.starts_with('[') && line.ends_with(']');
        let mut headers = before.lines().chain([here]).map(bare).filter(is_header);
        let header = headers.next_back().unwrap_or_default();
        // the key whose value begins here, as in a table within a line; else the line's own
        let key = before.trim_end().strip_suffix('=').or_else(|| here.split_once('=').map(|(key, _)| key));
        let key = key.map_or("", last_word);
        match (header, key) {
            ("", "") => "the file".to_owned(),
            (header, "") => header.to_owned(),
            ("", key) => key.to_owned(),
            (header, key) => format!("{header} {key}"),
        }
    }
}

/// The line of a byte, from 1.
fn line_in(text: &[u8], at: usize) -> usize {
    1 + text.iter().take(at).filter(|byte| **byte == b'\n').count()
}

/// The key at the end of a text.
fn last_word(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let text = text.trim_end();
    let word = text.trim_end_matches(is_part);
    &text[word.len()..]
}
