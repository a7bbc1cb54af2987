//! A statechart at work: a component whose leaves are skills.

mod base;
mod shown;
mod workshop;

use core::fmt;
use std::sync::Arc;

use robot_io::{Commands, Event, Events, OperatorRequest, RobotLayout, Severity, State, Telemetry, Time};
use robot_model::RobotModel;
use runtime::chart::{Autonomy, Book, Catalogue, Run, Source, Task, Told, Value, What, Work};
use runtime::{Component, Cycle, Declaration, Lease};

use self::shown::Shown;
use self::workshop::{Tools, Workshop};
use crate::skill::{SkillRefusal, Skills};
use crate::supervision::SupervisionSettings;

/// Who says so, in events.
const SOURCE: &str = "behaviour";
/// What charts can ask of the world: whether the battery is low, …
const BATTERY_LOW: &str = "battery_low";
/// … and whether the operator has a hand on the stick.
const DRIVEN_BY_HAND: &str = "driven_by_hand";
/// … and whether the robot knows its place: it is not lost on the map that it draws.
const LOCALIZED: &str = "localized";

/// What a behaviour is to carry out, and how.
#[derive(Clone, Debug)]
pub struct BehaviourPlan {
    /// The chart and those that it names, read with the [catalogue](Behaviour::catalogue) of the same skills.
    pub book: Arc<Book>,
    /// What the chart is told, by its inputs' places; the others have their defaults.
    pub inputs: Vec<(usize, Value)>,
    /// How much it decides by itself; where it may not, the operator's `resume` allows it.
    pub autonomy: Autonomy,
    /// Its priority for the joints that its skills move.
    pub priority: u32,
}

/// Carries a chart out. Its skills have the joints that they move until the chart has ended, and send the base where they want it,
/// if a [`MissionServer`](crate::MissionServer) moves it for them.
///
/// The operator's pause breaks off what is under way, and resume begins it again; so do a robot that is stopped, and one that follows again.
#[derive(Debug, State)]
pub struct Behaviour {
    #[state(fixed)]
    plan: BehaviourPlan,
    run: Run,
    workshop: Workshop,
    now: Time,
    has_ended: bool,
    is_paused: bool,
    /// The robot itself is stopped.
    is_held: bool,
    /// The operator has been told that something is asked.
    has_asked: bool,
    #[state(fixed)]
    leases: Vec<Lease>,
    #[state(scratch)]
    wanted: Commands,
    #[state(output)]
    told: Vec<Told>,
    #[state(output)]
    shown: Shown,
    #[state(output)]
    events: Events,
}

impl Behaviour {
    /// What charts may name, with these skills: skills and facts.
    pub fn catalogue(skills: &Skills) -> Catalogue {
        skills.catalogue(&[BATTERY_LOW, DRIVEN_BY_HAND, LOCALIZED])
    }

    /// A behaviour of a robot, with the skills whose catalogue its book was read with. A skill that could not be made from what its chart says is
    /// refused here.
    pub fn new(
        plan: BehaviourPlan,
        skills: &Skills,
        robot: &RobotModel,
        layout: &RobotLayout,
    ) -> Result<Behaviour, SkillRefusal> {
        let (skills, catalogue) = (skills.clone(), Behaviour::catalogue(skills));
        let workshop = Workshop::new(Tools { robot: robot.clone(), layout: layout.clone(), skills, catalogue });
        expect_skills(&plan, workshop.tools())?;
        let run = Run::begin(Arc::clone(&plan.book), &plan.inputs, plan.autonomy);
        Ok(Behaviour {
            plan,
            run,
            workshop,
            now: Time::ZERO,
            has_ended: false,
            is_paused: false,
            is_held: false,
            has_asked: false,
            leases: Vec::new(),
            wanted: Commands::new(layout),
            told: Vec::new(),
            shown: Shown::default(),
            events: Events::new(),
        })
    }

    /// The active states from the outside to the inside, one for each region.
    pub fn active(&self) -> Vec<String> {
        self.run.active().into_iter().map(|active| active.path).collect()
    }

    fn note(&mut self, cycle: &Cycle<'_>, severity: Severity, what: String) {
        self.events.push(Event { what: what.into(), ..Event::note(cycle.now(), severity, SOURCE, "") });
    }

    /// What the operator wants.
    fn obey(&mut self, cycle: &Cycle<'_>) {
        let now = cycle.now();
        match cycle.readings.operator.request {
            Some(OperatorRequest::Pause | OperatorRequest::EmergencyStop) => {
                self.is_paused = true;
                self.run.pause(now, &mut self.workshop);
            }
            Some(OperatorRequest::Resume) if self.is_paused => {
                self.is_paused = false;
                if !self.is_held {
                    self.run.resume(now, &mut self.workshop);
                }
            }
            Some(OperatorRequest::Resume) => self.run.allow(),
            _ => {}
        }
    }

    /// While the robot is stopped nothing goes on.
    fn mind_the_robot(&mut self, cycle: &Cycle<'_>) {
        let is_stopped = cycle.readings.status.is_stopped();
        if core::mem::replace(&mut self.is_held, is_stopped) == is_stopped {
            return;
        }
        if is_stopped {
            self.run.pause(cycle.now(), &mut self.workshop);
            self.note(cycle, Severity::Warning, "waits: the robot is stopped".to_owned());
        } else {
            if !self.is_paused {
                self.run.resume(cycle.now(), &mut self.workshop);
            }
            self.note(cycle, Severity::Info, "the robot follows again".to_owned());
        }
    }

