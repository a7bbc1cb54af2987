//! Speed along a way with bounded acceleration and jerk.
//!
//! Each piece begins and ends without acceleration, so that its own limits hold on it alone; the speeds at which pieces meet
//! are found by going through them forwards and backwards, as time-optimal parameterisation does with accelerations.

use robot_io::State;

use super::limits::Pace;

/// Halvings after which a speed is known to the last digits.
const HALVINGS: u32 = 60;

/// A stretch of constant jerk along a way.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Stretch {
    /// The piece on which it is.
    pub piece: usize,
    /// When it begins [s], and how long it lasts.
    pub begins: f64,
    pub lasts: f64,
    /// Place, speed and acceleration where it begins, and its jerk.
    pub place: f64,
    pub velocity: f64,
    pub acceleration: f64,
    pub jerk: f64,
}

impl Stretch {
    /// Place, speed and acceleration at a time from its beginning on.
    pub fn at(&self, time: f64) -> [f64; 3] {
        let t = time - self.begins;
        let place = self.place + t * (self.velocity + t * (0.5 * self.acceleration + t * self.jerk / 6.0));
        let velocity = self.velocity + t * (self.acceleration + t * 0.5 * self.jerk);
        [place, velocity, self.acceleration + t * self.jerk]
    }
}

/// How long it takes to change speed by so much, from no acceleration to no acceleration.
fn time(change: f64, pace: &Pace) -> f64 {
    let whole = pace.acceleration * pace.acceleration / pace.jerk;
    if change >= whole {
        change / pace.acceleration + pace.acceleration / pace.jerk
    } else {
        2.0 * (change / pace.jerk).sqrt()
    }
}

/// The way on which the speed changes from one to another.
fn way(from: f64, to: f64, pace: &Pace) -> f64 {
    0.5 * (from + to) * time((to - from).abs(), pace)
}

/// The highest speed up to `most` with which something holds that holds for low ones, `least` being known to do.
fn highest(least: f64, most: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if most <= least || holds(most) {
        return most.max(least);
    }
    let (mut low, mut high) = (least, most);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

/// Stretches from rest to rest over pieces with these lengths and paces; everything stops where `stops` says.
pub(super) fn profile(pieces: &[(f64, Pace)], stops: &[bool]) -> Vec<Stretch> {
    let speeds = meeting_speeds(pieces, stops);
    let (mut stretches, mut begins, mut place) = (Vec::new(), 0.0, 0.0);
    for (index, (length, pace)) in pieces.iter().enumerate() {
        let (from, to) = (speeds[index], speeds[index + 1]);
        let fits = |top: f64| way(from, top, pace) + way(top, to, pace) <= *length;
        let top = highest(from.max(to), pace.velocity, fits);
        let left = (length - way(from, top, pace) - way(top, to, pace)).max(0.0);
        let whole = place + length;
        let mut state = (begins, place);
        change(&mut stretches, index, &mut state, (from, top), pace);
        if top > 0.0 {
            let (at, lasts) = (state, left / top);
            stretches.push(Stretch {
                piece: index,
                begins: at.0,
                lasts,
                place: at.1,
                velocity: top,
                acceleration: 0.0,
                jerk: 0.0,
            });
            state = (at.0 + lasts, at.1 + left);
        }
        change(&mut stretches, index, &mut state, (top, to), pace);
        (begins, place) = (state.0, whole);
    }
    stretches
}

/// The speeds at which pieces meet, the first and the last zero.
fn meeting_speeds(pieces: &[(f64, Pace)], stops: &[bool]) -> Vec<f64> {
    let mut speeds = vec![0.0; pieces.len() + 1];
    for index in 1..pieces.len() {
        let slower = pieces[index - 1].1.velocity.min(pieces[index].1.velocity);
        let most = if stops[index - 1] { 0.0 } else { slower };
        let (length, pace) = &pieces[index - 1];
        let before = speeds[index - 1];
        speeds[index] =
            if most <= before { most } else { highest(before, most, |speed| way(before, speed, pace) <= *length) };
    }
    for index in (0..pieces.len()).rev() {
        let (length, pace) = &pieces[index];
        let behind = speeds[index + 1];
        if speeds[index] > behind {
            speeds[index] = highest(behind, speeds[index], |speed| way(speed, behind, pace) <= *length);
        }
    }
    speeds
}

/// The stretches of a change of speed, appended; `state` is the time and the place where it begins, then where it ends.
fn change(stretches: &mut Vec<Stretch>, piece: usize, state: &mut (f64, f64), (from, to): (f64, f64), pace: &Pace) {
    let change = (to - from).abs();
    if change <= 0.0 {
        return;
    }
    let sign = if to > from { 1.0 } else { -1.0 };
    let whole = pace.acceleration * pace.acceleration / pace.jerk;
    let (ramp, hold) = if change >= whole {
        (pace.acceleration / pace.jerk, change / pace.acceleration - pace.acceleration / pace.jerk)
    } else {
        ((change / pace.jerk).sqrt(), 0.0)
    };
    let (mut velocity, mut acceleration) = (from, 0.0);
    for (lasts, jerk) in [(ramp, sign * pace.jerk), (hold, 0.0), (ramp, -sign * pace.jerk)] {
        let stretch = Stretch { piece, begins: state.0, lasts, place: state.1, velocity, acceleration, jerk };
        let end = stretch.at(state.0 + lasts);
        stretches.push(stretch);
        *state = (state.0 + lasts, end[0]);
        [velocity, acceleration] = [end[1], end[2]];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn speeds_and_accelerations_are_continuous_within_their_limits_and_end_at_rest(
            pieces in prop::collection::vec((0.001..2.0f64, 0.1..3.0f64, 0.1..10.0f64, 1.0..200.0f64, any::<bool>()), 1..12),
        ) {
            let paces: Vec<(f64, Pace)> = pieces
                .iter()
                .map(|&(length, velocity, acceleration, jerk, _)| (length, Pace { velocity, acceleration, jerk }))
                .collect();
            let stops: Vec<bool> = pieces.iter().map(|piece| piece.4).collect();
            let stretches = profile(&paces, &stops);
            let mut state = [0.0, 0.0, 0.0];
            for stretch in &stretches {
                for (one, other) in state.iter().zip(stretch.at(stretch.begins)) {
                    prop_assert!((one - other).abs() < 1e-7, "{state:?} before {stretch:?}");
                }
                state = stretch.at(stretch.begins + stretch.lasts);
                let mut ends = 0.0;
                let piece = paces.iter().find(|(length, _)| { ends += length; ends > stretch.place + 1e-9 });
                if let Some((_, pace)) = piece.filter(|_| stretch.lasts > 1e-6) {
                    prop_assert!(state[1] <= pace.velocity + 1e-7 && state[1] >= -1e-7, "{stretch:?} {pace:?}");
                    prop_assert!(state[2].abs() <= pace.acceleration + 1e-7, "{stretch:?} {pace:?}");
                    prop_assert!(stretch.jerk.abs() <= pace.jerk + 1e-9, "{stretch:?} {pace:?}");
                }
            }
            let length: f64 = pieces.iter().map(|piece| piece.0).sum();
            prop_assert!((state[0] - length).abs() < 1e-7, "{state:?} of {length}");
            prop_assert!(state[1].abs() < 1e-6 && state[2].abs() < 1e-5, "{state:?}");
        }
    }
}
