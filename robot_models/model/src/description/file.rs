//! The TOML as it stands in the file: fields, types and ranges, names not yet looked up.

use std::collections::BTreeMap;

use page::Page;
use serde::Deserialize;
use toml::Spanned;

use super::gather::Gather;
use super::numbers::{
    Angle, Arm, Backlash, CopperLoss, Counts, Duration, Effort, Energy, Fraction, Friction, Gain, GearRatio, Give,
    Grip, Length, Microseconds, Noise, Offset, Position, Power, Rate, Resistance, RotorInertia, Share, Speed, Spring,
    Temperature, ThermalCapacitance, ThermalResistance, Threshold, TorqueConstant, Voltage,
};
use super::vision::{CameraEntry, DepthCameraEntry, LaserEntry};
use super::{Base, Description, EncoderAt};
use crate::{ModelError, Tree};

/// A `NAME.toml` that has been read but whose names have not been looked up in a tree.
#[derive(Clone, Debug)]
pub struct DescriptionFile {
    file: String,
    text: String,
    content: Content,
}

impl DescriptionFile {
    /// Reads `text`; `file` is the name that errors give.
    pub fn parse(file: &str, text: &str) -> Result<DescriptionFile, ModelError> {
        let content = Page { file, text }.read()?;
        Ok(DescriptionFile { file: file.to_owned(), text: text.to_owned(), content })
    }

    fn page(&self) -> Page<'_> {
        Page { file: &self.file, text: &self.text }
    }

    /// The robot's name.
    pub fn name(&self) -> &str {
        &self.content.name
    }

    /// The URDF that the file names, relative to it.
    pub fn urdf(&self) -> Option<&str> {
        self.content.urdf.as_ref().map(|urdf| urdf.get_ref().as_str())
    }

    /// The refusal of a file whose URDF cannot be read, at the line that names it.
    pub(crate) fn unreadable_urdf(&self, error: &ModelError) -> ModelError {
        let fault = match &self.content.urdf {
            Some(named) => self.page().expected(named, "urdf", "a file that can be read", error),
            None => self.page().lacks("urdf", format!("a file that can be read, for {error}")),
        };
        ModelError::File(fault)
    }

    /// Looks every name up in `tree` and checks what only the whole can show.
    pub fn resolve(&self, tree: &Tree) -> Result<Description, ModelError> {
        Ok(Gather { page: self.page(), tree, file: &self.content }.description()?)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Content {
    pub name: String,
    pub urdf: Option<Spanned<String>>,
    pub cycle_period_us: Microseconds,
    #[serde(default)]
    pub base: Base,
    #[serde(default)]
    pub actuator: Vec<ActuatorEntry>,
    #[serde(default)]
    pub joints: Vec<JointsEntry>,
    #[serde(default)]
    pub end_effector: Vec<EndEffectorEntry>,
    #[serde(default)]
    pub limb: Vec<LimbEntry>,
    #[serde(default)]
    pub group: Vec<GroupEntry>,
    #[serde(default)]
    pub pose: Vec<PoseEntry>,
    #[serde(default)]
    pub wheel: Vec<WheelEntry>,
    #[serde(default)]
    pub imu: Vec<ImuEntry>,
    #[serde(default)]
    pub force_torque: Vec<ForceTorqueEntry>,
    #[serde(default)]
    pub contact: Vec<ContactEntry>,
    #[serde(default)]
    pub surface: Vec<SurfaceEntry>,
    #[serde(default)]
    pub no_contact: Vec<NoContactEntry>,
    #[serde(default)]
    pub battery: Vec<BatteryEntry>,
    #[serde(default)]
    pub laser: Vec<LaserEntry>,
    #[serde(default)]
    pub camera: Vec<CameraEntry>,
    #[serde(default)]
    pub depth_camera: Vec<DepthCameraEntry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActuatorEntry {
    pub name: Spanned<String>,
    pub rated_effort: Effort,
    pub peak_effort: Spanned<Effort>,
    pub no_load_speed: Speed,
    pub gear_ratio: GearRatio,
    pub rotor_inertia: RotorInertia,
    pub coulomb_friction: Friction,
    pub viscous_friction: Friction,
    pub delay_us: Option<Microseconds>,
    pub feedback_delay_us: Option<Microseconds>,
    pub velocity_filter_us: Option<Microseconds>,
    pub backlash: Backlash,
    pub encoder_counts_per_turn: Counts,
    #[serde(default)]
    pub encoder_at: EncoderAt,
    pub position_noise: Noise,
    pub velocity_noise: Noise,
    pub effort_noise: Noise,
    pub torque_constant: TorqueConstant,
    pub efficiency: Fraction,
    pub thermal: ThermalEntry,
    pub spring: Option<Spring>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThermalEntry {
    pub resistance: ThermalResistance,
    pub capacitance: ThermalCapacitance,
    pub ambient: Temperature,
    pub derate_from: Spanned<Temperature>,
    pub trip_at: Spanned<Temperature>,
    pub copper_loss: CopperLoss,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JointsEntry {
    pub names: Spanned<Vec<Spanned<String>>>,
    pub actuator: Option<Spanned<String>>,
    pub stiffness: Option<Gain>,
    pub damping: Option<Gain>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndEffectorEntry {
    pub name: Spanned<String>,
    pub link: Spanned<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimbEntry {
    pub name: Spanned<String>,
    pub joints: Vec<Spanned<String>>,
    pub end_effector: Option<Spanned<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupEntry {
    pub name: Spanned<String>,
    #[serde(default)]
    pub limbs: Vec<Spanned<String>>,
    #[serde(default)]
    pub joints: Vec<Spanned<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PoseEntry {
    pub name: Spanned<String>,
    pub like: Option<Spanned<String>>,
    #[serde(default)]
    pub positions: BTreeMap<Spanned<String>, Spanned<Position>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WheelEntry {
    pub name: Spanned<String>,
    pub limb: Spanned<String>,
    pub steer_joint: Spanned<String>,
    pub drive_joint: Spanned<String>,
    pub radius: Length,
    pub width: Length,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ImuEntry {
    pub name: Spanned<String>,
    pub link: Spanned<String>,
    pub xyz: [Offset; 3],
    pub rpy: [Angle; 3],
    pub gyro_noise_density: Noise,
    pub gyro_bias_walk: Noise,
    pub accel_noise_density: Noise,
    pub accel_bias_walk: Noise,
    pub gyro_turn_on_bias: Noise,
    pub accel_turn_on_bias: Noise,
    pub scale_error: Share,
    pub misalignment: Share,
    pub attitude_time: Duration,
    pub rate_hz: Rate,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ForceTorqueEntry {
    pub name: Spanned<String>,
    pub joint: Spanned<String>,
    pub force_noise: Noise,
    pub torque_noise: Noise,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContactEntry {
    pub name: Spanned<String>,
    pub link: Spanned<String>,
    pub threshold: Threshold,
    pub force_noise: Noise,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SurfaceEntry {
    pub name: Spanned<String>,
    pub links: Vec<Spanned<String>>,
    pub friction: Grip,
    pub restitution: Option<Share>,
    pub torsional_friction: Option<Arm>,
    pub rolling_friction: Option<Arm>,
    pub give: Option<Give>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoContactEntry {
    pub links: Spanned<Vec<Spanned<String>>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BatteryEntry {
    pub name: Spanned<String>,
    pub energy_wh: Energy,
    pub voltage: Voltage,
    pub internal_resistance: Resistance,
    pub idle_power_w: Power,
}
