//! Our own end of ethercrab's frames: polls a future, sends what it wants sent, gives it what comes back.
//!
//! ethercrab's own tasks end, or hang, with the first frame that is late, lost or somebody else's (ethercat.md § 1.5). Here
//! such a frame is counted and nothing else. There is no executor, no thread and no allocation.

use core::fmt;
use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ethercrab::{PduRx, PduTx};
use robot_io::{Period, StateVisitor};

use super::clock;
use super::frames_in_flight::FramesInFlight;
use super::storage::LONGEST_FRAME;
use crate::HilError;
use crate::link::Link;

/// How long a board may show an error before it counts as refusing a state [ns]: an old one may not have been acknowledged yet.
const REFUSAL_GRACE: u64 = 20_000_000;

/// Commands for one station.
const FPRD: u8 = 4;
const FPWR: u8 = 5;

/// The driver: a link, ethercrab's two ends of it, and the time of its timers.
pub(super) struct Driver<L> {
    pub link: L,
    pub frames: FramesInFlight,
    tx: PduTx<'static>,
    rx: PduRx<'static>,
    /// The logical time [ns]; `None` on a network.
    time: Option<u64>,
    buffer: Box<[u8; LONGEST_FRAME + 32]>,
    watch: Option<Watch>,
    /// The station address of the last frame that was for one board.
    addressed: Option<u16>,
}

/// Why a future was dropped before its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stopped {
    /// Its time was up.
    TimeOut,
    /// The board with this station address shows an error.
    Refused(u16),
    /// ethercrab panicked, with this message.
    Panicked(String),
}

/// Looks at AL states in frames that pass.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    erring: Option<(u16, u64)>,
    refused: Option<u16>,
}

impl<L: Link> Driver<L> {
    pub fn new(link: L, tx: PduTx<'static>, rx: PduRx<'static>) -> Driver<L> {
        let time = link.is_lock_step().then_some(0);
        let buffer = Box::new([0; LONGEST_FRAME + 32]);
        Driver { link, frames: FramesInFlight::default(), tx, rx, time, buffer, watch: None, addressed: None }
    }

    /// The link, and what is to be kept for another bus.
    pub fn into_parts(self) -> (L, PduTx<'static>, PduRx<'static>) {
        (self.link, self.tx, self.rx)
    }

    /// The station address of the last frame that was for one board, to name the board in an error.
    pub fn addressed(&self) -> Option<u16> {
        self.addressed
    }

