//! What a sweep has brought to light, for people.

use robot_io::{Event, Severity, State, Time};

/// Something worth telling, with the two numbers one asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct News {
    /// When.
    pub time: Time,
    /// What.
    pub what: What,
    /// The number seen.
    pub value: f64,
    /// The number allowed or expected.
    pub limit: f64,
}

/// What may happen to a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum What {
    /// The first of several sweeps was left out.
    #[default]
    SweepLeftOut,
    /// The start fits the prior height map.
    Aligned,
    /// It does not.
    NotAligned,
    /// A loop was closed.
    LoopClosed,
    /// What looked like a loop contradicts the map.
    LoopRefused,
    /// The robot does not know where it is.
    Lost,
    /// It knows again.
    Found,
    /// Two sweeps say that the robot is elsewhere than odometry led.
    Pushed,
}

impl News {
    /// As an event of the source `slam`.
    pub fn event(&self) -> Event {
        let (severity, what) = match self.what {
            What::SweepLeftOut => {
                (Severity::Warning, "a sweep does not fit and is left out: what it was judged by, and the limit")
            }
            What::Aligned => (Severity::Info, "start found on the prior map, moved by [m]"),
            What::NotAligned => (Severity::Warning, "the prior map does not fit, start as told: matched share"),
            What::LoopClosed => (Severity::Info, "loop closed, position put right by [m]"),
            What::LoopRefused => {
                (Severity::Warning, "loop refused, it contradicts the map: Mahalanobis distance squared")
            }
            What::Lost => (Severity::Error, "lost: sweeps that do not fit the map"),
            What::Found => (Severity::Info, "found again on the map: matched share"),
            What::Pushed => (Severity::Warning, "pushed aside, odometry has not noticed: position put right by [m]"),
        };
        Event::note(self.time, severity, "slam", what).with(self.value, self.limit)
    }
}
