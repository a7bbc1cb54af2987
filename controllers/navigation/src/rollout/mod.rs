//! The next seconds of the way: trajectory rollout for an omnidirectional base.
//!
//! The dynamic window approach (Fox, Burgard and Thrun 1997; Momaro, section 6.2.2): motions that the robot can make are rolled
//! out for a few seconds and scored, and the best is driven until the next choice. Two things differ from the textbook,
//! because wheel pairs have to be turned before they roll. What is sampled are not velocities in the frame of the base but ways of
//! steering (follow the path, hold a direction on the map; turn to the heading, keep it), so that a robot that turns while it drives
//! straight need not choose anew. And a change of direction costs the time in which the pairs turn and the robot stands.

mod fresh;
mod motion;
mod movers;
mod score;
mod settings;
mod surroundings;
mod tipping;
mod way;

pub use fresh::FreshSettings;
pub use settings::{RolloutSettings, Weights};

pub(crate) use fresh::FreshObstacles;
pub(crate) use motion::{Aim, Policy, Task, Turn, Velocity, turn_rate};
pub(crate) use movers::{Movers, rests};
pub(crate) use surroundings::{Ground, Origin, Surroundings};
pub(crate) use way::Way;

use robot_io::math::{atan2, hypot};
use robot_io::{Pose2, State, Twist};

use crate::Footprint;
use crate::discs::Discs;
use motion::steering_angle;
use score::{Needed, Rollout};

/// What a choice is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation<'a> {
    /// The base on the map.
    pub pose: Pose2,
    /// Its velocity on the map.
    pub velocity: Velocity,
    /// What it was told last, on the map.
    pub told: Velocity,
    /// The last motion that turned the wheel pairs, in the base frame.
    pub steered: Twist,
    /// What it covers of the ground.
    pub footprint: &'a Footprint,
    /// The ground around it.
    pub surroundings: &'a Surroundings,
    /// What moves.
    pub movers: &'a Movers,
}

/// The best rollout.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Choice {
    /// How to steer.
    pub policy: Policy,
    /// How long it is free [s].
    pub free_time: f64,
    /// How far it leads along the way [m].
    pub progress: f64,
    /// The speed limit that the ground sets [m/s].
    pub limit: f64,
}

/// Rolls out and chooses; the buffers are sized once.
#[derive(Clone, Debug)]
pub(crate) struct LocalPlanner {
    settings: RolloutSettings,
    discs: Discs,
    best: Vec<Pose2>,
    rolled: Vec<Pose2>,
}

/// Shares of the speed limit that are tried.
const SPEEDS: [f64; 4] = [1.0, 0.7, 0.4, 0.2];
/// Directions that are tried beside that of the path [rad].
const ASIDE: [f64; 9] = [0.0, 0.26, -0.26, 0.6, -0.6, 1.05, -1.05, 1.57, -1.57];
/// Directions that are tried as well where the robot has too little room [rad].
const AWAY: [f64; 3] = [2.2, -2.2, core::f64::consts::PI];
/// How fast it gives way there [m/s].
const AWAY_SPEED: f64 = 0.3;
/// Room that a motion may lose where there is too little of it [m].
const LOSS: f64 = 1e-3;
/// Search and rollout round the outline differently, by so much [m].
pub(crate) const ROUNDING: f64 = 0.02;
/// From one look at the room along the way to the next [m].
const LOOK: f64 = 0.1;

impl LocalPlanner {
    /// A planner with these settings.
    pub fn new(settings: RolloutSettings) -> LocalPlanner {
        let poses = settings.steps() + 1;
        let (best, rolled) = (Vec::with_capacity(poses), Vec::with_capacity(poses));
        LocalPlanner { settings, discs: Discs::new(), best, rolled }
    }

    /// Takes up a footprint.
    pub fn cover(&mut self, footprint: &Footprint) {
        self.discs.cover(&footprint.outline, footprint.foot_radius);
    }

