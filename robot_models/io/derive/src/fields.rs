//! The fields of a struct or of a variant.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Fields, Generics, Ident, LitStr, Member, Result, Type, visit};

use crate::attributes::{Shown, of_field};

/// A field, and how it is shown.
pub struct Field {
    /// Its name or number.
    pub member: Member,
    /// Its name for the reader of a difference.
    name: LitStr,
    /// The variable that it is bound to in a pattern.
    pub binding: Ident,
    pub shown: Shown,
    pub kind: Type,
}

/// All fields, in their order.
pub fn all(fields: &Fields) -> Result<Vec<Field>> {
    let field = |(member, field): (Member, &syn::Field)| {
        let name = match &member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        Ok(Field {
            binding: format_ident!("field_{name}"),
            name: LitStr::new(&name, Span::call_site()),
            shown: of_field(&field.attrs)?,
            kind: field.ty.clone(),
            member,
        })
    };
    fields.members().zip(fields).map(field).collect()
}

impl Field {
    /// Shows the field, to which `place` is a mutable reference.
    pub fn show(&self, place: &TokenStream) -> TokenStream {
        let name = &self.name;
        match &self.shown {
            Shown::Not => TokenStream::new(),
            Shown::Whole => quote! { visitor.field(#name, #place); },
            Shown::Packed => quote! { visitor.field(#name, &mut ::robot_io::Packed(#place)); },
            Shown::Elements => quote! { visitor.field(#name, (#place).as_mut_slice()); },
            Shown::Part(part) => quote! { visitor.field(#name, &mut (#place).#part); },
            Shown::With(function) => quote! {
                visitor.enter(#name);
                #function(#place, visitor);
                visitor.leave();
            },
        }
    }

    /// True if its type is to be a `State` for the whole to be one: it is shown, and depends on a parameter.
    pub fn needs_bound(&self, generics: &Generics) -> bool {
        struct Finder<'a> {
            generics: &'a Generics,
            found: bool,
        }
        impl<'ast> visit::Visit<'ast> for Finder<'_> {
            fn visit_ident(&mut self, ident: &'ast Ident) {
                self.found |= self.generics.type_params().any(|parameter| parameter.ident == *ident);
            }
        }
        let mut finder = Finder { generics, found: false };
        visit::visit_type(&mut finder, &self.kind);
        matches!(self.shown, Shown::Whole) && finder.found
    }
}

impl ToTokens for Field {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.member.to_tokens(tokens);
    }
}
