//! Who touches what: from near points of shapes to the contacts of the mechanics, and what came of them.

mod between_robots;
mod on_skin;
mod on_soil;
mod own;
mod soon;
mod told;

use core::ops::Range;

use mechanics::{Contact, Law, Mechanics};
use nalgebra::{Isometry3, Vector3};
use robot_io::State;
use worlds::World;

use self::soon::{may_meet, rail_velocity, reach_of_cluster};
use crate::ceiling::{Ceiling, Heights};
use crate::collision::Owner;
use crate::encounters::{Cluster, Encounter};
use crate::finder::{Finder, NEAR, Near};
use crate::meeting_place::MeetingPlace;
use crate::self_contact::SelfContact;
use crate::soil::Soil;
use crate::solids::{Carrier, Solid, Upright};
use crate::spawn::Spawned;
use crate::surfaces::{Surfaces, Tyre};
use crate::tag::tag;
use crate::thinning::{APART, add, thin_out};
use crate::unwanted::Watch;
use crate::wheel_contact::{Segment, WheelContact};

/// Points within this distance of one of the last step are that one [m].
const SAME_POINT: f64 = 0.015;
/// Points of faces with many corners that are nearer together than this are one [m].
const APART_ON_FACES: f64 = 1e-3;

/// What is left of a step for the next one, and for sensors.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct ContactMemory {
    /// For each link the sum of its normal forces [N].
    #[state(elements)]
    pub normal_force: Vec<f64>,
    /// For each link the material under it, by its number in the world, where it last touched the terrain.
    #[state(elements)]
    pub material: Vec<usize>,
    /// The step's contacts, with what they hold for the next.
    pub points: Vec<Contact>,
    /// Where robots' own solids met.
    meetings: Vec<OwnMeeting>,
}

/// Where two solids of a robot met.
#[derive(Clone, Copy, Debug, Default, State)]
struct OwnMeeting {
    robot: usize,
    /// Among the robot's pairs.
    pair: usize,
    place: MeetingPlace,
}

/// All that touches.
pub(crate) struct Contacts {
    pub memory: ContactMemory,
    /// The last step's.
    old: Vec<Contact>,
    old_meetings: Vec<OwnMeeting>,
    /// Shapes, and who carries them.
    solids: Vec<Solid>,
    /// Those of objects that go where they want: the solid, and the object.
    rails: Vec<(usize, usize)>,
    clusters: Vec<Cluster>,
    /// What may touch what.
    encounters: Vec<Encounter>,
    /// For each robot the numbers of its links.
    robots: Vec<Range<usize>>,
    /// A ball around each robot: middle and radius [m].
    balls: Vec<(Vector3<f64>, f64)>,
    /// Solids of one robot that are near another.
    beside: Vec<usize>,
    /// Each robot's links among each other.
    own: Vec<SelfContact>,
    ceiling: Ceiling,
    /// The ground, where that gives way.
    pub soil: Option<Soil>,
    /// For each body what it resists a push by, about [kg].
    masses: Vec<f64>,
    /// The wheels, which find the terrain themselves, and their tyres.
    wheels: Vec<(WheelContact, Tyre)>,
    surfaces: Surfaces,
    finder: Finder,
    near: Vec<Near>,
    /// Those of them that say something.
    few: Vec<Near>,
    segments: Vec<Segment>,
    /// Bodies that sleep and are about to be touched.
    woken: Vec<usize>,
    /// Contacts that are no wheel on the ground, for each robot.
    pub unwanted: Vec<Watch>,
}

/// What does not change about contacts.
pub(crate) struct Touching {
    pub solids: Vec<Solid>,
    pub clusters: Vec<Cluster>,
    pub encounters: Vec<Encounter>,
    pub robots: Vec<Range<usize>>,
    pub own: Vec<SelfContact>,
    pub ceiling: Ceiling,
    pub soil: Option<Soil>,
    pub masses: Vec<f64>,
    pub wheels: Vec<(WheelContact, Tyre)>,
    pub surfaces: Surfaces,
    pub unwanted: Vec<Watch>,
}

