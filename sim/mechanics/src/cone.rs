//! What a contact answers to a small motion: the step of a semismooth Newton method at Signorini's and Coulomb's laws.
//!
//! The laws say of impulse λ and velocity u that λ is what λ − ρ u is when it is brought back into the cone, whatever ρ is (Alart and
//! Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods", 1991). Whether a point presses or
//! parts, sticks or slips is told by λ − ρ u, with ρ about the mass that resists, so that it is told well even of surfaces that do not give
//! way; and as it is told, λ follows u along a straight line, or nearly. That the limit of friction follows the normal impulse is part of
//! the line.

use nalgebra::{Matrix3, Matrix3x6, Matrix6, Vector3};
use robot_model::{Twist, Wrench};

use crate::touch::{Push, Touch, clipped};

/// How a point's impulses answer a change of the bodies' relative twist.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reply {
    /// What it presses with if nothing changes, and how that falls with the parting velocity.
    normal: f64,
    slope: f64,
    shear: Slide,
    turn: Slide,
}

/// What resists sliding, or turning on the spot.
#[derive(Clone, Copy, Debug, Default)]
struct Slide {
    /// The impulse if nothing changes and nothing presses.
    rest: Vector3<f64>,
    /// What comes to it by normal impulse.
    per_normal: Vector3<f64>,
    /// How it falls with the velocity.
    slope: Matrix3<f64>,
}

/// A law of friction in some directions.
struct Friction<'a> {
    /// λ and how it falls with the velocity as long as nothing slips, and ρ.
    held: Vector3<f64>,
    slope: f64,
    weight: f64,
    /// The directions, and the velocity in them.
    space: &'a Matrix3<f64>,
    velocity: Vector3<f64>,
    /// The longest impulse without a normal one, and by how much that grows with it.
    least: f64,
    coefficient: f64,
}

impl Reply {
    /// Whether the point presses.
    pub fn presses(&self) -> bool {
        self.slope > 0.0
    }
}

impl Friction<'_> {
    fn asked(&self, tried: &Vector3<f64>) -> Vector3<f64> {
        tried - (self.velocity + (tried - self.held) / self.slope) * self.weight
    }

    /// The answer where `asked` is asked for, `tried` was tried last and `normal` presses.
    fn slide(&self, asked: &Vector3<f64>, tried: &Vector3<f64>, normal: f64) -> Slide {
        let (most, length) = (self.least + self.coefficient * normal, asked.norm());
        if length <= most {
            let rest = self.held - self.velocity * self.slope;
            return Slide { rest, per_normal: Vector3::zeros(), slope: self.space * self.slope };
        }
        let along = asked / length;
        let share = most / length;
        let bends = share * (1.0 - self.weight / self.slope);
        let beside = tried - along * along.dot(tried);
        let (fades, rest) = (1.0 / (1.0 - bends), along * self.least);
        Slide {
            rest: rest - beside * (bends * fades),
            per_normal: along * self.coefficient,
            slope: (self.space - along * along.transpose()) * (share * self.weight * fades),
        }
    }
}

