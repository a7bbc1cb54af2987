//! Rapier's part: it finds the contacts and moves the objects.

use nalgebra::{Isometry3, Vector3};
use rapier3d::prelude::*;

use crate::convert::{pose, pose64, vector, vector64};
use crate::multibody::Multibody;
use crate::spawn::{Owner, Spawned};

/// Rapier's sets and its pipeline, which only holds working memory.
pub(crate) struct Physics {
    /// All of it.
    pub world: PhysicsWorld,
    /// The robot's bodies that can touch something: number and handle.
    touching: Vec<(usize, RigidBodyHandle)>,
    /// The objects that move by themselves: number and handle.
    moving: Vec<(usize, RigidBodyHandle)>,
}

impl Physics {
    /// The physics of `spawned` under `gravity` [m/s²], in steps of `step` [s].
    pub fn new(spawned: &Spawned, gravity: f64, step: f64, substeps: usize) -> Physics {
        let world = PhysicsWorld {
            gravity: vector(&Vector3::new(0.0, 0.0, -gravity)),
            integration_parameters: parameters(step, substeps),
            bodies: spawned.bodies.clone(),
            colliders: spawned.colliders.clone(),
            ..PhysicsWorld::default()
        };
        let mut numbers: Vec<usize> = spawned
            .owners
            .iter()
            .filter_map(|owner| match owner {
                Owner::Link(link) => Some(spawned.links[*link].number),
                _ => None,
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let touching = numbers.into_iter().map(|number| (number, spawned.robot_bodies[number])).collect();
        let is_driven = |body: &RigidBodyHandle| spawned.bodies[*body].is_kinematic();
        let moving = spawned.objects.iter().copied().enumerate().filter(|(_, body)| is_driven(body)).collect();
        Physics { world, touching, moving }
    }

    /// Tells the objects that move by themselves where they are at the end of the step; `place` knows it by their numbers.
    pub fn move_objects(&mut self, place: impl Fn(usize) -> Isometry3<f64>) {
        for (number, handle) in &self.moving {
            if let Some(body) = self.world.bodies.get_mut(*handle) {
                body.set_next_kinematic_position(pose(&place(*number)));
            }
        }
    }

    /// Puts the robot where it is, finds what it touches there, and moves the objects on by a step.
    pub fn step(&mut self, robot: &Multibody) {
        for (number, handle) in &self.touching {
            let Some(body) = self.world.bodies.get_mut(*handle) else { continue };
            body.set_position(pose(&robot.bodies[*number].in_world), false);
            let com = robot.bodies[*number].com + robot.reference;
            body.set_linvel(vector(&robot.velocity_at(*number, &com)), false);
            body.set_angvel(vector(&robot.angular_velocity(*number)), false);
        }
        self.world.step();
    }

    /// Pose of an object's body in the world.
    pub fn pose(&self, body: RigidBodyHandle) -> Isometry3<f64> {
        pose64(self.world.bodies[body].position())
    }

    /// Force [N] of a step per impulse that rapier reports for it [1/s]. In this version the impulse is too large by one
    /// substep: it is summed over n substeps and one more.
    pub fn force_per_impulse(&self) -> f64 {
        let parameters = &self.world.integration_parameters;
        let n = parameters.num_solver_iterations as f64;
        n / (n + 1.0) / f64::from(parameters.dt)
    }
}

/// A point of rapier's, in f64 [m].
pub(crate) fn point(collider: &Collider, place: Option<&Pose>, local: Vector) -> Vector3<f64> {
    let in_collider = place.map_or(local, |place| *place * local);
    vector64(*collider.position() * in_collider)
}

/// Rapier's parameters where ours differ from its own, which are made for games at 60 Hz.
fn parameters(step: f64, substeps: usize) -> IntegrationParameters {
    IntegrationParameters {
        dt: step as f32,
        num_solver_iterations: substeps,
        // at 1 kHz nothing here moves further in a step than it is thick
        max_ccd_substeps: 0,
        normalized_prediction_distance: 0.01,
        // rapier keeps contact points of a pair that has moved by up to 5 cm; a wheel would roll over a stone on them
        normalized_contact_recycle_distance: 0.002,
        // we choose among the points ourselves
        contact_clustering: false,
        ..IntegrationParameters::default()
    }
}
