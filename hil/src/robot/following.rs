//! Drives that are on but do not follow what they are told: nothing would move, and nothing else would say why.

use robot_io::{Event, Events, Period, Severity, State, Subject, Time};

use crate::board::BoardReport;
use crate::bus_file::BusPlan;

/// A drive may ignore its set-points for this long before it is told: brakes need their time [ns].
const PATIENCE: u64 = 100_000_000;

/// What to do about it is part of the message: nobody sees it but in an event or when a start fails.
pub(super) const WHAT: &str = "drive is enabled but does not follow its set-points: statusword bit 12 is 0. If this drive \
                               never sets it: follows = \"enabled\" in the bus file";

/// Counts for each board how long its drive has ignored its set-points; tells it once each time.
#[derive(Clone, Debug, State)]
pub(super) struct FollowWatch {
    #[state(elements)]
    ignored: Vec<u64>,
    #[state(fixed)]
    patience: u64,
}

impl FollowWatch {
    pub fn new(boards: usize, period: Period, ride_through: u64) -> FollowWatch {
        let patience = (PATIENCE / period.nanoseconds().max(1)).max(ride_through + 1);
        FollowWatch { ignored: vec![0; boards], patience }
    }

    /// Looks at one cycle in which all boards answered. `operational`: all drives should follow.
    pub fn observe(
        &mut self,
        reports: &[BoardReport],
        operational: bool,
        now: Time,
        plan: &BusPlan,
        events: &mut Events,
    ) {
        for ((ignored, report), board) in self.ignored.iter_mut().zip(reports).zip(&plan.boards) {
            *ignored = if operational && report.ignores_set_points { *ignored + 1 } else { 0 };
            if *ignored == self.patience {
                let subject = board.kind.joints().first().map_or(Subject::Robot, |joint| Subject::Joint(*joint));
                events.push(Event::note(now, Severity::Warning, "bus", WHAT).about(subject));
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use robot_io::RobotLayout;

    use super::*;

    const BUS: &str = "name = \"one\"\nwatchdog_ms = 20\npartial = true\n[[board]]\nname = \"hip_drive\"\n\
                       type = \"cia402\"\nvendor = 1\nproduct = 1\njoint = \"hip\"\ncounts = 500000\n\
                       rated_torque = 20.0\ndamp = 2.0\n";

    #[test]
    fn an_enabled_drive_that_does_not_follow_is_told_once_each_time() {
        let plan = BusPlan::parse(BUS, "bus.toml", &RobotLayout::example()).unwrap();
        let mut watch = FollowWatch::new(1, Period::from_milliseconds(1), 2);
        let mut told = |cycles: u64, ignores_set_points: bool| {
            let (mut events, report) = (Events::new(), BoardReport { ignores_set_points, ..BoardReport::default() });
            (0..cycles).for_each(|_| watch.observe(&[report], true, Time::ZERO, &plan, &mut events));
            events.iter().map(|event| event.subject).collect::<Vec<_>>()
        };
        assert_eq!(told(99, true), []);
        assert_eq!(told(500, true), [Subject::Joint(0)], "once, with the joint's name");
        assert_eq!(told(1, false), []);
        assert_eq!(told(100, true), [Subject::Joint(0)], "and again when it happens again");
    }
}
