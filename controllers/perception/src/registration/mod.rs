//! Where an object is, from its model: generalised ICP of the points of a cluster against the side of the model that the camera sees.
//!
//! Segal, Haehnel and Thrun, "Generalized-ICP" (RSS 2009), as in Momaro (Schwarz et al. 2016, section 7). What is added: covariances are those of
//! the sensor instead of a number for all points; the start is looked for among all orientations that the cluster's principal axes allow; a pose that
//! the depth picture contradicts is refused.

mod align;
mod fitness;
mod registrar;
mod seen;
mod settings;
mod starts;
mod target;

pub use fitness::Fitness;
pub use registrar::{Misfit, Registered, Registrar, Scene};
pub use settings::RegistrationSettings;
