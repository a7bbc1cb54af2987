//! A little world of balls and boxes on a plane: just enough shapes to try the mechanics without a collision library.

use mechanics::{
    Body, BodyState, Constraint, Contact, Coordinates, Drive, Joint, Law, Mechanics, MechanicsError, Model,
};
use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};
use robot_model::{Inertia, Wrench};

/// What is farther apart is not looked at [m].
const NEAR: f64 = 0.01;
/// A corner may stand over the edge of a box by so much [m].
const EDGE: f64 = 1e-3;
/// Acceleration of free fall [m/s²].
pub const GRAVITY: f64 = 9.81;

/// The shape of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// It touches nothing.
    None,
    /// Its radius [m].
    Ball(f64),
    /// Half of its edges [m].
    Cuboid(Vector3<f64>),
}

/// Points of a body that press on a plane of another one, or of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Pad {
    /// Whose points these are.
    pub body: usize,
    /// In its frame [m].
    pub points: [Vector3<f64>; 4],
    /// Whose plane it is; `None`: the world's.
    pub other: Option<usize>,
    /// A point of the plane, in that one's frame [m].
    pub on_plane: Vector3<f64>,
    /// The plane's outer normal, in that one's frame.
    pub normal: Unit<Vector3<f64>>,
}

/// Bodies, what they touch, and what pulls at them.
pub struct Scene {
    /// The bodies as they move.
    pub mechanics: Mechanics,
    /// Of each body.
    pub shapes: Vec<Shape>,
    /// Besides the shapes.
    pub pads: Vec<Pad>,
    /// [m/s²]
    pub gravity: Vector3<f64>,
    /// Outer normal of a floor through the origin.
    pub floor: Option<Unit<Vector3<f64>>>,
    /// Coulomb's µ of everything that touches.
    pub friction: f64,
    /// Coefficient of restitution of everything that touches.
    pub restitution: f64,
    /// Of each degree of freedom.
    pub drives: Vec<Drive>,
    /// Of the last step.
    pub contacts: Vec<Contact>,
    /// Length of a step [s].
    pub step: f64,
    /// Since the beginning [s].
    pub time: f64,
}

/// Mass [kg] and moments about the centre of mass [kg·m²] of what has its centre of mass in its origin.
pub fn inertia(mass: f64, rotational: Matrix3<f64>) -> Inertia {
    Inertia { mass, com_in_link: Vector3::zeros(), rotational_at_com_in_link: rotational }
}

/// A solid ball of this mass [kg] and radius [m].
pub fn ball(mass: f64, radius: f64) -> (Inertia, Shape) {
    (inertia(mass, Matrix3::from_diagonal_element(0.4 * mass * radius * radius)), Shape::Ball(radius))
}

/// A solid box of this mass [kg] and these edges [m].
pub fn cuboid(mass: f64, edges: [f64; 3]) -> (Inertia, Shape) {
    let [x, y, z] = edges.map(|edge| edge * edge);
    let moments = Vector3::new(y + z, x + z, x + y) * (mass / 12.0);
    (inertia(mass, Matrix3::from_diagonal(&moments)), Shape::Cuboid(Vector3::from(edges) * 0.5))
}

/// A body that nothing holds.
pub fn free((inertia, shape): (Inertia, Shape), placement: Isometry3<f64>) -> (Body, Shape) {
    (Body { parent: None, joint: Joint::Free, placement_in_parent: placement, inertia, rotor: 0.0 }, shape)
}

impl Scene {
    /// Bodies in gravity that point down, at rest.
    ///
    /// # Errors
    /// If the bodies make no model.
    pub fn new(bodies: Vec<(Body, Shape)>) -> Result<Scene, MechanicsError> {
        Scene::with(bodies, Vec::new())
    }

