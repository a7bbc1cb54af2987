//! A robot behind boards: boards act on its commands and sample its readings, whatever carries their process data.

use core::fmt;
use std::sync::Arc;

use robot_io::{Clock, Commands, Events, IoError, Lifecycle, Readings, RobotIo, State, StateVisitor, Time};

use crate::HilError;
use crate::board::SdoDownload;
use crate::bus_file::{BoardPlan, BusPlan, Identity};
use crate::coe::SdoClient;
use crate::exchange::{Exchange, Exchanged, ProcessImage};
use crate::sii::SiiIdentity;
use crate::wire::{AlCode, AlState};

use super::cpu::MAILBOX_SIZE;
use super::{Cpu, Device};

/// The boards of a bus, in the order of the bus file.
pub trait Boards {
    /// How many.
    fn count(&self) -> usize;

    /// One of them; `None` beyond the last.
    fn cpu(&mut self, board: usize) -> Option<&mut Cpu>;
}

impl Boards for Vec<Cpu> {
    fn count(&self) -> usize {
        self.len()
    }

    fn cpu(&mut self, board: usize) -> Option<&mut Cpu> {
        self.get_mut(board)
    }
}

/// Any robot with its clock, seen from its boards.
#[derive(Debug)]
pub struct BoardHost<R, C> {
    robot: R,
    clock: C,
    readings: Readings,
    commands: Commands,
    unseen: Events,
}

impl<R: RobotIo, C: Clock> BoardHost<R, C> {
    /// Switches `robot` on, limp until boards say otherwise, and lets the boards take their first sample.
    pub fn new(mut robot: R, clock: C, boards: &mut impl Boards) -> Result<BoardHost<R, C>, HilError> {
        if robot.lifecycle() != Lifecycle::Active {
            robot.bring_up()?;
        }
        let (readings, commands) = (Readings::new(robot.layout()), Commands::new(robot.layout()));
        let mut host = BoardHost { robot, clock, readings, commands, unseen: Events::with_capacity(64) };
        host.sample(boards)?;
        Ok(host)
    }

    /// The present time of the robot.
    pub fn now(&self) -> Time {
        self.readings.time
    }

    /// The robot behind the boards.
    pub fn robot(&self) -> &R {
        &self.robot
    }

    /// One cycle: boards act, time passes, `events` happen, boards sample.
    pub fn tick<B: Boards>(&mut self, boards: &mut B, events: impl FnOnce(&mut B, Time)) -> Result<(), HilError> {
        self.commands.answer(&self.readings);
        for board in 0..boards.count() {
            if let Some(cpu) = boards.cpu(board) {
                cpu.act(&mut self.commands);
            }
        }
        self.robot.write(&self.commands)?;
        let now = self.clock.advance()?;
        events(boards, now);
        self.sample(boards)
    }

    /// After boards have taken outputs: if a drive was told to forget its fault, so does the robot behind it, and boards see
    /// at once whether it could.
    pub fn reset(&mut self, boards: &mut impl Boards) -> Result<(), HilError> {
        let mut asked = false;
        for board in 0..boards.count() {
            asked |= boards.cpu(board).is_some_and(Cpu::take_reset);
        }
        if asked {
            // the plug can only reset all drives at once; sound ones do not mind
            self.robot.transition(Lifecycle::Inactive)?;
            self.robot.transition(Lifecycle::Active)?;
            self.sample(boards)?;
        }
        Ok(())
    }

    fn sample(&mut self, boards: &mut impl Boards) -> Result<(), HilError> {
        self.robot.read(&mut self.readings)?;
        // what the robot says beside its boards nobody on a bus can hear
        self.unseen.clear();
        self.robot.drain_events(&mut self.unseen);
        for board in 0..boards.count() {
            if let Some(cpu) = boards.cpu(board) {
                cpu.sample(&self.readings, self.readings.time);
            }
        }
        Ok(())
    }
}

/// Writes an object through the board's mailbox, without a bus. One client serves a board's whole start: messages with the
/// same counter are repeats, and a board does not answer those.
fn write(client: &mut SdoClient, cpu: &mut Cpu, board: &str, object: &SdoDownload) -> Result<(), HilError> {
    let room = usize::from(MAILBOX_SIZE);
    let mut post = |message: &[u8]| {
        let mut reply = Vec::with_capacity(room);
        cpu.mail(message, room, &mut reply);
        Some(reply).filter(|reply| !reply.is_empty())
    };
    let SdoDownload { index, sub, value } = object;
    client.download(&mut post, *index, *sub, false, value).map_err(|error| HilError::Sdo {
        board: board.to_owned(),
        index: *index,
        sub: *sub,
        message: error.to_string(),
    })
}

