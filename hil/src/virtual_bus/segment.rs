//! Boards on a cable: frames pass them in order, in place, as they do in hardware.

use std::mem;

use robot_io::{State, StateVisitor};

use super::Device;
use super::board::Board;
use super::esc::Esc;
use crate::wire::{AlCode, AlState, Datagrams, FrameError};

/// How long a frame takes from one board to the next, and back again [ns]; a chain on MII has 300 to 1000 (ethercat.md 8).
pub const HOP: u64 = 300;

/// The byte of the source address that the first board marks, and the mark.
const MARKED: (usize, u8) = (6, 0x02);
/// Boards come up with clocks that differ by multiples of this [ns].
const CLOCK_SPREAD: u64 = 1_000_003_337;

/// A MainDevice that has been silent for so long is another one when it comes back, and must find all boards, although MainDevices
/// count them before anything else: ports that were closed are open again [ns]. Real controllers leave them closed.
const ABSENCE: u64 = 100_000_000;

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It went through the boards and is on its way back.
    Returned,
    /// It is not EtherCAT and was left alone.
    Foreign,
    /// It is EtherCAT, but its datagrams make no sense: no board touched it.
    Malformed(FrameError),
    /// There is no board that would send it back.
    Lost,
}

/// A chain of boards behind one cable. True time comes from outside; nothing here reads a clock. Processing frames
/// allocates nothing.
#[derive(Debug)]
pub struct Segment<D> {
    pub(super) boards: Vec<Board<D>>,
    /// Indices of the boards that a frame reaches, in order.
    pub(super) reached: Vec<usize>,
    /// Station addresses and active aliases of these, sorted, with their indices in `boards`.
    pub(super) addresses: Vec<(u16, usize)>,
    pub(super) addresses_stale: bool,
    /// Boards with something to do at the frame's end.
    pub(super) waiting: Vec<usize>,
    pub(super) cut_after: Option<usize>,
    /// True if some board wants events in datagrams.
    pub(super) events: bool,
    pub(super) now: u64,
    /// When the last frame came [ns].
    heard: u64,
    /// The next watchdog or SYNC0 [ns].
    pub(super) next_event: u64,
}

impl<D: Device> Segment<D> {
    /// A chain of boards with power, in the order of the cable.
    pub fn new(devices: Vec<D>) -> Segment<D> {
        let count = devices.len();
        let mut segment = Segment {
            boards: devices.into_iter().map(Board::new).collect(),
            reached: Vec::with_capacity(count),
            addresses: Vec::with_capacity(2 * count),
            addresses_stale: true,
            waiting: Vec::with_capacity(count),
            cut_after: None,
            events: false,
            now: 0,
            heard: 0,
            next_event: u64::MAX,
        };
        for index in 0..count {
            segment.boards[index].esc.power_on(0, boot_time(index));
        }
        segment.connect();
        segment
    }

    /// How many boards there are, reached or not.
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// True without boards.
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    /// Passes a frame through all boards that it reaches, at true time `now` [ns]. Boards answer before they act: outputs,
    /// mailbox and state requests reach the devices when the frame has passed.
    pub fn process(&mut self, frame: &mut [u8], now: u64) -> Passage {
        self.now = self.now.max(now);
        if self.now >= self.next_event {
            self.tick(now);
        }
        if self.now - self.heard > ABSENCE {
            self.boards.iter_mut().for_each(|board| board.esc.open_port_1());
            self.connect();
        }
        self.heard = self.now;
        match Datagrams::new(frame) {
            Err(FrameError::Foreign) => return Passage::Foreign,
            Err(error) => return Passage::Malformed(error),
            Ok(_) if self.reached.is_empty() => return Passage::Lost,
            Ok(datagrams) => datagrams.for_each(|datagram| self.pass(datagram)),
        }
        frame[MARKED.0] |= MARKED.1;
        self.end_frame();
        Passage::Returned
    }

