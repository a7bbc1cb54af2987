//! What is constant about the bodies: how they hang together and what they weigh.

use robot_model::Inertia;

use crate::body::{Body, Joint};
use crate::constraint::Constraint;
use crate::error::MechanicsError;
use crate::mount::Mount;

/// Any number of trees of bodies: robots, objects, doors. A body has a higher number than the one that carries it, and the bodies of a
/// tree stand together.
///
/// The velocity coordinates ("dofs") stand in the order of the bodies: for a free body the velocity of its origin [m/s] and its
/// angular velocity [rad/s], both along the world's axes; for a joint its own velocity [rad/s or m/s].
#[derive(Clone, Debug)]
pub struct Model {
    bodies: Vec<Body>,
    mounts: Vec<Mount>,
    /// For each body its first dof; one number more, the count of all.
    first_dof: Vec<usize>,
    /// For each body its tree.
    trees: Vec<usize>,
    /// For each tree its first body, the one that the world carries; one number more, the count of bodies.
    roots: Vec<usize>,
    /// The dofs that move each body, ascending: those of body `b` are `paths[path_starts[b]..path_starts[b + 1]]`.
    paths: Vec<usize>,
    path_starts: Vec<usize>,
    /// For each dof its body.
    body_of_dof: Vec<usize>,
    constraints: Vec<Constraint>,
}

impl Model {
    /// Bodies that hang together as they say.
    pub fn new(bodies: Vec<Body>) -> Result<Model, MechanicsError> {
        let mut model = Model {
            first_dof: vec![0],
            trees: Vec::with_capacity(bodies.len()),
            roots: vec![0],
            paths: Vec::new(),
            path_starts: vec![0],
            body_of_dof: Vec::new(),
            constraints: Vec::new(),
            mounts: bodies.iter().map(Mount::of).collect(),
            bodies: Vec::with_capacity(bodies.len()),
        };
        for body in bodies {
            model.add(body)?;
        }
        Ok(model)
    }

    /// The same bodies with more constraints.
    pub fn with(mut self, constraints: impl IntoIterator<Item = Constraint>) -> Result<Model, MechanicsError> {
        for constraint in constraints {
            let index = self.constraints.len();
            let moves = |body: usize| self.bodies.get(body).is_some_and(|body| body.joint.dofs() == 1);
            let is_one = match constraint {
                Constraint::Limit { body, lower, upper, buffer } => {
                    let is_one = |number: f64| number >= 0.0 && number.is_finite();
                    let gives = buffer.is_none_or(|buffer| is_one(buffer.stiffness) && is_one(buffer.damping));
                    moves(body) && lower <= upper && gives
                }
                Constraint::Coupling { follower, master, ratio, offset } => {
                    moves(follower) && moves(master) && follower != master && ratio.is_finite() && offset.is_finite()
                }
                Constraint::Closure { body, other, .. } => {
                    let known = |body: usize| body < self.bodies.len();
                    known(body) && other.is_none_or(known) && other != Some(body)
                }
            };
            if !is_one {
                return Err(MechanicsError::Constraint { index, constraint: Box::new(constraint) });
            }
            self.constraints.push(constraint);
        }
        Ok(self)
    }

    /// What holds or stops joints and bodies, beside joints and contacts.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Mass of the tree to which a body belongs [kg].
    pub fn tree_mass(&self, body: usize) -> f64 {
        self.tree(body).map(|body| self.bodies[body].inertia.mass).sum()
    }

    fn add(&mut self, body: Body) -> Result<(), MechanicsError> {
        let index = self.bodies.len();
        check(index, &body)?;
        let own = *self.first_dof.last().unwrap_or(&0)..self.body_of_dof.len() + body.joint.dofs();
        if let Some(parent) = body.parent {
            self.paths.extend_from_within(self.path_starts[parent]..self.path_starts[parent + 1]);
        }
        self.paths.extend(own.clone());
        self.path_starts.push(self.paths.len());
        self.body_of_dof.resize(own.end, index);
        self.first_dof.push(own.end);
        match body.parent {
            None => {
                self.trees.push(self.roots.len() - 1);
                self.roots.push(index);
            }
            Some(parent) if self.trees[parent] + 2 == self.roots.len() => self.trees.push(self.trees[parent]),
            Some(parent) => return Err(MechanicsError::Scattered { body: index, parent }),
        }
        if let Some(end) = self.roots.last_mut() {
            *end = index + 1;
        }
        self.bodies.push(body);
        Ok(())
    }

