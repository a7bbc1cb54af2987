//! The way of a foot through the air.

use nalgebra::Vector2;
use walking::swing::Swing;
use walking::{Footstep, SwingSettings};

use super::LegsAndBody;
use crate::geometry::{Rectangle, ahead, middle_beside};
use crate::refusal::{Reason, Refusal};
use crate::terrain::Terrain;

/// A swing is looked at so many times.
const LOOKS: u32 = 20;
/// Clearances that are tried are no nearer to each other than this [m].
const FINER: f64 = 0.02;
/// The sole is looked at in so many pieces, since it may lean.
const PIECES: u32 = 4;
/// After this share of the time, and so much before the end, the whole margin is asked for.
const RAMP: f64 = 0.25;

/// How much of its clearance a foot has at least while its middle passes a piece of its way, which is that from a foot that stands to beside the
/// other one: from, to, share. The very beginning and end are where feet stand, which is looked at elsewhere. Figures of
/// [`walking::swing`] with its default settings.
const LIFTED: [[f64; 3]; 4] = [[0.14, 0.26, 0.5], [0.26, 0.4, 0.72], [0.4, 0.57, 0.89], [0.57, 1.0, 0.98]];
/// The same on the way from beside a foot to where it is set down.
const SET_DOWN: [[f64; 3]; 5] =
    [[0.0, 0.36, 0.92], [0.36, 0.54, 0.82], [0.54, 0.69, 0.68], [0.69, 0.82, 0.53], [0.82, 0.91, 0.37]];

/// A piece of a foot's way, in a straight line.
struct Way {
    from: Vector2<f64>,
    to: Vector2<f64>,
    /// Where the foot looks.
    ahead: Vector2<f64>,
    /// Height of the higher foot of those that stand before and behind it, and how much higher the end of a sole is that leans [m].
    feet: f64,
}

impl LegsAndBody {
    /// How high over both feet the ways of feet need to be that belong to this step [m].
    pub(super) fn lift(&self, terrain: &dyn Terrain, stance: &Footstep, step: &Footstep) -> Result<f64, Refusal> {
        let feet = self.top(stance).max(self.top(step));
        let way = |from: Vector2<f64>, to: Vector2<f64>, yaw: f64| Way { from, to, ahead: ahead(yaw), feet };
        let own = way(self.beside(stance), step.position.xy(), step.yaw);
        let next = way(stance.position.xy(), self.beside(step), stance.yaw);
        // over a stair a foot goes up before it goes forward, or down after it has
        let stair = ((step.position.z - stance.position.z).abs() / self.swing.stair).min(1.0);
        let lift = self.over(terrain, &own, &SET_DOWN, stair).max(self.over(terrain, &next, &LIFTED, stair));
        Refusal::unless(Reason::Swing, [f64::NEG_INFINITY, self.settings.clearance], lift)?;
        Ok(lift)
    }

    /// Height of the highest point of a sole [m].
    fn top(&self, foot: &Footstep) -> f64 {
        foot.position.z + self.half_sole[0] * foot.normal.xy().norm() / foot.normal.z
    }

    /// Whether something lies on the way of a foot that is higher than where it stands and where it is set down.
    pub(super) fn passes_over(&self, terrain: &dyn Terrain, start: &Footstep, target: &Footstep) -> bool {
        let [length, width] = self.half_sole;
        let (from, to) = (start.position.xy(), target.position.xy());
        let way = Rectangle::strip(&from, &to, &ahead(start.yaw), length, width);
        terrain.rises_above(&way, self.top(start).max(self.top(target)) + self.settings.bump).is_some()
    }

    /// Where the other foot passes a foot that stands.
    fn beside(&self, foot: &Footstep) -> Vector2<f64> {
        let middle = middle_beside(foot, self.width);
        middle + (middle - foot.position.xy())
    }

    fn over(&self, terrain: &dyn Terrain, way: &Way, pieces: &[[f64; 3]], stair: f64) -> f64 {
        let [length, width] = self.half_sole;
        let area = |from: f64, to: f64| {
            let place = |share: f64| way.from + (way.to - way.from) * share;
            Rectangle::strip(&place(from), &place(to), &way.ahead, length, width)
        };
        let low = way.feet + self.settings.bump;
        let whole = area(pieces[0][0], pieces.last().map_or(1.0, |piece| piece[1]));
        if terrain.rises_above(&whole, low).is_none() {
            return 0.0;
        }
        let lifts = pieces.iter().filter_map(|[from, to, share]| {
            let highest = terrain.rises_above(&area(*from, *to), low)?;
            Some((highest - way.feet + self.settings.margin) / (share + (1.0 - share) * stair))
        });
        lifts.fold(0.0, f64::max)
    }

    /// The least clearance, from that of the gait on, with which a swing touches nothing.
    pub(super) fn clearance(&self, terrain: &dyn Terrain, start: &Footstep, target: &Footstep) -> Result<f64, Refusal> {
        let (mut clearance, most) = (self.swing.clearance, self.settings.clearance.max(self.swing.clearance));
        loop {
            let Some(short) = self.touches(terrain, start, target, clearance) else { return Ok(clearance) };
            if clearance >= most {
                let expected = [f64::NEG_INFINITY, most];
                return Err(Refusal { reason: Reason::Swing, expected, found: most + short });
            }
            // nowhere is a foot lifted by more than the clearance: less than what is missing never does
            clearance = (clearance + short.max(FINER)).min(most);
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
