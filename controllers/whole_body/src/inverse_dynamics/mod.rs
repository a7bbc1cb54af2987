//! From what is measured and what is wanted to joint torques.
//!
//! The variables are the accelerations a of the velocity coordinates and the wrenches f of the active contacts. What holds
//! on all levels:
//!
//! ```text
//! M_b a + h_b = J_bᵀ f                     the base's six rows of the equation of motion: nothing drives the base
//! J a + J̇ v = wanted − damping · J v       of each contact; zero where the ground is at rest
//! −τ_max ≤ M_j a + h_j − J_jᵀ f ≤ τ_max    torques
//! a_min ≤ a_j ≤ a_max                      so that positions and speeds stay within their limits
//! f in the contact's wrench cone
//! ∇d · a + bias ≥ −approach               the distance d of parts that are kept apart, like a joint's limit
//! ```
//!
//! (Herzog et al., "Momentum control with hierarchical inverse dynamics on a torque-controlled humanoid", Autonomous Robots 40,
//! 2016; torques are eliminated as there.)

mod bound_contact;
mod rows;
mod settings;

use nalgebra::{Vector3, Vector6};
use robot_io::{State, StateVisitor};
use robot_model::{BASE_DOF, Configuration, Tree};

use crate::contacts::Contact;
use crate::dense::dot;
use crate::error::WholeBodyError;
use crate::hierarchy::{Hierarchy, HierarchyError, Level, Problem};
use crate::observation::Observation;
use crate::qp::{Limits, QpError};
use crate::robot_state::RobotState;
use crate::self_collision::{Capsule, DISTANCES_OF_PAIR, Pair};
use crate::tasks::{BoundTask, Task};
use bound_contact::BoundContact;
pub use settings::Settings;

/// At most so many limits of one contact.
const LIMITS_OF_CONTACT: usize = 17;

/// Tasks, contacts and limits of a robot, and all memory to solve for its torques.
#[derive(Clone, Debug)]
pub struct InverseDynamics {
    state: RobotState,
    tasks: Vec<BoundTask>,
    contacts: Vec<BoundContact>,
    /// What is kept apart.
    pairs: Vec<Pair>,
    /// They may touch in this solution.
    lets_touch: bool,
    settings: Settings,
    problem: Problem,
    hierarchy: Hierarchy,
    observation: Observation,
    /// What a variable of a contact is in newtons, and in newton metres of its torques.
    units: Units,
    /// For each limit that is no bound what it is of.
    meanings: Vec<Meaning>,
    /// One row of the problem while it is written.
    row: Vec<f64>,
    accelerations: Vec<f64>,
    torques: Vec<f64>,
}

/// A contact's variables are of the size of accelerations in these units.
#[derive(Clone, Copy, Debug)]
struct Units {
    force: f64,
    arm: f64,
}

/// What a limit is of.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    Torque(usize),
    Contact(usize),
    Distance(usize),
}

impl State for InverseDynamics {
    /// What tasks and contacts want, which contacts touch, and which limits were active.
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        for bound in &mut self.tasks {
            visitor.field("task", &mut bound.task);
        }
        for bound in &mut self.contacts {
            visitor.field("contact", &mut bound.contact);
            visitor.field("is_active", &mut bound.is_active);
        }
        visitor.field("lets_touch", &mut self.lets_touch);
        visitor.field("hierarchy", &mut self.hierarchy);
    }
}

impl InverseDynamics {
    /// For this robot; all contacts are active. Refused if a task or contact names what the robot does not have.
    pub fn new(
        tree: &Tree,
        tasks: Vec<Task>,
        contacts: Vec<Contact>,
        settings: Settings,
    ) -> Result<InverseDynamics, WholeBodyError> {
        robot_io::Settings::check(&settings)?;
        let tasks = BoundTask::bind_all(tree, tasks)?;
        let contacts = BoundContact::bind_all(tree, contacts)?;
        Ok(InverseDynamics::assemble(tree, tasks, contacts, Vec::new(), settings))
    }

    /// The same robot with pairs of capsules that are kept apart; those it had are forgotten. Refused if a pair names what is
    /// none of the capsules, or a capsule a link that the robot does not have.
    pub fn keeping_apart(
        self,
        capsules: &[Capsule],
        pairs: &[(String, String)],
    ) -> Result<InverseDynamics, WholeBodyError> {
        let tree = &self.state.tree;
        let pairs = Pair::bind_all(tree, capsules, pairs)?;
        Ok(InverseDynamics::assemble(tree, self.tasks, self.contacts, pairs, self.settings))
    }

