//! The way of a foot through the air.

use nalgebra::Vector2;
use walking::swing::Swing;
use walking::{Footstep, SwingSettings};

use super::LegsAndBody;
use crate::geometry::{Rectangle, ahead, middle_beside};
use crate::refusal::{Reason, Refusal};
use crate::terrain::Terrain;

/// A swing is looked at so many times.
const LOOKS: u32 = 30;
/// Clearances are tried in steps of this [m].
const FINER: f64 = 0.02;
/// The sole is looked at in so many pieces, since it may lean.
const PIECES: u32 = 4;
/// After this share of the time, and so much before the end, the whole margin is asked for.
const RAMP: f64 = 0.25;

impl LegsAndBody {
    /// How high over both feet the ways of feet need to be that belong to this step [m].
    pub(super) fn lift(&self, terrain: &dyn Terrain, stance: &Footstep, step: &Footstep) -> Result<f64, Refusal> {
        let own = self.over(terrain, stance, &self.beside(stance), step)?;
        let next = self.over(terrain, stance, &stance.position.xy(), &self.as_seen(step, stance))?;
        Ok(own.max(next))
    }

    /// Where the other foot passes a foot that stands.
    fn beside(&self, foot: &Footstep) -> Vector2<f64> {
        let middle = middle_beside(foot, self.width);
        middle + (middle - foot.position.xy())
    }

    /// Where `stance` passes a foot that stands at `step`: a footstep of that height.
    fn as_seen(&self, step: &Footstep, stance: &Footstep) -> Footstep {
        Footstep { position: self.beside(step).push(step.position.z), ..*stance }
    }

    fn over(
        &self,
        terrain: &dyn Terrain,
        stance: &Footstep,
        from: &Vector2<f64>,
        to: &Footstep,
    ) -> Result<f64, Refusal> {
        // the ends are where feet stand, which is looked at elsewhere
        const ENDS: f64 = 0.02;
        let [length, width] = self.half_sole;
        let area = Rectangle::strip(from, &to.position.xy(), &ahead(to.yaw), length - ENDS, width);
        let feet = stance.position.z.max(to.position.z);
        let free = self.swing.clearance - self.settings.margin;
        let Some(highest) = terrain.rises_above(&area, feet + free.min(self.settings.bump)) else { return Ok(0.0) };
        let lift = highest - feet + self.settings.margin;
        Refusal::unless(Reason::Swing, [f64::NEG_INFINITY, self.settings.clearance], lift)?;
        Ok(lift)
    }

    /// The least clearance, from that of the gait on, with which a swing touches nothing.
    pub(super) fn clearance(
        &self,
        terrain: &dyn Terrain,
        start: &Footstep,
        target: &Footstep,
    ) -> Result<f64, Refusal> {
        let (mut clearance, most) = (self.swing.clearance, self.settings.clearance.max(self.swing.clearance));
        loop {
            let Some(short) = self.touches(terrain, start, target, clearance) else { return Ok(clearance) };
            if clearance >= most {
                let expected = [f64::NEG_INFINITY, most];
                return Err(Refusal { reason: Reason::Swing, expected, found: most + short });
            }
            clearance = (clearance + FINER).min(most);
        }
    }

    /// How much too low the first place is where a swing touches ground [m].
    fn touches(&self, terrain: &dyn Terrain, start: &Footstep, target: &Footstep, clearance: f64) -> Option<f64> {
        let settings = SwingSettings { clearance, ..self.swing };
        // its shape does not depend on how long it takes
        let swing = Swing::new(*start, *target, 1.0, &settings);
        (1..LOOKS).find_map(|look| {
            let share = f64::from(look) / f64::from(LOOKS);
            let motion = swing.at(share, &settings);
            let foot = Footstep::at(start.side, &motion.pose);
            let sureness = (share.min(1.0 - share) / RAMP).min(1.0);
            let room = self.settings.margin * sureness - self.settings.bump * (1.0 - sureness);
            self.sole_touches(terrain, &foot, room)
        })
    }

    /// How far the ground reaches nearer than `room` to a sole [m].
    fn sole_touches(&self, terrain: &dyn Terrain, foot: &Footstep, room: f64) -> Option<f64> {
        let sole = Rectangle::sole(foot, self.half_sole);
        let half = sole.half.x / f64::from(PIECES);
        (0..PIECES).find_map(|piece| {
            let centre = sole.place((2.0 * f64::from(piece) + 1.0) * half - sole.half.x, 0.0);
            let off = centre - sole.centre;
            let height = foot.position.z - (foot.normal.x * off.x + foot.normal.y * off.y) / foot.normal.z;
            let area = Rectangle { centre, half: Vector2::new(half, sole.half.y), ..sole };
            terrain.rises_above(&area, height - room).map(|highest| highest + room - height)
        })
    }
}
