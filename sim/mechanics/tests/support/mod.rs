//! A little world of balls and boxes on a plane: just enough shapes to try the mechanics without any collision library.
#![allow(dead_code, clippy::unwrap_used, reason = "tests, each of which uses a part of it")]

use mechanics::{Body, Contact, Coordinates, Drive, Joint, Law, Mechanics, Model};
use nalgebra::{Isometry3, Matrix3, Vector3};
use robot_model::{Inertia, Wrench};

/// The shape of a body.
#[derive(Clone, Copy)]
pub enum Shape {
    /// It touches nothing.
    None,
    Ball(f64),
    /// Half of its edges.
    Cuboid(Vector3<f64>),
}

/// Balls and boxes, and a floor that is the plane through the origin with normal `up`.
pub struct World {
    pub mechanics: Mechanics,
    pub shapes: Vec<Shape>,
    pub gravity: Vector3<f64>,
    pub floor: Option<Vector3<f64>>,
    pub friction: f64,
    pub restitution: f64,
    pub drives: Vec<Drive>,
    pub contacts: Vec<Contact>,
    pub step: f64,
    pub time: f64,
}

pub fn ball(mass: f64, radius: f64) -> (Inertia, Shape) {
    let moment = Matrix3::from_diagonal_element(0.4 * mass * radius * radius);
    (inertia(mass, moment), Shape::Ball(radius))
}

pub fn cuboid(mass: f64, x: f64, y: f64, z: f64) -> (Inertia, Shape) {
    let squares = Vector3::new(y * y + z * z, x * x + z * z, x * x + y * y);
    (inertia(mass, Matrix3::from_diagonal(&(squares * (mass / 12.0)))), Shape::Cuboid(Vector3::new(x, y, z) * 0.5))
}

pub fn inertia(mass: f64, rotational: Matrix3<f64>) -> Inertia {
    Inertia { mass, com_in_link: Vector3::zeros(), rotational_at_com_in_link: rotational }
}

pub fn free((inertia, shape): (Inertia, Shape), placement: Isometry3<f64>) -> (Body, Shape) {
    (Body { parent: None, joint: Joint::Free, placement_in_parent: placement, inertia, rotor: 0.0 }, shape)
}

impl World {
    pub fn new(bodies: Vec<(Body, Shape)>) -> World {
        let (bodies, shapes): (Vec<Body>, Vec<Shape>) = bodies.into_iter().unzip();
        let model = Model::new(bodies).unwrap();
        let coordinates = Coordinates::new(&model);
        let drives = vec![Drive::default(); model.dofs()];
        World {
            mechanics: Mechanics::new(model, coordinates),
            shapes,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            floor: None,
            friction: 0.0,
            restitution: 0.0,
            drives,
            contacts: Vec::new(),
            step: 1e-3,
            time: 0.0,
        }
    }

    /// With a floor through the origin.
    pub fn on(mut self, up: Vector3<f64>) -> World {
        self.floor = Some(up.normalize());
        self
    }

    pub fn rough(mut self, friction: f64, restitution: f64) -> World {
        (self.friction, self.restitution) = (friction, restitution);
        self
    }

    pub fn in_space(mut self) -> World {
        self.gravity = Vector3::zeros();
        self
    }

    pub fn set_velocity(&mut self, body: usize, linear: Vector3<f64>, angular: Vector3<f64>) {
        let mut coordinates = self.mechanics.coordinates().clone();
        coordinates.set_free_velocity(self.mechanics.model(), body, &linear, &angular);
        self.mechanics.set_coordinates(coordinates);
    }

    pub fn place(&self, body: usize) -> Vector3<f64> {
        self.mechanics.now().bodies[body].in_world.translation.vector
    }

    pub fn velocity(&self, body: usize) -> Vector3<f64> {
        self.mechanics.velocity_of_origin(body)
    }

    pub fn spin(&self, body: usize) -> Vector3<f64> {
        self.mechanics.now().bodies[body].twist.angular
    }

    pub fn mass(&self, body: usize) -> f64 {
        self.mechanics.model().bodies()[body].inertia.mass
    }

