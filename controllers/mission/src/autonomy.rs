//! Eyes and a map: mapping and navigation of a mission that asks for them.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use navigation::{
    Approaching, Explorer, ExplorerStatus, Footprint, FootprintFinder, Goal, Guidance, Navigator, Region,
    RobotFootprint, Status,
};
use robot_io::deadline::TaskBoard;
use robot_io::{
    Commands, Events, HeightMap, Localization, LocalizationState, MapViews, Odometry, Pose2, Readings, RobotLayout,
    Sealed, State, Telemetry, Time,
};
use robot_model::RobotModel;
use slam::Slam;

use crate::carried::CarriedThing;
use crate::feet::Feet;
use crate::lookout::Lookout;
use crate::order::LegOrder;
use crate::task::Way;
use crate::{MissionError, MissionSettings};

/// Navigation aims at this share of a leg's tolerances, so that the leg is over when it says that it has arrived.
const SHARE: f64 = 0.7;
/// How often a crossing that has failed half way is tried again.
const CROSSING_TRIES: u32 = 3;
/// A correction of the map below these is none [m, rad].
const NOTICEABLE: (f64, f64) = (1e-6, 1e-6);

/// Mapping and navigation.
#[derive(Debug, State)]
pub struct Autonomy {
    slam: Slam,
    navigator: Navigator,
    explorer: Explorer,
    lookout: Lookout,
    now: Time,
    /// How often the crossing under way has been tried again.
    crossing_tries: u32,
    #[state(scratch)]
    finder: FootprintFinder,
    footprint: Footprint,
    /// The odometry frame on the map, as the mission's goals in the odometry frame take it to be.
    odom_in_map: Pose2,
}

/// The odometry frame has been found to lie elsewhere on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correction {
    new_from_old: Pose2,
}

impl Correction {
    /// Where what was taken to be at `pose_in_odom` is.
    pub fn apply(&self, pose_in_odom: &Pose2) -> Pose2 {
        pose_in_odom.placed_at(&self.new_from_old)
    }
}

impl Autonomy {
    /// For a robot that is told where on the map it starts, and perhaps what the ground is like; refused if it lacks eyes.
    pub fn new(
        model: &RobotModel,
        layout: &RobotLayout,
        start_in_map: Pose2,
        prior: Option<&HeightMap>,
        settings: &MissionSettings,
    ) -> Result<Autonomy, MissionError> {
        let mut slam = Slam::new(model, layout, settings.slam.clone(), start_in_map)
            .map_err(|error| MissionError::Skill { skill: "mapping", message: error.to_string() })?;
        if let Some(prior) = prior.filter(|_| settings.align_to_prior) {
            slam = slam.with_prior(prior.clone());
        }
        let refused = |error: navigation::NavigationError| MissionError::Skill {
            skill: "navigation",
            message: error.to_string(),
        };
        Ok(Autonomy {
            slam,
            navigator: Navigator::new(model, layout, settings.navigation).map_err(refused)?,
            explorer: Explorer::new(layout, settings.navigation.exploration).map_err(refused)?,
            lookout: Lookout::new(layout, settings.navigation.moving),
            now: Time::ZERO,
            crossing_tries: 0,
            finder: FootprintFinder::new(model).map_err(refused)?,
            footprint: Footprint::default(),
            odom_in_map: start_in_map,
        })
    }

    /// Starts afresh, with an empty map.
    pub fn reset(&mut self, readings: &Readings, odometry: &Odometry, odom_in_map: Pose2) {
        self.slam.reset(readings, odometry);
        self.navigator.reset();
        self.lookout.reset();
        self.explorer.stop(&mut self.navigator);
        self.odom_in_map = odom_in_map;
    }

    /// Starts afresh while the robot is under way: the new map begins where the robot believes to be on the old one.
    pub fn restart(&mut self, readings: &Readings, odometry: &Odometry, odom_in_map: Pose2) {
        self.slam.restart(readings, odometry, odom_in_map);
        self.navigator.reset();
        self.lookout.reset();
        self.explorer.reset();
        (self.odom_in_map, self.crossing_tries) = (odom_in_map, 0);
    }

    /// Takes in a cycle and keeps the laser turning; says if the map has moved under the odometry frame.
    pub fn see(&mut self, readings: &Readings, odometry: &Odometry) -> Option<Correction> {
        self.now = readings.time;
        self.slam.update(readings, odometry);
        if let Some(scan) = self.slam.latest_scan() {
            self.lookout.see(scan);
        }
        let odom_in_map = Pose2::from(&self.slam.localization().odom_in_map);
        let new_from_old = self.odom_in_map.seen_from(&odom_in_map);
        let (far, turned) = (new_from_old.distance(&Pose2::default()), new_from_old.yaw.abs());
        if far < NOTICEABLE.0 && turned < NOTICEABLE.1 {
            return None;
        }
        self.odom_in_map = odom_in_map;
        Some(Correction { new_from_old })
    }

    /// The robot carries this now.
    pub fn note_carried(&mut self, carried: &[CarriedThing]) {
        self.lookout.note_carried(carried);
    }

    /// The robot may have slid so far in this cycle without its odometry showing it [m].
    pub fn note_slide(&mut self, distance: f64) {
        self.slam.note_slide(distance);
    }

    /// Tells the laser to turn.
    pub fn spin(&self, commands: &mut Commands) {
        self.slam.spin(commands);
    }

    /// True while the robot does not know where it is.
    pub fn is_lost(&self) -> bool {
        self.slam.localization().state == LocalizationState::Lost
    }

