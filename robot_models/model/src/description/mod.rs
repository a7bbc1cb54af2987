//! What a URDF cannot say about a robot: `NAME.toml` → [`Description`].
//!
//! Actuators, default servo gains, limbs, named poses, wheels, hands and sensors. Reading goes in two steps, because the file
//! names the URDF that its own names are resolved against:
//!
//! ```
//! # use robot_model::{ModelError, Tree, description::{Description, DescriptionFile}};
//! # fn read(text: &str, load: impl Fn(&str) -> Result<Tree, ModelError>) -> Result<Description, ModelError> {
//! let file = DescriptionFile::parse("centaur.toml", text)?;
//! let tree = load(file.urdf()?.unwrap_or("centaur.urdf"))?;
//! let description = file.resolve(&tree)?;
//! # Ok(description)
//! # }
//! ```

mod actuator;
mod file;
mod foot;
mod frame;
mod hand;
mod names;
mod numbers;
mod sensor;
mod settings;
mod skin;
#[cfg(test)]
mod tests;
mod vision;

use robot_io::{JointLayout, JointLimits, Period, RobotLayout, SensorLayout};

pub use actuator::{ActuatorClass, EncoderAt, Thermal};
pub use file::DescriptionFile;
pub use foot::Foot;
pub use hand::Hand;
pub use sensor::{BatteryMount, ContactMount, ForceTorqueMount, ImuMount, TriadErrors};
pub use settings::{Base, EndEffector, JointGroup, JointSettings, Limb, Pose, Surface, Wheel};
pub use skin::{SKIN, SkinPatch};
pub use vision::{CameraMount, DepthCameraMount, LaserMount, SensorMount};

use crate::Tree;

/// What the robot's TOML says, with every name resolved to an index into the [`Tree`] or into this structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The robot's name.
    pub name: String,
    /// The URDF, relative to the TOML; `None` if the file names none.
    pub urdf: Option<String>,
    /// The control cycle (file: `cycle_period_us`, an integer).
    pub cycle_period: Period,
    /// How the world holds it.
    pub base: Base,
    /// Classes of actuators, in file order.
    pub actuators: Vec<ActuatorClass>,
    /// One per joint of the tree, in its order.
    pub joints: Vec<JointSettings>,
    /// Groups of joints: legs, arms, hands, spine.
    pub limbs: Vec<Limb>,
    /// Joints that are used together (file: `[[group]]`); each limb is one too, and comes first.
    pub groups: Vec<JointGroup>,
    /// Links with which the robot touches the world.
    pub end_effectors: Vec<EndEffector>,
    /// Named joint positions.
    pub poses: Vec<Pose>,
    /// Driven wheels.
    pub wheels: Vec<Wheel>,
    /// What it stands and walks on, if not on wheels.
    pub feet: Vec<Foot>,
    /// What it grasps with.
    pub hands: Vec<Hand>,
    /// Inertial measurement units.
    pub imus: Vec<ImuMount>,
    /// Force/torque sensors.
    pub force_torques: Vec<ForceTorqueMount>,
    /// Contact switches.
    pub contacts: Vec<ContactMount>,
    /// Patches of skin that feel; their readings follow those of the contact switches.
    pub skin: Vec<SkinPatch>,
    /// What links are covered with; of the others nothing is known, and what they touch decides.
    pub surfaces: Vec<Surface>,
    /// Sets of links of which no two touch each other (file: `[[no_contact]]`).
    pub no_contact: Vec<Vec<usize>>,
    /// Batteries.
    pub batteries: Vec<BatteryMount>,
    /// Scanning laser range finders.
    pub lasers: Vec<LaserMount>,
    /// Colour cameras.
    pub cameras: Vec<CameraMount>,
    /// Depth cameras.
    pub depth_cameras: Vec<DepthCameraMount>,
}

