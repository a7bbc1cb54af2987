//! Soles are looked at now and then, so that pictures of a run know where they have stood.

use plant::Frame;
use robot_io::{Period, Telemetry};
use station::Footprints;

use super::CycleRecord;

/// This often.
const INTERVAL: Period = Period::from_milliseconds(16);

/// Where soles have stood.
#[derive(Debug)]
pub struct Soles {
    /// All of them.
    pub prints: Footprints,
    /// Memory for where everything is.
    pub frame: Frame,
}

impl Default for Soles {
    fn default() -> Soles {
        Soles { prints: Footprints::with_room(), frame: Frame::default() }
    }
}

impl Soles {
    /// True if it is time to look at the soles of a robot whose controller says where they are; what that costs is not spent on others.
    pub fn are_due(record: &CycleRecord, period: Period) -> bool {
        let stride = INTERVAL.cycles_of(period).max(1);
        let has_soles = || record.telemetry.scalars.iter().any(|(name, _)| *name == "left_sole_carries");
        record.readings.cycle.is_multiple_of(stride) && has_soles()
    }

    /// Takes note of those that carry now.
    pub fn note(&mut self, frame: Frame, telemetry: &Telemetry) {
        self.prints.note(&frame, telemetry);
        self.frame = frame;
    }
}
