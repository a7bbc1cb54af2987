//! The way ahead as a smooth, evenly sampled path.

use robot_io::math::wrap_angle;
use robot_io::{Pose2, State};

/// A place on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Waypoint {
    /// The pose there.
    pub pose: Pose2,
    /// Not faster than this on the way there [m/s].
    pub speed: f64,
    /// The path may miss the place by so much to round the corner [m]; zero where the robot stops.
    pub rounding: f64,
}

/// One sample of the way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// The pose there.
    pub pose: Pose2,
    /// The way from the start [m].
    pub travelled: f64,
    /// The leg's speed limit [m/s].
    pub speed: f64,
}

/// The path from `start` through `waypoints`, sampled about every `spacing` [m], not longer than `horizon` [m].
///
/// Legs are straight, as the robot drives them; corners at places that are only passed are rounded by a quadratic
/// Bézier curve. One that begins and ends the distance d from its corner passes it within d/2, so d = 2·rounding.
pub fn smooth(start: &Pose2, waypoints: &[Waypoint], spacing: f64, horizon: f64, out: &mut Vec<Sample>) {
    out.clear();
    let speed = waypoints.first().map_or(0.0, |first| first.speed);
    out.push(Sample { pose: *start, travelled: 0.0, speed });
    let mut from = *start;
    for (index, waypoint) in waypoints.iter().enumerate() {
        let corner = waypoint.pose;
        let next = waypoints.get(index + 1).filter(|_| waypoint.rounding > 0.0);
        let Some(next) = next else {
            line(out, &from, &corner, waypoint.speed, spacing, horizon);
            from = corner;
            continue;
        };
        let reach = (2.0 * waypoint.rounding).min(0.5 * from.distance(&corner)).min(0.5 * corner.distance(&next.pose));
        let (enter, leave) = (towards(&corner, &from, reach), towards(&corner, &next.pose, reach));
        line(out, &from, &enter, waypoint.speed, spacing, horizon);
        bend(out, &enter, &corner, &leave, waypoint.speed.min(next.speed), spacing, horizon);
        from = leave;
    }
}

fn line(out: &mut Vec<Sample>, from: &Pose2, to: &Pose2, speed: f64, spacing: f64, horizon: f64) {
    let pieces = pieces(from.distance(to), spacing);
    for piece in 1..=pieces {
        push(out, mix(from, to, piece as f64 / pieces as f64), speed, horizon);
    }
}

fn bend(out: &mut Vec<Sample>, enter: &Pose2, corner: &Pose2, leave: &Pose2, speed: f64, spacing: f64, horizon: f64) {
    let pieces = pieces(enter.distance(corner) + corner.distance(leave), spacing);
    for piece in 1..=pieces {
        let t = piece as f64 / pieces as f64;
        push(out, mix(&mix(enter, corner, t), &mix(corner, leave, t), t), speed, horizon);
    }
}

/// Pieces of about `spacing`; at least one, so that a turn on the spot has its sample, too.
fn pieces(length: f64, spacing: f64) -> usize {
    ((length / spacing) as usize + 1).min(100_000)
}

fn push(out: &mut Vec<Sample>, pose: Pose2, speed: f64, horizon: f64) {
    let Some(last) = out.last() else { return };
    let travelled = last.travelled + last.pose.distance(&pose);
    if travelled <= horizon {
        out.push(Sample { pose, travelled, speed });
    }
}

/// The pose at fraction `t` of the way, turning evenly and the shorter way round.
fn mix(a: &Pose2, b: &Pose2, t: f64) -> Pose2 {
    let turn = wrap_angle(b.yaw - a.yaw);
    Pose2 { x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y), yaw: wrap_angle(a.yaw + t * turn) }
}

/// The pose `reach` [m] from `from` on the way to `to`.
fn towards(from: &Pose2, to: &Pose2, reach: f64) -> Pose2 {
    let distance = from.distance(to);
    if distance > 0.0 { mix(from, to, (reach / distance).min(1.0)) } else { *from }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64, rounding: f64) -> Waypoint {
        Waypoint { pose: Pose2 { x, y, yaw: 0.0 }, speed: 0.5, rounding }
    }

    fn path(waypoints: &[Waypoint]) -> Vec<Sample> {
        let mut out = Vec::new();
        smooth(&Pose2::default(), waypoints, 0.1, 50.0, &mut out);
        out
    }

    fn nearest(path: &[Sample], x: f64, y: f64) -> f64 {
        let place = Pose2 { x, y, yaw: 0.0 };
        path.iter().map(|sample| sample.pose.distance(&place)).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_corner_that_is_passed_is_rounded_within_its_tolerance() {
        let path = path(&[at(2.0, 0.0, 0.2), at(2.0, 2.0, 0.0)]);
        let missed = nearest(&path, 2.0, 0.0);
        assert!(missed > 0.05 && missed <= 0.2, "passes the corner at {missed} m");
        let gaps: Vec<f64> = path.windows(2).map(|pair| pair[1].travelled - pair[0].travelled).collect();
        assert!(gaps.iter().all(|gap| *gap <= 0.1 + 1e-9), "{gaps:?}");
    }

    #[test]
    fn a_place_where_the_robot_stops_lies_on_the_path() {
        let path = path(&[at(2.0, 0.0, 0.0), at(2.0, 2.0, 0.0)]);
        assert!(nearest(&path, 2.0, 0.0) < 1e-12);
    }

    #[test]
    fn it_ends_at_the_horizon() {
        let path = path(&[at(500.0, 0.0, 0.0)]);
        let last = path[path.len() - 1];
        assert!(last.travelled > 49.8 && last.travelled <= 50.0, "{last:?}");
    }
}
