//! Whether an object should be seen.

use nalgebra::Point3;

use crate::cloud::DepthCloud;

/// What a picture can say of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// What is there is seen.
    Seen,
    /// Something nearer is in the way, or there is no depth.
    Hidden,
    /// It is not in the picture.
    Outside,
}

/// Whether an object with its middle here and of this size [m] would be seen in a depth picture. It would as soon as one in two of nine rays across
/// its inner half gets there.
pub fn look_at(cloud: &DepthCloud, middle: &Point3<f64>, radius: f64) -> Look {
    let view = cloud.view();
    let Some((column, row, depth)) = view.project(middle) else { return Look::Outside };
    let reach = 0.5 * radius * view.intrinsics.fx / depth.max(1e-3);
    let (mut seen, mut inside) = (0, 0);
    for across in [-1.0, 0.0, 1.0] {
        for down in [-1.0, 0.0, 1.0] {
            let Some(pixel) = view.pixel(column + across * reach, row + down * reach) else { continue };
            inside += 1;
            let margin = radius + 3.0 * cloud.deviation(depth);
            seen += usize::from(cloud.depth(pixel).is_some_and(|measured| measured >= depth - margin));
        }
    }
    match (inside, seen) {
        (9, seen) if seen >= 5 => Look::Seen,
        (9, _) => Look::Hidden,
        _ => Look::Outside,
    }
}
