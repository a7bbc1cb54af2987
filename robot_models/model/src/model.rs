//! A robot as its files describe it.

use std::path::Path;
use std::sync::Arc;

use crate::report::ImportReport;
use crate::tree::Tree;
use crate::{ModelError, urdf};

/// A robot: what moves, what it weighs, and the files that said so.
#[derive(Clone, Debug)]
pub struct RobotModel {
    /// The robot's name.
    pub name: String,
    /// Links and joints.
    pub tree: Tree,
    /// What was made of each field of the URDF.
    pub report: ImportReport,
    /// The files the model was made from, so that a log can carry them.
    pub sources: Vec<Source>,
}

/// One file of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file's name, without its folder.
    pub name: String,
    /// Its content.
    pub bytes: Arc<[u8]>,
}
