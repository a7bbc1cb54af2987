//! Sends previews of the way ahead to the workers and uses what comes back.

use std::sync::Arc;

use robot_io::deadline::{DeadlineTask, TaskBoard};
use robot_io::{HeightMap, Path, Period, Pose2, State, Telemetry};

use crate::preview::{PreviewSettings, RoutePiece, RoutePreview, RouteQuery, Waypoint};
use crate::sequencer::Sequencer;

/// Farther from the previewed way than this, the preview says nothing [m].
const REACH: f64 = 0.5;

/// The mission's end of the preview: at each new leg and every so often it asks what the way ahead is like.
#[derive(Debug, State)]
pub struct PreviewClient {
    #[state(fixed)]
    settings: PreviewSettings,
    #[state(fixed)]
    map: Option<Arc<HeightMap>>,
    odom_in_world: Pose2,
    #[state(fixed)]
    interval_cycles: u64,
    task: DeadlineTask<RoutePreview>,
    preview: RoutePreview,
    /// Counts results, so that a restored client notices that its path is not that of its preview.
    results: u64,
    #[state(output)]
    path: Arc<Path>,
    #[state(output)]
    path_of_result: u64,
    beginnings: u64,
    next_cycle: u64,
}

impl PreviewClient {
    /// A client with a prior map in the world frame, if there is one.
    pub fn new(
        settings: PreviewSettings,
        map: Option<HeightMap>,
        interval: Period,
        latency: Period,
        cycle: Period,
    ) -> PreviewClient {
        PreviewClient {
            settings,
            map: map.map(Arc::new),
            odom_in_world: Pose2::default(),
            interval_cycles: interval.cycles_of(cycle),
            task: DeadlineTask::new("route_preview", latency.cycles_of(cycle)),
            preview: RoutePreview::default(),
            results: 0,
            path: Arc::default(),
            path_of_result: 0,
            beginnings: 0,
            next_cycle: 0,
        }
    }

    /// Forgets the way ahead.
    pub fn reset(&mut self, odom_in_world: Pose2) {
        self.odom_in_world = odom_in_world;
        self.task.forget();
        self.preview = RoutePreview::default();
        (self.results, self.beginnings, self.next_cycle) = (self.results + 1, 0, 0);
    }

    /// The odometry frame has been found to lie elsewhere; what was previewed there is asked for again.
    pub fn rebase(&mut self, odom_in_world: Pose2) {
        self.odom_in_world = odom_in_world;
    }

    /// Takes the result that is due in `cycle`, and asks again where a leg has begun or time is up.
    pub fn exchange(&mut self, cycle: u64, board: &mut dyn TaskBoard, sequencer: &Sequencer, pose_in_odom: &Pose2) {
        if let Some(preview) = self.task.collect(board) {
            self.preview = preview;
            self.results += 1;
        }
        if self.path_of_result != self.results {
            self.path = Arc::new(self.preview.path());
            self.path_of_result = self.results;
        }
        let due = self.beginnings != sequencer.beginnings() || cycle >= self.next_cycle;
        if !due || sequencer.is_done() || self.task.is_under_way() {
            return;
        }
        let query = self.query(sequencer, pose_in_odom);
        self.task.release(board, move || query.preview());
        self.beginnings = sequencer.beginnings();
        self.next_cycle = cycle + self.interval_cycles;
    }

    /// What the preview says of the place where the robot is.
    pub fn piece_at(&self, pose_in_odom: &Pose2) -> Option<&RoutePiece> {
        self.preview.piece_at(pose_in_odom, REACH)
    }

    /// The way ahead.
    pub fn preview(&self) -> &RoutePreview {
        &self.preview
    }

    fn query(&self, sequencer: &Sequencer, pose_in_odom: &Pose2) -> RouteQuery {
        let mut from = *pose_in_odom;
        let waypoint = |leg: &crate::order::LegOrder| {
            from = leg.goal_from(&from);
            Waypoint { pose: from, speed: leg.speed, rounding: if leg.pass { leg.tolerance } else { 0.0 } }
        };
        RouteQuery {
            settings: self.settings,
            map: self.map.clone(),
            odom_in_world: self.odom_in_world,
            pose_in_odom: *pose_in_odom,
            waypoints_in_odom: sequencer.goals_ahead().map(waypoint).collect(),
        }
    }

    /// Adds the way ahead, and what it knows of the ground under a pose.
    pub fn show(&self, pose: &Pose2, telemetry: &mut Telemetry) {
        telemetry.path = Some(self.path.clone());
        if let Some(piece) = self.piece_at(pose) {
            telemetry.scalar("previewed_slope_along [rad]", piece.slope_along);
            telemetry.scalar("previewed_slope_across [rad]", piece.slope_across);
            telemetry.scalar("previewed_step [m]", piece.step);
            telemetry.scalar("previewed_margin [m]", piece.margin);
            telemetry.scalar("recommended_lowering [m]", piece.lowering);
            telemetry.scalar("recommended_pitch [rad]", piece.lean_pitch);
            telemetry.scalar("recommended_roll [rad]", piece.lean_roll);
        }
    }
}
