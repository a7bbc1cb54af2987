//! One EtherCAT SubDevice controller: registers, process memory, and what reading and writing them does.

mod access;
mod al;
mod clock;
mod eeprom;
mod fmmu;
mod mailbox;
mod memory;
mod start_over;
mod sync_manager;
mod watchdog;

use robot_io::{State, StateVisitor};

use crate::wire::{AlCode, AlState, register as reg};
pub(super) use access::LONGEST_DATA;
use al::Al;
use clock::Clock;
pub(super) use clock::Passing;
use eeprom::{Eeprom, Roles};
use fmmu::Fmmus;
use mailbox::Mailbox;
use memory::Memory;
use sync_manager::SyncManagers;
use watchdog::Watchdog;

/// Room for a board's longest mailbox message at the least [bytes].
const MAILBOX_ROOM: usize = 2048;
/// Event: the data link changed.
const EVENT_DL_STATUS: u16 = 0x0004;
/// Event: the state changed.
const EVENT_AL_STATUS: u16 = 0x0008;

/// What a frame left to be done, and for whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Notices {
    /// The segment: a station address or alias changed.
    pub(super) address: bool,
    /// The segment: a port was opened or closed.
    pub(super) ports: bool,
    /// The segment: the next SYNC0 or watchdog is another.
    pub(super) timing: bool,
    /// The segment: datagrams are to report events, or no longer.
    pub(super) events: bool,
    /// The board: AL control was written.
    state: bool,
    /// The board: a sync manager was set.
    managers: bool,
    /// The board: outputs are complete.
    outputs: bool,
    /// The board: something happened to its mailbox.
    mail: bool,
}

impl Notices {
    /// True if the board's state may change, and with it the watchdog.
    pub(super) fn concerns_state(&self) -> bool {
        self.state || self.managers
    }
}

/// An emulated controller. It is reached by frames through a [`Segment`](super::Segment); here one can look at it.
#[derive(Clone, Debug)]
pub struct Esc {
    memory: Memory,
    managers: SyncManagers,
    fmmus: Fmmus,
    eeprom: Eeprom,
    roles: Roles,
    mailbox: Mailbox,
    al: Al,
    clock: Clock,
    watchdog: Watchdog,
    /// The first SYNC0 that the MainDevice asked for, system time [ns].
    sync_start: u64,
    /// The next SYNC0, system time [ns].
    next_sync: Option<u64>,
    /// Sync managers whose last byte this datagram touched, a bit for each.
    closing: u16,
    events: u16,
    pub(super) notices: Notices,
}

impl Esc {
    /// A controller with an EEPROM, without power until [`power_on`](Esc::power_on).
    pub(super) fn new(image: &[u8]) -> Esc {
        let eeprom = Eeprom::new(image);
        let room = eeprom.mailbox().map_or(0, |mailbox| mailbox.in_length).max(MAILBOX_ROOM);
        Esc {
            memory: Memory::new(),
            managers: SyncManagers::default(),
            fmmus: Fmmus::default(),
            roles: eeprom.roles(),
            eeprom,
            mailbox: Mailbox::with_room(room),
            al: Al::default(),
            clock: Clock::default(),
            watchdog: Watchdog::default(),
            sync_start: 0,
            next_sync: None,
            closing: 0,
            events: 0,
            notices: Notices::default(),
        }
    }

    /// Forgets everything but the EEPROM and the crystal. The local clock begins at `local`.
    pub(super) fn power_on(&mut self, now: u64, local: u64) {
        self.memory.clear();
        self.managers = SyncManagers::default();
        self.fmmus = Fmmus::default();
        self.roles = self.eeprom.roles();
        self.mailbox.clear();
        self.al = Al::default();
        self.clock.start(now, local);
        self.watchdog = Watchdog::default();
        (self.sync_start, self.next_sync, self.closing, self.events) = (0, None, 0, 0);
        self.notices = Notices::default();
        self.identify();
        self.eeprom.load(&mut self.memory);
        self.lock_managers();
        self.publish_state();
    }

    /// What the controller says of itself, and where its registers begin (ETG.1000.4 section 6; ethercat.md 2.2).
    fn identify(&mut self) {
        let memory = &mut self.memory;
        memory.set_u8(reg::TYPE, 0x11);
        memory.set_u8(reg::FMMU_COUNT, fmmu::COUNT as u8);
        memory.set_u8(reg::SYNC_MANAGER_COUNT, sync_manager::COUNT as u8);
        memory.set_u8(reg::RAM_SIZE, 8);
        // ports 0 and 1 are MII, 2 and 3 do not exist
        memory.set_u8(reg::PORT_DESCRIPTOR, 0x0f);
        // distributed clocks with 64 bits, sync activation, LRW, BRW, APRW, FPRW
        memory.set_u16(reg::FEATURES, 0x01fc);
        memory.set_u16(reg::WATCHDOG_PDI, 1000);
        memory.set_u16(reg::SPEED_COUNTER_START, 0x1000);
        memory.set_u8(reg::DIFFERENCE_FILTER, 4);
        memory.set_u8(reg::SPEED_FILTER, 12);
        self.set_usual_watchdog();
    }

