//! A steady stride, found in a run in which nobody pushes.

/// What the telemetry `gait_phase` says while one foot carries (`walking::Phase::SingleSupport`) …
const ONE_FOOT: f64 = 2.0;
/// … and while both carry and nothing is to be done (`walking::Phase::Standing`).
const STANDING: f64 = 0.0;
/// A stride is steady if its duration and its length differ from those of the one before by no more than this share …
const STEADY: f64 = 0.05;
/// … of them, and so much more in length [m].
const STEADY_LENGTH: f64 = 0.01;

/// A cycle of a robot with a gait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The control cycle.
    pub cycle: u64,
    /// Its telemetry `gait_phase`.
    pub phase: f64,
    /// The loads on its feet [N], as its cells tell; 0 where there are none.
    pub loads: [f64; 2],
    /// Where its base is [m].
    pub place: [f64; 2],
}

/// A step: one foot carries alone, then both do, until the other one carries alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The foot that carries, by its index in the robot's file.
    pub foot: usize,
    /// The cycle from which it carries alone.
    pub begin: u64,
    /// The cycle from which both carry.
    pub landing: u64,
    /// The cycle from which the other one carries alone.
    pub end: u64,
    /// Where the base is at the beginning [m].
    pub place: [f64; 2],
    /// Where it is at the end [m].
    pub place_then: [f64; 2],
}

impl Step {
    /// The cycle at a share of the step.
    pub fn at(&self, number: usize, of: usize) -> u64 {
        let (length, number, of) = (self.end - self.begin, number as u64, (of as u64).max(1));
        self.begin + (length * number + of / 2) / of
    }
}

/// A step under way.
#[derive(Clone, Copy, Debug)]
struct Begun {
    begin: u64,
    landing: Option<u64>,
    loads: [f64; 2],
    place: [f64; 2],
}

/// Gathers steps until a steady stride has been seen.
#[derive(Clone, Debug, Default)]
pub struct Stride {
    /// The steps since the robot last stood.
    steps: Vec<Step>,
    begun: Option<Begun>,
    /// The step of the first foot after the two strides that differed least so far, and by which share.
    best: Option<(f64, Step)>,
}

impl Stride {
    /// Takes note of a cycle; returns the step that was looked for once there is one: the first foot carries, after two strides that are alike.
    pub fn observe(&mut self, sample: &Sample) -> Option<Step> {
        let is_alone = sample.phase == ONE_FOOT;
        if sample.phase == STANDING {
            (self.begun, self.steps) = (None, Vec::new());
        }
        let begins = is_alone && self.begun.is_none_or(|begun| begun.landing.is_some());
        if begins {
            self.close(sample);
            self.begun = Some(Begun { begin: sample.cycle, landing: None, loads: [0.0; 2], place: sample.place });
        }
        if let Some(begun) = &mut self.begun {
            if is_alone {
                begun.loads = [0, 1].map(|foot| begun.loads[foot] + sample.loads[foot]);
            } else {
                begun.landing = begun.landing.or(Some(sample.cycle));
            }
        }
        self.best.filter(|(change, _)| begins && *change <= 1.0).map(|(_, step)| step)
    }

    /// The step after the strides that were most alike, if none was steady.
    pub fn most_alike(&self) -> Option<Step> {
        self.best.map(|(_, step)| step)
    }

    /// The step under way has ended.
    fn close(&mut self, sample: &Sample) {
        let Some(Begun { begin, landing: Some(landing), loads, place }) = self.begun.take() else { return };
        // where no cell tells, feet take turns
        let foot = match loads {
            [left, right] if left == right => self.steps.last().map_or(0, |step| 1 - step.foot),
            [left, right] => usize::from(right > left),
        };
        self.steps.push(Step { foot, begin, landing, end: sample.cycle, place, place_then: sample.place });
        if let [.., a, b, c, d, step] = self.steps.as_slice()
            && step.foot == 0
        {
            let change = change([a, b], [c, d]);
            if self.best.is_none_or(|(best, _)| change < best) {
                self.best = Some((change, *step));
            }
        }
    }
}

