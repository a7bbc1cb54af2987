//! Which skill runs in which cycle: each at its own rate, all in one fixed order.

use core::fmt;

use robot_io::{Period, Rate, State, StateVisitor};

use crate::MissionError;

/// A table of skills and their rates. The order of the rows is the order in which they run.
///
/// ```
/// use mission::Schedule;
/// use robot_io::Period;
///
/// let mut schedule = Schedule::new(Period::from_milliseconds(4));
/// let estimator = schedule.every_cycle("estimation", Period::from_microseconds(20));
/// let follower = schedule.every("follower", Period::from_milliseconds(20), Period::from_microseconds(5))?;
/// schedule.tick();
/// assert!(schedule.is_due(estimator) && schedule.is_due(follower), "the first cycle is everybody's");
/// schedule.tick();
/// assert!(schedule.is_due(estimator) && !schedule.is_due(follower));
/// # Ok::<(), mission::MissionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schedule {
    cycle: Period,
    rows: Vec<Row>,
}

/// A row of a [`Schedule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(usize);

#[derive(Clone, Debug)]
struct Row {
    name: &'static str,
    worst_time: Period,
    rate: Rate,
    due: bool,
}

impl Schedule {
    /// An empty schedule for a control cycle of this length.
    pub fn new(cycle: Period) -> Schedule {
        Schedule { cycle, rows: Vec::new() }
    }

    /// Adds a skill that runs in every cycle; `worst_time` is the computing time that its author declares.
    pub fn every_cycle(&mut self, name: &'static str, worst_time: Period) -> Slot {
        self.add(name, worst_time, Rate::EVERY_TICK)
    }

    /// Adds a skill that runs once per `interval`, in the first cycle and then as evenly as the cycle allows.
    pub fn every(&mut self, name: &'static str, interval: Period, worst_time: Period) -> Result<Slot, MissionError> {
        let cycle = self.cycle;
        let rate = Rate::every(interval, cycle).ok_or(MissionError::Rate { skill: name, cycle, interval })?;
        Ok(self.add(name, worst_time, rate))
    }

    /// Begins a cycle.
    pub fn tick(&mut self) {
        for row in &mut self.rows {
            row.due = row.rate.tick();
        }
    }

    /// True if this skill runs in the present cycle.
    pub fn is_due(&self, slot: Slot) -> bool {
        self.rows.get(slot.0).is_some_and(|row| row.due)
    }

    /// The time from one run of this skill to its next, on average [s].
    pub fn interval(&self, slot: Slot) -> f64 {
        self.rows.get(slot.0).map_or(0.0, |row| row.rate.interval(self.cycle).seconds())
    }

    /// The share of the control cycle that the skills declare to need at worst, if all fall into one cycle.
    pub fn worst_load(&self) -> f64 {
        let all: u64 = self.rows.iter().map(|row| row.worst_time.nanoseconds()).sum();
        all as f64 / self.cycle.nanoseconds() as f64
    }

    fn add(&mut self, name: &'static str, worst_time: Period, rate: Rate) -> Slot {
        self.rows.push(Row { name, worst_time, rate, due: false });
        Slot(self.rows.len() - 1)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<14}{:>12}{:>14}{:>14}", "skill", "rate [Hz]", "every", "worst time")?;
        for row in &self.rows {
            let every = row.rate.interval(self.cycle);
            let rate = 1.0 / every.seconds();
            let (every, worst) = (every.to_string(), row.worst_time.to_string());
            writeln!(f, "{:<14}{rate:>12.1}{every:>14}{worst:>14}", row.name)?;
        }
        write!(f, "all in one cycle of {}: {:.1} %", self.cycle, 100.0 * self.worst_load())
    }
}

/// The phases are part of the state: a restored mission runs its skills in the same cycles.
impl State for Schedule {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        for row in &mut self.rows {
            visitor.enter(row.name);
            visitor.field("rate", &mut row.rate);
            visitor.field("due", &mut row.due);
            visitor.leave();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use robot_io::{StateReader, StateWriter};

    fn schedule() -> (Schedule, Slot) {
        let mut schedule = Schedule::new(Period::from_milliseconds(4));
        schedule.every_cycle("estimation", Period::from_microseconds(100));
        let follower =
            schedule.every("follower", Period::from_milliseconds(30), Period::from_microseconds(300)).unwrap();
        (schedule, follower)
    }

    fn runs(schedule: &mut Schedule, slot: Slot, cycles: usize) -> Vec<usize> {
        let mut due = |cycle| {
            schedule.tick();
            schedule.is_due(slot).then_some(cycle)
        };
        (0..cycles).filter_map(&mut due).collect()
    }

    #[test]
    fn a_rate_that_does_not_divide_the_cycle_alternates_and_does_not_drift() {
        let (mut schedule, follower) = schedule();
        assert_eq!(runs(&mut schedule, follower, 31), [0, 8, 15, 23, 30]);
        let (mut schedule, follower) = self::schedule();
        assert_eq!(runs(&mut schedule, follower, 250 * 60).len(), 2_000, "30 ms in a minute");
    }

    #[test]
    fn a_restored_schedule_runs_in_the_same_cycles() {
        let (mut schedule, follower) = schedule();
        runs(&mut schedule, follower, 5);
        let saved = StateWriter::save(&mut schedule);
        let expected = runs(&mut schedule, follower, 100);
        let (mut restored, follower) = self::schedule();
        StateReader::restore(&mut restored, &saved).unwrap();
        assert_eq!(runs(&mut restored, follower, 100), expected);
    }

    #[test]
    fn a_skill_faster_than_the_cycle_is_refused_with_both_numbers() {
        let mut schedule = Schedule::new(Period::from_milliseconds(4));
        let error = schedule.every("follower", Period::from_milliseconds(2), Period::default()).unwrap_err();
        let expected =
            "skill 'follower': expected an interval of at least the control cycle of 4.000 ms, found 2.000 ms";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn it_prints_as_a_table() {
        let text = schedule().0.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "estimation           250.0      4.000 ms    100.000 µs");
        assert_eq!(lines[3], "all in one cycle of 4.000 ms: 10.0 %");
    }
}
