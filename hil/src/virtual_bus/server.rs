//! The virtual bus on a network card, in real time: any MainDevice may come.
//!
//! A frame is answered first, and the world moves on afterwards, at its own rate ([`Pace`]). Until a board is in OP the
//! world stands still, as a robot hangs on its crane until somebody drives it, and again once all are back in INIT.

use robot_io::{Clock, Period, RobotIo};

use super::pace::Pace;
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
    /// How much later than it may the last cycle began [ns]: with more than a period the robot's time is behind.
    pub behind: u64,
    /// Boards that have left OP because this program was held up, or nobody speaks to them.
    pub expired: usize,
    /// The longest time from receiving a frame to sending it back [ns].
    pub longest_answer: u64,
    /// The longest time that the robot's cycle took [ns].
    pub longest_cycle: u64,
    /// Time passes for the robot: a board has been in OP, and they are not all back in INIT.
    pub in_use: bool,
}

/// Serves the boards of `bus` on `link` until `goes_on` says otherwise; it is asked, and shown the counts, after every frame
/// and every cycle, and at least ten times a second.
pub fn serve<R: RobotIo, C: Clock>(
    bus: &mut VirtualBus<R, C>,
    link: &mut impl Link,
    period: Period,
    mut goes_on: impl FnMut(&Service) -> bool,
) -> Result<Service, HilError> {
    let begin = monotonic();
    let mut server = Server { begin, pace: Pace::new(period, begin), service: Service::default() };
    let mut buffer = [0_u8; LONGEST_FRAME];
    while goes_on(&server.service) {
        if let Some(bytes) = link.receive(&mut buffer)? {
            server.answer(bus, link, &mut buffer[..bytes]);
            server.pass(bus)?;
        } else {
            bus.run_to(monotonic() - begin);
            server.pass(bus)?;
            let now = monotonic();
            link.wait(server.pace.next(now).clamp(now, now + PATIENCE));
        }
    }
    Ok(server.service)
}

/// The longest sleep without frames [ns].
const PATIENCE: u64 = 100_000_000;

struct Server {
    begin: u64,
    pace: Pace,
    service: Service,
}

impl Server {
    /// Carries a frame and sends it back.
    fn answer<R: RobotIo, C: Clock>(&mut self, bus: &mut VirtualBus<R, C>, link: &mut impl Link, frame: &mut [u8]) {
        let arrived = monotonic();
        bus.run_to(arrived - self.begin);
        if bus.carry(frame) != Fate::Back {
            self.service.dropped += 1;
            return;
        }
        match link.send(frame) {
            Ok(()) => self.service.frames += 1,
            Err(_) => self.service.unsent += 1,
        }
        let answered = monotonic();
        self.service.longest_answer = self.service.longest_answer.max(answered - arrived);
        self.pace.frame(answered, is_cyclic(frame));
    }

    /// Makes the robot's cycle when it is due.
    fn pass<R: RobotIo, C: Clock>(&mut self, bus: &mut VirtualBus<R, C>) -> Result<(), HilError> {
        let now = monotonic();
        self.service.in_use = bus.is_in_use();
        if !self.service.in_use {
            self.pace.rest(now);
            self.service.behind = 0;
        } else if self.pace.is_due(now) {
            self.service.skipped += self.pace.make(now);
            bus.tick()?;
            self.service.cycles += 1;
            self.service.behind = self.pace.behind();
            if self.service.behind > 0 {
                self.service.expired = bus.expired_watchdogs();
            }
            self.service.longest_cycle = self.service.longest_cycle.max(monotonic() - now);
        }
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