/// Where everything is in the middle of a step of `step` [s].
#[derive(Clone, Copy)]
pub(crate) struct Middle<'a> {
    pub world: &'a World,
    pub spawned: &'a Spawned,
    pub mechanics: &'a Mechanics,
    pub time: f64,
    pub step: f64,
}

impl Contacts {
    /// None yet.
    pub fn new(links: usize, touching: Touching) -> Contacts {
        let Touching { solids, clusters, encounters, robots, own, ceiling, soil, masses, wheels, surfaces, unwanted } =
            touching;
        let on_rail = |(number, solid): (usize, &Solid)| match solid.carrier {
            Carrier::Rail(object) => Some((number, object)),
            _ => None,
        };
        let memory =
            ContactMemory { normal_force: vec![0.0; links], material: vec![0; links], ..ContactMemory::default() };
        Contacts {
            memory,
            old: Vec::new(),
            old_meetings: Vec::new(),
            rails: solids.iter().enumerate().filter_map(on_rail).collect(),
            solids,
            clusters,
            encounters,
            balls: Vec::with_capacity(robots.len()),
            beside: Vec::with_capacity(if robots.len() > 1 { links } else { 0 }),
            robots,
            own,
            ceiling,
            soil,
            masses,
            wheels,
            surfaces,
            finder: Finder::default(),
            near: Vec::new(),
            few: Vec::new(),
            segments: Vec::new(),
            woken: Vec::new(),
            unwanted,
        }
    }

    /// Finds what touches in the middle of a step.
    pub fn find(&mut self, middle: Middle) {
        core::mem::swap(&mut self.memory.points, &mut self.old);
        self.memory.points.clear();
        self.woken.clear();
        let sleeps = |body: usize| middle.mechanics.is_asleep(body);
        self.memory.points.extend(self.old.iter().filter(|old| sleeps(old.body) && old.other.is_none_or(sleeps)));
        self.find_wheels(middle);
        self.place_balls();
        for index in 0..self.encounters.len() {
            self.meet(middle, index);
        }
        self.meet_robots(middle);
        self.meet_own(middle);
        self.hand_on();
        self.stand_on_soil(middle);
    }

    /// Puts all solids where they are in the middle of a step.
    pub fn place(&mut self, Middle { world, mechanics, time, .. }: Middle) {
        for (solid, object) in &self.rails {
            self.solids[*solid].place(&world.objects[*object].pose_at(time, &world.terrain));
        }
        self.clusters.iter_mut().for_each(|cluster| cluster.place(&mut self.solids, mechanics));
    }

    fn find_wheels(&mut self, Middle { world, spawned, mechanics, .. }: Middle) {
        for index in 0..self.wheels.len() {
            let (wheel, tyre) = self.wheels[index];
            let place = &spawned.links[wheel.link];
            let link_in_world: Isometry3<f64> = mechanics.middle().bodies[wheel.body].in_world * place.pose_in_body;
            let hub = link_in_world.translation.vector;
            self.memory.material[wheel.link] =
                world.terrain.material_at(hub.x, hub.y).unwrap_or(self.memory.material[wheel.link]);
            let soil = self.soil.as_ref();
            if soil.is_some_and(Soil::is_everywhere) {
                continue;
            }
            let material = |near: &Near| world.terrain.material_at(near.position.x, near.position.y).unwrap_or(0);
            let near = &mut self.near;
            near.clear();
            wheel.touch(&link_in_world, &world.terrain, &mut self.segments, |point| {
                if !soil.is_some_and(|soil| soil.gives_way(material(&point))) {
                    add(near, point, APART);
                }
            });
            let tag = tag(Owner::Link(wheel.link), Owner::Terrain);
            for point in near {
                let law = self.surfaces.of_tyre(wheel.link, &tyre, material(point));
                let contact = Contact::new(wheel.body, None, point.position, point.normal, point.gap, law);
                self.memory.points.push(Contact { tag, ..contact });
            }
        }
    }