    fn assemble(
        tree: &Tree,
        tasks: Vec<BoundTask>,
        contacts: Vec<BoundContact>,
        pairs: Vec<Pair>,
        settings: Settings,
    ) -> InverseDynamics {
        let state = RobotState::new(tree);
        let (dof, joints) = (tree.velocity_dof(), tree.dof());
        let variables = dof + contacts.iter().map(|bound| bound.contact.dimension()).sum::<usize>();
        let limits = joints + LIMITS_OF_CONTACT * contacts.len() + DISTANCES_OF_PAIR * pairs.len();
        let numbers =
            joints * variables + 6 * LIMITS_OF_CONTACT * contacts.len() + DISTANCES_OF_PAIR * pairs.len() * dof;
        let levels = tasks.iter().map(|bound| bound.level + 1).max().unwrap_or(1);
        let equalities = BASE_DOF + 6 * contacts.len();
        let rows = (tasks.len() * dof.max(6)).max(equalities);
        let problem = Problem {
            variables,
            equalities: Level::new(equalities, variables),
            levels: (0..levels).map(|_| Level::new(rows, variables)).collect(),
            limits: Limits::new(variables, limits, numbers),
        };
        // a contact that carries a tenth of the robot is as much as 1 m/s²
        let force = (0.1 * state.mass * Vector3::from(settings.gravity_in_world).norm()).max(1.0);
        InverseDynamics {
            hierarchy: Hierarchy::new(variables, variables + limits, levels, rows, settings.damping),
            observation: Observation::new(dof),
            units: Units { force, arm: 0.1 },
            meanings: Vec::with_capacity(limits),
            row: vec![0.0; variables],
            accelerations: vec![0.0; dof],
            torques: vec![0.0; joints],
            state,
            tasks,
            contacts,
            pairs,
            lets_touch: false,
            settings,
            problem,
        }
    }

    /// Whether the pairs may touch, because nothing else can be solved; they are kept apart unless somebody says so.
    pub fn let_touch(&mut self, lets_touch: bool) {
        self.lets_touch = lets_touch;
    }

