//! Bodies that bounce: jumps of velocity in the middle of a step.
//!
//! Where surfaces meet too fast to be at rest, momentum is exchanged before the other forces of the step are: all touches that approach
//! are brought to rest together, which is the compression, and then their normal impulses act once more, times the coefficient of
//! restitution (Poisson). That may let others approach, so it is repeated until none does: so a row of balls passes on what the first
//! brings (Smith, Kaufman, Vouga, Tamstorf and Grinspun, "Reflections on simultaneous impact", 2012). Friction acts during both, up to
//! µ (1 + e) times the compression. No round adds energy: where restitution of several touches would, it is cut down.

use nalgebra::Vector3;
use robot_model::{Twist, Wrench};

use crate::active::ActiveSet;
use crate::contact::{Contact, Law, Surface};
use crate::newton::{Problem, dot};
use crate::solver::Solver;
use crate::sparse::Sparse;
use crate::touch::{Push, Touch};

/// Surfaces that approach no faster than so many times what the step's forces add are at rest on each other.
const RESTING: f64 = 4.0;
/// [m/s]
const SLOWEST: f64 = 1e-4;
/// Most rounds of a step.
const MOST_ROUNDS: usize = 60;
/// After so many rounds all that touch act together: a light body between heavy ones would need a million rounds to stop them.
const ONE_AFTER_ANOTHER: usize = 30;

/// The impacts of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Impact {
    /// For each dof how its velocity jumped.
    jumps: Vec<f64>,
    /// For each contact its impulses.
    impulses: Vec<Wrench>,
    energy: f64,
    /// For each contact how slowly its surfaces may approach and still rest on each other [m/s].
    resting: Vec<f64>,
    /// The contacts of one round, and their numbers.
    round: Vec<Contact>,
    numbers: Vec<usize>,
    active: ActiveSet,
    solver: Solver,
    factor: Sparse,
    /// All dofs.
    dofs: Vec<usize>,
    /// Velocities before the first round, before the present one, and after its compression.
    first: Vec<f64>,
    before: Vec<f64>,
    compressed: Vec<f64>,
    /// The share of the round's impulses with which energy does not grow.
    share: f64,
    /// Impulses of the dofs, and what they do.
    impulse: Vec<f64>,
    answer: Vec<f64>,
}

impl Impact {
    /// How the velocities of the dofs jumped.
    pub fn jumps(&self) -> &[f64] {
        &self.jumps
    }

    /// What the jumps did to the energy [J].
    pub fn energy(&self) -> f64 {
        self.energy
    }

    /// Adds the impacts' impulses to the contacts'.
    pub fn add_to(&self, contacts: &mut [Contact]) {
        // where there was none nothing is added, not even to the sign of a zero: that would depend on whether others can bounce
        let bounced = contacts.iter_mut().zip(&self.impulses).filter(|(_, impulse)| **impulse != Wrench::zero());
        for (contact, impulse) in bounced {
            contact.impulse += impulse.linear;
            contact.angular_impulse += impulse.angular;
        }
    }

    /// Lets bounce what bounces; `active` have all the contacts.
    pub fn bounce(&mut self, problem: &Problem, active: &mut ActiveSet, contacts: &[Contact]) {
        self.energy = 0.0;
        self.impulses.clear();
        reset(&mut self.jumps, problem.before.len());
        if contacts.iter().all(|contact| contact.law.restitution == 0.0) {
            return;
        }
        self.impulses.resize(contacts.len(), Wrench::zero());
        if !may_bounce(problem, active, contacts) {
            return;
        }
        self.fall(problem, active, contacts.len());
        for round in 0..MOST_ROUNDS {
            let together = round >= ONE_AFTER_ANOTHER;
            if !self.meet(active, contacts, problem.step, together) {
                break;
            }
            self.compress(problem);
            self.restore(problem);
        }
        for ((jump, after), before) in self.jumps.iter_mut().zip(&self.before).zip(&self.first) {
            *jump = after - before;
        }
    }

    /// Velocities in the middle of the step: half of the other forces act before the impacts.
    fn fall(&mut self, problem: &Problem, active: &mut ActiveSet, contacts: usize) {
        self.dofs.clear();
        self.dofs.extend(0..problem.before.len());
        self.factor.copy_rows(problem.pattern, &self.dofs, problem.system);
        self.factor.factor(problem.pattern, &self.dofs);
        self.answer.clear();
        self.answer.extend(problem.impulse.iter().map(|impulse| 0.5 * impulse));
        self.factor.solve(problem.pattern, &self.dofs, &mut self.answer);
        self.first.clear();
        self.first.extend(problem.before.iter().zip(&self.answer).map(|(before, gained)| before + gained));
        self.before.clone_from(&self.first);
        reset(&mut self.resting, contacts);
        active.move_to(problem.before);
        active.visit(|number, touch, relative| self.resting[number] = touch.parting(relative));
        active.move_to(&self.first);
        active.visit(|number, touch, relative| {
            let gained = touch.parting(relative) - self.resting[number];
            self.resting[number] = SLOWEST + RESTING * gained.abs();
        });
    }

    /// Takes up the contacts whose surfaces meet at the present velocities. Whether any does, and bounces.
    /// If all act `together`, those that only touch are taken too.
    fn meet(&mut self, active: &mut ActiveSet, contacts: &[Contact], step: f64, together: bool) -> bool {
        let Impact { before, resting, round, numbers, .. } = self;
        round.clear();
        numbers.clear();
        let mut any = false;
        active.move_to(before);
        active.visit(|number, touch, relative| {
            let parting = touch.parting(relative);
            let contact = &contacts[number];
            let approaches = -parting > resting[number];
            // by the middle of the next step
            let reaches = contact.gap + step * parting.min(0.0) <= 0.0;
            any |= approaches && reaches && contact.law.restitution > 0.0;
            if reaches && (approaches || together && parting < resting[number]) {
                round.push(hardened(contact, step));
                numbers.push(number);
            }
        });
        any
    }

