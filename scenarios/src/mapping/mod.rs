//! Mapping from a log: the skills that run in the robot, fed with what was recorded, by our robot or by somebody else's.

mod guess;
mod heights;
mod methods;
mod others;
mod ply;
mod sweeps;
mod truth;
mod tum;

pub use heights::{HeightPicture, to_picture};
pub use methods::Method;
pub use others::{Others, Recorded};
pub use ply::to_ply;
pub use sweeps::LoggedSweeps;
pub use truth::Truth;
pub use tum::to_tum;

use std::path::PathBuf;
use std::time::Duration;

use nalgebra::Isometry3;
use navigation::MapSettings;
use robot_io::{MapViews, Pose2};
use slam::{Mapper, SlamSettings, Sweep, SweepEstimate, Verdict};

use crate::ScenarioError;
use crate::computing_time::computing_time;
use crate::evaluation::{Evaluation, PoseError};
use crate::progress::Progress;
use crate::recording::Recording;

/// What methods are told before they begin.
#[derive(Debug)]
pub struct Ground {
    /// Their numbers.
    pub slam: SlamSettings,
    /// The robot's own method at the beginning.
    pub mapper: Mapper,
    /// Where in the world it starts.
    pub start: Pose2,
    /// The log.
    pub log: PathBuf,
    /// What the map is of.
    pub name: String,
    /// How heights are taken from the map.
    pub map: MapSettings,
    /// Of the points of a method that makes no map of its own, one is kept in each cube of this side in the whole map [m]; without,
    /// one in each small cube of every sweep.
    pub voxel: Option<f32>,
}

impl Ground {
    /// Of a log of our own.
    pub fn of(recording: &Recording) -> Result<Ground, ScenarioError> {
        let stage = &recording.stage;
        Ok(Ground {
            slam: stage.settings.slam.clone(),
            mapper: stage.mapper()?,
            start: stage.told(&stage.layout())?.start,
            log: recording.log.path().to_owned(),
            name: stage.case.name.clone(),
            map: stage.settings.navigation.map,
            voxel: None,
        })
    }
}

/// What one method makes of a log.
#[derive(Debug)]
pub struct Mapped {
    /// Which.
    pub method: Method,
    /// Where it believed the base to be at the end of each sweep, on the map.
    pub estimates: Vec<SweepEstimate>,
    /// The map as it is at the end.
    pub views: MapViews,
    /// Points of each sweep.
    pub points: Vec<usize>,
    /// What it believed against the truth, where the log has it.
    pub evaluation: Evaluation,
    /// Error at the end of each sweep, where the log has the truth.
    pub errors: Vec<PoseError>,
    /// How long a core of this machine computed for it, without reading the log.
    pub took: Duration,
}

impl Mapped {
    /// How many sweeps were left out of the map.
    pub fn left_out(&self) -> usize {
        self.estimates.iter().filter(|estimate| estimate.verdict != Verdict::Accepted).count()
    }

    /// How far the base came by the estimates, from sweep to sweep [m].
    pub fn way(&self) -> f64 {
        let steps = self.estimates.windows(2).map(|pair| {
            let [from, to] = [&pair[0], &pair[1]].map(|estimate| estimate.base_in_map.translation.vector);
            (to - from).norm()
        });
        steps.sum()
    }

    /// The largest attitude error of all sweeps [rad]; not-a-number without truth.
    pub fn largest_angle(&self) -> f64 {
        self.errors.iter().map(|error| error.angle).fold(f64::NAN, f64::max)
    }
}

/// Feeds a log's sweeps to `methods`, one after the other for each sweep.
pub fn map_log(
    recording: &Recording,
    methods: &[Method],
    progress: &mut Progress,
) -> Result<Vec<Mapped>, ScenarioError> {
    let (ground, truth) = (Ground::of(recording)?, Truth::in_map(recording.log.truth()?));
    let mut sweeps = LoggedSweeps::new(recording)?;
    let mut runs = methods.iter().map(|method| Run::begin(*method, &ground)).collect::<Result<Vec<Run>, _>>()?;
    while let Some(sweep) = sweeps.next_sweep()? {
        for run in &mut runs {
            run.process(&truth, &mut |process| process(&sweep));
        }
        progress.show(sweep.end, &format!("{} sweeps", sweep.number));
    }
    Ok(runs.into_iter().map(Run::end).collect())
}

/// Gives a sweep to whom it is handed.
type Feed<'a> = dyn FnMut(&mut dyn FnMut(&Sweep)) + 'a;

/// A method on its way through a log.
struct Run {
    mapping: Box<dyn methods::Mapping>,
    mapped: Mapped,
    /// The frame of the truth on the method's map, where it is not the map's own.
    truth_in_map: Option<Isometry3<f64>>,
}

impl Run {
    fn begin(method: Method, ground: &Ground) -> Result<Run, ScenarioError> {
        Ok(Run { mapping: method.begin(ground)?, mapped: Mapped::new(method), truth_in_map: None })
    }

    /// Takes in a sweep; `feed` gives it to whom it is handed. The computing time of all of that is counted.
    fn process(&mut self, truth: &Truth, feed: &mut Feed<'_>) {
        let Run { mapping, mapped, .. } = self;
        let mut found = None;
        let begin = computing_time();
        feed(&mut |sweep| found = Some((mapping.process(sweep), sweep.points.len())));
        mapped.took += computing_time().saturating_sub(begin);
        let Some((estimate, points)) = found else { return };
        mapped.points.push(points);
        let mut true_pose = truth.at(estimate.stamp);
        if let Some(pose) = true_pose.as_mut().filter(|_| truth.is_elsewhere()) {
            let frame = *self.truth_in_map.get_or_insert_with(|| estimate.base_in_map * pose.inverse());
            *pose = frame * *pose;
        }
        self.mapped.note(estimate, true_pose);
    }

    fn end(self) -> Mapped {
        Mapped { views: self.mapping.views(), ..self.mapped }
    }
}

impl Mapped {
    fn new(method: Method) -> Mapped {
        Mapped {
            method,
            estimates: Vec::new(),
            views: MapViews::default(),
            points: Vec::new(),
            evaluation: Evaluation::default(),
            errors: Vec::new(),
            took: Duration::ZERO,
        }
    }

    fn note(&mut self, estimate: SweepEstimate, truth: Option<Isometry3<f64>>) {
        self.estimates.push(estimate);
        if let Some(truth) = truth {
            self.evaluation.observe(estimate.stamp, &estimate.base_in_map, &truth);
            self.errors.extend(self.evaluation.error());
        }
    }
}
