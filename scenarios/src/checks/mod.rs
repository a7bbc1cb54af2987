//! What must hold in a run, and whether it did.

mod contact;
mod link;
mod object;
mod own;
mod plan;
mod signal;

pub(crate) use link::{KIND as LINK, LinkCheck};
pub use object::{ObjectMetric, ObjectSignal};
pub(crate) use own::Own;
pub use own::{CheckAnswer, CheckRefusal, CheckSetup, OwnCheck};
pub use plan::{CheckPlan, KINDS, MissionEnd, Within};
pub use signal::{Metric, Observation, Reducer, Signal, TruthSource, pose_of};

use robot_io::{Event, IoError, Pose2, RobotLayout, Subject, Time};
use serde::{Deserialize, Serialize};

/// The answer to one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// What was asked, for people.
    pub name: String,
    /// The number seen; `null` where nothing was seen.
    pub value: Option<f64>,
    /// The number allowed.
    pub limit: Option<f64>,
    /// The unit of both.
    pub unit: &'static str,
    /// Whether it held.
    pub passed: bool,
    /// By whose measure, where that is not the simulation behind the plug; `not measured` where nobody knows.
    pub remark: &'static str,
}

/// How the mission stands at the end of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissionState {
    /// Under way, or there is none.
    Running,
    /// All steps done.
    Done,
    /// Given up or stopped, and why.
    Stopped(String),
    /// Stopped because a goal is out of reach, and how near one can come.
    OutOfReach(String),
}

/// A tally as a log keeps it beside a saved state, so that a fork goes on from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedTally {
    pub(crate) checks: Vec<CheckProgress>,
    pub(crate) metrics: Vec<f64>,
    pub(crate) ended: Option<Time>,
    pub(crate) lost: Option<Time>,
}

/// One check while the run goes on.
#[derive(Debug)]
pub struct Check {
    plan: CheckPlan,
    progress: CheckProgress,
    /// Index of the object that it is about.
    object: usize,
    /// Indices of the links that it is about.
    links: Vec<usize>,
    /// The robot that it is about: its number, and before what is asked its name.
    robot: (usize, String),
    /// Whoever answers a check that is not ours.
    own: Option<Own>,
}

/// What a check has seen so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CheckProgress {
    /// The metric so far.
    Reduced(f64),
    /// Each link's force as the filter shows it [N], and the largest so far.
    Felt(Vec<f64>, f64),
    /// The smallest distance so far, and when it first held.
    Nearest(f64, Option<Time>),
    /// When it was first seen.
    Seen(Option<Time>),
    /// Missed deadlines.
    Counted(u64),
    /// What a check of somebody else's remembers.
    Own(Vec<u8>),
}

impl Check {
    /// A check that has seen nothing yet.
    pub fn new(plan: CheckPlan) -> Check {
        let progress = match &plan {
            CheckPlan::Metric { .. } | CheckPlan::Object { .. } => CheckProgress::Reduced(f64::NAN),
            CheckPlan::Contact { .. } => CheckProgress::Felt(Vec::new(), f64::NAN),
            CheckPlan::Reached { .. } => CheckProgress::Nearest(f64::INFINITY, None),
            CheckPlan::Mission { .. } | CheckPlan::Event { .. } | CheckPlan::Refused { .. } => {
                CheckProgress::Seen(None)
            }
            CheckPlan::TaskDeadlines => CheckProgress::Counted(0),
            CheckPlan::Own { .. } => CheckProgress::Own(Vec::new()),
            CheckPlan::Of { robot, plan } => {
                let of = format!("{robot}: ");
                return Check { robot: (0, of), ..Check::new((**plan).clone()) };
            }
        };
        Check { plan, progress, object: 0, links: Vec::new(), robot: (0, String::new()), own: None }
    }

    /// The same about the object with this index.
    pub(crate) fn about(self, object: usize) -> Check {
        Check { object, ..self }
    }

    /// The same about links with these indices.
    pub(crate) fn about_links(self, links: Vec<usize>) -> Check {
        Check { links, ..self }
    }

    /// The same about the robot with this number.
    pub(crate) fn about_robot(mut self, number: usize) -> Check {
        self.robot.0 = number;
        self
    }

    /// The number of the robot that it is about.
    pub(crate) fn robot(&self) -> usize {
        self.robot.0
    }

    /// The same with somebody who answers it.
    pub(crate) fn answered_by(self, own: Option<Own>) -> Check {
        Check { own, ..self }
    }

    /// What it asks.
    pub fn plan(&self) -> &CheckPlan {
        &self.plan
    }

    /// What it has seen so far.
    pub fn progress(&mut self) -> CheckProgress {
        self.own.as_mut().map_or_else(|| self.progress.clone(), |own| CheckProgress::Own(own.save()))
    }

    /// Goes on from what it had seen.
    pub fn resume(&mut self, progress: &CheckProgress) -> Result<(), IoError> {
        if let (Some(own), CheckProgress::Own(saved)) = (&mut self.own, progress) {
            own.restore(saved)?;
        }
        self.progress = progress.clone();
        Ok(())
    }