impl Touch {
    fn shearing<'a>(&self, velocity: Vector3<f64>, plane: &'a Matrix3<f64>) -> Friction<'a> {
        let (held, slope, weight) = (self.shear, self.shear_slope, self.shear_weight());
        let (least, coefficient) = (self.cohesion, self.friction);
        Friction { held, slope, weight, space: plane, velocity, least, coefficient }
    }

    fn turning<'a>(&self, velocity: Vector3<f64>, space: &'a Matrix3<f64>, coefficient: f64) -> Friction<'a> {
        let slope = self.turn_slope;
        let weight = self.shear_weight() * slope / self.shear_slope;
        Friction { held: space * self.turn, slope, weight, space, velocity, least: 0.0, coefficient }
    }

    /// What the laws say the impulses are at a relative twist, where `tried` was tried.
    pub fn natural(&self, relative: &Twist, tried: &Push) -> Push {
        let velocity = self.velocity(relative);
        let parting = self.normal.dot(&velocity);
        let normal = self.asked_normal(parting, tried).max(0.0);
        let mut push = Push { normal, shear: Vector3::zeros(), turn: Vector3::zeros() };
        if normal == 0.0 {
            return push;
        }
        let spread = self.normal * self.normal.transpose();
        let plane = Matrix3::identity() - spread;
        if self.grips() {
            let asked = self.shearing(velocity - self.normal * parting, &plane).asked(&tried.shear);
            push.shear = clipped(&asked, self.cohesion + self.friction * normal);
        }
        if self.grips_turns() {
            for (space, coefficient) in [(&spread, self.torsion), (&plane, self.rolling)] {
                let law = self.turning(space * relative.angular, space, coefficient);
                push.turn += clipped(&law.asked(&(space * tried.turn)), coefficient * normal);
            }
        }
        push
    }

    /// How the impulses answer, where `tried` was tried.
    pub fn reply(&self, relative: &Twist, tried: &Push) -> Reply {
        let velocity = self.velocity(relative);
        let parting = self.normal.dot(&velocity);
        let normal = self.asked_normal(parting, tried);
        if normal <= 0.0 {
            return Reply::default();
        }
        let straight = self.held + self.slope * (self.target - parting);
        let mut reply = Reply { normal: straight, slope: self.slope, ..Reply::default() };
        let spread = self.normal * self.normal.transpose();
        let plane = Matrix3::identity() - spread;
        if self.grips() {
            let law = self.shearing(velocity - self.normal * parting, &plane);
            reply.shear = law.slide(&law.asked(&tried.shear), &tried.shear, normal);
        }
        if self.grips_turns() {
            for (space, coefficient) in [(&spread, self.torsion), (&plane, self.rolling)] {
                let law = self.turning(space * relative.angular, space, coefficient);
                let tried = space * tried.turn;
                let slide = law.slide(&law.asked(&tried), &tried, normal);
                reply.turn.rest += slide.rest;
                reply.turn.per_normal += slide.per_normal;
                reply.turn.slope += slide.slope;
            }
        }
        reply
    }

    fn asked_normal(&self, parting: f64, tried: &Push) -> f64 {
        tried.normal + self.weight() * (self.target - parting - (tried.normal - self.held) / self.slope)
    }

    /// The impulses after the relative twist has changed.
    pub fn answered(&self, reply: &Reply, change: &Twist) -> Push {
        let velocity = change.at(&self.at).linear;
        let normal = reply.normal - reply.slope * self.normal.dot(&velocity);
        let of = |slide: &Slide, by: &Vector3<f64>| slide.rest + slide.per_normal * normal - slide.slope * by;
        Push { normal, shear: of(&reply.shear, &velocity), turn: of(&reply.turn, &change.angular) }
    }

    /// How the impulses fall with the relative twist: the force in three rows, and then the torque on the spot.
    pub fn falls(&self, reply: &Reply) -> [Matrix3x6<f64>; 2] {
        let across = reply.slope * self.normal.transpose();
        let linear = (self.normal + reply.shear.per_normal) * across + reply.shear.slope;
        let torque = reply.turn.per_normal * across;
        [self.rows(&linear, &Matrix3::zeros()), self.rows(&torque, &reply.turn.slope)]
    }

    /// What falls with the velocity at the point and with the angular velocity, as rows for the relative twist.
    fn rows(&self, by_velocity: &Matrix3<f64>, by_turn: &Matrix3<f64>) -> Matrix3x6<f64> {
        let mut rows = Matrix3x6::zeros();
        rows.fixed_view_mut::<3, 3>(0, 0).copy_from(by_velocity);
        for row in 0..3 {
            let turned = self.at.cross(&by_velocity.row(row).transpose()) + by_turn.row(row).transpose();
            rows.fixed_view_mut::<1, 3>(row, 3).copy_from(&turned.transpose());
        }
        rows
    }

    /// Adds how the wrench falls with the relative twist.
    pub fn resist_as(&self, reply: &Reply, resistance: &mut Matrix6<f64>) {
        let [force, torque] = self.falls(reply);
        let mut turned = torque;
        for column in 0..6 {
            let force = force.column(column).into_owned();
            let mut turned = turned.column_mut(column);
            turned += self.at.cross(&force);
        }
        let mut linear = resistance.fixed_view_mut::<3, 6>(0, 0);
        linear += force;
        let mut angular = resistance.fixed_view_mut::<3, 6>(3, 0);
        angular += turned;
    }

    /// The wrench of a force at the point.
    pub fn wrench_of_force(&self, force: &Vector3<f64>) -> Wrench {
        Wrench::new(*force, self.at.cross(force))
    }

    /// The wrench if the relative twist does not change.
    pub fn straight(&self, reply: &Reply) -> Wrench {
        self.wrench(&self.answered(reply, &Twist::zero()))
    }
}
