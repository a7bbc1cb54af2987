//! What the points' time field counts, and from where: every driver has its own idea, and no message says it.

use core::fmt;

use crate::cloud::Cloud;

/// Names and sizes of units [s].
const UNITS: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];

/// How the values of a time field are to be read.
#[derive(Clone, Debug, PartialEq)]
pub struct PointClock {
    /// The field.
    pub field: String,
    /// Its unit's name.
    pub unit: &'static str,
    scale: f64,
    /// From where it counts.
    pub origin: Origin,
}

/// From where a time field counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From the message's stamp.
    Stamp,
    /// It shows the same clock as the stamp.
    SameClock,
    /// It shows another clock, whose first value in a message is taken for the stamp.
    OtherClock,
}

impl PointClock {
    /// By a cloud and the time from one to the next [s]: a sweep lasts about as long as the next one takes to come, and units
    /// are a factor of a thousand apart. `None` if no field is a time.
    pub fn find(cloud: &Cloud, period: f64) -> Option<PointClock> {
        let times = cloud.times.as_ref()?;
        let (first, last) = span(&times.values)?;
        let off = |scale: f64| ((last - first) * scale / period).ln().abs();
        let (unit, scale) = UNITS.into_iter().min_by(|(_, a), (_, b)| off(*a).total_cmp(&off(*b)))?;
        if last <= first || off(scale) > MOST_OFF {
            return None;
        }
        let stamp = 1e-9 * cloud.stamp.nanoseconds() as f64;
        let near = |begin: f64| (first * scale - begin).abs().min((last * scale - begin).abs()) < 1.5 * period;
        let origin = match () {
            () if near(0.0) => Origin::Stamp,
            () if near(stamp) => Origin::SameClock,
            () => Origin::OtherClock,
        };
        Some(PointClock { field: times.name.clone(), unit, scale, origin })
    }

    /// When each point was measured, from the cloud's stamp on [s].
    pub fn seconds(&self, cloud: &Cloud) -> Vec<f64> {
        let values = cloud.times.as_ref().map(|times| times.values.as_slice()).unwrap_or_default();
        let zero = match self.origin {
            Origin::Stamp => 0.0,
            Origin::SameClock => 1e-9 * cloud.stamp.nanoseconds() as f64 / self.scale,
            Origin::OtherClock => span(values).map_or(0.0, |(first, _)| first),
        };
        let last = span(values).map_or(zero, |(_, last)| last);
        // what is no number is as late as the last: it does not reach back
        values.iter().map(|value| (if value.is_finite() { *value } else { last } - zero) * self.scale).collect()
    }
}

/// A sweep that lasts by more than e to this longer or shorter than the time to the next is none.
const MOST_OFF: f64 = 3.4;

/// Smallest and largest.
fn span(values: &[f64]) -> Option<(f64, f64)> {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    finite.fold(None, |span: Option<(f64, f64)>, value| {
        let (low, high) = span.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

impl fmt::Display for PointClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = match self.origin {
            Origin::Stamp => "from the message's stamp on",
            Origin::SameClock => "the clock of the message's stamp",
            Origin::OtherClock => "a clock of its own: the message's stamp is taken for its first point's time",
        };
        write!(f, "field '{}' [{}], {from}", self.field, self.unit)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::cloud::TimeColumn;
    use robot_io::Time;

    /// A sweep of 0.1 s, its times counted in a unit from somewhere [s].
    fn cloud(stamp: f64, from: f64, scale: f64) -> Cloud {
        let values = (0..100).map(|point| (from + 1e-3 * f64::from(point)) / scale).collect();
        let times = Some(TimeColumn { name: "t".to_owned(), values });
        Cloud { stamp: Time::from_nanoseconds((stamp * 1e9) as u64), times, ..Cloud::default() }
    }

    #[test]
    fn the_unit_is_the_one_in_which_a_sweep_lasts_as_long_as_sweeps_do() {
        let stamp = 1.7e9;
        for (name, scale) in UNITS {
            for (from, origin) in
                [(0.0, Origin::Stamp), (-0.099, Origin::Stamp), (stamp, Origin::SameClock), (5e4, Origin::OtherClock)]
            {
                let clock = PointClock::find(&cloud(stamp, from, scale), 0.1).unwrap();
                assert_eq!((clock.unit, clock.origin), (name, origin), "{from} {name}");
                let seconds = clock.seconds(&cloud(stamp, from, scale));
                let begin = if from < 0.0 { from } else { 0.0 };
                assert!((seconds[0] - begin).abs() < 1e-5 && (seconds[99] - begin - 0.099).abs() < 1e-5, "{clock}");
            }
        }
    }

    #[test]
    fn a_field_that_stands_still_or_counts_something_else_is_no_time() {
        let still =
            Cloud { times: Some(TimeColumn { name: "t".to_owned(), values: vec![5.0; 10] }), ..cloud(1e9, 0.0, 1.0) };
        assert_eq!(PointClock::find(&still, 0.1), None);
        assert_eq!(PointClock::find(&Cloud { times: None, ..still }, 0.1), None);
    }

    #[test]
    fn a_slow_sweep_of_a_turning_axis_is_read_too() {
        let values = vec![-1.26, -0.5, 0.0];
        let slow = Cloud { times: Some(TimeColumn { name: "time".to_owned(), values }), ..cloud(1e9, 0.0, 1.0) };
        assert_eq!(PointClock::find(&slow, 1.26).unwrap().unit, "s");
    }
}
