//! From a struct to its `Settings`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Error, Expr, Field, Fields, Ident, Lit, Meta, Result, Token, Type};

/// The implementations for a struct.
pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => &data.fields,
        _ => return Err(Error::new(input.ident.span(), "expected a struct with named fields")),
    };
    let (mut defaults, mut shown) = (Vec::new(), Vec::new());
    for field in fields {
        let (default, show) = expand_field(field)?;
        defaults.push(default);
        shown.push(show);
    }
    let name = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self { #(#defaults),* }
            }
        }

        #[automatically_derived]
        impl ::robot_io::Settings for #name {
            fn visit_settings(&self, visitor: &mut dyn ::robot_io::settings::SettingsVisitor) {
                #(#shown)*
            }
        }
    })
}

/// Its default, and how it is shown.
fn expand_field(field: &Field) -> Result<(TokenStream, TokenStream)> {
    let name = &field.ident;
    let text = name.as_ref().map(Ident::to_string).unwrap_or_default();
    let meaning = documentation(&field.attrs);
    let units = units(&meaning);
    let setting = quote! {
        &::robot_io::settings::Setting { name: #text, units: &[#(#units),*], meaning: #meaning }
    };
    let said = field.attrs.iter().find(|attribute| attribute.path().is_ident("setting"));
    let said = said.map(|attribute| attribute.parse_args::<Said>()).transpose()?;
    let default = match said.as_ref().map(|said| &said.default) {
        Some(default) => quote! { #name: #default },
        None => quote! { #name: ::core::default::Default::default() },
    };
    let show = match said {
        Some(Said { is_group: false, bounds, .. }) if bounds.is_empty() => {
            if is_number(&field.ty) {
                return Err(Error::new(field.ty.span(), "expected bounds after the default, found none"));
            }
            quote! { visitor.setting(#setting, &(), &[]); }
        }
        // a type that has no numbers does not compile here
        Some(Said { is_group: false, bounds, .. }) => {
            quote_spanned! { field.ty.span() => visitor.setting(#setting, &self.#name, &[#(#bounds),*]); }
        }
        _ => quote! {
            visitor.enter(#setting);
            ::robot_io::Settings::visit_settings(&self.#name, visitor);
            visitor.leave();
        },
    };
    Ok((default, show))
}

/// What stands in `#[setting(…)]`.
struct Said {
    default: Expr,
    bounds: Vec<TokenStream>,
    is_group: bool,
}

impl Parse for Said {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut said = Said { default: input.parse()?, bounds: Vec::new(), is_group: false };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            let word: Ident = input.parse()?;
            let value = || input.parse::<Token![=]>().and_then(|_| input.parse::<Expr>());
            let bound = match word.to_string().as_str() {
                "group" => {
                    said.is_group = true;
                    continue;
                }
                "positive" => quote! { Positive },
                "not_negative" => quote! { NotNegative },
                "share" => quote! { Share },
                "power_of_two" => quote! { PowerOfTwo },
                "range" => value().map(|range| quote! { range(#range) })?,
                "up_to" => value().map(|most| quote! { UpTo(#most) })?,
                "below" => value().map(|other| quote! { Below(stringify!(#other), self.#other) })?,
                "above" => value().map(|other| quote! { Above(stringify!(#other), self.#other) })?,
                found => {
                    let expected = "positive, not_negative, share, power_of_two, range = …, up_to = …, below = field, \
                                    above = field or group";
                    return Err(Error::new(word.span(), format!("expected {expected}, found {found}")));
                }
            };
            said.bounds.push(quote! { ::robot_io::settings::Bound::#bound });
        }
        Ok(said)
    }
}

const NUMBERS: [&str; 12] = ["f64", "f32", "usize", "u64", "u32", "u16", "u8", "isize", "i64", "i32", "i16", "i8"];

/// True for a number and for a list of them.
fn is_number(kind: &Type) -> bool {
    match kind {
        Type::Array(list) => is_number(&list.elem),
        Type::Path(path) => NUMBERS.iter().any(|number| path.path.is_ident(number)),
        _ => false,
    }
}

/// A field's documentation, in one line.
fn documentation(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

/// What stands in brackets and is no link.
fn units(meaning: &str) -> Vec<&str> {
    let mut units = Vec::new();
    for (begin, _) in meaning.match_indices('[') {
        if let Some((unit, after)) = meaning[begin + 1..].split_once(']')
            && !unit.contains(['`', '['])
            && !after.starts_with(['(', '['])
        {
            units.push(unit);
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn message(input: DeriveInput) -> String {
        expand(&input).map_or_else(|error| error.to_string(), |_| "expanded".to_owned())
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_was_expected() {
        assert_eq!(message(parse_quote! { struct A { #[setting(1.0, positive)] a: f64, b: B } }), "expanded");
        let bare = message(parse_quote! { struct A { #[setting(1.0)] a: f64 } });
        assert_eq!(bare, "expected bounds after the default, found none");
        let small = message(parse_quote! { struct A { #[setting([1; 2])] a: [i16; 2] } });
        assert_eq!(small, "expected bounds after the default, found none");
        let unknown = message(parse_quote! { struct A { #[setting(1.0, postive)] a: f64 } });
        assert!(
            unknown.starts_with("expected positive, not_negative") && unknown.ends_with("found postive"),
            "{unknown}"
        );
        assert_eq!(message(parse_quote! { struct A(f64); }), "expected a struct with named fields");
        assert_eq!(message(parse_quote! { enum A { B } }), "expected a struct with named fields");
    }

    #[test]
    fn units_are_what_stands_in_brackets_and_is_no_link() {
        assert_eq!(units("Place [m], turn [rad], as [`A`] and [b](c) say."), ["m", "rad"]);
        assert_eq!(units("A share."), Vec::<&str>::new());
    }
}