    /// Whether the operator is asked, told once.
    fn ask(&mut self, cycle: &Cycle<'_>) {
        let asks = self.run.asks();
        if asks && !self.has_asked {
            let what = format!("{} asks the operator: resume allows it", self.active().join(", "));
            self.note(cycle, Severity::Warning, what);
        }
        self.has_asked = asks;
    }

    fn end(&mut self, cycle: &mut Cycle<'_>, outcome: usize) {
        self.has_ended = true;
        self.workshop.clear();
        self.leases.iter().for_each(|lease| cycle.let_go(*lease));
        self.workshop.let_go_of_others(cycle);
        let chart = self.plan.book.main();
        let outcome = chart.outcomes.get(outcome).map_or("", String::as_str);
        let what = format!("{} ended as '{outcome}'", chart.name);
        self.note(cycle, Severity::Info, what);
    }
}

impl Component for Behaviour {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.leases = wants.lease_each(self.plan.priority);
        self.workshop.declare(wants);
    }

    fn start(&mut self, _cycle: &mut Cycle<'_>) {
        let BehaviourPlan { book, inputs, autonomy, .. } = &self.plan;
        self.run = Run::begin(Arc::clone(book), inputs, *autonomy);
        self.workshop.clear();
        self.shown = Shown::default();
        (self.has_ended, self.is_paused, self.is_held, self.has_asked) = (false, false, false, false);
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        if self.has_ended {
            return;
        }
        self.now = cycle.now();
        self.obey(cycle);
        self.mind_the_robot(cycle);
        let charge = cycle.readings.batteries.first().map_or(1.0, |battery| battery.charge);
        let is_low = charge < SupervisionSettings::default().low_charge;
        let is_localized = self.workshop.is_localized(cycle);
        self.workshop.facts.copy_from_slice(&[is_low, cycle.readings.operator.twist.is_some(), is_localized]);
        let outcome = self.run.update(cycle.now(), &mut self.workshop, &mut self.told);
        while !self.told.is_empty() {
            let Told { state, what } = self.told.remove(0);
            let what = format!("{state} {what}");
            self.shown.because(what.clone());
            self.note(cycle, Severity::Info, what);
        }
        self.ask(cycle);
        self.shown.look(&self.run, &self.workshop.tools().catalogue);
        if let Some(outcome) = outcome {
            return self.end(cycle, outcome);
        }
        self.workshop.work(cycle, &self.leases, &mut self.wanted, &mut self.events);
    }

    fn may_pause(&mut self) -> bool {
        // its joints hold where they are told to be, whoever has them next
        self.run.pause(self.now, &mut self.workshop);
        true
    }

    fn resume(&mut self, cycle: &mut Cycle<'_>) {
        if !self.is_paused && !self.is_held {
            self.run.resume(cycle.now(), &mut self.workshop);
        }
    }

    fn show(&self, telemetry: &mut Telemetry) {
        telemetry.states.extend_from_slice(self.shown.states());
    }

    fn say(&self, words: &mut dyn fmt::Write) -> fmt::Result {
        let waits = if self.run.asks() { ", asks the operator" } else { "" };
        match (self.has_ended, self.is_paused, self.is_held) {
            (true, ..) => words.write_str("has ended"),
            (_, true, _) => words.write_str("paused"),
            (.., true) => words.write_str("waits for the robot"),
            _ => write!(words, "{}{waits}", self.active().join(", ")),
        }
    }

    fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }

    fn is_done(&self) -> Option<bool> {
        Some(self.has_ended)
    }
}

/// Refuses what no skill can be made from, as far as the charts say it: values from the file, and what the main chart is told.
fn expect_skills(plan: &BehaviourPlan, tools: &Tools) -> Result<(), SkillRefusal> {
    for (place, chart) in plan.book.charts().iter().enumerate() {
        for state in &chart.states {
            let tasks: Vec<&Task> = match &state.work {
                Work::One(task) => vec![task],
                Work::Parallel { regions, .. } => regions.iter().map(|region| &region.task).collect(),
            };
            for task in tasks {
                let (What::Skill(skill), Some(told)) = (&task.what, known_inputs(plan, place, task)) else { continue };
                let refused = |why| SkillRefusal(format!("chart '{}', state '{}': {why}", chart.name, state.name));
                tools.make(*skill, &told).map_err(refused)?;
            }
        }
    }
    Ok(())
}

/// What a task is told, if that is known before the chart runs.
fn known_inputs(plan: &BehaviourPlan, chart: usize, task: &Task) -> Option<Vec<Option<Value>>> {
    let mut told = task.defaults.clone();
    for (input, source) in &task.inputs {
        told[*input] = match source {
            Source::Literal(value) => Some(value.clone()),
            Source::Input(own) if chart == 0 => Some(plan.inputs.iter().find(|(input, _)| input == own)?.1.clone()),
            Source::Input(_) | Source::Local(_) | Source::Last(_) => return None,
        };
    }
    Some(told)
}
