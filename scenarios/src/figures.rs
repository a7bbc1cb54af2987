//! Robots beside the first as the viewer shows them.
//!
//! It knows one robot, and objects: each shape of another robot is shown as an object that goes with its link.

use core::f64::consts::{PI, TAU};

use nalgebra::Isometry3;
use plant::Frame;
use robot_io::math::{cos, sin};
use robot_model::{Geometry, Shape};
use worlds::{Object, World};

use crate::Stage;

/// Corners of a round shape along a circle, and circles from its pole to its equator.
const AROUND: usize = 16;
const CIRCLES: usize = 4;
/// What has no colour.
const GREY: [f32; 4] = [0.6, 0.6, 0.6, 1.0];

/// The shapes of all robots beside the first.
#[derive(Clone, Debug, Default)]
pub struct Figures(Vec<Figure>);

#[derive(Clone, Debug)]
struct Figure {
    /// The link's number among those of the other robots.
    link: usize,
    pose_in_link: Isometry3<f64>,
    object: Object,
}

impl Figures {
    /// Of a stage's other robots.
    pub fn of(stage: &Stage) -> Figures {
        let links = stage.others.iter().flat_map(|other| other.robot.tree.links.iter().map(move |link| (other, link)));
        let shapes = links.enumerate().flat_map(|(number, (other, link))| {
            link.seen().map(move |geometry| (number, geometry, format!("{}/{}", other.case.name, link.name)))
        });
        let figure = |(link, geometry, name)| {
            let object = object(geometry, name)?;
            Some(Figure { link, pose_in_link: geometry.pose_in_link, object })
        };
        Figures(shapes.filter_map(figure).collect())
    }

    /// The world with them among its objects, behind its own.
    pub fn within(&self, world: &World) -> World {
        let mut world = world.clone();
        world.objects.extend(self.0.iter().map(|figure| figure.object.clone()));
        world
    }

    /// Puts them behind the objects of a frame, where their links are.
    pub fn place(&self, frame: &mut Frame) {
        let Frame { others_in_world, objects_in_world, .. } = frame;
        let at = |figure: &Figure| Some(others_in_world.get(figure.link)? * figure.pose_in_link);
        objects_in_world.extend(self.0.iter().filter_map(at));
    }
}

fn object(geometry: &Geometry, name: String) -> Option<Object> {
    let shape = match &geometry.shape {
        Shape::Box { size } => worlds::Shape::Box { half_extents: (size * 0.5).into() },
        Shape::Cylinder { radius, length } => worlds::Shape::Cylinder { radius: *radius, half_height: 0.5 * length },
        Shape::Capsule { radius, length } => round(*radius, 0.5 * length),
        Shape::Sphere { radius } => round(*radius, 0.0),
        Shape::Mesh { .. } => return None,
    };
    let [red, green, blue, _] = geometry.color.unwrap_or(GREY);
    let color = [red, green, blue];
    let pose_in_world = Isometry3::identity();
    Some(Object { name, shape, pose_in_world, mass: Some(1.0), motion: None, joint: None, material: 0, color })
}

/// A capsule along z whose straight part is twice `half` long [m], or a ball.
fn round(radius: f64, half: f64) -> worlds::Shape {
    let circles = 2 * CIRCLES;
    let corner = |circle: usize, place: usize| {
        // the upper half first; the equator is there twice, with the straight part between
        let step = if circle <= CIRCLES { circle } else { circle - 1 };
        let (down, turn) = (PI * step as f64 / circles as f64, TAU * place as f64 / AROUND as f64);
        let middle = if circle <= CIRCLES { half } else { -half };
        let across = radius * sin(down);
        [across * cos(turn), across * sin(turn), middle + radius * cos(down)]
    };
    let vertices = (0..=circles + 1).flat_map(|circle| (0..AROUND).map(move |place| corner(circle, place))).collect();
    let number = |circle: usize, place: usize| (circle * AROUND + place % AROUND) as u32;
    let quad = |(circle, place): (usize, usize)| {
        let [a, b] = [number(circle, place), number(circle, place + 1)];
        let [c, d] = [number(circle + 1, place), number(circle + 1, place + 1)];
        [[a, c, d], [a, d, b]]
    };
    let places = (0..=circles).flat_map(|circle| (0..AROUND).map(move |place| (circle, place)));
    worlds::Shape::Mesh { vertices, triangles: places.flat_map(quad).collect() }
}

#[cfg(test)]
#[allow(clippy::panic, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_round_shape_is_closed_and_as_large_as_it_should_be() {
        let worlds::Shape::Mesh { vertices, triangles } = round(0.1, 0.3) else { panic!("no mesh") };
        let corner = |index: u32| nalgebra::Vector3::from(vertices[index as usize]);
        // six times the volume, positive if all triangles look outwards
        let volume: f64 = triangles.iter().map(|[a, b, c]| corner(*a).dot(&corner(*b).cross(&corner(*c)))).sum();
        let exact = core::f64::consts::PI * (0.01 * 0.6 + 4.0 / 3.0 * 0.001);
        assert!((volume / 6.0 / exact - 1.0).abs() < 0.06, "{} of {exact} m³", volume / 6.0);
        let highest = vertices.iter().map(|corner| corner[2]).fold(0.0, f64::max);
        assert!((highest - 0.4).abs() < 1e-12, "{highest}");
    }
}
