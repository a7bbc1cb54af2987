//! Spheres that hold a solid, and reach beyond it by no more than is allowed.

use nalgebra::Vector3;

use super::disc::{Disc, cover_disc};
use super::solid::{Placed, Solid};
use super::sphere::Sphere;

/// The finest that a solid is divided along an edge.
const MOST_CELLS: usize = 64;
/// So many sizes of spheres are tried in the ends of a cylinder, each nine tenths of the one before.
const SIZES: usize = 30;
/// Most spheres in a layer.
const MOST_IN_LAYER: usize = 400;

/// Spheres that together hold the whole solid, in the frame to which it belongs. No point of a sphere is farther than
/// `excess` [m] from the solid, unless that would need more than 64 cells along an edge.
///
/// A box is divided into cells, each of which is put into a sphere. A cylinder has many small spheres in a layer at each
/// end, and large ones between. A point of a sphere about a centre that is d deep in the solid is at most
/// radius − d outside of it, and that is what is compared with `excess`.
pub(crate) fn cover(placed: &Placed, excess: f64) -> Vec<Sphere> {
    let mut spheres = match placed.solid {
        Solid::Sphere { radius } => vec![Sphere { center: Vector3::zeros(), radius }],
        Solid::Capsule { radius, length } => capsule(radius, length, excess),
        Solid::Cylinder { radius, length } => {
            cylinder(radius, length, excess).unwrap_or_else(|| grid(&placed.solid, excess))
        }
        Solid::Box { .. } => grid(&placed.solid, excess),
    };
    for sphere in &mut spheres {
        sphere.center = placed.pose.rotation * sphere.center + placed.pose.translation.vector;
    }
    spheres
}

/// Without those that lie within others.
pub(crate) fn without_held(mut spheres: Vec<Sphere>) -> Vec<Sphere> {
    spheres.sort_by(|one, two| two.radius.total_cmp(&one.radius));
    let mut kept: Vec<Sphere> = Vec::new();
    for sphere in spheres {
        if !kept.iter().any(|other| other.holds(&sphere)) {
            kept.push(sphere);
        }
    }
    kept
}

/// Spheres along a capsule's line, near enough to each other that their waists are as wide as the capsule.
fn capsule(radius: f64, length: f64, excess: f64) -> Vec<Sphere> {
    let outer = radius + excess;
    let half = (outer * outer - radius * radius).sqrt();
    let number = 1 + (length / (2.0 * half)).ceil() as usize;
    let number = number.min(MOST_CELLS);
    let between = if number > 1 { length / (number - 1) as f64 } else { 0.0 };
    let reach = (radius * radius + 0.25 * between * between).sqrt();
    let at = |index: usize| Vector3::new(0.0, 0.0, between * index as f64 - 0.5 * length);
    (0..number).map(|index| Sphere { center: at(index), radius: reach }).collect()
}

/// A cylinder with layers of small spheres at its ends and large ones between; the fewest spheres of some sizes that are
/// tried. `None` if none is fine enough.
fn cylinder(radius: f64, length: f64, excess: f64) -> Option<Vec<Sphere>> {
    let solid = Solid::Cylinder { radius, length };
    let sizes = (0..SIZES).scan(radius, |size, _| Some(core::mem::replace(size, 0.9 * *size)));
    let fine = sizes.filter_map(|size| layered(radius, length, excess, size));
    let fine = fine.filter(|spheres| beyond(&solid, spheres) <= excess);
    fine.min_by_key(Vec::len)
}

/// Layers whose spheres are as wide as `waist` where the layers meet.
fn layered(radius: f64, length: f64, excess: f64, waist: f64) -> Option<Vec<Sphere>> {
    let disc = cover_disc(radius, waist, MOST_IN_LAYER)?;
    // sideways a sphere may be as large as this, and with its waist that says how thick a layer is
    let largest = (1.0 - 1e-9) * excess + radius - disc.farthest;
    let half = (largest * largest - waist * waist).sqrt();
    if half.is_nan() || half < (waist * waist - excess * excess) / (2.0 * excess) {
        return None;
    }
    let mut spheres = Vec::new();
    let between = length - 4.0 * half;
    if between <= 0.0 || disc.centers.len() == 1 {
        let layers = (length / (2.0 * half)).ceil().max(1.0);
        add_layers(&mut spheres, &disc, (-0.5 * length, 0.5 * length), layers as usize);
        return Some(spheres);
    }
    for end in [-1.0, 1.0] {
        add_layers(&mut spheres, &disc, (0.5 * end * length, end * (0.5 * length - 2.0 * half)), 1);
    }
    let one = Disc { centers: vec![[0.0; 2]], waist: radius, farthest: 0.0 };
    let thickest = ((radius + excess) * (radius + excess) - radius * radius).sqrt();
    let layers = (between / (2.0 * thickest)).ceil().max(1.0);
    add_layers(&mut spheres, &one, (-0.5 * between, 0.5 * between), layers as usize);
    Some(spheres)
}

