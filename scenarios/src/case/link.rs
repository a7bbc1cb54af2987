//! How far the operator is from the robot.

use page::{Fault, Fields, Range};
use robot_io::{Period, Time};

use crate::ranges::{SECONDS, end_of_duration};

/// The longest delay: as to the Moon and back, and some more.
const DELAY: Range = Range::new(0.0, 60.0, "s");

/// The connection between the operator and the robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// What the operator does gets to the robot so much later, and so does to the operator what the robot shows.
    pub delay: Period,
    /// When nothing of what the robot shows gets away, in order of time.
    pub black_outs: Vec<BlackOut>,
}

/// A while in which the operator sees nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlackOut {
    /// When it begins.
    pub at: Time,
    /// When it ends.
    pub until: Time,
}

impl Link {
    pub(super) fn read(table: &mut Fields<'_>) -> Result<Link, Fault> {
        let delay = Period::from_seconds(table.number_or("delay", DELAY, 0.0)?);
        let black_outs = table.each("black_out", BlackOut::read)?;
        if let Some([before, after]) = black_outs.array_windows().find(|[before, after]| after.at < before.until) {
            let found = format!("one at {} s after one until {} s", after.at.seconds(), before.until.seconds());
            return Err(table.error("black-outs in order of time, one after the other", &found));
        }
        Ok(Link { delay, black_outs })
    }

    /// The black-out that a moment is in, if it is in one.
    pub fn black_out(&self, at: Time) -> Option<&BlackOut> {
        self.black_outs.iter().find(|dark| dark.at <= at && at < dark.until)
    }

    /// What an operator is to know of it at a moment.
    pub fn describe(&self, now: Time) -> String {
        let late = self.delay.seconds();
        let dark = self.black_outs.iter().find(|dark| dark.at + self.delay <= now && now < dark.until + self.delay);
        match dark {
            Some(BlackOut { at, until }) => {
                let (from, to) = (at.seconds(), until.seconds());
                format!("black-out: nothing gets here of what happens from {from} to {to} s, {late} s late")
            }
            None => format!("seen {late} s late"),
        }
    }
}

impl BlackOut {
    fn read(table: &mut Fields<'_>) -> Result<BlackOut, Fault> {
        let at = table.number("at", SECONDS)?;
        Ok(BlackOut { at: Time::from_seconds(at), until: end_of_duration(table, at)? })
    }
}
