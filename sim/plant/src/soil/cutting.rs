//! Soil that a shape meets from the side: it is cut off and pushed along, or comes to lie on the shape, and it resists.
//!
//! A column of which a shape covers more than it has come down by in this step was met from the side. What is too much of it goes to where the shape
//! is moving, or on top of the shape if that passes below the surface. Faces that are steep meet what the columns before them resist with, by
//! the fundamental equation of earthmoving (see `wedge.rs`), once the shape has moved against them by a millimetre.

use mechanics::{Contact, Law, Surface};
use nalgebra::{Vector2, Vector3};
use robot_io::State;
use worlds::{Material, Terrain};

use super::ground::Ground;
use super::patch::Patch;
use super::wedge::Wedge;
use super::{gap_to_push, settling};
use crate::underside::Placed;

/// A face of which the normal points down by more than this presses, and does not cut.
const OVERHANG: f64 = 0.2;
/// Soil is thrown no farther ahead than so many samples.
const AHEAD: usize = 64;
/// Less than this is no depth [m].
const SHALLOW: f64 = 1e-3;
/// After so much the soil before a face gives all that it has [m].
const ELASTIC: f64 = 1e-3;
/// A face goes along the soil by no more than this before it slides [m].
const ALONG: f64 = 3.0 * ELASTIC;

/// How far a solid has moved against the soil around it, until that gave way.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Shift {
    pub solid: usize,
    /// [m]
    way: Vector3<f64>,
}

/// What resists a face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resisting {
    /// The sample before the face.
    pub sample: usize,
    position: Vector3<f64>,
    /// Of the face, into the soil.
    normal: Vector3<f64>,
    /// Its velocity [m/s].
    velocity: Vector3<f64>,
    /// What the soil can give [N].
    strength: f64,
    friction: f64,
    /// How much of the elastic way it has made [m].
    squeezed: f64,
}

/// Where a patch ends before a column.
struct Edge {
    sample: usize,
    /// From the patch to the column, in cells.
    outwards: Vector2<f64>,
    /// The shape's lowest height beside it [m].
    low: f64,
}

/// What resists faces, and how far they have moved.
pub(super) struct Cutting {
    /// For each material.
    wedges: Vec<Wedge>,
    /// Of the solids that have soil before them, in their order.
    pub shifts: Vec<Shift>,
    edges: Vec<Edge>,
    pub resisting: Vec<Resisting>,
}

/// A solid in the soil, in a step of `step` [s].
#[derive(Clone, Copy)]
pub(super) struct Moving<'a, V> {
    pub index: usize,
    pub placed: &'a Placed<'a>,
    /// The height of its highest point, at most [m].
    pub top: f64,
    pub velocity_at: V,
    pub step: f64,
}

impl Cutting {
    /// Nothing cut yet.
    pub fn new(materials: &[Material], gravity: f64) -> Cutting {
        let wedges = materials.iter().map(|material| Wedge::new(&material.soil, gravity)).collect();
        Cutting { wedges, shifts: Vec::new(), edges: Vec::new(), resisting: Vec::new() }
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.resisting.clear();
    }

    /// Finds what resists a solid with this patch.
    pub fn resist(
        &mut self,
        (patch, ground, terrain): (&Patch, &Ground, &Terrain),
        moving: Moving<'_, impl Fn(&Vector3<f64>) -> Vector3<f64>>,
    ) {
        self.find_edges(patch, ground, terrain);
        let first = self.resisting.len();
        let place = self.shifts.binary_search_by_key(&moving.index, |shift| shift.solid);
        let way = place.map_or(Vector3::zeros(), |place| self.shifts[place].way);
        for edge in &self.edges {
            self.resisting.extend(face(edge, &way, &self.wedges, (ground, terrain), &moving));
        }
        let found = &mut self.resisting[first..];
        let strength: f64 = found.iter().map(|face| face.strength).sum();
        if strength <= 0.0 {
            if let Ok(place) = place {
                self.shifts.remove(place);
            }
            return;
        }
        let place = place.unwrap_or_else(|place| {
            self.shifts.insert(place, Shift { solid: moving.index, ..Shift::default() });
            place
        });
        let way = &mut self.shifts[place].way;
        let velocity = found.iter().map(|face| face.velocity * face.strength).sum::<Vector3<f64>>() / strength;
        *way += velocity * moving.step;
        let most = found.iter().map(|face| face.normal.dot(way)).fold(ELASTIC, f64::max);
        *way *= (ELASTIC / most).min(ALONG / way.norm().max(ALONG));
        found.iter_mut().for_each(|face| face.squeezed = face.normal.dot(way).max(0.0));
        let mut place = 0;
        self.resisting.retain(|face| {
            place += 1;
            place <= first || face.squeezed > 0.0
        });
    }

