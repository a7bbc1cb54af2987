//! What can be wrong with a model.

/// Why bodies make no model.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MechanicsError {
    /// A body before the one that carries it.
    #[error("body {body}: expected a parent with a lower number, found {parent}")]
    Order {
        /// The body.
        body: usize,
        /// Its parent.
        parent: usize,
    },
    /// A free joint between two bodies.
    #[error("body {body}: expected a free joint only where nothing carries the body")]
    CarriedAndFree {
        /// The body.
        body: usize,
    },
    /// Mass or inertia that no body has.
    #[error(
        "body {body}: expected a mass and a positive definite inertia, found {mass} kg and a least principal inertia of {least} kg·m²"
    )]
    Inertia {
        /// The body.
        body: usize,
        /// [kg]
        mass: f64,
        /// [kg·m²]
        least: f64,
    },
}
