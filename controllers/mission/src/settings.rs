//! What a mission is set to.

use robot_io::{Period, Settings};
use serde::{Deserialize, Serialize};

use crate::plan::MissionPlan;
use crate::preview::PreviewSettings;
use crate::ramp::RampLimits;
use crate::supervision::SupervisionSettings;
use crate::walking_settings::WalkingSettings;
use crate::withdrawal_settings::WithdrawalSettings;

/// Parameters of a [`Mission`](crate::Mission) and of its skills, as they stand in a scenario's `[settings]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct MissionSettings {
    /// Speed of legs that do not say their own [m/s].
    #[setting(0.4, positive)]
    pub cruise_speed: f64,
    /// How quickly the velocity may change on the way.
    pub ramp: RampLimits,
    /// How quickly it may change when the robot must stop.
    #[setting(RampLimits { acceleration: 0.8, yaw_acceleration: 1.6 }, group)]
    pub stop: RampLimits,
    /// How far beyond a place that is only passed the robot aims, so that it does not slow down there [m].
    #[setting(0.6, not_negative)]
    pub look_beyond: f64,
    /// How long after the operator's last touch the mission goes on [s].
    #[setting(0.5, not_negative)]
    pub stick_release: f64,
    /// Wait for the operator's word to begin.
    #[setting(false)]
    pub wait_for_operator: bool,
    /// From one look of the follower at its goal to the next [s].
    #[setting(0.02, positive)]
    pub follower_interval: f64,
    /// From one look of the supervisor to the next [s].
    #[setting(0.04, positive)]
    pub supervision_interval: f64,
    /// From one preview of a leg to the next [s].
    #[setting(2.0, positive)]
    pub preview_interval: f64,
    /// From the release of a preview to its result [s]; the result is used from exactly then on.
    #[setting(0.048, positive)]
    pub preview_latency: f64,
    /// Put the told start right by the world's prior height map, if there is one.
    #[setting(true)]
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
    // legs that may be taken faster say so; the follower's own limit shall not be below them
    /// How the follower approaches a pose.
    #[setting(locomotion::FollowerSettings { speed: 0.6, ..locomotion::FollowerSettings::default() }, group)]
    pub follower: locomotion::FollowerSettings,
    /// How a robot on two feet walks.
    pub walking: WalkingSettings,
    /// How a robot with skin draws back a hand that is touched.
    pub withdrawal: WithdrawalSettings,
    /// How the robot drives.
    pub locomotion: locomotion::Settings,
}

impl MissionSettings {
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_default_keeps_its_bounds_and_any_number_that_does_not_is_named() {
        let mut settings = MissionSettings::default();
        assert_eq!(settings.check(), Ok(()));
        settings.slam.mapper.views.spacing = -1.0;
        let message = settings.check().unwrap_err().to_string();
        assert_eq!(message, "slam.mapper.views.spacing [m]: expected a positive number, found -1");
    }
}
