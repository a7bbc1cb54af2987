//! Mapping from others' recordings: clouds without the robot that made them.

use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

use clouds::{Cloud, CloudLog, Wanted};
use navigation::MapSettings;
use robot_io::{Pose2, Time};
use slam::{Mapper, MapperSetup, Prediction, SlamSettings};

use super::guess::{Guess, Seen};
use super::truth::Truth;
use super::{Ground, Mapped, Method, Run};
use crate::ScenarioError;
use crate::progress::Progress;

/// The range of the scanner for which settings are made [m].
const USUAL_RANGE: f64 = 30.0;
/// Beyond this a scanner's echoes are too far apart to tell surfaces [m].
const MOST_RANGE: f64 = 100.0;
/// A scanner in a cupboard is set up like one that sees this far [m].
const LEAST_RANGE: f64 = 10.0;
/// How fast a scanner's velocity changes, where nothing tells [m/s²], [rad/s²].
const ACCELERATION: f64 = 4.0;

/// What is wanted of somebody else's recording.
#[derive(Clone, Debug)]
pub struct Others<'a> {
    /// The file or folder.
    pub log: &'a Path,
    /// The topic with the point clouds.
    pub topic: Option<String>,
    /// The topic with odometry.
    pub odometry_topic: Option<String>,
    /// The frame whose motion is wanted.
    pub frame: Option<String>,
    /// Nearer points are left out [m].
    pub min_range: f64,
    /// Farther points are left out [m]; by the first cloud if nobody says.
    pub max_range: Option<f64>,
    /// The file with true poses.
    pub truth: Option<&'a Path>,
}

/// A recording, and what was found out about it.
pub struct Recorded {
    log: CloudLog,
    range: Range<f64>,
    truth: Truth,
    /// What methods are told.
    pub ground: Ground,
}

impl Recorded {
    /// Opens a recording and prints what is taken from it.
    pub fn open(args: &Others<'_>, methods: &[Method]) -> Result<Recorded, ScenarioError> {
        let wanted = Wanted {
            topic: args.topic.clone(),
            odometry_topic: args.odometry_topic.clone(),
            needs_odometry: methods.contains(&Method::Odometry),
            frame: args.frame.clone(),
        };
        let log = CloudLog::open(args.log, &wanted)?;
        log.remarks().iter().for_each(|remark| println!("{remark}"));
        let farthest = match args.max_range {
            Some(range) => range,
            None => reach(&log)?,
        };
        let range = args.min_range..farthest;
        println!(
            "range: {:.1} m to {:.1} m{}",
            range.start,
            range.end,
            if args.max_range.is_some() { "" } else { ", by the first cloud" }
        );
        if range.is_empty() {
            return Err(ScenarioError::Usage(format!("expected --min-range below --max-range, found {range:?} m")));
        }
        let guess = if log.odometry().is_empty() { "constant velocity" } else { "odometry" };
        println!("first guess of each motion: {guess}");
        let truth = match args.truth.or(log.truth_file()) {
            Some(file) => Truth::read(file)?,
            None => Truth::none(),
        };
        truth.remarks().iter().for_each(|remark| println!("{remark}"));
        let slam = settings(&range, log.period(), log.odometry().is_empty());
        let name = args.log.file_name().map_or_else(|| "clouds".to_owned(), |name| name.to_string_lossy().into_owned());
        let mapper = Mapper::new(MapperSetup { settings: slam.mapper.clone(), ..MapperSetup::default() });
        let ground = Ground {
            slam,
            mapper,
            start: Pose2::default(),
            log: args.log.to_owned(),
            name,
            map: MapSettings::default(),
            voxel: Some((range.end / 300.0) as f32),
        };
        let log = Recorded { log, range, truth, ground };
        log.expect_overlap()?;
        Ok(log)
    }

