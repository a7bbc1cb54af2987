//! Ground that gives way to what presses on it or is pushed through it, and stays so.
//!
//! The terrain's samples are columns of soil (Krenn and Hirzinger, "SCM: a soil contact model for planetary rover mobility simulation",
//! 2009; Tasora et al., "A deformable terrain model in multi-domain dynamics using elastoplastic soil cells", 2019). A shape that
//! reaches below the top of one presses it along the shape's own normal, which for a wheel is the spoke. As long as the column holds, it is a
//! spring; what it cannot hold, by Bekker's p = (k_c / b + k_φ) zⁿ, presses it deeper, and there it stays. Across the normal it shears: the
//! spring gives way as it is stretched, so that its force goes as Janosi's and Hanamoto's (1 − exp(−j/K)) to what Mohr and Coulomb allow.
//!
//! So what rolling costs is not told but follows: soil in front of a wheel is pressed, behind it the rut stays. What a shape meets from the side is
//! cut off instead (`cutting.rs`), slides down where it is too steep (`ground.rs`) and weighs on what it lies on (`load.rs`). All of this happens
//! before the step is solved, by where the shapes are; the solver has springs only.

mod column;
mod cutting;
mod ground;
mod heap;
mod load;
mod patch;
mod standing;
mod wedge;

use mechanics::{Contact, Mechanics};
use nalgebra::{Vector2, Vector3};
use robot_io::State;
use worlds::{Terrain, World};

use crate::collision::Owner;
use crate::solids::{Carrier, Solid};
use crate::underside::Underside;
use cutting::{Cutting, Moving};
use ground::Ground;
use load::Tools;
use patch::{Patch, Pressed};
use standing::{STEEPEST, Standing};

pub use load::Payload;
pub(crate) use load::Taken;

/// Damping of soil that holds, over its stiffness, under what is slow [s].
const SETTLING: f64 = 0.001;
/// Steps from one look at what lies on tools to the next.
const SETTLED_EVERY: u64 = 10;
/// What a column is covered by beyond this was met from the side: so many times what the shape has come down in the step, and so much [m].
const FROM_ABOVE: (f64, f64) = (2.0, 1e-4);

/// The ground's columns, and what lies on tools.
#[derive(State)]
pub(crate) struct Soil {
    #[state(part = "memory")]
    ground: Ground,
    #[state(part = "carried")]
    standing: Standing,
    #[state(part = "shifts")]
    cutting: Cutting,
    #[state(part = "memory")]
    tools: Tools,
    #[state(fixed)]
    is_everywhere: bool,
    /// For each solid of the contacts its lower side.
    #[state(fixed)]
    undersides: Vec<Option<Underside>>,
    #[state(scratch)]
    patch: Patch,
    /// In this step, solid by solid.
    #[state(scratch)]
    meetings: Vec<Meeting>,
}

/// Who meets the soil where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub solid: usize,
    pub sample: usize,
    /// Whether it is a face in the soil, and not what stands on it.
    pub is_face: bool,
    /// Its place among its kind.
    place: usize,
}

impl Soil {
    /// The ground of a world; `None` if that is not deformable.
    pub fn new(world: &World, solids: &[Solid], mechanics: &Mechanics) -> Option<Soil> {
        let new = || {
            let ground = Ground::new(world);
            Soil {
                is_everywhere: ground.is_everywhere(),
                ground,
                standing: Standing::default(),
                cutting: Cutting::new(&world.materials, world.gravity),
                tools: Tools::new(solids, mechanics),
                undersides: solids.iter().map(Solid::underside).collect(),
                patch: Patch::new(world.terrain.heights.len()),
                meetings: Vec::new(),
            }
        };
        world.deformable.then(new)
    }

    /// Whether a material gives way here.
    pub fn gives_way(&self, material: usize) -> bool {
        self.ground.kind(material).is_some()
    }

