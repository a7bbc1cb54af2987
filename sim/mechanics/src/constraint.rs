//! What is always there between bodies, beside joints and contacts.

use nalgebra::{Isometry3, Unit, Vector3};

/// Something that holds or stops joints or bodies. All but buffers are as hard as a step can tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// A joint ends.
    Limit {
        /// The body that the joint moves.
        body: usize,
        /// Least position [rad or m]; −∞ for none.
        lower: f64,
        /// Largest position [rad or m]; ∞ for none.
        upper: f64,
        /// How its ends give way; `None` for not at all.
        buffer: Option<Buffer>,
    },
    /// A joint follows another, and is felt by it: its position is `ratio` times the other's and `offset`.
    Coupling {
        /// The body that the following joint moves.
        follower: usize,
        /// The body that the other joint moves.
        master: usize,
        /// [rad/rad, m/m, rad/m or m/rad]
        ratio: f64,
        /// [rad or m]
        offset: f64,
    },
    /// Two bodies are joined that do not carry each other: a loop is closed.
    Closure {
        /// One body.
        body: usize,
        /// The other, or the world.
        other: Option<usize>,
        /// A frame in the one [m].
        frame_in_body: Isometry3<f64>,
        /// The frame in the other with which it coincides [m].
        frame_in_other: Isometry3<f64>,
        /// In what it may still move.
        kind: Closure,
    },
}

/// The ends of a joint that give way: a spring and a damper, where the joint has reached them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Buffer {
    /// [N·m/rad or N/m]
    pub stiffness: f64,
    /// [N·m·s/rad or N·s/m]
    pub damping: f64,
}

/// How two bodies are joined that do not carry each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Closure {
    /// Their origins coincide; they turn as they like.
    Ball,
    /// They turn about an axis that is fixed in the first one's frame.
    Hinge(Unit<Vector3<f64>>),
    /// Not at all.
    Weld,
}

/// A constraint's spring brings its mass to rest in so many steps: under its own weight it gives way by g (h/2)², 2.5 µm at 1 ms.
const PERIOD: f64 = 0.5;
/// Its damper does in this share of a step.
const DAMPING: f64 = 10.0;

/// A spring and a damper as hard as a step can tell: how the impulse falls with the velocity at the end of a step of `step` [s], and what
/// it is per displacement in the middle of the step, for a mass of one.
pub(crate) fn hard(step: f64) -> Hard {
    let spring = step / (PERIOD * step * PERIOD * step);
    Hard { slope: 0.5 * step * spring + DAMPING, spring }
}

/// See [`hard`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hard {
    pub slope: f64,
    pub spring: f64,
}
