//! Contacts between the same two bodies, and the dofs that move these against each other.

use core::ops::Range;

use nalgebra::Matrix6;
use robot_model::{Twist, Wrench};

use crate::contact::Contact;
use crate::kinematics::Kinematics;
use crate::mass::{add_rows, dof_axis};
use crate::model::Model;
use crate::sparse::{Pattern, Sparse};
use crate::touch::Touch;

/// All contacts of a step, sorted by the bodies that touch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    groups: Vec<Group>,
    /// For each group the dofs that move its bodies against each other, ascending, and how: about the body's reference.
    columns: Vec<(usize, Twist)>,
    /// In the order of the contacts.
    pub touches: Vec<Touch>,
    /// Working memory: for each body what resists it and what it carries.
    composites: Vec<Option<Matrix6<f64>>>,
}

/// The contacts between two bodies, or a body and the world.
#[derive(Clone, Debug)]
struct Group {
    body: usize,
    other: Option<usize>,
    columns: Range<usize>,
    touches: Range<usize>,
    /// How the bodies move against each other, about the first one's reference.
    relative: Twist,
    /// How that changes along a direction.
    along: Twist,
    /// How the wrench between them falls with their relative twist.
    resistance: Matrix6<f64>,
}

impl Groups {
    /// Takes up contacts, which must be sorted by their bodies.
    pub fn take(&mut self, model: &Model, kinematics: &Kinematics, contacts: &[Contact], step: f64) {
        self.groups.clear();
        self.columns.clear();
        self.touches.clear();
        let mut begin = 0;
        for together in contacts.chunk_by(|one, two| (one.body, one.other) == (two.body, two.other)) {
            let reference = kinematics.bodies[together[0].body].reference;
            self.touches.extend(together.iter().map(|contact| Touch::new(contact, &reference, step)));
            let first = self.columns.len();
            self.add_columns(model, kinematics, together[0].body, together[0].other);
            let end = begin + together.len();
            let Contact { body, other, .. } = together[0];
            let (columns, zero) = (first..self.columns.len(), Twist::zero());
            self.groups.push(Group {
                body,
                other,
                columns,
                touches: begin..end,
                relative: zero,
                along: zero,
                resistance: Matrix6::zeros(),
            });
            begin = end;
        }
    }

    /// The dofs above one body and not above both.
    fn add_columns(&mut self, model: &Model, kinematics: &Kinematics, body: usize, other: Option<usize>) {
        let axis = |dof: &usize| (*dof, dof_axis(model, kinematics, *dof));
        let Some(other) = other else {
            self.columns.extend(model.path(body).iter().map(axis));
            return;
        };
        let first = self.columns.len();
        let shift = kinematics.bodies[body].reference - kinematics.bodies[other].reference;
        let (path, against) = (model.path(body), model.path(other));
        let shared = path.iter().zip(against).take_while(|(one, two)| one == two).count();
        self.columns.extend(path[shared..].iter().map(axis));
        self.columns.extend(against[shared..].iter().map(|dof| (*dof, -dof_axis(model, kinematics, *dof).at(&shift))));
        self.columns[first..].sort_by_key(|(dof, _)| *dof);
    }

    /// The dofs of each group.
    pub fn dofs(&self) -> impl Iterator<Item = impl Iterator<Item = usize>> {
        self.groups.iter().map(|group| self.columns[group.columns.clone()].iter().map(|(dof, _)| *dof))
    }

    /// Sets the velocities of the dofs at which everything else is asked for.
    pub fn move_to(&mut self, velocities: &[f64]) {
        for group in &mut self.groups {
            group.relative = relative(&self.columns[group.columns.clone()], velocities);
        }
    }

    /// Sets a direction among the velocities of the dofs.
    pub fn look_along(&mut self, direction: &[f64]) {
        for group in &mut self.groups {
            group.along = relative(&self.columns[group.columns.clone()], direction);
        }
    }

    /// Goes a `length` along the direction.
    pub fn advance(&mut self, length: f64) {
        for group in &mut self.groups {
            group.relative += group.along * length;
        }
    }

    /// Lets the limits of friction follow the normal impulses.
    pub fn load(&mut self) {
        self.visit(|_, touch, relative| touch.loaded = touch.normal_impulse(relative));
    }

    /// Hands each touch, with its number and its bodies' relative twist, to `each`.
    pub fn visit(&mut self, mut each: impl FnMut(usize, &mut Touch, &Twist)) {
        for group in &self.groups {
            for index in group.touches.clone() {
                each(index, &mut self.touches[index], &group.relative);
            }
        }
    }

