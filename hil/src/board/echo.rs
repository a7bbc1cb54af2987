//! Walk-Man's round trip time: a time stamp that the board sends back.
//!
//! The paper names the field and says no more. Here the MainDevice sends its own time [µs, 16 bits, wraps after 65.5 ms];
//! the board returns it, carried on by the time that it has kept it. So the value moves on with every sample even while
//! no outputs arrive, which shows that the board is alive, and the MainDevice's time less the value is the time on the way.

use robot_io::{State, Time};

/// The MainDevice's end: every exchange gets a stamp of its own, also those of a start-up, during which no cycle passes. A
/// board that had seen the first cycle's stamp before would repeat itself, and seem to hang.
#[derive(Clone, Copy, Debug, Default, State)]
pub(super) struct Stamps {
    sent: u16,
    sent_at: Option<Time>,
}

impl Stamps {
    /// The stamp of the outputs that are made now.
    pub fn next(&mut self, now: Time) -> u16 {
        self.sent = if self.sent_at == Some(now) { self.sent.wrapping_add(1) } else { stamp(now) };
        self.sent_at = Some(now);
        self.sent
    }
}

/// The board's end.
#[derive(Clone, Copy, Debug, Default, State)]
pub(super) struct Echo {
    stamp: u16,
    /// The board's clock when the stamp arrived.
    arrived: Time,
    /// The board's clock at the last sample.
    clock: Time,
}

/// A time as such a stamp.
pub(super) fn stamp(time: Time) -> u16 {
    (time.nanoseconds() / 1000) as u16
}

/// The time on the way [µs]: from the MainDevice's present time and what the board returned.
pub fn round_trip(now: Time, returned: u16) -> u16 {
    stamp(now).wrapping_sub(returned)
}

impl Echo {
    /// A stamp has arrived; one that is not new changes nothing.
    pub fn receive(&mut self, stamp: u16) {
        if stamp != self.stamp {
            (self.stamp, self.arrived) = (stamp, self.clock);
        }
    }

    /// What is sent back with the sample that is taken now.
    pub fn send(&mut self, now: Time) -> u16 {
        self.clock = now;
        self.stamp.wrapping_add((now.since(self.arrived).nanoseconds() / 1000) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(microseconds: u64) -> Time {
        Time::from_nanoseconds(microseconds * 1000)
    }

    #[test]
    fn the_time_on_the_way_does_not_count_what_the_board_kept_it() {
        let mut echo = Echo::default();
        echo.send(at(5_000_000));
        echo.receive(stamp(at(70_000)));
        assert_eq!(round_trip(at(73_000), echo.send(at(5_002_000))), 1_000);
        assert_eq!(round_trip(at(140_000), echo.send(at(5_069_000))), 1_000, "through the wrap");
    }
}
