//! One rollout: where it leads, and what that is worth.

use robot_io::Pose2;
use robot_io::math::{cos, sin, wrap_angle};

use super::motion::{Policy, Task, Velocity};
use super::{RolloutSettings, Situation, steering_time, tipping};
use crate::discs::Discs;

/// Share of a slope that the control of the base takes out of the base's attitude; chosen: half, to be on the safe side of what
/// `locomotion` does.
const LEVELED_SHARE: f64 = 0.5;
/// The tip-over margin is looked at in every third pose: it changes slowly.
const MARGIN_EVERY: usize = 3;
/// Deeper in what is forbidden is no worse [m].
const MOST_PUSHED: f64 = 0.6;
/// How far beyond what it can drive in the horizon a rollout looks for its place on the way [m].
const WINDOW: f64 = 0.6;

/// What a rollout comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The less the better [m].
    pub score: f64,
    /// How long nothing is in its way [s].
    pub free_time: f64,
    /// How far it leads along the way [m].
    pub progress: f64,
}

/// Rolls out one policy.
pub(super) struct Rollout<'a> {
    settings: &'a RolloutSettings,
    discs: &'a Discs,
    situation: &'a Situation<'a>,
    task: &'a Task<'a>,
    needed: Needed,
}

/// What a rollout must keep to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Needed {
    /// Room where the robot is [m].
    pub here: f64,
    /// Least room to what is forbidden [m].
    pub room: f64,
    /// Least distance of the base's origin to what moves [m].
    pub gap: f64,
}

/// Sums over the poses of a rollout.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    beside: f64,
    heading: f64,
    cost: f64,
    crowded: f64,
    tipping: f64,
    fastest: f64,
    along: f64,
    /// Room at the last pose [m].
    room: f64,
}

impl<'a> Rollout<'a> {
    pub fn new(
        settings: &'a RolloutSettings,
        discs: &'a Discs,
        situation: &'a Situation<'a>,
        task: &'a Task<'a>,
        needed: Needed,
    ) -> Rollout<'a> {
        Rollout { settings, discs, situation, task, needed }
    }

    /// Writes the poses up to where something is in the way. `None` if it would hit something before it can stop, or tip over.
    pub fn run(&self, policy: &Policy, poses: &mut Vec<Pose2>) -> Option<Outcome> {
        let with = self.settings;
        let (mut pose, mut velocity) = (self.situation.pose, self.situation.velocity);
        let first = self.task.wanted(policy, &pose, self.task.along, with);
        let (mut stops, mut waits) = steering_time(self.situation, &first.seen_from(pose.yaw), with);
        let (needed, surroundings) = (self.needed, self.situation.surroundings);
        let mut sums = Sums { along: self.task.along, room: needed.here, ..Sums::default() };
        let mut free_time = with.horizon;
        poses.clear();
        poses.push(pose);
        for step in 1..=with.steps() {
            velocity = if stops {
                velocity.toward(&Velocity::default(), with, with.step)
            } else if waits > 0.0 {
                waits -= with.step;
                Velocity::default()
            } else {
                velocity.toward(&self.task.wanted(policy, &pose, sums.along, with), with, with.step)
            };
            stops &= velocity != Velocity::default();
            pose.x += velocity.x * with.step;
            pose.y += velocity.y * with.step;
            pose.yaw = wrap_angle(pose.yaw + velocity.yaw * with.step);
            let room = self.discs.room(&pose, |x, y| surroundings.firm_ground(x, y), with.comfortable_room);
            let margin = if step % MARGIN_EVERY == 0 { self.margin(&pose) } else { None };
            let moves = velocity != Velocity::default();
            let met = self.situation.movers.gap(pose.x, pose.y, step as f64 * with.step) < needed.gap;
            if moves && (room < needed.room || met || margin.is_some_and(|margin| margin < with.least_margin)) {
                free_time = (step - 1) as f64 * with.step;
                break;
            }
            self.add(&mut sums, &pose, &velocity, (room, margin));
            poses.push(pose);
        }
        let can_stop = with.interval + with.reaction + 0.5 * sums.fastest / with.acceleration;
        let moved = policy.speed > 0.0 || first.yaw != 0.0;
        if moved && free_time < can_stop.min(with.horizon) {
            return None;
        }
        Some(self.outcome(&sums, free_time, &first, poses.len()))
    }

    fn add(&self, sums: &mut Sums, pose: &Pose2, velocity: &Velocity, (room, margin): (f64, Option<f64>)) {
        let (with, speed) = (self.settings, velocity.speed());
        let foot = self.task.way.nearest(pose.x, pose.y, self.task.along, sums.along + WINDOW);
        sums.along = foot.along;
        sums.beside += foot.beside;
        sums.heading += self.task.heading_error(pose, foot.along).abs();
        if speed > 0.0 {
            sums.cost += ground_cost(pose, self.situation, with) * speed * with.step;
        }
        let lack = |is: f64, least: f64, wanted: f64| ((wanted - is) / (wanted - least)).clamp(0.0, 1.0);
        sums.crowded += lack(room, with.room, with.comfortable_room) * speed * with.step;
        if let Some(margin) = margin {
            let lacks = lack(margin, with.least_margin, with.comfortable_margin);
            sums.tipping += lacks * speed * with.step * MARGIN_EVERY as f64;
        }
        sums.fastest = sums.fastest.max(speed);
        sums.room = room;
    }

    fn outcome(&self, sums: &Sums, free_time: f64, first: &Velocity, poses: usize) -> Outcome {
        let (with, weights, told) = (self.settings, &self.settings.weights, &self.situation.told);
        let mean = 1.0 / (poses.max(2) - 1) as f64;
        let change = Velocity { x: first.x - told.x, y: first.y - told.y, yaw: 0.0 }.speed();
        let progress = sums.along - self.task.along;
        let score = -weights.progress * progress
            + weights.beside * sums.beside * mean
            + weights.heading * sums.heading * mean
            + weights.cost * sums.cost
            + weights.room * sums.crowded
            + weights.margin * sums.tipping
            + weights.blocked * (with.horizon - free_time)
            + weights.pushed * (with.room - sums.room).clamp(0.0, MOST_PUSHED)
            + weights.smoothness * (change + 0.3 * (first.yaw - told.yaw).abs());
        Outcome { score, free_time, progress }
    }

    fn margin(&self, pose: &Pose2) -> Option<f64> {
        let Situation { footprint, surroundings, .. } = self.situation;
        tipping::margin(pose, footprint, surroundings, self.settings.acceleration, LEVELED_SHARE)
    }
}

/// Mean cost of the ground under the wheel pairs at a pose, 0 to 1.
pub(super) fn ground_cost(pose: &Pose2, situation: &Situation, settings: &RolloutSettings) -> f64 {
    let (s, c) = (sin(pose.yaw), cos(pose.yaw));
    let feet = &situation.footprint.feet;
    let cost = |[x, y, _]: &[f64; 3]| {
        let cost = situation.surroundings.cost(pose.x + c * x - s * y, pose.y + s * x + c * y);
        cost.unwrap_or(settings.unknown_cost)
    };
    feet.iter().map(cost).sum::<f64>() / feet.len().max(1) as f64
}
