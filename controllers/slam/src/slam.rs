//! Mapping as a controller holds it: sweeps are assembled cycle by cycle and mapped by a deadline task.

use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};
use robot_io::deadline::{DeadlineTask, TaskBoard};
use robot_io::{
    Commands, Event, HeightMap, Localization, LocalizationState, MapViews, Odometry, Period, Pose2, Readings,
    RobotLayout, Sealed, Settings as _, Severity, State, StateVisitor, Telemetry, Time,
};
use robot_model::{Attached, RobotModel};

use crate::graph::UncertainPose;
use crate::mapped::{Mapped, Pictures};
use crate::mapper::by_odometry;
use crate::{
    Calibration, Glance, Mapper, MapperSetup, Motion, Passing, SlamError, SlamSettings, SweepAssembler, Turn, Verdict,
};

const SOURCE: &str = "slam";
/// Places nearer to each other than this are the same [m, rad].
const SAME_START: f64 = 1e-6;

/// Mapping and localisation.
///
/// Call [`update`](Slam::update) and [`exchange`](Slam::exchange) once per cycle. While one sweep is mapped the next may
/// wait; if a third one comes, the one that waits is dropped.
#[derive(Debug, State)]
#[state(then = "follow_what_is_remembered")]
pub struct Slam {
    #[state(fixed)]
    settings: Arc<SlamSettings>,
    #[state(skip = "what a restart changes of it follows from the localisation")]
    setup: MapperSetup,
    assembler: SweepAssembler,
    task: DeadlineTask<Mapped>,
    /// The sweep that waits for the task.
    waiting: Option<Turn>,
    /// What passes by.
    passing: Vec<Passing>,
    /// True while a result is under way that was asked for before the last reset.
    is_outdated: bool,
    mapper: Mapper,
    calibration: Calibration,
    #[state(with = "visit_last")]
    last: Mapped,
    #[state(output)]
    pictures: Pictures,
    odometry: Odometry,
    localization: Localization,
    started: Time,
    dropped: u64,
    given_up: u64,
    is_stale: bool,
    slide: Slide,
    #[state(output)]
    events: Vec<Event>,
}

/// How far the robot may have slid without its odometry showing it.
#[derive(Clone, Copy, Debug, Default, State)]
struct Slide {
    /// When it last may have.
    stamp: Time,
    /// How far since the last sweep on the map [m].
    distance: f64,
}

impl Slam {
    /// For a robot with a turning laser that is told where in the world it starts; refused if it lacks something.
    pub fn new(
        model: &RobotModel,
        layout: &RobotLayout,
        settings: SlamSettings,
        start_in_map: Pose2,
    ) -> Result<Slam, SlamError> {
        settings.check()?;
        let setup = MapperSetup { settings: settings.mapper.clone(), start: start_in_map, prior: None };
        let latency = Period::from_seconds(settings.latency).cycles_of(layout.period);
        Ok(Slam {
            assembler: SweepAssembler::new(model, layout, settings.assembly)?,
            task: DeadlineTask::new("mapping", latency),
            waiting: None,
            passing: Vec::new(),
            is_outdated: false,
            mapper: Mapper::new(setup.clone()),
            calibration: Calibration::default(),
            last: Mapped::default(),
            pictures: Pictures::default(),
            odometry: Odometry::default(),
            localization: Localization::default(),
            started: Time::ZERO,
            dropped: 0,
            given_up: 0,
            is_stale: false,
            slide: Slide::default(),
            events: Vec::new(),
            settings: Arc::new(settings),
            setup,
        })
    }

    /// The same with a coarse height map of the world, by which the start is put right.
    #[must_use]
    pub fn with_prior(mut self, prior: HeightMap) -> Slam {
        self.setup.prior = Some(prior);
        self.mapper = Mapper::new(self.setup.clone());
        self
    }

