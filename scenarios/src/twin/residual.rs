//! How far a joint is from its shadow.

use std::collections::BTreeMap;

use robot_io::{Event, Events, Period, Readings, RobotLayout, Severity, Subject, Time};

use crate::case::TwinPlan;
use crate::residual::{JointResiduals, Residual};

const SOURCE: &str = "twin";
const WHAT: [&str; 3] =
    ["residual of position [rad or m]", "residual of velocity [rad/s or m/s]", "residual of effort [N·m or N]"];

/// Watches all joints.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    thresholds: [Option<f64>; 3],
    patience: Period,
    now: Vec<Residual>,
    joints: Vec<[Tally; 3]>,
    cycles: u64,
}

/// One quantity of one joint.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    largest: f64,
    squares: f64,
    /// Since when it has been above its threshold.
    above: Option<Time>,
    told: bool,
}

impl Watch {
    pub fn new(plan: &TwinPlan, layout: &RobotLayout) -> Watch {
        let joints = layout.joints.len();
        Watch {
            thresholds: [plan.position, plan.velocity, plan.effort],
            patience: plan.patience,
            now: vec![Residual::default(); joints],
            joints: vec![[Tally::default(); 3]; joints],
            cycles: 0,
        }
    }

    pub fn compare(&mut self, robot: &Readings, shadow: &Readings, events: &mut Events) {
        self.cycles += 1;
        for (index, (robot_joint, shadow_joint)) in robot.joints.iter().zip(&shadow.joints).enumerate() {
            let residual = Residual::between(robot_joint, shadow_joint);
            self.now[index] = residual;
            for (quantity, value) in residual.each().into_iter().enumerate() {
                let tally = &mut self.joints[index][quantity];
                tally.count(value);
                if let Some(limit) = self.thresholds[quantity]
                    && tally.is_news(value, limit, robot.time, self.patience)
                {
                    let event = Event::note(robot.time, Severity::Warning, SOURCE, WHAT[quantity]);
                    events.push(event.about(Subject::Joint(index)).with(value, limit));
                }
            }
        }
    }

    pub fn residuals(&self) -> &[Residual] {
        &self.now
    }

    pub fn summary(&self, layout: &RobotLayout) -> BTreeMap<String, JointResiduals> {
        let rms = |tally: &Tally| (tally.squares / self.cycles.max(1) as f64).sqrt();
        let joint = |[position, velocity, effort]: &[Tally; 3]| JointResiduals {
            position_max: position.largest,
            position_rms: rms(position),
            velocity_max: velocity.largest,
            velocity_rms: rms(velocity),
            effort_max: effort.largest,
            effort_rms: rms(effort),
        };
        layout.joints.iter().map(|joint| joint.name.clone()).zip(self.joints.iter().map(joint)).collect()
    }
}

impl Tally {
    fn count(&mut self, value: f64) {
        self.largest = self.largest.max(value.abs());
        self.squares += value * value;
    }

    /// True once when the value has been above the limit for long enough; it must come below before it is news again.
    fn is_news(&mut self, value: f64, limit: f64, now: Time, patience: Period) -> bool {
        let within = value.abs() <= limit;
        if within {
            (self.above, self.told) = (None, false);
            return false;
        }
        let since = *self.above.get_or_insert(now);
        let news = !self.told && now.since(since) >= patience;
        self.told |= news;
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Period::from_milliseconds(milliseconds)
    }

    fn readings(time: Time, layout: &RobotLayout, knee: f64) -> Readings {
        let mut readings = Readings::new(layout);
        readings.time = time;
        readings.joints[1].position = knee;
        readings
    }

    #[test]
    fn a_residual_is_told_once_it_has_lasted_and_again_only_after_it_was_gone() {
        let layout = RobotLayout::example();
        let plan = TwinPlan { position: Some(0.1), patience: Period::from_milliseconds(3), ..TwinPlan::default() };
        let mut watch = Watch::new(&plan, &layout);
        let mut events = Events::new();
        let off = |ms: u64| if (5..20).contains(&ms) || ms >= 30 { 0.3 } else { 0.0 };
        for cycle in 0..40 {
            let (robot, shadow) = (readings(ms(cycle), &layout, off(cycle)), readings(ms(cycle), &layout, 0.0));
            watch.compare(&robot, &shadow, &mut events);
        }
        let times: Vec<Time> = events.iter().map(|event| event.time).collect();
        assert_eq!(times, [ms(8), ms(33)]);
        assert_eq!((events[0].subject, events[0].value, events[0].limit), (Subject::Joint(1), 0.3, 0.1));
    }

    #[test]
    fn the_summary_has_the_largest_and_the_root_mean_square() {
        let layout = RobotLayout::example();
        let mut watch = Watch::new(&TwinPlan::default(), &layout);
        for (cycle, knee) in [0.0, -0.4, 0.3, 0.0].into_iter().enumerate() {
            let time = ms(cycle as u64);
            let (robot, shadow) = (readings(time, &layout, knee), readings(time, &layout, 0.0));
            watch.compare(&robot, &shadow, &mut Events::new());
        }
        let summary = watch.summary(&layout);
        assert_eq!((summary["knee"].position_max, summary["knee"].position_rms), (0.4, 0.25));
        assert_eq!(summary["hip"], JointResiduals::default());
    }
}