    /// True while it is sure of its place on the map.
    pub fn is_sure(&self) -> bool {
        self.slam.localization().state == LocalizationState::Localized
    }

    /// Where it is on the map.
    pub fn localization(&self) -> &Localization {
        self.slam.localization()
    }

    /// The odometry frame on the map.
    pub fn odom_in_map(&self) -> Pose2 {
        self.odom_in_map
    }

    /// What was seen.
    pub(crate) fn views(&self) -> &Sealed<MapViews> {
        self.slam.views()
    }

    /// A robot that stands on its feet, as mapping sees it: where its soles are, and that the ground is there.
    pub(crate) fn outline(&self, feet: &Feet) -> RobotFootprint {
        let base = self.slam.localization().base_in_map;
        let level = Isometry3::from_parts(
            base.translation,
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), Pose2::from(&base).yaw),
        );
        let odom_in_level = level.inverse() * self.slam.localization().odom_in_map;
        let (soles, corner_radius) = self.finder.soles();
        let corners = feet.landed.iter().zip(soles).flat_map(|(foot, corners)| {
            let pose = odom_in_level * foot.pose();
            corners.map(|corner| pose * corner)
        });
        let wheels: Vec<[f64; 3]> = corners.map(|corner| corner.into()).collect();
        let polygon = Footprint::on_feet(&wheels, corner_radius, [0.0; 3]).outline;
        RobotFootprint { polygon, corner_radius, wheels, base_in_map: level, eye: self.footprint.eye }
    }

    /// What to do now on the way to a leg's goal.
    pub fn guide(&mut self, leg: &LegOrder, now: Time, readings: &Readings, odometry: &Odometry) -> Guidance {
        self.navigator.set_goal(Some(Goal {
            pose_in_map: leg.goal_in_odom.placed_at(&self.odom_in_map),
            with_heading: !leg.heading_of_travel && leg.heading_tolerance < core::f64::consts::PI,
            tolerance: SHARE * leg.tolerance,
            heading_tolerance: SHARE * leg.heading_tolerance,
            speed: leg.speed,
        }));
        self.ask(now, readings, odometry)
    }

    /// What to do now to see all of a region.
    pub fn explore(
        &mut self,
        region_in_map: [[f64; 2]; 2],
        now: Time,
        readings: &Readings,
        odometry: &Odometry,
    ) -> Guidance {
        let [min, max] = region_in_map;
        self.explorer.begin(now, Region::rectangle(min, max));
        let guidance = self.ask(now, readings, odometry);
        self.explorer.update(now, &mut self.navigator);
        guidance
    }

    /// The edge in front of which navigation stood has been stepped over, or not.
    pub fn crossed(&mut self, success: bool) {
        self.crossing_tries = 0;
        self.navigator.manoeuvre_done(success);
    }

    /// A crossing has failed half way; true if it may be tried again.
    pub fn try_crossing_again(&mut self) -> bool {
        self.crossing_tries += 1;
        self.crossing_tries <= CROSSING_TRIES
    }

    /// Nobody drives by the map now.
    pub fn rest(&mut self) {
        self.explorer.stop(&mut self.navigator);
        self.navigator.set_goal(None);
    }

    /// Nobody drives by the map, but what comes straight at the robot is stepped aside for.
    pub fn stand_by(&mut self, now: Time, readings: &Readings, odometry: &Odometry) -> Guidance {
        self.navigator.stand_by();
        self.ask(now, readings, odometry)
    }

    /// To what the robot gives way, while that comes.
    pub fn gives_way_to(&self) -> Option<Approaching> {
        self.navigator.gives_way_to()
    }

    /// True while the robot gives way to something that moves.
    pub fn gives_way(&self) -> bool {
        self.navigator.gives_way()
    }

    /// How it stands with the way that was last asked for.
    pub fn way(&self) -> Way {
        match self.explorer.status() {
            ExplorerStatus::Idle => {}
            ExplorerStatus::Done => return Way::Done,
            _ => return Way::Open,
        }
        let goal = self.navigator.goal().map(|goal| goal.pose_in_map);
        match (self.navigator.guidance().status, goal) {
            (Status::Unreachable(reach), Some(_)) => Way::None(reach),
            (Status::Stuck, Some(goal)) => Way::Stuck(self.slam.localization().pose().distance(&goal)),
            _ => Way::Open,
        }
    }

    /// Takes the results that are due in `cycle` and hands out new work.
    pub fn exchange(&mut self, cycle: u64, board: &mut dyn TaskBoard) {
        if self.lookout.exchange(cycle, board) {
            self.navigator.note_movers(self.lookout.tracks());
            self.slam.leave_out(self.lookout.passing());
        }
        self.slam.exchange(board);
        self.navigator.exchange(cycle, board, self.slam.views());
        self.explorer.exchange(board, &mut self.navigator, self.now);
    }

    /// Moves what happened since the last call to the end of `events`.
    pub fn drain_events(&mut self, events: &mut Events) {
        events.extend(self.slam.drain_events());
        self.navigator.drain_events(events);
        self.explorer.drain_events(events);
    }

    /// Adds map, place and plans to what is shown.
    pub fn show(&self, telemetry: &mut Telemetry) {
        self.slam.show(telemetry);
        self.navigator.show(telemetry);
        self.explorer.show(telemetry);
    }

    fn ask(&mut self, now: Time, readings: &Readings, odometry: &Odometry) -> Guidance {
        self.finder.find(&readings.joints, &odometry.base_in_odom, &mut self.footprint);
        self.navigator.update(now, self.slam.localization(), odometry, &self.footprint)
    }
}
