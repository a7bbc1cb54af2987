//! Plans that are changed by hand, joined, and looked at again.

mod change;
mod revalidate;
mod stitch;

pub use revalidate::Revalidated;
pub use stitch::StitchSettings;
