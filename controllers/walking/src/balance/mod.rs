//! From the measured DCM to the wanted point of pressure, its shares for the feet, and how feet give way.

mod admittance;
mod distribute;
mod track;

pub use admittance::{AdmittanceSettings, FootAdmittance, FootWrench, Yield};
pub use distribute::{FootLoad, distribute};
pub use track::{Filter, TrackSettings, Tracker, Wanted};
