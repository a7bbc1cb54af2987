//! The mapper: from sweeps to a map and the robot's place on it.
//!
//! ```text
//! sweep ─▶ gate ─▶ registration to the local map ─▶ gate ─▶ local map          tracking
//!                     local map ─▶ registration to the nearest key view        place
//!                     far from all key views ─▶ another one; old ones near ─▶ loops, optimisation
//!                     no sweep fits any more ─▶ lost: search of the whole map  lost
//! ```

mod gate;
mod key_views;
mod lost;
mod motion;
mod moved;
mod news;
mod passed;
mod place;
mod pushed;
mod renewal;
mod settings;
mod thinning;
mod tracking;

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use robot_io::State;
use robot_io::{
    Event, HeightMap, Localization, LocalizationState, MapView, MapViews, Pose2, PoseGraphView, Sealed, SurfelView,
};

use self::key_views::{KeyView, KeyViews};
use self::lost::Search;
use self::news::{News, What};
use self::place::Place;
use self::tracking::{Fit, Tracking};
use crate::graph::{Node, UncertainPose, diagonal};
use crate::grid::point;
use crate::relocalization::{Relief, align_to_prior, levelled};
use crate::{Flaw, Sweep, SweepEstimate, SweepOdometer, Verdict};

pub(crate) use motion::by_odometry;
pub use settings::{GateSettings, LostSettings, MapperSettings, MotionSettings, ViewSettings};

/// What a mapper is told before it begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapperSetup {
    /// Its numbers.
    pub settings: MapperSettings,
    /// Where in the world the odometry frame begins, as far as the robot was told.
    pub start: Pose2,
    /// A coarse height map of the world, to put that right.
    pub prior: Option<HeightMap>,
}

/// Follows the robot from sweep to sweep, keeps the map and knows the robot's place on it.
///
/// A copy is cheap: what is large in it is [`Sealed`].
#[derive(Clone, Debug, Default, State)]
pub struct Mapper {
    #[state(fixed)]
    setup: Arc<MapperSetup>,
    tracking: Tracking,
    views: KeyViews,
    place: Place,
    search: Option<Search>,
    misfits: f64,
    /// True if the start was told wrongly and found on the prior map, so that the map lies as that shows it.
    is_start_found: bool,
    /// True if a prior map was given and the start was not found on it: where the map lies in the world is only what was told.
    is_start_unconfirmed: bool,
    /// Where the robot was told that it started: its base at the first sweep, in the frame of the first key view.
    start_in_first_view: Isometry3<f64>,
    revision: u64,
    localization: Localization,
    news: Vec<News>,
}

impl Mapper {
    /// A mapper without a map.
    pub fn new(setup: MapperSetup) -> Mapper {
        Mapper { setup: Arc::new(setup), ..Mapper::default() }
    }

    /// Takes over all that another one remembers, as a snapshot has it or a deadline task returns it; what this one was told
    /// before it began stays.
    pub fn adopt(&mut self, other: Mapper) {
        let setup = core::mem::take(&mut self.setup);
        *self = Mapper { setup, ..other };
    }

    /// Where the robot is.
    pub fn localization(&self) -> &Localization {
        &self.localization
    }

