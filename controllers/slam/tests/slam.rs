//! The whole of mapping as a controller has it, on a robot that is carried through a room.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use robot_io::deadline::InlineBoard;
use robot_io::{Digest, Event, Localization, LocalizationState, Pose2, StateReader, StateWriter, Telemetry};
use slam::{Slam, SlamSettings};
use support::{Rider, Trajectory, World};

const START: Pose2 = Pose2 { x: -1.0, y: 0.5, yaw: 0.4 };

/// A robot, its mapping and the board between mapping and its worker.
struct Run {
    rider: Rider,
    slam: Slam,
    board: InlineBoard,
    events: Vec<Event>,
}

impl Run {
    fn new(trajectory: Trajectory, settings: SlamSettings) -> Run {
        let mut rider = Rider::new(World::room(), trajectory);
        rider.scanner = rider.scanner.thinned(2);
        rider.layout.lasers[0].geometry = rider.scanner.geometry;
        let slam = Slam::new(&rider.model, &rider.layout, settings, START).unwrap();
        Run { rider, slam, board: InlineBoard::default(), events: Vec::new() }
    }

    fn cycles(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.rider.step();
            self.board.begin(self.rider.readings.cycle);
            self.slam.update(&self.rider.readings, &self.rider.odometry);
            self.slam.exchange(&mut self.board);
            self.events.extend(self.slam.drain_events());
        }
    }

    /// Distance between belief and truth [m].
    fn error(&self) -> f64 {
        let truth = self.rider.trajectory.at(self.rider.readings.time.seconds());
        (self.slam.localization().base_in_map.translation.vector - truth.translation.vector).norm()
    }

    fn told(&self, what: &str) -> usize {
        self.events.iter().filter(|event| event.what.contains(what)).count()
    }
}

/// Odometry here is the truth in the world; so the map frame is told to be that.
fn drive() -> Trajectory {
    Trajectory::arc([START.x, START.y, START.yaw], 0.2, 0.15)
}

fn in_the_world(trajectory: Trajectory) -> Run {
    let mut run = Run::new(trajectory, SlamSettings::default());
    let start = Pose2::default();
    run.slam = Slam::new(&run.rider.model, &run.rider.layout, SlamSettings::default(), start).unwrap();
    run
}

#[test]
fn the_robot_is_localized_and_the_map_grows() {
    let mut run = in_the_world(drive());
    run.cycles(10);
    assert_eq!(run.slam.localization().state, LocalizationState::Starting);
    assert!(run.error() < 1e-9, "odometry tells the place from the first cycle on");
    run.cycles(2000);
    assert_eq!(run.slam.localization().state, LocalizationState::Localized);
    assert!(run.error() < 0.05, "{} m", run.error());
    assert!(!run.slam.views().views.is_empty());
    assert_eq!(run.slam.dropped(), 0);
    let mut telemetry = Telemetry::default();
    run.slam.show(&mut telemetry);
    let layers: Vec<&str> = telemetry.layers.iter().map(|(name, _)| *name).collect();
    assert_eq!(layers, ["surfels", "pose_graph", "sweep"]);
    assert!(telemetry.localization.is_some());
    assert!(telemetry.scalars.iter().any(|(name, _)| *name == "slam_matched_share"));
}

#[test]
fn a_restored_run_goes_on_to_the_bit() {
    let mut one = in_the_world(drive());
    one.cycles(900);
    let mut other = in_the_world(drive());
    other.cycles(900);
    let saved = StateWriter::save(&mut one.slam);
    other.slam = Slam::new(&other.rider.model, &other.rider.layout, SlamSettings::default(), Pose2::default()).unwrap();
    StateReader::restore(&mut other.slam, &saved).unwrap();
    for _ in 0..40 {
        one.cycles(10);
        other.cycles(10);
        assert_eq!(one.slam.localization(), other.slam.localization());
        assert_eq!(Digest::of(&mut one.slam), Digest::of(&mut other.slam));
    }
}

