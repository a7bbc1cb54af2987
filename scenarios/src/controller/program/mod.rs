//! A controller in another process.
//!
//! Each cycle the readings go to the program as a line of JSON, and its answer comes back as one. Whoever computes a run again
//! takes the program's answers from the log instead: nothing of a log is ever started unless somebody asks for it.

mod child;
mod recorded;
mod wire;

use std::borrow::Cow;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::time::Duration;

use robot_io::{Commands, Controller, Event, Events, Readings, Severity, State, StateVisitor, Telemetry};

use self::child::Lines;
pub use self::recorded::Recorded;
use self::wire::{Answer, Asked, Form, Hello, Ready, VERSION};
use super::{ControllerError, ControllerSetup, ControllerStatus, Driver};

/// So long a program may take to start.
const START: Duration = Duration::from_secs(30);
/// So many different names of numbers for logs a program may use.
const MOST_NAMES: usize = 256;
const SOURCE: &str = "program";

/// Which program, and how long it may take.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramPlan {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Where it is started.
    pub folder: PathBuf,
    /// How long it may take to answer a cycle, on the wall.
    pub patience: Duration,
}

/// A program that is asked in each cycle. One that ends, or answers what is no answer, ends as a controller that panics.
#[derive(Debug)]
pub struct Program {
    /// The words that started it.
    name: String,
    lines: Lines,
    patience: Duration,
    form: Form,
    memory: Memory,
    /// What the process itself has in mind: the memory after its last answer.
    in_process: Option<String>,
    begins: bool,
    /// The cycle that it has been asked about and has not answered.
    owes: Option<u64>,
    answered: bool,
    events: Events,
    scalars: Vec<(&'static str, f64)>,
    names: Vec<&'static str>,
}

/// What a program remembers, as it says itself.
#[derive(Clone, Debug, Default, PartialEq)]
struct Memory {
    state: Option<String>,
    done: bool,
}

impl Program {
    /// Starts a program and waits until it is ready.
    pub fn start(plan: &ProgramPlan, setup: &ControllerSetup<'_>) -> Result<Program, ControllerError> {
        let refused = |why: String| ControllerError::Refused(format!("program: {why}"));
        let mut lines = Lines::start(&plan.words, &plan.folder).map_err(refused)?;
        lines.send(to_json(&Hello::new(setup)).map_err(refused)?).map_err(refused)?;
        let ready = lines.receive(START).map_err(refused)?;
        let ready = ready.ok_or_else(|| refused(format!("expected its first line within {START:?}, found none")))?;
        let wrong = |error| refused(format!("expected {{\"chiron\": {VERSION}}} as its first line, {error}: {ready}"));
        let Ready { chiron } = serde_json::from_str(&ready).map_err(|error| wrong(error.to_string()))?;
        if chiron != VERSION {
            return Err(wrong(format!("found version {chiron}")));
        }
        Ok(Program {
            name: plan.words.join(" "),
            lines,
            patience: plan.patience,
            form: Form::of(setup.layout),
            memory: Memory::default(),
            in_process: None,
            begins: true,
            owes: None,
            answered: false,
            events: Events::new(),
            scalars: Vec::new(),
            names: Vec::new(),
        })
    }

    /// Asks about a cycle; the answer, if it comes in time. While it owes an answer nobody waits for it.
    fn ask(&mut self, readings: &Readings) -> Result<Option<Answer>, String> {
        // what somebody has put in place of its memory since then counts more than what it still had to say
        let replaced = (self.memory.state != self.in_process).then(|| self.memory.clone());
        if self.owes.is_some() && self.listen(Duration::ZERO)?.is_none() {
            return Ok(None);
        }
        self.memory = replaced.unwrap_or(core::mem::take(&mut self.memory));
        let state = self.memory.state.as_deref().filter(|_| self.memory.state != self.in_process);
        self.lines.send(to_json(&Asked::new(readings, self.begins, state))?)?;
        self.begins = false;
        self.owes = Some(readings.cycle);
        self.listen(self.patience)
    }

