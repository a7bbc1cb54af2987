//! One step in time.

use nalgebra::Vector3;
use robot_model::{Inertia, Wrench};

use crate::active::ActiveSet;
use crate::contact::Contact;
use crate::coordinates::Coordinates;
use crate::equations::{Acting, Drive, Equations};
use crate::impact::Impact;
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::momentum::{Acted, Bodies, Floating};
use crate::newton::{Solved, dot};
use crate::sleep;
use crate::solver::Solver;
use crate::sort::sort_by_key;

/// How good the last step is: what a checker needs to see that a grasp holds by physics and not by luck.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Newton iterations, of all islands together.
    pub iterations: usize,
    /// Largest error of momentum, as an error of a dof's velocity [m/s, rad/s].
    pub residual: f64,
    /// Largest velocity at which a rigid contact still gives way [m/s].
    pub contact_error: f64,
    /// Deepest overlap in the middle of the step [m].
    pub depth: f64,
    /// Energy that contacts and impacts added [J]; less than zero where they took some.
    pub contact_energy: f64,
}

impl Certificate {
    /// Takes up how an island was solved.
    fn add(&mut self, solved: &Solved) {
        self.iterations += solved.iterations;
        self.residual = self.residual.max(solved.residual);
        self.contact_error = self.contact_error.max(solved.error);
    }
}

/// Bodies in motion.
#[derive(Clone, Debug)]
pub struct Mechanics {
    model: Model,
    coordinates: Coordinates,
    /// The bodies where the coordinates say.
    now: Kinematics,
    /// The bodies in the middle of the step, between [`Mechanics::begin`] and [`Mechanics::finish`].
    middle: Kinematics,
    certificate: Certificate,
    floating: Floating,
    active: ActiveSet,
    equations: Equations,
    impact: Impact,
    solver: Solver,
    /// At the end of the step.
    velocities: Vec<f64>,
    /// Working memory: what acts on each body.
    acting: Vec<Wrench>,
}

impl Mechanics {
    /// Bodies where `coordinates` say.
    pub fn new(model: Model, coordinates: Coordinates) -> Mechanics {
        let mut mechanics = Mechanics {
            now: Kinematics::new(&model),
            middle: Kinematics::new(&model),
            certificate: Certificate::default(),
            floating: Floating::new(&model),
            active: ActiveSet::default(),
            equations: Equations::new(&model),
            impact: Impact::default(),
            solver: Solver::default(),
            velocities: Vec::with_capacity(model.dofs()),
            acting: Vec::with_capacity(model.bodies().len()),
            model,
            coordinates,
        };
        mechanics.update();
        mechanics
    }

    /// What is constant.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Where everything is.
    pub fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    /// Puts everything elsewhere.
    pub fn set_coordinates(&mut self, coordinates: Coordinates) {
        self.coordinates = coordinates;
        self.update();
    }

    /// Where everything is, to be changed; then call [`update`](Mechanics::update).
    pub fn coordinates_mut(&mut self) -> &mut Coordinates {
        &mut self.coordinates
    }

    /// A body weighs something else from now on; then call [`update`](Mechanics::update). It keeps its velocity, so that momentum comes or goes with
    /// the mass.
    pub fn set_inertia(&mut self, body: usize, inertia: Inertia) {
        self.model.set_inertia(body, inertia);
    }

    /// Places the bodies where the coordinates say.
    pub fn update(&mut self) {
        self.now.place(&self.model, &self.coordinates);
        self.now.set_velocities(&self.model, &self.coordinates.velocities);
    }

    /// The bodies now.
    pub fn now(&self) -> &Kinematics {
        &self.now
    }

    /// Velocity of the origin of a body's frame now [m/s], in the world.
    pub fn velocity_of_origin(&self, body: usize) -> Vector3<f64> {
        self.now.velocity_at(body, &self.now.bodies[body].in_world.translation.vector)
    }

    /// The bodies in the middle of a step, after [`Mechanics::begin`].
    pub fn middle(&self) -> &Kinematics {
        &self.middle
    }

    /// What resisted a dof in the last step with all others held: mass or rotational inertia with rotor [kg, kg·m²].
    pub fn inertia(&self, dof: usize) -> f64 {
        self.equations.inertia(dof)
    }

    /// How good the last step is.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Moves the bodies to the middle of a step of `step` [s].
    pub fn begin(&mut self, step: f64) {
        self.floating.begin(&self.model, &self.now, &mut self.coordinates);
        self.equations.begin(&self.coordinates.velocities);
        self.coordinates.move_on(&self.model, 0.5 * step);
        self.middle.place(&self.model, &self.coordinates);
        self.middle.set_velocities(&self.model, &self.coordinates.velocities);
    }

