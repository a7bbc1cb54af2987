//! Which solids may touch which, and what each body carries in one.

use core::ops::Range;

use mechanics::{Kinematics, Mechanics};
use nalgebra::{Point3, Vector3};

use crate::collision::Owner;
use crate::solids::{Carrier, Solid};

/// A solid and those that may touch it.
#[derive(Clone, Debug)]
pub(crate) struct Encounter {
    /// They move by physics, by their cluster: solids of one object, or some of a robot's.
    pub ones: Vec<usize>,
    /// The robot whose they are.
    pub robot: Option<usize>,
    /// Whether they are wheels.
    pub wheels: bool,
    pub two: usize,
}

/// Solids that one body carries: where they all are far from something, none is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub solids: Range<usize>,
    /// The robot whose they are.
    pub robot: Option<usize>,
    body: usize,
    /// A ball around them in the body's frame: middle, radius [m].
    ball: (Point3<f64>, f64),
    middle: Vector3<f64>,
}

impl Cluster {
    fn new(solids: &[Solid], own: Range<usize>, robot: Option<usize>, body: usize) -> Cluster {
        let balls = || solids[own.clone()].iter().map(Solid::ball_in_carrier);
        let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        for (at, radius) in balls() {
            low = low.inf(&at.coords.add_scalar(-radius));
            high = high.sup(&at.coords.add_scalar(radius));
        }
        let middle = Point3::from(0.5 * (low + high));
        let radius = balls().map(|(at, radius)| (at - middle).norm() + radius).fold(0.0, f64::max);
        Cluster { solids: own, robot, body, ball: (middle, radius), middle: Vector3::zeros() }
    }

    /// Goes where its body is in the middle of the step, with those of all solids that are its.
    pub fn place(&mut self, solids: &mut [Solid], mechanics: &Mechanics) {
        let in_world = mechanics.middle().bodies[self.body].in_world;
        self.middle = (in_world * self.ball.0).coords;
        solids[self.solids.clone()].iter_mut().for_each(|solid| solid.place(&in_world));
    }

    /// No point of it is faster than this [m/s].
    pub fn fastest(&self, kinematics: &Kinematics) -> f64 {
        let angular = kinematics.bodies[self.body].twist.angular;
        kinematics.velocity_at(self.body, &self.middle).norm() + angular.norm() * self.ball.1
    }

    /// A ball around all of it, in the world: middle and radius [m].
    pub fn ball(&self) -> (Vector3<f64>, f64) {
        (self.middle, self.ball.1)
    }
}

/// What may touch what: a robot everything but robots; an object that moves by
/// physics everything that does not, and those before it. `robots` are the numbers of each robot's links.
pub(crate) fn encounters(
    solids: &[Solid],
    robots: &[Range<usize>],
    is_wheel: impl Fn(usize) -> bool,
    hang_together: impl Fn(Owner, Owner) -> bool,
) -> (Vec<Cluster>, Vec<Encounter>) {
    let moves = |solid: &Solid| matches!(solid.carrier, Carrier::Body(_));
    let rolls = |solid: usize| matches!(solids[solid].owner, Owner::Link(link) if is_wheel(link));
    let clusters = clusters(solids, robots, rolls);
    let mut encounters = Vec::new();
    for (two, solid) in solids.iter().enumerate() {
        let is_terrain = solid.owner == Owner::Terrain;
        for robot in (0..robots.len()).map(Some) {
            let links = (0..clusters.len()).filter(|cluster| clusters[*cluster].robot == robot);
            if is_terrain {
                let (wheels, others): (Vec<usize>, _) =
                    links.partition(|cluster| rolls(clusters[*cluster].solids.start));
                let both = [(others, false), (wheels, true)].into_iter().filter(|(ones, _)| !ones.is_empty());
                encounters.extend(both.map(|(ones, wheels)| Encounter { ones, robot, wheels, two }));
            } else if matches!(solid.owner, Owner::Object(_)) {
                encounters.push(Encounter { ones: links.collect(), robot, wheels: false, two });
            }
        }
        for (place, cluster) in clusters.iter().enumerate().filter(|(_, cluster)| cluster.robot.is_none()) {
            let (one, other) = (cluster.solids.start, &solids[cluster.solids.start]);
            let are_two = other.owner != solid.owner && !hang_together(other.owner, solid.owner);
            if are_two && !matches!(solid.owner, Owner::Link(_)) && (!moves(solid) || two < one) {
                encounters.push(Encounter { ones: vec![place], robot: None, wheels: false, two });
            }
        }
    }
    (clusters, encounters)
}

/// The solids that move by physics: each object's, and a robot's that follow each other on one body, wheels by themselves.
fn clusters(solids: &[Solid], robots: &[Range<usize>], rolls: impl Fn(usize) -> bool) -> Vec<Cluster> {
    let mut clusters = Vec::new();
    let mut first = 0;
    while first < solids.len() {
        let Solid { owner, carrier, .. } = solids[first];
        let robot = robots.iter().position(|links| owner.link_of(links).is_some());
        let is_alike = |other: &usize| {
            let solid = &solids[*other];
            let is_link = robot.is_some() && matches!(solid.owner, Owner::Link(_));
            let is_of_one = solid.owner == owner || (is_link && solid.carrier == carrier);
            is_of_one && rolls(*other) == rolls(first)
        };
        let end = (first + 1..solids.len()).find(|other| !is_alike(other)).unwrap_or(solids.len());
        if let Carrier::Body(body) = carrier {
            clusters.push(Cluster::new(solids, first..end, robot, body));
        }
        first = end;
    }
    clusters
}