    /// The answer to what was asked last, if it comes within `patience`.
    fn listen(&mut self, patience: Duration) -> Result<Option<Answer>, String> {
        let Some(asked) = self.owes else { return Ok(None) };
        let Some(line) = self.lines.receive(patience)? else { return Ok(None) };
        let wrong = |why: String| format!("its program answered cycle {asked} with {}: {why}", shortened(&line));
        let answer = Answer::parse(&line, &self.form).map_err(wrong)?;
        if answer.cycle != asked {
            return Err(wrong(format!("cycle: expected {asked}, found {}", answer.cycle)));
        }
        self.owes = None;
        if answer.state.is_some() {
            self.in_process.clone_from(&answer.state);
        }
        self.memory = Memory { state: self.in_process.clone(), done: answer.done };
        Ok(Some(answer))
    }

    fn tell(&mut self, readings: &Readings, answer: &Answer) {
        for told in &answer.events {
            let what = Cow::Owned(told.what.clone());
            self.events.push(Event { what, ..Event::note(readings.time, told.severity, SOURCE, "") });
        }
        self.scalars.clear();
        for (name, value) in &answer.scalars {
            if let Some(name) = self.name(name) {
                self.scalars.push((name, *value));
            }
        }
    }

    /// A name that lives as long as the process: telemetry knows no other. There are few.
    fn name(&mut self, name: &str) -> Option<&'static str> {
        if let Some(known) = self.names.iter().find(|known| **known == name) {
            return Some(known);
        }
        let new: &'static str =
            (self.names.len() < MOST_NAMES).then(|| &*Box::leak(name.to_owned().into_boxed_str()))?;
        self.names.push(new);
        Some(new)
    }
}

impl Driver for Program {
    fn status(&self) -> ControllerStatus<'_> {
        ControllerStatus::Other { name: &self.name, is_done: self.memory.done, says: "" }
    }

    fn has_answered(&self) -> bool {
        self.answered
    }
}

impl Controller for Program {
    fn reset(&mut self, _readings: &Readings) {
        self.begins = true;
        self.memory = Memory::default();
        self.in_process = None;
    }

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        let was_late = self.owes.is_some();
        let answer = match self.ask(readings) {
            Ok(answer) => answer,
            // whoever looks after controllers makes the robot safe then
            Err(why) => resume_unwind(Box::new(why)),
        };
        self.answered = answer.is_some();
        let Some(answer) = answer else {
            if !was_late {
                let late = Event::note(readings.time, Severity::Error, SOURCE, "no answer in time, limit [s]");
                self.events.push(late.with(f64::NAN, self.patience.as_secs_f64()));
            }
            return;
        };
        commands.answer(readings);
        answer.fill(&self.form, commands);
        self.tell(readings, &answer);
    }

    fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        telemetry.scalars.extend_from_slice(&self.scalars);
    }

    fn is_done(&self) -> bool {
        self.memory.done
    }
}

impl State for Program {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.memory.visit_state(visitor);
    }
}

impl State for Memory {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut text: Option<Vec<u32>> = self.state.as_ref().map(|text| text.chars().map(u32::from).collect());
        visitor.field("state", &mut text);
        self.state = text.map(|text| text.into_iter().filter_map(char::from_u32).collect());
        visitor.field("done", &mut self.done);
    }
}

fn to_json(message: &impl serde::Serialize) -> Result<Vec<u8>, String> {
    serde_json::to_vec(message).map_err(|error| format!("what it is to be told is no JSON: {error}"))
}

/// The beginning of a line that may be long.
fn shortened(line: &str) -> Cow<'_, str> {
    const LONGEST: usize = 80;
    let line = line.trim_end();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{} …", &line[..end])),
        None => Cow::Borrowed(line),
    }
}