    /// The same with constraints.
    ///
    /// # Errors
    /// If bodies and constraints make no model.
    pub fn with(bodies: Vec<(Body, Shape)>, constraints: Vec<Constraint>) -> Result<Scene, MechanicsError> {
        let (bodies, shapes): (Vec<Body>, Vec<Shape>) = bodies.into_iter().unzip();
        let model = Model::new(bodies)?.with(constraints)?;
        let coordinates = Coordinates::new(&model);
        let drives = vec![Drive::default(); model.dofs()];
        Ok(Scene {
            mechanics: Mechanics::new(model, coordinates),
            shapes,
            pads: Vec::new(),
            gravity: Vector3::new(0.0, 0.0, -GRAVITY),
            floor: None,
            friction: 0.0,
            restitution: 0.0,
            drives,
            contacts: Vec::new(),
            step: 1e-3,
            time: 0.0,
        })
    }

    /// With a floor through the origin.
    #[must_use]
    pub fn on(self, up: Vector3<f64>) -> Scene {
        Scene { floor: Some(Unit::new_normalize(up)), ..self }
    }

    /// With this friction and restitution.
    #[must_use]
    pub fn rough(self, friction: f64, restitution: f64) -> Scene {
        Scene { friction, restitution, ..self }
    }

    /// Without gravity.
    #[must_use]
    pub fn in_space(self) -> Scene {
        Scene { gravity: Vector3::zeros(), ..self }
    }

    /// With other coordinates.
    pub fn change(&mut self, change: impl FnOnce(&mut Coordinates)) {
        let mut coordinates = self.mechanics.coordinates().clone();
        change(&mut coordinates);
        self.mechanics.set_coordinates(coordinates);
    }

    /// Sets the velocity of a free body's origin [m/s] and its spin [rad/s].
    pub fn throw(&mut self, body: usize, linear: Vector3<f64>, angular: Vector3<f64>) {
        let mut coordinates = self.mechanics.coordinates().clone();
        coordinates.set_free_velocity(self.mechanics.model(), body, &linear, &angular);
        self.mechanics.set_coordinates(coordinates);
    }

    /// Where a body's origin is [m].
    pub fn place(&self, body: usize) -> Vector3<f64> {
        self.mechanics.now().bodies[body].in_world.translation.vector
    }

    /// Velocity of a body's origin [m/s].
    pub fn velocity(&self, body: usize) -> Vector3<f64> {
        self.mechanics.velocity_of_origin(body)
    }

    /// Angular velocity of a body [rad/s].
    pub fn spin(&self, body: usize) -> Vector3<f64> {
        self.mechanics.now().bodies[body].twist.angular
    }

    /// [kg]
    pub fn mass(&self, body: usize) -> f64 {
        self.mechanics.model().bodies()[body].inertia.mass
    }

    /// Position [rad or m] of a degree of freedom that is no free body's.
    pub fn position(&self, number: usize) -> f64 {
        self.mechanics.coordinates().positions[number]
    }

    /// Kinetic and potential energy of bodies whose centre of mass is their origin [J].
    pub fn energy(&self) -> f64 {
        let falls = |body: usize| -self.mass(body) * self.gravity.dot(&self.place(body));
        self.mechanics.now().kinetic_energy() + (0..self.shapes.len()).map(falls).sum::<f64>()
    }

    /// Goes on for a time [s].
    pub fn run(&mut self, seconds: f64) {
        let end = self.time + seconds - 0.5 * self.step;
        while self.time < end {
            self.step();
        }
    }

    /// Goes on by a step.
    pub fn step(&mut self) {
        self.mechanics.begin(self.step);
        let before = core::mem::take(&mut self.contacts);
        self.find_contacts();
        for contact in &mut self.contacts {
            let name = (contact.body, contact.other, contact.tag);
            if let Some(same) = before.iter().find(|old| (old.body, old.other, old.tag) == name) {
                (contact.held, contact.held_turn) = (same.held, same.held_turn);
            }
        }
        let outer = self.weights();
        self.mechanics.finish(&self.drives, &outer, &mut self.contacts, self.step);
        self.time += self.step;
    }

    /// What gravity does to each body in the middle of the step.
    pub fn weights(&self) -> Vec<Wrench> {
        let weigh = |(number, body): (usize, &BodyState)| {
            let weight = self.gravity * self.mass(number);
            let inertia = self.mechanics.model().bodies()[number].inertia;
            let com = body.in_world * Point3::from(inertia.com_in_link);
            Wrench::new(weight, (com.coords - body.reference).cross(&weight))
        };
        self.mechanics.middle().bodies.iter().enumerate().map(weigh).collect()
    }

