//! What the navigator does on the way: rollouts, latching, edges.

use robot_io::math::wrap_angle;
use robot_io::{Manoeuvre as Manner, Path, Pose2, Sealed, Severity, StepEdge};

use super::{Navigator, Phase};
use crate::rollout::{Aim, Ground, Origin, ROUNDING, Situation, Task, Velocity, turn_rate};
use crate::{Goal, NavigationMap, Outcome, Status};

/// How far behind and ahead on the way the robot looks for its place [m].
const WINDOW: (f64, f64) = (0.4, 1.2);
/// So far ahead the way is watched for things that have come [m].
const WATCHED: f64 = 2.5;
/// Something is in the way if there is nothing to drive for so long [s].
const BLOCKED_AFTER: f64 = 0.6;

/// Slower than this the robot is meant to stand [m/s].
const STANDS: f64 = 0.05;

/// The place is latched within this share of the tolerance, or within the tolerance below this speed [m/s].
const LATCH_SHARE: f64 = 0.4;
const LATCH_SPEED: f64 = 0.06;
/// So near to the reachable place that is nearest to the goal is near enough [m].
const NEARBY: f64 = 0.5;

/// The ground where something stands now, and so far around it, must have been known for it to have come there [m].
const FRESH_MARGIN: f64 = 0.2;
/// Something has come if there is less room than on the map, by more than what cells and rounding make [m].
const FRESH_DIFFERENCE: f64 = 0.15;

/// Where the way ends, and how exactly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub pose: Pose2,
    pub tolerance: f64,
    /// `None`: the heading does not matter.
    pub heading_tolerance: Option<f64>,
    /// The edge that begins there.
    pub edge: Option<StepEdge>,
}

impl Navigator {
    /// The surroundings as they are now; a way that is no longer free asks for a new plan.
    pub(super) fn look_around(&mut self) {
        self.fresh.forget(self.now, &self.settings.fresh);
        let of = self.surroundings_are_ready().digest().0;
        self.local.cover(&self.footprint);
        let is_new = core::mem::replace(&mut self.looked_at, of) != of;
        if !is_new || self.phase != Phase::Approach {
            return;
        }
        self.urgent |= !self.is_way_free();
        let map_cell = self.map.frame().cell;
        let fresh = |place: &Pose2| {
            let now = self.surroundings.clearance(place.x, place.y);
            let on_map = self.map.clearance_at(place.x, place.y).unwrap_or(f64::INFINITY) - 0.5 * map_cell;
            // it keeps farther from what is not on the map: that much is no sign of something new
            let room = now + self.settings.fresh.distance;
            let was_free = on_map > self.footprint.inscribed_radius() && on_map - room > FRESH_DIFFERENCE;
            // where the map did not know all of the ground, what is seen may have been there all along
            let came = was_free && self.map.knows_around(place, room + FRESH_MARGIN);
            if came { now } else { f64::INFINITY }
        };
        let came = self.plan.outcome == Outcome::ToGoal && self.follows_its_plan();
        if let Some(along) = self.first_blocked(WATCHED, fresh).filter(|_| came) {
            self.wait_before(along);
        }
    }

    /// The surroundings and the line with arc length are those of here and now, also after a restored snapshot.
    pub(super) fn surroundings_are_ready(&mut self) -> Origin {
        self.way_is_ready();
        let corner = self.surroundings.corner_for(&self.pose);
        let of = Origin { map: self.map.digest(), fresh: self.fresh.digest(), corner };
        let map = &self.map;
        let fresh = (&self.fresh, self.settings.fresh.distance);
        self.surroundings.prepare(of, |column, row| ground_in(map, column, row), fresh);
        of
    }

    pub(super) fn is_way_free(&self) -> bool {
        let radius = self.footprint.inscribed_radius() - ROUNDING;
        // a place as near as can be to something forbidden is as near as can be
        let last = if matches!(self.plan.outcome, Outcome::ToNearest { .. }) { NEARBY } else { 0.0 };
        let end = (self.along + WATCHED).min(self.way.length() - last);
        let steps = ((end - self.along) / 0.2).max(0.0) as usize;
        (1..=steps).all(|step| {
            let place = self.way.at(self.along + 0.2 * step as f64);
            self.surroundings.clearance(place.x, place.y) > radius
        })
    }

