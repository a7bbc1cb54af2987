//! From a type to its `State`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataEnum, DeriveInput, Error, Fields, Result, parse_quote};

use crate::attributes::of_type;
use crate::fields::{Field, all};

/// The implementation for a type.
pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let (body, fields) = match &input.data {
        Data::Struct(data) => of_struct(&data.fields)?,
        Data::Enum(data) => of_enum(data)?,
        Data::Union(data) => {
            return Err(Error::new(data.union_token.span, "expected a struct or an enum, found a union"));
        }
    };
    let then = of_type(&input.attrs)?.map(|method| quote! { self.#method(); });
    let name = &input.ident;
    let mut generics = input.generics.clone();
    let bounded = fields.iter().filter(|field| field.needs_bound(&input.generics)).map(|field| &field.kind);
    let bounds: Vec<syn::WherePredicate> = bounded.map(|kind| parse_quote! { #kind: ::robot_io::State }).collect();
    if !bounds.is_empty() {
        generics.make_where_clause().predicates.extend(bounds);
    }
    let (parameters, arguments, condition) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #parameters ::robot_io::State for #name #arguments #condition {
            fn visit_state(&mut self, visitor: &mut dyn ::robot_io::StateVisitor) {
                let _ = &visitor;
                #body
                #then
            }
        }
    })
}

fn of_struct(fields: &Fields) -> Result<(TokenStream, Vec<Field>)> {
    let fields = all(fields)?;
    let body = fields.iter().map(|field| field.show(&quote! { &mut self.#field })).collect();
    Ok((body, fields))
}

/// The variant's number, then its fields.
fn of_enum(data: &DataEnum) -> Result<(TokenStream, Vec<Field>)> {
    let (mut numbers, mut fresh, mut shown, mut fields) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, variant) in (0_u64..).zip(&data.variants) {
        let name = &variant.ident;
        let own = all(&variant.fields)?;
        numbers.push(quote! { Self::#name { .. } => #number });
        let defaults = own.iter().map(|field| quote! { #field: ::core::default::Default::default() });
        fresh.push(quote! { #number => *self = Self::#name { #(#defaults),* } });
        let bound = own.iter().map(|field| {
            let binding = &field.binding;
            quote! { #field: #binding }
        });
        let shows = own.iter().map(|field| {
            let binding = &field.binding;
            let show = field.show(&quote! { #binding });
            quote! { let _ = &#binding; #show }
        });
        shown.push(quote! { Self::#name { #(#bound),* } => { #(#shows)* } });
        fields.extend(own);
    }
    let body = quote! {
        let before: u64 = match self { #(#numbers),* };
        let mut variant = before;
        visitor.word(&mut variant);
        if variant != before {
            match variant { #(#fresh,)* _ => {} }
        }
        match self { #(#shown)* }
    };
    Ok((body, fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_and_a_function_take_the_place_of_the_whole() {
        let input = parse_quote! {
            struct A<T> {
                #[state(part = "coords")] a: Point,
                #[state(part = "0")] b: Status<T>,
                #[state(with = "body::visit")] c: T,
            }
        };
        let expanded = expand(&input).map(|tokens| tokens.to_string()).unwrap_or_default();
        for shown in [
            quote! { visitor.field("a", &mut (&mut self.a).coords); },
            quote! { visitor.field("b", &mut (&mut self.b).0); },
            quote! { visitor.enter("c"); body::visit(&mut self.c, visitor); visitor.leave(); },
        ] {
            assert!(expanded.contains(&shown.to_string()), "{shown} is not in {expanded}");
        }
        assert!(!expanded.contains("where"), "neither asks for a `State`: {expanded}");
    }

    fn message(input: DeriveInput) -> String {
        expand(&input).map_or_else(|error| error.to_string(), |_| "expanded".to_owned())
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_was_expected() {
        assert_eq!(
            message(parse_quote! { struct A { #[state(fxied)] a: u64 } }),
            "expected fixed, scratch, output, skip = \"why\", packed, elements, part = \"field\" or with = \
             \"function\", found fxied"
        );
        assert_eq!(
            message(parse_quote! { struct A { #[state(skip = " ")] a: u64 } }),
            "expected the reason why it is not remembered, found nothing"
        );
        assert_eq!(
            message(parse_quote! { struct A { #[state(fixed)] #[state(packed)] a: u64 } }),
            "expected one word for a field, found several"
        );
        assert_eq!(message(parse_quote! { union A { a: u64, b: f64 } }), "expected a struct or an enum, found a union");
        assert_eq!(message(parse_quote! { #[state(after = "f")] struct A; }), "expected then = \"method\"");
        assert_eq!(message(parse_quote! { struct A { #[state(part)] a: u64 } }), "expected `=`");
        assert_eq!(message(parse_quote! { struct A<T> { a: Vec<T>, #[state(fixed)] b: f64 } }), "expanded");
    }
}
