//! The equations of a step: what the velocities at its end have to fulfil.

use robot_model::Wrench;

use crate::active::ActiveSet;
use crate::body::Joint;
use crate::coordinates::Coordinates;
use crate::island::Island;
use crate::kinematics::Kinematics;
use crate::mass::{Motion, Scratch, mass_matrix, newton_euler};
use crate::model::Model;
use crate::newton::{Problem, coupled};
use crate::sparse::{Pattern, Sparse};

/// What acts in a joint: an effort, a spring and a damper.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// [N·m or N]
    pub effort: f64,
    /// [N·m/rad or N/m]
    pub stiffness: f64,
    /// [N·m·s/rad or N·s/m]
    pub damping: f64,
    /// Where the spring is relaxed [rad or m].
    pub rest_position: f64,
    /// The velocity that the damper wants [rad/s or m/s].
    pub rest_velocity: f64,
}

/// A (v − v₀) = b + contacts, where v₀ and v are the velocities before and after.
#[derive(Clone, Debug)]
pub(crate) struct Equations {
    pattern: Pattern,
    /// A: the mass matrix with rotors, and springs and dampers at the end of the step.
    system: Sparse,
    /// v₀.
    before: Vec<f64>,
    /// b.
    impulse: Vec<f64>,
    /// Forces of velocity, less those from outside: at the velocities before, and later in the step.
    bias: Vec<f64>,
    better: Vec<f64>,
    /// The mean of the velocities before and after, or other velocities of the step.
    mean: Vec<f64>,
    /// Which dofs are driven.
    driven: Vec<bool>,
    scratch: Scratch,
}

/// What acts on the bodies from outside, between [`begin`](crate::Mechanics::begin) and [`finish`](crate::Mechanics::finish).
#[derive(Clone, Copy)]
pub(crate) struct Acting<'a> {
    /// For each dof.
    pub drives: &'a [Drive],
    /// For each body, about its reference.
    pub outer: &'a [Wrench],
}

impl Equations {
    /// Memory for a model.
    pub fn new(model: &Model) -> Equations {
        let zeros = vec![0.0; model.dofs()];
        Equations {
            pattern: coupled(model, &ActiveSet::default()),
            system: Sparse::default(),
            before: zeros.clone(),
            impulse: zeros.clone(),
            bias: zeros.clone(),
            better: zeros.clone(),
            mean: zeros,
            driven: vec![false; model.dofs()],
            scratch: Scratch::default(),
        }
    }

