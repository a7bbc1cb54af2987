//! A contact as the solver sees it: its impulse and its resistance as functions of the velocity at the end of the step.
//!
//! With stiffness k and damping d, taken at the end of a step h, the impulse along the normal is −h (k g′ + d u′)₊, where g′ = g + h u′/2
//! is the gap at the end (gaps are measured in the middle of the step) and u′ the relative velocity there: a straight line in u′, cut off
//! at zero. Across it, with shear s, it is −h (k (s + h u′) + d u′), cut off at Coulomb's limit. Both are the gradients of convex
//! potentials, Huber's function across, as long as the limit is held; the solver follows the limit from one iteration to the next.

use nalgebra::{Matrix3, Matrix6, Vector3};
use robot_model::{Twist, Wrench};

use crate::contact::Contact;

/// What stays the same over the iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// The point, from the body's reference.
    at: Vector3<f64>,
    normal: Vector3<f64>,
    surface_velocity: Vector3<f64>,
    /// Impulse along the normal: `slope · (target − u)`, if positive.
    slope: f64,
    target: f64,
    /// Impulse across: −(`shear` + `shear_slope` · u), up to the limit.
    shear: Vector3<f64>,
    shear_slope: f64,
    /// The same for angular velocities.
    twist: Vector3<f64>,
    twist_slope: f64,
    friction: f64,
    torsion: f64,
    rolling: f64,
    /// The normal impulse that sets the limits.
    pub loaded: f64,
}

/// Impulses of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Push {
    /// Along the normal.
    pub normal: f64,
    /// Across it.
    pub shear: Vector3<f64>,
    /// About the normal and across it.
    pub twist: Vector3<f64>,
}

impl Touch {
    /// A contact in a step of `step` [s], about the reference of its body.
    pub fn new(contact: &Contact, reference: &Vector3<f64>, step: f64) -> Touch {
        let law = &contact.law;
        let slope = step * (0.5 * step * law.stiffness + law.damping);
        let target = match contact.gap > 0.0 {
            // not there yet: it may come as close as it is far
            true => -2.0 * contact.gap / step,
            false => -contact.gap * step * law.stiffness / slope,
        };
        let across = |v: &Vector3<f64>| v - contact.normal * contact.normal.dot(v);
        let lever = law.torsion.max(law.rolling);
        let shear_slope = step * (step * law.stiffness + law.damping);
        Touch {
            at: contact.position - reference,
            normal: contact.normal,
            surface_velocity: contact.surface_velocity,
            slope,
            target,
            shear: across(&contact.shear) * (step * law.stiffness),
            shear_slope,
            twist: contact.twist * (step * law.stiffness * lever * lever),
            twist_slope: shear_slope * lever * lever,
            friction: law.friction,
            torsion: law.torsion,
            rolling: law.rolling,
            loaded: 0.0,
        }
    }

    /// Whether it resists turning on the spot.
    fn grips_turns(&self) -> bool {
        self.twist_slope > 0.0
    }

    /// Relative velocity of the surfaces for a relative twist of the bodies.
    fn velocity(&self, relative: &Twist) -> Vector3<f64> {
        relative.at(&self.at).linear - self.surface_velocity
    }

    /// The impulse along the normal at a relative twist.
    pub fn normal_impulse(&self, relative: &Twist) -> f64 {
        (self.slope * (self.target - self.normal.dot(&self.velocity(relative)))).max(0.0)
    }

    /// The velocity at which the surfaces part [m/s].
    pub fn parting(&self, relative: &Twist) -> f64 {
        self.normal.dot(&self.velocity(relative))
    }

    /// All impulses at a relative twist, with limits by the load that was set.
    pub fn push(&self, relative: &Twist) -> Push {
        let velocity = self.velocity(relative);
        let along = self.normal.dot(&velocity);
        let normal = (self.slope * (self.target - along)).max(0.0);
        if self.loaded == 0.0 {
            return Push { normal, shear: Vector3::zeros(), twist: Vector3::zeros() };
        }
        let asked = self.shear + (velocity - self.normal * along) * self.shear_slope;
        let shear = -clipped(&asked, self.friction * self.loaded);
        let twist = if self.grips_turns() {
            let [about, across] = self.asked_twist(relative);
            -clipped(&about, self.torsion * self.loaded) - clipped(&across, self.rolling * self.loaded)
        } else {
            Vector3::zeros()
        };
        Push { normal, shear, twist }
    }

