//! What the way ahead will be like: slope, steps, tip-over margin, and how fast to take it.
//!
//! It takes longer than a control cycle, so it is a deadline task: it works on a copy of what was known when it was
//! released, and its result is used from exactly the promised cycle on.

mod ground;
mod route;

use std::sync::Arc;

use robot_io::math::{cos, sin};
use robot_io::{HeightMap, Path, Pose2, Settings, State};

use ground::{Ground, ground_under};
pub use route::Waypoint;
use route::{Sample, smooth};

/// What the preview knows of the robot, and how careful it is.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct PreviewSettings {
    /// From the front to the rear wheels' contacts [m].
    #[setting(0.64, positive)]
    pub wheel_base: f64,
    /// From the left to the right wheels' contacts [m].
    #[setting(0.67, positive)]
    pub track: f64,
    /// Height of the centre of mass over the ground [m].
    #[setting(0.7, positive)]
    pub com_height: f64,
    /// How well the base levels itself: on a slope z it tilts by z/(1 + gain). Momaro's proportional control has the
    /// gain 0.8 and tilts 8.3° on 15° (paper, equation 6); a control with an integral has an infinite gain.
    #[setting(f64::INFINITY, range = 0.0..=f64::INFINITY)]
    pub levelling_gain: f64,
    /// The largest lean that may be recommended [rad].
    #[setting(0.17, not_negative)]
    pub most_lean: f64,
    /// The most that the base may be lowered by a recommendation [m].
    #[setting(0.15, not_negative)]
    pub most_lowering: f64,
    /// Where the tip-over margin falls below this, drive slower [m].
    #[setting(0.2, above = critical_margin)]
    pub slow_margin: f64,
    /// Where it falls below this, drive as slowly as possible [m].
    #[setting(0.08, not_negative)]
    pub critical_margin: f64,
    /// Up to this slope speed does not matter [rad].
    #[setting(0.17, not_negative, below = steep_slope)]
    pub gentle_slope: f64,
    /// From this slope on, drive as slowly as possible [rad]; Momaro drove slopes of more than 20°.
    #[setting(0.52, positive)]
    pub steep_slope: f64,
    /// Steps below this are ignored [m]; Momaro ignores obstacles below about 5 cm.
    #[setting(0.05, not_negative, below = highest_step)]
    pub ignored_step: f64,
    /// From departures of this height from the plane on, drive as slowly as possible [m].
    #[setting(0.12, positive)]
    pub highest_step: f64,
    /// Speed on a place that the map does not know, if there is a map [m/s].
    #[setting(0.3, not_negative)]
    pub unknown_speed: f64,
    /// As slowly as possible [m/s].
    #[setting(0.1, not_negative)]
    pub least_speed: f64,
    /// Braking that is always possible [m/s²].
    #[setting(0.4, positive)]
    pub braking: f64,
    /// Distance between samples [m].
    #[setting(0.1, positive)]
    pub spacing: f64,
    /// How far to look [m].
    #[setting(20.0, range = 0.0..=1e4 * self.spacing)]
    pub horizon: f64,
}

/// What a preview starts from: a copy, because it runs beside the control cycle.
#[derive(Clone, Debug)]
pub struct RouteQuery {
    /// Who drives.
    pub settings: PreviewSettings,
    /// The prior map, in the world frame; `None` for a flat world.
    pub map: Option<Arc<HeightMap>>,
    /// The odometry frame in the world.
    pub odom_in_world: Pose2,
    /// The robot in the odometry frame.
    pub pose_in_odom: Pose2,
    /// Where it goes, in the odometry frame.
    pub waypoints_in_odom: Vec<Waypoint>,
}

/// The way ahead, piece by piece.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct RoutePreview {
    /// The pieces, in order.
    pub pieces: Vec<RoutePiece>,
    /// The share of the way that the map knows, 0 to 1. What it does not know is taken as flat; without a map that is
    /// all of it.
    pub known_share: f64,
}

/// One piece of the way ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct RoutePiece {
    /// The robot there, in the odometry frame.
    pub pose_in_odom: Pose2,
    /// Slope of the ground in the robot's x direction, up is positive [rad].
    pub slope_along: f64,
    /// Slope of the ground in the robot's y direction, up to the left is positive [rad].
    pub slope_across: f64,
    /// Largest departure of the ground from a plane [m].
    pub step: f64,
    /// Predicted static tip-over margin [m]: from the centre of mass to the nearest edge of the footprint, from above.
    pub margin: f64,
    /// Recommended speed limit [m/s].
    pub speed_limit: f64,
    /// Recommended lowering of the base [m].
    pub lowering: f64,
    /// Recommended set-point of the base's pitch, nose down is positive [rad].
    pub lean_pitch: f64,
    /// Recommended set-point of the base's roll, right side down is positive [rad].
    pub lean_roll: f64,
}

