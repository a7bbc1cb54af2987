//! Which acceleration a joint may have so that it keeps its limits of position and speed.
//!
//! After A. Del Prete, "Joint position and velocity bounds in discrete-time acceleration/torque control of robot arms", IEEE
//! Robotics and Automation Letters 3 (2018). With a constant acceleration for a time t the next state must keep three
//! limits: its speed is within its own, it comes near its position's limit no faster than it is damped critically, and from
//! it the joint can still stop before its limit with the acceleration that it is allowed (the state is viable):
//!
//! ```text
//! a ≤ (v_max − v) / t        a ≤ (room / 4t − v) / t        (v + t a)² ≤ 2 a_max (room − t v − t² a / 2)
//! ```
//!
//! where room = q_max − q. The margin is the time t: longer than a control cycle, so that a limit is approached gently and
//! what the acceleration misses can still be put right. The paper's second limit, a ≤ 2 (room − t v) / t², is for a t that is
//! the control cycle: with a longer one it is an oscillator of damping ratio 0.7, which overshoots; with 4t the ratio is 1.
//! A joint that brakes with all it has stops within a control cycle T and not at its end: up to a_max T² / 8 of its limit is
//! given away by that (25 µrad at 200 rad/s² and 1 ms).

use robot_model::JointLimits;

/// The least and the largest acceleration [rad/s² or m/s²] at a position and a velocity, with a step of `ahead` [s] and no
/// more than `most` either way. Where no acceleration keeps all limits, both are the one that brakes the most.
pub(crate) fn acceleration_range(
    limits: &JointLimits,
    position: f64,
    velocity: f64,
    ahead: f64,
    most: f64,
) -> (f64, f64) {
    let above = most_towards(limits.upper - position, limits.velocity, velocity, ahead, most);
    let below = -most_towards(position - limits.lower, limits.velocity, -velocity, ahead, most);
    if below <= above {
        return (below, above);
    }
    // both limits are too near: towards the middle of what they ask for
    let middle = 0.5 * (below + above);
    (middle, middle)
}

/// The largest acceleration towards a limit that is `room` away, and towards which something moves with `velocity`.
pub(crate) fn most_towards(room: f64, speed: f64, velocity: f64, ahead: f64, most: f64) -> f64 {
    let mut largest = most.min((speed - velocity) / ahead);
    if room.is_finite() {
        let arrives = (room / (4.0 * ahead) - velocity) / ahead;
        largest = largest.min(arrives).min(viable(room, velocity, ahead, most));
    }
    largest.max(-most)
}

/// The largest acceleration after which the joint can still stop in time. One that stops it is always among those.
fn viable(room: f64, velocity: f64, ahead: f64, most: f64) -> f64 {
    let stops = -velocity / ahead;
    // t² a² + b a + c ≤ 0
    let b = 2.0 * ahead * velocity + most * ahead * ahead;
    let c = velocity * velocity - 2.0 * most * (room - ahead * velocity);
    let discriminant = b * b - 4.0 * ahead * ahead * c;
    match discriminant >= 0.0 {
        true => stops.max((discriminant.sqrt() - b) / (2.0 * ahead * ahead)),
        false => stops,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: JointLimits = JointLimits { lower: -1.0, upper: 1.0, velocity: 3.0, effort: 10.0 };

    /// A joint that is pushed as far as it may go, up or down.
    fn pushed(cycle: f64, ahead: f64, direction: f64) -> (f64, f64) {
        let (mut position, mut velocity): (f64, f64) = (0.0, 0.0);
        let (mut farthest, mut fastest): (f64, f64) = (0.0, 0.0);
        for _ in 0..4_000 {
            let (below, above) = acceleration_range(&LIMITS, position, velocity, ahead, 50.0);
            assert!(below <= above && below >= -50.0 && above <= 50.0);
            let acceleration = if direction > 0.0 { above } else { below };
            position += cycle * velocity + 0.5 * cycle * cycle * acceleration;
            velocity += cycle * acceleration;
            farthest = farthest.max(position.abs());
            fastest = fastest.max(velocity.abs());
        }
        (farthest, fastest)
    }

    #[test]
    fn a_joint_that_is_pushed_keeps_its_limits_and_comes_near_them() {
        for direction in [-1.0, 1.0] {
            for ahead in [0.001, 0.01, 0.02] {
                let (farthest, fastest) = pushed(0.001, ahead, direction);
                let given_away = 50.0 * 0.001 * 0.001 / 8.0;
                assert!(farthest <= 1.0 + given_away && farthest > 0.999, "{farthest} with {ahead}");
                assert!(fastest <= 3.0 + 1e-9 && fastest > 2.9, "{fastest} with {ahead}");
            }
        }
    }

    #[test]
    fn a_joint_beyond_its_limit_is_brought_back() {
        let (below, above) = acceleration_range(&LIMITS, 1.2, 0.0, 0.01, 50.0);
        assert_eq!((below, above), (-50.0, -50.0));
    }

    #[test]
    fn a_joint_without_limits_may_do_all() {
        let free = JointLimits { lower: f64::NEG_INFINITY, upper: f64::INFINITY, velocity: f64::INFINITY, effort: 1.0 };
        assert_eq!(acceleration_range(&free, 100.0, -7.0, 0.01, 50.0), (-50.0, 50.0));
    }
}
