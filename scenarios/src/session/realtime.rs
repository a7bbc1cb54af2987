//! The loop on a real-time thread of its own, for a bus whose time is not ours.
//!
//! The thread lets time pass, reads, answers and writes, and does nothing else: each cycle is handed over in a record that
//! comes out of a ring of used ones and goes into another ring. If the reader falls behind, records are dropped and counted; the
//! thread never waits for anybody. What the operator does comes in through a third ring.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};
use hil::realtime::{CycleTimes, RealtimeReport, RealtimeSetup};
use robot_io::{Event, Events, IoError, OperatorInput, RobotIo, RobotLayout, Severity, Time};
use rtrb::{Consumer, Producer, RingBuffer};

use super::{CycleRecord, Cyclic};

/// How many cycles the reader may fall behind.
const RECORDS: usize = 1_024;
/// How many events of one cycle find room without new memory.
const EVENTS: usize = 64;
/// How long the reader rests while there is nothing to read.
const REST: Duration = Duration::from_micros(500);
/// How many inputs of the operator's wait at most.
pub(crate) const OPERATOR_INPUTS: usize = 64;

/// Operator input on its way to the real-time thread.
#[derive(Debug)]
pub struct Forward {
    /// From the person.
    pub from: Receiver<OperatorInput>,
    /// To the desk.
    pub to: Producer<OperatorInput>,
}

/// The reader's end of a loop that runs by itself.
#[derive(Debug)]
pub struct Live {
    filled: Consumer<Box<CycleRecord>>,
    used: Producer<Box<CycleRecord>>,
    signals: Arc<Signals>,
    forward: Option<Forward>,
    thread: Option<JoinHandle<Ended>>,
    granted: RealtimeReport,
}

#[derive(Debug, Default)]
struct Signals {
    stop: AtomicBool,
    dropped: AtomicU64,
}

/// What the thread leaves.
#[derive(Debug, Default)]
struct Ended {
    /// Why it ended, if nobody asked it to.
    failed: Option<IoError>,
    /// What happened while the robot was switched off.
    events: Events,
    /// Why it could not be.
    still_on: Option<IoError>,
}

/// The thread's end.
struct Worker {
    cyclic: Cyclic,
    filled: Producer<Box<CycleRecord>>,
    used: Consumer<Box<CycleRecord>>,
    /// The present cycle; what is in it is handed over where there is a used record to take it.
    present: Box<CycleRecord>,
    signals: Arc<Signals>,
    late: u64,
}

impl Live {
    /// Starts the thread, which switches the robot on and goes on from there.
    pub fn start(mut cyclic: Cyclic, setup: RealtimeSetup, forward: Option<Forward>) -> Result<Live, IoError> {
        cyclic.pilot.board.deliver_when_ready();
        let layout = cyclic.robot.layout().clone();
        let (filled_in, filled) = RingBuffer::new(RECORDS);
        let (mut used, used_out) = RingBuffer::new(RECORDS);
        for _ in 0..RECORDS {
            // the ring has room for all of them
            let _ = used.push(Box::new(CycleRecord::new(&layout, EVENTS)));
        }
        let signals = Arc::new(Signals::default());
        let worker = Worker::new(cyclic, filled_in, used_out, &layout, &signals);
        let (told, ready) = bounded(1);
        let thread = std::thread::Builder::new().name("bus".to_owned());
        let thread = thread.spawn(move || worker.work(setup, &told));
        let thread = thread.map_err(|error| IoError::Device(format!("no thread for the bus: {error}")))?;
        let gone = |_| Err(IoError::Device("the thread of the bus ended before it began".to_owned()));
        let granted = ready.recv().unwrap_or_else(gone);
        let live = |granted| Live { filled, used, signals, forward, thread: Some(thread), granted };
        granted.map(live)
    }

