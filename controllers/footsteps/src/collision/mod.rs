//! What must not be touched: by shins, by the body, and by the foot in the air.

mod body;
mod settings;
mod swing;

pub use settings::CollisionSettings;

use core::fmt::Debug;

use nalgebra::Vector3;
use robot_io::Settings;
use walking::{Footstep, SwingSettings};

use crate::error::FootstepError;
use crate::refusal::Refusal;
use crate::terrain::Terrain;

/// What must not be touched.
pub trait Collision: Debug + Send + Sync {
    /// Refuses a foot whose leg cannot stand there.
    fn stand(&self, terrain: &dyn Terrain, foot: &Footstep) -> Result<(), Refusal>;

    /// Refuses a step for what stands where the body is meanwhile, or where feet pass, and tells how high over both feet a foot that
    /// passes has to be lifted [m]. Half of the way of each foot belongs to this step: the end of its own, from beside
    /// `stance` on, and the beginning of that of `stance`, as far as beside it. `lifted` is where the foot that is set down stands before, if
    /// that is known; then its whole way counts.
    fn step(
        &self,
        terrain: &dyn Terrain,
        lifted: Option<&Footstep>,
        stance: &Footstep,
        step: &Footstep,
    ) -> Result<f64, Refusal>;

    /// The clearance that a swing from `start` to `target` needs [m]: [`SwingSettings::clearance`]. Refused if none is enough.
    fn swing(&self, terrain: &dyn Terrain, start: &Footstep, target: &Footstep) -> Result<f64, Refusal>;

    /// How much room there is for the body of a robot that stands at this height at a place.
    fn room(&self, terrain: &dyn Terrain, place: &Vector3<f64>) -> Room;
}

/// Room for the body at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It fits at no heading.
    None,
    /// It may fit at some.
    Narrow,
    /// It fits at every heading.
    Wide,
}

/// Legs that lean forward, a box for the body, and feet that swing as [`walking::swing`] has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegsAndBody {
    settings: CollisionSettings,
    swing: SwingSettings,
    half_sole: [f64; 2],
    width: f64,
}

impl LegsAndBody {
    /// For a robot with soles of this half length and half width, so much between its feet [m], and swings as the gait makes them.
    pub fn new(
        settings: CollisionSettings,
        swing: SwingSettings,
        half_sole: [f64; 2],
        width: f64,
    ) -> Result<LegsAndBody, FootstepError> {
        settings.check()?;
        swing.check()?;
        Ok(LegsAndBody { settings, swing, half_sole, width })
    }
}

impl Collision for LegsAndBody {
    fn stand(&self, terrain: &dyn Terrain, foot: &Footstep) -> Result<(), Refusal> {
        self.check_shin(terrain, foot)
    }

    fn step(
        &self,
        terrain: &dyn Terrain,
        lifted: Option<&Footstep>,
        stance: &Footstep,
        step: &Footstep,
    ) -> Result<f64, Refusal> {
        self.check_body(terrain, stance, step)?;
        let lift = self.lift(terrain, stance, step)?;
        if let Some(start) = lifted.filter(|start| lift > 0.0 || self.passes_over(terrain, start, step)) {
            self.clearance(terrain, start, step)?;
        }
        Ok(lift)
    }

    fn swing(&self, terrain: &dyn Terrain, start: &Footstep, target: &Footstep) -> Result<f64, Refusal> {
        self.clearance(terrain, start, target)
    }

    fn room(&self, terrain: &dyn Terrain, place: &Vector3<f64>) -> Room {
        self.room_for_body(terrain, place)
    }
}
