//! What stands in `#[state(…)]`.

use syn::{Attribute, Error, Ident, LitStr, Member, Path, Result};

/// How a field is shown to a visitor.
#[derive(Clone, Default)]
pub enum Shown {
    /// As its own type's `State` says.
    #[default]
    Whole,
    /// Several numbers to a word.
    Packed,
    /// A list without its length.
    Elements,
    /// One part of it and no more.
    Part(Member),
    /// As a function says.
    With(Path),
    /// Not at all.
    Not,
}

/// How a field is shown, by its attributes.
pub fn of_field(attributes: &[Attribute]) -> Result<Shown> {
    let mut shown = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("state")) {
        attribute.parse_nested_meta(|meta| {
            let found = match meta.path.require_ident()?.to_string().as_str() {
                "fixed" | "scratch" | "output" => Shown::Not,
                "packed" => Shown::Packed,
                "elements" => Shown::Elements,
                "part" => Shown::Part(meta.value()?.parse::<LitStr>()?.parse()?),
                "with" => Shown::With(meta.value()?.parse::<LitStr>()?.parse()?),
                "skip" => {
                    let why: LitStr = meta.value()?.parse()?;
                    if why.value().trim().is_empty() {
                        return Err(Error::new(
                            why.span(),
                            "expected the reason why it is not remembered, found nothing",
                        ));
                    }
                    Shown::Not
                }
                found => {
                    let expected = "fixed, scratch, output, skip = \"why\", packed, elements, part = \"field\" or \
                                    with = \"function\"";
                    return Err(meta.error(format!("expected {expected}, found {found}")));
                }
            };
            match shown.replace(found) {
                None => Ok(()),
                Some(_) => Err(meta.error("expected one word for a field, found several")),
            }
        })?;
    }
    Ok(shown.unwrap_or_default())
}

/// The method that is called after the fields.
pub fn of_type(attributes: &[Attribute]) -> Result<Option<Ident>> {
    let mut then = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("state")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("then") {
                return Err(meta.error("expected then = \"method\""));
            }
            then = Some(meta.value()?.parse::<LitStr>()?.parse()?);
            Ok(())
        })?;
    }
    Ok(then)
}
