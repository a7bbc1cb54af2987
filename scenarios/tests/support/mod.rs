//! What tests of this crate share.

pub mod mutator;
