//! The one place that knows all the parts: from a stage to a session.

use std::time::Duration;

use crossbeam::channel::Receiver;
use hil::realtime::RealtimeSetup;
use nalgebra::Vector3;
use plant::{Push, SharedSimulation};
use robot_io::{
    Event, Events, FaultInjector, OperatorInput, OperatorRequest, RobotLayout, SafetyFilter, SafetyLimits, Severity,
    Time,
};

use crate::ScenarioError;
use crate::case::{ControllerPlan, ControllerTrouble, OperatorPlan, PushPlan};
use crate::checks::{CheckPlan, Metric};
use crate::console::Console;
use crate::controller::{ControllerSetup, Driver, Offer, ProgramPlan, Recorded};
use crate::evaluation::Baselines;
use crate::figures::Figures;
use crate::plants::Plugged;
use crate::session::{
    ControllerFaults, Desk, Forward, LiveInput, OPERATOR_INPUTS, Operator, OtherRobot, Parts, Pilot, PlantRobot,
    RealTime, RealTimeLoop, ScriptedInput, SimulatedRobot, Snapshot, TimedPush, WorkerBoard, hold, press,
};
use crate::stage::Stage;
use crate::twin::Mirror;

/// A program may take so long to answer in simulation, unless the scenario says otherwise [s] …
const IN_LOCK_STEP: f64 = 2.0;
/// … and this share of a cycle over a bus whose time is not ours.
const SHARE_OF_CYCLE: f64 = 0.8;

/// How a run is paced and staffed; none of it changes the result.
#[derive(Debug, Default)]
pub struct Staffing {
    /// Threads for deadline tasks.
    pub workers: usize,
    /// Simulated seconds per second; `None` for as fast as possible.
    pub realtime: Option<f64>,
    /// The core on which a real-time thread stays.
    pub core: Option<usize>,
    /// A picture is to be taken of the first cycle from this time on.
    pub picture_at: Option<Time>,
    /// The person at the desk.
    pub live: Option<Receiver<OperatorInput>>,
    /// The person at a terminal.
    pub console: Option<Console>,
}

impl Stage {
    /// Builds the robot in the world and everything around it.
    pub fn assemble(&self, staffing: Staffing) -> Result<Parts, ScenarioError> {
        let layout = self.layout();
        // nobody computes on a real-time thread what takes longer than a cycle
        let workers = if self.is_real_time() { staffing.workers.max(1) } else { staffing.workers };
        let pilot = self.pilot(&layout, workers)?;
        let pushes = self.case.pushes.iter().map(|push| self.push(push)).collect::<Result<_, _>>()?;
        let Plugged { robot, clock, simulation, half } = self.plant()?;
        let on_card = self.is_real_time();
        let (live, forward) = live_input(staffing.live, on_card);
        let robot = self.wrapped(robot, live)?;
        let others = self.other_robots(simulation.as_ref(), workers)?;
        let clock = RealTime::new(clock, staffing.realtime.filter(|_| !on_card));
        let shadow = self.case.twin.as_ref().map(|twin| self.shadow(twin)).transpose()?;
        let setup = RealtimeSetup { core: staffing.core, ..RealtimeSetup::default() };
        let realtime = on_card.then_some(RealTimeLoop { setup, forward });
        let mirror = (!self.case.plant.is_simulated()).then(|| Mirror::new(self)).transpose()?;
        let notes = self.notes();
        let baselines = self.baselines(&layout)?;
        Ok(Parts {
            robot,
            clock,
            simulation,
            half,
            shadow,
            pilot,
            others,
            pushes,
            log: None,
            realtime,
            mirror,
            baselines,
            figures: Figures::of(self),
            notes,
        })
    }