    /// Ends the step of `step` [s]: with a drive for each dof (free bodies' are ignored), a wrench from outside for each body, about its
    /// reference in the middle of the step, and contacts there. The contacts are sorted by their bodies and get their impulses; one with a
    /// body that sleeps is passed over and keeps what it had, so the caller [wakes](Mechanics::wake) a body before it hands over its contacts.
    pub fn finish(&mut self, drives: &[Drive], outer: &[Wrench], contacts: &mut [Contact], step: f64) {
        let Mechanics { model, coordinates, middle, active, equations, impact, solver, velocities, .. } = self;
        sort_by_key(contacts, |contact| (contact.body, contact.other));
        let is_asleep = |body: usize| coordinates.is_asleep(model.tree_of(body));
        active.take_contacts(model, middle, contacts, is_asleep, step);
        active.take_closures(model, middle, step);
        equations.assemble(model, middle, coordinates, Acting { drives, outer }, step);
        active.take_rows(model, coordinates, |dof| equations.inertia(dof), step);
        impact.bounce(&equations.problem(model, middle, step), active, contacts);
        equations.jump(impact.jumps());
        active.part(model, |tree| coordinates.is_asleep(tree));
        solver.begin(&equations.problem(model, middle, step), active, velocities);
        let mut certificate = Certificate::default();
        for number in 0..active.islands() {
            let problem = equations.problem(model, middle, step);
            certificate.iterations += solver.predict(&problem, active, number, velocities).iterations;
        }
        equations.correct_bias(model, middle, active, velocities, outer, step);
        for number in 0..active.islands() {
            certificate.add(&solver.solve(&equations.problem(model, middle, step), active, number, velocities));
        }
        certificate.depth = contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max);
        certificate.contact_energy = dot(solver.contacts(active), equations.mean(velocities)) + impact.energy();
        self.certificate = certificate;
        active.finish(step, contacts);
        impact.add_to(contacts);
        let dofs = active.all_islands().flat_map(|island| active.dofs(island));
        dofs.for_each(|dof| coordinates.velocities[*dof] = velocities[*dof]);
        coordinates.move_on(model, 0.5 * step);
        self.update();
        let bodies = Bodies { middle: &self.middle, now: &self.now };
        self.floating.arrive(
            &self.model,
            bodies,
            &mut self.coordinates,
            Acted { outer, contacts, active: &self.active, step },
        );
        sleep::pass(&self.model, &self.active, &mut self.coordinates, step);
        self.now.set_velocities(&self.model, &self.coordinates.velocities);
    }

    /// Whether a body sleeps: it has been still on something for half a second, and is left alone until it is woken.
    pub fn is_asleep(&self, body: usize) -> bool {
        self.coordinates.is_asleep(self.model.tree_of(body))
    }

    /// Wakes a body, because something that does not sleep is about to touch it.
    pub fn wake(&mut self, body: usize) {
        self.coordinates.still[self.model.tree_of(body)] = 0.0;
    }

    /// Finds the wrenches through all joints in the step of `step` [s] that has just ended, with the `outer` wrenches and the contacts that
    /// it had. A bounce counts as the force that it would be over the step.
    pub fn find_reactions(&mut self, outer: &[Wrench], contacts: &[Contact], step: f64) {
        let Mechanics { model, middle, equations, velocities, acting, active, impact, .. } = self;
        acting.clear();
        acting.extend_from_slice(outer);
        for contact in contacts {
            let mut push = |body: usize, sign: f64| {
                let at = contact.position - middle.bodies[body].reference;
                let impulse = contact.impulse * (sign / step);
                acting[body] += Wrench::new(impulse, at.cross(&impulse) + contact.angular_impulse * (sign / step));
            };
            push(contact.body, 1.0);
            contact.other.into_iter().for_each(|other| push(other, -1.0));
        }
        for (body, other, wrench) in active.holds() {
            acting[body] += wrench * (1.0 / step);
            if let Some(other) = other {
                let shift = middle.bodies[body].reference - middle.bodies[other].reference;
                let turn = wrench.angular + shift.cross(&wrench.linear);
                acting[other] += Wrench::new(wrench.linear, turn) * (-1.0 / step);
            }
        }
        equations.unjump(impact.jumps());
        equations.find_reactions(model, middle, velocities, acting, step);
        equations.jump(impact.jumps());
    }

    /// Force [N] and torque [N·m] of a body on the one that carries it, about the body's origin and along the world's axes, after
    /// [`find_reactions`](Mechanics::find_reactions).
    pub fn reaction(&self, body: usize) -> Wrench {
        let through = self.equations.reaction(body);
        let at = self.middle.bodies[body].in_world.translation.vector - self.middle.bodies[body].reference;
        -Wrench::new(through.linear, through.angular - at.cross(&through.linear))
    }
}
