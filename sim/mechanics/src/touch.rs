//! A contact as the solver sees it: its impulse and its resistance as functions of the velocity at the end of the step.
//!
//! Along the normal the impulse is λ + slope · (û − u), if that is positive, where u is the relative velocity at the end of the step;
//! across it λ_t − slope_t · u_t, no longer than Coulomb's limit. Both are minus the gradients of convex potentials, as long as the limit
//! is held. What λ, û and the slopes are makes the surface:
//!
//! - **Soft**, with stiffness k and damping d at the end of a step h: −h (k g′ + d u) with the gap g′ = g + h u/2 (gaps are measured in the
//!   middle of the step), and across it the same with the spring's stretch, which λ_t remembers.
//! - **Rigid**: û is the velocity that the gap allows, λ the multiplier. While u is not û, λ takes over the impulse and the solution is
//!   sought anew: the method of multipliers (Hestenes 1969, Powell 1969; for contacts Carpentier et al., "From compliant to rigid contact
//!   simulation", 2024). At its end the slope has no influence. λ begins almost as it ended in the last step, so that what is at rest
//!   stays; the little that is left out is found anew, which evens out what several points share.

use nalgebra::{Matrix3, Vector3};
use robot_model::{Twist, Wrench};

use crate::contact::{Contact, Surface};
use crate::hold::Resistance;

/// The slope of a rigid contact, in times its mass: the larger, the fewer multipliers, and the less exact each.
const RIGID_SLOPE: f64 = 1e3;
/// From one change of the multipliers to the next the error falls to this share at least, or the slope becomes so many times larger.
const FALLING: f64 = 0.2;
const HARDER: f64 = 10.0;
const HARDEST: f64 = 1e3;
/// Velocity at which a rigid contact may still give way [m/s].
pub(crate) const RIGID_TOLERANCE: f64 = 1e-7;
/// The share of what a rigid contact holds that it begins the next step with.
const KEPT: f64 = 0.99;
/// Rigid surfaces that are no farther apart touch, and those that are no deeper in each other stay so [m]: all corners of a box that stands carry
/// it, and not only those that are lowest by a rounding error.
const SKIN: f64 = 1e-6;
/// What rigid bodies that overlap recover in a step, as a share of the depth beyond that.
const RECOVERED: f64 = 0.02;
/// How fast they come apart at most [m/s]: what was thrown into something deep within one step, too fast to be seen coming, gains no energy by it.
const FASTEST_RECOVERY: f64 = 1e-3;

/// What stays the same over the iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// The point, from that of its group.
    pub at: Vector3<f64>,
    pub normal: Vector3<f64>,
    pub surface_velocity: Vector3<f64>,
    pub rigid: bool,
    /// λ and û along the normal.
    pub held: f64,
    pub target: f64,
    pub slope: f64,
    /// λ across the normal.
    pub shear: Vector3<f64>,
    pub shear_slope: f64,
    /// λ of turning.
    pub turn: Vector3<f64>,
    pub turn_slope: f64,
    pub friction: f64,
    /// As an impulse.
    pub cohesion: f64,
    pub torsion: f64,
    pub rolling: f64,
    first_slope: f64,
    /// The error when the multipliers changed last [m/s].
    last_error: f64,
    /// The normal impulse that sets the limits.
    pub loaded: f64,
    /// The impulses, where they were found [over the wrenches between bodies](crate::space).
    pub settled: Option<Push>,
}

/// Impulses of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Push {
    /// Along the normal.
    pub normal: f64,
    /// Across it.
    pub shear: Vector3<f64>,
    /// About the normal and across it.
    pub turn: Vector3<f64>,
}

