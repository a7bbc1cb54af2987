//! Everything that holds or stops the bodies in a step, beside their joints: contacts, closed loops, limits and couplings of joints.

use nalgebra::{Matrix6, Vector3};
use robot_model::{Twist, Wrench};

use crate::composites::Composites;
use crate::constraint::Constraint;
use crate::contact::Contact;
use crate::coordinates::Coordinates;
use crate::group::{Group, add_columns, relative};
use crate::hold::Hold;
use crate::island::{Island, Union};
use crate::kinematics::Kinematics;
use crate::mass::add_rows;
use crate::model::Model;
use crate::row::Row;
use crate::sort::sort_by_key;
use crate::sparse::{Pattern, Sparse};
use crate::touch::Touch;

/// The sum of convex potentials of the velocities, and what follows from it at the velocities to which it was
/// [moved](ActiveSet::move_to).
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveSet {
    pub groups: Vec<Group>,
    /// For each group the dofs that move its bodies against each other, ascending, and how: about the group's point.
    pub columns: Vec<(usize, Twist)>,
    /// In the order of the contacts.
    pub touches: Vec<Touch>,
    pub rows: Vec<Row>,
    islands: Vec<Island>,
    /// The dofs of all islands, island by island: those that move what touches, and the others.
    touched: Vec<usize>,
    free: Vec<usize>,
    union: Union,
    /// Working memory: for each body what resists it and what it carries.
    composites: Composites,
    /// The length at which the slope was asked for last.
    tried: f64,
    /// Working memory: for each dof whether it moves what touches.
    moves: Vec<bool>,
}

impl ActiveSet {
    /// Takes up contacts, which must be sorted by their bodies, and nothing else; not those with a body that is out of the game.
    pub fn take_contacts(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        contacts: &[Contact],
        is_out: impl Fn(usize) -> bool,
        step: f64,
    ) {
        self.groups.clear();
        self.columns.clear();
        self.touches.clear();
        self.rows.clear();
        for together in contacts.chunk_by(|one, two| (one.body, one.other) == (two.body, two.other)) {
            let Contact { body, other, .. } = together[0];
            let begin = self.touches.len();
            let middle = together.iter().map(|contact| contact.position).sum::<Vector3<f64>>() / together.len() as f64;
            self.touches.extend(together.iter().map(|contact| Touch::new(contact, &middle, step)));
            if !is_out(body) && !other.is_some_and(&is_out) {
                let about = middle - kinematics.bodies[body].reference;
                self.add_group(model, kinematics, (body, other), about, begin..self.touches.len(), None);
            }
        }
    }

    /// Takes up the loops that a model closes.
    pub fn take_closures(&mut self, model: &Model, kinematics: &Kinematics, step: f64) {
        for constraint in model.constraints() {
            if let Constraint::Closure { body, other, .. } = constraint {
                let hold = Hold::new(constraint, model, kinematics, step);
                self.add_group(model, kinematics, (*body, *other), Vector3::zeros(), 0..0, hold);
            }
        }
    }

    /// Takes up what holds or stops joints, which resist by `inertia` of their dofs.
    pub fn take_rows(&mut self, model: &Model, middle: &Coordinates, inertia: impl Fn(usize) -> f64, step: f64) {
        for constraint in model.constraints() {
            Row::add(constraint, model, middle, &inertia, step, &mut self.rows);
        }
    }

    /// Finds the islands, when everything is taken up; trees that are out of the game are in none.
    pub fn part(&mut self, model: &Model, is_out: impl Fn(usize) -> bool) {
        self.mark(model);
        let ActiveSet { groups, rows, islands, touched, free, moves, union, .. } = self;
        union.reset(model.trees());
        for group in groups.iter() {
            if let Some(other) = group.other {
                union.join(model.tree_of(group.body), model.tree_of(other));
            }
        }
        let tree = |dof: usize| model.tree_of(model.body_of_dof(dof));
        rows.iter().for_each(|row| union.join(tree(row.dofs()[0]), tree(row.dofs()[1])));
        let of_group = |group: &Group| union.find(model.tree_of(group.body));
        let of_row = |row: &Row| union.find(tree(row.dofs()[0]));
        sort_by_key(groups, of_group);
        sort_by_key(rows, of_row);
        islands.clear();
        touched.clear();
        free.clear();
        let (mut group, mut row) = (0, 0);
        for lowest in (0..model.trees()).filter(|tree| union.find(*tree) == *tree && !is_out(*tree)) {
            let (first_touched, first_free) = (touched.len(), free.len());
            union.dofs(model, lowest, |dof| if moves[dof] { touched.push(dof) } else { free.push(dof) });
            let (first_group, first_row) = (group, row);
            group += groups[group..].iter().take_while(|group| of_group(group) == lowest).count();
            row += rows[row..].iter().take_while(|row| of_row(row) == lowest).count();
            let (touched, free) = (first_touched..touched.len(), first_free..free.len());
            islands.push(Island { groups: first_group..group, rows: first_row..row, touched, free });
        }
    }

