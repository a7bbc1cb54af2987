//! A cup between two fingers.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use mechanics::{Body, Contact, Coordinates, Drive, Joint, Law, Mechanics, Model};
use nalgebra::{Isometry3, Matrix3, Vector3};
use robot_model::Wrench;
use support::{cuboid, free, inertia};

const STEP: f64 = 1e-3;
const WIDTH: f64 = 0.08;
const MASS: f64 = 0.3;
const FORCE: f64 = 10.0;

/// A cup that two fingers pinch with [`FORCE`] each, with friction `share` times what holds it.
struct Grasp {
    mechanics: Mechanics,
    drives: Vec<Drive>,
    contacts: Vec<Contact>,
    friction: f64,
}

impl Grasp {
    fn new(share: f64) -> Grasp {
        let finger = |side: f64| Body {
            parent: None,
            joint: Joint::Prismatic(Vector3::x_axis()),
            placement_in_parent: Isometry3::translation(side * 0.5 * WIDTH, 0.0, 0.0),
            inertia: inertia(0.05, Matrix3::from_diagonal_element(1e-5)),
            // a geared finger
            rotor: 2.0,
        };
        let cup = free(cuboid(MASS, WIDTH, WIDTH, 0.1), Isometry3::identity()).0;
        let model = Model::new(vec![cup, finger(-1.0), finger(1.0)]).unwrap();
        let coordinates = Coordinates::new(&model);
        let mut drives = vec![Drive::default(); model.dofs()];
        (drives[6].effort, drives[7].effort) = (FORCE, -FORCE);
        let friction = share * MASS * 9.81 / (2.0 * FORCE);
        Grasp { mechanics: Mechanics::new(model, coordinates), drives, contacts: Vec::new(), friction }
    }

    fn step(&mut self) {
        self.mechanics.begin(STEP);
        let held: Vec<_> = self.contacts.iter().map(|contact| (contact.held, contact.held_turn)).collect();
        self.contacts.clear();
        let law = Law::rigid(0.1, self.friction);
        let cup = self.mechanics.middle().bodies[0].in_world;
        for (finger, side) in [(1, -1.0), (2, 1.0)] {
            let at = self.mechanics.middle().bodies[finger].in_world.translation.vector;
            let normal = cup.rotation * Vector3::x() * side;
            for (y, z) in [(-0.01, -0.01), (0.01, -0.01), (-0.01, 0.01), (0.01, 0.01)] {
                let point = at + Vector3::new(0.0, y, z);
                let gap = (point - cup.translation.vector).dot(&normal) - 0.5 * WIDTH;
                let (held, held_turn) = held.get(self.contacts.len()).copied().unwrap_or_default();
                self.contacts.push(Contact {
                    held,
                    held_turn,
                    ..Contact::new(finger, Some(0), point, normal, gap, law)
                });
            }
        }
        let weight = Wrench::new(Vector3::new(0.0, 0.0, -9.81 * MASS), Vector3::zeros());
        let outer = [weight, Wrench::zero(), Wrench::zero()];
        self.mechanics.finish(&self.drives, &outer, &mut self.contacts, STEP);
    }

    fn height(&self) -> f64 {
        self.mechanics.now().bodies[0].in_world.translation.z
    }
}

#[test]
fn above_critical_friction_it_holds_for_a_minute() {
    let mut grasp = Grasp::new(1.02);
    let (mut worst, mut depth): (f64, f64) = (0.0, 0.0);
    for _ in 0..60_000 {
        grasp.step();
        worst = worst.max(grasp.mechanics.certificate().residual);
        depth = depth.max(grasp.mechanics.certificate().depth);
    }
    assert!(grasp.height().abs() < 1e-4, "crept by {} m", grasp.height());
    assert!(worst <= 1e-9 && depth < 1e-5, "{worst} m/s, {depth} m");
}

#[test]
fn below_critical_friction_it_slips_as_coulomb_says() {
    let mut grasp = Grasp::new(0.98);
    for _ in 0..500 {
        grasp.step();
    }
    let wanted = -0.5 * 9.81 * 0.02 * 0.25;
    assert!((grasp.height() / wanted - 1.0).abs() < 0.02, "{} {wanted}", grasp.height());
}

#[test]
fn a_cup_that_is_let_go_falls() {
    let mut grasp = Grasp::new(1.02);
    for _ in 0..100 {
        grasp.step();
    }
    (grasp.drives[6].effort, grasp.drives[7].effort) = (-FORCE, FORCE);
    let begin = grasp.height();
    for _ in 0..200 {
        grasp.step();
    }
    assert!((grasp.height() - begin + 0.5 * 9.81 * 0.04).abs() < 0.01, "{}", grasp.height());
}