    /// Feeds all clouds to `methods`, one after the other for each cloud.
    pub fn map(&mut self, methods: &[Method], progress: &mut Progress) -> Result<Vec<Mapped>, ScenarioError> {
        let odometry = Arc::new(self.log.odometry().to_vec());
        let mut runs = Vec::new();
        for method in methods {
            let unusable = |error| Method::unusable(&self.ground.log, &error);
            let guess = match odometry.is_empty() {
                true => Guess::steady(self.ground.slam.kiss).map_err(unusable)?,
                false => Guess::Odometry(Arc::clone(&odometry)),
            };
            runs.push((guess, Run::begin(*method, &self.ground)?));
        }
        let (begin, clock, range) = (self.begin(), self.log.clock().cloned(), self.range.clone());
        let truth = &mut self.truth;
        let left_out = self.log.clouds(&mut |cloud| {
            let seen = Seen::of(cloud, clock.as_ref(), &range);
            truth.arrive(seen.end);
            for (guess, run) in &mut runs {
                run.process(truth, &mut |process| process(&guess.sweep(&seen)));
                run.mapped.estimates.last().into_iter().for_each(|estimate| guess.learn(estimate));
            }
            progress.show(Time::from_nanoseconds(seen.end.nanoseconds().saturating_sub(begin)), "clouds");
            ControlFlow::Continue(())
        })?;
        if left_out > 0 {
            println!("left out: {left_out} clouds whose stamp is not after that of the one before");
        }
        Ok(runs.into_iter().map(|(_, run)| run.end()).collect())
    }

    /// How long the recording lasts.
    pub fn length(&self) -> Time {
        let (first, last) = self.log.topic().recorded;
        Time::from_nanoseconds(last.saturating_sub(first))
    }

    fn begin(&self) -> u64 {
        self.log.topic().recorded.0
    }

    /// Odometry that was told at other times than the clouds says nothing about them.
    fn expect_overlap(&self) -> Result<(), ScenarioError> {
        let [Some((first, _)), Some((last, _))] = [self.log.odometry().first(), self.log.odometry().last()] else {
            return Ok(());
        };
        let mut stamp = None;
        self.log.clouds(&mut |cloud| {
            stamp = Some(cloud.stamp);
            ControlFlow::Break(())
        })?;
        let slack = 1_000_000_000;
        let is_within = |stamp: Time| {
            first.nanoseconds() <= stamp.nanoseconds().saturating_add(slack)
                && stamp.nanoseconds() <= last.nanoseconds()
        };
        match stamp.filter(|stamp| !is_within(*stamp)) {
            None => Ok(()),
            Some(stamp) => Err(Method::unusable(
                &self.ground.log,
                &format!(
                    "expected odometry at the time of the first cloud, {:.3} s, found it from {:.3} s to {:.3} s",
                    stamp.seconds(),
                    first.seconds(),
                    last.seconds()
                ),
            )),
        }
    }
}

/// How far the scanner sees, by its first cloud [m].
fn reach(log: &CloudLog) -> Result<f64, ScenarioError> {
    let mut ranges = Vec::new();
    log.clouds(&mut |cloud: Cloud| {
        ranges = cloud.points.iter().map(|point| nalgebra::Vector3::from(point.map(f64::from)).norm()).collect();
        if ranges.is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    ranges.sort_by(f64::total_cmp);
    let far = ranges.get(ranges.len() * 98 / 100).copied().unwrap_or(USUAL_RANGE);
    Ok(far.ceil().clamp(LEAST_RANGE, MOST_RANGE))
}

/// Settings for a scanner that sees this far and gives a sweep each `period` [s]: lengths grow with the range.
fn settings(range: &Range<f64>, period: f64, is_alone: bool) -> SlamSettings {
    let mut settings = SlamSettings::default();
    let scale = (range.end / USUAL_RANGE).max(1.0);
    let SlamSettings { kiss, vgicp, mapper, .. } = &mut settings;
    (kiss.min_range, kiss.max_range, kiss.voxel) = (range.start, range.end, range.end / 100.0);
    kiss.least_deviation = range.end / 1000.0;
    (vgicp.min_range, vgicp.max_range) = (range.start, range.end);
    for length in [&mut vgicp.downsampling, &mut vgicp.voxel] {
        *length *= scale;
    }
    let (grid, gate, views) = (&mut mapper.grid, &mut mapper.gate, &mut mapper.views);
    let lengths = [
        &mut grid.finest_cell,
        &mut grid.remembered_distance,
        &mut mapper.registration.near,
        &mut gate.most_distance,
        &mut views.spacing,
        &mut views.loop_radius,
        &mut views.most_distance,
        &mut views.cloud_cell,
        &mut views.cloud_radius,
        &mut mapper.lost.cell,
    ];
    lengths.into_iter().for_each(|length| *length *= scale);
    if is_alone {
        kiss.prediction = Prediction::ConstantVelocity;
        let off = 0.5 * ACCELERATION * period * period;
        mapper.motion.least += off;
        mapper.motion.least_turn += off;
        mapper.gate.slip += 3.0 * off;
        mapper.gate.turn_slip += 3.0 * off;
    }
    settings
}
