//! `#[derive(State)]`: what a component remembers, said by its fields.
//!
//! Every field is remembered, in the order in which it stands there, unless it says why not:
//!
//! | attribute of a field | meaning |
//! |---|---|
//! | `#[state(fixed)]` | not remembered: known before the first cycle and the same ever after, like settings and models |
//! | `#[state(scratch)]` | not remembered: filled anew before anybody reads it |
//! | `#[state(output)]` | not remembered: for logs and viewers only, never read back |
//! | `#[state(skip = "why")]` | not remembered, for another reason |
//! | `#[state(packed)]` | small numbers, several to a word (`robot_io::Packed`) |
//! | `#[state(elements)]` | a list that never changes its length, or an option that never changes: its elements only |
//! | `#[state(part = "field")]` | one part of it and no more |
//! | `#[state(with = "function")]` | as `function(&mut field, visitor)` says |
//!
//! `#[state(then = "method")]` on a type calls `self.method()` after the fields, to bring in line what follows from them.
//!
//! An enum is the number of its variant, counted from 0, and then that variant's fields. Where a snapshot changes the variant, the
//! fields begin with their defaults. A number that no variant has leaves the value as it is.

mod attributes;
mod fields;
mod state;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `robot_io::State` by the fields; see the crate's documentation.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    state::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
