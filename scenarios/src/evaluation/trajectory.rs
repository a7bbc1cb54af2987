//! Where something was, between the moments at which that is known.

use nalgebra::Isometry3;
use robot_io::Time;

/// The pose at a time, between the two moments about which something is known; `None` after the last.
pub fn truth_at(truth: &[(Time, Isometry3<f64>)], time: Time) -> Option<Isometry3<f64>> {
    let after = truth.partition_point(|(stamp, _)| *stamp < time);
    let (end, late) = truth.get(after)?;
    let Some((begin, early)) = after.checked_sub(1).and_then(|before| truth.get(before)) else { return Some(*late) };
    let whole = end.since(*begin).seconds();
    let share = if whole > 0.0 { time.since(*begin).seconds() / whole } else { 0.0 };
    Some(early.try_lerp_slerp(late, share, 1e-12).unwrap_or(*late))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_truth_between_two_moments_lies_between_them_and_there_is_none_beyond() {
        let at = |ms: u64| Time::from_nanoseconds(ms * 1_000_000);
        let truth = [(at(10), Isometry3::translation(1.0, 0.0, 0.0)), (at(20), Isometry3::translation(2.0, 0.0, 0.0))];
        assert!((truth_at(&truth, at(15)).unwrap().translation.x - 1.5).abs() < 1e-12);
        assert_eq!(truth_at(&truth, at(5)).unwrap().translation.x, 1.0);
        assert_eq!(truth_at(&truth, at(21)), None);
    }
}