    /// Marks the dofs that move what touches.
    fn mark(&mut self, model: &Model) {
        let ActiveSet { groups, rows, moves, .. } = self;
        moves.clear();
        moves.resize(model.dofs(), false);
        let mut reach = |body: usize| model.path(body).iter().for_each(|dof| moves[*dof] = true);
        for group in groups.iter() {
            reach(group.body);
            group.other.into_iter().for_each(&mut reach);
        }
        rows.iter().flat_map(Row::dofs).for_each(|dof| reach(model.body_of_dof(dof)));
    }

    /// The islands.
    pub fn islands(&self) -> usize {
        self.islands.len()
    }

    /// All islands.
    pub fn all_islands(&self) -> impl Iterator<Item = &Island> {
        self.islands.iter()
    }

    /// An island.
    pub fn island(&self, number: usize) -> Island {
        self.islands[number].clone()
    }

    /// The dofs of an island that move what touches, ascending. Those above one of them are among them.
    pub fn touched(&self, island: &Island) -> &[usize] {
        &self.touched[island.touched.clone()]
    }

    /// All dofs of an island.
    pub fn dofs(&self, island: &Island) -> impl Iterator<Item = &usize> {
        self.touched(island).iter().chain(self.free(island))
    }

    /// The other dofs of an island, ascending.
    pub fn free(&self, island: &Island) -> &[usize] {
        &self.free[island.free.clone()]
    }

    fn add_group(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        bodies: (usize, Option<usize>),
        about: Vector3<f64>,
        touches: core::ops::Range<usize>,
        hold: Option<Hold>,
    ) {
        let first = self.columns.len();
        add_columns(model, kinematics, bodies, &about, &mut self.columns);
        let (zero, columns) = (Twist::zero(), first..self.columns.len());
        let ((body, other), resistance) = (bodies, Matrix6::zeros());
        self.groups.push(Group {
            body,
            other,
            about,
            columns,
            touches,
            hold,
            relative: zero,
            before: zero,
            along: zero,
            resistance,
            found: Wrench::zero(),
            is_found: false,
            takes_part: false,
        });
    }

