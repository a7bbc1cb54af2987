//! Signals that checks, metrics and plots are made of.

use core::fmt;
use core::str::FromStr;

use robot_io::{LocalizationState, Pose2, Readings, RobotLayout, Telemetry};
use serde::Serialize;

use crate::evaluation::{BaselineKind, Evaluation};
use crate::residual::Residual;

const JOULES_PER_WATT_HOUR: f64 = 3_600.0;

/// One cycle as checks see it: what the robot knows, and the truth beside it.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// What the controllers saw.
    pub readings: &'a Readings,
    /// What they believe and intend.
    pub telemetry: &'a Telemetry,
    /// What is true.
    pub truth: &'a plant::Truth,
    /// Who says so.
    pub truth_from: TruthSource,
    /// What is constant.
    pub layout: &'a RobotLayout,
    /// Where the run, and odometry with it, began.
    pub start: &'a plant::Truth,
    /// Horizontal distance driven since the start [m].
    pub distance: f64,
    /// Interventions of the safety filter so far.
    pub interventions: u64,
    /// Each joint minus its shadow; empty without a twin.
    pub residuals: &'a [Residual],
    /// Where the robot believed to be on its map, against the truth.
    pub evaluation: &'a Evaluation,
    /// The same of the baseline in the manner of KISS-ICP beside the run, if the scenario asks for it.
    pub baseline: Option<&'a Evaluation>,
    /// The same of the voxelised GICP.
    pub vgicp: Option<&'a Evaluation>,
}

/// Who knows what is really the case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TruthSource {
    /// The simulation behind the plug.
    #[default]
    Plant,
    /// The twin beside a robot that is not simulated: a simulation that follows the same commands.
    Twin,
    /// Nobody.
    Nobody,
}

/// A number per cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Angle between the base's z axis and the vertical [deg].
    Tilt,
    /// Rotation of the base about its y axis, nose down positive [deg].
    Pitch,
    /// Rotation of the base about its x axis [deg].
    Roll,
    /// Height of the base above its height at the start [m].
    Rise,
    /// Horizontal speed of the base [m/s].
    Speed,
    /// Horizontal distance from where the robot started [m].
    Drift,
    /// Horizontal distance driven [m].
    Distance,
    /// Tip-over margin that the controller computes [m].
    TipOverMargin,
    /// Fastest sliding of a wheel's contact over the ground [m/s].
    Slip,
    /// Largest effort of any joint as a part of its limit.
    EffortRatio,
    /// Hottest winding [°C].
    Temperature,
    /// Electric energy used [Wh].
    Energy,
    /// Distance between odometry and truth [m].
    OdometryError,
    /// The same as a part of the distance driven [%].
    OdometryErrorPercent,
    /// Heading error of odometry [deg].
    HeadingError,
    /// Distance between localisation and truth [m].
    SlamError,
    /// Angle between the attitudes of localisation and truth [deg].
    SlamAttitudeError,
    /// Mean relative error of the localisation over pieces of 10 to 50 m [%].
    SlamDrift,
    /// Distance between the baseline in the manner of KISS-ICP beside the run and truth [m].
    BaselineError,
    /// Mean relative error of that baseline [%].
    BaselineDrift,
    /// Distance between the voxelised GICP beside the run and truth [m].
    VgicpError,
    /// Mean relative error of the voxelised GICP [%].
    VgicpDrift,
    /// 1 while the robot says that it does not know where it is.
    Lost,
    /// Area that exploration has seen [m²].
    ExploredArea,
    /// Interventions of the safety filter.
    Interventions,
    /// Hardest contact that is no wheel on the ground [N].
    UnwantedContact,
    /// Soil that lies on the robot [kg].
    Payload,
}