    /// Forgets the map: the robot is where it was told that it starts.
    pub fn reset(&mut self, readings: &Readings, odometry: &Odometry) {
        self.assembler.reset();
        self.calibration.forget_place();
        self.waiting = None;
        self.passing.clear();
        self.is_outdated = self.task.is_under_way();
        self.mapper = Mapper::new(self.setup.clone());
        self.last = Mapped::default();
        (self.started, self.is_stale, self.slide) = (readings.time, false, Slide::default());
        self.extrapolate(readings.time, odometry);
    }

    /// Forgets the map while the robot is under way: what is known of its place is where the odometry frame lies on the map, and the
    /// new map begins there.
    pub fn restart(&mut self, readings: &Readings, odometry: &Odometry, odom_in_map: Pose2) {
        self.setup.start = odom_in_map;
        self.reset(readings, odometry);
    }

    /// Takes in a cycle.
    pub fn update(&mut self, readings: &Readings, odometry: &Odometry) {
        if let Some(turn) = self.assembler.update(readings, odometry)
            && self.waiting.replace(turn).is_some()
        {
            self.dropped += 1;
            let what = "sweep dropped, mapping is behind: dropped so far";
            self.tell(readings.time, Severity::Warning, what, self.dropped as f64, f64::NAN);
        }
        if self.assembler.given_up() != self.given_up {
            self.given_up = self.assembler.given_up();
            let limit = self.settings.assembly.longest_turn;
            self.tell(
                readings.time,
                Severity::Warning,
                "the laser's axis does not turn: no sweep for [s]",
                limit,
                limit,
            );
        }
        self.extrapolate(readings.time, odometry);
        self.watch(readings.time);
        self.pictures.follow(&self.mapper);
    }

    /// Takes the result that is due and hands out the next sweep.
    pub fn exchange(&mut self, board: &mut dyn TaskBoard) {
        let was_under_way = self.task.is_under_way();
        let result = self.task.collect(board);
        let has_failed = was_under_way && !self.task.is_under_way() && result.is_none();
        let is_outdated = self.is_outdated && !self.task.is_under_way();
        self.is_outdated &= self.task.is_under_way();
        if has_failed {
            self.tell(self.odometry.stamp, Severity::Error, "mapping of a sweep has failed", f64::NAN, f64::NAN);
        }
        if let Some(mapped) = result.filter(|_| !is_outdated) {
            self.take(mapped);
        }
        if !self.task.is_under_way()
            && let Some(turn) = self.waiting.take()
        {
            let (mapper, calibration, settings) = (self.mapper.clone(), self.calibration, Arc::clone(&self.settings));
            let passing = self.passing.clone();
            self.task
                .release(board, move || Mapped::compute(mapper, calibration, &turn, &settings.calibration, &passing));
        }
    }

    /// Where the robot is now: the place of the last sweep, brought up to date by odometry.
    pub fn localization(&self) -> &Localization {
        &self.localization
    }

    /// The map: what was seen from where.
    pub fn views(&self) -> &Sealed<MapViews> {
        &self.pictures.views
    }

    /// The scan that has arrived in this cycle.
    pub fn latest_scan(&self) -> Option<&Glance> {
        self.assembler.latest()
    }

    /// The robot may have slid so far in this cycle without its odometry showing it [m]: a bump was felt.
    pub fn note_slide(&mut self, distance: f64) {
        self.assembler.note_slide(distance);
        let before = self.slide.since(self.mapper.localization().stamp);
        self.slide = Slide { stamp: self.odometry.stamp, distance: before + distance };
    }

    /// What passes by from now on, in place of what was told before: it is no part of the map.
    pub fn leave_out(&mut self, passing: impl Iterator<Item = Passing>) {
        self.passing.clear();
        self.passing.extend(passing);
    }

    /// How many sweeps were dropped because mapping was behind.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// True from the release of a sweep to its result.
    pub fn has_sweep_under_way(&self) -> bool {
        self.task.is_under_way()
    }