    /// Shows the time; the frames that are on their way are the link's to show.
    pub fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        if let Some(time) = &mut self.time {
            visitor.word(time);
        }
        self.link.visit_state(visitor);
    }

    /// The time of the futures [ns].
    pub fn now(&self) -> u64 {
        clock::set(self.time);
        clock::now()
    }

    /// In lock-step: it is at least `time` [ns] now.
    pub fn advance_to(&mut self, time: u64) {
        self.time = self.time.map(|now| now.max(time));
    }

    /// Runs `work` to its end, or drops it when `limit` has passed. Frames that are still out then are given up.
    pub fn run<F: Future>(&mut self, limit: Period, work: F) -> Result<F::Output, Stopped> {
        clock::set(self.time);
        let end = clock::now().saturating_add(limit.nanoseconds());
        let outcome = {
            let mut work = pin!(work);
            let mut context = Context::from_waker(Waker::noop());
            loop {
                clock::forget_alarm();
                if let Poll::Ready(output) = work.as_mut().poll(&mut context) {
                    break Ok(output);
                }
                // both, before anything else: what was received may have something new to be sent
                let moved = self.send_all() | self.receive_all();
                if let Some(address) = self.watch.and_then(|watch| watch.refused) {
                    break Err(Stopped::Refused(address));
                }
                if !moved && !self.idle(end) {
                    break Err(Stopped::TimeOut);
                }
            }
        };
        self.frames.give_up();
        outcome
    }

    /// [`run`](Driver::run) for bring-up: ends at once when a board refuses a state, and a panic inside ethercrab, as by an
    /// emergency in place of an SDO's answer, is an error like any other.
    pub fn run_guarded<F: Future>(&mut self, limit: Period, work: F) -> Result<F::Output, Stopped> {
        self.watch = Some(Watch::default());
        let outcome = catch_unwind(AssertUnwindSafe(|| self.run(limit, work)));
        self.watch = None;
        self.frames.give_up();
        outcome.unwrap_or_else(|cause| {
            let text = cause.downcast_ref::<String>().cloned();
            let text = text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(Stopped::Panicked(text.unwrap_or_default()))
        })
    }

    /// Nothing was to be sent or received: waits for the next deadline. False if the work's time is up.
    fn idle(&mut self, end: u64) -> bool {
        let (now, next) = (clock::now(), clock::alarm().min(end));
        if now >= end {
            return false;
        }
        match &mut self.time {
            Some(time) => {
                *time = next.max(now);
                clock::set(Some(*time));
            }
            None if next > now => self.link.wait(next),
            None => {}
        }
        true
    }

    fn send_all(&mut self) -> bool {
        let mut any = false;
        while let Some(frame) = self.tx.next_sendable_frame() {
            any = true;
            let Driver { link, frames, buffer, addressed, .. } = &mut *self;
            // a frame that cannot be sent is a lost frame; its future's own timer says so
            let _ = frame.send_blocking(|bytes| {
                let Some(copy) = buffer.get_mut(..bytes.len()) else { return Ok(bytes.len()) };
                copy.copy_from_slice(bytes);
                frames.enter(copy);
                *addressed = station(copy).or(*addressed);
                if link.send(copy).is_err() {
                    frames.statistics.link_errors += 1;
                }
                Ok(bytes.len())
            });
        }
        any
    }

    fn receive_all(&mut self) -> bool {
        let mut any = false;
        loop {
            match self.link.receive(self.buffer.as_mut_slice()) {
                Ok(Some(length)) => {
                    any = true;
                    self.take_in(length);
                }
                Ok(None) => return any,
                Err(_) => {
                    self.frames.statistics.link_errors += 1;
                    return any;
                }
            }
        }
    }

    fn take_in(&mut self, length: usize) {
        let frame = self.buffer.get(..length).unwrap_or_default();
        if !self.frames.admit(frame) {
            return;
        }
        if let Some(watch) = &mut self.watch {
            watch.look(frame);
        }
        // its future is gone: nobody waits for it any more
        if self.rx.receive_frame(frame).is_err() {
            self.frames.statistics.late += 1;
        }
    }
}

impl<L: fmt::Debug> fmt::Debug for Driver<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Driver");
        text.field("link", &self.link).field("statistics", &self.frames.statistics).finish_non_exhaustive()
    }
}

impl Watch {
    /// A frame has come back: does its first datagram show an AL state with the error bit?
    fn look(&mut self, frame: &[u8]) {
        let Some(&[FPRD, _, low, high, 0x30, 0x01, _, _, _, _, state, ..]) = frame.get(16..) else { return };
        let address = u16::from_le_bytes([low, high]);
        let now = clock::now();
        match self.erring {
            _ if state & 0x10 == 0 => self.erring = self.erring.filter(|(other, _)| *other != address),
            Some((erring, since)) if erring == address => {
                if now >= since + REFUSAL_GRACE {
                    self.refused = Some(address);
                }
            }
            _ => self.erring = Some((address, now)),
        }
    }
}

/// The station address in a frame's first datagram, if it is a command for one.
fn station(frame: &[u8]) -> Option<u16> {
    match frame.get(16..)? {
        [FPRD | FPWR, _, low, high, ..] => Some(u16::from_le_bytes([*low, *high])),
        _ => None,
    }
}

impl From<Stopped> for HilError {
    fn from(stopped: Stopped) -> HilError {
        HilError::Link(match stopped {
            Stopped::TimeOut => "the boards did not answer in time".to_owned(),
            Stopped::Refused(address) => format!("the board with station address {address:#06x} shows an AL error"),
            Stopped::Panicked(message) => format!("the EtherCAT library gave up: {message}"),
        })
    }
}