/// By how much two strides differ, as a share of what is steady.
fn change([first, second]: [&Step; 2], [third, fourth]: [&Step; 2]) -> f64 {
    let duration = |from: &Step, to: &Step| (to.end - from.begin) as f64;
    let length = |from: &Step, to: &Step| {
        let [x, y] = [0, 1].map(|axis| to.place_then[axis] - from.place[axis]);
        libm::hypot(x, y)
    };
    let (before, after) = (duration(first, second), duration(third, fourth));
    let (way_before, way_after) = (length(first, second), length(third, fourth));
    let of_time = (after - before).abs() / (STEADY * before);
    of_time.max((way_after - way_before).abs() / (STEADY * way_before + STEADY_LENGTH))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A walk that begins after 100 cycles of standing and whose strides grow until they are `full` [m] long, at a share of what is missing a step.
    fn walk(steps: usize, alone: u64, both: u64, full: f64) -> Vec<Sample> {
        let mut samples: Vec<Sample> =
            (0..100).map(|cycle| Sample { cycle, phase: 0.0, loads: [450.0; 2], place: [0.0; 2] }).collect();
        let (mut x, mut length) = (0.0, 0.0);
        for step in 0..steps {
            length += 0.5 * (0.5 * full - length);
            for within in 0..alone + both {
                x += length / (alone + both) as f64;
                let is_alone = within < alone;
                let right = step % 2 == 0; // the right foot carries first
                let loads = if is_alone {
                    [if right { 0.0 } else { 900.0 }, if right { 900.0 } else { 0.0 }]
                } else {
                    [450.0; 2]
                };
                let phase = if is_alone { ONE_FOOT } else { 3.0 };
                samples.push(Sample { cycle: samples.len() as u64, phase, loads, place: [x, 0.0] });
            }
        }
        samples
    }

    fn find(samples: &[Sample]) -> (Option<Step>, Stride) {
        let mut stride = Stride::default();
        let found = samples.iter().find_map(|sample| stride.observe(sample));
        (found, stride)
    }

    proptest! {
        #[test]
        fn the_first_foot_carries_in_the_step_that_is_found_and_strides_before_it_are_alike(alone in 10_u64..60, both in 3_u64..30, full in 0.0..1.0_f64) {
            let (found, _) = find(&walk(16, alone, both, full));
            let step = found.unwrap();
            prop_assert_eq!(step.foot, 0);
            prop_assert_eq!((step.landing - step.begin, step.end - step.landing), (alone, both));
            prop_assert_eq!((step.begin - 100) % (2 * (alone + both)), alone + both);
            // by then a stride grows by no more than what is steady
            prop_assert!(step.place_then[0] - step.place[0] >= 0.5 * full * 0.9, "{:?}", step);
        }

        #[test]
        fn phases_divide_a_step_evenly(begin in 0_u64..1000, length in 8_u64..1000, of in 1_usize..9) {
            let step = Step { foot: 0, begin, landing: begin + 1, end: begin + length, place: [0.0; 2], place_then: [0.0; 2] };
            prop_assert_eq!((step.at(0, of), step.at(of, of)), (begin, begin + length));
            for number in 0..of {
                let exact = (number as f64) * (length as f64) / (of as f64);
                prop_assert!(((step.at(number, of) - begin) as f64 - exact).abs() <= 0.5);
            }
        }
    }

    #[test]
    fn a_walk_of_too_few_steps_has_none_that_is_steady() {
        let (found, stride) = find(&walk(5, 40, 10, 0.4));
        assert!(found.is_none() && stride.most_alike().is_none());
        let (found, stride) = find(&walk(7, 40, 10, 4.0));
        assert!(found.is_none() && stride.most_alike().is_some(), "{stride:?}");
    }

    #[test]
    fn whoever_stands_meanwhile_begins_anew() {
        let mut samples = walk(5, 40, 10, 0.0);
        let mut more = walk(4, 40, 10, 0.0);
        let after = samples.len() as u64;
        more.iter_mut().for_each(|sample| sample.cycle += after);
        samples.append(&mut more);
        assert_eq!(find(&samples).0, None);
    }
}
