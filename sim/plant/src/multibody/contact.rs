//! Contact impulses.
//!
//! Normal forces are those of stiff springs and dampers, taken implicitly (tyre, ground and link give way by some tenths
//! of a millimetre, which also says how several wheels share a load); friction is Coulomb's, sticking up to µ times the
//! normal impulse. The projected Gauss–Seidel sweep runs over the exact response of the robot to an impulse, so what
//! limits its convergence is the coupling between contacts and not the length of a leg. Catto, "Soft constraints" (GDC
//! 2011), for the spring as a constraint; Jourdan, Alart and Jean, "A Gauss–Seidel like algorithm to solve frictional
//! contact problems" (1998), for the sweep.

use nalgebra::{Matrix3, Vector3};
use robot_io::State;

use super::response::Responses;
use super::spatial::{Twist, velocity_at, wrench_at};
use super::state::Multibody;
use crate::frame::Touched;

/// Stiffness of one point of contact [N/m]: a solid rubber tyre of Momaro's size gives way by about 0.7 mm at 70 N.
const STIFFNESS: f64 = 1.0e5;
/// Damping of one point of contact [N·s/m]: a wheel with its share of the robot, 7 kg, is damped by a ratio of 0.6.
const DAMPING: f64 = 1.0e3;
/// Slower impacts do not bounce [m/s].
const BOUNCE: f64 = 0.3;
/// Most sweeps of a step.
const SWEEPS: usize = 30;
/// Sweeping ends when no impulse changes by more than this share of the largest.
const TOLERANCE: f64 = 1e-4;
/// Points within this distance of one of the last step take over its impulse [m].
const SAME_POINT: f64 = 0.015;

/// One point at which the robot touches something fixed.
#[derive(Clone, Copy, Debug, State)]
pub(crate) struct Point {
    /// The body.
    pub body: usize,
    /// The link, for those who ask.
    pub link: usize,
    /// What the link touches there, for those who ask.
    #[state(output)]
    pub with: Touched,
    /// Where [m], in the world.
    pub position: Vector3<f64>,
    /// Away from the ground.
    pub normal: Vector3<f64>,
    /// Distance; negative where it has sunk in [m].
    pub distance: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// On the body, in the world [N·s].
    pub impulse: Vector3<f64>,
}

/// The contacts of a step and the memory of the last.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct Solver {
    /// This step's points.
    pub points: Vec<Point>,
    /// The last step's: place and impulse, from which this step's begin.
    #[state(scratch)]
    old: Vec<Point>,
    #[state(scratch)]
    rows: Vec<Row>,
    #[state(scratch)]
    responses: Responses,
    /// Velocities of the bodies in contact at the end of the step.
    #[state(scratch)]
    twists: Vec<Twist>,
    /// How many sweeps the last step took.
    #[state(output)]
    pub sweeps: usize,
}

/// A point with what stays constant over the sweeps.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Its body's place among those in contact.
    place: usize,
    /// Relative to the reference.
    at: Vector3<f64>,
    normal: Vector3<f64>,
    /// 1 / (response along the normal + softness).
    normal_pivot: f64,
    /// 1 / response across it.
    tangent_pivot: f64,
    softness: f64,
    /// Velocity along the normal that the spring, or the free way, asks for.
    target: f64,
    friction: f64,
    normal_impulse: f64,
    tangent_impulse: Vector3<f64>,
}

impl Solver {
    /// Begins a new step: the points of the last become its memory.
    pub fn clear(&mut self) {
        core::mem::swap(&mut self.points, &mut self.old);
        self.points.clear();
    }

    /// Finds the impulses of all points in a step of `step` [s] and hands them to the bodies.
    pub fn solve(&mut self, robot: &mut Multibody, step: f64) {
        self.sweeps = 0;
        if self.points.is_empty() {
            return;
        }
        self.responses.bodies.clear();
        self.responses.bodies.extend(self.points.iter().map(|point| point.body));
        self.responses.bodies.sort_unstable();
        self.responses.bodies.dedup();
        self.responses.compute(robot);
        self.twists.clear();
        self.twists.extend(self.responses.bodies.iter().map(|body| robot.bodies[*body].next_twist));
        self.rows.clear();
        for index in 0..self.points.len() {
            let row = self.row(&self.points[index], robot, step);
            self.rows.push(row);
        }
        for index in 0..self.rows.len() {
            let row = &self.rows[index];
            let begun = row.normal * row.normal_impulse + row.tangent_impulse;
            push(&mut self.twists, &self.responses, row, &begun);
        }
        let mut settled = false;
        while !settled && self.sweeps < SWEEPS {
            settled = self.sweep();
            self.sweeps += 1;
        }
        for (row, point) in self.rows.iter().zip(&mut self.points) {
            point.impulse = row.normal * row.normal_impulse + row.tangent_impulse;
            robot.bodies[point.body].impulse += wrench_at(&point.impulse, &row.at);
        }
    }