    /// Brings all of them to rest together.
    fn compress(&mut self, problem: &Problem) {
        self.active.take_contacts(problem.model, problem.kinematics, &self.round, |_| false, problem.step);
        reset(&mut self.impulse, self.before.len());
        let meeting = Problem { before: &self.before, impulse: &self.impulse, ..*problem };
        self.active.part(problem.model, |_| false);
        self.solver.begin(&meeting, &mut self.active, &mut self.compressed);
        for number in 0..self.active.islands() {
            self.solver.solve(&meeting, &mut self.active, number, &mut self.compressed);
        }
        self.settle(problem);
    }

    /// The velocities that follow from the impulses as they were found: where many jam one, those are not quite what the velocities ask for.
    /// Then energy may not grow by them either.
    fn settle(&mut self, problem: &Problem) {
        let Impact { active, impulse, answer, .. } = self;
        active.touch_impulses(impulse, |_, touch, relative| touch.wrench(&touch.found(relative)));
        answer.clone_from(impulse);
        self.factor.solve(problem.pattern, &self.dofs, answer);
        let (line, curve) = (dot(impulse, &self.before), 0.5 * dot(impulse, answer));
        self.share = if self.moves() { 1.0 } else { largest_share(0.0, line, curve) };
        for ((compressed, before), answer) in self.compressed.iter_mut().zip(&self.before).zip(&self.answer) {
            *compressed = before + self.share * answer;
        }
    }

    /// Whether anything touches the world where its surface moves: that may add energy.
    fn moves(&self) -> bool {
        self.round.iter().any(|contact| contact.surface_velocity != Vector3::zeros())
    }

    /// Lets their normal impulses act once more, as far as they bounce.
    fn restore(&mut self, problem: &Problem) {
        let moves = self.moves();
        let Impact { active, impulses, round, numbers, compressed, impulse, answer, share: compression, .. } = self;
        let again = |touch: &Touch, relative: &Twist, restitution: f64| {
            let push = touch.found(relative);
            Push { normal: push.normal * restitution * *compression, shear: Vector3::zeros(), turn: Vector3::zeros() }
        };
        active.touch_impulses(impulse, |number, touch, relative| {
            touch.wrench(&again(touch, relative, round[number].law.restitution))
        });
        answer.clone_from(impulse);
        self.factor.solve(problem.pattern, &self.dofs, answer);
        let (lost, line, curve) = (
            energy(problem, &self.before) - energy(problem, compressed),
            dot(impulse, compressed),
            0.5 * dot(impulse, answer),
        );
        let share = if moves { 1.0 } else { largest_share(lost.max(0.0), line, curve) };
        self.energy += share * line + share * share * curve - lost;
        active.visit(|place, touch, relative| {
            let push = touch.found(relative);
            let normal = push.normal * (1.0 + share * round[place].law.restitution);
            let sum = &mut impulses[numbers[place]];
            *sum += Wrench::new(round[place].normal * normal + push.shear, push.turn) * *compression;
        });
        for ((before, compressed), answer) in self.before.iter_mut().zip(compressed.iter()).zip(answer.iter()) {
            *before = compressed + share * answer;
        }
    }
}

/// Whether any touch may bounce, whatever the step's other forces add. With p the velocity at which it parts before them and g what they
/// add by the middle, it bounces if −(p + g) > SLOWEST + RESTING |g|. So −p > SLOWEST + (RESTING − 1) |g|, which bounds g.
fn may_bounce(problem: &Problem, active: &mut ActiveSet, contacts: &[Contact]) -> bool {
    let mut any = false;
    active.move_to(problem.before);
    active.visit(|number, touch, relative| {
        let (approach, contact) = (-touch.parting(relative), &contacts[number]);
        let most = approach * (RESTING / (RESTING - 1.0));
        any |= approach > SLOWEST && contact.gap <= problem.step * most && contact.law.restitution > 0.0;
    });
    any
}

/// A contact that brings to rest whatever meets in it.
fn hardened(contact: &Contact, step: f64) -> Contact {
    let law = contact.law;
    let twice = 1.0 + law.restitution;
    let mass = match law.surface {
        Surface::Rigid { mass } => mass,
        Surface::Soft { damping, .. } => damping * step,
    };
    let law = Law {
        surface: Surface::Rigid { mass },
        friction: law.friction * twice,
        torsion: law.torsion * twice,
        rolling: law.rolling * twice,
        ..law
    };
    Contact { gap: 0.0, held: Vector3::zeros(), held_turn: Vector3::zeros(), law, ..*contact }
}

/// The largest share x, up to 1, for which `line` x + `curve` x² is no more than `most`.
fn largest_share(most: f64, line: f64, curve: f64) -> f64 {
    if line + curve <= most {
        return 1.0;
    }
    let root = (line * line + 4.0 * curve * most).sqrt();
    // without a difference of like numbers
    if line > 0.0 { 2.0 * most / (line + root) } else { (root - line) / (2.0 * curve) }
}

fn energy(problem: &Problem, velocities: &[f64]) -> f64 {
    0.5 * problem.system.quadratic(problem.pattern, velocities)
}

fn reset(list: &mut Vec<f64>, length: usize) {
    list.clear();
    list.resize(length, 0.0);
}
