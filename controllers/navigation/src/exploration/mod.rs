//! Where to go to see what nobody has seen.

mod settings;

pub use settings::ExplorationSettings;
