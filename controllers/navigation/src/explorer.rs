//! From view to view, until there is nothing left to see.

use robot_io::deadline::{DeadlineTask, TaskBoard};
use robot_io::{
    Event, Events, Layer, Marker, Period, Pose2, RobotLayout, Settings as _, Severity, State, Telemetry, Time,
};
use std::sync::Arc;

use crate::exploration::{Region, View, explored_area, gain_at, next_best_view};
use crate::{ExplorationSettings, Goal, NavigationError, Navigator, Status};

const SOURCE: &str = "exploration";

/// How it stands with exploring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum ExplorerStatus {
    /// Nothing is to be explored.
    #[default]
    Idle,
    /// Looks for the next view.
    Looking,
    /// On the way to a view.
    Going,
    /// No view within the region shows enough that can be reached.
    Done,
}

/// Explores a region: gives a [`Navigator`] one goal after the other.
#[derive(Debug, State)]
pub struct Explorer {
    #[state(fixed)]
    settings: ExplorationSettings,
    task: DeadlineTask<Proposal>,
    region: Region,
    status: ExplorerStatus,
    view: Option<View>,
    given_up: Vec<[f64; 2]>,
    /// Maps older than this do not show all that is to be seen.
    since: Time,
    /// Stamp of the map of the last question.
    asked: Time,
    /// Answers in a row that knew of no view.
    empty_handed: usize,
    area: f64,
    views: usize,
    #[state(output)]
    marker: Option<Arc<Vec<Marker>>>,
    #[state(output)]
    events: Events,
}

/// What the slow part finds out.
#[derive(Clone, Debug, Default, State)]
struct Proposal {
    view: Option<View>,
    area: f64,
    /// What the view that is driven to still promises [m²].
    gain_left: f64,
}

impl Explorer {
    /// An explorer that has nothing to do.
    pub fn new(layout: &RobotLayout, settings: ExplorationSettings) -> Result<Explorer, NavigationError> {
        settings.check()?;
        let latency = Period::from_seconds(settings.latency).cycles_of(layout.period);
        Ok(Explorer {
            settings,
            task: DeadlineTask::new("exploration", latency),
            region: Region::default(),
            status: ExplorerStatus::Idle,
            view: None,
            given_up: Vec::new(),
            since: Time::ZERO,
            asked: Time::ZERO,
            empty_handed: 0,
            area: 0.0,
            views: 0,
            marker: None,
            events: Events::new(),
        })
    }

    /// Forgets everything but the settings.
    pub fn reset(&mut self) {
        self.task.forget();
        (self.region, self.status, self.view, self.marker) = (Region::default(), ExplorerStatus::Idle, None, None);
    }

    /// Begins to explore a region; the same region goes on.
    pub fn begin(&mut self, now: Time, region: Region) {
        if self.region == region && self.status != ExplorerStatus::Idle {
            return;
        }
        self.region = region;
        (self.status, self.since, self.asked) = (ExplorerStatus::Looking, now, Time::ZERO);
        (self.view, self.empty_handed, self.area, self.views) = (None, 0, 0.0, 0);
        self.given_up.clear();
    }

    /// Stops exploring, and takes its goal away from the navigator.
    pub fn stop(&mut self, navigator: &mut Navigator) {
        if self.view.take().is_some() {
            navigator.set_goal(None);
        }
        (self.status, self.marker) = (ExplorerStatus::Idle, None);
    }

    /// How it stands.
    pub fn status(&self) -> ExplorerStatus {
        self.status
    }

    /// Known ground within the region [m²], as of the last question.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// So many views were chosen so far.
    pub fn views(&self) -> usize {
        self.views
    }

    /// Where it goes.
    pub fn view(&self) -> Option<View> {
        self.view
    }

