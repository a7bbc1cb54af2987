//! Spatial (six-dimensional) vectors and inertias, linear part first, as in Pinocchio.
//!
//! All of them live in one frame, the base's: origin and axes of the floating base. So moving a quantity from a link
//! to its parent is an addition and nothing else. The algebra is Featherstone, "Rigid Body Dynamics Algorithms"
//! (2008), chapter 2.

use core::marker::PhantomData;
use core::ops::{Add, AddAssign, Mul, Neg, Sub};

use nalgebra::{Isometry3, Matrix3, Matrix6, UnitQuaternion, Vector3, Vector6};

use crate::parts::Inertia;

/// Marks vectors of motion: twists, spatial accelerations, joint axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OfMotion;

/// Marks vectors of force: wrenches, momenta.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OfForce;

/// A spatial vector. Motions and forces are dual: neither can be taken for the other, and only a motion and a force have a
/// product, which is the power.
///
/// ```compile_fail
/// # use robot_model::{Twist, Wrench};
/// let sum = Twist::zero() + Wrench::zero();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spatial<Kind> {
    /// Velocity [m/s], force [N] or acceleration [m/s²] at the frame's origin.
    pub linear: Vector3<f64>,
    /// Angular velocity [rad/s], torque about the frame's origin [N·m] or angular acceleration [rad/s²].
    pub angular: Vector3<f64>,
    kind: PhantomData<Kind>,
}

/// A vector of motion: linear velocity of the point at the frame's origin [m/s] and angular velocity [rad/s]; a spatial
/// acceleration [m/s², rad/s²]; a joint's axis.
pub type Twist = Spatial<OfMotion>;

/// A vector of force: force [N] and torque about the frame's origin [N·m]; a momentum [N·s, N·m·s].
pub type Wrench = Spatial<OfForce>;

/// Mass, first and second moment of mass about the origin of a frame: ten numbers that simply add up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialInertia {
    /// Mass [kg].
    pub mass: f64,
    /// Mass times centre of mass [kg·m].
    pub first_moment: Vector3<f64>,
    /// Rotational inertia about the origin [kg·m²].
    pub rotational: Matrix3<f64>,
}

impl<Kind: Copy + Default> Spatial<Kind> {
    /// The two parts.
    #[inline]
    pub fn new(linear: Vector3<f64>, angular: Vector3<f64>) -> Self {
        Spatial { linear, angular, kind: PhantomData }
    }

    /// The zero vector.
    #[inline]
    pub fn zero() -> Self {
        Spatial::default()
    }

    /// The same, seen from axes that are turned.
    pub fn turned(&self, rotation: &UnitQuaternion<f64>) -> Self {
        Spatial::new(rotation * self.linear, rotation * self.angular)
    }

    /// The six numbers, linear part first.
    #[inline]
    pub fn to_vector(&self) -> Vector6<f64> {
        let (l, a) = (&self.linear, &self.angular);
        Vector6::new(l.x, l.y, l.z, a.x, a.y, a.z)
    }

    /// From six numbers, linear part first.
    #[inline]
    pub fn from_vector(v: &Vector6<f64>) -> Self {
        Spatial::new(Vector3::new(v[0], v[1], v[2]), Vector3::new(v[3], v[4], v[5]))
    }
}

impl Twist {
    /// The power of a wrench on this twist [W].
    #[inline]
    pub fn dot(&self, wrench: &Wrench) -> f64 {
        self.linear.dot(&wrench.linear) + self.angular.dot(&wrench.angular)
    }

    /// The same motion as the velocity of a point, with the same angular velocity.
    #[inline]
    pub fn at(&self, point: &Vector3<f64>) -> Twist {
        Spatial::new(self.linear + self.angular.cross(point), self.angular)
    }

    /// How `motion`, which moves along with this twist, changes (Featherstone's `×`).
    #[inline]
    pub fn cross_motion(&self, motion: &Twist) -> Twist {
        Spatial::new(
            self.angular.cross(&motion.linear) + self.linear.cross(&motion.angular),
            self.angular.cross(&motion.angular),
        )
    }

    /// How `wrench`, which moves along with this twist, changes (Featherstone's `×*`).
    #[inline]
    pub fn cross_force(&self, wrench: &Wrench) -> Wrench {
        Spatial::new(
            self.angular.cross(&wrench.linear),
            self.angular.cross(&wrench.angular) + self.linear.cross(&wrench.linear),
        )
    }
}