impl Description {
    /// The order of joints and sensors at the plug, without skin. Limits are the tighter ones of URDF and actuator.
    pub fn layout(&self, tree: &Tree) -> RobotLayout {
        let frame = |link: usize| tree.links[link].name.clone();
        let sensor = |name: &str, frame: String| SensorLayout { name: name.to_owned(), frame };
        RobotLayout {
            robot: self.name.clone(),
            period: self.cycle_period,
            joints: (0..tree.dof()).map(|joint| self.joint_layout(tree, joint)).collect(),
            imus: self.imus.iter().map(|imu| sensor(&imu.name, frame(imu.link))).collect(),
            force_torques: self.force_torques.iter().map(|mount| sensor(&mount.name, frame(mount.link))).collect(),
            contacts: self.contact_layouts(tree, &[]),
            batteries: self.batteries.iter().map(|battery| sensor(&battery.name, frame(0))).collect(),
            lasers: self.laser_layouts(tree),
            cameras: self.camera_layouts(tree),
            depth_cameras: self.depth_camera_layouts(tree),
            boards: Vec::new(),
        }
    }

    /// The layout with only those of the sensors that look outwards which are `switched_on`, by name, and with the skin if
    /// that is. They cost time, and a robot seldom needs all of them.
    pub fn layout_with(&self, tree: &Tree, switched_on: &[String]) -> RobotLayout {
        let mut layout = self.layout(tree);
        layout.lasers.retain(|laser| switched_on.contains(&laser.name));
        layout.cameras.retain(|camera| switched_on.contains(&camera.name));
        layout.depth_cameras.retain(|camera| switched_on.contains(&camera.name));
        layout.contacts = self.contact_layouts(tree, self.skin_with(switched_on));
        layout
    }

    /// Contact switches, and these patches of skin behind them.
    fn contact_layouts(&self, tree: &Tree, skin: &[SkinPatch]) -> Vec<SensorLayout> {
        let switches = self.contacts.iter().map(|switch| (&switch.name, switch.link));
        let all = switches.chain(skin.iter().map(|patch| (&patch.name, patch.link)));
        all.map(|(name, link)| SensorLayout { name: name.clone(), frame: tree.links[link].name.clone() }).collect()
    }

    /// The actuator that drives a joint; `None` for a passive joint.
    pub fn actuator_of(&self, joint: usize) -> Option<&ActuatorClass> {
        self.joints.get(joint)?.actuator.map(|class| &self.actuators[class])
    }

    /// The class of actuators with this name.
    pub fn actuator(&self, name: &str) -> Option<&ActuatorClass> {
        self.actuators.iter().find(|class| class.name == name)
    }

    /// The pose with this name.
    pub fn pose(&self, name: &str) -> Option<&Pose> {
        self.poses.iter().find(|pose| pose.name == name)
    }

    /// The limb with this name.
    pub fn limb(&self, name: &str) -> Option<&Limb> {
        self.limbs.iter().find(|limb| limb.name == name)
    }

    /// The group of joints with this name.
    pub fn group(&self, name: &str) -> Option<&JointGroup> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// The end effector with this name.
    pub fn end_effector(&self, name: &str) -> Option<&EndEffector> {
        self.end_effectors.iter().find(|effector| effector.name == name)
    }

    /// The wheel with this name.
    pub fn wheel(&self, name: &str) -> Option<&Wheel> {
        self.wheels.iter().find(|wheel| wheel.name == name)
    }

    /// The foot with this name.
    pub fn foot(&self, name: &str) -> Option<&Foot> {
        self.feet.iter().find(|foot| foot.name == name)
    }

    /// The hand with this name.
    pub fn hand(&self, name: &str) -> Option<&Hand> {
        self.hands.iter().find(|hand| hand.name == name)
    }

    /// The wheels of the limb with this index.
    pub fn wheels_of(&self, limb: usize) -> impl Iterator<Item = &Wheel> {
        self.wheels.iter().filter(move |wheel| wheel.limb == limb)
    }

    /// Whether two links are said not to touch each other.
    pub fn keeps_apart(&self, one: usize, two: usize) -> bool {
        self.no_contact.iter().any(|links| links.contains(&one) && links.contains(&two))
    }

    fn joint_layout(&self, tree: &Tree, index: usize) -> JointLayout {
        let joint = &tree.joints[index];
        let JointLimits { lower, upper, velocity, effort } = joint.limits;
        let (velocity, effort) = match self.actuator_of(index) {
            Some(class) => (velocity.min(class.no_load_speed), effort.min(class.peak_effort)),
            None => (velocity, effort),
        };
        let limits = JointLimits { lower, upper, velocity, effort };
        JointLayout { name: joint.name.clone(), kind: joint.kind, limits, latency: 0 }
    }
}