    /// A task's data, to move what it wants, its weight and its gains. A weight of 0 leaves it out. Its level and the names in it stay what they were
    /// The task of this name, as it is wanted now.
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.tasks.iter().map(|bound| &bound.task).find(|task| task.name == name)
    }

    /// made with: another level does not count, and neither does another link or joint.
    pub fn task_mut(&mut self, name: &str) -> Option<&mut Task> {
        self.tasks.iter_mut().map(|bound| &mut bound.task).find(|task| task.name == name)
    }

    /// A contact's data, to change its friction, its limits or the acceleration it is to have.
    pub fn contact_mut(&mut self, name: &str) -> Option<&mut Contact> {
        self.contacts.iter_mut().map(|bound| &mut bound.contact).find(|contact| contact.name == name)
    }

    /// Does this contact touch? Those that do not have no wrench and may move. `None` if there is no such contact.
    pub fn set_active(&mut self, name: &str, is_active: bool) -> Option<()> {
        let bound = self.contacts.iter_mut().find(|bound| bound.contact.name == name)?;
        if bound.is_active != is_active {
            bound.is_active = is_active;
            self.hierarchy.forget();
        }
        Some(())
    }

    /// Solves for the torques at this configuration and velocity (in the tree's velocity order).
    pub fn solve(&mut self, configuration: &Configuration, velocity: &[f64]) -> Result<(), WholeBodyError> {
        self.check_state(configuration, velocity)?;
        self.state.set(configuration, velocity, &self.settings.gravity_in_world.into());
        for bound in self.contacts.iter_mut().filter(|bound| bound.is_active) {
            bound.observe(&mut self.state, self.settings.contact_damping);
        }
        self.write_problem();
        self.hierarchy.solve(&mut self.problem).map_err(|error| self.explain(error))?;
        self.read_solution();
        Ok(())
    }

    /// Joint efforts [N·m or N], in the tree's order.
    pub fn torques(&self) -> &[f64] {
        &self.torques
    }

    /// Accelerations of the velocity coordinates [m/s², rad/s²].
    pub fn accelerations(&self) -> &[f64] {
        &self.accelerations
    }

    /// What the world does to the robot at a contact, force [N] and torque [N·m], in the contact's frame; zero if it does
    /// not touch. `None` if there is no such contact.
    pub fn wrench(&self, name: &str) -> Option<Vector6<f64>> {
        self.contacts.iter().find(|bound| bound.contact.name == name).map(|bound| bound.wrench)
    }

    /// The centre of mass in the world at the state of the last [`solve`](InverseDynamics::solve) [m].
    pub fn center_of_mass(&self) -> Vector3<f64> {
        self.state.center_of_mass
    }

    /// The problem of the last cycle, to look at or to give to another solver: accelerations, then for each active contact
    /// its wrench in the solver's units.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The distances of the pairs that are kept apart, in their order, at the state of the last
    /// [`solve`](InverseDynamics::solve), from surface to surface [m].
    pub fn distances(&self) -> impl Iterator<Item = f64> {
        self.pairs.iter().map(|pair| pair.distance)
    }

    /// How many limits became active or inactive in the last cycle.
    pub fn steps(&self) -> usize {
        self.hierarchy.steps()
    }

    fn check_state(&self, configuration: &Configuration, velocity: &[f64]) -> Result<(), WholeBodyError> {
        let refuse = |field, expected: usize, found: usize| {
            let numbers = |count| format!("{count} numbers");
            Err(WholeBodyError::refused("the measured state", field, numbers(expected), numbers(found)))
        };
        let (joints, dof) = (self.state.tree.dof(), self.state.tree.velocity_dof());
        if configuration.joints.len() != joints {
            return refuse("joints", joints, configuration.joints.len());
        }
        if velocity.len() != dof {
            return refuse("velocity", dof, velocity.len());
        }
        let base = configuration.base_in_world.to_homogeneous();
        if !configuration.joints.iter().chain(velocity).chain(base.iter()).all(|number| number.is_finite()) {
            let found = "others";
            return Err(WholeBodyError::refused("the measured state", "numbers", "finite ones", found));
        }
        Ok(())
    }

    /// Torques from the equation of motion's joint rows.
    fn read_solution(&mut self) {
        let solution = self.hierarchy.solution();
        let dof = self.state.tree.velocity_dof();
        self.accelerations.copy_from_slice(&solution[..dof]);
        let mut first = dof;
        for bound in &mut self.contacts {
            bound.wrench.fill(0.0);
            if bound.is_active {
                for axis in 0..bound.contact.dimension() {
                    bound.wrench[axis] = solution[first + axis] * self.units.of(axis);
                }
                first += bound.contact.dimension();
            }
        }
        let data = &self.state.data;
        for (joint, torque) in self.torques.iter_mut().enumerate() {
            let coordinate = BASE_DOF + joint;
            // the mass matrix is symmetric: a column is a row
            let column = &data.mass_matrix.as_slice()[coordinate * dof..][..dof];
            *torque = dot(column, &self.accelerations) + data.efforts[coordinate];
            for bound in self.contacts.iter().filter(|bound| bound.is_active) {
                *torque -= bound.jacobian.column(coordinate).dot(&bound.wrench);
            }
        }
    }

    /// What the solver's numbers mean.
    fn explain(&self, error: HierarchyError) -> WholeBodyError {
        let (what, by) = match error {
            HierarchyError::Contradiction { row, by } => (self.name_equality(row), by),
            HierarchyError::Level { error: QpError::Infeasible { row, by }, .. } => (self.name_limit(row), by),
            other => return other.into(),
        };
        WholeBodyError::Impossible { what, by }
    }

    fn name_equality(&self, row: usize) -> String {
        let mut first = 0;
        for bound in self.contacts.iter().filter(|bound| bound.is_active) {
            first += bound.contact.dimension();
            if row < first {
                return format!("the acceleration of contact \"{}\"", bound.contact.name);
            }
        }
        "the base's equation of motion".to_owned()
    }

    fn name_limit(&self, row: usize) -> String {
        let joint = |joint: usize| &self.state.tree.joints[joint].name;
        match row.checked_sub(self.problem.variables).and_then(|number| self.meanings.get(number)) {
            Some(Meaning::Torque(number)) => format!("the torque limit of joint \"{}\"", joint(*number)),
            Some(Meaning::Distance(number)) => self.pairs[*number].name(),
            Some(Meaning::Contact(number)) => {
                format!("the wrench limits of contact \"{}\"", self.contacts[*number].contact.name)
            }
            None => match row.checked_sub(BASE_DOF).filter(|number| *number < self.state.tree.dof()) {
                Some(number) => format!("the acceleration limit of joint \"{}\"", joint(number)),
                None => format!("limit {row}"),
            },
        }
    }
}

impl Units {
    /// The unit of a wrench's component [N or N·m].
    fn of(&self, axis: usize) -> f64 {
        if axis < 3 { self.force } else { self.force * self.arm }
    }
}