/// The emulated boards of a bus file, as they come out of their boxes.
pub fn boards_of(plan: &BusPlan) -> Vec<Cpu> {
    let board = |board: &BoardPlan| {
        let Identity { vendor, product, revision, serial } = board.identity;
        let (revision, serial) = (revision.unwrap_or(1), serial.unwrap_or(0));
        let identity = SiiIdentity { vendor, product, revision, serial };
        let (map, remappable) = (board.kind.pdo_map(), board.kind.maps_by_sdo());
        Cpu::new(&board.name, identity, board.alias.unwrap_or(0), map, remappable, board.kind.firmware())
    };
    plan.boards.iter().map(board).collect()
}

/// A bus that is only a model: one cycle of delay and the quantisation of process data, but no frame, register or mailbox.
///
/// What a controller sees through it is, bit for bit, what it sees through ethercrab and the virtual bus.
pub struct Modelled<R, C> {
    plan: Arc<BusPlan>,
    cpus: Vec<Cpu>,
    host: BoardHost<R, C>,
    state: AlState,
}

impl<R: RobotIo, C: Clock> Modelled<R, C> {
    /// A model of the bus of `plan` with `robot` behind its boards.
    pub fn new(plan: Arc<BusPlan>, robot: R, clock: C) -> Result<Modelled<R, C>, HilError> {
        let mut cpus = boards_of(&plan);
        let host = BoardHost::new(robot, clock, &mut cpus)?;
        Ok(Modelled { plan, cpus, host, state: AlState::Init })
    }

    fn change(&mut self, to: AlState) -> Result<(), HilError> {
        for (cpu, board) in self.cpus.iter_mut().zip(&self.plan.boards) {
            cpu.change_state(self.state, to).map_err(|code| HilError::State {
                board: board.name.clone(),
                wanted: to,
                found: self.state,
                code,
            })?;
        }
        self.state = to;
        Ok(())
    }
}

impl<R, C> fmt::Debug for Modelled<R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Modelled").field("boards", &self.cpus.len()).field("state", &self.state).finish()
    }
}

impl<R: RobotIo + Send, C: Clock + Send> Exchange for Modelled<R, C> {
    fn configure(&mut self) -> Result<(), HilError> {
        self.change(AlState::Init)?;
        self.change(AlState::PreOp)?;
        for (cpu, board) in self.cpus.iter_mut().zip(&self.plan.boards) {
            let mut client = SdoClient::new(usize::from(MAILBOX_SIZE));
            board
                .kind
                .driver()
                .start_up()
                .iter()
                .try_for_each(|object| write(&mut client, cpu, &board.name, object))?;
        }
        self.change(AlState::SafeOp)
    }

    fn request(&mut self, state: AlState) -> Result<(), HilError> {
        self.change(state)
    }

    fn exchange(&mut self, image: &mut ProcessImage, report: &mut Exchanged) {
        for (board, cpu) in self.cpus.iter_mut().enumerate() {
            // as in a frame: what a board says was ready before what it is told arrived
            cpu.inputs(&mut image.inputs[board]);
            if self.state == AlState::Op {
                cpu.outputs(&image.outputs[board]);
            }
        }
        // a robot that refuses shows in its next sample
        let _ = self.host.reset(&mut self.cpus);
        report.states.clear();
        report.states.resize(self.cpus.len(), Some(self.state));
        (report.lost, report.working_counter, report.expected) = (false, 1, 1);
    }

    fn pass(&mut self, _next: Time) -> Result<(), HilError> {
        self.host.tick(&mut self.cpus, |_, _| ())
    }

    fn linger_moving(&mut self) -> Result<(), HilError> {
        self.host.tick(&mut self.cpus, |_, _| ())
    }

    fn recover(&mut self, _board: usize) -> Result<(), HilError> {
        Err(HilError::Io(IoError::Device("boards on a modelled bus are never lost".to_owned())))
    }

    fn diagnose(&mut self, _board: usize) -> Option<(AlState, AlCode)> {
        Some((self.state, AlCode::NONE))
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.cpus.iter_mut().for_each(|cpu| cpu.visit_state(visitor));
    }
}
