//! The moments at which a robot is pushed, found in a run in which nobody does.

use robot_io::{Pose2, Time};

use super::fall::Watch;
use super::probe::{begin, go_to};
use super::stop::Stop;
use super::stride::{Sample, Step, Stride};
use crate::session::{Session, Snapshot};
use crate::{Case, Stage, interrupt};

/// A run in which nobody pushes is looked at for so long at most [s].
const LOOK: f64 = 30.0;
/// Slower than this on the whole way a robot stands [m/s].
const STANDS: f64 = 0.05;
/// A robot without a gait is pushed in the middle of the longest time in which it goes at this share of its top speed.
const FAST: f64 = 0.8;
/// A robot that stands is pushed then [s].
const SETTLED: f64 = 3.0;

/// What a row of a map of pushes shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Occasion {
    /// A phase of a step, by its number.
    Phase(usize),
    /// On wheels, under way.
    Driving,
    /// Standing.
    Standing,
}

/// A moment to push, and all that is needed to begin there.
#[derive(Debug)]
pub struct Moment {
    /// What the robot does.
    pub occasion: Occasion,
    /// The run that leads there.
    pub stage: Stage,
    /// The cycle in which the push begins …
    pub cycle: u64,
    /// … and its time.
    pub time: Time,
    /// Where the robot looks then, in the world [rad].
    pub yaw: f64,
    /// The state just before, if runs can begin there.
    pub snapshot: Option<Snapshot>,
}

/// Where a robot is pushed in a run of one seed.
#[derive(Debug, Default)]
pub struct Course {
    /// The moments.
    pub moments: Vec<Moment>,
    /// The occasions that there would be if it had not fallen before, and what happened.
    pub lost: Vec<(Occasion, String)>,
    /// What was found, in a sentence.
    pub about: String,
    /// Of a robot that walks: the foot that carries alone first, and from which share of the step on both do.
    pub carries: Option<(String, f64)>,
}

/// What a robot does in a run in which nobody pushes.
enum Going {
    Walks { step: Step, is_steady: bool },
    Drives { cycle: u64, speed: f64 },
    Stands,
    Falls { walks: bool, what: String },
}

/// Finds the moments of a stage with that many phases of a step; with `from_start` nothing is saved to begin from.
pub fn course(stage: &Stage, phases: usize, from_start: bool) -> Result<Course, Stop> {
    let stage = without_pushes(stage);
    let mut course = Course::default();
    let moves = !stage.case.mission.steps.is_empty()
        || !stage.case.controller.is_mission()
        || stage.case.behaviour.is_some()
        || !stage.case.operator.is_empty();
    let standing = if moves { standing(&stage) } else { stage.clone() };
    let period = stage.layout().period.seconds();
    if moves {
        let of_phases = |step: Step| (0..phases).map(move |number| (Occasion::Phase(number), step.at(number, phases)));
        let places: Vec<(Occasion, u64)> = match going(&stage)? {
            Going::Walks { step, is_steady } => {
                let foot = stage.robot.description.feet.get(step.foot);
                let foot = foot.map_or_else(|| "the first foot".to_owned(), |foot| foot.name.clone());
                course.about = about(&step, is_steady, &foot, period);
                course.carries = Some((foot, landing(&step)));
                of_phases(step).collect()
            }
            Going::Drives { cycle, speed } => {
                course.about = format!("Under way it does {speed:.2} m/s.");
                vec![(Occasion::Driving, cycle)]
            }
            Going::Stands => Vec::new(),
            Going::Falls { walks, what } => {
                let occasions = (0..phases).map(Occasion::Phase).filter(|_| walks);
                let occasions = occasions.chain((!walks).then_some(Occasion::Driving));
                course.lost = occasions.map(|occasion| (occasion, what.clone())).collect();
                Vec::new()
            }
        };
        course.moments = moments(&stage, &places, from_start)?;
    }
    let settled = (SETTLED / period).round() as u64;
    course.moments.extend(moments(&standing, &[(Occasion::Standing, settled)], from_start)?);
    Ok(course)
}

/// The stage with nothing that pushes, asks or follows.
fn without_pushes(stage: &Stage) -> Stage {
    let case = Case { pushes: Vec::new(), checks: Vec::new(), metrics: Vec::new(), twin: None, ..stage.case.clone() };
    Stage { case, ..stage.clone() }
}

/// The stage with nobody who wants the robot to go anywhere.
fn standing(stage: &Stage) -> Stage {
    let mut case = stage.case.clone();
    case.mission.steps.clear();
    (case.behaviour, case.hands, case.operator) = (None, None, Vec::new());
    Stage { case, charts: Vec::new(), objects: Vec::new(), ..stage.clone() }
}

