//! What a mission is set to.

use robot_io::Period;
use serde::{Deserialize, Serialize};

use crate::MissionError;
use crate::plan::MissionPlan;
use crate::preview::PreviewSettings;
use crate::ramp::RampLimits;
use crate::supervision::SupervisionSettings;

/// Parameters of a [`Mission`](crate::Mission) and of its skills, as they stand in a scenario's `[settings]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MissionSettings {
    /// Speed of legs that do not say their own [m/s].
    pub cruise_speed: f64,
    /// How quickly the velocity may change on the way.
    pub ramp: RampLimits,
    /// How quickly it may change when the robot must stop.
    pub stop: RampLimits,
    /// How far beyond a place that is only passed the robot aims, so that it does not slow down there [m].
    pub look_beyond: f64,
    /// How long after the operator's last touch the mission goes on [s].
    pub stick_release: f64,
    /// Wait for the operator's word to begin.
    pub wait_for_operator: bool,
    /// From one look of the follower at its goal to the next [s].
    pub follower_interval: f64,
    /// From one look of the supervisor to the next [s].
    pub supervision_interval: f64,
    /// From one preview of a leg to the next [s].
    pub preview_interval: f64,
    /// From the release of a preview to its result [s]; the result is used from exactly then on.
    pub preview_latency: f64,
    /// Put the told start right by the world's prior height map, if there is one.
    pub align_to_prior: bool,
    /// How the map is drawn.
    pub slam: slam::SlamSettings,
    /// How the way over it is found.
    pub navigation: navigation::NavigationSettings,
    /// When the supervisor acts.
    pub supervision: SupervisionSettings,
    /// How careful the preview is.
    pub preview: PreviewSettings,
    /// What the estimator believes about its sensors.
    pub odometry: estimation::OdometrySettings,
    /// How the follower approaches a pose.
    pub follower: locomotion::FollowerSettings,
    /// How the robot drives.
    pub locomotion: locomotion::Settings,
}

impl Default for MissionSettings {
    fn default() -> Self {
        MissionSettings {
            cruise_speed: 0.4,
            ramp: RampLimits { acceleration: 0.4, yaw_acceleration: 0.8 },
            stop: RampLimits { acceleration: 0.8, yaw_acceleration: 1.6 },
            look_beyond: 0.6,
            stick_release: 0.5,
            wait_for_operator: false,
            follower_interval: 0.02,
            supervision_interval: 0.04,
            preview_interval: 2.0,
            preview_latency: 0.048,
            align_to_prior: true,
            slam: slam::SlamSettings::default(),
            navigation: navigation::NavigationSettings::default(),
            supervision: SupervisionSettings::default(),
            preview: PreviewSettings::default(),
            odometry: estimation::OdometrySettings::default(),
            // legs that may be taken faster say so; the follower's own limit shall not be below them
            follower: locomotion::FollowerSettings { speed: 0.6, ..locomotion::FollowerSettings::default() },
            locomotion: locomotion::Settings::default(),
        }
    }
}

impl MissionSettings {
    /// Refuses what cannot work.
    pub fn check(&self) -> Result<(), MissionError> {
        let PreviewSettings { spacing, horizon, braking, .. } = self.preview;
        let SupervisionSettings { slow_margin, critical_margin, .. } = self.supervision;
        let positive = [
            ("cruise_speed [m/s]", self.cruise_speed),
            ("ramp.acceleration [m/s²]", self.ramp.acceleration),
            ("ramp.yaw_acceleration [rad/s²]", self.ramp.yaw_acceleration),
            ("stop.acceleration [m/s²]", self.stop.acceleration),
            ("stop.yaw_acceleration [rad/s²]", self.stop.yaw_acceleration),
            ("follower_interval [s]", self.follower_interval),
            ("supervision_interval [s]", self.supervision_interval),
            ("preview_interval [s]", self.preview_interval),
            ("preview_latency [s]", self.preview_latency),
            ("preview.spacing [m]", spacing),
            ("preview.braking [m/s²]", braking),
            ("supervision.slow_margin - critical_margin [m]", slow_margin - critical_margin),
        ];
        for (field, found) in positive {
            if !(found > 0.0 && found.is_finite()) {
                return Err(MissionError::Setting { field, expected: "a positive number", found });
            }
        }
        if !(0.0..=1e4).contains(&(horizon / spacing)) {
            let expected = "0 to 10,000 times preview.spacing";
            return Err(MissionError::Setting { field: "preview.horizon [m]", expected, found: horizon });
        }
        Ok(())
    }

    /// The same settings with a follower that arrives within the tolerances of all of the plan's legs, with some to
    /// spare.
    #[must_use]
    pub fn fine_enough_for(&self, plan: &MissionPlan) -> MissionSettings {
        const SHARE: f64 = 0.7;
        let mut settings = self.clone();
        for leg in plan.steps.iter().filter_map(|step| step.leg.as_ref()).filter(|leg| !leg.pass) {
            let follower = &mut settings.follower;
            follower.distance_tolerance = follower.distance_tolerance.min(SHARE * leg.tolerance);
            follower.heading_tolerance = follower.heading_tolerance.min(SHARE * leg.heading_tolerance);
        }
        settings
    }

    /// A setting in seconds, as a period.
    pub(crate) fn period(seconds: f64) -> Period {
        Period::from_seconds(seconds)
    }
}