impl Touch {
    /// A contact in a step of `step` [s], about `point`.
    pub fn new(contact: &Contact, point: &Vector3<f64>, step: f64) -> Touch {
        let law = &contact.law;
        // until it is there it may come as close as it is far, by the middle of the next step
        let far = -contact.gap / step;
        let (rigid, slope, shear_slope, target) = match law.surface {
            Surface::Soft { stiffness, damping, shear } => {
                let slope = step * (0.5 * step * stiffness + damping);
                let deep = -contact.gap * step * stiffness / slope;
                (false, slope, step * (step * stiffness + damping) * shear, if contact.gap > 0.0 { far } else { deep })
            }
            Surface::Rigid { mass } => {
                let deep = ((-contact.gap - SKIN).max(0.0) * RECOVERED / step).min(FASTEST_RECOVERY);
                (true, mass * RIGID_SLOPE, mass * RIGID_SLOPE, if contact.gap > SKIN { far } else { deep })
            }
        };
        // where more points carry than need to, what they hold evens out
        let kept = if rigid { KEPT } else { 1.0 };
        let (held, held_turn) = (contact.held * kept, contact.held_turn * kept);
        let along = contact.normal.dot(&held);
        let lever = law.torsion.max(law.rolling);
        Touch {
            at: contact.position - point,
            normal: contact.normal,
            surface_velocity: contact.surface_velocity,
            rigid,
            held: if rigid { along.max(0.0) } else { 0.0 },
            target,
            slope,
            shear: held - contact.normal * along,
            shear_slope,
            turn: held_turn,
            turn_slope: shear_slope * lever * lever,
            friction: law.friction,
            cohesion: law.cohesion * step,
            torsion: law.torsion,
            rolling: law.rolling,
            first_slope: slope,
            last_error: f64::INFINITY,
            loaded: 0.0,
            settled: None,
        }
    }

    /// The longest impulse across the normal, by Mohr and Coulomb.
    fn grip(&self) -> f64 {
        if self.loaded > 0.0 { self.cohesion + self.friction * self.loaded } else { 0.0 }
    }

    /// Whether it resists turning on the spot.
    pub fn grips_turns(&self) -> bool {
        self.turn_slope > 0.0
    }

    /// Relative velocity of the surfaces for a relative twist of the bodies.
    fn velocity(&self, relative: &Twist) -> Vector3<f64> {
        relative.at(&self.at).linear - self.surface_velocity
    }

    fn across(&self, velocity: &Vector3<f64>) -> Vector3<f64> {
        velocity - self.normal * self.normal.dot(velocity)
    }

    /// The impulse along the normal at a relative twist.
    pub fn normal_impulse(&self, relative: &Twist) -> f64 {
        (self.held + self.slope * (self.target - self.parting(relative))).max(0.0)
    }

    /// Whether it presses at a relative twist, or would if the surfaces parted so much slower [m/s].
    pub fn presses(&self, relative: &Twist, slower: f64) -> bool {
        self.held + self.slope * (self.target - self.parting(relative) + slower) > 0.0
    }

    /// What the normal impulse will be, about, if the relative twist is near this: what a rigid contact held in the last step, if it did.
    pub fn expected_load(&self, relative: &Twist) -> f64 {
        if self.held > 0.0 { self.held } else { self.normal_impulse(relative) }
    }

    /// The velocity at which the surfaces part [m/s].
    pub fn parting(&self, relative: &Twist) -> f64 {
        self.normal.dot(&self.velocity(relative))
    }

    /// All impulses at a relative twist, with limits by the load that was set.
    pub fn push(&self, relative: &Twist) -> Push {
        let velocity = self.velocity(relative);
        let parting = self.normal.dot(&velocity);
        let normal = (self.held + self.slope * (self.target - parting)).max(0.0);
        if self.loaded == 0.0 {
            return Push { normal, shear: Vector3::zeros(), turn: Vector3::zeros() };
        }
        let asked = self.shear - (velocity - self.normal * parting) * self.shear_slope;
        let shear = clipped(&asked, self.grip());
        let turn = if self.grips_turns() {
            let [about, across] = self.asked_turn(relative);
            clipped(&about, self.torsion * self.loaded) + clipped(&across, self.rolling * self.loaded)
        } else {
            Vector3::zeros()
        };
        Push { normal, shear, turn }
    }

    fn asked_turn(&self, relative: &Twist) -> [Vector3<f64>; 2] {
        let asked = self.turn - relative.angular * self.turn_slope;
        let about = self.normal * self.normal.dot(&asked);
        [about, asked - about]
    }

    /// The wrench of impulses.
    pub fn wrench(&self, push: &Push) -> Wrench {
        let impulse = self.normal * push.normal + push.shear;
        Wrench::new(impulse, self.at.cross(&impulse) + push.turn)
    }