    /// Whether there is nothing else to stand on.
    pub fn is_everywhere(&self) -> bool {
        self.is_everywhere
    }

    /// The material of a sample, by its number in the world.
    pub fn material(&self, sample: usize) -> usize {
        self.ground.material(sample)
    }

    /// Before the step with this number: what lies on tools weighs on them, and runs off.
    pub fn weigh(&mut self, number: u64, terrain: &mut Terrain, solids: &[Solid], mechanics: &mut Mechanics) {
        self.ground.begin();
        if number.is_multiple_of(SETTLED_EVERY) {
            self.tools.settle((&mut self.ground, terrain), (solids, &self.undersides), mechanics);
        }
        self.tools.weigh(mechanics);
    }

    /// Presses and cuts the ground by all solids that move by physics and are awake, in the middle of a step of `step` [s].
    pub fn press(&mut self, terrain: &mut Terrain, solids: &[Solid], mechanics: &Mechanics, step: f64) {
        let Soil { ground, standing, cutting, tools, undersides, patch, meetings, .. } = self;
        meetings.clear();
        standing.begin();
        cutting.begin();
        patch.begin();
        tools.begin();
        for (index, solid) in solids.iter().enumerate() {
            let (Carrier::Body(body), Some(underside)) = (solid.carrier, &undersides[index]) else { continue };
            if mechanics.is_asleep(body) {
                standing.keep(index);
                continue;
            }
            patch.lay(ground, terrain, solid, underside);
            let (middle, half) = solid.bounds();
            let velocity_at = |at: &Vector3<f64>| mechanics.middle().velocity_at(body, at);
            let placed = underside.at(&solid.in_world(), middle.z, half.z);
            let moving = Moving { index, placed: &placed, top: middle.z + half.z, velocity_at, step };
            cut((patch, standing), (ground, terrain), tools, moving);
            let (stand, meet) = (standing.carrying.len(), cutting.resisting.len());
            standing.press(patch, (ground, terrain), moving);
            cutting.resist((patch, ground, terrain), moving);
            let meeting = |sample: usize, place: usize, is_face: bool| Meeting { solid: index, sample, is_face, place };
            let stands = standing.carrying[stand..].iter().zip(stand..);
            meetings.extend(stands.map(|(carrying, place)| meeting(carrying.sample, place, false)));
            let faces = cutting.resisting[meet..].iter().zip(meet..);
            meetings.extend(faces.map(|(face, place)| meeting(face.sample, place, true)));
        }
        // where a shape has been, and to there, soil may slide again
        let left = standing.last().iter().filter(|carried| !patch.is_covered(carried.sample));
        left.for_each(|carried| ground.look_around(terrain, carried.sample));
        ground.slide(terrain, |sample| patch.is_covered(sample));
    }

    /// Who meets the soil in this step.
    pub fn meetings(&self) -> &[Meeting] {
        &self.meetings
    }

    /// The contact of a body with what it meets, with the impulse across the normal that it was held with in the last step, of `step` [s], if it was.
    pub fn contact(&mut self, meeting: &Meeting, body: usize, held: Option<Vector3<f64>>, step: f64) -> Contact {
        match meeting.is_face {
            false => self.standing.contact(meeting.place, body, held, step),
            true => self.cutting.contact(meeting.place, body, held.unwrap_or_default(), step),
        }
    }

    /// Samples whose heights have changed in this step, some of them more than once.
    pub fn changed(&self) -> impl Iterator<Item = usize> {
        self.ground.changed()
    }

    /// Soil that bodies take along since this step.
    pub fn taken(&self) -> &[Taken] {
        self.tools.taken()
    }

    /// What lies on a link or object.
    pub fn payload(&self, owner: Owner) -> Payload {
        self.tools.payload(owner)
    }

    /// Volume that has vanished because soil became denser, or fell where none is [m³].
    pub fn vanished(&self) -> f64 {
        self.ground.memory.pressed + self.tools.memory.lost.volume
    }

