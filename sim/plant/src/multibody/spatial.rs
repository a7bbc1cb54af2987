//! Spatial vectors, angular part first, about the step's reference point.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Angular velocity [rad/s] and velocity of the point at the reference [m/s].
pub(crate) type Twist = Vector6<f64>;
/// Torque about the reference [N·m] and force [N].
pub(crate) type Wrench = Vector6<f64>;

/// A spatial vector of two parts.
#[inline]
pub(crate) fn pair(angular: &Vector3<f64>, linear: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(angular.x, angular.y, angular.z, linear.x, linear.y, linear.z)
}

/// The first part.
#[inline]
pub(crate) fn angular(v: &Vector6<f64>) -> Vector3<f64> {
    Vector3::new(v[0], v[1], v[2])
}

/// The second part.
#[inline]
pub(crate) fn linear(v: &Vector6<f64>) -> Vector3<f64> {
    Vector3::new(v[3], v[4], v[5])
}

/// A force at a point, both relative to the reference.
#[inline]
pub(crate) fn wrench_at(force: &Vector3<f64>, point: &Vector3<f64>) -> Wrench {
    pair(&point.cross(force), force)
}

/// Velocity of a body's point [m/s].
#[inline]
pub(crate) fn velocity_at(twist: &Twist, point: &Vector3<f64>) -> Vector3<f64> {
    linear(twist) + angular(twist).cross(point)
}

/// The cross product of motions, v × m.
#[inline]
pub(crate) fn cross_motion(v: &Twist, m: &Twist) -> Twist {
    let (w, u) = (angular(v), linear(v));
    pair(&w.cross(&angular(m)), &(u.cross(&angular(m)) + w.cross(&linear(m))))
}

/// The cross product of a motion and a force, v ×* f.
#[inline]
pub(crate) fn cross_force(v: &Twist, f: &Wrench) -> Wrench {
    let (w, u) = (angular(v), linear(v));
    pair(&(w.cross(&angular(f)) + u.cross(&linear(f))), &w.cross(&linear(f)))
}

/// A body's spatial inertia: mass [kg], centre of mass [m] and rotational inertia about it [kg·m²].
pub(crate) fn inertia(mass: f64, com: &Vector3<f64>, at_com: &Matrix3<f64>) -> Matrix6<f64> {
    let h = com * mass;
    let lever = Matrix3::new(0.0, -h.z, h.y, h.z, 0.0, -h.x, -h.y, h.x, 0.0);
    let about = at_com + Matrix3::identity() * h.dot(com) - h * com.transpose();
    let mut full = Matrix6::zeros();
    full.fixed_view_mut::<3, 3>(0, 0).copy_from(&about);
    full.fixed_view_mut::<3, 3>(0, 3).copy_from(&lever);
    full.fixed_view_mut::<3, 3>(3, 0).copy_from(&(-lever));
    full.fixed_view_mut::<3, 3>(3, 3).copy_from(&Matrix3::from_diagonal_element(mass));
    full
}

/// What a body's momentum is, without building its matrix: the product of [`inertia`] and a twist.
pub(crate) fn momentum(mass: f64, com: &Vector3<f64>, at_com: &Matrix3<f64>, twist: &Twist) -> Wrench {
    let spin = angular(twist);
    let linear_momentum = (linear(twist) + spin.cross(com)) * mass;
    pair(&(at_com * spin + com.cross(&linear_momentum)), &linear_momentum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_momentum_is_the_inertia_times_the_twist() {
        let (mass, com) = (2.5, Vector3::new(0.3, -0.2, 0.5));
        let at_com = Matrix3::new(0.3, 0.01, 0.0, 0.01, 0.2, 0.02, 0.0, 0.02, 0.4);
        let twist = Vector6::new(0.5, -1.0, 2.0, 0.1, 0.7, -0.4);
        let difference = inertia(mass, &com, &at_com) * twist - momentum(mass, &com, &at_com, &twist);
        assert!(difference.norm() < 1e-12);
    }

    #[test]
    fn forces_and_motions_are_dual() {
        let (v, m) = (Vector6::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0), Vector6::new(-1.0, 0.5, 2.0, 1.0, -2.0, 0.3));
        let f = Vector6::new(0.3, 0.1, -0.7, 2.0, 1.0, -1.5);
        assert!((cross_motion(&v, &m).dot(&f) + m.dot(&cross_force(&v, &f))).abs() < 1e-12);
    }
}