    fn find_contacts(&mut self) {
        for pad in 0..self.pads.len() {
            self.press(pad);
        }
        for one in 0..self.shapes.len() {
            if let Some(up) = self.floor {
                self.on_floor(one, up);
            }
            for two in 0..one {
                match (self.shapes[one], self.shapes[two]) {
                    (Shape::Ball(a), Shape::Ball(b)) => self.balls(one, two, a, b),
                    (Shape::Cuboid(a), Shape::Cuboid(b)) => self.boxes(one, two, a, b),
                    _ => {}
                }
            }
        }
    }

    fn in_middle(&self, body: usize) -> Isometry3<f64> {
        self.mechanics.middle().bodies[body].in_world
    }

    /// A point of `body` at a place over the other's surface; `tag` tells it from others of both.
    fn add(
        &mut self,
        [body, tag]: [usize; 2],
        other: Option<usize>,
        point: Vector3<f64>,
        normal: Vector3<f64>,
        gap: f64,
    ) {
        if gap > NEAR {
            return;
        }
        let weight = |body: usize| 1.0 / self.mass(body);
        let mass = 1.0 / (weight(body) + other.map_or(0.0, weight));
        let law = Law { restitution: self.restitution, ..Law::rigid(mass, self.friction) };
        let position = point - normal * (0.5 * gap);
        self.contacts.push(Contact { tag: tag as u64, ..Contact::new(body, other, position, normal, gap, law) });
    }

    fn press(&mut self, number: usize) {
        let Pad { body, points, other, on_plane, normal } = self.pads[number].clone();
        let (here, there) =
            (self.in_middle(body), other.map_or_else(Isometry3::identity, |other| self.in_middle(other)));
        let (normal, on_plane) = (there.rotation * *normal, there * Point3::from(on_plane));
        for (corner, point) in points.into_iter().enumerate() {
            let point = here * Point3::from(point);
            self.add([body, 8 * (number + 1) + corner], other, point.coords, normal, normal.dot(&(point - on_plane)));
        }
    }

    fn on_floor(&mut self, body: usize, up: Unit<Vector3<f64>>) {
        let pose = self.in_middle(body);
        match self.shapes[body] {
            Shape::None => {}
            Shape::Ball(radius) => {
                let point = pose.translation.vector - *up * radius;
                self.add([body, 0], None, point, *up, up.dot(&point));
            }
            Shape::Cuboid(half) => {
                for (corner, at) in corners(&half).into_iter().enumerate() {
                    let point = (pose * Point3::from(at)).coords;
                    self.add([body, corner], None, point, *up, up.dot(&point));
                }
            }
        }
    }

    fn balls(&mut self, one: usize, two: usize, a: f64, b: f64) {
        let (here, there) = (self.in_middle(one).translation.vector, self.in_middle(two).translation.vector);
        let normal = (here - there).normalize();
        self.add([one, 0], Some(two), here - normal * a, normal, (here - there).norm() - a - b);
    }

    /// The corners of the one above the top of the other: boxes that stand on each other.
    fn boxes(&mut self, one: usize, two: usize, a: Vector3<f64>, b: Vector3<f64>) {
        let (here, there) = (self.in_middle(one), self.in_middle(two));
        let up = there.rotation * Vector3::z();
        for (corner, at) in corners(&a).into_iter().enumerate() {
            let point = here * Point3::from(at);
            let seen = there.inverse() * point;
            let gap = seen.z - b.z;
            if seen.x.abs() <= b.x + EDGE && seen.y.abs() <= b.y + EDGE && gap > -0.5 * b.z {
                self.add([one, corner], Some(two), point.coords, up, gap);
            }
        }
    }
}

fn corners(half: &Vector3<f64>) -> [Vector3<f64>; 8] {
    core::array::from_fn(|bits| {
        let side = |bit: usize| if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Vector3::new(half.x * side(0), half.y * side(1), half.z * side(2))
    })
}
