//! Finding one's place without knowing it well: on a prior height map at the start, on the whole map after having been lost.

mod align;
mod relief;
mod search;

pub use align::{AlignSettings, Alignment, align_to_prior};
pub use relief::{Relief, levelled};
pub use search::{Candidate, SearchSettings, search};
