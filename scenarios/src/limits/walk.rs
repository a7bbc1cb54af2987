//! Slopes and steps: a robot goes straight over ground that was made for it.

use std::sync::Arc;

use mission::{Frame, Leg, MissionPlan, Step};
use robot_io::{Pose2, Time};
use worlds::World;

use super::fall::Watch;
use super::ground::{self, SLOPE_GOAL, STEP_GOAL};
use super::plan::MapKind;
use super::probe::begin;
use super::stop::Stop;
use crate::case::Spawn;
use crate::{Case, ScenarioError, Stage, interrupt};

/// A robot has arrived if its mission says so, and its base is really so near to the goal [m].
const ARRIVED: f64 = 0.5;
/// It has the time that the way takes at its speed, this many times …
const PATIENCE: f64 = 4.0;
/// … and so much beside [s].
const MORE: f64 = 15.0;

/// What a robot goes over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// A slope or a step.
    kind: MapKind,
    /// The goal, along the way [m].
    goal: f64,
    /// How fast it goes at the most [m/s].
    pub speed: f64,
}

impl Way {
    /// The way of a kind for the robot of a scenario, at the speed of its first leg.
    pub fn of(kind: MapKind, stage: &Stage) -> Result<Way, ScenarioError> {
        if !stage.case.controller.is_mission() || stage.case.controller.is_program() {
            let message = format!(
                "--map {}: expected a scenario whose controller is the mission, which can be told to go straight on; found '{}'. --map push asks for none",
                kind.word(),
                stage.case.controller.name
            );
            return Err(ScenarioError::Usage(message));
        }
        let speed = first_leg(&stage.case).and_then(|leg| leg.speed).unwrap_or(stage.settings.cruise_speed);
        let goal = if kind == MapKind::Slope { SLOPE_GOAL } else { STEP_GOAL };
        Ok(Way { kind, goal, speed })
    }

    /// How long the robot may take [s].
    pub fn patience(&self) -> f64 {
        PATIENCE * self.goal / self.speed + MORE
    }

    /// A run over ground of that size, in that direction [°], until it has stood at the goal for `recover` [s]. Returns how long it took [s], and why it has
    /// not survived, if it has not.
    pub fn run(&self, stage: &Stage, degrees: f64, size: f64, recover: f64) -> Result<(f64, Option<String>), Stop> {
        let (like, place) = (&stage.world, &stage.spawn);
        let world = match self.kind {
            MapKind::Slope => ground::slope(like, place, size, degrees)?,
            MapKind::Step | MapKind::Push => ground::step(like, place, if degrees > 90.0 { -size } else { size })?,
        };
        let stage = self.stage(stage, world, recover)?;
        let mut session = begin(&stage, None)?;
        let (mut watch, mut arrived) = (None, None);
        while session.readings().time < stage.case.duration {
            if interrupt::requested() {
                return Err(Stop::Interrupted);
            }
            session.cycle()?;
            let now = session.readings().time;
            let watch = *watch.get_or_insert_with(|| Watch::begin(&session, &stage.world, "after it set out"));
            if let fate @ Some(_) = watch.fate(&session, &stage.world) {
                return Ok((now.seconds(), fate));
            }
            if session.status().is_done() {
                let since = *arrived.get_or_insert(now);
                if now.since(since).seconds() >= recover {
                    let base = session.observation().truth.base_in_world.translation.vector;
                    let missing = libm::hypot(base.x - self.goal, base.y);
                    let what = || format!("it says that it has arrived, and is {missing:.2} m from there");
                    return Ok((now.seconds(), (missing > ARRIVED).then(what)));
                }
            }
        }
        let base = session.observation().truth.base_in_world.translation.vector;
        Ok((
            stage.case.duration.seconds(),
            Some(format!(
                "it does not arrive in {}: it has come to {:.2} m of {} m",
                stage.case.duration, base.x, self.goal
            )),
        ))
    }

    /// The scenario's robot before the way, with nothing to do but to go it.
    fn stage(&self, stage: &Stage, world: World, recover: f64) -> Result<Stage, ScenarioError> {
        let bus = stage.bus.as_ref().map(|bus| bus.as_source());
        let case = Case {
            world: world.name.clone(),
            spawn: Spawn::Pose(Pose2::default()),
            duration: Time::from_seconds(self.patience() + recover),
            mission: self.mission(&stage.case),
            behaviour: None,
            hands: None,
            faults: Vec::new(),
            controller_faults: Vec::new(),
            bus_faults: Vec::new(),
            pushes: Vec::new(),
            kidnaps: Vec::new(),
            operator: Vec::new(),
            others: Vec::new(),
            checks: Vec::new(),
            metrics: Vec::new(),
            twin: None,
            ..stage.case.clone()
        };
        Stage::new(case, Arc::new(world), Arc::clone(&stage.robot), bus, &stage.registry)
    }

    /// One leg, as near to the goal as the scenario's first one wants it.
    fn mission(&self, case: &Case) -> MissionPlan {
        let (tolerance, heading_tolerance) =
            first_leg(case).map_or((0.15, 0.15), |leg| (leg.tolerance, leg.heading_tolerance));
        let leg = Leg {
            x: self.goal,
            y: 0.0,
            yaw: Some(0.0),
            look: None,
            tolerance,
            heading_tolerance,
            speed: Some(self.speed),
            pass: false,
            navigate: false,
            timeout: None,
        };
        let steps = vec![Step { leg: Some(leg), action: None }];
        MissionPlan { name: "straight on".to_owned(), frame: Frame::World, steps, ..case.mission.clone() }
    }
}

fn first_leg(case: &Case) -> Option<Leg> {
    case.mission.steps.iter().find_map(|step| step.leg)
}
