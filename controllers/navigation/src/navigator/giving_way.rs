//! Giving way to things that move: in time, as far as needed, and back to the goal afterwards.

use robot_io::deadline::TaskBoard;
use robot_io::math::atan2;
use robot_io::{Path, Period, Pose2, Sealed, Severity, State, Time};

use super::{Navigator, Phase};
use crate::refuge::{Advice, Answer, KEPT};
use crate::rollout::{Aim, Policy, Task, Turn, Velocity, rests};
use crate::{Approaching, RolloutSettings, Status, Track};

/// How far to both sides of its last place on the way out it looks for the next one [m].
const BESIDE: f64 = 1.0;
/// It looks so far ahead along its velocity for what stands [s]: at 0.85 m/s half a metre.
const SOON: f64 = 0.5;
/// Time until it begins to brake [s].
const REACTION: f64 = 0.2;
/// From one look at the way out to the next [m].
const STEP: f64 = 0.1;
/// A corner this near is reached [m]: the robot comes to rest within that from the speed that it has there. What is nearer is no corner
/// but how far the robot is beside its way.
const AT_CORNER: f64 = 0.25;
/// The way out is not worth to be crept along slower than this [m/s].
const SLOWEST: f64 = 0.05;
/// How fast it turns back to the heading that it keeps [rad/s]: slowly, so that the wheel pairs need not turn for it.
const SLOW_TURN: f64 = 0.15;
/// The direction of travel turns by up to 30° without a stop: the cosine of that.
const COSINE_IN_PASSING: f64 = 0.87;
/// What moves nearer to the robot than this has not passed yet [m].
const CLOSE_BY: f64 = 1.2;
/// It tells of things that come not more often than this [s].
const QUIET: f64 = 5.0;

/// The robot gives way to something that moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct GivingWay {
    /// Since when.
    since: Time,
    /// Since when the way is clear, if it is.
    clear_since: Option<Time>,
    /// The heading that is kept [rad].
    heading: f64,
    /// True if it leaves its place, false if it stands.
    leaves: bool,
    /// True if it was told.
    is_told: bool,
}

impl GivingWay {
    /// True if it leaves its place, false if it stands.
    pub fn leaves(&self) -> bool {
        self.leaves
    }
}

