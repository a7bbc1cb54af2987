//! The outputs' watchdog, and SYNC0 (ETG.1000.4, 6.3 and 6.8).

use robot_io::State;

use super::Esc;
use super::memory::Memory;
use crate::virtual_bus::Device;
use crate::wire::{AlCode, AlState, register as reg};

/// One tick of the watchdogs' clock is (divider + 2) of these [ns].
const WATCHDOG_UNIT: u64 = 40;
/// A processor that was not asked for longer than this many periods misses the SYNC0 between.
const MOST_SYNCS: u64 = 64;

/// Runs from the first complete write of the outputs, or from OP, whichever comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub(super) struct Watchdog {
    /// True time of the last complete write [ns]; `None` while it does not run.
    since: Option<u64>,
}

impl Watchdog {
    pub(super) fn restart(&mut self, now: u64) {
        self.since = Some(now);
    }

    /// When it expires [ns]; `None` if it is off.
    fn deadline(&self, memory: &Memory) -> Option<u64> {
        let tick = (u64::from(memory.u16(reg::WATCHDOG_DIVIDER)) + 2) * WATCHDOG_UNIT;
        let period = tick * u64::from(memory.u16(reg::WATCHDOG_OUTPUTS));
        (period > 0).then_some(self.since?.saturating_add(period))
    }
}

impl Esc {
    /// 100 ms, as after power-up: 2500 · 40 ns = 100 µs a tick, 1000 ticks.
    pub(super) fn set_usual_watchdog(&mut self) {
        self.memory.set_u16(reg::WATCHDOG_DIVIDER, 2498);
        self.memory.set_u16(reg::WATCHDOG_OUTPUTS, 1000);
    }

    /// The next true time at which [`tick`](Esc::tick) has something to do, or a little earlier [ns].
    pub(in crate::virtual_bus) fn next_event(&self, now: u64) -> u64 {
        let watchdog = self.watchdog_deadline().unwrap_or(u64::MAX);
        let sync = self.next_sync.map_or(u64::MAX, |next| {
            let left = next.wrapping_sub(self.system_time(now)) as i64;
            // a clock is wrong by less than 1 %
            now.saturating_add((left - left / 64).max(0) as u64)
        });
        watchdog.min(sync)
    }

    /// Looks at the watchdog, lets the processor speak and fires at most one SYNC0 that is due. True if another one is.
    pub(in crate::virtual_bus) fn tick(&mut self, device: &mut dyn Device, now: u64) -> bool {
        let again = self.fire_sync(device, now);
        if self.watchdog_deadline().is_some_and(|deadline| now >= deadline) {
            self.watchdog = Watchdog::default();
            self.memory.set_u16(reg::WATCHDOG_STATUS, 0);
            self.memory.count(reg::WATCHDOG_OUTPUTS_EXPIRED);
            if self.al.state == AlState::Op {
                self.fall(device, AlState::SafeOp, AlCode::SYNC_MANAGER_WATCHDOG);
            }
        }
        self.settle_mail(device);
        again
    }

    fn watchdog_deadline(&self) -> Option<u64> {
        let watched =
            self.managers.used().iter().any(|manager| manager.watchdog && manager.write && manager.is_active());
        self.watchdog.deadline(&self.memory).filter(|_| watched)
    }

    fn fire_sync(&mut self, device: &mut dyn Device, now: u64) -> bool {
        let Some(due) = self.next_sync else { return false };
        let time = self.system_time(now);
        if (time.wrapping_sub(due) as i64) < 0 {
            return false;
        }
        let cycle = u64::from(self.memory.u32(reg::SYNC0_CYCLE));
        let Some(behind) = time.wrapping_sub(due).checked_div(cycle) else {
            // without a period SYNC0 fires once
            self.set_next_sync(None);
            device.sync0(due);
            return false;
        };
        let due = due.wrapping_add(behind.saturating_sub(MOST_SYNCS) * cycle);
        self.set_next_sync(Some(due.wrapping_add(cycle)));
        device.sync0(due);
        behind > 0
    }

    /// The sync unit was switched on or off, or set. A start that has passed counts from there on in whole periods.
    pub(super) fn set_up_sync(&mut self, now: u64) {
        if self.memory.u8(reg::SYNC_ACTIVATION) & 3 != 3 {
            return self.set_next_sync(None);
        }
        if self.next_sync.is_some() {
            return;
        }
        let (start, time) = (self.sync_start, self.system_time(now));
        let late = time.wrapping_sub(start) as i64;
        let cycle = u64::from(self.memory.u32(reg::SYNC0_CYCLE));
        let periods = (late.max(0) as u64).checked_div(cycle).map_or(0, |passed| passed + u64::from(late >= 0));
        self.set_next_sync(Some(start.wrapping_add(periods * cycle)));
    }

    fn set_next_sync(&mut self, next: Option<u64>) {
        self.next_sync = next;
        let shown = next.unwrap_or(self.sync_start);
        self.memory.set_u64(reg::SYNC0_START, shown);
        self.memory.set_u64(reg::SYNC1_NEXT, shown.wrapping_add(u64::from(self.memory.u32(reg::SYNC1_CYCLE))));
    }
}
