//! The virtual bus on a network card, in real time: any MainDevice may come.
//!
//! A frame is answered first, and the world moves on afterwards: physics is never in a frame's way. Until a board is in OP
//! the world stands still, as a robot hangs on its crane until somebody drives it.

use robot_io::{Clock, Period, RobotIo};

use super::{Fate, VirtualBus};
use crate::HilError;
use crate::link::{Link, monotonic};

/// The longest frame that a card gives [bytes].
const LONGEST_FRAME: usize = 1_518;

/// What has happened on the card so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// EtherCAT frames that were carried and sent back.
    pub frames: u64,
    /// Frames lost on purpose, or not EtherCAT.
    pub dropped: u64,
    /// Frames that could not be sent back.
    pub unsent: u64,
    /// Cycles that the robot behind the boards has made.
    pub cycles: u64,
    /// Cycles given up because this program was held up for longer than a tenth of a second.
    pub skipped: u64,
    /// The longest time from receiving a frame to sending it back [ns].
    pub longest_answer: u64,
    /// The longest time that the robot's cycle took [ns].
    pub longest_cycle: u64,
    /// A board is in OP: time passes for the robot.
    pub in_use: bool,
}

/// Serves the boards of `bus` on `link` until `goes_on` says otherwise; it is asked, and shown the counts, after every cycle
/// and at least ten times a second.
pub fn serve<R: RobotIo, C: Clock>(
    bus: &mut VirtualBus<R, C>,
    link: &mut impl Link,
    period: Period,
    mut goes_on: impl FnMut(&Service) -> bool,
) -> Result<Service, HilError> {
    let mut server = Server::new(period);
    let mut buffer = [0_u8; LONGEST_FRAME];
    let begin = monotonic();
    while goes_on(&server.service) {
        link.wait(server.wakes_at());
        while let Some(bytes) = link.receive(&mut buffer)? {
            server.answer(bus, link, &mut buffer[..bytes], begin);
        }
        bus.run_to(monotonic() - begin);
        server.pass(bus)?;
    }
    Ok(server.service)
}

/// The longest sleep without frames [ns].
const PATIENCE: u64 = 100_000_000;
/// A MainDevice's cycle has several frames, one after the other. The robot moves when none has come for this long [ns], or
/// an eighth of a short cycle: a robot that takes its time would keep the later frames waiting.
const SILENCE: u64 = 150_000;

struct Server {
    period: u64,
    /// When the robot's next cycle is due [ns].
    due: u64,
    /// When process data last came [ns].
    last_cyclic: u64,
    /// When a frame last came [ns].
    last_frame: u64,
    /// Process data came that the robot has not yet moved for.
    cyclic: bool,
    service: Service,
}

impl Server {
    fn new(period: Period) -> Server {
        let service = Service::default();
        let (period, due) = (period.nanoseconds(), monotonic());
        Server { period, due, last_cyclic: 0, last_frame: 0, cyclic: false, service }
    }

    /// When frames have been away for long enough after process data [ns].
    fn silent_at(&self) -> u64 {
        self.last_frame + SILENCE.min(self.period / 8)
    }

    /// When the next cycle has to be made without process data [ns].
    fn wakes_at(&self) -> u64 {
        let now = monotonic();
        let follows = now.saturating_sub(self.last_cyclic) < 3 * self.period;
        let due = match (self.cyclic, follows) {
            (true, _) => self.silent_at(),
            (false, true) => self.due + self.period / 2,
            (false, false) => self.due,
        };
        due.clamp(now, now + PATIENCE)
    }

    /// Carries a frame and sends it back.
    fn answer<R: RobotIo, C: Clock>(
        &mut self,
        bus: &mut VirtualBus<R, C>,
        link: &mut impl Link,
        frame: &mut [u8],
        begin: u64,
    ) {
        let arrived = monotonic();
        bus.run_to(arrived - begin);
        if bus.carry(frame) != Fate::Back {
            self.service.dropped += 1;
            return;
        }
        match link.send(frame) {
            Ok(()) => self.service.frames += 1,
            Err(_) => self.service.unsent += 1,
        }
        self.last_frame = monotonic();
        self.service.longest_answer = self.service.longest_answer.max(self.last_frame - arrived);
        if is_cyclic(frame) {
            (self.last_cyclic, self.cyclic) = (self.last_frame, true);
        }
    }

    /// Makes the robot's cycle when it is due: best right after process data, when the MainDevice is busy with its answer.
    fn pass<R: RobotIo, C: Clock>(&mut self, bus: &mut VirtualBus<R, C>) -> Result<(), HilError> {
        let now = monotonic();
        self.service.in_use = bus.is_in_use();
        if !self.service.in_use {
            self.due = now + self.period;
            self.cyclic = false;
            return Ok(());
        }
        if self.cyclic && now < self.silent_at() {
            return Ok(());
        }
        let cyclic = core::mem::take(&mut self.cyclic);
        // while process data comes, cycles follow it; half a period is what they may be off
        let follows = now - self.last_cyclic < 3 * self.period;
        let due = match (cyclic, follows) {
            (true, _) => self.due.saturating_sub(self.period / 2),
            (false, true) => self.due + self.period / 2,
            (false, false) => self.due,
        };
        if now < due {
            return Ok(());
        }
        if now.saturating_sub(self.due) > PATIENCE {
            self.service.skipped += (now - self.due) / self.period;
            self.due = now;
        }
        bus.tick()?;
        self.due += self.period;
        self.service.cycles += 1;
        self.service.longest_cycle = self.service.longest_cycle.max(monotonic() - now);
        Ok(())
    }
}

/// True if the frame's first datagrams address logical memory: process data.
fn is_cyclic(frame: &[u8]) -> bool {
    const FIRST_COMMAND: usize = 16;
    const LOGICAL: core::ops::RangeInclusive<u8> = 10..=12;
    // distributed clocks put one read-multiple-write of eight bytes in front
    const SECOND_COMMAND: usize = FIRST_COMMAND + 20;
    [FIRST_COMMAND, SECOND_COMMAND]
        .iter()
        .any(|place| frame.get(*place).is_some_and(|command| LOGICAL.contains(command)))
}
