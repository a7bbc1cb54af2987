//! Times and places, as the tables of a scenario give them.

use page::{Fault, Fields, Range};
use robot_io::Time;

/// A time within the longest scenario.
pub(crate) const SECONDS: Range = Range::new(0.0, 86_400.0, "s");
/// A coordinate in the world; nothing is farther away.
pub(crate) const PLACE: Range = Range::new(-1e4, 1e4, "m");

/// When something ends that begins at a time; `None` if the file does not say.
pub(crate) fn end(table: &mut Fields<'_>, key: &'static str, begin: Time) -> Result<Option<Time>, Fault> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let end = Time::from_seconds(value.number(SECONDS)?);
    let later = || value.error(&format!("a time later than {} [s], when it begins", begin.seconds()), &value.found());
    if end > begin { Ok(Some(end)) } else { Err(later()) }
}

/// When something ends that begins at a time [s] and lasts for its `duration`.
pub(crate) fn end_of_duration(table: &mut Fields<'_>, begin: f64) -> Result<Time, Fault> {
    let value = table.need("duration", "how long it lasts [s]")?;
    let duration = value.number(SECONDS)?;
    if Time::from_seconds(duration) > Time::ZERO && begin + duration <= SECONDS.high {
        return Ok(Time::from_seconds(begin + duration));
    }
    Err(value.error(&format!("more than 0, and an end up to {} [s]", SECONDS.high), &value.found()))
}
