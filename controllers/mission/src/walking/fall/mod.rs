//! Falling well: foreseen, with hands out and legs bent, on soft joints, and told.
//!
//! A robot that cannot avert a fall any more ([`foresight`]) stops balancing. Its joints go to a pose for the way it falls ([`pose`]), stiff
//! enough to get there, and become soft shortly before the ground is met ([`hold`]). When it lies still they are only damped.

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

/// A base that leans more than this lies: the cosine of 60°.
const LIES: f64 = 0.5;
/// It must have been still for so long [s].
const STILL: f64 = 0.5;
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
    const ALL: [Way; 4] = [Way::Forward, Way::Backward, Way::Left, Way::Right];

    /// The way of a direction ahead and to the left.
    fn of(direction: &Vector2<f64>) -> Way {
        match direction.x.abs() >= direction.y.abs() {
            true if direction.x >= 0.0 => Way::Forward,
            true => Way::Backward,
            false if direction.y >= 0.0 => Way::Left,
            false => Way::Right,
        }
    }

    /// Among forward, backward, sideways.
    fn number(self) -> usize {
        match self {
            Way::Forward => 0,
            Way::Backward => 1,
            Way::Left | Way::Right => 2,
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
}

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
enum Stage {
    /// It stands or walks.
    #[default]
    Upright,
    /// It cannot avert the fall any more.
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
    /// For each way, the joints' places [rad].
    #[state(fixed)]
    poses: [Vec<f64>; 4],
    foresight: Foresight,
    hold: Hold,
    stage: Stage,
    way: Way,
    /// Since it was foreseen, and how long it would take until the ground is met [s].
    since: f64,
    time: f64,
    /// For how long it has been still [s].
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
        let poses = pose::of_ways(model, tree, feet, &settings.posture);
        Ok(Fall {
            settings: *settings,
            dt,
            poses: poses.map_err(|error| refused("falling", &error))?,
            foresight: Foresight::default(),
            hold: Hold::new(model),
            stage: Stage::Upright,
            way: Way::Forward,
            since: 0.0,
            time: 0.0,
            still: 0.0,
        })
    }

    /// It stands again.
    pub fn reset(&mut self) {
        (self.foresight, self.stage, self.still) = (Foresight::default(), Stage::Upright, 0.0);
    }

    /// Whether the body shall do nothing but fall.
    pub fn is_under_way(&self) -> bool {
        match self.stage {
            Stage::Upright => false,
            Stage::Falling => self.settings.reflex,
            Stage::Down | Stage::AtRest => true,
        }
    }

    /// Looks once a cycle; `heading` is that of the base [rad].
    pub fn look(&mut self, now: Time, signs: &Signs, heading: f64, readings: &Readings, events: &mut Events) {
        let foreseen = self.foresight.look(signs, &self.settings.foresight, self.dt);
        self.since += self.dt;
        match self.stage {
            Stage::Upright => {
                if let Some(foreseen) = foreseen {
                    self.begin(now, &foreseen, heading, readings, events);
                }
            }
            // without the reflex the robot goes on balancing, and may have been right to do so
            Stage::Falling if foreseen.is_none() && !self.settings.reflex => self.stage = Stage::Upright,
            Stage::Falling | Stage::Down | Stage::AtRest => {}
        }
        if matches!(self.stage, Stage::Upright | Stage::Falling) && signs.up.z < LIES {
            self.stage = Stage::Down;
            events.push(Event::note(now, Severity::Error, SOURCE, "has fallen"));
        }
        let moves = signs.turning.norm() > self.settings.posture.still;
        self.still = if moves || !self.is_under_way() { 0.0 } else { self.still + self.dt };
        if self.stage != Stage::AtRest && self.still > STILL {
            self.stage = Stage::AtRest;
            events.push(Event::note(now, Severity::Info, SOURCE, lies(&signs.vertical)));
        }
    }

    fn begin(&mut self, now: Time, foreseen: &Foreseen, heading: f64, readings: &Readings, events: &mut Events) {
        let (sin, cos) = libm::sincos(heading);
        let Foreseen { reason, towards, time } = *foreseen;
        let seen = Vector2::new(cos * towards.x + sin * towards.y, cos * towards.y - sin * towards.x);
        (self.stage, self.way) = (Stage::Falling, Way::of(&seen));
        (self.since, self.time, self.still) = (0.0, time, 0.0);
        self.hold.begin(readings);
        let what = self.way.foreseen(reason);
        events.push(Event::note(now, Severity::Error, SOURCE, what).with(time, f64::NAN));
    }

    /// Commands of all joints while it falls.
    pub fn act(&mut self, readings: &Readings, commands: &mut Commands) {
        let soft = self.stage == Stage::Down || self.since > self.time - self.settings.posture.yields;
        match self.stage {
            Stage::Falling | Stage::Down if self.settings.reflex => {
                let posture = &self.settings.posture;
                let softness = Softness {
                    stiffness: posture.stiffness[usize::from(soft)],
                    damping: posture.damping[usize::from(soft)],
                    effort: posture.effort,
                    speed: posture.speed,
                };
                self.hold.towards(&self.poses[self.way as usize], softness, self.dt, readings, commands);
            }
            _ => self.hold.damp(commands),
        }
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
