//! A model, a cluster, and what becomes of the two.

use nalgebra::{Isometry3, Matrix6, Unit, UnitQuaternion, Vector3};
use robot_io::Settings;
use thiserror::Error;

use super::align::{Side, residuals, step};
use super::fitness::{Fitness, agreement};
use super::seen::Visibility;
use super::settings::RegistrationSettings;
use super::starts::starts;
use super::target::{TargetPoint, take};
use crate::camera::CameraView;
use crate::cloud::{Cluster, DepthCloud};
use crate::error::PerceptionError;
use crate::model::{ObjectModel, Surface, SurfacePoint};

/// What a model is registered in.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The depth picture.
    pub cloud: &'a DepthCloud,
    /// The cluster.
    pub cluster: &'a Cluster,
    /// Which way is up where it stands, for example the normal of its plane.
    pub up: Unit<Vector3<f64>>,
    /// The orientation to which poses that look alike are brought nearest, for example that of the robot's base.
    pub reference: UnitQuaternion<f64>,
}

/// An object whose pose is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Registered {
    /// The object in the fixed frame; of all that look alike the canonical one.
    pub pose: Isometry3<f64>,
    /// Of that pose: translation [m²], then rotation [rad²], along the axes of the fixed frame. About an axis about which the object is round,
    /// nothing is known: π²/3 rad², an angle that is uniform on the circle.
    pub covariance: Matrix6<f64>,
    /// How well it fits.
    pub fitness: Fitness,
    /// Another pose that fits about as well, if there is one: what would tell the two apart is not seen. Then the orientation is not to be relied on.
    pub rival: Option<Isometry3<f64>>,
}

/// Why a model is not where the cluster is.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum Misfit {
    /// No start led anywhere.
    #[error("the model found no partners among {0} points")]
    NoPartners(usize),
    /// Too few of the cluster's points lie on the model.
    #[error("of the cluster's points {found:.2} lie on the model, expected {expected:.2}")]
    Matched {
        /// The share that is asked for.
        expected: f64,
        /// The share found.
        found: f64,
    },
    /// The picture shows something else where the model should be seen.
    #[error("of the model's points {found:.2} are where they should be seen, expected {expected:.2}")]
    Agreement {
        /// The share that is asked for.
        expected: f64,
        /// The share found.
        found: f64,
    },
    /// The points lie too far from the surface.
    #[error("points lie {found:.1} standard deviations from the surface, expected at most {expected:.1}")]
    Distance {
        /// Most standard deviations.
        expected: f64,
        /// Those found.
        found: f64,
    },
    /// Too little of the side that should be seen is seen: a few points fit many models.
    #[error("of the model's side that faces the camera {found:.2} are seen, expected {expected:.2}")]
    Shown {
        /// The share that is asked for.
        expected: f64,
        /// The share found.
        found: f64,
    },
    /// Too much of the model is outside the picture: the camera should look at it.
    #[error("of the model {found:.2} are outside the picture, expected at most {expected:.2}")]
    Cut {
        /// The largest share that is allowed.
        expected: f64,
        /// The share found.
        found: f64,
    },
    /// The colour picture shows another colour than the model's.
    #[error("of the cluster's points {found:.2} have the model's colour, expected {expected:.2}")]
    Colour {
        /// The share that is asked for.
        expected: f64,
        /// The share found.
        found: f64,
    },
    /// Too little of the model is seen.
    #[error("{found} points of the model are seen, expected at least {expected}")]
    Seen {
        /// Fewest points.
        expected: usize,
        /// Points found.
        found: usize,
    },
}

/// Registers models. Keeps its memory.
#[derive(Clone, Debug)]
pub struct Registrar {
    settings: RegistrationSettings,
    visibility: Visibility,
    coarse: Vec<TargetPoint>,
    fine: Vec<TargetPoint>,
}

/// A start that leads to a smaller product of the shares that match and agree is not followed further.
const HOPELESS: f64 = 0.4;
/// Between finding anew what is seen.
const STEPS_PER_LOOK: usize = 4;
/// What holds a pose that its points do not: half of the last gate, and this [rad].
const LOOSE_ANGLE: f64 = 0.35;

impl Registrar {
    /// A registrar with these settings.
    pub fn new(settings: RegistrationSettings) -> Result<Registrar, PerceptionError> {
        settings.check()?;
        Ok(Registrar { settings, visibility: Visibility::default(), coarse: Vec::new(), fine: Vec::new() })
    }

    /// Whether so much of a model at a pose is in a picture that it is not refused for what is outside.
    pub fn has_in_picture(&self, model: &ObjectModel, view: &CameraView, pose: &Isometry3<f64>) -> bool {
        share_outside(model, view, pose) <= self.settings.most_outside
    }

