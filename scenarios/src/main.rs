//! chiron
fn main() {}