    /// All bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// How each body sits on the one that carries it.
    pub(crate) fn mounts(&self) -> &[Mount] {
        &self.mounts
    }

    pub(crate) fn set_inertia(&mut self, body: usize, inertia: Inertia) {
        self.bodies[body].inertia = inertia;
        self.mounts[body] = Mount::of(&self.bodies[body]);
    }

    /// How many dofs there are.
    pub fn dofs(&self) -> usize {
        self.body_of_dof.len()
    }

    /// The first dof of a body's joint.
    pub fn first_dof(&self, body: usize) -> usize {
        self.first_dof[body]
    }

    /// The body whose joint has a dof.
    pub fn body_of_dof(&self, dof: usize) -> usize {
        self.body_of_dof[dof]
    }

    /// The body of its tree that the world carries.
    pub fn root(&self, body: usize) -> usize {
        self.roots[self.trees[body]]
    }

    /// The bodies that the world carries, or that are free.
    pub fn roots(&self) -> impl Iterator<Item = usize> {
        self.roots[..self.trees()].iter().copied()
    }

    /// How many trees there are.
    pub fn trees(&self) -> usize {
        self.roots.len() - 1
    }

    /// The tree to which a body belongs.
    pub fn tree_of(&self, body: usize) -> usize {
        self.trees[body]
    }

    /// The dofs of a tree.
    pub fn tree_dofs(&self, tree: usize) -> core::ops::Range<usize> {
        self.first_dof[self.roots[tree]]..self.first_dof[self.roots[tree + 1]]
    }

    /// The dofs that move a body, ascending.
    #[inline]
    pub fn path(&self, body: usize) -> &[usize] {
        &self.paths[self.path_starts[body]..self.path_starts[body + 1]]
    }

    /// The same in two parts: the dofs of the free root, if there is one, and those of joints.
    #[inline]
    pub(crate) fn split_path(&self, body: usize) -> (&[usize], &[usize]) {
        self.path(body).split_at(if self.floats(body) { 6 } else { 0 })
    }

    /// The dofs that move one body or another, but not both.
    pub(crate) fn unshared_paths(&self, body: usize, other: usize) -> (&[usize], &[usize]) {
        let (path, against) = (self.path(body), self.path(other));
        let shared = path.iter().zip(against).take_while(|(one, two)| one == two).count();
        (&path[shared..], &against[shared..])
    }

    /// The bodies of the tree of which `root` is the root.
    pub fn tree(&self, root: usize) -> core::ops::Range<usize> {
        let tree = self.trees[root];
        self.roots[tree]..self.roots[tree + 1]
    }

    /// Whether a body's tree floats.
    pub fn floats(&self, body: usize) -> bool {
        self.bodies[self.root(body)].joint == Joint::Free
    }
}

fn check(index: usize, body: &Body) -> Result<(), MechanicsError> {
    if let Some(parent) = body.parent.filter(|parent| *parent >= index) {
        return Err(MechanicsError::Order { body: index, parent });
    }
    if body.parent.is_some() && body.joint == Joint::Free {
        return Err(MechanicsError::CarriedAndFree { body: index });
    }
    let Inertia { mass, com_in_link, rotational_at_com_in_link: rotational } = &body.inertia;
    let finite = mass.is_finite() && com_in_link.iter().chain(rotational.iter()).all(|number| number.is_finite());
    let moments = rotational.symmetric_eigenvalues();
    let is_weighed = if body.joint == Joint::Free { *mass > 0.0 && moments.min() > 0.0 } else { *mass >= 0.0 };
    if !body.rotor.is_finite() || body.rotor < 0.0 {
        return Err(MechanicsError::Rotor { body: index, found: body.rotor });
    }
    if !finite || !is_weighed || moments.min() < -1e-9 * moments.max().abs() {
        return Err(MechanicsError::Inertia { body: index, mass: *mass, least: moments.min() });
    }
    Ok(())
}
