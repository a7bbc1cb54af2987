//! What counts as a fall.

use robot_io::Time;
use worlds::World;

use crate::session::Session;

/// A base that leans more than 45° has fallen: the cosine of it.
const UPRIGHT: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// So has one that is lower over the ground than this share of its height when the watch began.
const HEIGHT_SHARE: f64 = 0.6;

/// The words for both, and for all else that is no survival.
pub const IN_WORDS: &str = "its base never leans more than 45° and is never lower over the ground than 60 % of its height before, the base stays over the \
    terrain, the mission is not stopped (by the robot's own supervision or because a step cannot be done), its controller does not panic, and every \
    state of the simulation is a number";

/// Watches a robot by the truth.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// Height of the base over the ground when the watch began [m].
    height: f64,
    /// When that was …
    begun: Time,
    /// … and what began then.
    after: &'static str,
}

impl Watch {
    /// Begins to watch a robot that stands or goes; `after` says since when, as "after the push began".
    pub fn begin(session: &Session, world: &World, after: &'static str) -> Watch {
        Watch { height: height(session, world).unwrap_or(0.0), begun: session.readings().time, after }
    }

    /// What became of it, if it has not survived the last cycle.
    pub fn fate(&self, session: &Session, world: &World) -> Option<String> {
        let then = format_args!("{:.2} s {}", session.readings().time.since(self.begun).seconds(), self.after);
        if let Some(message) = session.record().panicked.as_deref() {
            return Some(format!("the controller panics {then}: {message}"));
        }
        if let Some(fault) = session.broken() {
            return Some(format!("the simulation breaks {then}: {fault}"));
        }
        if let Some(cause) = session.status().stop_cause() {
            return Some(format!("the mission is stopped {then}: {cause}"));
        }
        let up = (session.observation().truth.base_in_world.rotation * nalgebra::Vector3::z()).z;
        // a number that is none is no survival either
        if up.is_nan() || up < UPRIGHT {
            return Some(format!("it falls over {then}"));
        }
        match height(session, world) {
            None => Some(format!("it leaves the terrain {then}")),
            Some(height) if height < HEIGHT_SHARE * self.height => Some(format!("it sinks to the ground {then}")),
            Some(_) => None,
        }
    }
}

/// Height of the base over the ground below it [m]; `None` beside the terrain.
fn height(session: &Session, world: &World) -> Option<f64> {
    let base = session.observation().truth.base_in_world.translation.vector;
    world.terrain.height_at(base.x, base.y).map(|ground| base.z - ground)
}