    /// What the robot holds from now on, in place of what was told before: it is no part of the map. A mesh is refused.
    pub fn hold(&mut self, held: &[Attached]) -> Result<(), SlamError> {
        self.assembler.hold(held)
    }

    /// What is known of the laser's place.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Tells the laser's axis to turn.
    pub fn spin(&self, commands: &mut Commands) {
        self.assembler.spin(commands);
    }

    /// Index of the axis' joint in readings and commands.
    pub fn axis_joint(&self) -> usize {
        self.assembler.axis_joint()
    }

    /// Adds map and place to what is shown.
    pub fn show(&self, telemetry: &mut Telemetry) {
        telemetry.localization = Some(self.localization);
        self.pictures.show(telemetry);
        // after a jump in a log the picture is that of another sweep
        if let Some(sweep) = self.last.sweep.as_ref().filter(|sweep| sweep.stamp == self.last.estimate.stamp) {
            telemetry.layers.push(("sweep", robot_io::Layer::Cloud(sweep.clone(), self.last.estimate.base_in_map)));
        }
        telemetry.scalar("slam_matched_share", self.last.estimate.matched_share);
        telemetry.scalar("slam_mean_distance [m]", self.last.estimate.mean_distance);
        telemetry.scalar("slam_weak_directions", self.last.estimate.weak_directions as f64);
        telemetry.scalar("slam_deviation [m]", place_deviation(&self.localization));
        self.calibration.show(&self.settings.calibration, telemetry);
        telemetry.scalar("slam_points", self.last.points as f64);
        telemetry.scalar("slam_left_out", f64::from(u8::from(self.last.estimate.verdict != Verdict::Accepted)));
    }

