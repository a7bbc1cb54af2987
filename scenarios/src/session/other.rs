//! A robot beside the first one, in the same world and the same cycles.

use plant::{SharedSimulation, Truth};
use robot_io::{
    Commands, Digest, Event, Events, IoError, Keeper, Pool, RobotIo, RobotLayout, Saved, Severity, StateHasher, Subject,
};
use serde::{Deserialize, Serialize};

use super::truth::TruthLine;
use super::{CycleRecord, Cyclic, EVENTS, Pilot, Plug, SavedTask, SimulatedRobot};
use crate::ScenarioError;
use crate::checks::{Observation, TruthSource};
use crate::controller::ControllerStatus;
use crate::evaluation::Evaluation;

/// Robot and controller, and what is noted of them.
#[derive(Debug)]
pub struct OtherRobot {
    name: String,
    cyclic: Cyclic<()>,
    record: CycleRecord,
    layout: RobotLayout,
    controller_name: String,
    truth: TruthLine,
    evaluation: Evaluation,
    /// Its own events, before they become the run's.
    events: Events,
}

/// What it remembers between two cycles, but for what the plant does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedOther {
    robot: Saved,
    controller: Saved,
    tasks: Vec<SavedTask>,
    readings: Saved,
    commands: Commands,
    distance: f64,
    evaluation: Evaluation,
}

impl OtherRobot {
    /// The robot with this number in a `world`, with its wrappers, and whoever answers it.
    pub fn new(name: &str, number: usize, world: SharedSimulation, robot: SimulatedRobot, pilot: Pilot) -> OtherRobot {
        let layout = robot.layout().clone();
        let status = pilot.controller.status();
        let (controller_name, status) = (status.name().to_owned(), status.named("", None, ""));
        OtherRobot {
            name: name.to_owned(),
            record: CycleRecord { status, ..CycleRecord::new(&layout, EVENTS) },
            cyclic: Cyclic { robot: Plug::new(robot, None), clock: (), pilot },
            layout,
            controller_name,
            truth: TruthLine::of(world, number),
            evaluation: Evaluation::default(),
            events: Events::new(),
        }
    }

    /// Switches it on.
    pub fn bring_up(&mut self) -> Result<(), IoError> {
        self.cyclic.bring_up()
    }

    /// Its part of a cycle; what happened to it goes to the end of `events`.
    pub fn answer(&mut self, events: &mut Events) -> Result<(), IoError> {
        self.cyclic.answer(&mut self.record)?;
        self.events.append(&mut self.record.events);
        let joint = |joint: usize| self.layout.joints.get(joint).map(|joint| joint.name.as_str());
        events.extend(self.events.drain(..).map(|event| told_of(&self.name, event, joint)));
        Ok(())
    }

    /// Gathers the truth about it, before time goes on.
    pub fn note(&mut self) {
        self.truth.note();
        if let Some(place) = self.record.telemetry.localization {
            let truth = &self.truth.now().base_in_world;
            self.evaluation.observe(self.record.readings.time, &place.base_in_map, truth);
        }
    }

    /// The digest of all of them; `None` without any.
    pub fn digest(others: &mut [OtherRobot]) -> Option<Digest> {
        let mut hasher = StateHasher::default();
        for other in &mut *others {
            let (robot, controller) = other.cyclic.digests();
            hasher.add(robot.0);
            hasher.add(controller.0);
        }
        (!others.is_empty()).then(|| hasher.finish())
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if its controller has panicked though nobody wanted that.
    pub fn is_lost(&self) -> bool {
        self.record.panicked.is_some() && !self.cyclic.pilot.trouble.wants_panic()
    }

    /// What is true of it.
    pub fn truth(&self) -> &Truth {
        self.truth.now()
    }

    /// Its last cycle as a whole.
    pub fn record(&self) -> &CycleRecord {
        &self.record
    }

    /// How its controller stands.
    pub fn status(&self) -> ControllerStatus<'_> {
        self.record.status(&self.controller_name, &self.layout)
    }

    /// Its cycle as checks see it.
    pub fn observation(&self) -> Observation<'_> {
        Observation {
            readings: &self.record.readings,
            telemetry: &self.record.telemetry,
            truth: self.truth.now(),
            truth_from: TruthSource::Plant,
            layout: &self.layout,
            start: self.truth.start(),
            distance: self.truth.distance(),
            interventions: self.record.interventions,
            residuals: &[],
            evaluation: &self.evaluation,
            baseline: None,
            vgicp: None,
        }
    }

    /// What it remembers; waits for deadline tasks under way.
    pub fn save(&mut self, keeper: &mut Keeper<'_>) -> SavedOther {
        let Cyclic { robot, pilot, .. } = &mut self.cyclic;
        SavedOther {
            robot: keeper.save(robot),
            controller: keeper.save(&mut pilot.controller),
            tasks: pilot.board.save(keeper),
            readings: keeper.save(&mut self.record.readings),
            commands: self.record.commands.clone(),
            distance: self.truth.distance_by_now(),
            evaluation: self.evaluation.clone(),
        }
    }

    /// Goes to where it was saved, before the cycle with this number. The plant is there already.
    pub fn restore(&mut self, saved: &SavedOther, next_cycle: u64, pool: &Pool) -> Result<(), ScenarioError> {
        let Cyclic { robot, pilot, .. } = &mut self.cyclic;
        pool.restore(robot, &saved.robot)?;
        pool.restore(&mut pilot.controller, &saved.controller)?;
        pilot.board.restore(next_cycle, &saved.tasks, pool);
        pilot.trouble.restore();
        pool.restore(&mut self.record.readings, &saved.readings)?;
        self.record.commands.copy_from(&saved.commands);
        self.truth.resume(saved.distance);
        self.evaluation = saved.evaluation.clone();
        Ok(())
    }
}

/// An event of a robot as it is told among the first one's: with its name, and as no stop, which would be the first one's.
fn told_of<'n>(robot: &str, event: Event, joint: impl Fn(usize) -> Option<&'n str>) -> Event {
    let subject = match event.subject {
        Subject::Robot => String::new(),
        Subject::Joint(index) => format!("{}: ", joint(index).unwrap_or("unknown joint")),
        Subject::Step(index) => format!("step {}: ", index + 1),
    };
    let what = format!("{robot}: {subject}{}", event.what).into();
    Event { what, subject: Subject::Robot, severity: event.severity.min(Severity::Error), ..event }
}
