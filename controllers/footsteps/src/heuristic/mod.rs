//! How far it is to the goal.

mod ground;
mod settings;

pub use ground::AroundObstacles;
pub use settings::GuideSettings;

use core::fmt::Debug;

use walking::Footstep;

use crate::collision::Collision;
use crate::cost::Cost;
use crate::terrain::{FootingSettings, Terrain};

/// What a heuristic may look at before a search begins.
#[derive(Debug)]
pub struct Question<'a> {
    /// The ground.
    pub terrain: &'a dyn Terrain,
    /// What steps cost.
    pub cost: &'a dyn Cost,
    /// What must not be touched.
    pub collision: &'a dyn Collision,
    /// Which ground carries.
    pub footing: &'a FootingSettings,
    /// Half the length and half the width of a sole [m].
    pub half_sole: [f64; 2],
    /// Where the feet are: left, right.
    pub start: [Footstep; 2],
    /// Where they shall be.
    pub goal: [Footstep; 2],
}

/// Says how far it is to the goal, so that a search goes the right way. It may be wrong: how good a way is is told by
/// [`Cost::bound`] alone, and where that says more it counts.
pub trait Heuristic: Debug + Send + Sync {
    /// Looks at the ground once.
    fn prepare(&self, question: &Question<'_>) -> Box<dyn Guide>;
}

/// What a [`Heuristic`] has found out.
pub trait Guide: Debug + Send {
    /// What the way from a foot to the goal may cost, in the unit of [`Cost`]; not negative, never not-a-number.
    fn left(&self, foot: &Footstep) -> f64;
}

/// Knows nothing of the ground: the straight way counts. It never says too much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Straight;

impl Heuristic for Straight {
    fn prepare(&self, _: &Question<'_>) -> Box<dyn Guide> {
        Box::new(Straight)
    }
}

impl Guide for Straight {
    fn left(&self, _: &Footstep) -> f64 {
        0.0
    }
}
