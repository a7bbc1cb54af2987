//! Falling well: foreseen, with hands out and legs bent, on soft joints, and told.
//!
//! A fall is foreseen ([`foresight`]) and told while the legs go on balancing and stepping, which takes speed out of it, or averts it after all.
//! When the robot leans too far, or its legs give way, it gives up balance: hands, head and legs go to a pose for the way it falls ([`pose`]),
//! stiffly, and all joints become soft shortly before the ground is met, so that only their damping takes the blow ([`hold`]).

mod foresight;
mod hold;
mod pose;

use nalgebra::{Vector2, Vector3};
use robot_io::{Commands, Event, Events, Readings, Severity, State, Telemetry, Time};
use robot_model::description::Foot;
use robot_model::{RobotModel, Tree};

use super::{SOURCE, refused};
use crate::MissionError;
use crate::fall_settings::FallSettings;
pub(super) use foresight::Signs;
use foresight::{Foreseen, Foresight, Reason};
use hold::{Hold, Softness};
use pose::Poses;

/// A base that leans more than this lies: the cosine of 60°.
const LIES: f64 = 0.5;
/// One that has turned more than this on the ground has rolled over: the cosine of 40°.
const ROLLS: f64 = 0.766;
/// It must have been still, or calm, for so long [s].
const STILL: f64 = 0.5;
/// What comes and goes in this time shakes it, and turns it nowhere [s].
const SHAKES: f64 = 0.1;
/// One of the base's axes that is nearer to the vertical than this tells how it lies: the cosine of 45°.
const FLAT: f64 = core::f64::consts::FRAC_1_SQRT_2;

/// Which way it falls, as seen by the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub(super) enum Way {
    #[default]
    Forward,
    Backward,
    Left,
    Right,
}

impl Way {
    /// The way of a direction ahead and to the left.
    fn of(direction: &Vector2<f64>) -> Way {
        match direction.x.abs() >= direction.y.abs() {
            true if direction.x >= 0.0 => Way::Forward,
            true => Way::Backward,
            false if direction.y >= 0.0 => Way::Left,
            false => Way::Right,
        }
    }

    fn foreseen(self, reason: Reason) -> &'static str {
        const WORDS: [[&str; 4]; 3] = [
            [
                "fall foreseen, it leans: forward, ground is met in [s]",
                "fall foreseen, it leans: backward, ground is met in [s]",
                "fall foreseen, it leans: to the left, ground is met in [s]",
                "fall foreseen, it leans: to the right, ground is met in [s]",
            ],
            [
                "fall foreseen, its legs give way: forward, ground is met in [s]",
                "fall foreseen, its legs give way: backward, ground is met in [s]",
                "fall foreseen, its legs give way: to the left, ground is met in [s]",
                "fall foreseen, its legs give way: to the right, ground is met in [s]",
            ],
            [
                "fall foreseen, no step can follow: forward, ground is met in [s]",
                "fall foreseen, no step can follow: backward, ground is met in [s]",
                "fall foreseen, no step can follow: to the left, ground is met in [s]",
                "fall foreseen, no step can follow: to the right, ground is met in [s]",
            ],
        ];
        WORDS[reason as usize][self as usize]
    }

    fn begins(self) -> &'static str {
        match self {
            Way::Forward => "falls forward and gives up balance, ground is met in [s]",
            Way::Backward => "falls backward and gives up balance, ground is met in [s]",
            Way::Left => "falls to the left and gives up balance, ground is met in [s]",
            Way::Right => "falls to the right and gives up balance, ground is met in [s]",
        }
    }
}

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
enum Stage {
    /// It stands or walks.
    #[default]
    Upright,
    /// A fall is foreseen: hands are out, legs balance.
    Bracing,
    /// It has given up balance.
    Falling,
    /// It has met the ground.
    Down,
    /// It lies still.
    AtRest,
}