    /// What happened since the last call.
    pub fn drain_events(&mut self) -> impl Iterator<Item = Event> + '_ {
        self.events.drain(..)
    }

    fn take(&mut self, mut mapped: Mapped) {
        let before = &self.last.estimate;
        self.events.extend(mapped.news(before, &self.settings.mapper.gate));
        self.mapper.adopt(core::mem::take(&mut mapped.mapper));
        self.events.extend(self.mapper.events());
        self.calibrate(mapped.calibration);
        self.pictures = core::mem::take(&mut mapped.pictures);
        self.pictures.follow(&self.mapper);
        self.last = mapped;
        let (now, odometry) = (self.odometry.stamp, self.odometry);
        self.extrapolate(now, &odometry);
    }

    /// Puts the laser where it is, once that is certain.
    fn calibrate(&mut self, calibration: Calibration) {
        self.calibration = calibration;
        let before = *self.assembler.correction();
        let Some(correction) = calibration.due(&before, &self.settings.calibration) else { return };
        self.assembler.correct(correction);
        let now = self.odometry.stamp;
        // how a number gets better from then on is told by its signal
        let is_new = |before: &Vector6<f64>, now: &Vector6<f64>| {
            before.iter().zip(now).any(|(before, now)| *before == 0.0 && *now != 0.0)
        };
        if is_new(&before.laser, &correction.laser) || is_new(&before.axis, &correction.axis) {
            let size = |part| {
                let by = |before: &Vector6<f64>, now: &Vector6<f64>| (now - before).fixed_rows::<3>(part).norm();
                by(&before.laser, &correction.laser) + by(&before.axis, &correction.axis)
            };
            let what = "laser calibrated: its place is put right by [mm], its direction by [°]";
            self.tell(now, Severity::Info, what, 1e3 * size(0), size(3).to_degrees());
        }
        if before.delay == 0.0 && correction.delay != 0.0 {
            let what = "laser calibrated: its stamps are put right by [ms]";
            self.tell(now, Severity::Info, what, 1e3 * correction.delay, f64::NAN);
        }
    }

    /// The place of the last sweep and what odometry has added since.
    fn extrapolate(&mut self, now: Time, odometry: &Odometry) {
        self.odometry = Odometry { stamp: now, ..*odometry };
        let base_in_odom = odometry.base_in_odom;
        if self.mapper.localization().stamp == Time::ZERO {
            let odom_in_map = level(&self.setup.start);
            let base_in_map = odom_in_map * base_in_odom;
            self.localization = Localization { stamp: now, base_in_map, odom_in_map, ..Localization::default() };
            return;
        }
        let mapped = self.mapper.localization();
        let then_in_odom = mapped.odom_in_map.inv_mul(&mapped.base_in_map);
        let motion = Motion { slid: self.slide.since(mapped.stamp), ..Motion::default() };
        let motion = by_odometry(&then_in_odom, &base_in_odom, &motion, &self.settings.mapper.motion);
        let now_in_map = UncertainPose { pose: mapped.base_in_map, covariance: mapped.covariance }.then(&motion);
        let is_stale = now.since(mapped.stamp).seconds() > self.settings.stale_after;
        let state = match mapped.state {
            LocalizationState::Localized if is_stale => LocalizationState::Degraded,
            state => state,
        };
        self.localization = Localization {
            stamp: now,
            state,
            base_in_map: mapped.odom_in_map * base_in_odom,
            odom_in_map: mapped.odom_in_map,
            covariance: now_in_map.covariance,
        };
    }

    /// Tells once when no sweeps come any more.
    fn watch(&mut self, now: Time) {
        let last = self.mapper.localization().stamp.max(self.started);
        let silent = now.since(last).seconds();
        let is_stale = silent > self.settings.stale_after;
        if is_stale && !self.is_stale {
            let limit = self.settings.stale_after;
            self.tell(
                now,
                Severity::Warning,
                "nothing new from mapping, odometry alone tells the place: for [s]",
                silent,
                limit,
            );
        }
        self.is_stale = is_stale;
    }

    /// Whoever asks first after a snapshot was restored finds the map that it brought.
    fn follow_what_is_remembered(&mut self) {
        self.begin_as_remembered();
        self.pictures.follow(&self.mapper);
    }

    /// A map that has not begun yet begins where it is remembered to: that is known from a restart alone.
    fn begin_as_remembered(&mut self) {
        let start = level(&self.setup.start);
        let odom_in_map = self.localization.odom_in_map;
        let is_open = self.mapper.localization().stamp == Time::ZERO && self.localization.stamp != Time::ZERO;
        let apart = start.inv_mul(&odom_in_map);
        if is_open && (apart.translation.vector.norm() > SAME_START || apart.rotation.angle() > SAME_START) {
            self.setup.start = Pose2::from(&odom_in_map);
            let begun = core::mem::replace(&mut self.mapper, Mapper::new(self.setup.clone()));
            self.mapper.adopt(begun);
        }
    }

    fn tell(&mut self, time: Time, severity: Severity, what: &'static str, value: f64, limit: f64) {
        self.events.push(Event::note(time, severity, SOURCE, what).with(value, limit));
    }
}

impl Slide {
    /// How far since the sweep of this time, the last on the map [m].
    fn since(&self, sweep: Time) -> f64 {
        if self.stamp > sweep { self.distance } else { 0.0 }
    }
}

/// Of the last result what the next one is compared with, and what is told of it.
fn visit_last(last: &mut Mapped, visitor: &mut dyn StateVisitor) {
    visitor.field("estimate", &mut last.estimate);
    visitor.field("points", &mut last.points);
}

/// A pose in the plane as one in space.
fn level(pose: &Pose2) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), pose.yaw);
    Isometry3::from_parts(Translation3::new(pose.x, pose.y, 0.0), rotation)
}

/// Standard deviation of the place in the plane, in the worse direction [m].
fn place_deviation(localization: &Localization) -> f64 {
    let block = localization.covariance.fixed_view::<2, 2>(0, 0).into_owned();
    let (half_trace, difference) = (0.5 * block.trace(), 0.5 * (block[(0, 0)] - block[(1, 1)]));
    (half_trace + robot_io::math::hypot(difference, block[(0, 1)])).max(0.0).sqrt()
}
