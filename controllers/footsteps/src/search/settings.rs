//! How long is searched, and how greedily.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// How long is searched, and how greedily.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// So many feet on the ground are looked ahead from in a search. No clock ends it, so that the same question has the same answer.
    #[setting(1000, range = 1..=10_000_000)]
    pub expansions: usize,
    /// How much more than the cost what is left counts, round by round; then the best way is looked for.
    #[setting([3.0, 2.6, 2.3, 2.0, 1.7, 1.5, 1.3, 1.15], range = 1.0..=100.0)]
    pub inflations: [f64; 8],
    /// About how far places on which feet are set are from each other [m]; so far that both feet at the goal stand on such places.
    #[setting(0.05, range = 0.01..=0.5)]
    pub spacing: f64,
    /// So many headings are told apart.
    #[setting(32, range = 4..=256)]
    pub headings: usize,
    /// Where the middle of a place carries no foot, or not wholly, it is set a little beside it: so many places are looked at along each
    /// side; 1 for the middle alone.
    #[setting(3, range = 1..=9)]
    pub finer: usize,
    /// How often a way is looked for anew whose swing meets something after all.
    #[setting(20, range = 0..=1000)]
    pub swings: usize,
}