/// A fall from its first sign to its end.
#[derive(Clone, Debug, State)]
pub(super) struct Fall {
    #[state(fixed)]
    settings: FallSettings,
    /// Of a cycle [s].
    #[state(fixed)]
    dt: f64,
    #[state(fixed)]
    poses: Poses,
    foresight: Foresight,
    hold: Hold,
    stage: Stage,
    /// Where it falls to: ahead and to the left; a unit vector.
    towards: Vector2<f64>,
    /// Since it was foreseen, and how long it would take until the ground is met [s].
    since: f64,
    time: f64,
    /// Angular velocity of the base without what only shakes it [rad/s].
    turning: Vector3<f64>,
    /// For how long it has been still, or no fall has been foreseen [s].
    still: f64,
}

impl Fall {
    /// For this robot; its feet are left and right, and the tree's knees stay bent.
    pub fn new(
        model: &RobotModel,
        tree: &Tree,
        feet: [&Foot; 2],
        settings: &FallSettings,
        dt: f64,
    ) -> Result<Fall, MissionError> {
        let poses = Poses::new(model, tree, feet, &settings.posture);
        Ok(Fall {
            settings: *settings,
            dt,
            poses: poses.map_err(|error| refused("falling", &error))?,
            foresight: Foresight::default(),
            hold: Hold::new(model),
            stage: Stage::Upright,
            towards: Vector2::x(),
            since: 0.0,
            time: 0.0,
            turning: Vector3::zeros(),
            still: 0.0,
        })
    }

    /// It stands again.
    pub fn reset(&mut self) {
        (self.foresight, self.stage, self.still) = (Foresight::default(), Stage::Upright, 0.0);
        self.turning = Vector3::zeros();
    }

    /// Whether the body shall do nothing but fall.
    pub fn is_under_way(&self) -> bool {
        match self.stage {
            Stage::Upright | Stage::Bracing => false,
            Stage::Falling => self.settings.reflex,
            Stage::Down | Stage::AtRest => true,
        }
    }

    /// Whether hands and head are its own already.
    pub fn braces(&self) -> bool {
        self.is_under_way() || (self.stage == Stage::Bracing && self.is_early())
    }

    /// Looks once a cycle; `heading` is that of the base [rad].
    pub fn look(&mut self, now: Time, signs: &Signs, heading: f64, readings: &Readings, events: &mut Events) {
        let foreseen = self.foresight.look(signs, &self.settings.foresight, self.dt);
        self.since += self.dt;
        self.turning += (signs.turning - self.turning) * (self.dt / (self.dt + SHAKES));
        if let (Some(foreseen), Stage::Upright | Stage::Bracing) = (foreseen, self.stage) {
            self.foresee(now, &foreseen, heading, readings, events);
        }
        if matches!(self.stage, Stage::Bracing | Stage::Falling) && signs.up.z < LIES {
            self.stage = Stage::Down;
            events.push(Event::note(now, Severity::Error, SOURCE, "has fallen"));
        }
        if self.stage == Stage::Down {
            // it may roll over, and its head shall not be where the ground will be; one that only rocks stays as it is
            let below = -signs.vertical_soon(self.settings.foresight.ahead).xy();
            if self.towards.dot(&below) < ROLLS * below.norm() {
                self.towards = below.normalize();
            }
        }
        let moves = match self.stage {
            Stage::Upright => true,
            Stage::Bracing => foreseen.is_some(),
            Stage::Falling | Stage::Down | Stage::AtRest => self.turning.norm() > self.settings.posture.still,
        };
        self.still = if moves { 0.0 } else { self.still + self.dt };
        if self.still <= STILL || self.stage == Stage::AtRest {
            return;
        }
        let what = match self.stage {
            Stage::Bracing => "fall averted",
            _ => lies(&signs.vertical),
        };
        self.stage = if self.stage == Stage::Bracing { Stage::Upright } else { Stage::AtRest };
        events.push(Event::note(now, Severity::Info, SOURCE, what));
    }

