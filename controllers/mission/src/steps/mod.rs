//! Footsteps to a goal: asked of the planner, taken by the gait, and planned anew on the way.
//!
//! The search takes longer than a control cycle, so it is a deadline task. On the way the steps that may begin before its answer is there are
//! kept; what comes after them is planned on the ground as it is known then.

mod frame;
mod manner;
mod question;

use std::sync::Arc;

use footsteps::{FootstepPlan, FootstepSettings, HeightTerrain, Outcome, Planner, TerrainSettings};
use navigation::{HeightSettings, RobotFootprint};
use robot_io::deadline::{DeadlineTask, TaskBoard};
use robot_io::{HeightMap, Layer, MapViews, Path, Period, Pose2, Sealed, State, Telemetry};
use robot_model::RobotModel;
use walking::{GaitSettings, Manner};

use crate::MissionError;
use crate::feet::Feet;
use crate::settings::MissionSettings;
use crate::steps_settings::StepsSettings;
use question::{Answer, Ground, Question, Sight};

/// Nearer than this two steps are the same ([m] and [rad] together).
const SAME: f64 = 5e-3;
/// A goal that has moved by more than this is another one ([m] and [rad]); by less, the map was put right.
const ELSEWHERE: f64 = 0.5;
/// A goal that has moved by this asks for a new plan ([m] and [rad]).
const MOVED: f64 = 0.02;

/// What the robot has seen of the ground itself.
#[derive(Clone, Debug)]
pub(crate) struct Seen<'a> {
    pub views: &'a Sealed<MapViews>,
    pub robot: RobotFootprint,
}

/// The mission's end of the planner.
#[derive(Debug, State)]
pub(crate) struct StepClient {
    #[state(fixed)]
    planner: Arc<Planner>,
    #[state(fixed)]
    footsteps: FootstepSettings,
    #[state(fixed)]
    settings: StepsSettings,
    #[state(fixed)]
    gait: GaitSettings,
    #[state(fixed)]
    height: HeightSettings,
    /// A survey of the ground is told that is fine enough for feet.
    #[state(fixed)]
    is_told: bool,
    #[state(fixed)]
    interval_cycles: u64,
    task: DeadlineTask<Answer>,
    answer: Option<Answer>,
    /// Where the middle between the feet shall be, in the odometry frame; none if nobody wants it anywhere.
    wanted: Option<Pose2>,
    /// By what the robot sees itself, not by what it was told.
    by_sight: bool,
    /// The plan that is walked, in the odometry frame.
    plan: FootstepPlan,
    /// Its steps, for those who look.
    #[state(skip = "a picture of the plan, and made anew with the next")]
    shown: Arc<Path>,
    /// A plan is walked, or has been to its end.
    walks: bool,
    /// That plan has been walked to its end.
    is_over: bool,
    /// So many plans led to no step, and so many to their ends but not to the goal.
    refused: u64,
    missed: u64,
    number: u64,
    next_cycle: u64,
}

/// What is to be done about an answer.
#[derive(Clone, Debug)]
pub(crate) struct News {
    /// The steps from this one on are new.
    pub from: usize,
    /// They are these, …
    pub steps: Vec<walking::Footstep>,
    /// … and are taken so.
    pub manners: Vec<Manner>,
    /// What is said of it; empty if nothing has changed.
    pub words: String,
    /// No way to the goal was found.
    pub refused: bool,
}