    /// Puts a ball around each robot.
    fn place_balls(&mut self) {
        let Contacts { balls, robots, clusters, .. } = self;
        balls.clear();
        balls.extend((0..robots.len()).map(|robot| {
            let own = clusters.iter().filter(|cluster| cluster.robot == Some(robot)).map(Cluster::ball);
            let middle = own.clone().next().map_or(Vector3::zeros(), |(middle, _)| middle);
            (middle, own.map(|(at, radius)| (at - middle).norm() + radius).fold(0.0, f64::max))
        }));
    }

    fn meet(&mut self, middle: Middle, index: usize) {
        let Encounter { robot, two, .. } = self.encounters[index];
        let robot = robot.map(|robot| self.balls[robot]);
        let is_terrain = self.solids[two].owner == Owner::Terrain;
        let (at, radius) = self.solids[two].ball();
        if is_terrain && self.soil.as_ref().is_some_and(Soil::is_everywhere) {
            return;
        }
        let is_far = |(other, reach): (Vector3<f64>, f64)| !is_terrain && (at - other).norm() > radius + reach + NEAR;
        if robot.is_some_and(is_far) {
            return;
        }
        let heights = match robot.filter(|_| is_terrain) {
            Some((middle, reach)) => self.ceiling.above(&middle, reach + NEAR),
            None => Heights { highest: f64::INFINITY, lowest: f64::NEG_INFINITY },
        };
        for place in 0..self.encounters[index].ones.len() {
            let cluster = &self.clusters[self.encounters[index].ones[place]];
            let ((at, radius), solids) = (cluster.ball(), cluster.solids.clone());
            let low = at.z - radius - NEAR;
            if is_far((at, radius)) || (is_terrain && !self.reaches(low, heights, (at, radius))) {
                continue;
            }
            let reach = if is_terrain { NEAR.min(reach_of_cluster(middle, cluster)) } else { NEAR };
            let upright = Upright::new(self.solids[solids.start].carrier_in_world());
            for one in solids {
                if !is_terrain || self.is_low(one, (self.encounters[index].wheels, reach), heights, &upright) {
                    self.find_pair(middle, (one, two), reach);
                }
            }
        }
    }

    /// Whether something in a ball, whose lowest point is at a height, may touch the terrain, which is so high there.
    fn reaches(&self, low: f64, heights: Heights, (at, radius): (Vector3<f64>, f64)) -> bool {
        low < heights.lowest || (low <= heights.highest && self.ceiling.is_above(low, &at, radius + NEAR))
    }

    /// Whether a solid, whose carrier stands so, may come within `reach` [m] of the terrain.
    fn is_low(&self, one: usize, (is_wheel, reach): (bool, f64), heights: Heights, upright: &Upright) -> bool {
        let solid = &self.solids[one];
        let low = upright.lowest_of_ball(solid) - reach;
        if low > heights.highest {
            return false;
        }
        let ball @ (at, radius) = solid.ball();
        // ground that is no higher than half a wheel is below its sides
        let low = if is_wheel { at.z - 0.5 * radius } else { low.max(upright.lowest(solid) - reach) };
        self.reaches(low, heights, ball)
    }

    /// Finds where two solids are near each other, or within `reach` [m] if one of them is the terrain.
    fn find_pair(&mut self, middle: Middle, pair: (usize, usize), reach: f64) {
        let Contacts { solids, finder, near, .. } = self;
        let (one, two) = (&solids[pair.0], &solids[pair.1]);
        let is_fixed = |solid: &Solid| match solid.carrier {
            Carrier::World | Carrier::Rail(_) => true,
            Carrier::Body(body) => middle.mechanics.model().path(body).is_empty(),
        };
        if (rests(middle, one) && rests(middle, two)) || (is_fixed(one) && is_fixed(two)) {
            return;
        }
        near.clear();
        finder.find(one, two, reach, |point| near.push(point));
        self.take(middle, pair);
    }