/// A planner may ask before the next cycle is taken in.
#[test]
fn a_restored_map_is_seen_at_once_and_in_place_of_another() {
    let map_after = |cycles: usize| {
        let mut run = in_the_world(drive());
        run.cycles(cycles);
        (StateWriter::save(&mut run.slam), run.slam.views().clone())
    };
    let (saved, views) = map_after(1500);
    assert!(!views.views.is_empty());
    let mut fresh = in_the_world(drive());
    StateReader::restore(&mut fresh.slam, &saved).unwrap();
    assert_eq!(*fresh.slam.views(), views, "a robot that had no map");
    let mut other = in_the_world(Trajectory::arc([START.x, START.y, START.yaw], 0.1, -0.1));
    while other.slam.views().revision != views.revision {
        other.cycles(1);
    }
    StateReader::restore(&mut other.slam, &saved).unwrap();
    assert_eq!(*other.slam.views(), views, "a robot whose other map has changed as often");
}

#[test]
fn odometry_tells_the_place_between_sweeps_and_uncertainty_grows() {
    let mut run = in_the_world(drive());
    run.cycles(1000);
    let deviation = |localization: &Localization| localization.covariance[(0, 0)].sqrt();
    let before = *run.slam.localization();
    run.rider.lost = |_| true;
    run.cycles(900);
    let after = *run.slam.localization();
    assert!(run.error() < 0.05, "{} m", run.error());
    assert!(deviation(&after) > deviation(&before), "{} m, {} m", deviation(&before), deviation(&after));
    assert!((before.base_in_map.translation.vector - after.base_in_map.translation.vector).norm() > 0.3);
    run.cycles(500);
    assert_eq!(run.slam.localization().state, LocalizationState::Degraded, "for want of sweeps");
    assert_eq!(run.told("nothing new from mapping"), 1, "{:?}", run.events);
}

#[test]
fn a_slow_worker_drops_sweeps_and_says_so() {
    let settings = SlamSettings { latency: 4.0, ..SlamSettings::default() };
    let mut run = Run::new(Trajectory::still(0.0, 0.0, 0.0), settings);
    run.cycles(2500);
    assert!(run.slam.dropped() >= 3, "{}", run.slam.dropped());
    assert_eq!(run.told("sweep dropped") as u64, run.slam.dropped());
}

#[test]
fn a_shaken_sweep_is_left_out_and_the_reason_is_told_with_numbers() {
    let shaken_later = Trajectory::new(|time| {
        let shaking = if (6.0..7.5).contains(&time) { 0.2 } else { 0.0 };
        drive().rocking(shaking, 3.0).at(time)
    });
    let mut run = in_the_world(shaken_later);
    run.cycles(2400);
    let told = run.events.iter().find(|event| event.what.contains("sweep not used")).unwrap();
    assert!(told.value > told.limit, "{told:?}");
    assert!(run.error() < 0.05, "{} m", run.error());
}

#[test]
fn after_a_reset_the_map_is_empty_and_results_from_before_are_ignored() {
    let mut run = in_the_world(drive());
    run.cycles(1600);
    while !run.slam.has_sweep_under_way() {
        run.cycles(1);
    }
    run.slam.reset(&run.rider.readings, &run.rider.odometry);
    run.cycles(150);
    assert!(!run.slam.has_sweep_under_way());
    assert_eq!(run.slam.localization().state, LocalizationState::Starting);
    assert!(run.slam.views().views.is_empty());
    run.cycles(1200);
    assert_eq!(run.slam.localization().state, LocalizationState::Localized);
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    let rider = Rider::new(World::plain(), Trajectory::still(0.0, 0.0, 0.0));
    let settings = SlamSettings { latency: -1.0, ..SlamSettings::default() };
    let error = Slam::new(&rider.model, &rider.layout, settings, START).unwrap_err();
    assert_eq!(error.to_string(), "slam: latency [s]: expected a positive number, found -1");
}