    /// Waits for the next cycle and takes its record; the one that was there goes back. An error if there is no next.
    pub fn next(&mut self, record: &mut CycleRecord) -> Result<(), IoError> {
        loop {
            self.pass_on();
            if let Ok(mut filled) = self.filled.pop() {
                std::mem::swap(record, &mut filled);
                filled.clear();
                // there are never more records than places
                let _ = self.used.push(filled);
                return Ok(());
            }
            if self.thread.as_ref().is_none_or(JoinHandle::is_finished) && self.filled.is_empty() {
                let failed = self.end().failed;
                return Err(failed.unwrap_or(IoError::End));
            }
            std::thread::sleep(REST);
        }
    }

    /// What the operating system granted.
    pub fn granted(&self) -> &RealtimeReport {
        &self.granted
    }

    /// How many cycles' records were dropped because the reader was behind.
    pub fn dropped(&self) -> u64 {
        self.signals.dropped.load(Ordering::Relaxed)
    }

    /// Stops the loop and switches the robot off; tells what happened and whether that failed.
    pub fn shut_down(&mut self, now: Time) -> (Events, Option<IoError>) {
        let Ended { failed, mut events, still_on } = self.end();
        if self.dropped() > 0 {
            let note =
                Event::note(now, Severity::Warning, "session", "cycles that were not recorded, for want of time");
            events.push(note.with(self.dropped() as f64, 0.0));
        }
        (events, failed.or(still_on))
    }

    fn end(&mut self) -> Ended {
        self.signals.stop.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else { return Ended::default() };
        let panicked = |_| IoError::Device("the thread of the bus panicked".to_owned());
        thread.join().unwrap_or_else(|payload| Ended { failed: Some(panicked(payload)), ..Ended::default() })
    }

    /// Operator input goes on to the desk; what finds no room waits here.
    fn pass_on(&mut self) {
        let Some(Forward { from, to }) = &mut self.forward else { return };
        while !to.is_full()
            && let Ok(input) = from.try_recv()
        {
            // there is room, and nobody else puts anything in
            let _ = to.push(input);
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.end();
    }
}

impl Worker {
    fn new(
        cyclic: Cyclic,
        filled: Producer<Box<CycleRecord>>,
        used: Consumer<Box<CycleRecord>>,
        layout: &RobotLayout,
        signals: &Arc<Signals>,
    ) -> Worker {
        let present = Box::new(CycleRecord::new(layout, EVENTS));
        Worker { cyclic, filled, used, present, signals: Arc::clone(signals), late: 0 }
    }

    fn work(mut self, setup: RealtimeSetup, ready: &Sender<Result<RealtimeReport, IoError>>) -> Ended {
        let granted = setup.apply();
        let on = self.cyclic.bring_up().map(|()| granted);
        let failed = on.is_err();
        // whoever started us waits for this
        let _ = ready.send(on);
        if failed {
            return Ended::default();
        }
        let failed = self.run().err();
        let (events, still_on) = self.cyclic.shut_down();
        Ended { failed, events, still_on }
    }

    fn run(&mut self) -> Result<(), IoError> {
        let mut begin = Instant::now();
        while !self.signals.stop.load(Ordering::Relaxed) {
            let done = self.answer(begin);
            self.tell();
            done?;
            self.cyclic.advance()?;
            begin = Instant::now();
        }
        Ok(())
    }

    fn answer(&mut self, begin: Instant) -> Result<(), IoError> {
        self.cyclic.answer_timed(&mut self.present, begin)?;
        let bus = self.present.bus.unwrap_or_default();
        let CycleTimes { controller, whole, .. } = self.present.times;
        self.present.times = CycleTimes {
            jitter: bus.late.abs_diff(self.late),
            round_trip: bus.round_trip,
            lateness: bus.late,
            controller,
            whole: bus.round_trip + whole,
        };
        self.late = bus.late;
        Ok(())
    }

    /// The cycle goes to the reader, if it has given back a record that can take it.
    fn tell(&mut self) {
        match self.used.pop() {
            Ok(mut record) => {
                self.present.hand_over(&mut record);
                // one comes out for each that goes in
                let _ = self.filled.push(record);
            }
            Err(_) => {
                self.signals.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}