    /// Asks for views and takes the answers; to be called after the navigator's `exchange`.
    pub fn exchange(&mut self, board: &mut dyn TaskBoard, navigator: &mut Navigator, now: Time) {
        if let Some(proposal) = self.task.collect(board)
            && matches!(self.status, ExplorerStatus::Looking | ExplorerStatus::Going)
        {
            self.answer(&proposal, navigator, now);
        }
        let active = matches!(self.status, ExplorerStatus::Looking | ExplorerStatus::Going);
        if !active || self.task.is_under_way() {
            return;
        }
        let map = navigator.map();
        let enough = self.status == ExplorerStatus::Going || map.stamp >= self.since;
        if map.is_empty() || map.stamp <= self.asked || !enough {
            if self.status == ExplorerStatus::Looking && now >= self.since {
                navigator.refresh();
            }
            return;
        }
        self.asked = map.stamp;
        let (map, from, region) = (map.clone(), navigator.pose(), self.region.clone());
        let (given_up, settings, current) = (self.given_up.clone(), self.settings, self.view);
        self.task.release(board, move || Proposal {
            view: next_best_view(&map, &from, &region, &given_up, &settings),
            area: explored_area(&map, &region),
            gain_left: current.map_or(0.0, |view| gain_at(&map, &view.pose, &region, &settings)),
        });
    }

    /// Follows what becomes of the view that is driven to; to be called after the navigator's `update`.
    pub fn update(&mut self, now: Time, navigator: &mut Navigator) {
        if self.status != ExplorerStatus::Going {
            return;
        }
        let Some(view) = self.view else { return };
        match navigator.guidance().status {
            Status::Arrived => self.look_on(now, navigator),
            Status::Unreachable { .. } | Status::Stuck => {
                let what = "a view is given up: it cannot be reached; new ground [m²]";
                self.events.push(Event::note(now, Severity::Warning, SOURCE, what).with(view.gain, f64::NAN));
                self.given_up.push([view.pose.x, view.pose.y]);
                self.look_on(now, navigator);
            }
            _ => {}
        }
    }

    /// Moves what happened since the last call to the end of `events`.
    pub fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }

    /// Shows the next view, and how much is explored.
    pub fn show(&self, telemetry: &mut Telemetry) {
        if self.status == ExplorerStatus::Idle {
            return;
        }
        telemetry.scalar("explored_area [m²]", self.area);
        if let Some(marker) = &self.marker {
            telemetry.layers.push(("exploration_markers", Layer::Markers(Arc::clone(marker))));
        }
    }

    /// Looks for the next view, on a map that shows what is seen from here.
    fn look_on(&mut self, now: Time, navigator: &mut Navigator) {
        navigator.set_goal(None);
        self.view = None;
        self.status = ExplorerStatus::Looking;
        self.since = now + Period::from_seconds(self.settings.settle_time);
    }

    fn answer(&mut self, proposal: &Proposal, navigator: &mut Navigator, now: Time) {
        self.area = proposal.area;
        if let Some(current) = self.view.filter(|_| self.status == ExplorerStatus::Going) {
            let lost = proposal.gain_left < (1.0 - self.settings.lost_share) * current.gain;
            if lost && proposal.view.is_some() {
                self.go(proposal.view, navigator);
            }
            return;
        }
        // one map without a view may be a map with a hole: the next one decides
        self.empty_handed = if proposal.view.is_some() { 0 } else { self.empty_handed + 1 };
        if proposal.view.is_some() {
            self.go(proposal.view, navigator);
        } else if self.empty_handed > 1 {
            self.status = ExplorerStatus::Done;
            let what = "explored [m²]";
            self.events.push(Event::note(now, Severity::Info, SOURCE, what).with(self.area, f64::NAN));
        }
    }

    fn go(&mut self, view: Option<View>, navigator: &mut Navigator) {
        let Some(view) = view else { return };
        (self.view, self.status) = (Some(view), ExplorerStatus::Going);
        self.views += 1;
        let marker = |label, pose: Pose2| Marker { label, pose };
        self.marker = Some(Arc::new(vec![marker("frontier", view.pose)]));
        navigator.set_goal(Some(Goal {
            pose_in_map: view.pose,
            with_heading: false,
            tolerance: self.settings.tolerance,
            heading_tolerance: core::f64::consts::PI,
            speed: self.settings.speed,
        }));
    }
}
