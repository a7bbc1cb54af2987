//! The capsule around some shapes: all of each is inside.

use nalgebra::{Isometry3, Point3, Vector3};
use robot_model::{Geometry, Shape};

/// Round edges are seen as polygons around them with so many corners.
const CORNERS: u8 = 12;
/// The middle of a circle around points is sought in so many steps: it is known to about a hundredth of the radius.
const STEPS: u32 = 100;

/// A ball: where it is [m], and its radius [m], which is 0 for a corner.
pub(super) type Ball = (Vector3<f64>, f64);

/// A line with a radius: from, to, radius [m].
pub(super) type Round = (Vector3<f64>, Vector3<f64>, f64);

/// Balls whose convex hull has all of a shape in it, in the frame in which its link is at `link`. A mesh, whose file need not be there, has none.
pub(super) fn balls(geometry: &Geometry, link: &Isometry3<f64>) -> Vec<Ball> {
    let pose = link * geometry.pose_in_link;
    let at = |x: f64, y: f64, z: f64, radius: f64| ((pose * Point3::new(x, y, z)).coords, radius);
    match geometry.shape {
        Shape::Box { .. } => geometry.corners_in_link().map(|corner| ((link * corner).coords, 0.0)).collect(),
        Shape::Cylinder { radius, length } => {
            let turn = core::f64::consts::TAU / f64::from(CORNERS);
            let out = radius / (0.5 * turn).cos();
            let rim = |z: f64| {
                let angles = (0..CORNERS).map(|corner| turn * f64::from(corner));
                angles.map(move |angle| at(out * angle.cos(), out * angle.sin(), z, 0.0))
            };
            rim(-0.5 * length).chain(rim(0.5 * length)).collect()
        }
        Shape::Capsule { radius, length } => [-0.5, 0.5].map(|end| at(0.0, 0.0, end * length, radius)).to_vec(),
        Shape::Sphere { radius } => vec![at(0.0, 0.0, 0.0, radius)],
        Shape::Mesh { .. } => Vec::new(),
    }
}

/// The capsule around balls: along the longest side of the box around them, as thin as may be, and then as short. `None` without balls.
pub(super) fn around(balls: &[Ball]) -> Option<Round> {
    let (first, _) = balls.first()?;
    let corners = balls.iter().fold([*first, *first], |[low, high], (place, radius)| {
        let reach = Vector3::repeat(*radius);
        [low.inf(&(place - reach)), high.sup(&(place + reach))]
    });
    let along = (corners[1] - corners[0]).imax();
    // as seen along the line: the smallest circle around all (M. Bădoiu, K. Clarkson, "Smaller core-sets for balls", SODA 2003)
    let across = |place: &Vector3<f64>, middle: &Vector3<f64>| {
        let mut out = place - middle;
        out[along] = 0.0;
        out
    };
    let far = |middle: &Vector3<f64>, (place, radius): &Ball| across(place, middle).norm() + radius;
    let mut middle = 0.5 * (corners[0] + corners[1]);
    for step in 2..STEPS {
        let farthest = balls.iter().max_by(|one, other| far(&middle, one).total_cmp(&far(&middle, other)))?;
        let out = across(&farthest.0, &middle);
        let length = out.norm();
        if length > 0.0 {
            middle += out * ((length + farthest.1) / length / f64::from(step));
        }
    }
    let radius = balls.iter().map(|ball| far(&middle, ball)).fold(0.0, f64::max);
    // a ball is in the cap at an end, or nearer to the middle
    let [mut low, mut high] = [f64::INFINITY, f64::NEG_INFINITY];
    for (place, own) in balls {
        let reach = ((radius - own).powi(2) - across(place, &middle).norm_squared()).max(0.0).sqrt();
        (low, high) = (low.min(place[along] + reach), high.max(place[along] - reach));
    }
    if low > high {
        (low, high) = (0.5 * (low + high), 0.5 * (low + high));
    }
    let (mut from, mut to) = (middle, middle);
    (from[along], to[along]) = (low, high);
    Some((from, to, radius))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn geometry(shape: Shape) -> Geometry {
        let pose_in_link = Isometry3::new(Vector3::new(0.02, -0.03, -0.1), Vector3::new(0.1, 0.2, 0.3));
        Geometry { shape, pose_in_link, color: None }
    }

    fn depth((from, to, radius): Round, place: &Vector3<f64>) -> f64 {
        let along = to - from;
        let share = (along.dot(&(place - from)) / along.norm_squared().max(1e-18)).clamp(0.0, 1.0);
        radius - (from + share * along - place).norm()
    }

    #[test]
    fn all_of_a_hand_is_inside_and_little_else() {
        let shapes = [
            Shape::Box { size: Vector3::new(0.09, 0.035, 0.2) },
            Shape::Cylinder { radius: 0.03, length: 0.3 },
            Shape::Capsule { radius: 0.02, length: 0.1 },
            Shape::Sphere { radius: 0.05 },
        ];
        let all: Vec<Ball> =
            shapes.into_iter().flat_map(|shape| balls(&geometry(shape), &Isometry3::identity())).collect();
        for count in 1..=all.len() {
            let round = around(&all[..count]).unwrap();
            for (place, radius) in &all[..count] {
                let depth = depth(round, place);
                assert!(depth >= radius - 1e-9, "{place:?} with {radius} m is {depth} m deep in {round:?}");
            }
        }
    }

    #[test]
    fn round_shapes_are_what_they_are() {
        let upright = |shape| {
            let geometry = Geometry { pose_in_link: Isometry3::identity(), ..geometry(shape) };
            around(&balls(&geometry, &Isometry3::identity())).unwrap()
        };
        let (from, to, radius) = upright(Shape::Capsule { radius: 0.05, length: 0.3 });
        assert!((radius - 0.05).abs() < 1e-9 && (to.z - 0.15).abs() < 1e-9 && (from.z + 0.15).abs() < 1e-9);
        let (from, to, radius) = upright(Shape::Sphere { radius: 0.2 });
        assert!((radius - 0.2).abs() < 1e-9 && (to - from).norm() < 1e-9);
        let (from, to, radius) = upright(Shape::Cylinder { radius: 0.06, length: 0.26 });
        assert!((0.06..0.063).contains(&radius) && (0.26..0.27).contains(&(to - from).norm()), "{radius}");
        assert!(around(&[]).is_none());
    }
}
