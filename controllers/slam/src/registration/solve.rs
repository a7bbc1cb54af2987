//! Levenberg–Marquardt over the pairs.

use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, Translation3, UnitQuaternion, Vector3, Vector6};

use super::degeneracy::Hold;
use super::pairs::{Pair, Piece, pieces_of, seek};
use super::quality::quality;
use super::sums::{Kernel, Sums, information_from_tilt, sampling_variance};
use super::target::Target;
use super::{PosePrior, Registration, RegistrationSettings};
use crate::grid::SurfelCloud;

/// A registration under way.
pub(super) struct Search<'a> {
    source: &'a SurfelCloud,
    target: &'a Target<'a>,
    prior: Option<Known>,
    settings: &'a RegistrationSettings,
    pairs: Vec<Pair>,
    /// Where they were sought.
    sought_at: Option<Isometry3<f64>>,
    held: Option<Held>,
}

/// Which directions hold, about a pivot, as found with a kernel.
#[derive(Clone)]
struct Held {
    hold: Hold,
    pivot: Point3<f64>,
    kernel: Kernel,
}

/// A prior, and the inverse of its covariance.
struct Known {
    pose: Isometry3<f64>,
    information: Matrix6<f64>,
}

/// How things stand after a stage.
#[derive(Clone, Copy)]
struct Rest {
    pose: Isometry3<f64>,
    kernel: Kernel,
    iterations: usize,
    at_rest: bool,
    /// Sum over the surfels of how far they agree with their partners, 0 to 1 each.
    agreement: f64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        source: &'a SurfelCloud,
        target: &'a Target<'a>,
        prior: Option<&PosePrior>,
        settings: &'a RegistrationSettings,
    ) -> Search<'a> {
        let known = |prior: &PosePrior| {
            let information = prior.covariance.try_inverse()?;
            Some(Known { pose: prior.source_in_target, information })
        };
        Search {
            source,
            target,
            prior: prior.and_then(known),
            settings,
            pairs: Vec::new(),
            sought_at: None,
            held: None,
        }
    }

    /// From a guess that is no farther off than `reach` [m], as far as is known.
    pub(super) fn run(mut self, guess: &Isometry3<f64>, reach: f64) -> Registration {
        /// The way round over coarse levels must be worth it.
        const CLEARLY: f64 = 1.01;
        let first = self.settings.first_level.min(self.source.levels().saturating_sub(1));
        let pieces = pieces_of(self.source, 0);
        let direct = self.refine(&pieces, guess, Rest::at(guess, reach));
        if first == 0 || reach <= self.settings.near {
            return self.conclude(&direct, &pieces);
        }
        let stages = self.stages(first);
        let rest = self.near(guess, &stages, &self.headings());
        let round_about = self.refine(&pieces, guess, rest);
        let best = if round_about.agreement > CLEARLY * direct.agreement { round_about } else { direct };
        let iterations = direct.iterations + round_about.iterations;
        self.conclude(&Rest { iterations, ..best }, &pieces)
    }

    /// On the way there may have been false hold along directions that have none: the pose with these taken from the guess again.
    fn led_back(&self, guess: &Isometry3<f64>, rest: &Rest) -> Option<Isometry3<f64>> {
        let Held { hold, pivot, .. } = self.held.as_ref().filter(|held| !held.hold.weak.is_empty())?;
        let way = guess * (rest.pose.inverse() * pivot) - pivot;
        let turn = (guess.rotation * rest.pose.rotation.inverse()).scaled_axis();
        let back = Vector6::new(way.x, way.y, way.z, turn.x, turn.y, turn.z);
        Some(moved(&rest.pose, pivot, &(back - hold.strong * back)))
    }

    /// From many guesses. Those that the coarse levels lead to the same place count once.
    pub(super) fn run_from_all(mut self, guesses: impl Iterator<Item = Isometry3<f64>>) -> Vec<Registration> {
        let pieces = pieces_of(self.source, 0);
        let stages = self.stages(self.settings.first_level.min(self.source.levels().saturating_sub(1)));
        let mut ends: Vec<Rest> = Vec::new();
        let mut found = Vec::new();
        for guess in guesses {
            let end = self.near(&guess, &stages, &[0.0]);
            if ends.iter().any(|other| is_alike(&other.pose, &end.pose)) {
                continue;
            }
            ends.push(end);
            let rest = self.refine(&pieces, &guess, end);
            found.push(self.conclude(&rest, &pieces));
        }
        found
    }

    /// The coarse levels of the source, from `first` down to 1.
    fn stages(&self, first: usize) -> Vec<(usize, Vec<Piece>)> {
        (1..=first).rev().map(|level| (level, pieces_of(self.source, level))).collect()
    }

    /// Headings to be tried beside the guess [rad].
    fn headings(&self) -> [f64; 3] {
        [0.0, self.settings.aside, -self.settings.aside]
    }

    /// Where the coarse levels lead, from the guess turned by several headings; the best of them.
    fn near(&mut self, guess: &Isometry3<f64>, stages: &[(usize, Vec<Piece>)], turns: &[f64]) -> Rest {
        let mut best = Rest::at(guess, f64::INFINITY);
        for &turn in turns {
            let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn) * guess.rotation;
            let begin = Rest::at(&Isometry3::from_parts(guess.translation, turned), f64::INFINITY);
            let end = stages.iter().fold(begin, |rest, (level, pieces)| self.stage(*level, pieces, rest));
            let agreement = self.agreement(&end);
            if agreement > best.agreement {
                best = Rest { agreement, ..end };
            }
        }
        best
    }

    /// Sum over the surfels of how far they agree with their partners.
    fn agreement(&self, rest: &Rest) -> f64 {
        let of_pair = |pair: &Pair| {
            let softness = rest.kernel.softness(pair.distance(&rest.pose), pair.variance);
            pair.share * softness * softness
        };
        self.pairs.iter().map(of_pair).sum()
    }

    /// The last stage, and how well the surfels agree after it. Along directions without hold it ends at the guess.
    fn refine(&mut self, pieces: &[Piece], guess: &Isometry3<f64>, before: Rest) -> Rest {
        let mut rest = self.stage(0, pieces, before);
        if let Some(pose) = self.led_back(guess, &rest) {
            rest = self.stage(0, pieces, Rest { pose, ..rest });
        }
        Rest { agreement: self.agreement(&rest), ..rest }
    }

    /// Seeks pairs and moves, until at rest.
    fn stage(&mut self, level: usize, pieces: &[Piece], before: Rest) -> Rest {
        /// After a step so much longer than at rest the directions that hold are sought anew.
        const NEARLY: f64 = 10.0;
        const LEFT: f64 = 4.0;
        /// [m]
        const ARM: f64 = 5.0;
        let settings = self.settings;
        let cell = self.target.levels.get(level).map_or(1.0, |level| level.cell);
        let narrow = settings.width * cell;
        let mut width = before.kernel.width.clamp(narrow, 4.0 * narrow);
        let most = if level == 0 { settings.fine_iterations } else { settings.coarse_iterations };
        let mut rest = Rest { kernel: Kernel { width }, at_rest: false, ..before };
        let mut knows_hold = false;
        for _ in 0..most {
            self.seek(pieces, &rest.pose);
            rest.kernel = Kernel { width };
            // coarse levels only lead near; which directions hold, they cannot tell
            let weak_below = if level == 0 { settings.weak_below } else { 0.0 };
            if !knows_hold {
                self.held = None;
            }
            let (pose, moved, turned) = self.descend(&rest.pose, rest.kernel, weak_below);
            rest.pose = pose;
            rest.iterations += 1;
            let ease = if level == 0 { 1.0 } else { 10.0 };
            let is_within = |ease: f64| moved <= ease * settings.rest_distance && turned <= ease * settings.rest_angle;
            if is_within(ease) && width <= narrow {
                rest.at_rest = true;
                break;
            }
            knows_hold = is_within(NEARLY);
            // what is left is no more than a few of the steps just made
            width = (LEFT * (moved + ARM * turned)).min(0.6 * width).max(narrow);
        }
        rest
    }

    /// A few steps with the pairs as they are. Returns the pose, and how far it moved [m] and turned [rad].
    fn descend(&mut self, start: &Isometry3<f64>, kernel: Kernel, weak_below: f64) -> (Isometry3<f64>, f64, f64) {
        const STEPS: usize = 2;
        const ENOUGH_DAMPING: f64 = 1e4;
        let before = self.held.take().filter(|held| held.kernel == kernel);
        let pivot = before.as_ref().map_or_else(|| self.pivot(start), |held| held.pivot);
        let mut sums = self.sums(start, &pivot, kernel);
        let scale = 1.0 / (self.settings.correlation * sums.spread);
        let hold = before.map_or_else(|| self.hold(&sums, (start, &pivot), kernel, weak_below), |held| held.hold);
        let (mut pose, mut damping, mut steps) = (*start, 1e-6, 0);
        let mut cost = scale * sums.cost + self.prior_cost(&pose);
        while damping < ENOUGH_DAMPING {
            let Some(step) = self.step(&sums, &hold, &pose, &pivot, (scale, damping)) else { break };
            let tried = moved(&pose, &pivot, &step);
            let tried_cost = scale * Sums::cost(&self.pairs, &tried, kernel) + self.prior_cost(&tried);
            if tried_cost <= cost {
                (pose, cost, damping, steps) = (tried, tried_cost, 0.1 * damping, steps + 1);
                if steps == STEPS || self.is_still(&step) {
                    break;
                }
                sums = self.sums(&pose, &pivot, kernel);
            } else {
                damping = (10.0 * damping).max(1e-4);
            }
        }
        self.held = Some(Held { hold, pivot, kernel });
        let change = start.inverse() * pose;
        (pose, change.translation.vector.norm(), change.rotation.angle())
    }

    /// True for a step that counts as rest.
    fn is_still(&self, step: &Vector6<f64>) -> bool {
        step.fixed_rows::<3>(0).norm() <= self.settings.rest_distance
            && step.fixed_rows::<3>(3).norm() <= self.settings.rest_angle
    }

    /// One damped step: translation of the pivot and rotation about it.
    fn step(
        &self,
        sums: &Sums,
        hold: &Hold,
        pose: &Isometry3<f64>,
        pivot: &Point3<f64>,
        (scale, damping): (f64, f64),
    ) -> Option<Vector6<f64>> {
        let strong = &hold.strong;
        let mut hessian = strong.transpose() * sums.information.hessian * strong * scale;
        let mut gradient = strong.transpose() * sums.gradient * scale;
        if let Some(Known { pose: known, information, .. }) = &self.prior {
            let jacobian = origin_motion(pose, pivot);
            hessian += jacobian.transpose() * information * jacobian;
            gradient += jacobian.transpose() * information * deviation(pose, known);
        }
        let lever = sums.information.lever;
        let least = 1e-9 * scale * sums.information.total.max(1e-9);
        let diagonal = sums.information.hessian.diagonal() * (damping * scale)
            + Vector6::new(1.0, 1.0, 1.0, lever * lever, lever * lever, lever * lever) * least;
        (hessian + Matrix6::from_diagonal(&diagonal)).cholesky().map(|factor| factor.solve(&-gradient))
    }

    fn seek(&mut self, pieces: &[Piece], pose: &Isometry3<f64>) {
        seek(pieces, &self.target.levels, pose, self.settings, &mut self.pairs);
        self.sought_at = Some(*pose);
    }

    fn sums(&self, pose: &Isometry3<f64>, pivot: &Point3<f64>, kernel: Kernel) -> Sums {
        Sums::of(&self.pairs, pose, pivot, kernel)
    }

    /// Which directions hold, less what errors of the normals alone make up.
    fn hold(
        &self,
        sums: &Sums,
        (pose, pivot): (&Isometry3<f64>, &Point3<f64>),
        kernel: Kernel,
        weak_below: f64,
    ) -> Hold {
        if weak_below <= 0.0 {
            return Hold::everywhere();
        }
        let from_tilt = information_from_tilt(&self.pairs, pose, pivot, kernel);
        let sampled =
            |motion: &Vector6<f64>| sampling_variance(&self.pairs, pose, pivot, kernel, (motion, self.target.surfels));
        sums.information.hold(&from_tilt, weak_below, sampled)
    }

    /// The middle of the matched surfels: about it rotations and translations are told apart best.
    fn pivot(&self, pose: &Isometry3<f64>) -> Point3<f64> {
        let weigh = |pair: &Pair| pair.share / pair.variance;
        let total: f64 = self.pairs.iter().map(weigh).sum();
        let sum = self.pairs.iter().fold(Vector3::zeros(), |sum, pair| sum + pair.from.coords * weigh(pair));
        pose * Point3::from(sum / total.max(f64::MIN_POSITIVE))
    }

    fn prior_cost(&self, pose: &Isometry3<f64>) -> f64 {
        self.prior.as_ref().map_or(0.0, |Known { pose: known, information, .. }| {
            let off = deviation(pose, known);
            0.5 * off.dot(&(information * off))
        })
    }

    /// Covariance, quality and weak directions at the end.
    fn conclude(&mut self, rest: &Rest, pieces: &[Piece]) -> Registration {
        // where it rests, the last pairs, and what holds, are as good as new ones
        let is_near = |at: &Isometry3<f64>| rest.at_rest && is_near(at, &rest.pose, self.settings);
        let is_last = self.sought_at.as_ref().is_some_and(is_near);
        if !is_last {
            self.seek(pieces, &rest.pose);
        }
        let held = self.held.take().filter(|held| is_last && held.kernel == rest.kernel);
        let pivot = held.as_ref().map_or_else(|| self.pivot(&rest.pose), |held| held.pivot);
        let sums = self.sums(&rest.pose, &pivot, rest.kernel);
        let weak_below = self.settings.weak_below;
        let hold =
            held.map_or_else(|| self.hold(&sums, (&rest.pose, &pivot), rest.kernel, weak_below), |held| held.hold);
        let to_origin = origin_motion(&rest.pose, &pivot);
        let quality = quality(pieces, &self.pairs, &rest.pose, rest.kernel);
        Registration {
            source_in_target: rest.pose,
            covariance: self.covariance(&sums, &hold, &to_origin),
            matched_share: quality.share,
            distinct_share: quality.distinct_share,
            mean_distance: quality.mean_distance,
            converged: rest.at_rest && quality.matched >= self.settings.fewest_matched,
            iterations: rest.iterations,
            hold: hold.values,
            weak: hold.weak.iter().map(|weak| normalised(&(to_origin * weak))).collect(),
        }
    }

    fn covariance(&self, sums: &Sums, hold: &Hold, to_origin: &Matrix6<f64>) -> Matrix6<f64> {
        let scale = 1.0 / (self.settings.correlation * sums.spread);
        let of_pivot = hold.strong.transpose() * sums.information.hessian * hold.strong * scale;
        // the motion of the pivot that moves the origin: the inverse of `to_origin`
        let mut to_pivot = *to_origin;
        to_pivot.fixed_view_mut::<3, 3>(0, 3).neg_mut();
        let mut information = to_pivot.transpose() * of_pivot * to_pivot + Matrix6::identity();
        if let Some(known) = &self.prior {
            information += known.information;
        }
        let known = information.cholesky().map_or_else(Matrix6::identity, |factor| factor.inverse());
        let [place, turn] = self.settings.straightness.map(|deviation| deviation * deviation);
        known + Matrix6::from_diagonal(&Vector6::new(place, place, place, turn, turn, turn))
    }
}

