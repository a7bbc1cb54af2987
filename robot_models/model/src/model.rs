//! A robot as its files describe it.

use std::path::Path;
use std::sync::Arc;

use page::Page;
use robot_io::{Period, RobotLayout};

use crate::data::{Configuration, Data};
use crate::description::{Base, Description, DescriptionFile, JointSettings};
use crate::geometry::Shape;
use crate::kinematics::forward_kinematics;
use crate::meshes::MeshFinder;
use crate::report::{ImportReport, ReportBuilder};
use crate::tree::Tree;
use crate::{ModelError, Urdf};

/// The control cycle of a robot that no TOML describes.
const BARE_CYCLE: Period = Period::from_milliseconds(4);

/// A robot: what moves, what it weighs, and the files that said so.
#[derive(Clone, Debug)]
pub struct RobotModel {
    /// The robot's name.
    pub name: String,
    /// Links and joints.
    pub tree: Tree,
    /// What a URDF cannot say: actuators, limbs, poses, wheels, sensors. Nearly empty if there is only a URDF.
    pub description: Description,
    /// What was made of each field of the URDF.
    pub report: ImportReport,
    /// The files the model was made from, so that a log can carry them.
    pub sources: Vec<Source>,
    /// The meshes with which its links collide, as far as they were found; their names are those that the URDF gives them.
    pub meshes: Vec<Source>,
}

/// One file of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file's name, without its folder; of a mesh what the URDF calls it.
    pub name: String,
    /// Its content.
    pub bytes: Arc<[u8]>,
}

impl RobotModel {
    /// Reads `NAME.toml` and the URDF that it names, or `FILE.urdf` alone.
    pub fn load(path: &Path) -> Result<RobotModel, ModelError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => {
                let source = Source::read(path)?;
                let file = parse_description(&source)?;
                let same_name = path.with_extension("urdf");
                let urdf = file.urdf()?.map_or(same_name, |urdf| path.with_file_name(urdf));
                let content = Source::read(&urdf).map_err(|error| file.unreadable_urdf(&error))?;
                Ok(RobotModel::describe(&source, &file, content)?.find_meshes(&urdf))
            }
            Some("xacro") => {
                let expected = "a URDF; expand the xacro first (`xacro FILE.xacro > FILE.urdf`, from ROS)";
                Err(ModelError::format(path, expected, "a xacro file"))
            }
            _ => Ok(RobotModel::from_urdf(Source::read(path)?)?.find_meshes(path)),
        }
    }

    /// How it stands in its first pose, or with all joints at zero if it has none.
    pub fn standing(&self) -> Data {
        let mut configuration = Configuration::zero(&self.tree);
        if let Some(pose) = self.description.poses.first() {
            configuration.joints.copy_from_slice(&pose.positions);
        }
        let mut data = Data::new(&self.tree);
        forward_kinematics(&self.tree, &configuration, &mut data);
        data
    }

    /// A robot from the contents of its two files, as a log carries them.
    pub fn from_sources(toml: Source, urdf: Source) -> Result<RobotModel, ModelError> {
        let file = parse_description(&toml)?;
        RobotModel::describe(&toml, &file, urdf)
    }

    /// A robot of which there is only a URDF: its joints are passive and it has no sensors.
    pub fn from_urdf(source: Source) -> Result<RobotModel, ModelError> {
        let Urdf { name, tree, report } = read_urdf(&source)?;
        let description = bare_description(&name, &tree);
        Ok(RobotModel { name, tree, description, report, sources: vec![source], meshes: Vec::new() })
    }

    /// The same robot with meshes, as a log carries them.
    pub fn with_meshes(self, meshes: Vec<Source>) -> RobotModel {
        RobotModel { meshes, ..self }
    }

    /// The mesh that the URDF calls so, if it was found.
    pub fn mesh(&self, uri: &str) -> Option<&Source> {
        self.meshes.iter().find(|mesh| mesh.name == uri)
    }

    /// Reads the meshes with which links collide; those that cannot be read are reported.
    fn find_meshes(mut self, urdf: &Path) -> RobotModel {
        let finder = MeshFinder::new(Some(urdf));
        let mut report = ReportBuilder::from(core::mem::take(&mut self.report));
        for geometry in self.tree.links.iter().flat_map(|link| &link.collisions) {
            let Shape::Mesh { uri, .. } = &geometry.shape else { continue };
            if self.meshes.iter().any(|mesh| mesh.name == *uri) {
                continue;
            }
            match finder.read(uri) {
                Ok(bytes) => self.meshes.push(Source { name: uri.clone(), bytes: bytes.into() }),
                Err(why) => {
                    let remark = format!("{uri}: {why}; a box of the link's inertia stands in");
                    report.approximated("collision/geometry/mesh@filename", &remark, line_of(&self.sources, uri));
                }
            }
        }
        self.report = report.build(&urdf.file_name().unwrap_or_default().to_string_lossy());
        self
    }

    /// The order of joints and sensors at the plug.
    pub fn layout(&self) -> RobotLayout {
        self.description.layout(&self.tree)
    }

    /// The order of joints and sensors at the plug with only those lasers and cameras that are `switched_on`, by name.
    pub fn layout_with(&self, switched_on: &[String]) -> RobotLayout {
        self.description.layout_with(&self.tree, switched_on)
    }

    fn describe(toml: &Source, file: &DescriptionFile<'_>, urdf: Source) -> Result<RobotModel, ModelError> {
        let Urdf { tree, report, .. } = read_urdf(&urdf)?;
        let tree = file.with_frames(tree)?;
        let description = file.resolve(&tree)?;
        let (name, sources) = (description.name.clone(), vec![toml.clone(), urdf]);
        Ok(RobotModel { name, tree, description, report, sources, meshes: Vec::new() })
    }
}

/// The line of the URDF, which is the last of the files, that first speaks of something.
fn line_of(sources: &[Source], word: &str) -> usize {
    let text = sources.last().map(|urdf| String::from_utf8_lossy(&urdf.bytes).into_owned()).unwrap_or_default();
    text.lines().position(|line| line.contains(word)).map_or(0, |line| line + 1)
}

fn parse_description(source: &Source) -> Result<DescriptionFile<'_>, ModelError> {
    let page = Page::of_bytes(&source.name, &source.bytes)?;
    DescriptionFile::parse(page.file, page.text)
}

fn bare_description(name: &str, tree: &Tree) -> Description {
    Description {
        name: name.to_owned(),
        urdf: None,
        cycle_period: BARE_CYCLE,
        // by convention a link of this name is the world itself
        base: if tree.links[0].name == "world" { Base::Fixed } else { Base::Free },
        actuators: Vec::new(),
        joints: vec![JointSettings::default(); tree.dof()],
        limbs: Vec::new(),
        groups: Vec::new(),
        end_effectors: Vec::new(),
        poses: Vec::new(),
        wheels: Vec::new(),
        feet: Vec::new(),
        hands: Vec::new(),
        imus: Vec::new(),
        force_torques: Vec::new(),
        contacts: Vec::new(),
        skin: Vec::new(),
        surfaces: Vec::new(),
        no_contact: Vec::new(),
        batteries: Vec::new(),
        lasers: Vec::new(),
        cameras: Vec::new(),
        depth_cameras: Vec::new(),
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