    /// What happened with the last sweep.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.news.iter().map(News::event)
    }

    /// Grows whenever [`views`](Mapper::views) changes.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The map: all key views, then the last sweeps.
    pub fn views(&self) -> MapViews {
        let local_in_map = self.localization.base_in_map * self.tracking.base_in_local.pose.inverse();
        let recent = self.tracking.recent.iter().map(|sweep| MapView {
            number: sweep.number,
            stamp: sweep.stamp,
            base_in_map: local_in_map * sweep.base_in_local,
            cloud: sweep.cloud.clone(),
        });
        let lost = self.search.is_some();
        MapViews { revision: self.revision, views: self.views.map_views().chain(recent.filter(|_| !lost)).collect() }
    }

    /// The pose graph as a picture.
    pub fn graph(&self) -> PoseGraphView {
        self.views.picture()
    }

    /// The local map's finest surfels in the map frame, as a picture.
    pub fn surfels(&self) -> Vec<SurfelView> {
        let local_in_map = self.localization.base_in_map * self.tracking.base_in_local.pose.inverse();
        let cloud = self.tracking.local_map.to_cloud();
        let flat = cloud.finest_surfels(0).filter(|surfel| surfel.is_flat());
        let placed = flat.map(|surfel| SurfelView {
            position: local_in_map * surfel.mean,
            normal: local_in_map * surfel.normal,
            radius: surfel.radius(),
        });
        placed.collect()
    }

    /// The base in the local map, which no loop closure moves; nothing before there is one.
    pub(crate) fn base_in_local(&self) -> Option<Isometry3<f64>> {
        (self.tracking.sweeps > 1 && self.search.is_none()).then_some(self.tracking.base_in_local.pose)
    }

    /// Puts the first sweep into an empty map.
    fn begin(&mut self, sweep: &Sweep) -> Fit {
        let Pose2 { x, y, yaw } = self.setup.start;
        let rotation = UnitQuaternion::from_euler_angles(0.0, 0.0, yaw);
        let odom_in_map = Isometry3::from_parts(Vector3::new(x, y, 0.0).into(), rotation);
        let pose = odom_in_map * sweep.base_in_odom;
        let flaw_before = gate::flaw_before(sweep, &self.setup.settings.gate);
        if flaw_before.is_none() {
            let known = UncertainPose { pose, covariance: diagonal(1e-3, 1e-3, 1e-3, 1e-3) };
            let upright = motion::held_upright(&known, &sweep.motion.up_in_base, self.setup.settings.motion.up);
            self.tracking.begin(sweep, upright, &self.setup.settings);
        } else {
            self.tracking.base_in_local = UncertainPose { pose, ..UncertainPose::default() };
        }
        let motion = UncertainPose::default();
        let verdict = flaw_before.map_or(Verdict::Accepted, Verdict::LeftOut);
        let judged = [0.0; 2];
        let (matched_share, mean_distance, weak_directions, pushed) = (0.0, 0.0, 0, None);
        Fit { verdict, flaw_before, motion, matched_share, mean_distance, weak_directions, judged, pushed }
    }

    /// Makes the first key view, once enough has been seen.
    fn begin_views(&mut self, sweep: &Sweep) {
        if self.tracking.sweeps < self.setup.settings.views.first_sweeps.max(1) {
            return;
        }
        let shift = self.align(sweep);
        let pose = shift * self.tracking.base_in_local.pose;
        self.views.add(self.key_view(sweep), Node { pose, up: None }, None);
        let first = self.tracking.recent.first().map_or(self.tracking.base_in_local.pose, |sweep| sweep.base_in_local);
        self.start_in_first_view = self.tracking.base_in_local.pose.inv_mul(&first);
        self.place = Place::default();
    }

    /// By what the start has to be moved to fit the prior map.
    fn align(&mut self, sweep: &Sweep) -> Isometry3<f64> {
        let setup = Arc::clone(&self.setup);
        let Some(prior) = &setup.prior else { return Isometry3::identity() };
        let base_in_map = self.tracking.base_in_local.pose;
        let told = Pose2::from(&base_in_map);
        match align_to_prior(prior, &self.relief_around(0.5 * prior.cell), &told, &setup.settings.align) {
            Ok(found) => {
                self.tell(sweep, What::Aligned, found.pose.distance(&told), setup.settings.align.bounds[0]);
                self.is_start_found = found.pose != told;
                upright(&found.pose) * upright(&told).inverse()
            }
            Err(share) => {
                self.is_start_unconfirmed = true;
                self.tell(sweep, What::NotAligned, share, setup.settings.align.least_share);
                Isometry3::identity()
            }
        }
    }

    /// The relief of what the last sweeps saw, in a level frame at the base.
    fn relief_around(&self, cell: f64) -> Relief {
        let level = levelled(&self.tracking.base_in_local.pose);
        let clouds = self.tracking.recent_in_base();
        let points: Vec<Point3<f64>> = clouds
            .flat_map(|(cloud, pose)| {
                let pose = level * pose;
                cloud.points.iter().map(move |at| pose * point(at))
            })
            .collect();
        Relief::of(&points, cell, self.setup.settings.lost.ceiling)
    }

    /// A key view of what is around the robot now.
    fn key_view(&self, sweep: &Sweep) -> KeyView {
        let clouds = self.tracking.recent_in_base();
        let cloud = Sealed::new(thinning::joined(sweep.end, clouds, &self.setup.settings.views));
        KeyView { number: sweep.number, stamp: sweep.end, surfels: self.tracking.surroundings(), cloud }
    }

    /// Counts sweeps that do not fit, and notices when there are too many.
    fn count_misfits(&mut self, sweep: &Sweep, fit: &Fit) {
        match fit.verdict {
            Verdict::LeftOut(Flaw::Sparse) => {}
            Verdict::LeftOut(_) => {
                if self.misfits == 0.0 {
                    let [value, limit] = fit.judged;
                    self.tell(sweep, What::SweepLeftOut, value, limit);
                }
                self.misfits += if fit.flaw_before.is_some() { 0.5 } else { 1.0 };
            }
            _ => self.misfits = 0.0,
        }
        if let Some(moved) = fit.pushed {
            self.tell(sweep, What::Pushed, moved, f64::NAN);
        }
        if self.search.is_none() && self.views.len() > 0 && self.misfits >= self.setup.settings.lost.misfits {
            self.tell(sweep, What::Lost, self.misfits, self.setup.settings.lost.misfits);
            self.search = Some(Search::default());
        }
    }

    /// Tells where the robot is.
    fn publish(&mut self, sweep: &Sweep, fit: &Fit) {
        use LocalizationState::{Degraded, Localized, Lost, Starting};
        let is_weak = matches!(fit.verdict, Verdict::LeftOut(_)) || fit.weak_directions > 0 || !self.place.is_sure();
        let is_weak = is_weak || self.is_start_unconfirmed;
        let state = match (&self.search, self.views.len()) {
            (Some(_), _) => Lost,
            (None, 0) => Starting,
            (None, _) if is_weak => Degraded,
            (None, _) => Localized,
        };
        let UncertainPose { pose: base_in_map, covariance } = self.base_in_map();
        let odom_in_map = base_in_map * sweep.base_in_odom.inverse();
        self.localization = Localization { stamp: sweep.end, state, base_in_map, odom_in_map, covariance };
        self.revision += 1;
    }

    /// The base in the map, by the place relative to a key view.
    fn base_in_map(&self) -> UncertainPose {
        if self.views.len() == 0 { self.tracking.base_in_local } else { self.place.in_map(&self.views) }
    }

    fn tell(&mut self, sweep: &Sweep, what: What, value: f64, limit: f64) {
        self.news.push(News { time: sweep.end, what, value, limit });
    }
}

