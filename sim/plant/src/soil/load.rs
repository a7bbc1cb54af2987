//! What lies on tools: it weighs on them, and runs off where it does not stay.
//!
//! A tool is a link or an object with all its shapes. How its load lies follows from how much it is and from which way is up; the latter is rounded, so that a
//! tool is looked at anew only when it has turned. Every few steps what does not stay runs off, and the rest is weighed.

use mechanics::Mechanics;
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use robot_io::State;
use robot_model::Inertia;
use worlds::Terrain;

use super::column::Column;
use super::ground::Ground;
use super::heap::Heap;
use crate::collision::Owner;
use crate::solids::{Carrier, Solid};
use crate::underside::Underside;

/// Into so many parts the direction upwards is rounded, for each axis.
const DIRECTIONS: f64 = 64.0;
/// Soil that runs off where there is only rigid ground goes to the nearest soil that is no farther than so many samples.
const NEAREST: usize = 12;

/// Soil on a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Payload {
    /// [m³]
    pub volume: f64,
    /// [kg]
    pub mass: f64,
}

/// The same, with how steep it lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Load {
    pub volume: f64,
    pub mass: f64,
    slope: f64,
    /// As it was last weighed: mass [kg], centre [m] and rotational inertia about that [kg·m²] in its body's frame.
    weighed: f64,
    com: Vector3<f64>,
    rotational: Matrix3<f64>,
}

/// Links and objects that may carry soil.
pub(super) struct Tools {
    tools: Vec<Tool>,
    /// For each solid its tool, if it moves by physics.
    of: Vec<Option<usize>>,
    pub memory: Loads,
    /// What has come onto tools in this step.
    taken: Vec<Taken>,
    /// Whether the bodies do not weigh yet what the memory says.
    is_stale: bool,
}

/// What lies on each tool, and what is nowhere any more.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct Loads {
    #[state(elements)]
    pub on: Vec<Load>,
    /// What has fallen where no soil is.
    pub lost: Load,
}

struct Tool {
    owner: Owner,
    body: usize,
    /// The body's inertia without soil.
    own: Inertia,
    solids: Vec<usize>,
    /// Which way was up in the body's frame when the heap was surveyed.
    up: Vector3<f64>,
    heap: Heap,
}

/// Soil that a body takes along from now on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub body: usize,
    pub position: Vector3<f64>,
    /// [kg]
    pub mass: f64,
}

impl Tools {
    /// All that moves by physics.
    pub fn new(solids: &[Solid], mechanics: &Mechanics) -> Tools {
        let mut tools: Vec<Tool> = Vec::new();
        let mut of = vec![None; solids.len()];
        for (index, solid) in solids.iter().enumerate() {
            let Carrier::Body(body) = solid.carrier else { continue };
            let known = tools.iter().position(|tool| tool.owner == solid.owner);
            let tool = known.unwrap_or(tools.len());
            if tool == tools.len() {
                let own = mechanics.model().bodies()[body].inertia;
                let (up, heap) = (Vector3::zeros(), Heap::default());
                tools.push(Tool { owner: solid.owner, body, own, solids: Vec::new(), up, heap });
            }
            tools[tool].solids.push(index);
            of[index] = Some(tool);
        }
        let memory = Loads { on: vec![Load::default(); tools.len()], lost: Load::default() };
        Tools { tools, of, memory, taken: Vec::new(), is_stale: false }
    }

    /// What lies on a link or object.
    pub fn payload(&self, owner: Owner) -> Payload {
        let mut tools = self.tools.iter().zip(&self.memory.on);
        let load = tools.find(|(tool, _)| tool.owner == owner).map(|(_, load)| *load).unwrap_or_default();
        Payload { volume: load.volume, mass: load.mass }
    }

    /// What has come onto tools in this step.
    pub fn taken(&self) -> &[Taken] {
        &self.taken
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.taken.clear();
    }

    /// Puts soil of a kind on the tool of a solid.
    pub fn take(&mut self, solid: usize, volume: f64, kind: &Column, position: Vector3<f64>) {
        let Some(tool) = self.of[solid] else { return };
        let mass = volume * kind.density;
        self.memory.on[tool].add(&Load { volume, mass, slope: kind.friction(), ..Load::default() });
        self.taken.push(Taken { body: self.tools[tool].body, position, mass });
    }

    /// The memory is another one now.
    pub fn take_up(&mut self) {
        self.is_stale = true;
    }