/// Runs it until a steady stride was seen, or to the end of what is looked at.
fn going(stage: &Stage) -> Result<Going, Stop> {
    let mut session = begin(stage, None)?;
    let period = session.layout().period.seconds();
    let end = Time::from_seconds(stage.case.duration.seconds().min(LOOK));
    let (mut stride, mut speeds, mut watch, mut walks) = (Stride::default(), Vec::new(), None, false);
    while session.readings().time < end && !session.status().is_done() {
        if interrupt::requested() {
            return Err(Stop::Interrupted);
        }
        session.cycle()?;
        let watch = *watch.get_or_insert_with(|| Watch::begin(&session, &stage.world, "after the run began"));
        if let Some(fate) = watch.fate(&session, &stage.world) {
            return Ok(Going::Falls { walks, what: format!("without a push {fate}") });
        }
        speeds.push(session.observation().truth.base_velocity_in_world.xy().norm());
        let Some(sample) = sample(&session, stage) else { continue };
        walks |= sample.phase != 0.0;
        if let Some(step) = stride.observe(&sample) {
            return Ok(Going::Walks { step, is_steady: true });
        }
    }
    if let Some(step) = stride.most_alike() {
        return Ok(Going::Walks { step, is_steady: false });
    }
    // a mean over a second, so that no jerk looks like a drive
    let window = ((1.0 / period) as usize).clamp(1, speeds.len().max(1));
    let means: Vec<f64> = speeds.windows(window).map(|part| part.iter().sum::<f64>() / window as f64).collect();
    let top = means.iter().copied().fold(0.0, f64::max);
    if top < STANDS {
        return Ok(Going::Stands);
    }
    let (begin, length) = longest(&means, FAST * top);
    Ok(Going::Drives { cycle: (begin + (length + window) / 2) as u64, speed: top })
}

/// Where the longest time begins in which no value is below `least`, and how long it is.
fn longest(values: &[f64], least: f64) -> (usize, usize) {
    let (mut best, mut begin) = ((0, 0), 0);
    for (at, value) in values.iter().enumerate() {
        if *value < least {
            begin = at + 1;
        } else if at + 1 - begin > best.1 {
            best = (begin, at + 1 - begin);
        }
    }
    best
}

/// The cycle as a robot with a gait tells it; nothing of one without.
fn sample(session: &Session, stage: &Stage) -> Option<Sample> {
    let scalars = &session.telemetry().scalars;
    let (_, phase) = scalars.iter().find(|(name, _)| *name == "gait_phase")?;
    let readings = session.readings();
    let load = |foot: usize| {
        let cell = stage.robot.description.feet.get(foot).and_then(|foot| foot.force_torque);
        cell.and_then(|cell| readings.force_torques.get(cell)).map_or(0.0, |cell| cell.force.norm())
    };
    let place = session.observation().truth.base_in_world.translation.vector;
    Some(Sample { cycle: readings.cycle, phase: *phase, loads: [0, 1].map(load), place: [place.x, place.y] })
}

/// From which share of a step on both feet carry.
fn landing(step: &Step) -> f64 {
    (step.landing - step.begin) as f64 / (step.end - step.begin) as f64
}

/// The step that was found, in a sentence.
fn about(step: &Step, is_steady: bool, foot: &str, period: f64) -> String {
    let seconds = (step.end - step.begin) as f64 * period;
    let [x, y] = [0, 1].map(|axis| step.place_then[axis] - step.place[axis]);
    let kind = if is_steady { "steady" } else { "not yet steady" };
    let (speed, both) = (libm::hypot(x, y) / seconds, 100.0 * landing(step));
    let begin = step.begin as f64 * period;
    format!(
        "In a {kind} step of {seconds:.2} s, at {speed:.2} m/s, {foot} carries alone from phase 0 on, and both feet from {both:.0} % of it on; \
         it begins at {begin:.3} s."
    )
}

/// Goes to each of the cycles, which follow each other, and keeps what is needed to begin there.
fn moments(stage: &Stage, places: &[(Occasion, u64)], from_start: bool) -> Result<Vec<Moment>, Stop> {
    let mut session = begin(stage, None)?;
    let can_begin = session.can_restore() && !from_start;
    let mut moments = Vec::new();
    for (occasion, cycle) in places {
        go_to(&mut session, *cycle)?;
        moments.push(Moment {
            occasion: *occasion,
            cycle: *cycle,
            time: Time::from_nanoseconds(cycle * session.layout().period.nanoseconds()),
            yaw: Pose2::from(&session.observation().truth.base_in_world).yaw,
            snapshot: can_begin.then(|| session.snapshot()),
            stage: stage.clone(),
        });
    }
    Ok(moments)
}

#[cfg(test)]
mod tests {
    use super::longest;

    #[test]
    fn the_longest_time_that_is_fast_enough_is_found() {
        assert_eq!(longest(&[0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.2], 0.8), (4, 3));
        assert_eq!(longest(&[], 0.8), (0, 0));
    }
}