impl SweepOdometer for Mapper {
    fn process(&mut self, sweep: &Sweep) -> SweepEstimate {
        let sweep = &self.tracking.straightened(sweep);
        self.news.clear();
        let setup = Arc::clone(&self.setup);
        let fit = if self.tracking.sweeps == 0 {
            self.begin(sweep)
        } else {
            let fit = self.tracking.follow(sweep, &setup.settings);
            self.place.advance(&fit.motion);
            if fit.verdict == Verdict::Accepted {
                self.tracking.insert(sweep, &setup.settings);
            }
            fit
        };
        self.count_misfits(sweep, &fit);
        match (&self.search, self.views.len()) {
            (Some(_), _) => self.look_for_itself(sweep, &fit),
            (None, 0) => self.begin_views(sweep),
            (None, _) if !matches!(fit.verdict, Verdict::LeftOut(_)) => self.localize(sweep, &fit),
            (None, _) => {}
        }
        if self.search.is_none() && fit.verdict == Verdict::Accepted {
            self.renew_clouds(sweep);
        }
        self.publish(sweep, &fit);
        SweepEstimate {
            stamp: sweep.end,
            base_in_map: self.localization.base_in_map,
            covariance: self.localization.covariance,
            verdict: fit.verdict,
            matched_share: fit.matched_share,
            mean_distance: fit.mean_distance,
            weak_directions: fit.weak_directions,
            judged: fit.judged,
        }
    }
}

/// A pose on the ground.
fn upright(pose: &Pose2) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_euler_angles(0.0, 0.0, pose.yaw);
    Isometry3::from_parts(Vector3::new(pose.x, pose.y, 0.0).into(), rotation)
}
