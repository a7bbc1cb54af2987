//! What only passes by is no part of the map.

use nalgebra::{Point3, Vector2, Vector3};
use robot_io::{State, Time};

use crate::Sweep;

/// What is seen of a thing may lie so far beyond what is known of its width and place [m].
const SLACK: f64 = 0.35;
/// Marks that it has left on the map lie within what is known of its width, and this [m].
const BESIDE: f64 = 0.1;
/// A point nearer than this to the ground under the thing is ground and stays [m].
const GROUND: f64 = 0.15;

/// A thing that moves, as somebody else follows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Passing {
    /// When it was at its place.
    pub time: Time,
    /// Where it was, in the odometry frame [m].
    pub place: Vector2<f64>,
    /// Where it came from, straight to its place, on the ground, in the odometry frame [m].
    pub from: Vector3<f64>,
    /// Its velocity in the odometry frame [m/s].
    pub velocity: Vector2<f64>,
    /// Radius of a circle that holds it [m].
    pub radius: f64,
    /// Height of the ground under it, in the odometry frame [m].
    pub floor: f64,
}

impl Passing {
    /// True if a point in the odometry frame lies on it at a time [s].
    fn holds(&self, point: &Point3<f64>, time: f64) -> bool {
        let centre = self.place + self.velocity * (time - self.time.seconds());
        let reach = self.radius + SLACK;
        point.z > self.floor + GROUND && (point.xy().coords - centre).norm_squared() < reach * reach
    }

    /// True if a point in the odometry frame stands where the thing has driven.
    pub(crate) fn has_driven_through(&self, point: &Point3<f64>) -> bool {
        let way = self.place - self.from.xy();
        let along = (point.xy().coords - self.from.xy()).dot(&way) / way.norm_squared().max(1e-9);
        let along = along.clamp(0.0, 1.0);
        let aside = (point.xy().coords - self.from.xy() - along * way).norm();
        let floor = self.from.z + along * (self.floor - self.from.z);
        aside < self.radius + BESIDE && point.z > floor + GROUND
    }
}

/// Takes out of a sweep what it shows of things that pass by.
pub(crate) fn take_out(sweep: &mut Sweep, passing: &[Passing]) {
    if passing.is_empty() {
        return;
    }
    let (base, end) = (sweep.base_in_odom, sweep.end.seconds());
    sweep.points.retain(|point| {
        let place = base * Point3::from(point.position).cast::<f64>();
        !passing.iter().any(|thing| thing.holds(&place, end + f64::from(point.time)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SweepPoint;

    fn thing() -> Passing {
        Passing {
            time: Time::from_seconds(10.0),
            place: Vector2::new(3.0, 0.0),
            from: Vector3::new(6.0, 0.0, 0.3),
            velocity: Vector2::new(-1.0, 0.0),
            radius: 0.4,
            floor: 0.0,
        }
    }

    #[test]
    fn where_it_has_driven_nothing_stands_but_the_ground_stays() {
        let has_driven_through = |x, y, z| thing().has_driven_through(&Point3::new(x, y, z));
        for (x, y, z) in [(6.2, 0.0, 0.6), (4.0, 0.4, 0.5), (2.7, 0.0, 0.5)] {
            assert!(has_driven_through(x, y, z), "{x}, {y}, {z}");
        }
        for (x, y, z) in [(6.6, 0.0, 0.6), (4.0, 0.6, 0.5), (2.4, 0.0, 0.5), (6.0, 0.0, 0.4), (4.5, 0.0, 0.2)] {
            assert!(!has_driven_through(x, y, z), "{x}, {y}, {z}");
        }
    }

    #[test]
    fn what_passes_by_is_taken_out_where_it_was_when_it_was_seen() {
        let point = |x: f32, z: f32, time: f32| SweepPoint { position: [x, 0.0, z], time, ..SweepPoint::default() };
        let mut sweep = Sweep {
            begin: Time::from_seconds(9.0),
            end: Time::from_seconds(10.5),
            // on it now; where it is now, a second ago; on it a second ago; the ground beneath it
            points: vec![point(2.3, 0.5, 0.0), point(2.3, 0.5, -1.0), point(3.4, 0.5, -1.0), point(2.5, 0.05, 0.0)],
            ..Sweep::default()
        };
        take_out(&mut sweep, &[thing()]);
        let left: Vec<(f32, f32)> = sweep.points.iter().map(|point| (point.position[0], point.time)).collect();
        assert_eq!(left, [(2.3, -1.0), (2.5, 0.0)]);
    }
}