    /// The robot with everything that a scenario wraps around it.
    fn wrapped(&self, plant: PlantRobot, live: Option<LiveInput>) -> Result<SimulatedRobot, ScenarioError> {
        let robot = FaultInjector::new(plant, self.case.faults.clone(), self.case.seed)?;
        let link = self.case.link.clone().unwrap_or_default();
        let robot = Desk::new(robot, Operator { script: self.script(), recorded: None, live, link });
        Ok(SafetyFilter::new(robot, SafetyLimits::default()))
    }

    /// The robots beside the first, with whoever answers them; none where no simulation is behind the plug.
    fn other_robots(
        &self,
        simulation: Option<&SharedSimulation>,
        workers: usize,
    ) -> Result<Vec<OtherRobot>, ScenarioError> {
        let Some(world) = simulation else { return Ok(Vec::new()) };
        let robot = |(index, stage): (usize, &Stage)| {
            let plug = world.robot(index + 1)?;
            let other = || {
                let robot = stage.wrapped(PlantRobot::Sim(Box::new(plug)), None)?;
                let pilot = stage.pilot(&stage.layout(), workers)?;
                Ok(OtherRobot::new(&stage.case.name, index + 1, world.clone(), robot, pilot))
            };
            Some(other())
        };
        self.others.iter().enumerate().filter_map(robot).collect()
    }

    /// The baselines of mapping that a check or a metric asks for.
    fn baselines(&self, layout: &RobotLayout) -> Result<Option<Baselines>, ScenarioError> {
        let checks = self.case.checks.iter().filter_map(CheckPlan::metric);
        let metrics = self.case.metrics.iter().filter_map(|metric| metric.parse().ok());
        let mut kinds = Vec::new();
        for kind in checks.chain(metrics).filter_map(|metric: Metric| metric.signal.needs_baseline()) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.is_empty() {
            return Ok(None);
        }
        let told = self.told(layout)?;
        let baselines = Baselines::new(&kinds, &told.robot, layout, &told.mapping(&self.settings.slam), &told.start);
        baselines.map(Some).map_err(|error| self.case.wrong_at("baseline", error.to_string()))
    }

    /// What a person should know of this plant.
    fn notes(&self) -> Events {
        let note = |what| Event::note(Time::ZERO, Severity::Warning, "session", what);
        let mut notes = Events::new();
        if !self.case.plant.is_simulated() && !self.case.pushes.is_empty() {
            notes.push(note("the scenario's pushes are left out: there is no simulation behind this plant"));
        }
        if !self.others.is_empty() && (!self.case.plant.is_simulated() || self.case.mixed.is_some()) {
            notes.push(note(
                "the scenario's other robots are left out: there is no simulation of its own behind this plant",
            ));
        }
        if !self.case.plant.is_simulated() && !self.case.bus_faults.is_empty() {
            notes.push(note("the scenario's bus faults are left to the program that serves the boards"));
        }
        notes
    }

    /// The controller with `workers` threads for its deadline tasks.
    pub fn pilot(&self, layout: &RobotLayout, workers: usize) -> Result<Pilot, ScenarioError> {
        let trouble = ControllerFaults::new(self.case.controller_faults.clone(), layout.period);
        let mut pilot = Pilot { controller: self.controller(layout)?, board: WorkerBoard::new(workers), trouble };
        if let Some(past) = &self.past {
            Snapshot::from_log(past.saved.clone(), &past.log)?.restore_controller(&mut pilot)?;
        }
        Ok(pilot)
    }

