//! From sweep to sweep: the local map, and the robot in it.

use nalgebra::{Isometry3, Matrix6, Point3, Vector6};
use robot_io::{PointCloud, Sealed, State, Time};

use super::gate::{Usual, displacement, flaw_before, misfit, verdict};
use super::key_views::Surroundings;
use super::pushed::Suspicion;
use super::settings::MapperSettings;
use super::{motion, thinning};
use crate::graph::{UncertainPose, diagonal};
use crate::grid::{LocalMap, SurfelCloud, point};
use crate::registration::{PosePrior, Registration, SlipModel, Target, register_to, straighten};
use crate::{Flaw, Motion, Sweep, Verdict};

/// The robot in its local map.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Tracking {
    /// What is around the robot.
    pub local_map: Sealed<LocalMap>,
    /// The base in the local map. Its covariance is that against the map, not against the robot's past.
    pub base_in_local: UncertainPose,
    /// Where the laser was taken to be when its first sweep was made: [`Sweep::laser`].
    pub laser: Vector6<f64>,
    /// Sweeps in the local map.
    pub sweeps: usize,
    /// The last of them, thinned out, oldest first.
    pub recent: Vec<RecentSweep>,
    /// The base in the odometry frame at the last sweep.
    base_in_odom: Isometry3<f64>,
    /// Sweeps since the last one that fitted.
    missed: usize,
    /// How far the robot may have slid in bumps since a sweep that was not bumped fitted [m].
    pub(super) slid: f64,
    /// What odometry makes wrong in a steady way.
    pub(super) slip: SlipModel,
    /// How sweeps fit.
    usual: Usual,
    /// That somebody has pushed the robot, and whereto.
    pub(super) suspicion: Suspicion,
}

/// A sweep that is part of the local map.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct RecentSweep {
    /// Its number.
    pub number: u64,
    /// Its end.
    pub stamp: Time,
    /// The base at that time in the local map.
    pub base_in_local: Isometry3<f64>,
    /// Its points in the base frame.
    pub cloud: Sealed<PointCloud>,
}

/// How a sweep fits the local map.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What becomes of it.
    pub verdict: Verdict,
    /// What was wrong with it before it was compared with the map.
    pub flaw_before: Option<Flaw>,
    /// How the base has moved since the sweep before, in the base of that time.
    pub motion: UncertainPose,
    /// Share of matched surfels.
    pub matched_share: f64,
    /// Mean distance of the matched ones [m].
    pub mean_distance: f64,
    /// Directions that the world does not hold.
    pub weak_directions: usize,
    /// What its flaw was judged by, and the limit.
    pub judged: [f64; 2],
    /// How far the robot was found to have been pushed [m].
    pub pushed: Option<f64>,
}

impl Fit {
    /// Nothing is known yet but the motion by odometry.
    fn left_out(flaw_before: Option<Flaw>, motion: UncertainPose) -> Fit {
        Fit {
            verdict: Verdict::LeftOut(flaw_before.unwrap_or_default()),
            flaw_before,
            motion,
            matched_share: 0.0,
            mean_distance: 0.0,
            weak_directions: 0,
            judged: [0.0; 2],
            pushed: None,
        }
    }
}

impl Tracking {
    /// Begins a new local map with a sweep taken at a place.
    pub fn begin(&mut self, sweep: &Sweep, base_in_local: UncertainPose, settings: &MapperSettings) {
        self.empty(sweep, base_in_local, settings);
        self.insert(sweep, settings);
    }

    /// An empty local map for a sweep taken at a place.
    fn empty(&mut self, sweep: &Sweep, base_in_local: UncertainPose, settings: &MapperSettings) {
        let local_map = Sealed::new(LocalMap::new(&settings.grid));
        let Sweep { base_in_odom, laser, .. } = *sweep;
        *self = Tracking { local_map, laser, base_in_local, base_in_odom, slip: self.slip, ..Tracking::default() };
    }

    /// The laser has been put right, and all that is in the local map is bent: another one begins with this sweep, where odometry has
    /// led, as upright as the IMU says. To lie in the bent one as it fits best would tell no more.
    fn empty_for_straight(&mut self, sweep: &Sweep, moved: &UncertainPose, settings: &MapperSettings) -> Fit {
        /// Nothing is known of how it leans but by the IMU [rad].
        const LEANING: f64 = 1.0;
        let before = self.base_in_local.pose;
        let mut expected = self.base_in_local.then(moved);
        expected.covariance += diagonal(0.0, 0.0, LEANING, 0.0);
        let expected = motion::held_upright(&expected, &sweep.motion.up_in_base, settings.motion.up);
        self.empty(sweep, UncertainPose { covariance: of_the_map_itself(), ..expected }, settings);
        let mut motion = UncertainPose { pose: before.inv_mul(&expected.pose), ..*moved };
        motion.covariance += motion::drift(&motion.pose, &settings.motion);
        Fit { verdict: Verdict::Accepted, ..Fit::left_out(None, motion) }
    }