    /// Follows another path from its beginning.
    pub(super) fn follow(&mut self, path: Path) {
        self.path = Sealed::new(path);
        self.along = 0.0;
        self.way_is_ready();
        self.along = self.way.nearest(self.pose.x, self.pose.y, 0.0, WINDOW.1).along;
        self.next_choice = self.now;
    }

    /// The line with arc length belongs to the path.
    pub(super) fn way_is_ready(&mut self) {
        if self.way.of() != Some(self.path.digest()) {
            self.way.set(&self.path, self.path.digest());
        }
    }

    /// Way left along the plan [m]; not-a-number without a plan.
    pub(super) fn distance_left(&self) -> f64 {
        match (self.phase, self.goal) {
            (Phase::Arrived, _) => 0.0,
            (_, None) => f64::NAN,
            _ if self.plan.outcome == Outcome::None => f64::NAN,
            _ => {
                let on_this = if !self.follows_its_plan() { 0.0 } else { (self.way.length() - self.along).max(0.0) };
                let later = self.plan.pieces.iter().skip(self.piece + 1);
                on_this + later.map(|piece| piece.path.length()).sum::<f64>()
            }
        }
    }

    /// Where the piece that is travelled ends.
    pub(super) fn target(&self, goal: &Goal) -> Target {
        let edge = |index: usize| match self.plan.pieces.get(index)?.manoeuvre {
            Manner::Step(edge) => Some(edge),
            Manner::Drive => None,
        };
        let (tolerance, angle) = (self.settings.edge_tolerance, self.settings.edge_heading_tolerance);
        if let Some(edge) = edge(self.piece) {
            // the plan begins in front of an edge: only the heading may be left to do
            let pose = Pose2 { yaw: edge.pose.yaw, ..self.pose };
            return Target { pose, tolerance: f64::INFINITY, heading_tolerance: Some(angle), edge: Some(edge) };
        }
        let end = self.path.poses.last().copied().unwrap_or(self.pose);
        if let Some(edge) = edge(self.piece + 1) {
            let pose = Pose2 { yaw: edge.pose.yaw, ..end };
            return Target { pose, tolerance, heading_tolerance: Some(angle), edge: Some(edge) };
        }
        if self.plan.outcome == Outcome::ToGoal {
            let heading_tolerance = goal.with_heading.then_some(goal.heading_tolerance);
            return Target { pose: goal.pose_in_map, tolerance: goal.tolerance, heading_tolerance, edge: None };
        }
        Target { pose: end, tolerance: goal.tolerance.max(0.15), heading_tolerance: None, edge: None }
    }

    /// On the way to the end of the piece.
    pub(super) fn approach(&mut self, goal: &Goal) -> (Option<Velocity>, Status) {
        if let Some(manoeuvre) = self.manoeuvre {
            return self.get_free(&manoeuvre, goal);
        }
        if self.plan.outcome == Outcome::None {
            return (None, Status::Waiting);
        }
        let target = self.target(goal);
        let distance = self.pose.distance(&target.pose);
        let to_nearest = matches!(self.plan.outcome, Outcome::ToNearest { .. }) && target.edge.is_none();
        let stays = self.nearest_since.is_some() || self.is_blocked;
        if to_nearest
            && (distance <= NEARBY || distance <= 2.0 * NEARBY && stays || self.is_a_long_way_for_little(goal))
        {
            return self.at_nearest();
        }
        self.nearest_since = None;
        // within the tolerance it may come to rest; well within, it need not
        let latches = distance <= LATCH_SHARE * target.tolerance || self.velocity.speed() < LATCH_SPEED;
        if distance <= target.tolerance && latches {
            self.phase = Phase::Turn;
            return self.turn(goal);
        }
        let wanted = self.drive(goal, None);
        let is_stuck = self.watch_progress(self.distance_left());
        match self.is_blocked {
            _ if is_stuck => self.take_measures(),
            true => (wanted, Status::Blocked),
            false => (wanted, Status::Driving),
        }
    }