    /// What is to be solved, with the bodies in the middle of the step of `step` [s].
    pub fn problem<'a>(&'a self, model: &'a Model, middle: &'a Kinematics, step: f64) -> Problem<'a> {
        let Equations { pattern, system, before, impulse, .. } = self;
        Problem { model, kinematics: middle, step, pattern, system, before, impulse }
    }

    /// Takes other velocities before.
    pub fn begin(&mut self, velocities: &[f64]) {
        self.before.copy_from_slice(velocities);
    }

    /// Lets the velocities before jump.
    pub fn jump(&mut self, jumps: &[f64]) {
        self.before.iter_mut().zip(jumps).for_each(|(before, jump)| *before += jump);
    }

    /// Takes a jump back.
    pub fn unjump(&mut self, jumps: &[f64]) {
        self.before.iter_mut().zip(jumps).for_each(|(before, jump)| *before -= jump);
    }

    /// What resists a dof's acceleration with all others at rest [kg, kg·m²], after [`assemble`](Equations::assemble).
    pub fn inertia(&self, dof: usize) -> f64 {
        self.system.diagonal(&self.pattern, dof)
    }

    /// A, and b with the bias at the velocities before; `coordinates` are those of the middle. Springs and dampers act at a share θ of the
    /// step: the middle for soft ones, which is of second order, and the end for stiff ones, which is stable; in between so that a damper
    /// alone brakes exactly as in nature.
    pub fn assemble(
        &mut self,
        model: &Model,
        middle: &Kinematics,
        coordinates: &Coordinates,
        acting: Acting,
        step: f64,
    ) {
        mass_matrix(model, middle, &self.pattern, &mut self.scratch, &mut self.system);
        let still = Motion { velocities: &self.before, accelerations: None, outer: acting.outer };
        newton_euler(model, middle, still, &mut self.scratch, &mut self.bias);
        for (dof, drive) in acting.drives.iter().enumerate().take(model.dofs()) {
            self.impulse[dof] = -step * self.bias[dof];
            let body = model.body_of_dof(dof);
            self.driven[dof] = model.bodies()[body].joint != Joint::Free && *drive != Drive::default();
            if self.driven[dof] {
                self.drive(dof, drive, coordinates.positions[body], step);
            }
        }
    }

    fn drive(&mut self, dof: usize, drive: &Drive, middle: f64, step: f64) {
        let Drive { effort, stiffness, damping, rest_position, rest_velocity } = *drive;
        let Some(diagonal) = self.system.row_mut(&self.pattern, dof).last_mut() else { return };
        let velocity = self.before[dof];
        let begin = middle - 0.5 * step * velocity;
        let share = share(step * (damping + step * stiffness) / *diagonal);
        let held = stiffness * (rest_position - begin - step * share * velocity) + damping * (rest_velocity - velocity);
        self.impulse[dof] += step * (effort + held);
        *diagonal += step * share * (damping + step * share * stiffness);
    }

    /// Takes the mean bias of the step, which makes it one of second order. With C(v, v) the forces of velocity and an acceleration a, that at the
    /// mean velocity does no work, but lacks C(a, a) h²/12, and M(q + h v/2) in place of the mean mass matrix amounts to C(a, a) h²/6 more.
    /// So where servos accelerate what nothing touches, it is the mean of the biases at both ends, by which the base's momentum is right.
    pub fn correct_bias(
        &mut self,
        model: &Model,
        middle: &Kinematics,
        active: &ActiveSet,
        velocities: &[f64],
        outer: &[Wrench],
        step: f64,
    ) {
        let fastest = largest(velocities.iter().copied());
        let change = largest(velocities.iter().zip(&self.before).map(|(after, before)| after - before));
        if fastest * change < STILL {
            return;
        }
        self.set_mean(velocities);
        let Equations { driven, mean, .. } = self;
        for island in active.all_islands().filter(|island| swings(active, island, driven)) {
            active.dofs(island).for_each(|dof| mean[*dof] = velocities[*dof]);
        }
        let late = Motion { velocities: &self.mean, accelerations: None, outer };
        newton_euler(model, middle, late, &mut self.scratch, &mut self.better);
        for island in active.all_islands() {
            let share = if swings(active, island, &self.driven) { 0.5 } else { 1.0 };
            let Equations { impulse, better, bias, .. } = self;
            let correct = |dof: &usize| impulse[*dof] -= step * share * (better[*dof] - bias[*dof]);
            active.dofs(island).for_each(correct);
        }
    }

    /// The mean of the velocities before and after.
    pub fn mean(&mut self, velocities: &[f64]) -> &[f64] {
        self.set_mean(velocities);
        &self.mean
    }

    /// Finds the wrenches through all joints, as the mean of a step of `step` [s] that ended with `velocities` and in which `outer` acted,
    /// contacts and loops included.
    pub fn find_reactions(
        &mut self,
        model: &Model,
        middle: &Kinematics,
        velocities: &[f64],
        outer: &[Wrench],
        step: f64,
    ) {
        self.set_mean(velocities);
        let changes = velocities.iter().zip(&self.before);
        self.better.iter_mut().zip(changes).for_each(|(better, (after, before))| *better = (after - before) / step);
        let motion = Motion { velocities: &self.mean, accelerations: Some(&self.better), outer };
        newton_euler(model, middle, motion, &mut self.scratch, &mut self.bias);
    }

    /// See [`find_reactions`](Equations::find_reactions).
    pub fn reaction(&self, body: usize) -> Wrench {
        self.scratch.through_joint(body)
    }

    fn set_mean(&mut self, velocities: &[f64]) {
        let pairs = self.before.iter().zip(velocities);
        self.mean.iter_mut().zip(pairs).for_each(|(mean, (before, after))| *mean = 0.5 * (before + after));
    }
}

/// Where the largest velocity times the largest change is less than this [m²/s², rad²/s²], forces of velocity do not change.
const STILL: f64 = 1e-7;

/// The largest of some numbers, of either sign.
fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |most: f64, number| most.max(number.abs()))
}

/// Whether an island is driven and touches nothing.
fn swings(active: &ActiveSet, island: &Island, driven: &[bool]) -> bool {
    island.groups.is_empty() && active.dofs(island).any(|dof| driven[*dof])
}

/// The share of a step at which a damper acts that would take away `rate` of its mass's velocity if it acted at the beginning:
/// 1/(1 − e^−rate) − 1/rate, from a half to one.
fn share(rate: f64) -> f64 {
    match rate {
        // the first terms of its series
        small if small < 1e-3 => 0.5 + small / 12.0,
        rate => 1.0 / (1.0 - libm::exp(-rate)) - 1.0 / rate,
    }
}
