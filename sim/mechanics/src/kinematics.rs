//! Poses, axes, velocities and inertias of all bodies at one moment.

use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use robot_model::{SpatialInertia, Twist, Wrench};

use crate::body::{Body, Joint};
use crate::coordinates::Coordinates;
use crate::model::Model;
use crate::mount::{Mount, axes};

/// The bodies at one moment. Spatial vectors are along the world's axes and, for all bodies of a tree, about one point, the tree's
/// **reference**: where its root's origin is at that moment. So sums over a tree need no transforms (Featherstone 2008, whose
/// equations lose theirs that way), and numbers stay small far from the world's origin.
#[derive(Clone, Debug)]
pub struct Kinematics {
    /// Body by body.
    pub bodies: Vec<BodyState>,
    /// For each dof its unit twist, Featherstone's S.
    pub(crate) axes: Vec<Twist>,
}

/// A body at one moment.
#[derive(Clone, Copy, Debug)]
pub struct BodyState {
    /// Its frame in the world [m].
    pub in_world: Isometry3<f64>,
    /// The same frame's axes in the world.
    pub rotation: Matrix3<f64>,
    /// The point about which this tree's spatial vectors are taken [m], in the world.
    pub reference: Vector3<f64>,
    /// Its velocity.
    pub twist: Twist,
    /// Its mass about the reference.
    pub inertia: SpatialInertia,
}

impl Kinematics {
    /// Memory for a model, with nothing in it yet.
    pub fn new(model: &Model) -> Kinematics {
        let body = BodyState {
            in_world: Isometry3::identity(),
            rotation: Matrix3::identity(),
            reference: Vector3::zeros(),
            twist: Twist::zero(),
            inertia: SpatialInertia::zero(),
        };
        let mut axes = vec![Twist::zero(); model.dofs()];
        for index in (0..model.bodies().len()).filter(|index| model.bodies()[*index].joint == Joint::Free) {
            let first = model.first_dof(index);
            (0..6).for_each(|part| axes[first + part] = free_axis(part));
        }
        Kinematics { bodies: vec![body; model.bodies().len()], axes }
    }

    /// Places all bodies, with axes and inertias, where `coordinates` say; velocities are left alone.
    pub fn place(&mut self, model: &Model, coordinates: &Coordinates) {
        for (index, (body, mount)) in model.bodies().iter().zip(model.mounts()).enumerate() {
            let place = match (body.parent, body.joint) {
                (_, Joint::Free) => Frame::of(&coordinates.placements[index]),
                (Some(parent), _) => self.bodies[parent].carries(body, mount),
                (None, _) => Frame::of(&body.placement_in_parent),
            };
            let reference = body.parent.map_or(place.origin, |parent| self.bodies[parent].reference);
            let axis = self.bodies[index].set(body, mount, place, &reference, coordinates.positions[index]);
            if let Some(axis) = axis {
                self.axes[model.first_dof(index)] = axis;
            }
        }
    }

    /// The bodies' velocities, after [`place`](Kinematics::place), for these velocities of the dofs.
    pub fn set_velocities(&mut self, model: &Model, velocities: &[f64]) {
        for (index, body) in model.bodies().iter().enumerate() {
            let dof = model.first_dof(index);
            let carried = body.parent.map_or_else(Twist::zero, |parent| self.bodies[parent].twist);
            self.bodies[index].twist = match body.joint {
                Joint::Fixed => carried,
                Joint::Free => free_twist(&velocities[dof..dof + 6]),
                Joint::Revolute(_) | Joint::Prismatic(_) => carried + self.axes[dof] * velocities[dof],
            };
        }
    }

    /// Mass [kg], centre of mass [m] in the world, linear momentum [N·s] and spin about the centre of mass [N·m·s] of the tree
    /// of which `root` is the root.
    pub fn centroid(&self, model: &Model, root: usize) -> Centroid {
        let bodies = &self.bodies[model.tree(root)];
        let rotational = bodies.iter().fold(Matrix3::zeros(), |sum, body| sum + body.inertia.rotational);
        let centroid = self.momentum(model, root);
        let com = centroid.com - self.bodies[root].reference;
        let about_com = (Matrix3::from_diagonal_element(com.norm_squared()) - com * com.transpose()) * centroid.mass;
        Centroid { inertia: rotational - about_com, ..centroid }
    }

