//! What a run was like on the bus: frames, working counters, clocks and times, for metrics and report.

mod clocks;

use hil::bus_file::BusPlan;
use hil::main_device::Statistics;
use hil::realtime::{Histograms, RealtimeReport, Summary};
use robot_io::RobotLayout;
use serde::Serialize;

use crate::ScenarioError;
use crate::session::Session;

use clocks::ClockTally;
pub use clocks::ClockUse;

/// What came of a run's bus cycles.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BusUse {
    /// The bus file.
    pub bus: String,
    /// How many boards it has.
    pub boards: usize,
    /// Cycles whose inputs did not come back in time.
    pub lost_cycles: u64,
    /// Cycles with a working counter other than expected, lost ones left out.
    pub short_cycles: u64,
    /// The smallest working counter that came back.
    pub least_working_counter: Option<u16>,
    /// The working counter if all is well.
    pub expected_working_counter: u16,
    /// The largest difference of a board's clock from the reference clock [µs]; `null` without distributed clocks.
    pub clock_difference_max_us: Option<f64>,
    /// Each board's clock that follows the reference clock, in the order of the bus file.
    pub clocks: Vec<ClockUse>,
    /// Frames by their fate.
    pub frames: Frames,
    /// Cycles that log and checks did not see, because they were behind the real-time thread.
    pub unseen_cycles: u64,
    /// How the real-time thread kept its time; `null` in lock-step, where there is none.
    pub times: Option<Summary>,
    /// What the operating system granted it.
    pub granted: Option<RealtimeReport>,
}

/// Frames by their fate, from the beginning of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Frames {
    /// Sent.
    pub sent: u64,
    /// Back in time.
    pub received: u64,
    /// Not back in time.
    pub lost: u64,
    /// Back after they had been given up.
    pub late: u64,
    /// Back once more.
    pub duplicate: u64,
    /// From somebody else.
    pub stray: u64,
    /// Not as they were sent.
    pub malformed: u64,
    /// Not taken or given by the operating system.
    pub link_errors: u64,
    /// Whole cycles that were left out because the thread woke up too late.
    pub skipped_cycles: u64,
}

/// Counts bus cycles.
#[derive(Debug)]
pub struct BusTally {
    so_far: BusUse,
    histograms: Histograms,
    clocks: Vec<ClockTally>,
}

impl BusTally {
    /// A tally for the boards of a bus file.
    pub fn new(plan: &BusPlan, layout: &RobotLayout) -> Result<BusTally, ScenarioError> {
        let so_far = BusUse { bus: plan.source.0.clone(), boards: plan.boards.len(), ..BusUse::default() };
        let clocks = plan.boards.iter().map(|board| ClockTally::new(&board.name)).collect();
        Ok(BusTally { so_far, histograms: Histograms::new(layout.period)?, clocks })
    }

    /// Counts the last cycle of a session.
    pub fn observe(&mut self, session: &Session) {
        let Some(report) = session.record().bus else { return };
        let so_far = &mut self.so_far;
        so_far.expected_working_counter = report.expected;
        so_far.frames = report.frames.into();
        if session.realtime().is_some() {
            self.histograms.record(&session.record().times);
        }
        if let Some((board, difference)) = report.clock
            && let Some(clock) = self.clocks.get_mut(board)
        {
            clock.note(difference);
        }
        if report.lost {
            so_far.lost_cycles += 1;
            return;
        }
        so_far.short_cycles += u64::from(report.working_counter != report.expected);
        let least = so_far.least_working_counter.unwrap_or(report.working_counter);
        so_far.least_working_counter = Some(least.min(report.working_counter));
        if let Some(difference) = report.clock_difference {
            let largest = so_far.clock_difference_max_us.unwrap_or(0.0);
            so_far.clock_difference_max_us = Some(largest.max(difference.unsigned_abs() as f64 * 1e-3));
        }
    }

    /// What came of it.
    pub fn outcome(&self, session: &Session) -> BusUse {
        let mut outcome = self.so_far.clone();
        outcome.clocks = self.clocks.iter().filter_map(ClockTally::outcome).collect();
        if let Some((granted, unseen)) = session.realtime() {
            outcome.unseen_cycles = unseen;
            outcome.granted = Some(granted.clone());
            outcome.times = Some(self.histograms.summary());
        }
        outcome
    }
}

impl From<Statistics> for Frames {
    fn from(of: Statistics) -> Frames {
        let Statistics { sent, received, lost, late, duplicate, stray, malformed, link_errors, skipped_cycles, .. } =
            of;
        Frames { sent, received, lost, late, duplicate, stray, malformed, link_errors, skipped_cycles }
    }
}