/// So many layers of spheres from one height to another.
fn add_layers(spheres: &mut Vec<Sphere>, disc: &Disc, (from, to): (f64, f64), layers: usize) {
    let thick = (to - from) / layers as f64;
    let radius = (disc.waist * disc.waist + 0.25 * thick * thick).sqrt();
    for layer in 0..layers.min(MOST_CELLS) {
        let z = from + thick * (layer as f64 + 0.5);
        spheres.extend(disc.centers.iter().map(|[x, y]| Sphere { center: Vector3::new(*x, *y, z), radius }));
    }
}

/// The cells of a grid that the solid meets, each in a sphere; the coarsest grid of about cubes that is fine enough.
fn grid(solid: &Solid, excess: f64) -> Vec<Sphere> {
    let half = solid.half_extents();
    let longest = half.max().max(1e-6);
    let mut found = Vec::new();
    for cells in 1..=MOST_CELLS {
        let edge = 2.0 * longest / cells as f64;
        found = gridded(solid, &half, edge);
        if beyond(solid, &found) <= excess {
            break;
        }
    }
    found
}

fn gridded(solid: &Solid, half: &Vector3<f64>, edge: f64) -> Vec<Sphere> {
    let numbers: [usize; 3] = core::array::from_fn(|axis| ((2.0 * half[axis] / edge - 1e-9).ceil() as usize).max(1));
    let cell = Vector3::from_fn(|axis, _| 2.0 * half[axis] / numbers[axis] as f64);
    let radius = 0.5 * cell.norm();
    let mut spheres = Vec::new();
    for x in 0..numbers[0] {
        for y in 0..numbers[1] {
            for z in 0..numbers[2] {
                let index = Vector3::new(x as f64, y as f64, z as f64);
                let center = (index.add_scalar(0.5)).component_mul(&cell) - half;
                // a cell that the solid does not meet holds nothing of it
                if solid.distance(&center) < radius {
                    spheres.push(Sphere { center, radius });
                }
            }
        }
    }
    spheres
}

/// How far spheres reach beyond a solid at most [m].
fn beyond(solid: &Solid, spheres: &[Sphere]) -> f64 {
    spheres.iter().map(|sphere| sphere.radius + solid.distance(&sphere.center)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;
    use proptest::prelude::*;

    use super::*;

    fn solids() -> impl Strategy<Value = Solid> {
        let length = || 0.01..0.5f64;
        prop_oneof![
            length().prop_map(|radius| Solid::Sphere { radius }),
            (length(), length(), length()).prop_map(|(x, y, z)| Solid::Box { size: Vector3::new(x, y, z) }),
            (0.005..0.2f64, length()).prop_map(|(radius, length)| Solid::Cylinder { radius, length }),
            (0.01..0.2f64, length()).prop_map(|(radius, length)| Solid::Capsule { radius, length }),
        ]
    }

    proptest! {
        #[test]
        fn a_solid_is_held_and_its_spheres_reach_beyond_it_by_no_more_than_the_excess(
            solid in solids(), excess in 0.015..0.1f64, place in prop::array::uniform3(-1.0..1.0f64),
            turn in prop::array::uniform3(-3.0..3.0f64), share in prop::array::uniform3(-1.0..1.0f64),
        ) {
            let pose = Isometry3::new(Vector3::from(place), Vector3::from(turn));
            let placed = Placed { solid, pose };
            let spheres = without_held(cover(&placed, excess));
            let within = Vector3::from(share).component_mul(&solid.half_extents());
            if solid.distance(&within) <= 0.0 {
                let at = pose.rotation * within + pose.translation.vector;
                let held = spheres.iter().any(|sphere| (sphere.center - at).norm() <= sphere.radius + 1e-9);
                prop_assert!(held, "{within} of {solid:?} is in none of {} spheres", spheres.len());
            }
            for sphere in &spheres {
                let farthest = sphere.center + sphere.radius * Vector3::from(share).try_normalize(1e-9).unwrap_or_default();
                prop_assert!(placed.distance(&farthest) <= excess + 1e-9, "{sphere:?} of {solid:?}");
            }
        }
    }
}
