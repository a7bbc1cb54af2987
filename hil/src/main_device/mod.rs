//! The MainDevice: ethercrab, driven by a loop of our own.
//!
//! [`EtherCat`] is an [`Exchange`] over any [`Link`]. In memory it runs in lock-step, on logical time; on a network card in
//! real time. [`scan`] tells what is on a cable and changes nothing.

mod bring_up;
mod bus;
mod clock;
mod driver;
mod frames_in_flight;
mod layout;
mod objects;
mod pace;
mod recover;
mod registers;
mod scan;
mod storage;

use core::fmt;
use std::sync::Arc;

use ethercrab::{Command, MainDevice};
use robot_io::{Period, StateVisitor, Time};

use crate::HilError;
use crate::bus_file::BusPlan;
use crate::exchange::{Exchange, Exchanged, ProcessImage};
use crate::link::{Link, monotonic, sleep_until};
use crate::wire::{AlCode, AlState};

use bring_up::{BringUp, REGISTER_PATIENCE};
use bus::{Bus, MOST_BOARDS};
use driver::Driver;
use pace::Pace;

pub use crate::exchange::Statistics;
pub use scan::{Scanned, scan};

/// The boards of a plan behind a link.
pub struct EtherCat<L: Link> {
    plan: Arc<BusPlan>,
    period: Period,
    /// Both are there until the end of this object.
    driver: Option<Driver<L>>,
    main: Option<MainDevice<'static>>,
    bus: Option<Bus>,
    pace: Pace,
    /// How late the present cycle began [ns].
    late: u64,
}

impl<L: Link> EtherCat<L> {
    /// The boards of `plan` behind `link`, exchanged every `period`. Nothing is sent yet.
    pub fn new(link: L, plan: Arc<BusPlan>, period: Period) -> Result<EtherCat<L>, HilError> {
        if plan.boards.len() > MOST_BOARDS {
            let count = plan.boards.len();
            return Err(HilError::Boards(format!(
                "at most {MOST_BOARDS} boards are possible, and the bus file has {count}"
            )));
        }
        let (driver, main) = open(link, period)?;
        let pace = Pace::new(period.nanoseconds());
        Ok(EtherCat { plan, period, driver: Some(driver), main: Some(main), bus: None, pace, late: 0 })
    }

    /// Frames by their fate, from the beginning.
    pub fn statistics(&self) -> Statistics {
        self.driver.as_ref().map(|driver| driver.frames.statistics).unwrap_or_default()
    }

    /// The link.
    pub fn link(&self) -> Option<&L> {
        self.driver.as_ref().map(|driver| &driver.link)
    }

    /// The link, to break something on it.
    pub fn link_mut(&mut self) -> Option<&mut L> {
        self.driver.as_mut().map(|driver| &mut driver.link)
    }

    /// How long an exchange may take: on a network the rest of the cycle belongs to the controller.
    fn limit(&self) -> Period {
        Period::from_nanoseconds(self.period.nanoseconds() / 4 * 3)
    }

    /// Everything there is, or the reason why there is not.
    fn parts(&mut self) -> Result<(&mut Driver<L>, &MainDevice<'static>, &mut Bus), HilError> {
        match (&mut self.driver, &self.main, &mut self.bus) {
            (Some(driver), Some(main), Some(bus)) => Ok((driver, main, bus)),
            _ => Err(HilError::Link("the bus is not configured".to_owned())),
        }
    }

    /// Sleeps until a cycle is due and measures how late it begins.
    fn sleep(&mut self, start: pace::Start) {
        sleep_until(start.due);
        self.late = monotonic().saturating_sub(start.due);
        if let Some(driver) = &mut self.driver {
            driver.frames.statistics.skipped_cycles += start.skipped;
        }
    }
}

impl<L: Link> Exchange for EtherCat<L> {
    fn configure(&mut self) -> Result<(), HilError> {
        self.bus = None;
        let (driver, main) = (self.driver.as_mut(), self.main.take());
        let (Some(driver), Some(main)) = (driver, main) else {
            return Err(HilError::Link("the link is closed".to_owned()));
        };
        // as new: an earlier bring-up may have ended anywhere
        let main = bring_up::main_device(storage::release(main), self.period, driver.link.is_lock_step());
        let main = self.main.insert(main);
        let mut work = BringUp { driver, main, plan: &self.plan, period: self.period, places: Vec::new() };
        self.bus = Some(work.run()?);
        self.pace = Pace::new(self.period.nanoseconds());
        Ok(())
    }

    fn request(&mut self, state: AlState) -> Result<(), HilError> {
        let (driver, main, _) = self.parts()?;
        // on the way down an old error is acknowledged; on the way up it is the board's answer and must stay readable
        let error = if state == AlState::Op { 0 } else { registers::ERROR };
        let command = Command::bwr(registers::AL_CONTROL).ignore_wkc();
        let outcome = driver.run(REGISTER_PATIENCE, command.send(main, state as u16 | error));
        bring_up::in_our_words(outcome, None)
    }