    /// Kinetic and potential energy [J].
    pub fn energy(&self) -> f64 {
        let falls = |body: usize| -self.mass(body) * self.gravity.dot(&self.place(body));
        self.mechanics.now().kinetic_energy() + (0..self.shapes.len()).map(falls).sum::<f64>()
    }

    pub fn run(&mut self, seconds: f64) {
        let end = self.time + seconds - 0.5 * self.step;
        while self.time < end {
            self.step();
        }
    }

    pub fn step(&mut self) {
        self.mechanics.begin(self.step);
        let old = core::mem::take(&mut self.contacts);
        self.find_contacts();
        for contact in &mut self.contacts {
            let same = |old: &&Contact| (old.body, old.other) == (contact.body, contact.other);
            let near = |old: &&Contact| (old.position - contact.position).norm() < 0.015;
            if let Some(old) = old.iter().filter(same).find(near) {
                (contact.held, contact.held_turn) = (old.held, old.held_turn);
            }
        }
        let outer = self.weights();
        self.mechanics.finish(&self.drives, &outer, &mut self.contacts, self.step);
        self.time += self.step;
    }

    /// What gravity does to each body in the middle of the step.
    pub fn weights(&self) -> Vec<Wrench> {
        let weigh = |(number, body): (usize, &mechanics::BodyState)| {
            let weight = self.gravity * self.mass(number);
            let inertia = self.mechanics.model().bodies()[number].inertia;
            let com = body.in_world * nalgebra::Point3::from(inertia.com_in_link);
            Wrench::new(weight, (com.coords - body.reference).cross(&weight))
        };
        self.mechanics.middle().bodies.iter().enumerate().map(weigh).collect()
    }

    fn find_contacts(&mut self) {
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

    fn add(&mut self, body: usize, other: Option<usize>, position: Vector3<f64>, normal: Vector3<f64>, gap: f64) {
        if gap > 0.01 {
            return;
        }
        let weight = |body: usize| 1.0 / self.mass(body);
        let mass = 1.0 / (weight(body) + other.map_or(0.0, weight));
        let law = Law { restitution: self.restitution, ..Law::rigid(mass, self.friction) };
        self.contacts.push(Contact::new(body, other, position, normal, gap, law));
    }

    fn on_floor(&mut self, body: usize, up: Vector3<f64>) {
        let pose = self.in_middle(body);
        match self.shapes[body] {
            Shape::None => {}
            Shape::Ball(radius) => {
                let gap = up.dot(&pose.translation.vector) - radius;
                self.add(body, None, pose.translation.vector - up * (radius + 0.5 * gap), up, gap);
            }
            Shape::Cuboid(half) => {
                for corner in corners(&half) {
                    let point = (pose * nalgebra::Point3::from(corner)).coords;
                    let gap = up.dot(&point);
                    self.add(body, None, point - up * (0.5 * gap), up, gap);
                }
            }
        }
    }

    fn balls(&mut self, one: usize, two: usize, a: f64, b: f64) {
        let (here, there) = (self.in_middle(one).translation.vector, self.in_middle(two).translation.vector);
        let between = here - there;
        let gap = between.norm() - a - b;
        let normal = between.normalize();
        self.add(one, Some(two), there + normal * (b + 0.5 * gap), normal, gap);
    }

    /// The corners of the one above the top of the other: boxes that stand on each other.
    fn boxes(&mut self, one: usize, two: usize, a: Vector3<f64>, b: Vector3<f64>) {
        let (here, there) = (self.in_middle(one), self.in_middle(two));
        let up = there.rotation * Vector3::z();
        for corner in corners(&a) {
            let point = here * nalgebra::Point3::from(corner);
            let seen = there.inverse() * point;
            let gap = seen.z - b.z;
            let is_over = seen.x.abs() <= b.x + 1e-3 && seen.y.abs() <= b.y + 1e-3 && gap > -0.5 * b.z;
            if is_over {
                self.add(one, Some(two), point.coords - up * (0.5 * gap), up, gap);
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