impl StepClient {
    /// For a robot that stands on two feet; `None` for any other, or if nothing is to be planned.
    pub fn new(
        model: &RobotModel,
        prior: Option<&HeightMap>,
        settings: &MissionSettings,
        cycle: Period,
    ) -> Result<Option<StepClient>, MissionError> {
        let steps = settings.walking.steps;
        if !(model.description.wheels.is_empty() && model.description.feet.len() == 2 && steps.plan) {
            return Ok(None);
        }
        let refused =
            |error: footsteps::FootstepError| MissionError::Skill { skill: "footsteps", message: error.to_string() };
        let gait = settings.walking.gait;
        let mut footsteps = FootstepSettings::for_robot(model, &gait).map_err(refused)?;
        footsteps.search.expansions = steps.expansions;
        footsteps.footing.support = steps.support;
        footsteps.search.finer = steps.finer;
        footsteps.cost.length = steps.stride;
        footsteps.collision.margin = steps.margin;
        footsteps.strides.outward = steps.widest;
        footsteps.reach.forward[1] = footsteps.reach.forward[1].min(steps.longest);
        let prior = prior.filter(|prior| prior.cell <= footsteps.terrain.coarsest);
        let nothing =
            HeightMap { cell: steps.cell, columns: 1, rows: 1, heights: vec![f64::NAN], ..HeightMap::default() };
        // between the last sample below a stair and the first on it the survey does not say where its face is
        let told = TerrainSettings {
            noise: steps.survey,
            skirt: footsteps.terrain.skirt + 0.5 * prior.map_or(0.0, |prior| prior.cell) + 2.0 * steps.survey,
            ..footsteps.terrain
        };
        let terrain = HeightTerrain::from_map(prior.unwrap_or(&nothing), &told).map_err(refused)?;
        let planner = Planner::new(Arc::new(terrain), &footsteps).map_err(refused)?;
        let cycles = |seconds: f64| MissionSettings::period(seconds).cycles_of(cycle);
        Ok(Some(StepClient {
            planner: Arc::new(planner),
            footsteps,
            settings: steps,
            gait,
            height: HeightSettings { cell: steps.cell, reach: steps.reach, ..settings.navigation.map.height },
            is_told: prior.is_some(),
            interval_cycles: cycles(steps.interval),
            task: DeadlineTask::new("footsteps", cycles(steps.latency)),
            answer: None,
            wanted: None,
            by_sight: false,
            plan: FootstepPlan::default(),
            shown: Arc::default(),
            walks: false,
            is_over: false,
            refused: 0,
            missed: 0,
            number: 0,
            next_cycle: 0,
        }))
    }

    /// Whether it knows the ground without having seen it.
    pub fn is_told(&self) -> bool {
        self.is_told
    }

    /// Nobody wants the feet anywhere any more.
    pub fn forget(&mut self) {
        self.task.forget();
        self.number += 1;
        (self.answer, self.wanted, self.plan) = (None, None, FootstepPlan::default());
        (self.walks, self.is_over, self.next_cycle) = (false, false, 0);
        (self.refused, self.missed) = (0, 0);
    }

    /// The middle between the feet shall be there, in the odometry frame. True if that is elsewhere than before: what is walked has to end first.
    pub fn want(&mut self, goal: Pose2, by_sight: bool) -> bool {
        let off = |before: Pose2| before.distance(&goal).max(robot_io::math::wrap_angle(before.yaw - goal.yaw).abs());
        let moved = self.wanted.map_or(0.0, off);
        let is_other = moved > ELSEWHERE || self.by_sight != by_sight;
        if is_other {
            self.forget();
        } else if moved > MOVED {
            self.next_cycle = 0;
        }
        // a map that is put right bit by bit has moved, too
        if is_other || moved > MOVED || self.wanted.is_none() {
            self.wanted = Some(goal);
        }
        self.by_sight = by_sight;
        is_other
    }

    /// True while steps are planned or walked.
    pub fn is_on_its_way(&self, feet: &Feet) -> bool {
        let walks = self.walks && (feet.begun < feet.planned || !feet.stand);
        self.wanted.is_some() && (walks || !self.walks && self.refused + self.missed == 0)
    }

    /// No way was found, however often it was asked.
    pub fn is_stuck(&self) -> bool {
        self.refused.max(self.missed) > self.settings.tries as u64
    }

