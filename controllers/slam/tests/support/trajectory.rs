//! How the base moves through a world, as a function of time.

use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Height of the base's origin over the floor [m], about that of the centaur.
pub const BASE_HEIGHT: f64 = 0.75;

/// The base in the world as a function of time [s].
#[derive(Clone)]
pub struct Trajectory(Arc<dyn Fn(f64) -> Isometry3<f64> + Send + Sync>);

impl Trajectory {
    /// Any motion.
    pub fn new(base_in_world: impl Fn(f64) -> Isometry3<f64> + Send + Sync + 'static) -> Trajectory {
        Trajectory(Arc::new(base_in_world))
    }

    /// The base in the world at a time [s].
    pub fn at(&self, time: f64) -> Isometry3<f64> {
        (self.0)(time)
    }

    /// Standing at x, y [m] with a heading [rad].
    pub fn still(x: f64, y: f64, yaw: f64) -> Trajectory {
        Trajectory::new(move |_| upright(x, y, yaw))
    }

    /// Driving from x, y, yaw with a constant speed ahead [m/s] and turn rate [rad/s].
    pub fn arc(start: [f64; 3], speed: f64, turn_rate: f64) -> Trajectory {
        let [x, y, yaw] = start;
        Trajectory::new(move |time| {
            let turned = turn_rate * time;
            let (ahead, left) = if turn_rate.abs() < 1e-9 {
                (speed * time, 0.0)
            } else {
                (speed / turn_rate * libm::sin(turned), speed / turn_rate * (1.0 - libm::cos(turned)))
            };
            let (s, c) = (libm::sin(yaw), libm::cos(yaw));
            upright(x + c * ahead - s * left, y + s * ahead + c * left, yaw + turned)
        })
    }

    /// Along straight lines between places at a speed [m/s], looking ahead; turns on the spot take their time, at
    /// 0.5 rad/s. At the end it stands.
    pub fn path(places: &[[f64; 2]], speed: f64) -> Trajectory {
        const TURN_RATE: f64 = 0.5;
        let mut knots: Vec<(f64, [f64; 3])> = Vec::new();
        for pair in places.windows(2) {
            let (dx, dy) = (pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
            let heading = libm::atan2(dy, dx);
            let (time, before) = knots.last().map_or((0.0, heading), |(time, [_, _, yaw])| (*time, *yaw));
            let turn = robot_io::math::wrap_angle(heading - before);
            let begin = time + turn.abs() / TURN_RATE;
            let yaw = before + turn;
            knots.push((begin, [pair[0][0], pair[0][1], yaw]));
            knots.push((begin + libm::hypot(dx, dy) / speed, [pair[1][0], pair[1][1], yaw]));
        }
        Trajectory::new(move |time| {
            let after = knots.partition_point(|(knot, _)| *knot <= time);
            let (Some(last), Some(next)) = (knots.get(after.saturating_sub(1)), knots.get(after)) else {
                let [x, y, yaw] = knots.last().map_or([0.0; 3], |knot| knot.1);
                return upright(x, y, yaw);
            };
            let share = if after == 0 { 0.0 } else { (time - last.0) / (next.0 - last.0).max(1e-9) };
            let [x, y, yaw] = core::array::from_fn(|axis| last.1[axis] + share * (next.1[axis] - last.1[axis]));
            upright(x, y, yaw)
        })
    }

    /// The same motion with the base rolling and pitching by `amplitude` [rad] at `frequency` [Hz] about its place, as
    /// over rough ground.
    #[must_use]
    pub fn rocking(self, amplitude: f64, frequency: f64) -> Trajectory {
        Trajectory::new(move |time| {
            let phase = core::f64::consts::TAU * frequency * time;
            let tilt = Vector3::new(libm::sin(phase), libm::sin(0.83 * phase + 1.0), 0.0) * amplitude;
            self.at(time) * UnitQuaternion::from_scaled_axis(tilt)
        })
    }
}

fn upright(x: f64, y: f64, yaw: f64) -> Isometry3<f64> {
    Isometry3::new(Vector3::new(x, y, BASE_HEIGHT), Vector3::z() * yaw)
}
