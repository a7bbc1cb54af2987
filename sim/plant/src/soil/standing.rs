//! What stands on the columns: they are pressed, carry, and shear.

use mechanics::{Contact, Law, Surface};
use nalgebra::Vector3;
use robot_io::State;
use worlds::Terrain;

use super::column::Column;
use super::cutting::Moving;
use super::ground::Ground;
use super::patch::{Patch, Pressed};
use super::{gap_to_push, settling};

/// No area is larger than that of a face that leans so much (cosine).
pub(super) const STEEPEST: f64 = 0.2;
/// The least share of its first shear stiffness that a column keeps.
const LEAST_SHEAR: f64 = 0.02;

/// What stands on which columns.
#[derive(Default)]
pub(super) struct Standing {
    /// In this step, by solid and sample.
    pub carried: Vec<Carried>,
    /// In the last one.
    last: Vec<Carried>,
    pub carrying: Vec<Carrying>,
}

/// A column and a solid that it carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Carried {
    pub solid: usize,
    pub sample: usize,
    /// By how much the solid reached below its top [m].
    pub overlap: f64,
    /// Most of its strength that it has given since the solid came there, 0 to 1.
    sheared: f64,
}

/// A column that carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carrying {
    pub sample: usize,
    /// What it had with the solid so far: its place in the list.
    carried: usize,
    position: Vector3<f64>,
    /// From the ground to the solid.
    normal: Vector3<f64>,
    /// Of the solid there [m/s].
    velocity: Vector3<f64>,
    gap: f64,
    /// By how much the spring is pressed in, along the normal [m].
    pressed: f64,
    /// Whether it gives way in this step.
    yields: bool,
    /// [m²]
    area: f64,
    column: Column,
}

impl Standing {
    /// A step begins.
    pub fn begin(&mut self) {
        core::mem::swap(&mut self.carried, &mut self.last);
        self.carried.clear();
        self.carrying.clear();
    }

    /// What stood there in the last step.
    pub fn last(&self) -> &[Carried] {
        &self.last
    }

    /// What a solid and a column had with each other in the last step.
    pub fn before(&self, solid: usize, sample: usize) -> Option<&Carried> {
        // solids come in order, and samples in each
        let first = self.last.partition_point(|carried| (carried.solid, carried.sample) < (solid, sample));
        self.last.get(first).filter(|carried| (carried.solid, carried.sample) == (solid, sample))
    }

    /// A solid that sleeps stands where it stood.
    pub fn keep(&mut self, solid: usize) {
        self.carried.extend(self.last.iter().filter(|carried| carried.solid == solid));
    }

    /// A solid presses the columns of its patch.
    pub fn press(
        &mut self,
        patch: &Patch,
        (ground, terrain): (&mut Ground, &mut Terrain),
        moving: Moving<'_, impl Fn(&Vector3<f64>) -> Vector3<f64>>,
    ) {
        let Moving { index: solid, step, .. } = moving;
        let width = patch.width(terrain);
        for Pressed { sample, low, normal, covered, .. } in patch.pressed.iter().copied() {
            let Some(column) = ground.column(sample).copied() else { continue };
            let overlap = (terrain.heights[sample] - low).max(0.0);
            let layer = (ground.density_gained(sample), ground.thickness(sample));
            let deeper = column.yields(layer, overlap, normal.z, width);
            if deeper > 0.0 {
                ground.press(terrain, sample, deeper);
            }
            let overlap = overlap - deeper;
            let sheared = self.before(solid, sample).map_or(0.0, |before| before.sheared);
            let carried = self.carried.len();
            self.carried.push(Carried { solid, sample, overlap, sheared });
            let pressed = overlap * normal.z;
            let (x, y) = terrain.position(sample / terrain.columns, sample % terrain.columns);
            let position = Vector3::new(x, y, terrain.heights[sample]) + normal * (-0.5 * pressed);
            let velocity = (moving.velocity_at)(&position);
            let yields = deeper > 0.0;
            let comes = -normal.dot(&velocity).min(0.0);
            let gap = if yields { gap_to_push(pressed, comes, step) } else { -pressed };
            let area = covered * terrain.cell * terrain.cell / normal.z.max(STEEPEST);
            let meets = Carrying { sample, carried, position, normal, velocity, gap, pressed, yields, area, column };
            self.carrying.push(meets);
        }
    }

    /// The contact of a body with what carries it at a `place` in the list, with the impulse across the normal that it was held with in the last
    /// step, of `step` [s], if it was.
    pub fn contact(&mut self, place: usize, body: usize, held: Option<Vector3<f64>>, step: f64) -> Contact {
        let Carrying { carried, position, normal, velocity, gap, pressed, yields, area, column, .. } =
            self.carrying[place];
        let stiffness = column.unloading_modulus * area;
        let strength = column.strength(column.unloading_modulus * pressed) * area;
        let mut left = 1.0;
        let sheared = &mut self.carried[carried].sheared;
        if let Some(held) = held {
            let given = (held.norm() / (strength * step).max(f64::MIN_POSITIVE)).min(1.0);
            // beyond the most that it has given it goes on along the exponential; below that it is as stiff as it began
            if velocity.dot(&held) <= 0.0 && given >= *sheared {
                left = (1.0 - given).max(LEAST_SHEAR);
            }
            *sheared = sheared.max(given);
        } else {
            *sheared = 0.0;
        }
        let shear = left * strength / column.shear_displacement / stiffness;
        let damping = if yields { 0.0 } else { stiffness * settling(pressed, normal.dot(&velocity)) };
        let law = Law {
            surface: Surface::Soft { stiffness, damping, shear },
            cohesion: column.cohesion * area,
            ..Law::soft(0.0, 0.0, column.friction())
        };
        Contact { held: held.unwrap_or_default(), ..Contact::new(body, None, position, normal, gap, law) }
    }
}
