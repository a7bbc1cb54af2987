//! When soles are looked at, so that pictures of a run know where they have stood.

use robot_io::Period;

use super::CycleRecord;

/// This often.
const INTERVAL: Period = Period::from_milliseconds(16);

/// True if it is time to look at the soles of a robot whose controller says where they are; what that costs is not spent on others.
pub fn are_due(record: &CycleRecord, period: Period) -> bool {
    let stride = INTERVAL.cycles_of(period).max(1);
    let has_soles = || record.telemetry.scalars.iter().any(|(name, _)| *name == "left_sole_carries");
    record.readings.cycle.is_multiple_of(stride) && has_soles()
}
