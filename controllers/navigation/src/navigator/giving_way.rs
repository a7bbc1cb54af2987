//! Giving way to things that move: in time, as far as needed, and back to the goal afterwards.

use robot_io::deadline::TaskBoard;
use robot_io::math::{atan2, hypot};
use robot_io::{Path, Period, Pose2, Sealed, Severity, State, StateVisitor, Time};

use super::{Navigator, Phase};
use crate::refuge::{Advice, Answer, Question, Start};
use crate::rollout::{Aim, Policy, Task, Turn, Velocity};
use crate::{RolloutSettings, Status, Track};

/// So far back the way that was driven is remembered as a way out [m].
const TRAIL: f64 = 15.0;
/// From one place to the next of the way ahead [m], and so many of them.
const SPACING: f64 = 0.2;
const PLACES: usize = 20;
/// Slower than this the robot stands [m/s].
const STANDS: f64 = 0.02;
/// Something that was seen once, so near to the robot and to the way ahead [m], lets it stop until it is seen again, for so long at most
/// [s], and not more often than this [s].
const SUSPECT: (f64, f64) = (7.5, 1.2);
const HOLD: f64 = 2.2;
const HOLDS: f64 = 6.0;
/// How far to both sides of its last place on the way out it looks for the next one [m].
const BACK: f64 = 1.0;
/// It looks so far ahead for what stands [s].
const SOON: f64 = 0.5;
/// How fast it turns back to the heading that it keeps [rad/s].
const SLOW_TURN: f64 = 0.15;
/// Cosine of the angle by which the direction of travel turns without a stop.
const TURNS: f64 = 0.87;
/// It tells of things that come not more often than this [s].
const QUIET: f64 = 5.0;

/// The robot gives way to something that moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GivingWay {
    /// Since when.
    since: Time,
    /// Since when the way is clear, if it is.
    clear_since: Option<Time>,
    /// The heading that is kept [rad].
    heading: f64,
    /// True if it leaves its place, false if it stands.
    leaves: bool,
}

