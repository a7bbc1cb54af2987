//! The world from above, as a picture.

use image::{Rgb, RgbImage};
use nalgebra::{Point3, Vector3};

use crate::objects::outline;
use crate::{Object, Shape, Terrain, World};

/// Most pixels of a picture.
const MOST_PIXELS: f64 = 16e6;
/// How strongly slopes are drawn; cartographers exaggerate gentle ground.
const EXAGGERATION: f64 = 1.6;
/// Light that reaches every slope, so that none is black.
const AMBIENT: f64 = 0.35;
/// Brightness gained per metre of height, so that plateaus read as high [1/m].
const HEIGHT_TINT: f64 = 0.06;

impl World {
    /// A hill-shaded map seen from above, coloured by material, north (+y) up, with the objects' outlines. The scale
    /// is reduced where the picture would be larger than 16 million pixels.
    pub fn top_view(&self, pixels_per_metre: f64) -> RgbImage {
        top_view(self, pixels_per_metre)
    }
}

fn top_view(world: &World, pixels_per_metre: f64) -> RgbImage {
    let terrain = &world.terrain;
    let ((x0, x1), (y0, y1)) = terrain.extent();
    let fitting = (MOST_PIXELS / ((x1 - x0) * (y1 - y0))).sqrt();
    // `max` and `min` also turn NaN into a number.
    let scale = pixels_per_metre.max(1.0 / (x1 - x0).min(y1 - y0)).min(fitting);
    let pixels = |length: f64| (length * scale).max(1.0) as u32;
    let mut picture = RgbImage::new(pixels(x1 - x0), pixels(y1 - y0));
    for (column, row, pixel) in picture.enumerate_pixels_mut() {
        let (x, y) = (x0 + (f64::from(column) + 0.5) / scale, y1 - (f64::from(row) + 0.5) / scale);
        let (x, y) = (x.clamp(x0, x1), y.clamp(y0, y1));
        let color = world.material_at(x, y).map_or([0.5; 3], |material| material.color);
        *pixel = shade(color, brightness(terrain, x, y));
    }
    for object in &world.objects {
        draw_object(object, &mut picture, |point| ((point.x - x0) * scale, (y1 - point.y) * scale));
    }
    picture
}

/// Lambert's law for a sun in the north-west at 45°, 1 on level ground at height 0.
fn brightness(terrain: &Terrain, x: f64, y: f64) -> f64 {
    let sun = Vector3::new(-0.5, 0.5, std::f64::consts::FRAC_1_SQRT_2);
    let slope = |p: Option<Vector3<f64>>| {
        p.map_or(Vector3::z(), |n| Vector3::new(n.x * EXAGGERATION, n.y * EXAGGERATION, n.z).normalize())
    };
    let lit = slope(terrain.normal_at(x, y)).dot(&sun).max(0.0) / sun.z;
    AMBIENT + (1.0 - AMBIENT) * lit + HEIGHT_TINT * terrain.height_at(x, y).unwrap_or(0.0)
}

fn shade(color: [f32; 3], brightness: f64) -> Rgb<u8> {
    Rgb(color.map(|channel| (255.0 * f64::from(channel) * brightness).clamp(0.0, 255.0) as u8))
}

/// Fills the object's convex outline with its colour, edged in black.
fn draw_object(object: &Object, picture: &mut RgbImage, to_pixel: impl Fn(Point3<f64>) -> (f64, f64)) {
    let corners = match &object.shape {
        Shape::Cylinder { radius, half_height } => circle_pair(*radius, *half_height),
        shape => outline(shape),
    };
    let hull =
        convex_hull(corners.iter().map(|corner| to_pixel(object.pose_in_world * Point3::from(*corner))).collect());
    let span = |pick: fn(&(f64, f64)) -> f64, size: u32| {
        let low = hull.iter().map(pick).fold(f64::INFINITY, f64::min);
        let high = hull.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
        (low.clamp(0.0, f64::from(size)) as u32, high.clamp(0.0, f64::from(size) - 1.0) as u32)
    };
    let (width, height) = picture.dimensions();
    let ((left, right), (top, bottom)) = (span(|p| p.0, width), span(|p| p.1, height));
    for row in top..=bottom {
        for column in left..=right {
            let depth = depth_inside(&hull, (f64::from(column) + 0.5, f64::from(row) + 0.5));
            if depth > -0.5 && column < width && row < height {
                picture.put_pixel(column, row, if depth < 1.0 { Rgb([0; 3]) } else { shade(object.color, 1.0) });
            }
        }
    }
}

fn circle_pair(radius: f64, half_height: f64) -> Vec<[f64; 3]> {
    let angle = |i: i32| std::f64::consts::TAU * f64::from(i) / 24.0;
    let point = |i: i32, z: f64| [radius * libm::cos(angle(i)), radius * libm::sin(angle(i)), z];
    (0..24).flat_map(|i| [point(i, half_height), point(i, -half_height)]).collect()
}

/// Andrew's monotone chain.
fn convex_hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for pass in 0..2 {
        let floor = hull.len() + 1;
        for &point in &points {
            while hull.len() > floor && cross(hull[hull.len() - 2], hull[hull.len() - 1], point) <= 0.0 {
                hull.pop();
            }
            hull.push(point);
        }
        hull.pop();
        if pass == 0 {
            points.reverse();
        }
    }
    hull
}

fn cross(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> f64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

/// Distance to the nearest side of a counter-clockwise hull [pixels], negative outside.
fn depth_inside(hull: &[(f64, f64)], point: (f64, f64)) -> f64 {
    let sides = hull.iter().zip(hull.iter().cycle().skip(1));
    let depth = |(&a, &b): (&(f64, f64), &(f64, f64))| {
        let length = libm::hypot(b.0 - a.0, b.1 - a.1);
        if length > 0.0 { cross(a, b, point) / length } else { f64::INFINITY }
    };
    sides.map(depth).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_keeps_its_corners_only() {
        let hull = convex_hull(vec![(0.0, 0.0), (2.0, 0.0), (1.0, 0.5), (2.0, 2.0), (0.0, 2.0), (1.0, 0.0)]);
        assert_eq!(hull, [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]);
        assert_eq!(depth_inside(&hull, (1.0, 0.5)), 0.5);
        assert_eq!(depth_inside(&hull, (3.0, 1.0)), -1.0);
    }
}
