//! The way of a foot through the air.
//!
//! It goes up to the higher of both grounds and the clearance, over, and down, each by polynomials of fifth degree, so that
//! velocity and acceleration are continuous, and stay so when it is sent elsewhere. Onto a stair it first goes up and then
//! forward, from a stair first forward and then down.

mod quintic;

pub use quintic::{Motion, Quintic};

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::{Settings, State};
use serde::{Deserialize, Serialize};

use crate::footstep::{Footstep, wrapped};

/// Where there is time, a foot that is sent elsewhere takes no less than this [s].
const SOON: f64 = 0.1;

/// How feet swing. The figures are ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct SwingSettings {
    /// Clearance over the higher of both grounds [m].
    #[setting(0.06, range = 0.0..=0.5)]
    pub clearance: f64,
    /// Downward speed with which the foot is set down [m/s].
    #[setting(0.05, range = 0.0..=1.0)]
    pub approach: f64,
    /// Without ground where it was expected, the foot goes on down at this speed [m/s].
    #[setting(0.5, range = 0.001..=1.0)]
    pub search: f64,
    /// How fast it gets there [m/s²].
    #[setting(10.0, positive)]
    pub hasten: f64,
    /// How far it goes on down [m].
    #[setting(0.06, range = 0.0..=0.5)]
    pub depth: f64,
    /// Share of the time after which it is up on level ground.
    #[setting(0.4, range = 0.1..=0.6)]
    pub up: f64,
    /// Share of the time after which it is over its place.
    #[setting(0.92, range = 0.6..=1.0)]
    pub over: f64,
    /// Height of a stair from which on its edge is gone around wholly [m].
    #[setting(0.1, positive)]
    pub stair: f64,
    /// Share of the time before which touching ground is not the end of a step.
    #[setting(0.5, share)]
    pub lifted: f64,
}

/// A foot in the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct FootMotion {
    /// Pose of the sole in the odometry frame.
    pub pose: Isometry3<f64>,
    /// Velocity of its middle [m/s].
    pub velocity: Vector3<f64>,
    /// Acceleration of its middle [m/s²].
    pub acceleration: Vector3<f64>,
    /// Turning about the upward axis [rad/s] and [rad/s²].
    pub turning: [f64; 2],
}

impl FootMotion {
    /// A foot that stands.
    pub fn standing(foot: &Footstep) -> FootMotion {
        FootMotion { pose: foot.pose(), ..FootMotion::default() }
    }
}

/// One swing of one foot.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Swing {
    start: Footstep,
    target: Footstep,
    duration: f64,
    /// x, y, heading, and the normal's x and y.
    level: [Quintic; 5],
    up: Quintic,
    down: Quintic,
}

/// The five figures of a footstep that move as one.
fn figures(step: &Footstep) -> [f64; 5] {
    [step.position.x, step.position.y, step.yaw, step.normal.x, step.normal.y]
}

impl Swing {
    /// From where a foot stands to `target` in `duration` [s].
    pub fn new(start: Footstep, target: Footstep, duration: f64, settings: &SwingSettings) -> Swing {
        let level = figures(&start).map(Quintic::rest);
        let (up, down) = (Quintic::rest(start.position.z), Quintic::rest(start.position.z));
        let mut swing = Swing { start, target, duration, level, up, down };
        swing.plan(0.0, settings);
        swing
    }

    /// Where it shall land.
    pub fn target(&self) -> &Footstep {
        &self.target
    }

    /// How long it shall last, from its beginning [s].
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// At `time` [s] after its beginning it is sent elsewhere, or shall be there at another time.
    pub fn retarget(&mut self, time: f64, target: Footstep, duration: f64, settings: &SwingSettings) {
        let change = (target.position - self.target.position).norm() + (target.yaw - self.target.yaw).abs();
        if change < 1e-9 && (duration - self.duration).abs() < 1e-9 {
            return;
        }
        (self.target, self.duration) = (target, duration);
        self.plan(time, settings);
    }

    /// How much of a stair it goes up (positive) or down: −1 to 1.
    fn stair(&self, settings: &SwingSettings) -> f64 {
        ((self.target.position.z - self.start.position.z) / settings.stair).clamp(-1.0, 1.0)
    }

