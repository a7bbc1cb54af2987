//! How near to a goal out of reach one can come, and what is in the way of the rest.

use core::fmt;

use robot_io::{Pose2, State};

use crate::{FORBIDDEN, NavigationMap, Refusal};

/// What is higher than this stands in the way [m].
const LEVEL: f64 = 0.05;

/// How near to a goal out of reach one can come.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Reach {
    /// The reachable place that is nearest to the goal, on the map.
    pub nearest: Pose2,
    /// How far the goal is from there [m].
    pub distance: f64,
    /// Why there is no way.
    pub refusal: Refusal,
    /// What is in the way, on the straight line from there to the goal.
    pub barrier: Barrier,
}

/// What is in the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Barrier {
    /// Its nearest place, on the map [m].
    pub at: [f64; 2],
    /// How much higher than the ground before it, lower if negative [m]; not-a-number for a drop whose bottom nobody sees and where
    /// nothing is in the way.
    pub rise: f64,
    /// What kind of thing.
    pub kind: BarrierKind,
}

/// Kinds of barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum BarrierKind {
    /// Nothing that the map shows on the straight line.
    #[default]
    Nothing,
    /// The ground falls off.
    Drop,
    /// Something stands there, or the ground rises too much.
    Obstacle,
}

impl Reach {
    /// How near to a goal one comes at `nearest`.
    pub fn of(map: &NavigationMap, nearest: &Pose2, goal: &Pose2, refusal: Refusal) -> Reach {
        let barrier = Barrier::between(map, nearest, goal);
        Reach { nearest: *nearest, distance: nearest.distance(goal), refusal, barrier }
    }
}

impl Barrier {
    /// The first forbidden ground on the straight line between two places.
    fn between(map: &NavigationMap, from: &Pose2, to: &Pose2) -> Barrier {
        let (frame, costs) = (map.frame(), map.costs());
        let length = from.distance(to);
        let steps = libm::ceil(2.0 * length / frame.cell.max(1e-6)).min(1e4) as usize;
        let ground = map.height_at(from.x, from.y).unwrap_or(f64::NAN);
        for step in 0..=steps {
            let share = step as f64 / steps.max(1) as f64;
            let at = [from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)];
            let Some(cell) = frame.index_at(at[0], at[1]) else { break };
            if costs.cost[cell] < FORBIDDEN {
                continue;
            }
            let rise = beyond(map, at, from, to) - ground;
            // the last ground before a drop is level, and forbidden too
            if map.is_missing_at(at[0], at[1]) || rise < 0.0 || rise < LEVEL && falls_off(map, at, from, to) {
                let rise = if (0.0..LEVEL).contains(&rise) { f64::NAN } else { rise };
                return Barrier { at, rise, kind: BarrierKind::Drop };
            }
            return Barrier { at, rise, kind: BarrierKind::Obstacle };
        }
        Barrier::beside(map, from, to)
    }

    /// The nearest forbidden ground beside a place, towards another.
    fn beside(map: &NavigationMap, from: &Pose2, to: &Pose2) -> Barrier {
        const REACH: f64 = 1.2;
        let (frame, costs) = (map.frame(), map.costs());
        let forbidden = frame.square(from.x, from.y, REACH).filter(|cell| costs.cost[*cell] >= FORBIDDEN);
        let ahead = forbidden.filter(|cell| {
            let (x, y) = frame.center(*cell);
            (x - from.x) * (to.x - from.x) + (y - from.y) * (to.y - from.y) > 0.0
        });
        let distance = |cell: usize| libm::hypot(frame.center(cell).0 - from.x, frame.center(cell).1 - from.y);
        let Some(cell) = ahead.min_by(|a, b| distance(*a).total_cmp(&distance(*b))) else {
            return Barrier { rise: f64::NAN, ..Barrier::default() };
        };
        let (x, y) = frame.center(cell);
        let rise = map.heights().heights[cell] - map.height_at(from.x, from.y).unwrap_or(f64::NAN);
        let kind = if map.is_missing_at(x, y) || rise < 0.0 { BarrierKind::Drop } else { BarrierKind::Obstacle };
        Barrier { at: [x, y], rise, kind }
    }
}

/// Places from the forbidden one on, over half a metre.
fn window(map: &NavigationMap, at: [f64; 2], from: &Pose2, to: &Pose2) -> impl Iterator<Item = [f64; 2]> + use<> {
    const WINDOW: f64 = 0.5;
    let length = from.distance(to).max(1e-9);
    let (ux, uy) = ((to.x - from.x) / length, (to.y - from.y) / length);
    let steps = libm::ceil(WINDOW / map.frame().cell.max(1e-6)) as usize;
    (0..=steps).map(move |step| {
        let ahead = WINDOW * step as f64 / steps.max(1) as f64;
        [at[0] + ahead * ux, at[1] + ahead * uy]
    })
}

/// True if ground is missing from the forbidden place on.
fn falls_off(map: &NavigationMap, at: [f64; 2], from: &Pose2, to: &Pose2) -> bool {
    let missing = |[x, y]: [f64; 2]| map.is_missing_at(x, y);
    window(map, at, from, to).any(missing)
}

/// The height that stands out most from the forbidden place on [m].
fn beyond(map: &NavigationMap, at: [f64; 2], from: &Pose2, to: &Pose2) -> f64 {
    let ground = map.height_at(from.x, from.y).unwrap_or(f64::NAN);
    window(map, at, from, to).filter_map(|[x, y]| map.height_at(x, y)).fold(f64::NAN, |most, height| {
        if (height - ground).abs() > (most - ground).abs() || most.is_nan() { height } else { most }
    })
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pose2 { x, y, .. } = self.nearest;
        write!(f, "nearest reachable point ({x:.2}, {y:.2}) m, {:.2} m away; ", self.distance)?;
        let Barrier { at: [u, v], rise, kind } = self.barrier;
        match (kind, self.refusal) {
            (_, Refusal::StartForbidden) => f.write_str("the robot itself stands too near to an obstacle"),
            (_, Refusal::GoalOffMap) => f.write_str("the goal is off the map"),
            (BarrierKind::Drop, _) if rise.is_nan() => write!(f, "blocked by a drop at ({u:.2}, {v:.2}) m"),
            (BarrierKind::Drop, _) => write!(f, "blocked by a drop of {:.2} m at ({u:.2}, {v:.2}) m", -rise),
            (BarrierKind::Obstacle, _) if rise.is_nan() => write!(f, "blocked by an obstacle at ({u:.2}, {v:.2}) m"),
            (BarrierKind::Obstacle, _) => write!(f, "blocked by an obstacle {rise:.2} m high at ({u:.2}, {v:.2}) m"),
            (BarrierKind::Nothing, Refusal::GoalForbidden) => f.write_str("the goal is too near to an obstacle"),
            (BarrierKind::Nothing, _) => f.write_str("closed in by obstacles"),
        }
    }
}