    /// Where a model is if the cluster is of such an object. `is_own` says of a pixel whether it is of that cluster.
    pub fn register(
        &mut self,
        model: &ObjectModel,
        scene: &Scene<'_>,
        is_own: impl Fn(usize) -> bool,
    ) -> Result<Registered, Misfit> {
        let (settings, cluster) = (self.settings, scene.cluster);
        let mut coarse = core::mem::take(&mut self.coarse);
        let mut fine = core::mem::take(&mut self.fine);
        take(scene.cloud, &cluster.pixels, settings.coarse_points, settings.along_surface, &mut coarse);
        take(scene.cloud, &cluster.pixels, settings.fine_points, settings.along_surface, &mut fine);
        let starts = starts(model, cluster, &scene.up, scene.cloud.view(), &mut self.visibility);
        let mut found: Vec<(Isometry3<f64>, Fitness)> = Vec::new();
        for start in starts {
            let few = model.coarse();
            let pose = self.follow(few, scene, &coarse, start, settings.first_gate, settings.coarse_steps);
            let judged = pose.and_then(|pose| Some((pose, self.judge(few, scene, &coarse, &pose, &is_own)?.0)));
            found.extend(judged);
        }
        found.sort_by(|one, other| other.1.score().total_cmp(&one.1.score()));
        let mut ends: Vec<(Isometry3<f64>, Fitness)> = Vec::new();
        let gate = 0.5 * (settings.first_gate + settings.last_gate);
        for (start, fitness) in distinct(model, &found, settings.last_gate).iter().take(settings.finalists) {
            // nothing like the model is there
            if fitness.matched * fitness.agreement < HOPELESS {
                break;
            }
            let pose = self.follow(model.surface(), scene, &coarse, *start, gate, settings.fine_steps / 2);
            let judged =
                pose.and_then(|pose| Some((pose, self.judge(model.surface(), scene, &coarse, &pose, &is_own)?.0)));
            ends.extend(judged);
        }
        ends.sort_by(|one, other| other.1.score().total_cmp(&one.1.score()));
        let refined = ends.first().and_then(|(start, _)| {
            let pose = self.follow(model.surface(), scene, &fine, *start, settings.last_gate, settings.fine_steps)?;
            let (fitness, information) = self.judge(model.surface(), scene, &fine, &pose, &is_own)?;
            Some((pose, fitness, information))
        });
        let (count, best) = (fine.len(), found.first().map(|(_, fitness)| *fitness));
        (self.coarse, self.fine) = (coarse, fine);
        let Some((pose, fitness, information)) = refined else {
            return Err(best.and_then(|fitness| self.believe(&fitness).err()).unwrap_or(Misfit::NoPartners(count)));
        };
        self.believe(&fitness)?;
        if cluster.is_cut {
            self.is_inside(model, scene, &pose, &fitness)?;
        }
        let differs = |other: &Isometry3<f64>| {
            let shift = (other.translation.vector - pose.translation.vector).norm();
            shift > settings.last_gate || model.symmetry().angle_between(&other.rotation, &pose.rotation) > LOOSE_ANGLE
        };
        // all ends are judged by the same points
        let leader = ends.first().map_or(0.0, |(_, fitness)| fitness.score());
        let fits_too = |other: &Fitness| other.score() >= leader - settings.least_lead;
        let rival = ends.iter().find(|(other, as_well)| fits_too(as_well) && differs(other));
        // of points that share their errors only some tell something of their own
        let independent = cluster.pixels.len() as f64 / scene.cloud.noise().shared_pixels;
        let information = information * (independent / count.max(1) as f64).min(1.0);
        let covariance = self.covariance(model, &pose, &information, fitness.misfit);
        let canonical = |pose: &Isometry3<f64>| model.symmetry().canonical(pose, &scene.reference);
        Ok(Registered { pose: canonical(&pose), covariance, fitness, rival: rival.map(|(other, _)| canonical(other)) })
    }

    fn follow(
        &mut self,
        surface: &Surface,
        scene: &Scene<'_>,
        target: &[TargetPoint],
        start: Isometry3<f64>,
        first_gate: f64,
        steps: usize,
    ) -> Option<Isometry3<f64>> {
        let settings = self.settings;
        let (mut pose, mut gate, mut side) = (start, first_gate, None);
        for number in 0..steps {
            if number % STEPS_PER_LOOK == 0 {
                side = Side::new(self.visibility.seen(surface, &pose, scene.cloud.view()));
            }
            let (shift, turn) = step(side.as_ref()?, target, &mut pose, gate, &settings)?;
            let is_narrow = gate <= settings.last_gate;
            if is_narrow && shift < settings.convergence && turn < settings.angle_convergence {
                break;
            }
            gate = (gate * settings.gate_shrinking).max(settings.last_gate);
        }
        Some(pose)
    }