impl Signal {
    /// Every signal, with its name in files and its unit.
    pub const ALL: [(Signal, &'static str, &'static str); 27] = [
        (Signal::Tilt, "tilt", "deg"),
        (Signal::Pitch, "pitch", "deg"),
        (Signal::Roll, "roll", "deg"),
        (Signal::Rise, "rise", "m"),
        (Signal::Speed, "speed", "m/s"),
        (Signal::Drift, "drift", "m"),
        (Signal::Distance, "distance", "m"),
        (Signal::TipOverMargin, "tip_over_margin", "m"),
        (Signal::Slip, "slip", "m/s"),
        (Signal::EffortRatio, "effort_ratio", "1"),
        (Signal::Temperature, "temperature", "°C"),
        (Signal::Energy, "energy", "Wh"),
        (Signal::OdometryError, "odometry_error", "m"),
        (Signal::OdometryErrorPercent, "odometry_error_percent", "%"),
        (Signal::HeadingError, "heading_error", "deg"),
        (Signal::SlamError, "slam_error", "m"),
        (Signal::SlamAttitudeError, "slam_attitude_error", "deg"),
        (Signal::SlamDrift, "slam_drift", "%"),
        (Signal::BaselineError, "baseline_error", "m"),
        (Signal::BaselineDrift, "baseline_drift", "%"),
        (Signal::VgicpError, "vgicp_error", "m"),
        (Signal::VgicpDrift, "vgicp_drift", "%"),
        (Signal::Lost, "lost", "1"),
        (Signal::ExploredArea, "explored_area", "m²"),
        (Signal::Interventions, "interventions", "1"),
        (Signal::UnwantedContact, "unwanted_contact", "N"),
        (Signal::Payload, "payload", "kg"),
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        Signal::ALL.iter().find(|(signal, ..)| *signal == self).map_or("", |(_, name, _)| name)
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        Signal::ALL.iter().find(|(signal, ..)| *signal == self).map_or("", |(.., unit)| unit)
    }

    /// The baseline that must run beside the robot for it.
    pub fn needs_baseline(self) -> Option<BaselineKind> {
        match self {
            Signal::BaselineError | Signal::BaselineDrift => Some(BaselineKind::KissIcp),
            Signal::VgicpError | Signal::VgicpDrift => Some(BaselineKind::Vgicp),
            _ => None,
        }
    }

    /// True if the robot itself does not know it.
    pub fn needs_truth(self) -> bool {
        use Signal::{EffortRatio, ExploredArea, Interventions, Lost, Temperature, TipOverMargin};
        !matches!(self, TipOverMargin | EffortRatio | Temperature | Interventions | Lost | ExploredArea)
    }

    /// Its value in one cycle; not-a-number where there is none.
    pub fn value(self, seen: &Observation<'_>) -> f64 {
        if self.needs_truth() && seen.truth_from == TruthSource::Nobody {
            return f64::NAN;
        }
        let base = &seen.truth.base_in_world;
        let (roll, pitch, _) = base.rotation.euler_angles();
        let moved = base.translation.vector - seen.start.base_in_world.translation.vector;
        match self {
            Signal::Tilt => (base.rotation * nalgebra::Vector3::z()).z.clamp(-1.0, 1.0).acos().to_degrees(),
            Signal::Pitch => pitch.to_degrees(),
            Signal::Roll => roll.to_degrees(),
            Signal::Rise => moved.z,
            Signal::Speed => seen.truth.base_velocity_in_world.xy().norm(),
            Signal::Drift => moved.xy().norm(),
            Signal::Distance => seen.distance,
            Signal::TipOverMargin => telemetry(seen, "tip_over_margin [m]"),
            Signal::Slip => seen.truth.wheel_slips.iter().copied().fold(0.0, f64::max),
            Signal::EffortRatio => effort_ratio(seen),
            Signal::Temperature => seen.readings.joints.iter().map(|joint| joint.temperature).fold(f64::MIN, f64::max),
            Signal::Energy => seen.truth.energy_used / JOULES_PER_WATT_HOUR,
            Signal::OdometryError => odometry_error(seen).0,
            Signal::OdometryErrorPercent => percent(odometry_error(seen).0, seen.distance),
            Signal::HeadingError => odometry_error(seen).1.to_degrees().abs(),
            Signal::SlamError => distance(Some(seen.evaluation)),
            Signal::SlamAttitudeError => seen.evaluation.error().map_or(f64::NAN, |error| error.angle.to_degrees()),
            Signal::SlamDrift => drift(Some(seen.evaluation)),
            Signal::BaselineError => distance(seen.baseline),
            Signal::BaselineDrift => drift(seen.baseline),
            Signal::VgicpError => distance(seen.vgicp),
            Signal::VgicpDrift => drift(seen.vgicp),
            Signal::Lost => seen
                .telemetry
                .localization
                .map_or(f64::NAN, |place| f64::from(u8::from(place.state == LocalizationState::Lost))),
            Signal::ExploredArea => telemetry(seen, "explored_area [m²]"),
            Signal::Interventions => seen.interventions as f64,
            Signal::UnwantedContact => seen.truth.unwanted_contact.map_or(0.0, |contact| contact.force),
            Signal::Payload => seen.truth.soil_carried,
        }
    }
}

fn distance(evaluation: Option<&Evaluation>) -> f64 {
    evaluation.and_then(Evaluation::error).map_or(f64::NAN, |error| error.distance)
}

