//! What a contact answers to a small motion: the step of a semismooth Newton method at Signorini's and Coulomb's laws.
//!
//! The laws say of impulse λ and velocity v that λ is what λ − ρ v is when it is brought back into the cone, whatever ρ is (Alart and
//! Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods", 1991). Whether a point presses or
//! parts, sticks or slips is told by λ − ρ v, with ρ about the mass that resists, so that it is told well even of surfaces that do not give
//! way; and as it is told, λ follows v along a straight line, or nearly. That the limit of friction follows the normal impulse is part of
//! the line.
//!
//! All is told along the point's own axes: the normal and two across it, and the same three again for turning on the spot, if it resists that.

use nalgebra::Vector3;
use robot_model::{Twist, Wrench};

use crate::delassus::{SIX, Six, add_scaled, dot};
use crate::touch::{Push, Touch};

/// A rigid contact's slope, in times the mass that resists.
const STIFF: f64 = 1e5;

/// A point of contact along its own axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    /// For each axis what it is of a relative twist; and the wrench of a unit impulse.
    axes: [Six; SIX],
    /// How many of them there are: three, or six if it resists turning.
    count: usize,
    rigid: bool,
    /// Velocity of the world's surface.
    moving: [f64; 3],
    target: f64,
    /// λ, and how it falls with the velocity while nothing slips or parts: along the normal, across it, and turning.
    held: Six,
    slopes: [f64; 3],
    /// ρ for each slope.
    weights: [f64; 3],
    /// Friction's disks: across the normal, about it, and about what is across it.
    disks: [Disk; 3],
    /// The impulses that were tried last.
    tried: Six,
    /// The velocity along each axis at the relative twist that was looked at last.
    velocities: Six,
    /// λ − ρ v along the normal there, and the impulses that the laws ask for.
    asked: f64,
    natural: Six,
}

/// A law of friction along one or two axes.
#[derive(Clone, Copy, Debug, Default)]
struct Disk {
    /// The longest impulse without a normal one, and by how much it grows with that.
    least: f64,
    coefficient: f64,
    /// λ − ρ v at the relative twist that was looked at last, and how long it is.
    asked: [f64; 2],
    length: f64,
}

/// How a point's impulses answer a change of the bodies' relative twist.
///
/// There are as many independent answers as the point has freedom to: what slips follows the normal impulse, and turns only about its limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reply {
    /// Whether it presses; else it has none.
    presses: bool,
    /// What they are without a change.
    rests: Six,
    answers: [Answer; SIX],
    count: usize,
}

/// Impulses in one direction, which fall with the relative twist.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answer {
    /// Along the point's own axes, for each unit.
    own: Six,
    /// Their wrench.
    pub wrench: Six,
    /// How many units fewer there are for each unit of the twist.
    pub falls: Six,
}

impl Point {
    /// Becomes a touch whose bodies have a relative twist before the step. It tries what a rigid contact held in the last step, or what a soft one
    /// would do at that twist. A rigid one is to be [weighed](Point::weigh) before it looks.
    pub fn begin(&mut self, touch: &Touch, relative: &Twist) {
        let across = touch.normal.cross(&least_axis(&touch.normal)).normalize();
        let along = [touch.normal, across, touch.normal.cross(&across)];
        let force = |axis: &Vector3<f64>| Wrench::new(*axis, touch.at.cross(axis)).to_vector().into();
        let torque = |axis: &Vector3<f64>| Wrench::new(Vector3::zeros(), *axis).to_vector().into();
        let [n, s, t] = &along;
        let of = |v: &Vector3<f64>| along.map(|axis| axis.dot(v));
        let ([_, h1, h2], [h3, h4, h5]) = (of(&touch.shear), of(&touch.turn));
        self.axes = [force(n), force(s), force(t), torque(n), torque(s), torque(t)];
        self.count = if touch.grips_turns() { 6 } else { 3 };
        self.rigid = touch.rigid;
        self.moving = of(&touch.surface_velocity);
        self.target = touch.target;
        self.held = [touch.held, h1, h2, h3, h4, h5];
        self.slopes = [touch.slope, touch.shear_slope, touch.turn_slope];
        self.weights = self.slopes;
        let disk = |least, coefficient| Disk { least, coefficient, ..Disk::default() };
        self.disks = [disk(touch.cohesion, touch.friction), disk(0.0, touch.torsion), disk(0.0, touch.rolling)];
        self.tried = if self.rigid { self.held } else { [0.0; SIX] };
        if !self.rigid {
            self.look(&relative.to_vector().into());
            self.tried = self.natural;
        }
    }