impl Navigator {
    /// What moves, in the odometry frame, in place of what was told before.
    pub fn note_movers<'a>(&mut self, tracks: impl Iterator<Item = &'a Track>) {
        self.tracks.clear();
        self.tracks.extend(tracks);
    }

    /// True while the robot gives way to something that moves.
    pub fn gives_way(&self) -> bool {
        self.giving_way.is_some()
    }

    /// To what it gives way, while that comes.
    pub fn gives_way_to(&self) -> Option<Approaching> {
        self.giving_way.and_then(|_| self.movers.nearest(&self.pose))
    }

    /// Takes the goal away. While [`update`](Navigator::update) is called the robot stands, and steps aside for what comes straight
    /// at it; afterwards it stays there.
    pub fn stand_by(&mut self) {
        if !self.stands_by {
            self.set_goal(None);
            self.stands_by = true;
        }
    }

    /// True on the way to a goal, not at an edge or at its end.
    fn is_under_way(&self) -> bool {
        matches!(self.phase, Phase::Approach | Phase::Turn) && self.goal.is_some()
    }

    /// True where it gives way to what comes.
    fn may_give_way(&self) -> bool {
        self.settings.giving_way.is_on && self.localized && (self.stands_by || self.is_under_way())
    }

    /// True while the plan is followed, and nothing else is driven.
    pub(super) fn follows_its_plan(&self) -> bool {
        self.manoeuvre.is_none() && self.giving_way.is_none()
    }

    /// Takes the answer that is due, and asks again as long as something moves.
    pub(super) fn look_for_refuge(&mut self, cycle: u64, board: &mut dyn TaskBoard) {
        if let Some(answer) = self.refuge.collect(board) {
            self.heed(&answer);
        }
        if !self.may_give_way() {
            self.giving_way = None;
            return;
        }
        if self.is_under_way() {
            self.beware();
        }
        let rests = self.tracks.iter().any(|track| rests(track, self.now, &self.settings.moving));
        if self.movers.is_empty() && !rests {
            self.note_clear();
            return;
        }
        self.second_look.note_mover();
        if cycle < self.next_refuge_cycle || self.footprint.outline.len() < 3 {
            return;
        }
        let question = self.question();
        if self.refuge.release(board, move || question.answer()) {
            self.next_refuge_cycle =
                cycle + Period::from_seconds(self.settings.giving_way.interval).cycles_of(self.cycle);
        }
    }

    fn heed(&mut self, answer: &Answer) {
        if !self.may_give_way() {
            return;
        }
        let leaves = match answer.advice {
            Advice::GoOn => return self.note_clear(),
            Advice::Stand => false,
            Advice::Leave => true,
        };
        let before = self.giving_way;
        let is_told = before.is_none() && self.now >= self.next_giving_way_told;
        if is_told {
            self.next_giving_way_told = self.now + Period::from_seconds(QUIET);
            let what = if self.movers.is_empty() {
                "waiting for something that has just come to rest; if it goes on it could be here in [s]"
            } else {
                "giving way to something that moves; it would be here in [s]"
            };
            self.tell(Severity::Info, what, answer.met_in, self.settings.giving_way.horizon);
        }
        let start = GivingWay { since: self.now, heading: self.pose.yaw, is_told, ..GivingWay::default() };
        self.giving_way = Some(GivingWay { leaves, clear_since: None, ..before.unwrap_or(start) });
        self.manoeuvre = None;
        (self.waiting, self.blocked_since, self.is_blocked) = (None, None, false);
        if leaves {
            self.follow(answer.path.clone());
        }
    }

    /// Nothing comes any more: after a moment it goes on, once what has passed is not close by. That may turn.
    fn note_clear(&mut self) {
        let Some(mut giving_way) = self.giving_way else { return };
        let gap = self.movers.gap(self.pose.x, self.pose.y, 0.0) - self.footprint.circumscribed_radius();
        if gap < CLOSE_BY {
            giving_way.clear_since = None;
        }
        let since = *giving_way.clear_since.get_or_insert(self.now);
        giving_way.leaves = false;
        self.giving_way = Some(giving_way);
        if self.now.since(since).seconds() < self.settings.giving_way.pause {
            return;
        }
        let waited = self.now.since(giving_way.since).seconds();
        let what = if self.stands_by {
            "it has passed; staying here, gave way for [s]"
        } else {
            "it has passed; going on after [s]"
        };
        if giving_way.is_told {
            self.tell(Severity::Info, what, waited, f64::NAN);
        }
        self.giving_way = None;
        self.phase = if self.stands_by { Phase::Idle } else { Phase::Approach };
        self.plan = Sealed::default();
        self.piece = 0;
        self.follow(Path::default());
        (self.blocked_since, self.is_blocked, self.nearest_since) = (None, false, None);
        self.urgent = true;
        self.progress.try_again(self.now);
    }

    /// What to tell next on the way to a velocity. Out of the way of something the robot comes to rest before it turns back: a velocity
    /// that swings round through nothing would turn the wheel pairs half round.
    pub(super) fn toward(&self, wanted: &Velocity, dt: f64) -> Velocity {
        let (with, told) = (self.settings.rollout, &self.told);
        if self.giving_way.is_none() {
            return told.toward(wanted, &with, dt);
        }
        let with = RolloutSettings { acceleration: self.settings.giving_way.acceleration, ..with };
        let turns = told.x * wanted.x + told.y * wanted.y < COSINE_IN_PASSING * told.speed() * wanted.speed();
        let wanted = if turns && told.speed() > 0.0 { Velocity::default() } else { *wanted };
        told.toward(&wanted, &with, dt)
    }

    /// Stands, or drives the way out.
    pub(super) fn give_way(&mut self, giving_way: &GivingWay) -> (Option<Velocity>, Status) {
        if !giving_way.leaves {
            return (None, Status::GivingWay);
        }
        let with = &self.settings.rollout;
        self.along = self.way.nearest(self.pose.x, self.pose.y, self.along - BESIDE, self.along + BESIDE).along;
        let corner = self.way.next_corner(self.along + AT_CORNER, COSINE_IN_PASSING);
        let speed = self.speed_out(giving_way.heading).min(self.speed_before(corner - self.along));
        let task = Task {
            way: &self.way,
            along: self.along,
            heading: Some(giving_way.heading),
            end: self.way.length(),
            speed,
        };
        // who cuts a corner meets what it is the corner of
        let ahead = self.way.at((self.along + task.look_ahead(speed, with)).min(corner));
        let direction = atan2(ahead.y - self.pose.y, ahead.x - self.pose.x);
        let policy = Policy { aim: Aim::Along(direction), speed, turn: Turn::Toward(SLOW_TURN) };
        let wanted = task.wanted(&policy, &self.pose, self.along, with);
        let soon = Pose2 { x: self.pose.x + SOON * wanted.x, y: self.pose.y + SOON * wanted.y, yaw: self.pose.yaw };
        let room = |pose: &Pose2| self.local.room(pose, &self.surroundings);
        let is_free = speed > SLOWEST && room(&soon) >= room(&self.pose).min(KEPT);
        (Some(wanted).filter(|_| is_free), Status::GivingWay)
    }

    /// The speed on the way out at which the robot comes to rest before what stands there [m/s]. The way has been found free on the map,
    /// and to hesitate on it is worse than not to drive it well: only what is closer than where the robot is now counts.
    fn speed_out(&self, heading: f64) -> f64 {
        let with = &self.settings.giving_way;
        let least = self.local.room(&self.pose, &self.surroundings).min(KEPT);
        let room = |ahead: f64| {
            let place = self.way.at(self.along + ahead);
            self.local.room(&Pose2 { yaw: heading, ..place }, &self.surroundings)
        };
        let farthest = with.speed * REACTION + with.speed * with.speed / (2.0 * with.acceleration);
        let steps = (farthest / STEP).ceil() as u32;
        let Some(closed) = (1..=steps).find(|step| room(STEP * f64::from(*step)) < least) else { return with.speed };
        self.speed_before(STEP * f64::from(closed - 1))
    }

    /// The speed on the way out from which the robot comes to rest within so many metres [m/s].
    fn speed_before(&self, free: f64) -> f64 {
        let with = &self.settings.giving_way;
        let braking = (REACTION * REACTION + 2.0 * free.max(0.0) / with.acceleration).sqrt() - REACTION;
        with.speed.min(with.acceleration * braking)
    }
}