    /// Takes the answer that is due in `cycle`, and asks where that is needed.
    pub fn exchange<'a>(
        &mut self,
        cycle: u64,
        board: &mut dyn TaskBoard,
        feet: &Feet,
        odom_in_map: Pose2,
        seen: impl FnOnce() -> Option<Seen<'a>>,
    ) {
        if let Some(answer) = self.task.collect(board).filter(|answer| answer.number == self.number) {
            self.answer = Some(answer);
        }
        let Some(goal) = self.wanted else { return };
        self.mind_end(cycle, feet);
        let kept = if self.walks { feet.begun + self.settings.ahead } else { 0 };
        let has_left = if self.walks { kept < self.plan.steps.len() } else { feet.stand };
        if cycle < self.next_cycle || self.task.is_under_way() || self.answer.is_some() || !has_left {
            return;
        }
        let ground = match self.by_sight.then(seen).flatten() {
            Some(Seen { views, robot }) => {
                let (height, terrain) = (self.height, self.footsteps.terrain);
                Ground::Seen(Box::new(Sight { views: views.clone(), robot, height, terrain }))
            }
            None => Ground::Told,
        };
        let old = match self.walks {
            true => self.plan.clone(),
            false => FootstepPlan { feet: feet.landed, ..FootstepPlan::default() },
        };
        let (planner, number) = (self.planner.clone(), self.number);
        let expansions = self.settings.expansions << self.refused.min(2);
        let question =
            Question { planner, ground, odom_in_map, old, kept, feet: feet.landed, goal, number, expansions };
        self.task.release(board, move || question.answer());
        self.next_cycle = cycle + self.interval_cycles;
    }

    /// A robot that stands at the end of its plan and is not where it shall be begins anew after a while.
    fn mind_end(&mut self, cycle: u64, feet: &Feet) {
        let is_over = self.walks && feet.stand && feet.begun >= feet.planned;
        if is_over && self.is_over && cycle >= self.next_cycle {
            (self.walks, self.is_over, self.plan) = (false, false, FootstepPlan::default());
            self.missed += 1;
        } else if is_over && !self.is_over {
            (self.is_over, self.next_cycle) = (true, cycle + self.interval_cycles);
        }
    }

    /// What an answer that has come changes.
    pub fn take_news(&mut self, feet: &Feet) -> Option<News> {
        let Answer { plan, kept, .. } = self.answer.take()?;
        let first = !self.walks;
        if !first && feet.begun > kept || first && !feet.stand {
            return None;
        }
        let refused = !plan.is_to_goal();
        self.refused = if refused { self.refused + 1 } else { 0 };
        let from = if first { 0 } else { kept };
        let changed = first || differ(&plan, &self.plan, from);
        let words = match (first, refused) {
            (_, true) => format!("no footsteps to the goal: {}", why(&plan.outcome)),
            (true, false) => format!(
                "footsteps planned: {}, cost {:.1}, at most {:.2} times the least",
                plan.steps.len(),
                plan.cost,
                plan.bound
            ),
            (false, false) if changed => format!(
                "footsteps planned anew from step {}: {} in all, cost {:.1}",
                from + 1,
                plan.steps.len(),
                plan.cost
            ),
            _ => String::new(),
        };
        let steps = if changed { plan.footsteps().split_off(from.min(plan.steps.len())) } else { Vec::new() };
        let manners = manner::manners(&plan, from, &self.gait, &self.settings);
        if !(refused && first) {
            let pose = |foot: &walking::Footstep| Pose2 { x: foot.position.x, y: foot.position.y, yaw: foot.yaw };
            self.shown = Arc::new(Path { poses: plan.footsteps().iter().map(pose).collect() });
            (self.walks, self.plan) = (true, plan);
        }
        Some(News { from, steps, manners, words, refused: refused && first })
            .filter(|news| changed || !news.words.is_empty())
    }

    /// Adds the plan to what is shown.
    pub fn show(&self, feet: &Feet, telemetry: &mut Telemetry) {
        let steps = if self.walks { self.plan.steps.len() } else { 0 };
        if self.walks {
            telemetry.layers.push(("footsteps", Layer::Path(self.shown.clone())));
        }
        telemetry.scalar("footsteps_planned", steps as f64);
        telemetry.scalar("footsteps_begun", if self.walks { feet.begun.min(steps) as f64 } else { 0.0 });
        telemetry.scalar("footsteps_cost", if self.walks { self.plan.cost } else { 0.0 });
        telemetry.scalar("footsteps_bound", if self.walks { self.plan.bound } else { 0.0 });
    }
}

/// Whether two plans differ from step `from` on.
fn differ(one: &FootstepPlan, other: &FootstepPlan, from: usize) -> bool {
    let same = |(a, b): (&footsteps::PlannedStep, &footsteps::PlannedStep)| {
        let turn = robot_io::math::wrap_angle(a.foot.yaw - b.foot.yaw).abs();
        a.foot.side == b.foot.side && (a.foot.position - b.foot.position).norm() + turn < SAME
    };
    one.steps.len() != other.steps.len() || !one.steps.iter().zip(&other.steps).skip(from).all(same)
}

/// Why there is no way, in words.
fn why(outcome: &Outcome) -> String {
    match outcome {
        Outcome::None => "nothing is known of the ground".to_owned(),
        Outcome::ToGoal => "there are some".to_owned(),
        Outcome::FeetRefused { side, refusal } => {
            format!("the {side:?} foot stands where no plan begins: {refusal}").to_lowercase()
        }
        Outcome::GoalRefused { side, refusal } => {
            format!("the {side:?} foot cannot stand there: {refusal}").to_lowercase()
        }
        Outcome::Unreached { nearest, refusal, exhausted, .. } => {
            let sure = if *exhausted { "" } else { ", as far as was looked" };
            format!("none beyond x {:.2} m, y {:.2} m on the map{sure}: {refusal}", nearest.x, nearest.y)
        }
    }
}