    /// A sweep without the bend that odometry's steady errors have put into it.
    pub fn straightened(&self, sweep: &Sweep) -> Sweep {
        let within = sweep.begin_in_odom.inv_mul(&sweep.base_in_odom);
        straighten(sweep, &self.slip.slip(&within), sweep.end.since(sweep.begin).seconds())
    }

    /// Finds out how a sweep fits, and where the robot is now.
    pub fn follow(&mut self, sweep: &Sweep, settings: &MapperSettings) -> Fit {
        let reported = self.base_in_odom.inv_mul(&sweep.base_in_odom);
        self.slid += sweep.motion.slid;
        let driven = Motion { slid: self.slid, ..sweep.motion };
        let mut moved = motion::by_odometry(&self.base_in_odom, &sweep.base_in_odom, &driven, &settings.motion);
        moved.pose *= self.slip.slip(&reported);
        self.base_in_odom = sweep.base_in_odom;
        let expected = self.base_in_local.then(&moved);
        let expected = motion::held_upright(&expected, &sweep.motion.up_in_base, settings.motion.up);
        let flaw_before = flaw_before(sweep, &settings.gate);
        if flaw_before.is_none() && settings.views.is_bent(&self.laser, &sweep.laser) {
            return self.empty_for_straight(sweep, &moved, settings);
        }
        let mut fit = Fit::left_out(flaw_before, moved);
        self.suspicion.advance(&moved.pose);
        let before = core::mem::replace(&mut self.base_in_local, expected);
        self.missed += 1;
        if flaw_before == Some(Flaw::Sparse) {
            return fit;
        }
        let source = SurfelCloud::of_sweep(sweep, &settings.grid);
        let prior = PosePrior { source_in_target: expected.pose, covariance: expected.covariance };
        let around = self.local_map.to_cloud();
        let target = Target::of(&around);
        let mut found = register_to(&source, &target, &expected.pose, Some(&prior), &settings.registration);
        found.matched_share = self.of_what_is_known(&source, &found);
        let moved_off = expected.pose.inv_mul(&found.source_in_target);
        let agreement = self.agreement(sweep, &found.source_in_target);
        let misfit = misfit(&found, agreement, &settings.gate);
        let mut flaw = misfit.or_else(|| displacement(&moved_off, &driven, self.missed - 1, &settings.gate));
        // whoever has fitted nowhere for long was carried: that is for the search of the whole map
        let is_recent = self.missed as f64 <= settings.lost.misfits;
        let is_doubtful = flaw.is_some() || self.suspicion.is_held() || self.usual.doubts(&found, &settings.gate);
        if !is_doubtful || flaw_before.is_some() || !is_recent {
            self.suspicion = Suspicion::default();
        } else if let Some(elsewhere) = self.look_about(sweep, (&source, &target), (&expected.pose, &found), settings) {
            fit.pushed =
                Some((elsewhere.source_in_target.translation.vector - expected.pose.translation.vector).norm());
            (found, flaw) = (elsewhere, None);
        }
        let unusual = self.usual.is_much_better_than(&found, &settings.gate);
        // the sweeps that tell of a push tell the place, and the map waits for the next one
        let elsewhere = fit.pushed.or(self.suspicion.distance_from(&expected.pose));
        let unusual = unusual.or(elsewhere.map(|moved| (Flaw::Displaced, [moved, settings.gate.slip])));
        fit.judged = flaw.or(unusual).map_or([0.0; 2], |(_, numbers)| numbers);
        fit.verdict = verdict(flaw_before, flaw.map(|(flaw, _)| flaw), unusual.map(|(flaw, _)| flaw));
        (fit.matched_share, fit.mean_distance) = (found.matched_share, found.mean_distance);
        fit.weak_directions = found.weak.len();
        if !found.weak.is_empty() {
            self.slip.forget(&reported);
        }
        if !matches!(fit.verdict, Verdict::LeftOut(_)) {
            if self.missed == 1 && fit.pushed.is_none() && found.weak.is_empty() {
                self.slip.learn(&reported, &moved_off, &motion::most_slip(&settings.motion));
            }
            self.missed = 0;
            self.slid = if flaw_before.is_none() { 0.0 } else { self.slid };
            self.usual.note(&found);
            let covariance = if fit.verdict == Verdict::Accepted { of_the_map_itself() } else { found.covariance };
            self.base_in_local = UncertainPose { pose: found.source_in_target, covariance };
            fit.motion.pose = before.pose.inv_mul(&found.source_in_target);
            fit.motion.covariance = turned_into(&before.pose, &found.covariance);
        }
        fit.motion.covariance += motion::drift(&fit.motion.pose, &settings.motion);
        fit
    }

