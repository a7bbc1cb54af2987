//! Whether a fall can still be averted, by what the robot itself knows.
//!
//! The body falls about its soles as a pendulum. Three things tell of it long before it lies: its base leans, and the faster the
//! worse; its centre of mass sinks, because a leg gives way; or its divergent component of motion (DCM) is farther outside of the
//! soles than a step can follow.

use nalgebra::{UnitQuaternion, Vector2, Vector3};
use robot_io::State;

use crate::fall_settings::ForesightSettings;

const GRAVITY: f64 = 9.81;
/// Step in which the pendulum is followed [s], and for how many of them.
const STEP: f64 = 0.005;
const STEPS: u32 = 400;

/// What is known of the body in a cycle, in the odometry frame.
#[derive(Clone, Copy, Debug)]
pub(in crate::walking) struct Signs {
    /// Upward axis of the base.
    pub up: Vector3<f64>,
    /// The vertical as seen from the base.
    pub vertical: Vector3<f64>,
    /// Angular velocity of the base, and the same as seen from the base [rad/s].
    pub turning: Vector3<f64>,
    pub turning_in_base: Vector3<f64>,
    /// Centre of mass and its velocity [m], [m/s].
    pub com: Vector3<f64>,
    pub com_velocity: Vector3<f64>,
    /// What its height over the lowest sole shall be [m].
    pub height: f64,
    /// Height of the lowest sole [m].
    pub ground: f64,
    /// The soles' point that is nearest to the DCM [m].
    pub pivot: Vector2<f64>,
    /// From there to the DCM [m].
    pub beyond: Vector2<f64>,
    /// Whether no step can bring the robot to rest.
    pub is_lost: bool,
}

/// Why a fall cannot be averted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub(in crate::walking) enum Reason {
    #[default]
    Leans,
    Sinks,
    Beyond,
}

/// A fall that is coming.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::walking) struct Foreseen {
    pub reason: Reason,
    /// Where it goes, in the odometry frame; a unit vector.
    pub towards: Vector2<f64>,
    /// Until the ground is met [s].
    pub time: f64,
}

/// For how long the signs have been bad.
#[derive(Clone, Copy, Debug, Default, State)]
pub(in crate::walking) struct Foresight {
    bad: f64,
}

impl Foresight {
    /// Looks once, `dt` [s] after the last time.
    pub fn look(&mut self, signs: &Signs, settings: &ForesightSettings, dt: f64) -> Option<Foreseen> {
        let reason = signs.reason(settings);
        self.bad = if reason.is_some() { self.bad + dt } else { 0.0 };
        let reason = reason.filter(|_| self.bad >= settings.sure)?;
        let towards = signs.towards();
        Some(Foreseen { reason, towards, time: signs.time_to_impact(&towards, settings.impact) })
    }
}

impl Signs {
    /// Angle between the base and the vertical [rad].
    pub fn lean(&self) -> f64 {
        libm::acos(self.up.z.clamp(-1.0, 1.0))
    }

    /// The vertical as seen from the base, if that goes on turning as it does for a time [s].
    pub fn vertical_soon(&self, ahead: f64) -> Vector3<f64> {
        UnitQuaternion::from_scaled_axis(-ahead * self.turning_in_base) * self.vertical
    }

    /// How fast that grows [rad/s].
    fn lean_rate(&self) -> f64 {
        let across = self.up.xy().norm();
        let falling = self.turning.cross(&self.up);
        if across < 1e-6 { falling.xy().norm() } else { falling.xy().dot(&self.up.xy()) / across }
    }

    /// The share of its height by which the centre of mass is too low.
    pub fn sunk(&self) -> f64 {
        1.0 - (self.com.z - self.ground) / self.height
    }

    fn reason(&self, settings: &ForesightSettings) -> Option<Reason> {
        let lean = self.lean();
        let soon = lean + settings.ahead * self.lean_rate().max(0.0);
        let beyond = self.beyond.norm();
        // a base that stands upright may turn fast for a moment
        if lean > settings.lean || (soon > settings.lean && lean > 0.5 * settings.lean) {
            return Some(Reason::Leans);
        }
        if self.sunk() > settings.sunk {
            return Some(Reason::Sinks);
        }
        (beyond > settings.beyond || (self.is_lost && beyond > settings.lost)).then_some(Reason::Beyond)
    }

    /// Where the fall goes: the way of the DCM from the soles, or else the way that the base leans.
    fn towards(&self) -> Vector2<f64> {
        let leans = self.up.xy() * self.height;
        let way = self.beyond + leans;
        way.try_normalize(1e-6).unwrap_or_else(Vector2::x)
    }

