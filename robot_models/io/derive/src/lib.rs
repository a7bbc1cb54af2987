//! `#[derive(State)]`: what a component remembers, and `#[derive(Settings)]`: what it can be set to; both said by the fields.
//!
//! # `State`
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
//!
//! # `Settings`
//!
//! Every field is a setting, with `#[setting(DEFAULT, BOUNDS…)]`, or without it a group of settings with its own default. A number
//! has bounds, all of which it keeps to; a word or a switch has none.
//!
//! | word in `#[setting(…)]` | meaning |
//! |---|---|
//! | the first | the default, an expression |
//! | `positive`, `not_negative`, `share` | more than 0; 0 or more; 0 to 1 |
//! | `range = 1..=64` | both ends belong to it; they may be computed from `self` |
//! | `up_to = 60.0` | no more than this |
//! | `power_of_two` | 1, 2, 4, 8, … |
//! | `below = other`, `above = other` | less or more than another field |
//! | `group` | not a number but a group, with another default than its own |
//!
//! A setting's unit is what stands in brackets in its documentation, `[m/s]`; a list's numbers may have several. Brackets with a link in
//! them are none.

mod attributes;
mod fields;
mod settings;
mod state;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `robot_io::State` by the fields; see the crate's documentation.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    state::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Implements `Default` and `robot_io::Settings` by the fields; see the crate's documentation.
#[proc_macro_derive(Settings, attributes(setting))]
pub fn derive_settings(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    settings::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