    /// Lets run off what does not stay, where the bodies are now, and weighs what stays.
    pub fn settle(
        &mut self,
        (ground, terrain): (&mut Ground, &mut Terrain),
        (solids, undersides): (&[Solid], &[Option<Underside>]),
        mechanics: &Mechanics,
    ) {
        for tool in 0..self.tools.len() {
            let load = &mut self.memory.on[tool];
            if load.volume > 0.0 {
                let body_in_world = mechanics.now().bodies[self.tools[tool].body].in_world;
                self.tools[tool].look(&body_in_world, solids, undersides);
                self.spill(tool, &body_in_world, (ground, terrain), (solids, undersides));
                self.is_stale = true;
            } else if load.weighed > 0.0 {
                load.weighed = 0.0;
                self.is_stale = true;
            }
        }
    }

    /// Has what was weighed weigh on the bodies.
    pub fn weigh(&mut self, mechanics: &mut Mechanics) {
        if !core::mem::take(&mut self.is_stale) {
            return;
        }
        for tool in &self.tools {
            let loads = self.tools.iter().zip(&self.memory.on).filter(|(other, _)| other.body == tool.body);
            let loads = loads.filter(|(_, load)| load.weighed > 0.0).map(|(_, load)| load.inertia());
            let inertia = loads.fold(tool.own, |sum, next| together(&sum, &next));
            if mechanics.model().bodies()[tool.body].inertia != inertia {
                mechanics.set_inertia(tool.body, inertia);
            }
        }
        mechanics.update();
    }

    /// What is too much on a tool runs off: onto the next one below, else onto the ground.
    fn spill(
        &mut self,
        tool: usize,
        body_in_world: &Isometry3<f64>,
        (ground, terrain): (&mut Ground, &mut Terrain),
        (solids, undersides): (&[Solid], &[Option<Underside>]),
    ) {
        let Tool { up, heap, .. } = &mut self.tools[tool];
        let heap_in_body = upright(up).inverse();
        let heap_in_world = body_in_world * heap_in_body;
        let load = self.memory.on[tool];
        let place = |(x, y): (f64, f64)| heap_in_world * Point3::new(x, y, 0.0);
        let height = |x: f64, y: f64| {
            let at = place((x, y));
            terrain.height_at(at.x, at.y).map_or(f64::NEG_INFINITY, |height| height - at.z)
        };
        heap.flood(load.slope, height);
        let too_much = load.volume - heap.room();
        if too_much > 0.0 {
            let (solids, of, memory) = ((solids, undersides), &self.of, &mut self.memory);
            heap.spill(|(x, y, z), share| {
                let at = heap_in_world * Point3::new(x, y, z);
                let part = load.part(too_much * share);
                let hits_ground = terrain.height_at(at.x, at.y);
                match catcher(&at, tool, solids, of).filter(|(_, top)| hits_ground.is_none_or(|ground| *top > ground)) {
                    Some((below, _)) => memory.on[below].add(&part),
                    None => match ground.soil_near(terrain, at.x, at.y, NEAREST) {
                        Some(sample) => ground.put(terrain, sample, part.volume / (ground.cell * ground.cell)),
                        None => memory.lost.add(&part),
                    },
                }
            });
            let gone = load.part(too_much);
            let load = &mut self.memory.on[tool];
            (load.volume, load.mass) = (load.volume - gone.volume, load.mass - gone.mass);
        }
        let Load { volume, mass, .. } = self.memory.on[tool];
        let filled = turned(&self.tools[tool].heap.filled(volume, mass), &heap_in_body);
        let load = &mut self.memory.on[tool];
        (load.weighed, load.com, load.rotational) = (filled.mass, filled.com_in_link, filled.rotational_at_com_in_link);
    }
}

/// The tool that catches what falls from a place, but not the one that it falls from, and how high its surface is there [m].
fn catcher(
    from: &Point3<f64>,
    tool: usize,
    (solids, undersides): (&[Solid], &[Option<Underside>]),
    of: &[Option<usize>],
) -> Option<(usize, f64)> {
    let tops = solids.iter().zip(undersides).zip(of).filter_map(|((solid, underside), of)| {
        let other = of.filter(|other| *other != tool)?;
        let (middle, half) = solid.bounds();
        let is_over = (from.x - middle.x).abs() <= half.x && (from.y - middle.y).abs() <= half.y;
        let is_below = middle.z - half.z < from.z;
        let placed = underside.as_ref().filter(|_| is_over && is_below)?.at(&solid.in_world(), middle.z, half.z);
        Some((other, placed.below(from.x, from.y).filter(|top| *top < from.z)?))
    });
    tops.reduce(|highest, next| if next.1 > highest.1 { next } else { highest })
}

