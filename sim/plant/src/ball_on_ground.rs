//! Where a ball is near the terrain: on each triangle that it is over, and on edges and corners where the ground falls away beyond them.

use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::query::PointQuery;
use parry3d::query::details::NormalConstraints;
use parry3d::shape::Triangle;

use crate::hull::is_inside;
use crate::patch::{Cells, Facet, Patch, upward};

/// A ball in the frame of a patch of terrain.
#[derive(Clone, Copy)]
pub(crate) struct BallOnGround<'a> {
    pub patch: Patch<'a>,
    pub middle: Vector,
    /// [m]
    pub radius: f32,
}

impl BallOnGround<'_> {
    /// Hands each point nearer than `near` [m] to `found`: its place on the ground, the ground's normal, and the distance.
    pub fn find(&self, near: f32, mut found: impl FnMut(Vector, Vector, f32)) {
        let reach = Vector::splat(self.radius + near);
        let around = Aabb::new(self.middle - reach, self.middle + reach);
        if let Some(level) = self.patch.level_under(&around) {
            let height = self.middle.y - level;
            if (0.0..reach.y).contains(&height) {
                found(Vector::new(self.middle.x, level, self.middle.z), Vector::Y, height - self.radius);
            }
            return;
        }
        let Cells { rows, columns } = self.patch.cells_under(&around);
        for column in columns {
            for row in rows.clone() {
                let across = self.patch.across((row, column), self.middle);
                for is_last in [false, true] {
                    let beside = if is_last { -across } else { across };
                    if beside > self.radius + near {
                        continue;
                    }
                    if let Some((at, normal)) = self.find_on(Facet { row, column, is_last }, self.radius + near) {
                        found(at, normal, normal.dot(self.middle - at) - self.radius);
                    }
                }
            }
        }
    }

    /// The point of a triangle that is nearest to the ball's middle, if that is within `reach` [m], and the normal there.
    fn find_on(&self, facet: Facet, reach: f32) -> Option<(Vector, Vector)> {
        let triangle = self.patch.triangle(facet)?;
        let normal = upward(&triangle)?;
        let height = normal.dot(self.middle - triangle.a);
        if height > reach || is_beside(&triangle, self.middle, reach) {
            return None;
        }
        let foot = self.middle - normal * height;
        if height >= 0.0 && is_inside(&triangle, foot) {
            return Some((foot, normal));
        }
        let nearest = triangle.project_local_point(self.middle, false).point;
        let apart = self.middle - nearest;
        let direction = apart.try_normalize().filter(|_| apart.length() <= reach)?;
        // beyond an edge at which the ground does not fall away that far the neighbour is nearer
        let corrected = self.patch.normals(self.patch.number(facet))?.project_local_normal(direction)?;
        (corrected == direction).then_some((nearest, direction))
    }
}