    fn row(&self, point: &Point, robot: &Multibody, step: f64) -> Row {
        let place = self.responses.bodies.binary_search(&point.body).unwrap_or(0);
        let at = point.position - robot.reference;
        let response = local_response(&self.responses, place, &at);
        let along = point.normal.dot(&(response * point.normal));
        let across = 0.5 * (response.trace() - along);
        let (softness, target) = spring(point, &at, robot, step);
        let begun = self.remembered(point);
        let normal_impulse = begun.dot(&point.normal).max(0.0);
        let tangent = begun - point.normal * begun.dot(&point.normal);
        Row {
            place,
            at,
            normal: point.normal,
            normal_pivot: 1.0 / (along + softness),
            // the larger response across makes the step safe; sweeps make it exact
            tangent_pivot: 1.0 / (1.3 * across).max(1e-12),
            softness,
            target,
            friction: point.friction,
            normal_impulse,
            tangent_impulse: clipped(tangent, point.friction * normal_impulse),
        }
    }

    /// The impulse of the last step's nearest point.
    fn remembered(&self, point: &Point) -> Vector3<f64> {
        let mut nearest = (SAME_POINT * SAME_POINT, Vector3::zeros());
        for old in self.old.iter().filter(|old| old.link == point.link) {
            let distance = (old.position - point.position).norm_squared();
            if distance < nearest.0 {
                nearest = (distance, old.impulse);
            }
        }
        nearest.1
    }

    /// One sweep over all points; true if nothing has changed much.
    fn sweep(&mut self) -> bool {
        let (mut largest, mut change) = (0.0_f64, 0.0_f64);
        for index in 0..self.rows.len() {
            let row = &mut self.rows[index];
            let velocity = velocity_at(&self.twists[row.place], &row.at);
            let wanted = row.target - row.normal.dot(&velocity) - row.softness * row.normal_impulse;
            let normal_impulse = (row.normal_impulse + wanted * row.normal_pivot).max(0.0);
            let sliding = velocity - row.normal * row.normal.dot(&velocity);
            let tangent = row.tangent_impulse - sliding * row.tangent_pivot;
            let tangent_impulse = clipped(tangent, row.friction * normal_impulse);
            let step = row.normal * (normal_impulse - row.normal_impulse) + (tangent_impulse - row.tangent_impulse);
            (row.normal_impulse, row.tangent_impulse) = (normal_impulse, tangent_impulse);
            largest = largest.max(normal_impulse);
            let moved = step.norm_squared();
            change = change.max(moved);
            // a point in the air, or one that has settled to the bit, has nothing to tell the others
            if moved > 0.0 {
                push(&mut self.twists, &self.responses, row, &step);
            }
        }
        change.sqrt() <= TOLERANCE * largest
    }
}

/// Softness [m/s per N·s] and the velocity that a point's spring asks for [m/s].
fn spring(point: &Point, at: &Vector3<f64>, robot: &Multibody, step: f64) -> (f64, f64) {
    let approaching = -point.normal.dot(&velocity_at(&robot.bodies[point.body].twist, at));
    if approaching > BOUNCE && point.restitution > 0.0 && point.distance < approaching * step {
        return (0.0, point.restitution * approaching);
    }
    if point.distance > 0.0 {
        // not there yet: it may come as close as it is far
        return (0.0, -point.distance / step);
    }
    let stiff = step * STIFFNESS + DAMPING;
    (1.0 / (step * stiff), -point.distance * STIFFNESS / stiff)
}

/// Velocity of a point per impulse on it, both in the world.
fn local_response(responses: &Responses, place: usize, at: &Vector3<f64>) -> Matrix3<f64> {
    let block = responses.block(place, place);
    let columns = [Vector3::x(), Vector3::y(), Vector3::z()];
    Matrix3::from_columns(&columns.map(|axis| velocity_at(&(block * wrench_at(&axis, at)), at)))
}

/// Lets the bodies in contact feel an impulse at a point.
fn push(twists: &mut [Twist], responses: &Responses, row: &Row, impulse: &Vector3<f64>) {
    let wrench = wrench_at(impulse, &row.at);
    for (felt, twist) in twists.iter_mut().enumerate() {
        *twist += responses.twist(felt, row.place, &wrench);
    }
}

/// A vector no longer than `most`.
fn clipped(v: Vector3<f64>, most: f64) -> Vector3<f64> {
    let length = v.norm();
    if length > most { v * (most / length) } else { v }
}

impl Default for Point {
    fn default() -> Point {
        let zero = Vector3::zeros();
        Point {
            body: 0,
            link: 0,
            with: Touched::Ground,
            position: zero,
            normal: Vector3::z(),
            distance: 0.0,
            friction: 0.0,
            restitution: 0.0,
            impulse: zero,
        }
    }
}
