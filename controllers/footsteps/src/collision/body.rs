//! Shins and the body.

use nalgebra::Vector3;
use robot_io::Pose2;
use walking::Footstep;

use super::{LegsAndBody, Room};
use crate::geometry::{Rectangle, midway};
use crate::refusal::{Reason, Refusal};
use crate::terrain::Terrain;

/// The ground in front of a shin is looked at in so many pieces.
const PIECES: u32 = 4;

impl LegsAndBody {
    /// The nearer to the ankle, the lower the ground in front of it has to be, for the shin leans forward.
    pub(super) fn check_shin(&self, terrain: &dyn Terrain, foot: &Footstep) -> Result<(), Refusal> {
        let settings = &self.settings;
        let under = Rectangle::sole(foot, self.half_sole);
        let longest = settings.shin + (settings.knee - settings.ankle) * libm::tan(settings.lean);
        let piece = (longest + settings.shin) / f64::from(PIECES);
        for number in 0..PIECES {
            let near = f64::from(number) * piece - settings.shin;
            let leaning = (near - settings.shin).max(0.0) / libm::tan(settings.lean).max(1e-3);
            let most = settings.ankle + leaning.min(settings.knee - settings.ankle);
            let centre = under.place(near + 0.5 * piece, 0.0);
            let area = Rectangle { centre, half: [0.5 * piece, settings.shin].into(), ..under };
            if let Some(height) = terrain.rises_above(&area, foot.position.z + most) {
                let found = height - foot.position.z;
                return Err(Refusal { reason: Reason::Shin, expected: [f64::NEG_INFINITY, most], found });
            }
        }
        Ok(())
    }

    /// Half the length and half the width that it wants [m].
    fn body(&self) -> [f64; 2] {
        self.settings.body.map(|half| half + self.settings.room)
    }

    /// Between both feet is the body.
    pub(super) fn check_body(&self, terrain: &dyn Terrain, one: &Footstep, other: &Footstep) -> Result<(), Refusal> {
        let stands = 0.5 * (one.position.z + other.position.z);
        let body = Rectangle::at(&midway(one, other), self.body());
        let Some(height) = terrain.rises_above(&body, stands + self.settings.bottom) else { return Ok(()) };
        let expected = [f64::NEG_INFINITY, self.settings.bottom];
        Err(Refusal { reason: Reason::Body, expected, found: height - stands })
    }

    /// The inner circle of the body has to fit in any case; where the square around its outer circle fits, it can turn.
    pub(super) fn room_for_body(&self, terrain: &dyn Terrain, place: &Vector3<f64>) -> Room {
        let [length, width] = self.body();
        let is_free = |half: f64| {
            let around = Rectangle::at(&Pose2 { x: place.x, y: place.y, yaw: 0.0 }, [half; 2]);
            terrain.rises_above(&around, place.z + self.settings.bottom).is_none()
        };
        if is_free(libm::hypot(length, width)) {
            return Room::Wide;
        }
        // the square within the circle within the box
        if is_free(core::f64::consts::FRAC_1_SQRT_2 * length.min(width)) { Room::Narrow } else { Room::None }
    }
}
