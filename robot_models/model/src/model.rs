//! A robot as its files describe it.

use std::path::Path;
use std::sync::Arc;

use crate::report::{ImportReport, ReportBuilder};
use crate::tree::Tree;
use crate::{ModelError, Urdf};

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

impl RobotModel {
    /// Reads `FILE.urdf`.
    pub fn load(path: &Path) -> Result<RobotModel, ModelError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("xacro") => {
                let expected = "a URDF; expand the xacro first (`xacro FILE.xacro > FILE.urdf`, from ROS)";
                Err(ModelError::format(path, expected, "a xacro file"))
            }
            _ => RobotModel::from_urdf(Source::read(path)?),
        }
    }

    /// A robot of which there is only a URDF.
    pub fn from_urdf(source: Source) -> Result<RobotModel, ModelError> {
        let urdf = read_urdf(&source)?;
        Ok(RobotModel { name: urdf.name, tree: urdf.tree, report: urdf.report, sources: vec![source] })
    }
}

impl Source {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Source, ModelError> {
        let bytes = std::fs::read(path).map_err(|source| ModelError::Read { path: path.into(), source })?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Source { name, bytes: bytes.into() })
    }
}

/// Reads a URDF's bytes. Bytes that are not UTF-8 stand in comments and author names; they are replaced and reported.
fn read_urdf(source: &Source) -> Result<Urdf, ModelError> {
    let text = String::from_utf8_lossy(&source.bytes);
    let mut urdf = Urdf::read(&source.name, text.trim_start_matches('\u{feff}'))?;
    if let Err(error) = std::str::from_utf8(&source.bytes) {
        let line = 1 + source.bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        let mut builder = ReportBuilder::from(urdf.report);
        builder.approximated("text", "bytes that are not UTF-8: replaced", line);
        urdf.report = builder.build(&source.name);
    }
    Ok(urdf)
}
