//! mission
