//! A robot at a table that grasps, lifts and turns a thing.

pub mod bench;
pub mod plan;
pub mod things;
pub mod trial;