    /// The share of matched surfels among those that lie where the map knows anything. Whoever comes round a corner sees much that
    /// is new, which is no misfit; but some of it has to be known, or nothing holds the sweep.
    fn of_what_is_known(&self, source: &SurfelCloud, found: &Registration) -> f64 {
        const LEAST_KNOWN: f64 = 0.3;
        let (mut known, mut all) = (0.0, f64::MIN_POSITIVE);
        for surfel in source.finest_surfels(0) {
            all += 1.0;
            known += f64::from(self.local_map.is_occupied(&(found.source_in_target * surfel.mean)).is_some());
        }
        (found.matched_share / f64::max(known / all, LEAST_KNOWN)).min(1.0)
    }

    /// How many of a sweep's points that stand out lie where the map has something, of those that lie where the map knows
    /// anything. The ground looks the same everywhere: it cannot tell that the robot is somewhere else.
    pub(super) fn agreement(&self, sweep: &Sweep, base_in_local: &Isometry3<f64>) -> f64 {
        /// Relative to the base [m]: knee-high things stand out.
        const LOWEST: f64 = -0.45;
        const SAMPLES: usize = 4000;
        const FEWEST: f64 = 40.0;
        let lowest = base_in_local.translation.z + LOWEST;
        let points = sweep.points.iter().step_by((sweep.points.len() / SAMPLES).max(1));
        let placed = points.map(|at| base_in_local * point(&at.position));
        let (mut known, mut agree) = (0.0, 0.0);
        for is_there in placed.filter(|point| point.z > lowest).filter_map(|point| self.local_map.is_occupied(&point)) {
            known += 1.0;
            agree += f64::from(is_there);
        }
        if known < FEWEST { 1.0 } else { agree / known }
    }

    /// Makes a sweep taken where the robot is now part of the map.
    pub fn insert(&mut self, sweep: &Sweep, settings: &MapperSettings) {
        let base = self.base_in_local.pose;
        self.local_map.change(|map| {
            map.recentre(&Point3::from(base.translation.vector));
            map.insert(sweep, &base);
        });
        self.sweeps += 1;
        let cloud = Sealed::new(thinning::of_sweep(sweep, &settings.views));
        self.recent.push(RecentSweep { number: sweep.number, stamp: sweep.end, base_in_local: base, cloud });
        let surplus = self.recent.len().saturating_sub(settings.views.recent.max(1));
        self.recent.drain(..surplus);
    }

    /// True if what was seen at a point has gone.
    pub fn is_gone(&self, point: &Point3<f64>) -> bool {
        self.local_map.is_gone(point)
    }

    /// What is around the robot, all that it remembers.
    pub fn surroundings(&self) -> Surroundings {
        Surroundings {
            base: self.base_in_local.pose,
            surfels: Sealed::new(self.local_map.to_cloud()),
            laser: self.laser,
        }
    }

    /// The last sweeps with their poses in the present base frame.
    pub fn recent_in_base(&self) -> impl Iterator<Item = (&PointCloud, Isometry3<f64>)> {
        let local_in_base = self.base_in_local.pose.inverse();
        self.recent.iter().map(move |recent| (&*recent.cloud, local_in_base * recent.base_in_local))
    }
}

/// How well a sweep that has become part of a map lies in it: by definition.
fn of_the_map_itself() -> Matrix6<f64> {
    diagonal(0.003, 0.003, 0.0005, 0.0005)
}

/// A covariance along the axes of the map, along those of a base in it.
fn turned_into(base: &Isometry3<f64>, covariance: &Matrix6<f64>) -> Matrix6<f64> {
    let back = base.rotation.inverse().to_rotation_matrix().into_inner();
    let mut turn = Matrix6::zeros();
    turn.fixed_view_mut::<3, 3>(0, 0).copy_from(&back);
    turn.fixed_view_mut::<3, 3>(3, 3).copy_from(&back);
    turn * covariance * turn.transpose()
}