    fn foresee(&mut self, now: Time, foreseen: &Foreseen, heading: f64, readings: &Readings, events: &mut Events) {
        let (sin, cos) = libm::sincos(heading);
        let Foreseen { reason, towards, time } = *foreseen;
        self.towards = Vector2::new(cos * towards.x + sin * towards.y, cos * towards.y - sin * towards.x);
        let way = Way::of(&self.towards);
        (self.since, self.time) = (0.0, time);
        if self.stage == Stage::Upright {
            self.stage = Stage::Bracing;
            self.hold.begin(readings);
            let what = way.foreseen(reason);
            events.push(Event::note(now, Severity::Error, SOURCE, what).with(time, f64::NAN));
        }
        if reason != Reason::Beyond {
            self.stage = Stage::Falling;
            self.hold.give_up(readings, !self.is_early());
            events.push(Event::note(now, Severity::Error, SOURCE, way.begins()).with(time, f64::NAN));
        }
    }

    /// Commands of hands and head while the legs balance.
    pub fn brace(&mut self, readings: &Readings, commands: &mut Commands) {
        if self.stage == Stage::Bracing && self.is_early() {
            let softness = self.softness(0);
            self.hold.brace(self.poses.towards(&self.towards), softness, self.dt, readings, commands);
        }
    }

    fn is_early(&self) -> bool {
        self.settings.reflex && self.settings.posture.early
    }

    fn softness(&self, soft: usize) -> Softness {
        let posture = &self.settings.posture;
        Softness {
            stiffness: [posture.stiffness[soft], posture.stiffness[0]],
            damping: posture.damping[soft],
            effort: [posture.effort, posture.leg_effort],
            speed: posture.speed,
        }
    }

    /// Commands of all joints while it falls.
    pub fn act(&mut self, readings: &Readings, commands: &mut Commands) {
        let soft = self.stage == Stage::Down || self.since > self.time - self.settings.posture.yields;
        match self.stage {
            Stage::Falling | Stage::Down if self.settings.reflex => {
                let softness = self.softness(usize::from(soft));
                self.hold.towards(self.poses.towards(&self.towards), softness, self.dt, readings, commands);
            }
            _ => self.hold.damp(commands),
        }
    }

    /// Whether it has met the ground.
    pub fn is_down(&self) -> bool {
        matches!(self.stage, Stage::Down | Stage::AtRest)
    }

    pub fn show(&self, telemetry: &mut Telemetry, signs: &Signs) {
        telemetry.scalar("fall_stage", f64::from(self.stage as u8));
        telemetry.scalar("dcm_beyond_soles [m]", signs.beyond.norm());
        telemetry.scalar("lean [rad]", signs.lean());
        telemetry.scalar("com_sunk", signs.sunk());
    }
}

/// How it lies, by the vertical as seen from the base.
fn lies(vertical: &Vector3<f64>) -> &'static str {
    match (vertical.x, vertical.y, vertical.z) {
        (x, ..) if x > FLAT => "at rest: lies on its back",
        (x, ..) if x < -FLAT => "at rest: lies on its front",
        (_, y, _) if y > FLAT => "at rest: lies on its right side",
        (_, y, _) if y < -FLAT => "at rest: lies on its left side",
        (.., z) if z > FLAT => "at rest: sits or kneels",
        (.., z) if z < -FLAT => "at rest: stands on its head",
        _ => "at rest: leans",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_the_nearest_of_four() {
        for (x, y, way) in
            [(1.0, 0.3, Way::Forward), (-1.0, 0.9, Way::Backward), (0.2, 0.3, Way::Left), (-0.2, -0.3, Way::Right)]
        {
            assert_eq!(Way::of(&Vector2::new(x, y)), way);
        }
        assert!(Way::Left.foreseen(Reason::Beyond).contains("no step can follow: to the left"));
    }

    #[test]
    fn what_points_up_tells_how_it_lies() {
        for (vertical, words) in [
            (Vector3::x(), "back"),
            (-Vector3::x(), "front"),
            (Vector3::y(), "right side"),
            (-Vector3::y(), "left side"),
            (Vector3::z(), "sits or kneels"),
            (Vector3::new(0.6, 0.6, 0.53), "leans"),
        ] {
            assert!(lies(&vertical).ends_with(words), "{vertical}: {}", lies(&vertical));
        }
    }
}