    fn exchange(&mut self, image: &mut ProcessImage, report: &mut Exchanged) {
        let (limit, late) = (self.limit(), self.late);
        report.states.resize(self.plan.boards.len(), None);
        report.late = late;
        match self.parts() {
            Ok((driver, main, bus)) => bus.exchange(driver, main, limit, image, report),
            Err(_) => {
                report.lost = true;
                report.working_counter = 0;
                report.states.fill(None);
            }
        }
        let reference = self.bus.as_ref().and_then(|bus| bus.reference_time);
        if let (Some(time), Some(_)) = (reference, self.plan.sync0_shift) {
            self.pace.steer(time);
        }
    }

    fn pass(&mut self, next: Time) -> Result<(), HilError> {
        let Some(driver) = self.driver.as_mut() else { return Ok(()) };
        if driver.link.is_lock_step() {
            driver.advance_to(next.nanoseconds());
            return driver.link.pass(next);
        }
        let start = self.pace.next(next.nanoseconds(), monotonic());
        self.sleep(start);
        Ok(())
    }

    fn linger(&mut self) -> Result<(), HilError> {
        if self.driver.as_ref().is_some_and(|driver| !driver.link.is_lock_step()) {
            let start = self.pace.linger(monotonic());
            self.sleep(start);
        }
        Ok(())
    }

    fn linger_moving(&mut self) -> Result<(), HilError> {
        let period = self.period.nanoseconds();
        match self.driver.as_mut().filter(|driver| driver.link.is_lock_step()) {
            Some(driver) => {
                let next = driver.now() + period;
                driver.advance_to(next);
                driver.link.pass(Time::from_nanoseconds(next))
            }
            None => self.linger(),
        }
    }

    fn recover(&mut self, board: usize) -> Result<(), HilError> {
        let (plan, period) = (self.plan.clone(), self.period);
        let (driver, main, bus) = self.parts()?;
        recover::Recovery { driver, main, bus, plan: &plan, period, board }.run()
    }

    fn diagnose(&mut self, board: usize) -> Option<(AlState, AlCode)> {
        let limit = self.limit();
        let (driver, main, bus) = self.parts().ok()?;
        let address = bus.stations.get(board)?.address;
        driver.run(limit, registers::state_and_code(main, address)).ok()?.ok()?
    }

    fn counts_right(&mut self, board: usize) -> Option<bool> {
        let limit = self.limit();
        let (driver, main, bus) = self.parts().ok()?;
        let address = bus.stations.get(board)?.address;
        // whoever reads one register of one board expects a working counter of 1
        let answer = driver.run(limit, registers::read_word(main, address, registers::AL_STATUS)).ok()?.ok()?;
        Some(answer.is_some())
    }

    fn place(&self, board: usize) -> usize {
        let station = self.bus.as_ref().and_then(|bus| bus.stations.get(board));
        station.map_or(board, |station| station.place)
    }

    fn is_present(&self, board: usize) -> bool {
        let station = self.bus.as_ref().and_then(|bus| bus.stations.get(board));
        station.is_none_or(bus::Station::present)
    }

    fn statistics(&self) -> Statistics {
        EtherCat::statistics(self)
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.word(&mut self.late);
        if let Some(bus) = &mut self.bus {
            bus.visit_state(visitor);
        }
        if let Some(driver) = &mut self.driver {
            driver.visit_state(visitor);
        }
    }
}

/// A driver and a main device on memory of the pool.
fn open<L: Link>(link: L, period: Period) -> Result<(Driver<L>, MainDevice<'static>), HilError> {
    let no_memory = || HilError::Link("no memory for frames".to_owned());
    let storage::Storage { tx, rx, pdu_loop } = storage::take().ok_or_else(no_memory)?;
    let main = bring_up::main_device(pdu_loop, period, link.is_lock_step());
    Ok((Driver::new(link, tx, rx), main))
}

/// Gives the memory back to the pool; the link is left.
fn close<L: Link>(driver: Driver<L>, main: MainDevice<'static>) -> L {
    let pdu_loop = storage::release(main);
    let (link, tx, rx) = driver.into_parts();
    storage::give_back(storage::Storage { tx, rx, pdu_loop });
    link
}

impl<L: Link> Drop for EtherCat<L> {
    fn drop(&mut self) {
        self.bus = None;
        if let (Some(driver), Some(main)) = (self.driver.take(), self.main.take()) {
            drop(close(driver, main));
        }
    }
}

impl<L: Link> fmt::Debug for EtherCat<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("EtherCat");
        text.field("bus", &self.plan.name).field("driver", &self.driver).finish_non_exhaustive()
    }
}
