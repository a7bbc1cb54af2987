//! Objects in what colour and depth cameras see: where they are, how they are turned, and which of them is which from picture to picture.
//!
//! ```text
//! far   colour picture ─▶ colour classes ─▶ blobs ─▶ ray through the foot, ground ─▶ Sighting: place, covariance
//! near  depth picture ─▶ points ─▶ planes (RANSAC) ─▶ clusters ─▶ models (generalised ICP) ─▶ Registered: pose, covariance, fitness
//! both  ─▶ Detection ─▶ WorldModel: objects with identities, confirmed before use, lost when they are not where they should be seen
//! ```
//!
//! The method is that of Momaro: Schwarz et al., "Supervised Autonomy for Exploration and Mobile Manipulation in Rough Terrain with a Centaur-Like
//! Robot" (2016), section 7; the world model is after Leitner et al. (2015). What the authors lacked is here as well: each place and pose has a
//! covariance, a model that does not fit is refused, and where a camera really sits is found from what it sees in the hand ([`calibrate`]).
//!
//! Inputs are pictures, the pose of their camera in a frame that is fixed, and which way is up; z of that frame is up where nothing else is said.
//! SI units. The same pictures have the same results, to the bit; nothing here knows a clock or a thread.

mod calibration;
mod camera;
mod cloud;
mod colour;
mod error;
mod ground;
mod model;
mod recognition;
mod registration;
mod sighting;
mod tracking;
mod union_find;

pub use calibration::{Calibration, CalibrationSettings, Observation, calibrate};
pub use camera::{CameraView, DepthNoise};
pub use cloud::{
    Cluster, ClusterFinder, ClusterSettings, DepthCloud, NormalSettings, Plane, PlaneFinder, PlaneSettings,
};
pub use colour::{Blob, BlobFinder, ColourClass, ColourTable, Ellipse, MOST_CLASSES, yuv_of};
pub use error::PerceptionError;
pub use ground::{Ground, GroundHit};
pub use model::{Catalogue, MOST_TURNS, ObjectModel, Part, Shape, Surface, SurfacePoint, Symmetry};
pub use recognition::{Pictures, Recognised, Recogniser, RecognitionSettings};
pub use registration::{Fitness, Misfit, Registered, Registrar, RegistrationSettings, Scene};
pub use sighting::{Sighting, SightingFinder, SightingSettings};
pub use tracking::{Detection, Look, ObjectClass, Track, TrackEvent, TrackingSettings, WorldModel, look_at};

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
