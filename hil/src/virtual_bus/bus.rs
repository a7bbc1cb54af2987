//! Boards on a cable with a robot behind them, in memory.

use core::fmt;

use robot_io::{Clock, RobotIo, State, StateVisitor, Time};

use super::host::{BoardHost, Boards, boards_of};
use super::script::{Ailment, Script};
use super::{BusFault, Cpu, Passage, Segment};
use crate::HilError;
use crate::bus_file::BusPlan;
use crate::wire::{AlCode, AlState};

/// The boards of a bus file on one cable, with any robot behind them.
pub struct VirtualBus<R, C> {
    cable: Cable,
    host: BoardHost<R, C>,
    script: Script,
    /// Time on the bus [ns]: cycles, and the wire time of the frames.
    now: u64,
    /// Wire time of the frames since the cycle began [ns].
    used: u64,
    period: u64,
    /// The bus's own time is told by somebody else's clock.
    follows_clock: bool,
    frames: u64,
    in_use: bool,
}

/// The boards as they sit on the cable.
#[derive(Debug)]
struct Cable {
    segment: Segment<Cpu>,
    /// For each board of the bus file its place.
    places: Vec<usize>,
}

impl Cable {
    fn break_and_mend(&mut self, script: &mut Script, now: Time) {
        let Cable { segment, places } = self;
        for ailment in script.due(now) {
            match ailment {
                Ailment::Cut(board) => segment.cut_after(board.map(|board| places[board])),
                Ailment::Power(board, on) => segment.set_power(places[board], on),
                Ailment::Reset(board) => {
                    segment.set_power(places[board], false);
                    segment.set_power(places[board], true);
                }
                Ailment::AlError(board, code) => segment.raise_al_error(places[board], AlCode(code)),
                Ailment::Drift(board, ppm) => segment.set_drift(places[board], ppm),
                Ailment::Count(board, by) => segment.shift_working_counter(places[board], by),
                Ailment::Board(board, fault) => {
                    if let Some(cpu) = segment.device_mut(places[board]) {
                        cpu.set_fault(fault);
                    }
                }
            }
        }
    }
}

impl Boards for Cable {
    fn count(&self) -> usize {
        self.places.len()
    }

    fn cpu(&mut self, board: usize) -> Option<&mut Cpu> {
        self.segment.device_mut(self.places[board])
    }
}

impl<R: RobotIo, C: Clock> VirtualBus<R, C> {
    /// The boards of `plan` with `robot` behind them; `faults` break them as time passes.
    pub fn new(plan: &BusPlan, robot: R, clock: C, faults: Vec<BusFault>, seed: u64) -> Result<Self, HilError> {
        let period = robot.layout().period.nanoseconds();
        let mut script = Script::new(faults, plan, seed)?;
        let places = script.places();
        let mut cpus: Vec<Option<Cpu>> = boards_of(plan).into_iter().map(Some).collect();
        let mut on_cable: Vec<usize> = (0..places.len()).collect();
        on_cable.sort_by_key(|board| places[*board]);
        let segment = Segment::new(on_cable.iter().filter_map(|board| cpus[*board].take()).collect());
        let mut cable = Cable { segment, places };
        cable.break_and_mend(&mut script, Time::ZERO);
        let host = BoardHost::new(robot, clock, &mut cable)?;
        let bus =
            VirtualBus { cable, host, script, now: 0, used: 0, period, follows_clock: false, frames: 0, in_use: false };
        Ok(bus)
    }

    /// The present time of the robot behind the boards.
    pub fn now(&self) -> Time {
        self.host.now()
    }

    /// The robot behind the boards.
    pub fn robot(&self) -> &R {
        self.host.robot()
    }

    /// The boards on the cable.
    pub fn segment(&mut self) -> &mut Segment<Cpu> {
        &mut self.cable.segment
    }

    /// Carries one frame down the cable and back, changing it in place.
    pub fn carry(&mut self, frame: &mut [u8]) -> Fate {
        self.frames += 1;
        if !self.follows_clock {
            let wire = wire_time(frame.len());
            (self.now, self.used) = (self.now + wire, self.used + wire);
        }
        if self.script.loses(self.frames) {
            return Fate::Lost;
        }
        // without a board that has power nothing comes back
        if matches!(self.cable.segment.process(frame, self.now), Passage::Foreign | Passage::Lost) {
            return Fate::Lost;
        }
        // a robot that refuses shows in its next sample
        let _ = self.host.reset(&mut self.cable);
        self.script.spoil(self.frames, frame)
    }

    /// One cycle passes: boards act on their outputs, the robot moves on, boards sample.
    pub fn tick(&mut self) -> Result<(), HilError> {
        if !self.follows_clock {
            self.now += self.period.saturating_sub(self.used);
            self.used = 0;
        }
        self.host.tick(&mut self.cable, |cable, now| cable.break_and_mend(&mut self.script, now))?;
        self.cable.segment.tick(self.now);
        Ok(())
    }

    /// Lets the bus's own time run on to `now` [ns], for one that follows a wall clock: watchdogs and SYNC0.
    pub fn run_to(&mut self, now: u64) {
        self.follows_clock = true;
        self.now = self.now.max(now);
        self.cable.segment.tick(self.now);
    }

    /// Whether time goes on for the robot: from the first board in OP until all have been taken back to INIT. Boards that leave
    /// OP by themselves, because nobody speaks to them any more, are no reason for it to stand still.
    pub fn is_in_use(&mut self) -> bool {
        let segment = &mut self.cable.segment;
        let driven = segment.devices_mut().any(|cpu| cpu.is_operational());
        let is_up = |board: usize| {
            segment.has_power(board) && segment.esc(board).is_some_and(|esc| esc.al_state() != AlState::Init)
        };
        self.in_use = driven || self.in_use && (0..segment.len()).any(is_up);
        self.in_use
    }

    /// How many boards have left OP because no outputs came.
    pub fn expired_watchdogs(&self) -> usize {
        let segment = &self.cable.segment;
        let expired =
            |board: &usize| segment.esc(*board).is_some_and(|esc| esc.al_code() == AlCode::SYNC_MANAGER_WATCHDOG);
        (0..segment.len()).filter(expired).count()
    }

    /// Shows what stands behind the frames.
    pub fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.cable.segment.devices_mut().for_each(|cpu| cpu.visit_state(visitor));
    }
}

impl<R, C> fmt::Debug for VirtualBus<R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VirtualBus").field("boards", &self.cable.places.len()).field("frames", &self.frames).finish()
    }
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is back.
    Back,
    /// It will be back with a later one.
    Late,
    /// It is gone.
    Lost,
}

/// How long a frame of so many bytes, without its checksum, occupies a wire of 100 Mbit/s [ns]: preamble, checksum and gap
/// are 24 bytes, and no frame is shorter than 60 (ethercat.md section 8).
fn wire_time(bytes: usize) -> u64 {
    80 * (bytes.max(60) as u64 + 24)
}
