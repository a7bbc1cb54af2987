//! How a body sits on the one that carries it, and how its mass lies in it: all that can be found before it moves.

use nalgebra::{Matrix3, Quaternion, SymmetricEigen, UnitQuaternion, Vector3};
use robot_model::{Inertia, SpatialInertia};

use crate::body::{Body, Joint};

/// What [`Kinematics::place`](crate::Kinematics::place) wants to know of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mount {
    /// How its frame is turned in the parent's where the joint's position is zero; `None` for not at all, as most are.
    pub turn: Option<UnitQuaternion<f64>>,
    /// The axis of its joint, in its own frame; of no meaning where it has none.
    pub axis: Axis,
    pub mass: Mass,
}

/// A mass in a body's frame: its rotational inertia about its centre is λ 1 + a aᵀ + b bᵀ, with its least principal moment λ. Turning two
/// vectors takes half of what turning a matrix does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mass {
    mass: f64,
    com: Vector3<f64>,
    least: f64,
    a: Vector3<f64>,
    b: Vector3<f64>,
}

/// A direction in a body's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Axis {
    /// One of the frame's own axes, or against it: times this sign.
    Own(usize, f64),
    /// Any other unit vector.
    Other(Vector3<f64>),
}

impl Mount {
    /// That of a body.
    pub fn of(body: &Body) -> Mount {
        let turn = body.placement_in_parent.rotation;
        let axis = match body.joint {
            Joint::Revolute(axis) | Joint::Prismatic(axis) => Axis::of(&axis),
            Joint::Fixed | Joint::Free => Axis::Own(2, 1.0),
        };
        let mass = Mass::of(&body.inertia);
        Mount { mass, turn: (turn != UnitQuaternion::identity()).then_some(turn), axis }
    }
}

impl Mass {
    fn of(inertia: &Inertia) -> Mass {
        let SymmetricEigen { eigenvalues: moments, eigenvectors } = inertia.rotational_at_com_in_link.symmetric_eigen();
        let least = moments.imin();
        let part = |place: usize| eigenvectors.column(place) * (moments[place] - moments[least]).sqrt();
        let (a, b) = (part((least + 1) % 3), part((least + 2) % 3));
        Mass { mass: inertia.mass, com: inertia.com_in_link, least: moments[least], a, b }
    }

    /// It in the world's axes, in which the body's frame has these, about a point from which the frame's origin is `at`.
    pub fn placed(&self, frame: &Matrix3<f64>, at: &Vector3<f64>) -> SpatialInertia {
        let com = frame * self.com + at;
        let (a, b, first) = (frame * self.a, frame * self.b, com * self.mass);
        let square = |place: usize| a[place] * a[place] + b[place] * b[place];
        let product = |one: usize, two: usize| a[one] * a[two] + b[one] * b[two] - first[one] * com[two];
        let [x, y, z] = [0, 1, 2].map(|place| first[place] * com[place]);
        let diagonal = [square(0) + (y + z), square(1) + (x + z), square(2) + (x + y)].map(|part| part + self.least);
        let (xy, xz, yz) = (product(0, 1), product(0, 2), product(1, 2));
        let rotational = Matrix3::new(diagonal[0], xy, xz, xy, diagonal[1], yz, xz, yz, diagonal[2]);
        SpatialInertia { mass: self.mass, first_moment: first, rotational }
    }
}

/// The axes of a frame in the world.
pub(crate) fn axes(turn: &UnitQuaternion<f64>) -> Matrix3<f64> {
    let (i, j, k, w) = (turn.i, turn.j, turn.k, turn.w);
    let (ii, jj, kk) = (i + i, j + j, k + k);
    let (x, y, z) = (i * ii, j * jj, k * kk);
    let (ij, ik, jk) = (i * jj, i * kk, j * kk);
    let (wi, wj, wk) = (w * ii, w * jj, w * kk);
    Matrix3::new(1.0 - (y + z), ij - wk, ik + wj, ij + wk, 1.0 - (x + z), jk - wi, ik - wj, jk + wi, 1.0 - (x + y))
}

impl Axis {
    fn of(axis: &Vector3<f64>) -> Axis {
        match (0..3).find(|place| axis[*place].abs() == 1.0) {
            Some(place) => Axis::Own(place, axis[place]),
            None => Axis::Other(*axis),
        }
    }

    /// It in the world, in which the body's frame has these axes.
    pub fn turned(&self, frame: &Matrix3<f64>) -> Vector3<f64> {
        match self {
            // three columns that are known are faster than one that is not
            Axis::Own(0, sign) => frame.column(0) * *sign,
            Axis::Own(1, sign) => frame.column(1) * *sign,
            Axis::Own(_, sign) => frame.column(2) * *sign,
            Axis::Other(axis) => frame * axis,
        }
    }

    /// A frame's turn after another one by `angle` [rad] about this axis of its own.
    pub fn turn(&self, frame: &UnitQuaternion<f64>, angle: f64) -> UnitQuaternion<f64> {
        let (sin, cos) = libm::sincos(0.5 * angle);
        let turned = match self {
            Axis::Own(place, sign) => turn_about_own(frame, *place, *sign * sin, cos),
            Axis::Other(axis) => frame.into_inner() * Quaternion::from_parts(cos, axis * sin),
        };
        UnitQuaternion::new_unchecked(turned)
    }
}

/// The product of quaternions, of which the second has only two parts that are not zero.
fn turn_about_own(frame: &UnitQuaternion<f64>, axis: usize, sin: f64, cos: f64) -> Quaternion<f64> {
    let (i, j, k, w) = (frame.i, frame.j, frame.k, frame.w);
    match axis {
        0 => Quaternion::new(w * cos - i * sin, i * cos + w * sin, j * cos + k * sin, k * cos - j * sin),
        1 => Quaternion::new(w * cos - j * sin, i * cos - k * sin, j * cos + w * sin, k * cos + i * sin),
        _ => Quaternion::new(w * cos - k * sin, i * cos + j * sin, j * cos - i * sin, k * cos + w * sin),
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::*;

    #[test]
    fn a_mass_is_placed_as_its_matrix_would_be() {
        let rotational = Matrix3::new(3.0, 0.2, -0.4, 0.2, 2.0, 0.1, -0.4, 0.1, 2.5);
        let inertia =
            Inertia { mass: 4.0, com_in_link: Vector3::new(0.1, 0.2, -0.3), rotational_at_com_in_link: rotational };
        let (turn, at) = (UnitQuaternion::from_euler_angles(0.3, -0.7, 1.9), Vector3::new(0.5, -0.4, 0.2));
        let placed = Mass::of(&inertia).placed(&axes(&turn), &at);
        let expected = SpatialInertia::of_link(&inertia).transformed(&Isometry3::from_parts(at.into(), turn));
        assert!((placed.rotational - expected.rotational).norm() < 1e-14);
        assert!((placed.first_moment - expected.first_moment).norm() < 1e-14);
    }

    #[test]
    fn a_turn_about_an_own_axis_is_the_product_of_quaternions() {
        let frame = UnitQuaternion::from_euler_angles(0.3, -0.7, 1.9);
        for axis in [Vector3::x(), -Vector3::y(), Vector3::z(), -Vector3::z()] {
            let by = UnitQuaternion::from_scaled_axis(axis * 0.8);
            let own = Axis::of(&axis);
            assert!(matches!(own, Axis::Own(..)));
            assert!((own.turn(&frame, 0.8).coords - (frame * by).coords).norm() < 1e-15);
            assert!((own.turned(&frame.to_rotation_matrix().into_inner()) - frame * axis).norm() < 1e-15);
        }
    }
}