    /// Takes what resists a push at the point, where the surfaces do not give way: `inverse` is an inverse mass for any wrench.
    pub fn weigh(&mut self, inverse: impl Fn(&Six) -> f64) {
        if self.rigid {
            let sum: f64 = self.axes[..3].iter().map(inverse).sum();
            let factor = 3.0 * STIFF / (sum * self.slopes[0]);
            self.slopes.iter_mut().for_each(|slope| *slope *= factor);
            self.weights = self.slopes.map(|slope| slope / STIFF);
        }
    }

    /// The impulses that were tried last.
    pub fn tried(&self) -> &Six {
        &self.tried
    }

    /// Looks at a relative twist, at which everything else is told. Nobody asks how fast what does not press moves across.
    pub fn look(&mut self, relative: &Six) {
        self.look_along(0, relative);
        self.ask_normal();
        if self.asked > 0.0 {
            (1..self.count).for_each(|place| self.look_along(place, relative));
            self.ask_disks();
        }
    }

    fn look_along(&mut self, place: usize, relative: &Six) {
        let moving = self.moving.get(place).copied().unwrap_or(0.0);
        self.velocities[place] = dot(&self.axes[place], relative) - moving;
    }

    /// Finds λ − ρ v along the normal, and what the laws say about it.
    fn ask_normal(&mut self) {
        let given = (self.tried[0] - self.held[0]) / self.slopes[0];
        self.asked = self.tried[0] + self.weights[0] * (self.target - self.velocities[0] - given);
        self.natural = [0.0; SIX];
        self.natural[0] = self.asked.max(0.0);
    }

    /// The same in the disks.
    fn ask_disks(&mut self) {
        self.ask_disk::<0, 1, 2>();
        if self.count == SIX {
            self.ask_disk::<1, 3, 1>();
            self.ask_disk::<2, 4, 2>();
        }
    }

    /// The same in a disk, if it resists, by its number, its first axis and how many it has.
    fn ask_disk<const NUMBER: usize, const FIRST: usize, const COUNT: usize>(&mut self) {
        let (slope, weight) = (self.slopes[1 + FIRST / 3], self.weights[1 + FIRST / 3]);
        let one = |place: usize| {
            let given = (self.tried[place] - self.held[place]) / slope;
            self.tried[place] - weight * (self.velocities[place] + given)
        };
        let disk = &mut self.disks[NUMBER];
        if disk.resists() {
            disk.asked = [one(FIRST), if COUNT == 2 { one(FIRST + 1) } else { 0.0 }];
            disk.length = length(&disk.asked);
            let share = share(disk.least + disk.coefficient * self.natural[0], disk.length);
            (0..COUNT).for_each(|place| self.natural[FIRST + place] = disk.asked[place] * share);
        }
    }

    /// What the laws say the impulses are.
    pub fn natural(&self) -> &Six {
        &self.natural
    }

    /// Tells how the impulses answer.
    pub fn reply(&self, reply: &mut Reply) {
        reply.presses = self.asked > 0.0;
        reply.count = 0;
        if !reply.presses {
            return;
        }
        reply.rests[1..].fill(0.0);
        let [slope, ..] = self.slopes;
        reply.rests[0] = self.held[0] + slope * (self.target - self.velocities[0]);
        self.stick(0, slope, reply);
        self.slide::<0, 1, 2>(reply);
        if self.count == SIX {
            self.slide::<1, 3, 1>(reply);
            self.slide::<2, 4, 2>(reply);
        }
    }

    /// Adds an answer along one of the axes alone.
    fn stick(&self, place: usize, slope: f64, reply: &mut Reply) {
        let answer = reply.next();
        answer.own = [0.0; SIX];
        answer.own[place] = 1.0;
        answer.wrench = self.axes[place];
        answer.falls = scaled(&self.axes[place], slope);
    }

