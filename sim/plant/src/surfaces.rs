//! How two surfaces behave where they touch.

use mechanics::{Law, Surface};
use worlds::{Pair, World};

use crate::member::Member;

/// A tyre gives way by so much under its share of the robot's weight [m]: solid rubber of Momaro's size does, by 0.7 mm at three times 70 N.
const TYRE_DEFLECTION: f64 = 0.23e-3;
/// Time in which springs and dampers of what gives way settle [s].
const SETTLING: f64 = 0.01;
/// The gravity whose weights press something down by its `give` [m/s²].
const GRAVITY: f64 = 9.81;

/// What decides about a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Touch {
    friction: f64,
    restitution: f64,
    /// [m]
    torsion: f64,
    /// [m]
    rolling: f64,
    /// [m]
    give: f64,
}

/// Links of a robot of which nothing is known on each other: painted or anodised metal.
const BARE: Touch = Touch { friction: 0.3, restitution: 0.0, torsion: 5e-3, rolling: 5e-4, give: 0.0 };

impl Touch {
    /// Where two meet of which each is known alone: the smoother one decides about friction, the one that bounces less about restitution, and
    /// both give way.
    fn of_both(one: &Touch, two: &Touch) -> Touch {
        Touch {
            friction: one.friction.min(two.friction),
            restitution: one.restitution.min(two.restitution),
            torsion: one.torsion.max(two.torsion),
            rolling: one.rolling.max(two.rolling),
            give: one.give + two.give,
        }
    }

    /// What is known of a pair comes first.
    fn with(self, pair: &Pair) -> Touch {
        Touch {
            friction: pair.friction.unwrap_or(self.friction),
            restitution: pair.restitution.unwrap_or(self.restitution),
            torsion: pair.torsional_friction.unwrap_or(self.torsion),
            rolling: pair.rolling_friction.unwrap_or(self.rolling),
            give: pair.give.unwrap_or(self.give),
        }
    }

    /// Between bodies that resist a push by about `mass` [kg].
    fn law(&self, mass: f64) -> Law {
        let Touch { friction, restitution, torsion, rolling, give } = *self;
        if give > 0.0 {
            // how it bounces is its spring's and its damper's business
            let stiffness = mass * GRAVITY / give;
            return Law { torsion, rolling, ..Law::soft(stiffness, stiffness * SETTLING, friction) };
        }
        Law { surface: Surface::Rigid { mass }, torsion, rolling, restitution, ..Law::rigid(mass, friction) }
    }
}

/// All that can touch in a simulation: the world's materials, in their order, the robots' surfaces, and what nothing is known of.
#[derive(Clone, Debug)]
pub(crate) struct Surfaces {
    count: usize,
    /// For each two of them.
    touches: Vec<Touch>,
    /// For each link of all robots its surface.
    links: Vec<usize>,
}

impl Surfaces {
    /// Of a world and its robots.
    pub fn new(world: &World, robots: &[Member]) -> Surfaces {
        let of_world = world.materials.iter().map(|material| {
            let (torsion, rolling) = (material.torsional_friction, material.rolling_friction);
            let (friction, restitution, give) = (material.friction, material.restitution, material.give);
            (material.name.as_str(), Some(Touch { friction, restitution, torsion, rolling, give }))
        });
        let surfaces = robots.iter().flat_map(|member| &member.robot.description.surfaces);
        let of_robots = surfaces.map(|surface| {
            let (torsion, rolling) = (surface.torsional_friction, surface.rolling_friction);
            let (friction, restitution, give) = (surface.friction, surface.restitution, surface.give);
            (surface.name.as_str(), Some(Touch { friction, restitution, torsion, rolling, give }))
        });
        let all: Vec<_> = of_world.chain(of_robots).chain([("", None)]).collect();
        let mut touches = Vec::with_capacity(all.len() * all.len());
        for (one, alone) in &all {
            for (two, other) in &all {
                let both = match (alone, other) {
                    (Some(one), Some(two)) => Touch::of_both(one, two),
                    (Some(known), None) | (None, Some(known)) => *known,
                    (None, None) => BARE,
                };
                touches.push(world.pairs.iter().find(|pair| pair.is_of(one, two)).map_or(both, |pair| both.with(pair)));
            }
        }
        let mut links = Vec::new();
        let mut number = world.materials.len();
        for Member { robot, .. } in robots {
            let first = links.len();
            links.resize(first + robot.tree.links.len(), all.len() - 1);
            for surface in &robot.description.surfaces {
                surface.links.iter().for_each(|link| links[first + *link] = number);
                number += 1;
            }
        }
        Surfaces { count: all.len(), touches, links }
    }

    /// The surface of a link.
    pub fn of_link(&self, link: usize) -> usize {
        self.links[link]
    }

    fn touch(&self, one: usize, two: usize) -> &Touch {
        &self.touches[one * self.count + two]
    }

    /// Of two surfaces, materials among them by their number in the world, on bodies that resist a push by about `mass` [kg].
    pub fn law(&self, one: usize, two: usize, mass: f64) -> Law {
        self.touch(one, two).law(mass)
    }

    /// Of a wheel's tyre on a material.
    pub fn of_tyre(&self, wheel: usize, tyre: &Tyre, material: usize) -> Law {
        Law::soft(tyre.stiffness, tyre.stiffness * SETTLING, self.touch(self.links[wheel], material).friction)
    }
}

/// The tyre of one wheel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tyre {
    /// [N/m], at each point.
    stiffness: f64,
}

impl Tyre {
    /// The tyre of a wheel that carries `load` [N] at `points` points.
    pub fn new(load: f64, points: usize) -> Tyre {
        Tyre { stiffness: load / TYRE_DEFLECTION / points as f64 }
    }
}