impl Rest {
    /// Before the first stage, at a pose that is no farther off than `reach` [m].
    fn at(pose: &Isometry3<f64>, reach: f64) -> Rest {
        Rest { pose: *pose, kernel: Kernel { width: reach }, iterations: 0, at_rest: false, agreement: 0.0 }
    }
}

/// How the source's origin moves, to first order, when the source moves about the pivot.
fn origin_motion(pose: &Isometry3<f64>, pivot: &Point3<f64>) -> Matrix6<f64> {
    let arm: Matrix3<f64> = (Point3::from(pose.translation.vector) - pivot).cross_matrix();
    let mut motion = Matrix6::identity();
    motion.fixed_view_mut::<3, 3>(0, 3).copy_from(&-arm);
    motion
}

/// By how much a pose deviates from another one: translation, then rotation, along the axes of their common frame.
fn deviation(pose: &Isometry3<f64>, from: &Isometry3<f64>) -> Vector6<f64> {
    let moved = pose.translation.vector - from.translation.vector;
    let turned = (pose.rotation * from.rotation.inverse()).scaled_axis();
    Vector6::new(moved.x, moved.y, moved.z, turned.x, turned.y, turned.z)
}

/// True for poses no farther apart than a source moves that has come to rest.
fn is_near(pose: &Isometry3<f64>, other: &Isometry3<f64>, settings: &RegistrationSettings) -> bool {
    let between = pose.inv_mul(other);
    between.translation.vector.norm() <= settings.rest_distance && between.rotation.angle() <= settings.rest_angle
}

/// True for poses from which the finest level leads to the same place.
fn is_alike(pose: &Isometry3<f64>, other: &Isometry3<f64>) -> bool {
    let between = pose.inv_mul(other);
    between.translation.vector.norm() < 0.15 && between.rotation.angle() < 0.03
}

/// The pose after a translation of the pivot and a rotation about it.
fn moved(pose: &Isometry3<f64>, pivot: &Point3<f64>, step: &Vector6<f64>) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(step.fixed_rows::<3>(3).into_owned());
    let arm = pose.translation.vector - pivot.coords;
    let translation = pivot.coords + step.fixed_rows::<3>(0) + turn * arm;
    let mut rotation = turn * pose.rotation;
    rotation.renormalize();
    Isometry3::from_parts(Translation3::from(translation), rotation)
}

fn normalised(motion: &Vector6<f64>) -> Vector6<f64> {
    let length = motion.fixed_rows::<3>(0).norm().max(motion.fixed_rows::<3>(3).norm());
    motion / length.max(f64::MIN_POSITIVE)
}