    /// Takes the points at which two solids are near each other as contacts, few of them.
    fn take(&mut self, middle: Middle, (one, two): (usize, usize)) {
        if self.near.is_empty() {
            return;
        }
        let (one, two) = (&self.solids[one], &self.solids[two]);
        let (Carrier::Body(body), other) = (one.carrier, two.carrier) else { return };
        let (one_owner, two_owner, other_body) =
            (one.owner, two.owner, if let Carrier::Body(other) = other { Some(other) } else { None });
        if middle.mechanics.is_asleep(body) || other_body.is_some_and(|other| middle.mechanics.is_asleep(other)) {
            // they are taken in the next step: nothing gets there in this one
            self.woken.push(body);
            self.woken.extend(other_body);
            return;
        }
        self.near.retain(|near| may_meet(middle, (body, other), near));
        // a wheel's tread finds the terrain itself, its sides do not
        let wheel =
            self.wheels.iter().find(|(wheel, _)| one_owner == Owner::Link(wheel.link) && two_owner == Owner::Terrain);
        let axle = wheel.map(|(wheel, _)| {
            let place = &middle.spawned.links[wheel.link];
            wheel.axle(&(middle.mechanics.middle().bodies[wheel.body].in_world * place.pose_in_body))
        });
        let has_many_corners = one.has_many_corners() || two.has_many_corners();
        let apart = if has_many_corners && two_owner != Owner::Terrain { APART_ON_FACES } else { APART };
        self.few.clear();
        for point in &self.near {
            let place = point.position;
            let on_soil = two_owner == Owner::Terrain && self.is_soil(&middle.world.terrain, place.x, place.y);
            if !on_soil && axle.is_none_or(|axle| WheelContact::is_side(&axle, &point.normal)) {
                add(&mut self.few, *point, apart);
            }
        }
        thin_out(&mut self.few);
        for place in 0..self.few.len() {
            let Near { position, normal, gap } = self.few[place];
            let law = self.law(middle.world, (one_owner, two_owner), (body, other_body), &position);
            let surface_velocity = match other {
                Carrier::Rail(object) => rail_velocity(middle, object, &position),
                _ => Vector3::zeros(),
            };
            let tag = tag(one_owner, two_owner);
            let contact = Contact::new(body, other_body, position, normal, gap, law);
            self.memory.points.push(Contact { surface_velocity, tag, ..contact });
        }
    }

    fn law(&mut self, world: &World, owners: (Owner, Owner), bodies: (usize, Option<usize>), at: &Vector3<f64>) -> Law {
        let surface = |owner: Owner| match owner {
            Owner::Object(object) => world.objects[object].material,
            Owner::Terrain => world.terrain.material_at(at.x, at.y).unwrap_or(0),
            Owner::Link(link) => self.surfaces.of_link(link),
        };
        let (one, two) = (surface(owners.0), surface(owners.1));
        if let (Owner::Link(link), Owner::Object(_) | Owner::Terrain) = owners {
            self.memory.material[link] = two;
            if let Some((_, tyre)) = self.wheels.iter().find(|(wheel, _)| wheel.link == link) {
                return self.surfaces.of_tyre(link, tyre, two);
            }
        }
        let mass = self.masses[bodies.0].min(bodies.1.map_or(f64::INFINITY, |other| self.masses[other]));
        self.surfaces.law(one, two, mass)
    }

    /// Points that were there in the last step go on with what they held.
    fn hand_on(&mut self) {
        let bodies = |contact: &Contact| (contact.body, contact.other);
        for points in self.memory.points.chunk_by_mut(|one, next| bodies(one) == bodies(next)) {
            // the mechanics sorted them by their bodies
            let own = bodies(&points[0]);
            let first = self.old.partition_point(|old| bodies(old) < own);
            let count = self.old[first..].iter().take_while(|old| bodies(old) == own).count();
            let olds = &self.old[first..first + count];
            for point in points {
                let (mut nearest, mut least) = (None, SAME_POINT * SAME_POINT);
                for old in olds {
                    let far = (old.position - point.position).norm_squared();
                    if far < least {
                        (nearest, least) = (Some(old), far);
                    }
                }
                if let Some(old) = nearest {
                    (point.held, point.held_turn) = (old.held, old.held_turn);
                }
            }
        }
    }
}

/// Whether a solid stays where it is.
fn rests(middle: Middle, solid: &Solid) -> bool {
    match solid.carrier {
        Carrier::World => true,
        Carrier::Rail(_) => false,
        Carrier::Body(body) => middle.mechanics.is_asleep(body),
    }
}