impl Navigator {
    /// What moves, in the odometry frame, in place of what was told before.
    pub fn note_movers<'a>(&mut self, tracks: impl Iterator<Item = &'a Track>) {
        self.tracks.clear();
        self.tracks.extend(tracks);
    }

    /// Something has come in sight near the way ahead that may move: where the robot stands when it is seen again, it has more time.
    pub(super) fn beware(&mut self) {
        let with = self.settings.giving_way;
        let since = self.now.since(self.held_since).seconds();
        if !with.is_on || self.held_since > Time::ZERO && since < HOLDS {
            return;
        }
        let now = self.now.seconds();
        let is_near = |track: &&Track| {
            let place = Pose2 { x: track.position.x, y: track.position.y, yaw: 0.0 }.placed_at(&self.odom_in_map);
            let ahead = self.way.nearest(place.x, place.y, self.along, self.along + SUSPECT.0);
            place.distance(&self.pose) < SUSPECT.0 && ahead.beside < SUSPECT.1
        };
        let is_suspect = |track: &&Track| track.is_suspect() && now - track.time < HOLD;
        if self.tracks.iter().filter(is_suspect).any(|track| is_near(&track)) {
            self.held_since = self.now;
        }
    }

    /// True while it stops until something is seen again.
    pub(super) fn is_held(&self) -> bool {
        self.held_since > Time::ZERO && self.now.since(self.held_since).seconds() < HOLD
    }

    /// True while the robot gives way to something that moves.
    pub fn gives_way(&self) -> bool {
        self.giving_way.is_some()
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
        let with = self.settings.giving_way;
        let under_way = matches!(self.phase, Phase::Approach | Phase::Turn) && self.goal.is_some();
        if !with.is_on || !under_way || !self.localized {
            self.giving_way = None;
            return;
        }
        self.beware();
        if self.movers.is_empty() {
            self.note_clear();
            return;
        }
        if cycle < self.next_refuge_cycle || self.footprint.outline.len() < 3 {
            return;
        }
        let question = self.question();
        if self.refuge.release(board, move || question.answer()) {
            self.next_refuge_cycle = cycle + Period::from_seconds(with.interval).cycles_of(self.cycle);
        }
    }

    fn question(&self) -> Question {
        let going = [self.velocity.x, self.velocity.y];
        let rolls = match hypot(self.steered.x, self.steered.y) > 0.0 {
            true => self.pose.yaw + atan2(self.steered.y, self.steered.x),
            false => self.pose.yaw,
        };
        let moves = hypot(going[0], going[1]) > STANDS;
        let leaves = self.giving_way.is_some_and(|giving_way| giving_way.leaves);
        let ahead = |length: f64| {
            let places = ((length / SPACING) as usize).min(3 * PLACES);
            let along = (0..=places).map(|place| self.along + SPACING * place as f64);
            Path { poses: core::iter::once(self.pose).chain(along.skip(1).map(|along| self.way.at(along))).collect() }
        };
        let left = (self.way.length() - self.along).max(0.0);
        let goal_way =
            if self.follows_its_plan() { ahead(left.min(SPACING * PLACES as f64)) } else { self.resumption() };
        Question {
            start: Start {
                place: [self.pose.x, self.pose.y],
                yaw: self.pose.yaw,
                velocity: if moves { going } else { [0.0; 2] },
                rolls,
            },
            outer: self.footprint.circumscribed_radius(),
            inner: self.footprint.inscribed_radius(),
            movers: self.movers.clone(),
            map: self.map.clone(),
            trail: self.trail.back(&self.pose, &self.odom_in_map, TRAIL),
            way: goal_way,
            speed: self.goal.map_or(0.0, |goal| goal.speed.min(self.settings.rollout.speed)),
            present: leaves.then(|| ahead(left)),
            settings: self.settings.giving_way,
        }
    }

    /// The way on which the robot would go on after it has given way: along the plan that it left, from where it is.
    fn resumption(&self) -> Path {
        let ways = self.plan.pieces.get(self.piece).map(|piece| &piece.path.poses);
        let poses = ways.into_iter().flatten();
        let nearest =
            poses.clone().enumerate().min_by(|a, b| a.1.distance(&self.pose).total_cmp(&b.1.distance(&self.pose)));
        let from = nearest.map_or(0, |(index, _)| index + 1);
        let mut left = SPACING * PLACES as f64;
        let mut resumption = vec![self.pose];
        for pose in poses.skip(from) {
            left -= resumption.last().map_or(0.0, |last| last.distance(pose));
            resumption.push(*pose);
            if left < 0.0 {
                break;
            }
        }
        Path { poses: resumption }
    }

    fn heed(&mut self, answer: &Answer) {
        if !matches!(self.phase, Phase::Approach | Phase::Turn) || self.goal.is_none() {
            return;
        }
        let leaves = match answer.advice {
            Advice::GoOn => return self.note_clear(),
            Advice::Stand => false,
            Advice::Leave => true,
        };
        let before = self.giving_way;
        if before.is_none() && self.now >= self.next_giving_way_told {
            self.next_giving_way_told = self.now + Period::from_seconds(QUIET);
            let what = "giving way to something that moves; it would be here in [s]";
            self.tell(Severity::Info, what, answer.met_in, self.settings.giving_way.horizon);
        }
        let start = GivingWay { since: self.now, heading: self.pose.yaw, ..GivingWay::default() };
        self.giving_way = Some(GivingWay { leaves, clear_since: None, ..before.unwrap_or(start) });
        self.manoeuvre = None;
        (self.courtesy, self.blocked_since, self.is_blocked) = (None, None, false);
        if leaves {
            self.follow(answer.path.clone());
        }
    }

    /// Nothing comes any more: after a moment it goes on.
    fn note_clear(&mut self) {
        let Some(mut giving_way) = self.giving_way else { return };
        let since = *giving_way.clear_since.get_or_insert(self.now);
        giving_way.leaves = false;
        self.giving_way = Some(giving_way);
        if self.now.since(since).seconds() < self.settings.giving_way.pause {
            return;
        }
        let waited = self.now.since(giving_way.since).seconds();
        self.tell(Severity::Info, "it has passed; going on after [s]", waited, f64::NAN);
        self.giving_way = None;
        self.phase = Phase::Approach;
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
        let turns = told.x * wanted.x + told.y * wanted.y < TURNS * told.speed() * wanted.speed();
        let wanted = if turns && told.speed() > 0.0 { Velocity::default() } else { *wanted };
        told.toward(&wanted, &with, dt)
    }

    /// Stands, or drives the way out.
    pub(super) fn give_way(&mut self, giving_way: &GivingWay) -> (Option<Velocity>, Status) {
        if !giving_way.leaves {
            return (None, Status::GivingWay);
        }
        // the way out has been found free of what moves and of what stands; to hesitate on it is worse than not to drive it well
        let with = &self.settings.rollout;
        self.along = self.way.nearest(self.pose.x, self.pose.y, self.along - BACK, self.along + BACK).along;
        let (end, speed) = (self.way.length(), self.settings.giving_way.speed);
        let task = Task { way: &self.way, along: self.along, heading: Some(giving_way.heading), end, speed };
        let policy = Policy { aim: Aim::Pursue, speed, turn: Turn::Toward(SLOW_TURN) };
        let wanted = task.wanted(&policy, &self.pose, self.along, with);
        let soon = Pose2 { x: self.pose.x + SOON * wanted.x, y: self.pose.y + SOON * wanted.y, yaw: self.pose.yaw };
        let room = |pose: &Pose2| self.local.room(pose, &self.surroundings);
        let is_free = room(&soon) >= room(&self.pose).min(0.0);
        (Some(wanted).filter(|_| is_free), Status::GivingWay)
    }
}

impl State for GivingWay {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("since", &mut self.since);
        visitor.field("clear_since", &mut self.clear_since);
        visitor.field("heading", &mut self.heading);
        visitor.field("leaves", &mut self.leaves);
    }
}