impl SpatialInertia {
    /// No mass.
    #[inline]
    pub fn zero() -> SpatialInertia {
        SpatialInertia { mass: 0.0, first_moment: Vector3::zeros(), rotational: Matrix3::zeros() }
    }

    /// The inertia of a link about the origin of its own frame (parallel axis theorem).
    pub fn of_link(inertia: &Inertia) -> SpatialInertia {
        let Inertia { mass, com_in_link: com, rotational_at_com_in_link: rotational } = *inertia;
        SpatialInertia { mass, first_moment: mass * com, rotational: rotational + steiner(&(mass * com), &com) }
    }

    /// Mass, centre of mass and rotational inertia about that, in the same frame; the opposite of [`of_link`](SpatialInertia::of_link).
    pub fn to_inertia(&self) -> Inertia {
        let com = if self.mass > 0.0 { self.first_moment / self.mass } else { Vector3::zeros() };
        let rotational_at_com_in_link = self.rotational - steiner(&self.first_moment, &com);
        Inertia { mass: self.mass, com_in_link: com, rotational_at_com_in_link }
    }

    /// The same mass, seen from the frame in which its present frame has pose `pose`.
    pub fn transformed(&self, pose: &Isometry3<f64>) -> SpatialInertia {
        let rotation = pose.rotation.to_rotation_matrix();
        let rotation = rotation.matrix();
        let shift = pose.translation.vector;
        let first_moment = rotation * self.first_moment;
        // Σ m (r+s)(r+s) = Σ m rr + cross terms in (first moment, s) + m ss
        let rotational = rotation * self.rotational * rotation.transpose()
            + steiner(&first_moment, &shift)
            + steiner(&shift, &(first_moment + self.mass * shift));
        // rounding must not make it lopsided: the mass matrix is symmetric to the last bit
        let rotational = 0.5 * (rotational + rotational.transpose());
        SpatialInertia { mass: self.mass, first_moment: first_moment + self.mass * shift, rotational }
    }

    /// Twice the kinetic energy at a twist [J].
    #[inline]
    pub fn quadratic(&self, twist: &Twist) -> f64 {
        twist.dot(&(*self * *twist))
    }

    /// As a matrix over (linear, angular).
    pub fn to_matrix(&self) -> Matrix6<f64> {
        let moment = self.first_moment.cross_matrix();
        let mut matrix = Matrix6::zeros();
        matrix.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(self.mass);
        matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&-moment);
        matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&moment);
        matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.rotational);
        matrix
    }
}

/// `(a·b) 1 − b aᵀ`: for a = m·b the inertia of a point mass m at b.
fn steiner(a: &Vector3<f64>, b: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_diagonal_element(a.dot(b)) - b * a.transpose()
}

impl Mul<Twist> for SpatialInertia {
    type Output = Wrench;

    /// The momentum at a twist, or the wrench for an acceleration.
    #[inline]
    fn mul(self, twist: Twist) -> Wrench {
        Spatial::new(
            self.mass * twist.linear + twist.angular.cross(&self.first_moment),
            self.rotational * twist.angular + self.first_moment.cross(&twist.linear),
        )
    }
}

impl AddAssign for SpatialInertia {
    #[inline]
    fn add_assign(&mut self, other: SpatialInertia) {
        self.mass += other.mass;
        self.first_moment += other.first_moment;
        self.rotational += other.rotational;
    }
}

impl<Kind: Copy + Default> Add for Spatial<Kind> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Spatial::new(self.linear + other.linear, self.angular + other.angular)
    }
}

impl<Kind: Copy + Default> AddAssign for Spatial<Kind> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<Kind: Copy + Default> Sub for Spatial<Kind> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Spatial::new(self.linear - other.linear, self.angular - other.angular)
    }
}

impl<Kind: Copy + Default> Neg for Spatial<Kind> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Spatial::new(-self.linear, -self.angular)
    }
}

impl<Kind: Copy + Default> Mul<f64> for Spatial<Kind> {
    type Output = Self;
    #[inline]
    fn mul(self, factor: f64) -> Self {
        Spatial::new(self.linear * factor, self.angular * factor)
    }
}