    /// The state it is in.
    pub fn al_state(&self) -> AlState {
        self.al.state
    }

    /// Why it is no further; [`AlCode::NONE`] without an error.
    pub fn al_code(&self) -> AlCode {
        self.al.code
    }

    /// The address that the MainDevice gave.
    pub fn station_address(&self) -> u16 {
        self.memory.u16(reg::STATION_ADDRESS)
    }

    /// The second address, if the MainDevice has switched it on.
    pub fn active_alias(&self) -> Option<u16> {
        (self.memory.u8(reg::DL_CONTROL + 3) & 1 != 0).then(|| self.memory.u16(reg::STATION_ALIAS))
    }

    /// A byte of its memory as it stands; the system time is that of the last access.
    pub fn byte(&self, address: u16) -> u8 {
        self.memory.u8(address)
    }

    /// The EEPROM's content, with what a MainDevice wrote.
    pub fn sii(&self) -> &[u8] {
        self.eeprom.image()
    }

    /// Its copy of the system time at true time `now` [ns]; wraps.
    pub fn system_time(&self, now: u64) -> u64 {
        self.clock.local(now).wrapping_add(self.memory.u64(reg::SYSTEM_TIME_OFFSET))
    }

    /// True if the MainDevice has closed port 1.
    pub(super) fn port_1_is_closed(&self) -> bool {
        self.memory.u8(reg::DL_CONTROL + 1) >> 2 & 3 == 3
    }

    /// The crystal runs fast by `ppm` from true time `now` [ns] on.
    pub(super) fn set_drift(&mut self, now: u64, ppm: f64) {
        self.clock.set_drift(now, ppm);
    }

    /// A cable was plugged or pulled at port 0 or 1, or port 1 was closed.
    pub(super) fn set_links(&mut self, links: [bool; 2]) {
        let open = [links[0], links[1] && !self.port_1_is_closed()];
        // bits 0 and 1: processor and its watchdog; then 4.. links, and for each port a loop bit and a communication bit
        let mut status = if self.eeprom.is_valid() { 0x0003 } else { 0 };
        for port in 0..4 {
            let (link, open) = (links.get(port) == Some(&true), open.get(port) == Some(&true));
            status |= u16::from(link) << (4 + port);
            status |= if open { 2 } else { 1 } << (8 + 2 * port);
        }
        let before = self.memory.u16(reg::DL_STATUS);
        for port in 0..2 {
            if before & !status & 0x10 << port != 0 {
                self.memory.count(reg::LOST_LINKS + port);
            }
        }
        if before != status {
            self.memory.set_u16(reg::DL_STATUS, status);
            self.raise_event(EVENT_DL_STATUS);
        }
    }

    /// A broken frame arrived at a port.
    pub(super) fn count_broken_frame(&mut self, port: u16) {
        self.memory.count(reg::RX_ERRORS + 2 * (port & 3));
    }

    fn raise_event(&mut self, event: u16) {
        self.events |= event;
    }

    /// True if datagrams report one of its events.
    pub(super) fn reports_events(&self) -> bool {
        self.memory.u16(reg::EVENT_MASK) != 0
    }

    /// The events that datagrams report.
    pub(super) fn reported_events(&self) -> u16 {
        self.all_events() & self.memory.u16(reg::EVENT_MASK)
    }

    /// Bits 4 to 11 mirror the first sync managers: a full mailbox.
    fn all_events(&self) -> u16 {
        let managers = self.managers.used().iter().take(8).enumerate();
        managers.fold(self.events, |events, (channel, manager)| events | u16::from(manager.full) << (4 + channel))
    }
}

impl State for Esc {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut state = self.al.state as u64;
        state.visit_state(visitor);
        self.al.state = AlState::from_bits(state as u8).unwrap_or_default();
        visitor.field("error", &mut self.al.error);
        visitor.field("code", &mut self.al.code.0);
        visitor.field("clock", &mut self.clock);
        visitor.field("watchdog", &mut self.watchdog);
        visitor.field("sync_start", &mut self.sync_start);
        visitor.field("next_sync", &mut self.next_sync);
        visitor.field("events", &mut self.events);
    }
}