    /// Takes note of one cycle.
    pub fn observe(&mut self, seen: &Observation<'_>, mission: &MissionState) {
        let now = seen.readings.time;
        if let Some(own) = &mut self.own {
            own.0.observe(seen);
        }
        match (&self.plan, &mut self.progress) {
            (CheckPlan::Metric { metric, within, region }, CheckProgress::Reduced(so_far))
                if within.looks_at(now) && region.is_none_or(|region| is_within(&region, seen.truth)) =>
            {
                *so_far = metric.reducer.fold(*so_far, metric.signal.value(seen));
            }
            (CheckPlan::Object { metric, within, .. }, CheckProgress::Reduced(so_far)) => {
                let (now_there, began) = (seen.truth.objects.get(self.object), seen.start.objects.get(self.object));
                if let (Some(now_there), Some(began)) = (now_there, began)
                    && within.looks_at(now)
                {
                    *so_far = metric.reducer.fold(*so_far, metric.signal.value(now_there, began));
                }
            }
            (CheckPlan::Contact { within, .. }, CheckProgress::Felt(filtered, hardest)) => {
                let force = contact::feel(filtered, &self.links, seen);
                if within.looks_at(now) {
                    *hardest = Reducer::Max.fold(*hardest, force);
                }
            }
            (CheckPlan::Reached { pose, within, heading_within, .. }, CheckProgress::Nearest(nearest, first)) => {
                let (distance, heading) = distance_to(pose, seen.truth);
                *nearest = nearest.min(distance);
                let there = distance <= *within && heading_within.is_none_or(|limit| heading <= limit);
                *first = first.or(there.then_some(now));
            }
            (CheckPlan::Mission { end, .. }, CheckProgress::Seen(first)) => {
                let is_end = matches!(
                    (end, mission),
                    (MissionEnd::Done, MissionState::Done)
                        | (MissionEnd::Stopped, MissionState::Stopped(_) | MissionState::OutOfReach(_))
                        | (MissionEnd::OutOfReach, MissionState::OutOfReach(_))
                );
                *first = first.or(is_end.then_some(now));
            }
            _ => {}
        }
    }

    /// Takes note of an event.
    pub fn observe_event(&mut self, event: &Event, layout: &RobotLayout) {
        if let Some(own) = &mut self.own {
            own.0.observe_event(event, layout);
        }
        let CheckPlan::Event { contains, joint, after, .. } = &self.plan else { return };
        let CheckProgress::Seen(first) = &mut self.progress else { return };
        let about = match event.subject {
            Subject::Joint(index) => layout.joints.get(index).map(|joint| joint.name.as_str()),
            _ => None,
        };
        let joint_fits = joint.as_deref().is_none_or(|name| about == Some(name));
        let text_fits = event.what.contains(contains.as_str()) || event.source == contains.as_str();
        if joint_fits && text_fits && event.time >= *after {
            *first = first.or(Some(event.time));
        }
    }

    /// Takes note of a deadline task that took longer than it was given.
    pub fn observe_missed_deadline(&mut self) {
        if let CheckProgress::Counted(missed) = &mut self.progress {
            *missed += 1;
        }
    }

    /// The answer, given who knew the truth. What nobody knew was not measured, and that is no pass.
    pub fn verdict(&self, truth_from: TruthSource) -> Verdict {
        let verdict = self.own.as_ref().map_or_else(|| self.bare_verdict(), Own::verdict);
        let needs_truth = self.plan.needs_truth() || self.own.as_ref().is_some_and(|own| own.0.needs_truth());
        match truth_from {
            TruthSource::Twin if needs_truth => Verdict { remark: "by the twin", ..verdict },
            TruthSource::Nobody if needs_truth => {
                Verdict { remark: "not measured", value: None, passed: false, ..verdict }
            }
            _ => verdict,
        }
    }

    fn bare_verdict(&self) -> Verdict {
        let (value, limit, unit, passed) = match (&self.plan, &self.progress) {
            (CheckPlan::Metric { within, .. } | CheckPlan::Object { within, .. }, CheckProgress::Reduced(value)) => {
                (Some(*value), within.below.or(within.above), within.unit, within.holds(*value))
            }
            (CheckPlan::Contact { within, .. }, CheckProgress::Felt(_, hardest)) => {
                (Some(*hardest), within.below.or(within.above), within.unit, within.holds(*hardest))
            }
            (CheckPlan::Reached { within, before, .. }, CheckProgress::Nearest(nearest, first)) => {
                let in_time = first.is_some_and(|time| before.is_none_or(|end| time <= end));
                (Some(*nearest), Some(*within), "m", in_time)
            }
            (CheckPlan::Mission { before, .. } | CheckPlan::Event { before, .. }, CheckProgress::Seen(first)) => {
                let in_time = first.is_some_and(|time| before.is_none_or(|end| time <= end));
                (first.map(Time::seconds), before.map(Time::seconds), "s", in_time)
            }
            (_, CheckProgress::Counted(missed)) => (Some(*missed as f64), Some(0.0), "1", *missed == 0),
            _ => (None, None, "", false),
        };
        let value = value.filter(|value| value.is_finite());
        Verdict { name: self.robot.1.clone() + &self.plan.to_string(), value, limit, unit, passed, remark: "" }
    }
}

fn is_within([x_from, y_from, x_to, y_to]: &[f64; 4], truth: &plant::Truth) -> bool {
    let place = truth.base_in_world.translation;
    (*x_from..=*x_to).contains(&place.x) && (*y_from..=*y_to).contains(&place.y)
}

/// Horizontal distance [m] and heading difference [rad] between the true base and a pose.
fn distance_to(pose: &Pose2, truth: &plant::Truth) -> (f64, f64) {
    let here = pose_of(truth);
    (here.distance(pose), robot_io::math::wrap_angle(here.yaw - pose.yaw).abs())
}
