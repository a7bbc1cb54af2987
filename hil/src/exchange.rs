//! One bus cycle, whatever the bus: ethercrab on a network card, ethercrab on the virtual bus, or a model of both.

use core::fmt;

use robot_io::{StateVisitor, Time};

use crate::HilError;
use crate::wire::{AlCode, AlState};

/// Frames by their fate, from the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
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
    /// EtherCAT, but from somebody else.
    pub stray: u64,
    /// Not as they were sent, or no EtherCAT frame at all.
    pub malformed: u64,
    /// Other protocols, and our own frames before they passed a board.
    pub foreign: u64,
    /// The operating system did not take or give a frame.
    pub link_errors: u64,
    /// Whole cycles that were left out because this thread woke up too late for them.
    pub skipped_cycles: u64,
}

/// All boards' process data, in the order of the bus file. Offsets are the exchange's to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessImage {
    /// For each board its bytes from the MainDevice.
    pub outputs: Vec<Vec<u8>>,
    /// For each board its bytes to the MainDevice, as they last arrived.
    pub inputs: Vec<Vec<u8>>,
}

/// What came of one bus cycle. The buffers are reused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchanged {
    /// The frame or one of its parts did not come back in time; inputs are the old ones.
    pub lost: bool,
    /// The working counter that came back.
    pub working_counter: u16,
    /// The working counter that comes back if every board takes part.
    pub expected: u16,
    /// What boards that do not answer, or cannot take part in their state, are missing of it.
    pub missing: u16,
    /// Each board's state; `None` for a board that did not answer.
    pub states: Vec<Option<AlState>>,
    /// How far the local clocks are from the reference clock, the worst of them [ns]; `None` without distributed clocks.
    pub clock_difference: Option<i64>,
    /// The board whose clock was asked in this cycle, and how far it is from the reference clock [ns].
    pub clock: Option<(usize, i64)>,
    /// Time from sending to the last answer [ns] on a network; 0 in memory.
    pub round_trip: u64,
    /// How late the cycle began [ns]; 0 in lock-step.
    pub late: u64,
}

/// A bus with the boards of a bus file on it.
pub trait Exchange: fmt::Debug + Send {
    /// Finds the boards, compares them with the bus file and configures them: INIT, PRE-OP, SAFE-OP. From anywhere: a bus
    /// that was up is taken down first.
    fn configure(&mut self) -> Result<(), HilError>;

    /// Asks all boards for OP or back for SAFE-OP or INIT; process data goes on, and `Exchanged::states` tells when they are there.
    fn request(&mut self, state: AlState) -> Result<(), HilError>;

    /// One exchange of process data: outputs out, inputs in.
    fn exchange(&mut self, image: &mut ProcessImage, report: &mut Exchanged);

    /// Lets one bus cycle pass: in lock-step the world behind the boards moves on to `next`; on a network this thread
    /// sleeps until then.
    fn pass(&mut self, next: Time) -> Result<(), HilError>;

    /// Waits until the next exchange may follow while nothing moves yet, as during start-up: on a network as long as
    /// [`pass`](Exchange::pass), in lock-step not at all, and the world behind the boards stands still.
    fn linger(&mut self) -> Result<(), HilError> {
        Ok(())
    }

    /// The same while boards move by themselves, as when they look for their zero: in lock-step the world behind them goes on.
    fn linger_moving(&mut self) -> Result<(), HilError> {
        self.linger()
    }

    /// Brings one board that lost its power or left OP back to OP while the others go on.
    fn recover(&mut self, board: usize) -> Result<(), HilError>;

    /// A board's state and why, from its registers; `None` if it does not answer. Takes a round trip of its own.
    fn diagnose(&mut self, board: usize) -> Option<(AlState, AlCode)>;

    /// Whether a board that answers counts as it should when it alone is asked; `None` if nobody knows. Takes a round trip of
    /// its own.
    fn counts_right(&mut self, _board: usize) -> Option<bool> {
        None
    }

    /// Where a board sits on the cable, from 0.
    fn place(&self, board: usize) -> usize {
        board
    }

    /// Whether a board was on the cable when the bus was configured.
    fn is_present(&self, _board: usize) -> bool {
        true
    }

    /// Frames by their fate, from the beginning; all zero where there are none.
    fn statistics(&self) -> Statistics {
        Statistics::default()
    }

    /// Shows what it remembers that can change the future: what stands behind the boards in lock-step, nothing on a network.
    fn visit_state(&mut self, _visitor: &mut dyn StateVisitor) {}
}