impl RouteQuery {
    /// Looks along the way.
    pub fn preview(&self) -> RoutePreview {
        let settings = &self.settings;
        let mut samples = Vec::new();
        smooth(&self.pose_in_odom, &self.waypoints_in_odom, settings.spacing, settings.horizon, &mut samples);
        let mut known = 0;
        let mut pieces: Vec<RoutePiece> = Vec::with_capacity(samples.len());
        for sample in &samples {
            let ground = self.ground(&sample.pose);
            known += usize::from(ground.is_some());
            pieces.push(settings.judge(sample, ground, self.map.is_some()));
        }
        brake_in_time(&mut pieces, &samples, settings.braking);
        RoutePreview { known_share: known as f64 / pieces.len().max(1) as f64, pieces }
    }

    fn ground(&self, pose_in_odom: &Pose2) -> Option<Ground> {
        let pose_in_world = pose_in_odom.placed_at(&self.odom_in_world);
        ground_under(self.map.as_ref()?, &pose_in_world, self.settings.wheel_base, self.settings.track)
    }
}

impl PreviewSettings {
    fn judge(&self, sample: &Sample, ground: Option<Ground>, have_map: bool) -> RoutePiece {
        let Ground { slope_along, slope_across, step } = ground.unwrap_or_default();
        let margin = self.margin(slope_along, slope_across, self.com_height);
        let unknown = if have_map && ground.is_none() { self.unknown_speed } else { f64::INFINITY };
        let slope = slope_along.abs().max(slope_across.abs());
        let caution = fall_off(step, self.ignored_step, self.highest_step)
            .min(fall_off(slope, self.gentle_slope, self.steep_slope))
            .min(1.0 - fall_off(margin, self.critical_margin, self.slow_margin));
        let speed = self.least_speed + caution * (sample.speed - self.least_speed).max(0.0);
        RoutePiece {
            pose_in_odom: sample.pose,
            slope_along,
            slope_across,
            step,
            margin,
            speed_limit: speed.min(unknown).min(sample.speed),
            lowering: self.lowering(slope_along, slope_across, margin),
            lean_pitch: self.lean(slope_along),
            lean_roll: self.lean(-slope_across),
        }
    }

    /// The static tip-over margin [m] with the centre of mass at height `h`: the base tilts by what the levelling
    /// leaves of the slope and takes the centre of mass along; the footprint, seen from above, is shortened.
    fn margin(&self, slope_along: f64, slope_across: f64, h: f64) -> f64 {
        let one_way = |slope: f64, size: f64| {
            let tilt = slope / (1.0 + self.levelling_gain);
            0.5 * size * cos(slope) - h * sin(tilt).abs()
        };
        one_way(slope_along, self.wheel_base).min(one_way(slope_across, self.track))
    }

    /// How much lower the base should be [m], so that the margin comes up to where one need not drive slower: each
    /// centimetre of height is worth sin(tilt) of margin.
    fn lowering(&self, slope_along: f64, slope_across: f64, margin: f64) -> f64 {
        let tilt = slope_along.abs().max(slope_across.abs()) / (1.0 + self.levelling_gain);
        let missing = self.slow_margin - margin;
        if missing <= 0.0 || tilt <= 0.0 { 0.0 } else { (missing / sin(tilt)).min(self.most_lowering) }
    }

    /// The set-point w [rad] that makes up for what the proportional levelling leaves. With gain K and slope z the base
    /// tilts by (z + K·w)/(1 + K) against w = 0, which vanishes at w = −z/K. A slope that goes up tilts the nose up,
    /// which is negative pitch; so the lean is forward where it goes up.
    fn lean(&self, slope_up: f64) -> f64 {
        if self.levelling_gain <= 0.0 {
            return 0.0;
        }
        (slope_up / self.levelling_gain).clamp(-self.most_lean, self.most_lean)
    }
}

/// One up to `from`, falling straight to zero at `to`.
fn fall_off(value: f64, from: f64, to: f64) -> f64 {
    ((to - value) / (to - from)).clamp(0.0, 1.0)
}

/// Lowers speed limits so that the next one can be met by braking: v² ≤ v₊² + 2·a·s, from the end backwards. Where the
/// robot stops, the follower brakes by itself.
fn brake_in_time(pieces: &mut [RoutePiece], samples: &[Sample], braking: f64) {
    for index in (0..pieces.len().saturating_sub(1)).rev() {
        let way = samples[index + 1].travelled - samples[index].travelled;
        let next = pieces[index + 1].speed_limit;
        let limit = (next * next + 2.0 * braking * way).sqrt();
        pieces[index].speed_limit = pieces[index].speed_limit.min(limit);
    }
}

impl RoutePreview {
    /// The piece nearest to a place; `None` if the way is farther than `reach` [m].
    pub fn piece_at(&self, pose_in_odom: &Pose2, reach: f64) -> Option<&RoutePiece> {
        let distance = |piece: &RoutePiece| piece.pose_in_odom.distance(pose_in_odom);
        let nearer = |a: &&RoutePiece, b: &&RoutePiece| distance(a).total_cmp(&distance(b));
        self.pieces.iter().min_by(nearer).filter(|piece| distance(piece) <= reach)
    }

    /// The way as a path, for display.
    pub fn path(&self) -> Path {
        Path { poses: self.pieces.iter().map(|piece| piece.pose_in_odom).collect() }
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests")]
mod tests;
