//! The answers of a program that a log has, in place of the program.

use std::panic::resume_unwind;

use replay::{Cycles, LogError, LogReader};
use robot_io::{Commands, Controller, Readings, State, StateVisitor};

use super::Memory;
use crate::controller::{ControllerStatus, Driver};

/// Answers each cycle as it was answered then. What the program remembered is what the last snapshot had.
#[derive(Debug)]
pub struct Recorded {
    /// The words that started it.
    name: String,
    log: LogReader,
    cycles: Cycles,
    /// The cycle that comes next in the log.
    next: u64,
    memory: Memory,
    answered: bool,
}

impl Recorded {
    /// The answers of a log, of a program with these words.
    pub fn new(log: &LogReader, words: &[String]) -> Recorded {
        let (name, log, cycles) = (words.join(" "), log.clone(), log.cycles());
        Recorded { name, log, cycles, next: 0, memory: Memory::default(), answered: false }
    }

    fn answer(&mut self, readings: &Readings, commands: &mut Commands) -> Result<(), LogError> {
        if readings.cycle != self.next {
            self.cycles = self.log.cycles_from(readings.cycle)?;
        }
        let found = self.cycles.next_cycle()?.filter(|cycle| cycle.readings.cycle == readings.cycle);
        self.answered = found.is_some_and(|cycle| cycle.answered);
        if let Some(cycle) = found.filter(|cycle| cycle.answered) {
            commands.copy_from(&cycle.commands);
        }
        self.next = readings.cycle + 1;
        Ok(())
    }
}

impl Driver for Recorded {
    fn status(&self) -> ControllerStatus<'_> {
        ControllerStatus::Other { name: &self.name, is_done: self.memory.done, says: "" }
    }

    fn has_answered(&self) -> bool {
        self.answered
    }
}

impl Controller for Recorded {
    fn reset(&mut self, _readings: &Readings) {}

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        if let Err(error) = self.answer(readings, commands) {
            resume_unwind(Box::new(error.to_string()));
        }
    }

    fn is_done(&self) -> bool {
        self.memory.done
    }
}

impl State for Recorded {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.memory.visit_state(visitor);
    }
}