    /// Lets watchdogs expire and SYNC0 fire up to true time `now` [ns]; boards without a frame have them too.
    pub fn tick(&mut self, now: u64) {
        self.now = self.now.max(now);
        let mut again = true;
        while mem::take(&mut again) {
            for board in self.boards.iter_mut().filter(|board| board.power) {
                again |= board.esc.tick(&mut board.device, self.now);
            }
        }
        self.schedule();
    }

    /// The true time at which [`tick`](Segment::tick) has something to do at the earliest [ns].
    pub fn next_event(&self) -> u64 {
        self.next_event
    }

    /// The device of a board.
    pub fn device(&self, board: usize) -> Option<&D> {
        self.boards.get(board).map(|board| &board.device)
    }

    /// The device of a board.
    pub fn device_mut(&mut self, board: usize) -> Option<&mut D> {
        self.boards.get_mut(board).map(|board| &mut board.device)
    }

    /// All devices, in the order of the cable.
    pub fn devices_mut(&mut self) -> impl Iterator<Item = &mut D> {
        self.boards.iter_mut().map(|board| &mut board.device)
    }

    /// The controller of a board.
    pub fn esc(&self, board: usize) -> Option<&Esc> {
        self.boards.get(board).map(|board| &board.esc)
    }

    /// True if the board has power.
    pub fn has_power(&self, board: usize) -> bool {
        self.boards.get(board).is_some_and(|board| board.power)
    }

    /// Cuts the cable behind a board, or mends it with `None`. Boards behind the cut keep their power.
    pub fn cut_after(&mut self, board: Option<usize>) {
        self.cut_after = board;
        self.connect();
    }

    /// Takes a board's power or gives it back; without power everything but the EEPROM is forgotten and frames pass by.
    pub fn set_power(&mut self, board: usize, power: bool) {
        let now = self.now;
        let Some(place) = self.boards.get_mut(board).filter(|board| board.power != power) else { return };
        place.power = power;
        place.esc.power_on(now, boot_time(board));
        if !power {
            // it is now as it will be when power comes back: everything is forgotten, and nothing makes torque
            place.device.outputs_lost();
            place.device.power_on();
        }
        self.connect();
        self.schedule();
    }

    /// A board's clock runs fast by `ppm`.
    pub fn set_drift(&mut self, board: usize, ppm: f64) {
        let now = self.now;
        if let Some(place) = self.boards.get_mut(board) {
            place.esc.set_drift(now, ppm);
        }
    }

    /// A board leaves OP, or stays below, with an error.
    pub fn raise_al_error(&mut self, board: usize, code: AlCode) {
        if let Some(place) = self.boards.get_mut(board).filter(|board| board.power) {
            place.esc.fall(&mut place.device, AlState::SafeOp, code);
        }
    }

    /// Whatever a board adds to a working counter is from now on larger by `delta`, but not less than nothing.
    pub fn shift_working_counter(&mut self, board: usize, delta: i16) {
        if let Some(place) = self.boards.get_mut(board) {
            place.working_counter_shift = delta;
        }
    }

    /// A broken frame arrived at a board's port: it counts in its registers and nothing else happens.
    pub fn count_broken_frame(&mut self, board: usize, port: u16) {
        if let Some(place) = self.boards.get_mut(board) {
            place.esc.count_broken_frame(port);
        }
    }

    /// Shows what the boards' controllers remember that changes by itself: states, clocks, watchdogs. Their memory and
    /// the devices are not shown.
    pub fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.now.visit_state(visitor);
        self.heard.visit_state(visitor);
        self.next_event.visit_state(visitor);
        for board in &mut self.boards {
            visitor.enter("board");
            board.power.visit_state(visitor);
            board.esc.visit_state(visitor);
            visitor.leave();
        }
    }
}

fn boot_time(board: usize) -> u64 {
    (board as u64 + 1) * CLOCK_SPREAD
}