    /// Takes up how friction answers. Whether it slips is told by the normal impulse that was tried, not by the one that is asked for: that may be
    /// far off where the point has just begun to press, and would let friction resist turns of the way in which it slips far too much (Jean and
    /// Moreau, "Unilaterality and dry friction in the dynamics of rigid body collections", 1992).
    fn slide<const NUMBER: usize, const FIRST: usize, const COUNT: usize>(&self, reply: &mut Reply) {
        let disk @ Disk { asked, length, .. } = self.disks[NUMBER];
        if !disk.resists() {
            return;
        }
        let (slope, weight) = (self.slopes[1 + FIRST / 3], self.weights[1 + FIRST / 3]);
        let most = disk.least + disk.coefficient * self.tried[0].max(0.0);
        let places = FIRST..FIRST + COUNT;
        if length <= most {
            for place in places {
                reply.rests[place] = self.held[place] - self.velocities[place] * slope;
                self.stick(place, slope, reply);
            }
            return;
        }
        // along the way in which it slips the limit follows the normal impulse; beside it the direction turns
        let share = most / length;
        let bends = share * (1.0 - weight / slope);
        let turns = share * weight / (1.0 - bends);
        let along = asked.map(|a| a / length);
        let beside = [-along[1], along[0]];
        let mut apart = 0.0;
        if COUNT == 2 {
            let answer = reply.next();
            (answer.own, answer.wrench) = ([0.0; SIX], [0.0; SIX]);
            for (place, beside) in places.clone().zip(beside) {
                apart += beside * self.tried[place];
                answer.own[place] = beside;
                add_scaled(&mut answer.wrench, beside, &self.axes[place]);
            }
            apart *= bends / (1.0 - bends);
            answer.falls = scaled(&answer.wrench, turns);
        }
        let (normal_rest, [normal, ..]) = (reply.rests[0], &mut reply.answers);
        for ((place, along), beside) in places.zip(along).zip(beside) {
            reply.rests[place] = along * (disk.least + disk.coefficient * normal_rest) - beside * apart;
            normal.own[place] = along * disk.coefficient;
            add_scaled(&mut normal.wrench, along * disk.coefficient, &self.axes[place]);
        }
    }

    /// Tries what the answer is after the relative twist has changed, or a share of the way to that.
    pub fn go_on(&mut self, reply: &Reply, change: &Six, share: f64) {
        let mut to = [0.0; SIX];
        if reply.presses {
            to = reply.rests;
            for answer in reply.answers() {
                add_scaled(&mut to, -dot(&answer.falls, change), &answer.own);
            }
        }
        for (tried, to) in self.tried[..self.count].iter_mut().zip(to) {
            *tried += share * (to - *tried);
        }
    }

    /// Lets the multipliers of a rigid contact take over the impulses that the laws ask for.
    pub fn persist(&mut self) {
        if self.rigid {
            self.held = self.natural;
            self.ask_normal();
            if self.asked > 0.0 {
                self.ask_disks();
            }
        }
    }

    /// How fast a rigid contact still gives way with the impulses that the laws ask for [m/s].
    pub fn error(&self) -> f64 {
        let impulses = &self.natural;
        if !self.rigid || impulses[0] == 0.0 {
            return 0.0;
        }
        let along = (impulses[0] - self.held[0]).abs() / self.slopes[0];
        let across = length(&[impulses[1] - self.held[1], impulses[2] - self.held[2]]) / self.slopes[1];
        along.max(across)
    }

    /// The wrench of impulses.
    pub fn wrench(&self, impulses: &Six) -> Six {
        let mut sum = [0.0; SIX];
        for (axis, impulse) in self.axes[..self.count].iter().zip(impulses) {
            add_scaled(&mut sum, *impulse, axis);
        }
        sum
    }

    /// The impulses in the world.
    pub fn push(&self, impulses: &Six) -> Push {
        let along = |first: usize| {
            let axis = |place: usize| Vector3::from_column_slice(&self.axes[place][..3]) * impulses[first + place];
            (axis(1) + axis(2), axis(0))
        };
        let (shear, _) = along(0);
        let (across, about) = if self.count == SIX { along(3) } else { (Vector3::zeros(), Vector3::zeros()) };
        Push { normal: impulses[0], shear, turn: about + across }
    }
}

impl Disk {
    fn resists(&self) -> bool {
        self.coefficient > 0.0 || self.least > 0.0
    }
}

impl Reply {
    /// Whether the point presses; the rest is of no meaning if it does not.
    pub fn presses(&self) -> bool {
        self.presses
    }

    /// The impulses without a change.
    pub fn rests(&self) -> &Six {
        &self.rests
    }

    /// How they fall with the twist.
    pub fn answers(&self) -> &[Answer] {
        &self.answers[..self.count]
    }

    /// One more answer, to be written.
    fn next(&mut self) -> &mut Answer {
        self.count += 1;
        &mut self.answers[self.count - 1]
    }
}

/// The axis of the world that is the farthest from a unit vector.
fn least_axis(to: &Vector3<f64>) -> Vector3<f64> {
    Vector3::ith(to.iamin(), 1.0)
}

/// The share of a vector of this length that is no longer than `most`.
fn share(most: f64, length: f64) -> f64 {
    if length > most { most / length } else { 1.0 }
}

fn length(v: &[f64; 2]) -> f64 {
    (v[0] * v[0] + v[1] * v[1]).sqrt()
}

fn scaled(six: &Six, factor: f64) -> Six {
    six.map(|number| number * factor)
}
