//! What met what.

/// Something that can be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touching {
    /// A link, by its index in the tree. Links that move as one are one thing: it is one of them.
    Link(usize),
    /// An object, by its index in the scene.
    Object(usize),
    /// Ground or points, by their index in the scene's surroundings.
    Surroundings(usize),
}

/// Two things that are nearer to each other than is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// What moves.
    pub one: Touching,
    /// What it meets.
    pub other: Touching,
}
