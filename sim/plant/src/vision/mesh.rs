//! A triangle mesh in a tree of boxes.

use nalgebra::Vector3;

use super::ray::{Ray, facing};
use super::solid::LocalHit;

/// Most triangles of a leaf.
const LEAF: usize = 4;
/// Deepest tree; halving 200,000 triangles down to leaves takes 16 levels.
const DEEPEST: usize = 40;

/// Triangles, sorted into a tree of boxes (median split along the longest edge).
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    triangles: Vec<[Vector3<f64>; 3]>,
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    low: Vector3<f64>,
    high: Vector3<f64>,
    /// Of a leaf its first triangle, of a branch its second child; the first one is the next node.
    first: usize,
    /// Of a leaf how many triangles, of a branch zero.
    count: usize,
}

impl Mesh {
    /// A mesh of these corners.
    pub fn new(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
        let corner = |index: u32| vertices.get(index as usize).map(|corner| Vector3::from(*corner));
        let each = triangles.iter().filter_map(|[a, b, c]| Some([corner(*a)?, corner(*b)?, corner(*c)?]));
        let mut mesh = Mesh { triangles: each.collect(), nodes: Vec::new() };
        let count = mesh.triangles.len();
        if count > 0 {
            mesh.split(0, count);
        }
        mesh
    }

    /// Centre and radius of a ball around it.
    pub fn bounding_ball(&self) -> (Vector3<f64>, f64) {
        let Some(root) = self.nodes.first() else { return (Vector3::zeros(), 0.0) };
        let centre = (root.low + root.high) * 0.5;
        let farthest = self.triangles.iter().flatten().map(|corner| (corner - centre).norm());
        (centre, farthest.fold(0.0, f64::max))
    }

    /// The first triangle that a ray meets, from either side.
    pub fn cast(&self, ray: &Ray, limit: f64) -> Option<LocalHit> {
        let inverse = ray.direction.map(|d| 1.0 / d);
        let (mut nearest, mut found) = (limit, None);
        let mut waiting = [0; DEEPEST];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let index = waiting[count];
            let node = &self.nodes[index];
            if !node.is_met(ray, &inverse, nearest) {
                continue;
            }
            if node.count == 0 && count + 2 <= DEEPEST {
                (waiting[count], waiting[count + 1]) = (node.first, index + 1);
                count += 2;
            }
            for corners in &self.triangles[node.first.min(self.triangles.len())..][..node.count] {
                if let Some(t) = triangle(ray, corners).filter(|t| *t < nearest) {
                    (nearest, found) = (t, Some(corners));
                }
            }
        }
        let [a, b, c] = found?;
        let normal = (b - a).cross(&(c - a)).normalize();
        Some((nearest, facing(normal, &ray.direction)))
    }

    /// Makes the node of a range of triangles, and all below.
    fn split(&mut self, first: usize, count: usize) {
        let within = &mut self.triangles[first..first + count];
        let (low, high) = bounds(within);
        let index = self.nodes.len();
        self.nodes.push(Node { low, high, first, count });
        if count <= LEAF {
            return;
        }
        let axis = (high - low).imax();
        let middle = |corners: &[Vector3<f64>; 3]| corners.iter().map(|corner| corner[axis]).sum::<f64>();
        within.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
        self.split(first, count / 2);
        let second = self.nodes.len();
        self.split(first + count / 2, count - count / 2);
        (self.nodes[index].first, self.nodes[index].count) = (second, 0);
    }
}

impl Node {
    fn is_met(&self, ray: &Ray, inverse: &Vector3<f64>, limit: f64) -> bool {
        let (mut enter, mut exit) = (0.0_f64, limit);
        for axis in 0..3 {
            let a = (self.low[axis] - ray.origin[axis]) * inverse[axis];
            let b = (self.high[axis] - ray.origin[axis]) * inverse[axis];
            // a ray within a side's plane gives no number, which bounds nothing
            enter = enter.max(a.min(b));
            exit = exit.min(a.max(b));
        }
        enter <= exit * (1.0 + 1e-12) + 1e-12
    }
}

/// Möller and Trumbore, "Fast, minimum storage ray/triangle intersection", 1997.
pub(crate) fn triangle(ray: &Ray, [a, b, c]: &[Vector3<f64>; 3]) -> Option<f64> {
    let (along, down) = (b - a, c - a);
    let p = ray.direction.cross(&down);
    let determinant = along.dot(&p);
    if determinant == 0.0 {
        return None;
    }
    let from = ray.origin - a;
    let u = from.dot(&p) / determinant;
    let q = from.cross(&along);
    let v = ray.direction.dot(&q) / determinant;
    let t = down.dot(&q) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}

fn bounds(triangles: &[[Vector3<f64>; 3]]) -> (Vector3<f64>, Vector3<f64>) {
    let none = Vector3::repeat(f64::INFINITY);
    triangles.iter().flatten().fold((none, -none), |(low, high), corner| (low.inf(corner), high.sup(corner)))
}