    /// New polynomials from the motion at `time` on.
    fn plan(&mut self, time: f64, settings: &SwingSettings) {
        let stair = self.stair(settings);
        let mut to = figures(&self.target);
        to[2] = self.start.yaw + wrapped(self.target.yaw - self.start.yaw);
        let begin = time.max(0.5 * settings.up * stair.max(0.0) * self.duration);
        let end = self.duration * (settings.over - 0.25 * (-stair).max(0.0));
        let end = end.max((time + SOON).min(self.duration));
        for (axis, to) in self.level.iter_mut().zip(to) {
            let from = axis.at(time);
            let begin = if from.velocity == 0.0 && from.acceleration == 0.0 { begin } else { time };
            *axis = Quintic::new(begin, &from, end.max(time + 0.02), &Motion::rest(to));
        }
        self.plan_height(time, stair, settings);
    }

    fn plan_height(&mut self, time: f64, stair: f64, settings: &SwingSettings) {
        let (now, target) = (self.height(time), self.target.position.z);
        let highest = self.start.position.z.max(target) + settings.clearance;
        let (top, leave) = self.turning_points(stair, settings);
        let landing = Motion { position: target, velocity: -settings.approach, acceleration: 0.0 };
        let holds = time >= self.up.end() && time < self.down.begin();
        let (begin, from) = if time < top {
            let end = top.max((time + SOON).min(0.6 * self.duration));
            self.up = Quintic::new(time, &now, end, &Motion::rest(highest));
            (leave.max(self.up.end()), Motion::rest(highest))
        } else {
            (if holds { time.max(leave) } else { time }, now)
        };
        self.down = Quintic::new(begin, &from, self.duration.max(time + 0.02), &landing);
    }

    /// When it is up, and when it begins to go down [s].
    fn turning_points(&self, stair: f64, settings: &SwingSettings) -> (f64, f64) {
        let down = 0.3 * (-stair).max(0.0);
        (settings.up * self.duration, (settings.up + 0.02 + down) * self.duration)
    }

    fn height(&self, time: f64) -> Motion {
        if time < self.down.begin() { self.up.at(time.min(self.up.end())) } else { self.down.at(time) }
    }

    /// Height when there was no ground where it was expected.
    fn late(&self, time: f64, settings: &SwingSettings) -> Motion {
        let (late, approach) = (time - self.down.end(), settings.approach);
        let hasten = ((settings.search - approach).max(0.0) / settings.hasten).min(late);
        let speed = approach + settings.hasten * hasten;
        let way = 0.5 * (approach + speed) * hasten + speed * (late - hasten);
        let lowest = self.target.position.z - settings.depth;
        match self.target.position.z - way {
            position if position > lowest => Motion { position, velocity: -speed, acceleration: 0.0 },
            _ => Motion::rest(lowest),
        }
    }

    /// The foot at `time` [s] after the beginning; later than planned it goes on down to the depth limit.
    pub fn at(&self, time: f64, settings: &SwingSettings) -> FootMotion {
        let [x, y, yaw, normal_x, normal_y] = self.level.map(|axis| axis.at(time.min(axis.end())));
        let z = if time <= self.down.end() { self.height(time) } else { self.late(time, settings) };
        let [nx, ny] = [normal_x.position, normal_y.position];
        let normal = Vector3::new(nx, ny, (1.0 - nx * nx - ny * ny).max(0.0).sqrt());
        let tilt = UnitQuaternion::rotation_between(&Vector3::z(), &normal).unwrap_or_default();
        let rotation = tilt * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw.position);
        FootMotion {
            pose: Isometry3::from_parts(Translation3::new(x.position, y.position, z.position), rotation),
            velocity: Vector3::new(x.velocity, y.velocity, z.velocity),
            acceleration: Vector3::new(x.acceleration, y.acceleration, z.acceleration),
            turning: [yaw.velocity, yaw.acceleration],
        }
    }

    /// Where the foot stands if it touches ground at `time` [s].
    pub fn landed(&self, time: f64, settings: &SwingSettings) -> Footstep {
        let [x, y, yaw, ..] = self.level.map(|axis| axis.at(time.min(axis.end())).position);
        let z = self.at(time, settings).pose.translation.z;
        Footstep { position: Vector3::new(x, y, z), yaw, ..self.target }
    }
}
