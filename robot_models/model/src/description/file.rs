//! The file as a whole: which tables it has, and in which order they are read.

use page::{Fault, Fields, Page};
use robot_io::Period;
use toml::Spanned;
use toml::de::DeTable;

use super::numbers::MICROSECONDS;
use super::{
    ActuatorClass, Base, BatteryMount, CameraMount, ContactMount, DepthCameraMount, Description, EndEffector, Foot,
    ForceTorqueMount, Hand, ImuMount, JointGroup, JointSettings, LaserMount, Limb, Pose, SkinPatch, Surface, Wheel,
    foot, frame, hand, names,
};
use crate::{ModelError, Tree};

/// What may stand in the file. A name that is none of these is refused before others are looked up.
const FIELDS: [&str; 24] = [
    "name",
    "urdf",
    "cycle_period_us",
    "base",
    "actuator",
    "joints",
    "frame",
    "end_effector",
    "limb",
    "group",
    "pose",
    "wheel",
    "foot",
    "hand",
    "imu",
    "force_torque",
    "contact",
    "skin",
    "surface",
    "no_contact",
    "battery",
    "laser",
    "camera",
    "depth_camera",
];

/// A `NAME.toml` whose names have not been looked up in a tree.
#[derive(Clone, Debug)]
pub struct DescriptionFile<'t> {
    page: Page<'t>,
    root: Spanned<DeTable<'t>>,
}

impl<'t> DescriptionFile<'t> {
    /// Reads `text` as TOML; `file` is the name that errors give.
    pub fn parse(file: &'t str, text: &'t str) -> Result<DescriptionFile<'t>, ModelError> {
        let page = Page { file, text };
        let root = page.parse()?;
        page.fields(&root).only(&FIELDS)?;
        Ok(DescriptionFile { page, root })
    }

    /// The URDF that the file names, relative to it.
    pub fn urdf(&self) -> Result<Option<&str>, ModelError> {
        Ok(urdf(&mut self.page.fields(&self.root))?)
    }

    /// The refusal of a file whose URDF cannot be read, at the line that names it.
    pub(crate) fn unreadable_urdf(&self, error: &ModelError) -> ModelError {
        let fault = match self.page.fields(&self.root).get("urdf") {
            Some(named) => named.error("a file that can be read", &error.to_string()),
            None => self.page.lacks("urdf", format!("a file that can be read, for {error}")),
        };
        ModelError::File(fault)
    }

    /// The URDF's tree with the frames that the file adds.
    pub fn with_frames(&self, tree: Tree) -> Result<Tree, ModelError> {
        frame::with_frames(&mut self.page.fields(&self.root), tree)
    }

    /// Reads the whole file, and looks every name up in `tree`, which has its frames.
    pub fn resolve(&self, tree: &Tree) -> Result<Description, ModelError> {
        Ok(self.page.fields(&self.root).read_by(|fields| self.read(fields, tree))?)
    }

    fn read<'d>(&self, fields: &mut Fields<'d>, tree: &Tree) -> Result<Description, Fault>
    where
        't: 'd,
    {
        let name = fields.text("name")?.to_owned();
        let urdf = urdf(fields)?.map(str::to_owned);
        let cycle_period = Period::from_microseconds(fields.whole("cycle_period_us", MICROSECONDS)?);
        let base = fields.word_or("base", &[("free", Base::Free), ("fixed", Base::Fixed)], Base::Free)?;
        let actuators = ActuatorClass::read_all(fields, self.page)?;
        let joints = JointSettings::read_all(fields, tree, &actuators, self.page)?;
        fields.get("frame");
        let end_effectors = fields.each_named("end_effector", |table, name| EndEffector::read(table, name, tree))?;
        // a limb is a group of joints too
        let mut groups = Vec::new();
        let limbs = fields
            .each_named_unlike(&mut groups, "limb", |table, name| Limb::read(table, name, tree, &end_effectors))?;
        let groups = JointGroup::read_all(fields, groups, tree, &limbs)?;
        let force_torques =
            fields.each_named("force_torque", |table, name| ForceTorqueMount::read(table, name, tree))?;
        // what touches is told in one list, switches first
        let mut feelers = Vec::new();
        let contacts =
            fields.each_named_unlike(&mut feelers, "contact", |table, name| ContactMount::read(table, name, tree))?;
        let skin = fields.each_named_unlike(&mut feelers, "skin", |table, name| SkinPatch::read(table, name, tree))?;
        let parts = foot::Parts {
            tree,
            limbs: &limbs,
            end_effectors: &end_effectors,
            force_torques: &force_torques,
            contacts: &contacts,
        };
        let feet = fields.each_named("foot", |table, name| Foot::read(table, name, &parts))?;
        let parts = hand::Parts { tree, limbs: &limbs, end_effectors: &end_effectors, joints: &joints };
        let hands = fields.each_named("hand", |table, name| Hand::read(table, name, &parts))?;
        // sensors that look outwards are switched on by name, whatever their kind
        let mut eyes = Vec::new();
        Ok(Description {
            name,
            urdf,
            cycle_period,
            base,
            poses: Pose::read_all(fields, tree)?,
            wheels: fields.each_named("wheel", |table, name| Wheel::read(table, name, tree, &limbs, &joints))?,
            imus: fields.each_named("imu", |table, name| ImuMount::read(table, name, tree))?,
            surfaces: Surface::read_all(fields, tree)?,
            no_contact: fields.each("no_contact", |table| no_contact(table, tree))?,
            batteries: fields.each_named("battery", BatteryMount::read)?,
            lasers: fields.each_named_unlike(&mut eyes, "laser", |table, name| LaserMount::read(table, name, tree))?,
            cameras: fields
                .each_named_unlike(&mut eyes, "camera", |table, name| CameraMount::read(table, name, tree))?,
            depth_cameras: fields.each_named_unlike(&mut eyes, "depth_camera", |table, name| {
                DepthCameraMount::read(table, name, tree)
            })?,
            feet,
            hands,
            force_torques,
            contacts,
            skin,
            actuators,
            joints,
            limbs,
            groups,
            end_effectors,
        })
    }
}

fn urdf<'d>(fields: &mut Fields<'d>) -> Result<Option<&'d str>, Fault> {
    fields.get("urdf").map(|urdf| urdf.text()).transpose()
}

/// Links of which no two touch each other.
fn no_contact(fields: &mut Fields<'_>, tree: &Tree) -> Result<Vec<usize>, Fault> {
    let list = fields.need("links", "a list of names")?;
    let names = list.list("a list of names")?;
    if names.len() < 2 {
        return Err(list.error("two links or more", &names.len().to_string()));
    }
    names.iter().map(|name| names::link(name, tree)).collect()
}