    /// Chooses how to steer from here, with the footprint that was taken up last; allocates nothing.
    pub fn choose(&mut self, situation: &Situation, task: &Task) -> Choice {
        let limit = task.speed * self.speed_share(situation, task);
        let turn = self.settings.turn_rate;
        let mut best = (f64::INFINITY, Choice { limit, ..Choice::default() });
        self.best.clear();
        let needed = self.needed(situation, task, limit);
        let ahead = task.way.at(task.along + task.look_ahead(limit, &self.settings));
        let direction = atan2(ahead.y - situation.pose.y, ahead.x - situation.pose.x);
        for share in SPEEDS {
            for turn in [Turn::Toward(turn), Turn::Toward(0.4 * turn), Turn::Keep] {
                self.consider(
                    situation,
                    task,
                    Policy { aim: Aim::Pursue, speed: share * limit, turn },
                    needed,
                    &mut best,
                );
            }
        }
        for aside in ASIDE {
            for share in [1.0, 0.5, 0.2] {
                for turn in [Turn::Toward(0.6 * turn), Turn::Keep] {
                    let aim = Aim::Along(direction + aside);
                    self.consider(situation, task, Policy { aim, speed: share * limit, turn }, needed, &mut best);
                }
            }
        }
        if needed.here < self.settings.room {
            for aside in ASIDE.into_iter().chain(AWAY) {
                let aim = Aim::Away(direction + aside);
                let policy = Policy { aim, speed: AWAY_SPEED.min(limit), turn: Turn::Keep };
                self.consider(situation, task, policy, needed, &mut best);
            }
        }
        for turn in [Turn::Toward(turn), Turn::Constant(0.5 * turn), Turn::Constant(-0.5 * turn), Turn::Keep] {
            self.consider(situation, task, Policy { aim: Aim::Stand, speed: 0.0, turn }, needed, &mut best);
        }
        best.1
    }

    /// The chosen rollout's poses.
    pub fn chosen(&self) -> &[Pose2] {
        &self.best
    }

    /// Room between the robot at some pose and what is forbidden [m].
    pub fn room(&self, pose: &Pose2, surroundings: &Surroundings) -> f64 {
        self.discs.room(pose, |x, y| surroundings.firm_ground(x, y), self.settings.comfortable_room)
    }

    fn consider(
        &mut self,
        situation: &Situation,
        task: &Task,
        policy: Policy,
        needed: Needed,
        best: &mut (f64, Choice),
    ) {
        let rollout = Rollout::new(&self.settings, &self.discs, situation, task, needed);
        let Some(outcome) = rollout.run(&policy, &mut self.rolled) else { return };
        if outcome.score < best.0 {
            let limit = best.1.limit;
            let (free_time, progress) = (outcome.free_time, outcome.progress);
            *best = (outcome.score, Choice { policy, free_time, progress, limit });
            core::mem::swap(&mut self.best, &mut self.rolled);
        }
    }

    /// What is to be kept to: the room that the settings ask for, or what there is if that is less, here or on the way ahead up to where
    /// it is closed.
    fn needed(&self, situation: &Situation, task: &Task, speed: f64) -> Needed {
        let (with, surroundings) = (&self.settings, situation.surroundings);
        let here = self.room(&situation.pose, surroundings);
        let end = (task.along + task.look_ahead(speed, with) + speed * with.horizon).min(task.end);
        let looks = ((end - task.along) / LOOK).max(0.0) as u32;
        let on_the_way = |look: u32| {
            let along = task.along + LOOK * f64::from(look);
            let yaw = task.heading.unwrap_or_else(|| task.way.heading(along));
            self.room(&Pose2 { yaw, ..task.way.at(along) }, surroundings)
        };
        let open = (1..=looks).map(on_the_way).take_while(|room| *room >= -ROUNDING);
        let least = open.fold(f64::INFINITY, f64::min);
        let room = with.room.min(here - LOSS).min((least - ROUNDING).max(-ROUNDING));
        let radius = situation.footprint.circumscribed_radius();
        let clear = situation.movers.gap(situation.pose.x, situation.pose.y, 0.0) - radius;
        Needed { here, room, gap: radius + with.room.min(clear - LOSS) }
    }

    /// Share of the speed that the ground under the wheels allows, here and on the next metre of the way.
    fn speed_share(&self, situation: &Situation, task: &Task) -> f64 {
        const STEP: f64 = 0.25;
        let settings = &self.settings;
        let mut worst = score::ground_cost(&situation.pose, situation, settings);
        for step in 1..=4 {
            let place = task.way.at(task.along + f64::from(step) * STEP);
            let near = hypot(place.x - situation.pose.x, place.y - situation.pose.y) < 2.0;
            if near {
                let pose = Pose2 { yaw: situation.pose.yaw, ..place };
                worst = worst.max(score::ground_cost(&pose, situation, settings));
            }
        }
        1.0 - (1.0 - settings.least_speed_share) * worst.clamp(0.0, 1.0)
    }
}

/// Time until a robot that moves can have turned its wheel pairs to a new motion: to come to rest if they have to turn far, and to
/// turn them [s].
pub(crate) fn steering_time(situation: &Situation, wanted: &Twist, settings: &RolloutSettings) -> (bool, f64) {
    const IN_PASSING: f64 = 0.1;
    let angle = steering_angle(&situation.steered, wanted, situation.footprint);
    let stops = angle > settings.steer_jump;
    let standing = situation.velocity.speed() < 0.03 && situation.velocity.yaw.abs() < 0.05;
    let turning = if stops || standing && angle > IN_PASSING { angle / settings.steer_rate } else { 0.0 };
    (stops && !standing, turning)
}