    /// Begins anew where the impulses are those at a relative twist: bodies that these hold then come to rest without being let in (the
    /// method of multipliers).
    pub fn persist(&mut self, relative: &Twist) {
        let push = self.push(relative);
        self.target = push.normal / self.slope;
        (self.shear, self.twist) = (-push.shear, -push.twist);
    }

    fn asked_twist(&self, relative: &Twist) -> [Vector3<f64>; 2] {
        let asked = self.twist + relative.angular * self.twist_slope;
        let about = self.normal * self.normal.dot(&asked);
        [about, asked - about]
    }

    /// The wrench of impulses about the body's reference.
    pub fn wrench(&self, push: &Push) -> Wrench {
        let impulse = self.normal * push.normal + push.shear;
        Wrench::new(impulse, self.at.cross(&impulse) + push.twist)
    }

    /// How the wrench falls with the relative twist: a symmetric, positive semi-definite matrix, linear part first.
    pub fn resistance(&self, relative: &Twist) -> Matrix6<f64> {
        let velocity = self.velocity(relative);
        let along = self.normal.dot(&velocity);
        let spread = self.normal * self.normal.transpose();
        let mut linear = Matrix3::zeros();
        if self.target > along {
            linear += spread * self.slope;
        }
        let mut angular = Matrix3::zeros();
        if self.loaded > 0.0 {
            let asked = self.shear + (velocity - self.normal * along) * self.shear_slope;
            let plane = Matrix3::identity() - spread;
            linear += clipping(&asked, self.friction * self.loaded, &plane) * self.shear_slope;
            if self.grips_turns() {
                let [about, across] = self.asked_twist(relative);
                angular += clipping(&about, self.torsion * self.loaded, &spread) * self.twist_slope;
                angular += clipping(&across, self.rolling * self.loaded, &plane) * self.twist_slope;
            }
        }
        let lever = self.at.cross_matrix();
        let mixed = lever * linear;
        let mut full = Matrix6::zeros();
        full.fixed_view_mut::<3, 3>(0, 0).copy_from(&linear);
        full.fixed_view_mut::<3, 3>(3, 0).copy_from(&mixed);
        full.fixed_view_mut::<3, 3>(0, 3).copy_from(&mixed.transpose());
        full.fixed_view_mut::<3, 3>(3, 3).copy_from(&(angular - mixed * lever));
        full
    }

    /// Hands its results to the contact: impulses, and the shear that is left at the end of the step.
    pub fn finish(&self, relative: &Twist, step: f64, contact: &mut Contact) {
        let push = self.push(relative);
        contact.impulse = self.normal * push.normal + push.shear;
        contact.angular_impulse = push.twist;
        let velocity = self.velocity(relative);
        let sliding = velocity - self.normal * self.normal.dot(&velocity);
        let stiff = step * contact.law.stiffness;
        let before = contact.shear - self.normal * self.normal.dot(&contact.shear);
        contact.shear = clipped(&(before + sliding * step), self.friction * push.normal / stiff);
        let lever = self.torsion.max(self.rolling);
        contact.twist = if self.grips_turns() {
            let (asked, stiff) = (contact.twist + relative.angular * step, stiff * lever * lever);
            let about = self.normal * self.normal.dot(&asked);
            let most = push.normal / stiff;
            clipped(&about, self.torsion * most) + clipped(&(asked - about), self.rolling * most)
        } else {
            Vector3::zeros()
        };
    }
}

/// A vector no longer than `most`.
fn clipped(v: &Vector3<f64>, most: f64) -> Vector3<f64> {
    let length = v.norm();
    if length > most { v * (most / length) } else { *v }
}

/// The derivative of [`clipped`] among the directions in `space`.
fn clipping(v: &Vector3<f64>, most: f64, space: &Matrix3<f64>) -> Matrix3<f64> {
    let length = v.norm();
    if length <= most {
        return *space;
    }
    let along = v / length;
    (space - along * along.transpose()) * (most / length)
}