    /// The controller alone.
    fn controller(&self, layout: &RobotLayout) -> Result<Box<dyn Driver>, ScenarioError> {
        if let Some(log) = &self.answers {
            return Ok(Box::new(Recorded::new(log, &self.case.controller.program)));
        }
        let (told, program) = (self.told(layout)?, self.program(layout));
        let mut skills = self.settings.clone();
        skills.slam = told.mapping(&skills.slam);
        let setup = ControllerSetup {
            robot: &told.robot,
            layout,
            start_in_world: told.start,
            seed: self.case.seed,
            settings: &self.case.controller.settings,
            program: program.as_ref(),
            plan: &self.case.mission,
            skills,
            own_skills: self.registry.skills(),
            prior: told.prior.clone(),
            behaviour: self.behaviour()?,
            hands: self.hands()?,
        };
        let controller = self.registry.build(&self.case.controller.name, &setup);
        let mut controller = controller.map_err(|error| self.case.controller_error(error))?;
        self.expect_components(controller.as_mut())?;
        if let (Some(table), Some(false)) = (&self.case.behaviour, setup.behaviour.as_ref().map(Offer::is_taken)) {
            let expected = "expected a controller that carries one out, as the mission does";
            let message = format!("behaviour: {expected}; found '{}'", self.case.controller.name);
            return Err(self.case.wrong(table.line, message));
        }
        Ok(controller)
    }

    /// Refuses an operator who tells something to a component that the controller does not have, and one that shall break.
    fn expect_components(&self, controller: &mut dyn Driver) -> Result<(), ScenarioError> {
        let known = controller.parts().map(|parts| parts.names()).unwrap_or_default();
        let told = self.case.operator.iter().filter_map(|plan| match plan {
            OperatorPlan::Press(_, OperatorRequest::Switch { component, .. }) => Some(("operator", *component)),
            _ => None,
        });
        let broken = self.case.controller_faults.iter().filter_map(|fault| match fault.kind {
            ControllerTrouble::Panic { component } => Some(("fault", component?)),
            ControllerTrouble::Slow { .. } => None,
        });
        for (of, component) in told.chain(broken) {
            let found = component.to_string();
            if !known.contains(&found.as_str()) {
                let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
                let expected = format!("a component of controller '{}' ({known})", self.case.controller.name);
                let message = format!("{of}: component: expected {expected}, found '{found}'");
                return Err(self.case.wrong_at(&format!("\"{found}\""), message));
            }
        }
        Ok(())
    }

    /// The program that answers, if one does. Relative to the scenario's folder it is started as one would start it there.
    fn program(&self, layout: &RobotLayout) -> Option<ProgramPlan> {
        let ControllerPlan { program: words, answer_within, .. } = &self.case.controller;
        // in lock-step nothing goes on meanwhile, and yet nobody waits for ever
        let usual = if self.is_real_time() { SHARE_OF_CYCLE * layout.period.seconds() } else { IN_LOCK_STEP };
        let patience = Duration::from_secs_f64(answer_within.unwrap_or(usual));
        let plan = ProgramPlan { words: words.clone(), folder: self.case.folder.clone(), patience };
        (!words.is_empty()).then_some(plan)
    }

    fn script(&self) -> Vec<ScriptedInput> {
        let line = |plan: &OperatorPlan| match *plan {
            OperatorPlan::Press(at, request) => press(at, request),
            OperatorPlan::Hold(at, until, twist) => hold(at, until, twist),
        };
        self.case.operator.iter().map(line).collect()
    }

    fn push(&self, plan: &PushPlan) -> Result<TimedPush, ScenarioError> {
        let PushPlan { at, until, link, point, force } = plan;
        let unknown = || self.case.wrong_at(link, format!("push: {} has no link named '{link}'", self.robot.name));
        let link = self.link_names().position(|name| name == *link).ok_or_else(unknown)?;
        let (point_in_link, force_in_world) = (Vector3::from(*point), Vector3::from(*force));
        Ok(TimedPush { at: *at, push: Push { link, point_in_link, force_in_world, until: *until } })
    }
}

/// Input of a live person: directly, or by a ring into a real-time thread.
fn live_input(live: Option<Receiver<OperatorInput>>, realtime: bool) -> (Option<LiveInput>, Option<Forward>) {
    match live {
        Some(from) if realtime => {
            let (to, ring) = rtrb::RingBuffer::new(OPERATOR_INPUTS);
            (Some(LiveInput::Ring(ring)), Some(Forward { from, to }))
        }
        live => (live.map(LiveInput::Channel), None),
    }
}
