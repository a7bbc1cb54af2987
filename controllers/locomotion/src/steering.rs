//! One steered pair of wheels: which way it shall head, and how it gets there.

use core::f64::consts::PI;

use robot_io::State;
use robot_io::math::{cos, sin, wrap_angle};

use crate::settings::DriveSettings;

/// The commanded heading of a pair.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Steering {
    /// Heading in the base's level frame [rad]; the pair rolls along it or backwards.
    pub heading: f64,
    /// Its rate [rad/s].
    pub rate: f64,
}

impl Steering {
    /// The heading along `direction`, forwards or backwards, that is nearest to the present one and within `range`.
    ///
    /// What would leave little room to steer on costs a little, so that a robot about to start does not wind up.
    pub fn nearest(&self, direction: f64, range: (f64, f64)) -> f64 {
        const ROOM: f64 = 0.3;
        const COST: f64 = 0.5;
        let cost = |heading: f64| {
            let room = (heading - range.0).min(range.1 - heading);
            (heading - self.heading).abs() + COST * (ROOM - room).max(0.0) / ROOM
        };
        best(direction, self.heading, range, cost)
    }

    /// The heading along `direction` with the most room to steer on, of those that are no more than `turn` [rad] away: for a pair
    /// that has to wait for others to turn so far. Of two with equal room, the one that rolls forwards.
    pub fn roomiest(&self, direction: f64, range: (f64, f64), turn: f64) -> f64 {
        const EQUAL: f64 = 0.1;
        let cost = |heading: f64| {
            let room = (heading - range.0).min(range.1 - heading);
            let forwards = if cos(heading - direction) > 0.0 { EQUAL } else { 0.0 };
            if (heading - self.heading).abs() <= turn { -room - forwards } else { f64::INFINITY }
        };
        best(direction, self.heading, range, cost)
    }

    /// The heading along `direction` that is nearest to one that was chosen before.
    pub fn still(chosen: f64, direction: f64, range: (f64, f64)) -> f64 {
        best(direction, chosen, range, |heading| (heading - chosen).abs())
    }

    /// Turns towards `target` from rest to rest, within the limits of rate and acceleration, and never out of `range`.
    pub fn turn_to(&mut self, target: f64, range: (f64, f64), dt: f64, with: &DriveSettings) {
        let error = target - self.heading;
        // v² = 2 a d: what can still be braked
        let brake = (2.0 * with.steer_acceleration * error.abs()).sqrt();
        let wanted = error.signum() * brake.min(with.steer_rate).min(error.abs() / dt);
        let change = with.steer_acceleration * dt;
        // the last step may brake harder than the limit by a hair: it ends exactly on the target
        self.rate = if wanted.abs() < self.rate.abs() && wanted * self.rate >= 0.0 {
            wanted
        } else {
            wanted.clamp(self.rate - change, self.rate + change)
        };
        // a target that has just turned over finds the pair on its way to the other end of its range
        let next = (self.heading + self.rate * dt).clamp(range.0, range.1);
        self.rate = (next - self.heading) / dt;
        self.heading = next;
    }

    /// Follows `target` in one step.
    pub fn follow(&mut self, target: f64, dt: f64) {
        self.rate = (target - self.heading) / dt;
        self.heading = target;
    }

    /// Stays as it is.
    pub fn hold(&mut self) {
        self.rate = 0.0;
    }

    /// The part of a velocity that lies along the heading [m/s].
    pub fn along(&self, velocity: (f64, f64)) -> f64 {
        velocity.0 * cos(self.heading) + velocity.1 * sin(self.heading)
    }
}

/// The cheapest heading within `range` along `direction`, forwards or backwards; `near` is where headings are looked for.
fn best(direction: f64, near: f64, range: (f64, f64), cost: impl Fn(f64) -> f64) -> f64 {
    let forwards = near + wrap_angle(direction - near);
    let mut best: Option<f64> = None;
    for turn in -3..=3 {
        let heading = forwards + f64::from(turn) * PI;
        let allowed = heading >= range.0 && heading <= range.1;
        if allowed && best.is_none_or(|best| cost(heading) < cost(best)) {
            best = Some(heading);
        }
    }
    best.unwrap_or_else(|| forwards.clamp(range.0, range.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: (f64, f64) = (-3.1, 3.1);

    #[test]
    fn backwards_is_rolled_not_turned() {
        let pair = Steering::default();
        assert!(pair.nearest(PI, RANGE).abs() < 1e-12);
        assert!((pair.nearest(2.0, RANGE) - (2.0 - PI)).abs() < 1e-12);
        assert!((pair.nearest(-0.4, RANGE) + 0.4).abs() < 1e-12);
    }

    #[test]
    fn at_its_limit_a_pair_turns_over() {
        let pair = Steering { heading: 3.05, rate: 0.0 };
        let next = pair.nearest(3.15, RANGE);
        assert!((next - (3.15 - PI)).abs() < 1e-12, "{next}");
    }

    #[test]
    fn who_has_to_wait_for_others_makes_room() {
        let wound_up = Steering { heading: 3.05, rate: 0.0 };
        assert!((wound_up.roomiest(3.05, RANGE, 3.2) - (3.05 - PI)).abs() < 1e-12);
        assert!((wound_up.roomiest(3.05, RANGE, 1.0) - 3.05).abs() < 1e-12, "not farther than the others");
        let sideways = Steering { heading: 0.0, rate: 0.0 };
        for side in [-0.5 * PI, 0.5 * PI] {
            assert!(
                (sideways.roomiest(side, RANGE, 0.5 * PI + 1e-9) - side).abs() < 1e-12,
                "forwards of two that are equal"
            );
        }
    }

    #[test]
    fn turning_ends_at_rest_on_the_target_and_keeps_its_limits() {
        let with = DriveSettings::default();
        let mut pair = Steering::default();
        let mut fastest: f64 = 0.0;
        for _ in 0..500 {
            let before = pair.rate;
            pair.turn_to(1.5, RANGE, 0.004, &with);
            fastest = fastest.max(pair.rate);
            assert!(pair.rate - before <= with.steer_acceleration * 0.004 + 1e-12);
        }
        assert!((pair.heading - 1.5).abs() < 1e-9 && pair.rate.abs() < 1e-9, "{pair:?}");
        assert!((fastest - with.steer_rate).abs() < 1e-9);
    }
}