    /// Adds how the wrench falls with the relative twist.
    pub fn resist(&self, relative: &Twist, resistance: &mut Resistance) {
        let velocity = self.velocity(relative);
        let parting = self.normal.dot(&velocity);
        let presses = self.held + self.slope * (self.target - parting) > 0.0;
        if !presses && self.loaded == 0.0 {
            return;
        }
        let spread = self.normal * self.normal.transpose();
        let mut linear = if presses { spread * self.slope } else { Matrix3::zeros() };
        if self.loaded > 0.0 {
            let plane = Matrix3::identity() - spread;
            let asked = self.shear - (velocity - self.normal * parting) * self.shear_slope;
            linear += clipping(&asked, self.grip(), &plane) * self.shear_slope;
            if self.grips_turns() {
                let [about, across] = self.asked_turn(relative);
                resistance.add_angular(&(clipping(&about, self.torsion * self.loaded, &spread) * self.turn_slope));
                resistance.add_angular(&(clipping(&across, self.rolling * self.loaded, &plane) * self.turn_slope));
            }
        }
        resistance.add_linear(&linear, &self.at);
    }

    /// How far a rigid contact is from what it should do [m/s]: at the allowed velocity where it presses, without motion where it sticks.
    pub fn error(&self, relative: &Twist) -> f64 {
        if !self.rigid {
            return 0.0;
        }
        let push = self.push(relative);
        let before = Push { normal: self.held, shear: self.shear, turn: self.turn };
        let along = (push.normal - before.normal).abs() / self.slope;
        // what slips has its impulse by the limit; what was pressed otherwise has not
        let across = (push.shear - before.shear).norm() / self.shear_slope;
        if push.normal > 0.0 { along.max(across) } else { along }
    }

    /// Lets the multipliers of a rigid contact take over its impulses. Where that helps little, as when a light body is squeezed between
    /// heavy ones, the slope was too small.
    pub fn persist(&mut self, relative: &Twist) {
        if self.rigid {
            let (push, error) = (self.push(relative), self.error(relative));
            (self.held, self.shear, self.turn) = (push.normal, push.shear, push.turn);
            let falls = error <= RIGID_TOLERANCE || error <= FALLING * self.last_error;
            if !falls && self.slope < HARDEST * self.first_slope {
                self.slope *= HARDER;
                self.shear_slope *= HARDER;
                self.turn_slope *= HARDER;
            }
            self.last_error = error;
        }
    }

    /// Takes impulses for those that were sought.
    pub fn settle(&mut self, found: Push) {
        self.loaded = found.normal;
        self.settled = Some(found);
    }

    /// The impulses that were found; `relative` is the bodies' relative twist at the end.
    pub fn found(&self, relative: &Twist) -> Push {
        self.settled.unwrap_or_else(|| self.push(relative))
    }

    /// Takes the multipliers of a rigid contact away: it is a stiff spring then.
    pub fn let_go(&mut self) {
        if self.rigid {
            (self.held, self.shear, self.turn) = (0.0, Vector3::zeros(), Vector3::zeros());
        }
    }

    /// Hands its results to the contact: impulses, and what the surfaces hold each other with at the end of the step.
    pub fn finish(&self, relative: &Twist, step: f64, contact: &mut Contact) {
        let push = self.found(relative);
        contact.impulse = self.normal * push.normal + push.shear;
        contact.angular_impulse = push.turn;
        (contact.held, contact.held_turn) = match contact.law.surface {
            Surface::Rigid { .. } => (contact.impulse, contact.angular_impulse),
            Surface::Soft { stiffness, shear, .. } => self.stretched(relative, step * step * stiffness * shear),
        };
    }

    /// The impulses of a soft contact's springs at the end of the step, per velocity `slope`.
    fn stretched(&self, relative: &Twist, slope: f64) -> (Vector3<f64>, Vector3<f64>) {
        let shear = self.shear - self.across(&self.velocity(relative)) * slope;
        let lever = self.torsion.max(self.rolling);
        let turn = self.turn - relative.angular * (slope * lever * lever);
        let about = self.normal * self.normal.dot(&turn);
        let turn = clipped(&about, self.torsion * self.loaded) + clipped(&(turn - about), self.rolling * self.loaded);
        (clipped(&shear, self.grip()), turn)
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