    /// The impulses of the dofs that wrenches of the touches amount to.
    pub fn collect(&self, impulses: &mut [f64], wrench: impl Fn(usize, &Touch, &Twist) -> Wrench) {
        impulses.fill(0.0);
        for group in &self.groups {
            let wrenches = group.touches.clone().map(|index| wrench(index, &self.touches[index], &group.relative));
            let sum = wrenches.fold(Wrench::zero(), |sum, wrench| sum + wrench);
            for (dof, axis) in &self.columns[group.columns.clone()] {
                impulses[*dof] += axis.dot(&sum);
            }
        }
    }

    /// The impulses of the dofs that the touches' own amount to.
    pub fn impulses(&self, impulses: &mut [f64]) {
        self.collect(impulses, |_, touch, relative| touch.wrench(&touch.push(relative)));
    }

    /// The derivative of the touches' potentials along the direction, a `length` further on.
    pub fn slope(&self, length: f64) -> f64 {
        let of = |group: &Group| {
            let moved = group.relative + group.along * length;
            let touches = self.touches[group.touches.clone()].iter();
            -touches.map(|touch| group.along.dot(&touch.wrench(&touch.push(&moved)))).sum::<f64>()
        };
        self.groups.iter().map(of).sum()
    }

    /// Hands the results of a step of `step` [s] to the contacts.
    pub fn finish(&mut self, step: f64, contacts: &mut [Contact]) {
        self.visit(|index, touch, relative| touch.finish(relative, step, &mut contacts[index]));
    }

    /// Adds to a matrix of the dofs how the touches resist.
    ///
    /// What resists a body against the world resists all bodies that carry it: the same recursion as for the mass matrix, with these
    /// resistances as inertias, goes along the branches that touch.
    pub fn add_resistance(&mut self, model: &Model, kinematics: &Kinematics, pattern: &Pattern, matrix: &mut Sparse) {
        self.composites.clear();
        self.composites.resize(model.bodies().len(), None);
        let mut last = 0;
        for group in &mut self.groups {
            let touches = self.touches[group.touches.clone()].iter();
            group.resistance = touches.fold(Matrix6::zeros(), |sum, touch| sum + touch.resistance(&group.relative));
            match group.other {
                None => add_to(&mut self.composites[group.body], &group.resistance),
                Some(_) => add_pair(&self.columns[group.columns.clone()], &group.resistance, pattern, matrix),
            }
            last = last.max(group.body);
        }
        for body in (0..=last).rev().take(self.composites.len()) {
            let Some(composite) = self.composites[body] else { continue };
            if let Some(parent) = model.bodies()[body].parent {
                add_to(&mut self.composites[parent], &composite);
            }
            add_rows(model, kinematics, pattern, matrix, body, &|axis| {
                Wrench::from_vector(&(composite * axis.to_vector()))
            });
        }
    }

    /// Takes from `impulses` of the dofs what the touches, as they were added last, resist the direction.
    pub fn subtract_resistance(&self, impulses: &mut [f64]) {
        for group in &self.groups {
            let wrench = Wrench::from_vector(&(group.resistance * group.along.to_vector()));
            for (dof, axis) in &self.columns[group.columns.clone()] {
                impulses[*dof] -= axis.dot(&wrench);
            }
        }
    }
}

fn add_to(sum: &mut Option<Matrix6<f64>>, more: &Matrix6<f64>) {
    match sum {
        Some(sum) => *sum += more,
        None => *sum = Some(*more),
    }
}

/// Adds how two bodies resist each other, whose dofs are `columns`.
fn add_pair(columns: &[(usize, Twist)], resistance: &Matrix6<f64>, pattern: &Pattern, matrix: &mut Sparse) {
    for (count, (row, axis)) in columns.iter().enumerate() {
        let wrench = Wrench::from_vector(&(resistance * axis.to_vector()));
        let entries = pattern.columns(*row);
        let values = matrix.row_mut(pattern, *row);
        let mut place = 0;
        for (column, axis) in &columns[..=count] {
            // both ascend
            while entries[place] != *column {
                place += 1;
            }
            values[place] += axis.dot(&wrench);
            place += 1;
        }
    }
}

fn relative(columns: &[(usize, Twist)], velocities: &[f64]) -> Twist {
    columns.iter().fold(Twist::zero(), |sum, (dof, axis)| sum + *axis * velocities[*dof])
}