    /// The velocity of the best rollout along the way.
    pub(super) fn drive(&mut self, goal: &Goal, heading: Option<f64>) -> Option<Velocity> {
        let (back, ahead) = (self.along - WINDOW.0, self.along + WINDOW.1);
        self.along = self.way.nearest(self.pose.x, self.pose.y, back, ahead).along;
        let speed = goal.speed.min(self.settings.rollout.speed);
        let end = if self.is_held() { self.along } else { self.rest_place() };
        let task = Task { way: &self.way, along: self.along, heading, end, speed };
        if self.now >= self.next_choice {
            let situation = Situation {
                pose: self.pose,
                velocity: self.velocity,
                told: self.told,
                steered: self.steered,
                footprint: &self.footprint,
                surroundings: &self.surroundings,
                movers: &self.movers,
            };
            self.choice = self.local.choose(&situation, &task);
            self.next_choice = self.now + robot_io::Period::from_seconds(self.settings.rollout.interval);
        }
        let wanted = task.wanted(&self.choice.policy, &self.pose, self.along, &self.settings.rollout);
        self.note_blocked();
        // whoever turns on the spot while it waits has its wheel pairs across the way, and takes a second longer to go back
        let waits = self.is_held() && wanted.speed() < STANDS;
        Some(if waits { Velocity::default() } else { wanted })
    }

    /// Tells when there is nothing to drive, and when there is again; neither for a moment only.
    fn note_blocked(&mut self) {
        let stands = self.choice.policy.aim == Aim::Stand;
        if stands == self.is_blocked {
            self.blocked_since = None;
            return;
        }
        let since = *self.blocked_since.get_or_insert(self.now);
        if self.now.since(since).seconds() < BLOCKED_AFTER {
            return;
        }
        (self.is_blocked, self.blocked_since) = (stands, None);
        self.urgent |= stands;
        let what = if stands { "something is in the way; planning again" } else { "the way is free again" };
        self.tell(Severity::Info, what, f64::NAN, f64::NAN);
    }

    /// Turns to the heading; the place is latched.
    pub(super) fn turn(&mut self, goal: &Goal) -> (Option<Velocity>, Status) {
        let target = self.target(goal);
        let error = wrap_angle(target.pose.yaw - self.pose.yaw);
        if self.pose.distance(&target.pose) > 2.0 * target.tolerance + 0.1 {
            (self.phase, self.urgent) = (Phase::Approach, true);
            return (None, Status::Driving);
        }
        if target.heading_tolerance.is_none_or(|tolerance| error.abs() <= tolerance) {
            self.phase = if target.edge.is_some() { Phase::Edge } else { Phase::Arrived };
            let status = target.edge.map_or(Status::Arrived, Status::AtEdge);
            return (None, status);
        }
        if self.watch_progress(self.distance_left() + error.abs()) {
            self.phase = Phase::Approach;
            return self.take_measures();
        }
        let rate = turn_rate(error, self.settings.rollout.turn_rate, &self.settings.rollout);
        match self.is_turn_free(rate.signum()) {
            true => (Some(Velocity { x: 0.0, y: 0.0, yaw: rate }), Status::Turning),
            false => (None, Status::Blocked),
        }
    }

    fn is_turn_free(&self, side: f64) -> bool {
        let room = |turn: f64| {
            let pose = Pose2 { yaw: self.pose.yaw + side * turn, ..self.pose };
            self.local.room(&pose, &self.surroundings)
        };
        let needed = self.settings.rollout.room.min(room(0.0) - 1e-3);
        [0.1, 0.2, 0.35].into_iter().all(|turn| room(turn) >= needed)
    }

    pub(super) fn edge_status(&self) -> Status {
        let edge = self.plan.pieces.iter().skip(self.piece).find_map(|piece| match piece.manoeuvre {
            Manner::Step(edge) => Some(edge),
            Manner::Drive => None,
        });
        edge.map_or(Status::Waiting, Status::AtEdge)
    }
}

/// What the map knows of the cell whose middle is so many cells from the map's origin.
fn ground_in(map: &NavigationMap, column: i64, row: i64) -> Ground {
    let frame = map.frame();
    let first = |origin: f64| (origin / frame.cell + 0.5).floor() as i64;
    let (column, row) = (column - first(frame.origin_x), row - first(frame.origin_y));
    if !(0..frame.columns as i64).contains(&column) || !(0..frame.rows as i64).contains(&row) {
        return Ground::UNKNOWN;
    }
    let cell = row as usize * frame.columns + column as usize;
    if map.costs().is_unknown(cell) {
        return Ground::UNKNOWN;
    }
    Ground { height: map.heights().heights[cell] as f32, cost: map.costs().cost[cell] }
}