    /// The pairs of bodies between which there is something.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.groups.iter().filter_map(|group| Some((group.body, group.other?)))
    }

    /// The dofs that are coupled by something else than joints, in groups.
    pub fn coupled(&self, model: &Model) -> impl Iterator<Item = Vec<usize>> {
        let columns = |group: &Group| self.columns[group.columns.clone()].iter().map(|(dof, _)| *dof).collect();
        let joints = model.constraints().iter().filter_map(|constraint| match constraint {
            Constraint::Coupling { follower, master, .. } => {
                let mut dofs = vec![model.first_dof(*follower), model.first_dof(*master)];
                dofs.sort_unstable();
                Some(dofs)
            }
            _ => None,
        });
        self.groups.iter().map(columns).chain(joints)
    }

    /// Sets the velocities of the dofs at which everything else is asked for.
    pub fn move_to(&mut self, velocities: &[f64]) {
        for group in &mut self.groups {
            group.relative = relative(&self.columns[group.columns.clone()], velocities);
        }
        self.rows.iter_mut().for_each(|row| row.move_to(velocities));
    }

    /// The same in an island.
    pub fn move_island(&mut self, island: &Island, velocities: &[f64]) {
        for group in &mut self.groups[island.groups.clone()] {
            group.relative = relative(&self.columns[group.columns.clone()], velocities);
            group.is_found = false;
        }
        self.rows[island.rows.clone()].iter_mut().for_each(|row| row.move_to(velocities));
    }

    /// Sets a direction among the velocities of the dofs.
    pub fn look_along(&mut self, island: &Island, direction: &[f64]) {
        for group in &mut self.groups[island.groups.clone()] {
            group.along = relative(&self.columns[group.columns.clone()], direction);
        }
        self.rows[island.rows.clone()].iter_mut().for_each(|row| row.look_along(direction));
    }

    /// Goes a `length` along the direction, after [`slope`](ActiveSet::slope) was asked for there or elsewhere.
    pub fn advance(&mut self, island: &Island, length: f64) {
        let is_found = self.tried == length;
        for group in &mut self.groups[island.groups.clone()] {
            group.relative += group.along * length;
            group.is_found = is_found;
        }
        self.rows[island.rows.clone()].iter_mut().for_each(|row| row.advance(length));
    }

    /// Lets the limits of friction follow the normal impulses, by a `share` of the way.
    pub fn load(&mut self, island: &Island, share: f64) {
        self.visit_in(island, |_, touch, relative| {
            touch.loaded += share * (touch.normal_impulse(relative) - touch.loaded)
        });
    }

    /// How far rigid contacts are from what they should do [m/s].
    pub fn error(&self, island: &Island) -> f64 {
        let of = |group: &Group| {
            let touches = self.touches[group.touches.clone()].iter();
            touches.map(|touch| touch.error(&group.relative)).fold(0.0, f64::max)
        };
        self.groups[island.groups.clone()].iter().map(of).fold(0.0, f64::max)
    }

    /// Lets the multipliers of rigid contacts take over their impulses.
    pub fn persist(&mut self, island: &Island) {
        self.visit_in(island, |_, touch, relative| touch.persist(relative));
    }

    /// Takes the multipliers of rigid contacts away.
    pub fn let_go(&mut self, island: &Island) {
        self.visit_in(island, |_, touch, _| touch.let_go());
    }

    /// The wrenches of closed loops: the body, the other one, and the wrench on the body about its reference.
    pub fn holds(&self) -> impl Iterator<Item = (usize, Option<usize>, Wrench)> {
        self.groups.iter().filter_map(|group| Some((group.body, group.other, group.hold?.wrench(&group.relative))))
    }

    /// Hands each touch, with its number and its bodies' relative twist, to `each`.
    pub fn visit(&mut self, each: impl FnMut(usize, &mut Touch, &Twist)) {
        let all = Island { groups: 0..self.groups.len(), ..Island::default() };
        self.visit_in(&all, each);
    }

    /// The same in an island.
    pub fn visit_in(&mut self, island: &Island, mut each: impl FnMut(usize, &mut Touch, &Twist)) {
        for group in &mut self.groups[island.groups.clone()] {
            group.is_found = false;
            for index in group.touches.clone() {
                each(index, &mut self.touches[index], &group.relative);
            }
        }
    }

    /// The impulses of the dofs: minus the gradient.
    pub fn impulses(&mut self, island: &Island, impulses: &mut [f64]) {
        self.touched(island).iter().for_each(|dof| impulses[*dof] = 0.0);
        for group in &mut self.groups[island.groups.clone()] {
            if !core::mem::replace(&mut group.is_found, true) {
                group.found = group.wrench(&self.touches, &group.relative);
            }
        }
        self.collect(island.groups.clone(), impulses, |group| group.found);
        self.rows[island.rows.clone()].iter().for_each(|row| row.add_impulse(impulses));
    }

    /// The impulses of the dofs that other wrenches of the touches amount to.
    pub fn touch_impulses(&self, impulses: &mut [f64], wrench: impl Fn(usize, &Touch, &Twist) -> Wrench) {
        impulses.fill(0.0);
        self.collect(0..self.groups.len(), impulses, |group| {
            let wrenches = group.touches.clone().map(|index| wrench(index, &self.touches[index], &group.relative));
            wrenches.fold(Wrench::zero(), |sum, wrench| sum + wrench)
        });
    }

    /// Adds the impulses of the dofs that wrenches of groups amount to.
    pub fn collect(&self, groups: core::ops::Range<usize>, impulses: &mut [f64], wrench: impl Fn(&Group) -> Wrench) {
        for group in &self.groups[groups] {
            let wrench = wrench(group);
            for (dof, axis) in &self.columns[group.columns.clone()] {
                impulses[*dof] += axis.dot(&wrench);
            }
        }
    }

    /// The derivative along the direction, a `length` further on.
    pub fn slope(&mut self, island: &Island, length: f64) -> f64 {
        self.tried = length;
        let touches = &self.touches;
        let of = |group: &mut Group| {
            let moved = group.relative + group.along * length;
            group.found = group.wrench(touches, &moved);
            group.along.dot(&group.found)
        };
        let rows: f64 = self.rows[island.rows.clone()].iter().map(|row| row.slope(length)).sum();
        rows - self.groups[island.groups.clone()].iter_mut().map(of).sum::<f64>()
    }

    /// Hands the results of a step of `step` [s] to the contacts.
    pub fn finish(&mut self, step: f64, contacts: &mut [Contact]) {
        self.visit(|index, touch, relative| touch.finish(relative, step, &mut contacts[index]));
    }

    /// Adds the second derivative to a matrix of the dofs.
    ///
    /// What resists a body against the world resists all bodies that carry it: the same recursion as for the mass matrix, with these
    /// resistances as inertias, goes along the branches that touch.
    pub fn add_resistance(
        &mut self,
        island: &Island,
        model: &Model,
        kinematics: &Kinematics,
        pattern: &Pattern,
        matrix: &mut Sparse,
    ) {
        for group in &mut self.groups[island.groups.clone()] {
            group.resist(&self.touches);
            match group.other {
                None => self.composites.add(model, group.body, &group.resistance_at_reference()),
                Some(_) => group.add_pair(&self.columns, pattern, matrix),
            }
        }
        self.composites.drain(model, |body, composite| {
            let wrench = |axis: Twist| Wrench::from_vector(&(composite * axis.to_vector()));
            add_rows(model, kinematics, pattern, matrix, body, &wrench);
        });
        self.rows[island.rows.clone()].iter().for_each(|row| row.add_resistance(pattern, matrix));
    }

    /// Takes from `impulses` of the dofs the product of the second derivative, as it was added last, and the direction.
    pub fn subtract_resistance(&self, island: &Island, impulses: &mut [f64]) {
        for group in &self.groups[island.groups.clone()] {
            let wrench = Wrench::from_vector(&(group.resistance * group.along.to_vector()));
            for (dof, axis) in &self.columns[group.columns.clone()] {
                impulses[*dof] -= axis.dot(&wrench);
            }
        }
        self.rows[island.rows.clone()].iter().for_each(|row| row.subtract_resistance(impulses));
    }
}