    /// The same without its inertia.
    pub(crate) fn momentum(&self, model: &Model, root: usize) -> Centroid {
        let (mut mass, mut moment, mut momentum) = (0.0, Vector3::zeros(), Wrench::zero());
        for body in &self.bodies[model.tree(root)] {
            mass += body.inertia.mass;
            moment += body.inertia.first_moment;
            momentum += body.inertia * body.twist;
        }
        let com = moment / mass;
        Centroid {
            mass,
            com: com + self.bodies[root].reference,
            momentum: momentum.linear,
            spin: momentum.angular - com.cross(&momentum.linear),
            inertia: Matrix3::zeros(),
        }
    }

    /// Centre of mass [m], in the world, of the tree of which `root` is the root and which weighs `mass` [kg].
    pub(crate) fn center_of_mass(&self, model: &Model, root: usize, mass: f64) -> Vector3<f64> {
        let moments = model.tree(root).map(|body| self.bodies[body].inertia.first_moment);
        moments.fold(Vector3::zeros(), |sum, moment| sum + moment) / mass + self.bodies[root].reference
    }

    /// Kinetic energy [J] of all bodies, without rotors.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.bodies.iter().map(|body| body.inertia.quadratic(&body.twist)).sum::<f64>()
    }

    /// Kinetic energy [J] of the tree of which `root` is the root, without rotors.
    pub fn kinetic_energy_of(&self, model: &Model, root: usize) -> f64 {
        let bodies = model.tree(root).map(|body| &self.bodies[body]);
        0.5 * bodies.map(|body| body.inertia.quadratic(&body.twist)).sum::<f64>()
    }

    /// Velocity [m/s] of the point of a body that is at `point`, both in the world.
    pub fn velocity_at(&self, body: usize, point: &Vector3<f64>) -> Vector3<f64> {
        let body = &self.bodies[body];
        body.twist.at(&(point - body.reference)).linear
    }
}

/// What a whole tree does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Centroid {
    /// [kg]
    pub mass: f64,
    /// In the world [m].
    pub com: Vector3<f64>,
    /// [N·s]
    pub momentum: Vector3<f64>,
    /// Angular momentum about the centre of mass [N·m·s].
    pub spin: Vector3<f64>,
    /// Rotational inertia about the centre of mass with all joints held, along the world's axes [kg·m²].
    pub inertia: Matrix3<f64>,
}

/// The twist of a free body: its dofs.
pub(crate) fn free_twist(velocities: &[f64]) -> Twist {
    Twist::new(Vector3::from_column_slice(&velocities[..3]), Vector3::from_column_slice(&velocities[3..6]))
}

/// The unit twist of a free body's dof.
pub(crate) fn free_axis(part: usize) -> Twist {
    match part {
        0..3 => Twist::new(Vector3::ith(part, 1.0), Vector3::zeros()),
        _ => Twist::new(Vector3::zeros(), Vector3::ith(part - 3, 1.0)),
    }
}

/// Where a joint is before it moves.
struct Frame {
    turn: UnitQuaternion<f64>,
    origin: Vector3<f64>,
}

impl Frame {
    fn of(pose: &Isometry3<f64>) -> Frame {
        Frame { turn: pose.rotation, origin: pose.translation.vector }
    }
}

impl BodyState {
    /// Where the joint of a body is that it carries.
    fn carries(&self, body: &Body, mount: &Mount) -> Frame {
        let own = self.in_world.rotation;
        let origin = self.in_world.translation.vector + self.rotation * body.placement_in_parent.translation.vector;
        Frame { turn: mount.turn.map_or(own, |turn| own * turn), origin }
    }

    /// Moves its joint, which was at `place`, to `position`. The unit twist of the joint, if it has one dof.
    fn set(
        &mut self,
        body: &Body,
        mount: &Mount,
        place: Frame,
        reference: &Vector3<f64>,
        position: f64,
    ) -> Option<Twist> {
        let Frame { mut turn, mut origin } = place;
        if let Joint::Revolute(_) = body.joint {
            turn = mount.axis.turn(&turn, position);
        }
        self.rotation = axes(&turn);
        let axis = mount.axis.turned(&self.rotation);
        if let Joint::Prismatic(_) = body.joint {
            origin += axis * position;
        }
        let at = origin - reference;
        let axis = match body.joint {
            Joint::Fixed | Joint::Free => None,
            Joint::Prismatic(_) => Some(Twist::new(axis, Vector3::zeros())),
            Joint::Revolute(_) => Some(Twist::new(at.cross(&axis), axis)),
        };
        (self.in_world, self.reference) = (Isometry3::from_parts(origin.into(), turn), *reference);
        self.inertia = mount.mass.placed(&self.rotation, &at);
        axis
    }
}