/// Whether a place is farther than `reach` beside a triangle, seen from above.
fn is_beside(triangle: &Triangle, at: Vector, reach: f32) -> bool {
    let Triangle { a, b, c } = *triangle;
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    at.x < low.x - reach || at.x > high.x + reach || at.z < low.z - reach || at.z > high.z + reach
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use nalgebra::Isometry3;
    use parry3d::math::Pose;
    use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, Ray, RayCast};
    use parry3d::shape::{Ball, HeightField, HeightFieldFlags};
    use parry3d::utils::Array2;
    use proptest::prelude::*;

    const NEAR: f32 = 0.01;
    const SIDE: usize = 7;
    /// What is compared is told as exactly as this [m].
    const TOLD: f32 = 1e-4;

    fn rough(heights: Vec<f32>) -> HeightField {
        let sides = Vector::new(0.6, 1.0, 0.6);
        HeightField::with_flags(Array2::new(SIDE, SIDE, heights), sides, HeightFieldFlags::FIX_INTERNAL_EDGES)
    }

    /// How high the ground is at a place.
    fn surface(ground: &HeightField, [x, z]: [f32; 2]) -> f32 {
        let down = Ray::new(Vector::new(x, 1.0, z), -Vector::Y);
        1.0 - ground.cast_local_ray(&down, 2.0, true).unwrap()
    }

    /// How deep a ball is where it is deepest, by what is told of it.
    fn deepest(gaps: impl IntoIterator<Item = f32>) -> f32 {
        gaps.into_iter().fold(NEAR, f32::min)
    }

    fn of_ours(ball: BallOnGround) -> f32 {
        let mut gaps = Vec::new();
        ball.find(NEAR, |_, _, gap| gaps.push(gap));
        deepest(gaps)
    }

    /// From the nearest triangle, as is right for a ball whose middle is above the ground.
    fn of_the_nearest(BallOnGround { patch, middle, radius }: BallOnGround) -> f32 {
        let mut gaps = Vec::new();
        let around = Aabb::from_half_extents(middle, Vector::splat(radius + NEAR));
        patch.triangles_in(&around, |_, triangle| gaps.push(triangle.distance_to_local_point(middle, false) - radius));
        deepest(gaps)
    }

    /// What parry tells of each triangle.
    fn of_parry(BallOnGround { patch, middle, radius }: BallOnGround) -> f32 {
        let mut gaps = Vec::new();
        let around = Aabb::from_half_extents(middle, Vector::splat(radius + NEAR));
        patch.triangles_in(&around, |index, triangle| {
            let mut manifold: ContactManifold<(), ()> = ContactManifold::new();
            let (pose, ball, normals) =
                (Pose::from_translation(middle), Ball::new(radius), patch.normals(index).unwrap());
            let normals = Some(&normals as &dyn NormalConstraints);
            DefaultQueryDispatcher
                .contact_manifold_convex_convex(&pose, triangle, &ball, normals, None, NEAR, &mut manifold)
                .unwrap();
            gaps.extend(manifold.points.iter().map(|point| point.dist));
        });
        deepest(gaps)
    }

    #[test]
    fn on_level_ground_it_is_straight_above_one_place() {
        let ground = rough(vec![0.02; SIDE * SIDE]);
        let (patch, ..) = Patch::around(&ground, &Isometry3::identity());
        let mut points = Vec::new();
        let middle = Vector::new(0.1, 0.049, 0.0);
        BallOnGround { patch, middle, radius: 0.03 }.find(NEAR, |at, normal, gap| points.push((at, normal, gap)));
        assert_eq!(points.len(), 1);
        let (at, normal, gap) = points[0];
        assert_eq!((at, normal), (Vector::new(0.1, 0.02, 0.0), Vector::Y));
        assert!((gap + 0.001).abs() < 1e-7, "{gap}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn above_the_ground_it_is_as_far_as_the_nearest_triangle(
            heights in proptest::collection::vec(0.0_f32..0.06, SIDE * SIDE),
            place in proptest::array::uniform2(-0.25_f32..0.25),
            above in 1e-6_f32..0.08,
            radius in 0.003_f32..0.05,
        ) {
            let ground = rough(heights);
            let (patch, ..) = Patch::around(&ground, &Isometry3::identity());
            let middle = Vector::new(place[0], surface(&ground, place) + above, place[1]);
            let ball = BallOnGround { patch, middle, radius };
            let (own, nearest) = (of_ours(ball), of_the_nearest(ball));
            prop_assert!((own - nearest).abs() < TOLD, "{own} {nearest}");
        }

        #[test]
        fn below_the_ground_it_is_where_parry_takes_it_to_be(
            heights in proptest::collection::vec(0.0_f32..0.06, SIDE * SIDE),
            place in proptest::array::uniform2(-0.25_f32..0.25),
            below in TOLD..0.06,
            radius in 0.003_f32..0.05,
        ) {
            let ground = rough(heights);
            let (patch, ..) = Patch::around(&ground, &Isometry3::identity());
            let middle = Vector::new(place[0], surface(&ground, place) - below, place[1]);
            let ball = BallOnGround { patch, middle, radius };
            let (own, parry) = (of_ours(ball), of_parry(ball));
            prop_assert!((own - parry).abs() < TOLD, "{own} {parry}");
        }
    }
}
