//! From where the base is told to be to where it shall be, without jerks.

use robot_io::math::hypot;
use robot_io::{Settings, State, Time, Twist};

use crate::posture::minimum_jerk;
use crate::stance::Stance;

/// How quickly a velocity may change.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Settings)]
#[serde(deny_unknown_fields)]
pub struct RampLimits {
    /// Change of the linear velocity [m/s²].
    #[setting(0.4, positive)]
    pub acceleration: f64,
    /// Change of the angular velocity [rad/s²].
    #[setting(0.8, positive)]
    pub yaw_acceleration: f64,
}

/// A part of a velocity.
pub(crate) fn scaled(twist: &Twist, share: f64) -> Twist {
    Twist { x: share * twist.x, y: share * twist.y, yaw: share * twist.yaw }
}

/// `from`, brought nearer to `to` by what the limits allow in `dt` [s]. The linear velocity changes as a vector, so that
/// a stop keeps its direction.
pub fn approach(from: &Twist, to: &Twist, limits: &RampLimits, dt: f64) -> Twist {
    let (dx, dy, dyaw) = (to.x - from.x, to.y - from.y, to.yaw - from.yaw);
    let (change, step, turn) = (hypot(dx, dy), limits.acceleration * dt, limits.yaw_acceleration * dt);
    let (x, y) = if change <= step { (to.x, to.y) } else { (from.x + dx * step / change, from.y + dy * step / change) };
    let yaw = if dyaw.abs() <= turn { to.yaw } else { from.yaw + turn * dyaw.signum() };
    Twist { x, y, yaw }
}

/// A change of stance.
#[derive(Clone, Copy, Debug, Default, State)]
pub struct StanceRamp {
    from: Stance,
    to: Stance,
    begun: Time,
    seconds: f64,
}

impl StanceRamp {
    /// A stance that stays as it is.
    pub fn hold(stance: Stance) -> StanceRamp {
        StanceRamp { from: stance, to: stance, begun: Time::ZERO, seconds: 0.0 }
    }

    /// Begins to change to `to` within `seconds` [s].
    pub fn go_to(&mut self, to: Stance, seconds: f64, now: Time) {
        *self = StanceRamp { from: self.at(now), to, begun: now, seconds };
    }

    /// The stance at this time.
    pub fn at(&self, now: Time) -> Stance {
        let (share, _) = minimum_jerk(now.since(self.begun), self.seconds);
        self.from.mix(&self.to, share)
    }

    /// The stance that it leads to.
    pub fn target(&self) -> Stance {
        self.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_takes_its_time_and_keeps_its_direction() {
        let limits = RampLimits { acceleration: 0.5, yaw_acceleration: 1.0 };
        let mut twist = Twist { x: 0.3, y: 0.4, yaw: -0.2 };
        let mut cycles = 0;
        while !twist.is_zero() {
            twist = approach(&twist, &Twist::default(), &limits, 0.01);
            assert!(twist.is_zero() || (twist.y / twist.x - 4.0 / 3.0).abs() < 1e-9 || twist.x == 0.0, "{twist:?}");
            cycles += 1;
        }
        assert_eq!(cycles, 100, "0.5 m/s at 0.5 m/s²");
    }

    #[test]
    fn a_stance_is_reached_in_its_time_and_a_new_one_starts_from_where_it_is() {
        let up = Stance { height: 0.8, ..Stance::default() };
        let mut ramp = StanceRamp::hold(Stance { height: 0.6, ..Stance::default() });
        ramp.go_to(up, 2.0, Time::from_seconds(1.0));
        assert!((ramp.at(Time::from_seconds(2.0)).height - 0.7).abs() < 1e-12);
        let before = ramp.at(Time::from_seconds(1.7)).height;
        ramp.go_to(Stance::default(), 1.0, Time::from_seconds(1.7));
        assert_eq!(ramp.at(Time::from_seconds(1.7)).height, before);
        assert_eq!(ramp.at(Time::from_seconds(9.0)), Stance::default());
        ramp.go_to(up, 0.0, Time::from_seconds(9.0));
        assert_eq!(ramp.at(Time::from_seconds(9.0)).height, 0.8, "at once");
    }
}