fn drift(evaluation: Option<&Evaluation>) -> f64 {
    evaluation.map_or(f64::NAN, |evaluation| evaluation.drift().translation_percent())
}

fn telemetry(seen: &Observation<'_>, name: &str) -> f64 {
    let found = seen.telemetry.scalars.iter().find(|(scalar, _)| *scalar == name);
    found.map_or(f64::NAN, |(_, value)| *value)
}

fn effort_ratio(seen: &Observation<'_>) -> f64 {
    let pairs = seen.readings.joints.iter().zip(&seen.layout.joints);
    pairs.map(|(joint, layout)| joint.effort.abs() / layout.limits.effort).fold(0.0, f64::max)
}

/// The part of a distance below which a percentage says nothing is 1 m.
fn percent(error: f64, distance: f64) -> f64 {
    if distance < 1.0 { f64::NAN } else { 100.0 * error / distance }
}

/// Distance [m] and heading [rad] between where odometry and truth have come since the start.
fn odometry_error(seen: &Observation<'_>) -> (f64, f64) {
    let Some(odometry) = &seen.telemetry.odometry else { return (f64::NAN, f64::NAN) };
    let believed = odometry.pose().placed_at(&pose_of(seen.start));
    let truly = pose_of(seen.truth);
    (believed.distance(&truly), robot_io::math::wrap_angle(believed.yaw - truly.yaw))
}

/// Place and heading of the true base.
pub fn pose_of(truth: &plant::Truth) -> Pose2 {
    Pose2::from(&truth.base_in_world)
}

/// How a signal becomes one number for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reducer {
    /// The largest value.
    Max,
    /// The smallest value.
    Min,
    /// The last value.
    Final,
    /// The largest magnitude.
    Peak,
}

impl Reducer {
    const ALL: [(Reducer, &'static str); 4] =
        [(Reducer::Max, "max"), (Reducer::Min, "min"), (Reducer::Final, "final"), (Reducer::Peak, "peak")];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        Reducer::ALL.iter().find(|(reducer, _)| *reducer == self).map_or("", |(_, name)| name)
    }

    /// The number so far and one value more; not-a-number values are passed over.
    pub fn fold(self, so_far: f64, value: f64) -> f64 {
        match (self, value.is_nan()) {
            (_, true) => so_far,
            (Reducer::Max, _) => so_far.max(value),
            (Reducer::Min, _) => so_far.min(value),
            (Reducer::Final, _) => value,
            (Reducer::Peak, _) => so_far.max(value.abs()),
        }
    }
}

/// A number per run, written `signal.reducer`, for example `tilt.max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Of which signal.
    pub signal: Signal,
    /// Which number.
    pub reducer: Reducer,
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.signal.name(), self.reducer.name())
    }
}

impl FromStr for Metric {
    type Err = String;

    fn from_str(text: &str) -> Result<Metric, String> {
        let (signal, reducer) = read_metric(text, &Signal::ALL.map(|(signal, name, _)| (signal, name)))?;
        Ok(Metric { signal, reducer })
    }
}

/// Reads `signal.reducer`, with a signal of these.
pub(super) fn read_metric<S: Copy>(text: &str, signals: &[(S, &str)]) -> Result<(S, Reducer), String> {
    let (signal, reducer) = text.split_once('.').unwrap_or((text, ""));
    let signal = signals.iter().find(|(_, name)| *name == signal);
    let reducer = Reducer::ALL.iter().find(|(_, name)| *name == reducer);
    match (signal, reducer) {
        (Some((signal, _)), Some((reducer, _))) => Ok((*signal, *reducer)),
        _ => Err(format!(
            "expected signal.reducer with a signal of {} and a reducer of {}, found '{text}'",
            signals.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", "),
            Reducer::ALL.map(|(_, name)| name).join(", ")
        )),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_written_as_it_is_read() {
        for (signal, ..) in Signal::ALL {
            for (reducer, _) in Reducer::ALL {
                let metric = Metric { signal, reducer };
                assert_eq!(metric.to_string().parse::<Metric>().unwrap(), metric);
            }
        }
    }

    #[test]
    fn an_unknown_metric_is_answered_with_the_known_ones() {
        let message = "tilt.mean".parse::<Metric>().unwrap_err();
        assert!(message.contains("a reducer of max, min, final, peak, found 'tilt.mean'"), "{message}");
    }

    #[test]
    fn a_missing_value_changes_no_number() {
        assert_eq!(Reducer::Final.fold(3.0, f64::NAN), 3.0);
        assert_eq!(Reducer::Peak.fold(f64::NAN, -2.0), 2.0);
    }
}