impl Loads {
    /// Whether these are loads that somebody may carry.
    pub fn are_possible(&self) -> bool {
        let is_one = |load: &Load| {
            let is_amount = |number: f64| (0.0..1e6).contains(&number);
            let moments = load.rotational.symmetric_eigenvalues();
            [load.volume, load.slope, load.weighed].into_iter().all(is_amount)
                && load.mass.is_finite()
                && load.com.iter().chain(&moments).all(|number| number.is_finite())
        };
        self.on.iter().chain([&self.lost]).all(is_one)
    }
}

impl Load {
    /// A part of it, of this volume [m³].
    fn part(&self, volume: f64) -> Load {
        let mass = if self.volume > 0.0 { self.mass * (volume / self.volume) } else { 0.0 };
        Load { volume, mass, slope: self.slope, ..Load::default() }
    }

    /// Comes to lie on what is there.
    fn add(&mut self, part: &Load) {
        let volume = self.volume + part.volume;
        if volume > 0.0 {
            self.slope += (part.slope - self.slope) * part.volume / volume;
        }
        (self.volume, self.mass) = (volume, self.mass + part.mass);
    }

    fn inertia(&self) -> Inertia {
        Inertia { mass: self.weighed, com_in_link: self.com, rotational_at_com_in_link: self.rotational }
    }
}

impl Tool {
    /// Looks at it from above, if it has turned.
    fn look(&mut self, body_in_world: &Isometry3<f64>, solids: &[Solid], undersides: &[Option<Underside>]) {
        let up = body_in_world.rotation.inverse_transform_vector(&Vector3::z());
        let rounded = up.map(|part| (part * DIRECTIONS).round() / DIRECTIONS);
        if rounded == self.up {
            return;
        }
        self.up = rounded;
        let upright = upright(&rounded);
        let placed = self.solids.iter().filter_map(|solid| {
            let pose = upright * solids[*solid].in_carrier();
            let (middle, half) = solids[*solid].bounds_at(&pose);
            Some((undersides[*solid].as_ref()?.at(&pose, middle.z, half.z), middle, half))
        });
        let placed: Vec<_> = placed.collect();
        let low = placed.iter().map(|(_, middle, half)| middle.coords - half).reduce(|one, two| one.inf(&two));
        let high = placed.iter().map(|(_, middle, half)| middle.coords + half).reduce(|one, two| one.sup(&two));
        let (Some(low), Some(high)) = (low, high) else { return };
        let top = |x: f64, y: f64| placed.iter().filter_map(|(shape, ..)| shape.below(x, y)).reduce(f64::max);
        self.heap.survey((low.x, low.y), (high.x, high.y), top);
    }
}

/// How a body's frame is turned when z points up that points so in it.
fn upright(up: &Vector3<f64>) -> UnitQuaternion<f64> {
    let flip = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), core::f64::consts::PI);
    UnitQuaternion::rotation_between(up, &Vector3::z()).unwrap_or(flip)
}

/// An inertia in a frame in which its own is turned.
fn turned(inertia: &Inertia, turn: &UnitQuaternion<f64>) -> Inertia {
    let matrix = turn.to_rotation_matrix();
    Inertia {
        mass: inertia.mass,
        com_in_link: turn * inertia.com_in_link,
        rotational_at_com_in_link: matrix * inertia.rotational_at_com_in_link * matrix.transpose(),
    }
}

/// Two masses that are fixed to each other.
fn together(one: &Inertia, two: &Inertia) -> Inertia {
    let mass = one.mass + two.mass;
    if mass <= 0.0 {
        return *one;
    }
    let com = (one.com_in_link * one.mass + two.com_in_link * two.mass) / mass;
    let about = |part: &Inertia| {
        let at = part.com_in_link - com;
        part.rotational_at_com_in_link
            + (Matrix3::from_diagonal_element(at.norm_squared()) - at * at.transpose()) * part.mass
    };
    Inertia { mass, com_in_link: com, rotational_at_com_in_link: about(one) + about(two) }
}