    /// Whether what it remembers, which may have been put there, is of this ground and these solids.
    pub fn has_room(&self) -> bool {
        let solids = self.undersides.len();
        let ends = |solid: usize| solid < solids;
        self.ground.has_room()
            && self.standing.carried.iter().all(|carried| ends(carried.solid) && self.ground.has(carried.sample))
            && self.standing.carried.is_sorted_by_key(|carried| (carried.solid, carried.sample))
            && self.cutting.shifts.is_sorted_by_key(|shift| shift.solid)
            && self.cutting.shifts.iter().all(|shift| ends(shift.solid))
            && self.tools.memory.are_possible()
    }

    /// Takes up what was put in place of its own memory, and gives the terrain its heights.
    pub fn take_up(&mut self, terrain: &mut Terrain) {
        self.ground.take_up(terrain);
        self.tools.take_up();
    }
}

/// The gap with which a spring that does not give way any more pushes at the end of a step as if it were pressed in by `pressed` [m], and no harder,
/// while something comes at it [m/s]. Of a gap that is open the solver counts half.
fn gap_to_push(pressed: f64, comes: f64, step: f64) -> f64 {
    let gap = 0.5 * step * comes - pressed;
    if gap > 0.0 { 2.0 * gap } else { gap }
}

/// Damping over stiffness [s] of soil that is pressed in by `pressed` [m] and holds, under what moves along its normal at a speed [m/s]. What stands
/// comes to rest by it; what rolls by at speed loses no more than half of what the spring gives.
fn settling(pressed: f64, speed: f64) -> f64 {
    SETTLING.min(0.5 * pressed / speed.abs().max(f64::MIN_POSITIVE))
}

/// Takes off what a solid has met from the side, and puts it before the solid or on it.
fn cut(
    (patch, standing): (&Patch, &Standing),
    (ground, terrain): (&mut Ground, &mut Terrain),
    tools: &mut Tools,
    moving: Moving<'_, impl Fn(&Vector3<f64>) -> Vector3<f64>>,
) {
    let (times, at_least) = FROM_ABOVE;
    for pressed in &patch.pressed {
        let Pressed { sample, low, normal, .. } = pressed;
        let (sample, high) = (*sample, terrain.heights[*sample]);
        let (x, y) = terrain.position(sample / terrain.columns, sample % terrain.columns);
        let position = Vector3::new(x, y, *low);
        let velocity = (moving.velocity_at)(&position);
        let comes = moving.step * (-velocity.dot(normal)).max(0.0) / normal.z.max(STEEPEST);
        let before = standing.before(moving.index, sample).map_or(0.0, |before| before.overlap);
        let too_much = (high - low - before - times * comes - at_least).min(ground.thickness(sample));
        if too_much <= at_least {
            continue;
        }
        if passes_below(&moving, &Vector2::new(x, y), &velocity, (high, terrain.cell)) {
            let Some(kind) = ground.column(sample).copied() else { continue };
            ground.take(terrain, sample, too_much);
            tools.take(moving.index, too_much * ground.cell * ground.cell, &kind, position);
        } else if let Some(to) = cutting::ahead((patch, ground, terrain), sample, &velocity) {
            ground.take(terrain, sample, too_much);
            ground.put(terrain, to, too_much);
        }
    }
}

/// Whether a shape is low where it meets a column `at` x and y that is so high, and a cell further behind, too, so that soil comes to lie on it.
fn passes_below<V>(
    moving: &Moving<'_, V>,
    at: &Vector2<f64>,
    velocity: &Vector3<f64>,
    (high, cell): (f64, f64),
) -> bool {
    let Some(way) = velocity.xy().try_normalize(1e-9) else { return false };
    let behind = [1.0, 1.5].map(|cells| at - way * (cells * cell));
    behind.iter().all(|at| moving.placed.below(at.x, at.y).is_some_and(|top| top < high))
}