    /// Where the patch ends before columns that reach higher than the shape's lower side.
    fn find_edges(&mut self, patch: &Patch, ground: &Ground, terrain: &Terrain) {
        self.edges.clear();
        for pressed in patch.covered() {
            let place =
                |sample: usize| Vector2::new((sample % terrain.columns) as f64, (sample / terrain.columns) as f64);
            for (sample, far) in ground.around(pressed.sample) {
                let is_before = far <= terrain.cell && !patch.holds(sample) && ground.column(sample).is_some();
                if !is_before || terrain.heights[sample] - pressed.low < SHALLOW {
                    continue;
                }
                let outwards = place(sample) - place(pressed.sample);
                let outwards = outwards * pressed.side(outwards.x != 0.0);
                match self.edges.iter_mut().find(|edge| edge.sample == sample) {
                    Some(edge) => {
                        edge.outwards += outwards;
                        edge.low = edge.low.min(pressed.low);
                    }
                    None => self.edges.push(Edge { sample, outwards, low: pressed.low }),
                }
            }
        }
    }

    /// A contact of a body with what resists at a `place` in the list, with the impulse across the normal that it held the body with in the last step.
    pub fn contact(&self, place: usize, body: usize, held: Vector3<f64>, step: f64) -> Contact {
        let Resisting { position, normal, velocity, strength, friction, squeezed, .. } = self.resisting[place];
        let comes = normal.dot(&velocity).max(0.0);
        let gives_way = squeezed >= ELASTIC && comes > 0.0;
        let gap = if gives_way { gap_to_push(squeezed, comes, step) } else { -squeezed };
        let stiffness = strength / ELASTIC;
        let damping = if gives_way { 0.0 } else { stiffness * settling(squeezed, normal.dot(&velocity)) };
        let law = Law {
            surface: Surface::Soft { stiffness, damping, shear: 1.0 },
            ..Law::soft(stiffness, damping, friction)
        };
        Contact { held, ..Contact::new(body, None, position, -normal, gap, law) }
    }
}

/// What the column before an edge resists with, where a face is there that cuts and that moves, or has moved on its `way` [m], against it.
fn face(
    edge: &Edge,
    way: &Vector3<f64>,
    wedges: &[Wedge],
    (ground, terrain): (&Ground, &Terrain),
    moving: &Moving<'_, impl Fn(&Vector3<f64>) -> Vector3<f64>>,
) -> Option<Resisting> {
    let Edge { sample, low, .. } = *edge;
    let high = terrain.heights[sample];
    let top = high.min(moving.top);
    let (x, y) = terrain.position(sample / terrain.columns, sample % terrain.columns);
    let outwards = edge.outwards.try_normalize(0.25)?.push(0.0);
    let at = Vector3::new(x, y, 0.5 * (low + top));
    if outwards.dot(way) <= 0.0 && outwards.dot(&(moving.velocity_at)(&at)) <= 0.0 {
        return None;
    }
    let from = at + outwards * terrain.cell;
    let (far, normal) = moving.placed.cast(&from, &-outwards)?;
    let level = normal.xy().try_normalize(1e-3)?;
    let width = terrain.cell * edge.outwards.dot(&level);
    let cuts = normal.z >= -OVERHANG && width > 0.0 && top > low;
    let wedge = wedges.get(ground.material(sample)).filter(|_| cuts)?;
    let position = from - outwards * far;
    Some(Resisting {
        sample,
        position,
        normal,
        velocity: (moving.velocity_at)(&position),
        strength: width * wedge.resistance((high - top, high - low), normal.z),
        friction: wedge.tool_friction,
        squeezed: 0.0,
    })
}

/// The nearest free column to which a shape is moving that cuts one off; `None` if there is none.
pub(super) fn ahead(
    (patch, ground, terrain): (&Patch, &Ground, &Terrain),
    sample: usize,
    velocity: &Vector3<f64>,
) -> Option<usize> {
    let way = velocity.xy().try_normalize(1e-9)? * terrain.cell;
    let (x, y) = terrain.position(sample / terrain.columns, sample % terrain.columns);
    let steps = (1..=AHEAD).map(|step| Vector2::new(x, y) + way * step as f64);
    let mut samples = steps.map_while(|at| ground.sample_at(terrain, at.x, at.y));
    samples.find(|sample| !patch.holds(*sample)).filter(|sample| ground.column(*sample).is_some())
}