    fn judge(
        &mut self,
        surface: &Surface,
        scene: &Scene<'_>,
        target: &[TargetPoint],
        pose: &Isometry3<f64>,
        is_own: &impl Fn(usize) -> bool,
    ) -> Option<(Fitness, Matrix6<f64>)> {
        let seen = self.visibility.seen(surface, pose, scene.cloud.view());
        let side = Side::new(seen)?;
        let found = residuals(&side, target, pose, &self.settings);
        let agreement = agreement(seen, scene.cloud, is_own);
        let fitness = Fitness {
            matched: found.matched,
            agreement: agreement.share,
            shown: agreement.shown,
            seen: agreement.seen,
            distance: found.distance,
            misfit: found.misfit,
        };
        Some((fitness, found.information))
    }

    fn believe(&self, fitness: &Fitness) -> Result<(), Misfit> {
        let RegistrationSettings { least_matched, least_agreement, most_misfit, least_shown, least_seen, .. } =
            self.settings;
        if fitness.matched < least_matched {
            return Err(Misfit::Matched { expected: least_matched, found: fitness.matched });
        }
        if fitness.agreement < least_agreement {
            return Err(Misfit::Agreement { expected: least_agreement, found: fitness.agreement });
        }
        if fitness.misfit > most_misfit {
            return Err(Misfit::Distance { expected: most_misfit, found: fitness.misfit });
        }
        if fitness.shown < least_shown {
            return Err(Misfit::Shown { expected: least_shown, found: fitness.shown });
        }
        if fitness.seen < least_seen {
            return Err(Misfit::Seen { expected: least_seen, found: fitness.seen });
        }
        Ok(())
    }

    /// Of an object at the picture's border most must be inside: what is outside leaves it free.
    fn is_inside(
        &self,
        model: &ObjectModel,
        scene: &Scene<'_>,
        pose: &Isometry3<f64>,
        fitness: &Fitness,
    ) -> Result<(), Misfit> {
        let found = share_outside(model, scene.cloud.view(), pose);
        let RegistrationSettings { most_outside, least_shown_at_border, .. } = self.settings;
        if found > most_outside {
            return Err(Misfit::Cut { expected: most_outside, found });
        }
        let (expected, found) = (least_shown_at_border, fitness.shown);
        if found < expected { Err(Misfit::Shown { expected, found }) } else { Ok(()) }
    }

    /// The inverse of the information of the distances to the surface, with what holds the pose anyway, larger where the points fit worse than the
    /// sensor's noise explains.
    fn covariance(
        &self,
        model: &ObjectModel,
        pose: &Isometry3<f64>,
        information: &Matrix6<f64>,
        misfit: f64,
    ) -> Matrix6<f64> {
        let place = 0.5 * self.settings.last_gate;
        let mut held = information / misfit.max(1.0).powi(2);
        for axis in 0..6 {
            let deviation = if axis < 3 { place } else { LOOSE_ANGLE };
            held[(axis, axis)] += 1.0 / (deviation * deviation);
        }
        let covariance = held.try_inverse().unwrap_or_else(Matrix6::identity);
        model.symmetry().forget_free_turn(&covariance, &pose.rotation)
    }
}

/// Of poses that are the same as far as one can see only the first.
fn distinct(model: &ObjectModel, poses: &[(Isometry3<f64>, Fitness)], apart: f64) -> Vec<(Isometry3<f64>, Fitness)> {
    let mut kept: Vec<(Isometry3<f64>, Fitness)> = Vec::new();
    for (pose, fitness) in poses {
        let is_same = |(other, _): &(Isometry3<f64>, Fitness)| {
            let shift = (other.translation.vector - pose.translation.vector).norm();
            shift < apart && model.symmetry().angle_between(&other.rotation, &pose.rotation) < 0.5 * LOOSE_ANGLE
        };
        if !kept.iter().any(is_same) {
            kept.push((*pose, *fitness));
        }
    }
    kept
}

/// Share of a model at a pose that is outside of a picture.
fn share_outside(model: &ObjectModel, view: &CameraView, pose: &Isometry3<f64>) -> f64 {
    let is_outside = |sample: &&SurfacePoint| {
        let place = view.project(&(pose * sample.point));
        place.and_then(|(column, row, _)| view.pixel(column, row)).is_none()
    };
    let points = &model.surface().points;
    points.iter().filter(is_outside).count() as f64 / points.len() as f64
}