    /// Until a pendulum from the soles to the centre of mass is that far from the vertical [s]: it turns with θ̈ = g/l sin θ.
    fn time_to_impact(&self, towards: &Vector2<f64>, impact: f64) -> f64 {
        let off = (self.com.xy() - self.pivot).dot(towards);
        let height = (self.com.z - self.ground).max(0.05);
        let square = off * off + height * height;
        let speed = self.com_velocity.xy().dot(towards);
        let mut angle = libm::atan2(off, height);
        let mut rate = (height * speed - off * self.com_velocity.z) / square;
        let mut steps = 0;
        while angle < impact && steps < STEPS {
            rate += GRAVITY / square.sqrt() * libm::sin(angle) * STEP;
            angle += rate * STEP;
            steps += 1;
        }
        STEP * f64::from(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_io::Settings as _;

    const HEIGHT: f64 = 0.9;

    fn standing() -> Signs {
        Signs {
            up: Vector3::z(),
            vertical: Vector3::z(),
            turning: Vector3::zeros(),
            turning_in_base: Vector3::zeros(),
            com: Vector3::new(0.0, 0.0, HEIGHT),
            com_velocity: Vector3::zeros(),
            height: HEIGHT,
            ground: 0.0,
            pivot: Vector2::zeros(),
            beyond: Vector2::zeros(),
            is_lost: false,
        }
    }

    /// What is foreseen after signs have lasted for a while.
    fn foreseen(signs: &Signs, lasting: f64) -> Option<Foreseen> {
        let settings = ForesightSettings::default();
        assert!(settings.check().is_ok());
        let mut foresight = Foresight::default();
        let cycles = (0..).take_while(|cycle| f64::from(*cycle) * 0.001 < lasting);
        cycles.fold(None, |_, _| foresight.look(signs, &settings, 0.001))
    }

    #[test]
    fn who_stands_or_takes_a_step_does_not_fall() {
        assert_eq!(foreseen(&standing(), 1.0), None);
        let stepping = Signs { beyond: Vector2::new(0.25, 0.1), turning: Vector3::new(0.0, 1.0, 0.0), ..standing() };
        assert_eq!(foreseen(&stepping, 1.0), None);
    }

    #[test]
    fn each_sign_tells_where_the_fall_goes_once_it_has_lasted() {
        let leans = Signs { up: Vector3::new(-0.75, 0.0, 0.66), ..standing() };
        let sinks = Signs { com: Vector3::new(0.1, 0.0, 0.4), beyond: Vector2::new(0.0, -0.1), ..standing() };
        let beyond = Signs { beyond: Vector2::new(0.0, 0.6), ..standing() };
        let lost = Signs { beyond: Vector2::new(0.4, 0.0), is_lost: true, ..standing() };
        let cases = [
            (leans, Reason::Leans, -Vector2::x()),
            (sinks, Reason::Sinks, -Vector2::y()),
            (beyond, Reason::Beyond, Vector2::y()),
            (lost, Reason::Beyond, Vector2::x()),
        ];
        for (signs, reason, towards) in cases {
            assert_eq!(foreseen(&signs, 0.01), None, "{signs:?}");
            let found = foreseen(&signs, 0.1);
            assert!(found.is_some_and(|it| it.reason == reason && (it.towards - towards).norm() < 1e-6), "{found:?}");
        }
    }

    #[test]
    fn a_base_that_tips_fast_falls_sooner() {
        let up = Vector3::new(0.4, 0.0, 0.9165);
        let [slow, fast] = [0.0, 3.0].map(|rate| Signs { up, turning: Vector3::new(0.0, rate, 0.0), ..standing() });
        assert_eq!(foreseen(&slow, 0.1), None);
        assert!(foreseen(&fast, 0.1).is_some());
        let back = Signs { turning: Vector3::new(0.0, -3.0, 0.0), ..slow };
        assert_eq!(foreseen(&back, 0.1), None, "it rights itself");
    }

    #[test]
    fn the_time_is_that_of_a_pendulum() {
        let at = |off: f64, speed: f64| {
            let signs = Signs { com: Vector3::new(off, 0.0, HEIGHT), com_velocity: Vector3::x() * speed, ..standing() };
            signs.time_to_impact(&Vector2::x(), 1.1)
        };
        // small angles: θ = θ₀ cosh(ω t), ω = √(g/l); 0.1 rad to 0.3 rad takes acosh(3)/ω
        let signs = Signs { com: Vector3::new(0.1, 0.0, 1.0), ..standing() };
        let expected = libm::acosh(3.0) / GRAVITY.sqrt();
        assert!((signs.time_to_impact(&Vector2::x(), 0.3) - expected).abs() < 0.02);
        assert!(at(0.2, 0.0) > at(0.3, 0.0) && at(0.3, 0.0) > at(0.3, 1.0) && at(0.3, 1.0) > 0.1);
    }
}
