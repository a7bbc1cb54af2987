//! The cases, by what they are about.

mod grasp;
mod joints;
mod meeting;
mod moving;
mod sliding;
mod standing;

use crate::Case;

/// All cases, in the order of the book.
pub fn book() -> impl Iterator<Item = &'static Case> {
    [moving::CASES, joints::CASES, meeting::CASES, sliding::CASES, standing::CASES, grasp::CASES].into_iter().flatten()
}

/// How far a number is from what it should be, as a share of that.
fn share(found: f64, right: f64) -> f64 {
    (found / right - 1.0).abs()
}
