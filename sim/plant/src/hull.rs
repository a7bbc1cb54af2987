//! A convex polyhedron, laid out so that it is searched quickly.
//!
//! A search for where two hulls are near each other asks some twenty times for the corner that lies farthest in a direction. With coordinates
//! side by side the answer, the same to the bit as parry's own, takes a third of the time.

mod faces;

use parry3d::bounding_volume::Aabb;
use parry3d::math::{Matrix, Pose, Vector};
use parry3d::shape::{ConvexPolyhedron, PackedFeatureId, PolygonalFeature, PolygonalFeatureMap, SupportMap};

/// So many vectors are looked at together.
const LANES: usize = 8;
/// Most corners of a face that parry's contacts know.
const CORNERS: usize = 4;
/// Blocks of outposts.
const OUTPOSTS: usize = 2;

use self::faces::Bend;
pub(crate) use self::faces::is_inside;
use crate::face::Face;

/// A polyhedron with its corners, its faces' normals, and how far their planes are from the origin [m].
#[derive(Clone)]
pub(crate) struct Hull {
    polyhedron: ConvexPolyhedron,
    corners: Cloud,
    normals: Cloud,
    offsets: Vec<[f32; LANES]>,
    /// How each face is bent.
    bends: Vec<Bend>,
    has_many_corners: bool,
    outposts: Outposts,
    bounds: Aabb,
}

/// A few of a hull's corners that lie far out, for a first look.
#[derive(Clone, Copy)]
pub(crate) struct Outposts([Block; OUTPOSTS]);

/// Vectors, their coordinates side by side.
#[derive(Clone, Default)]
pub(crate) struct Cloud {
    blocks: Vec<Block>,
    count: usize,
}

#[derive(Clone, Copy)]
struct Block {
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
}

impl Block {
    fn new(vectors: &[Vector; LANES]) -> Block {
        let of = |axis: usize| core::array::from_fn(|lane| vectors[lane][axis]);
        Block { x: of(0), y: of(1), z: of(2) }
    }

    fn vector(&self, lane: usize) -> Vector {
        Vector::new(self.x[lane], self.y[lane], self.z[lane])
    }

    /// How far each vector lies in a direction, times its length.
    fn along(&self, direction: Vector) -> [f32; LANES] {
        let Vector { x, y, z } = direction;
        core::array::from_fn(|lane| self.x[lane] * x + self.y[lane] * y + self.z[lane] * z)
    }

    /// One of their coordinates where their frame is so turned and placed.
    fn coordinate(&self, axis: usize, turn: &Matrix, at: Vector) -> [f32; LANES] {
        let (x, y, z, at) = (turn.x_axis[axis], turn.y_axis[axis], turn.z_axis[axis], at[axis]);
        core::array::from_fn(|lane| x * self.x[lane] + y * self.y[lane] + z * self.z[lane] + at)
    }

    /// They at a pose.
    fn placed(&self, turn: &Matrix, at: Vector) -> Block {
        let of = |axis: usize| self.coordinate(axis, turn, at);
        Block { x: of(0), y: of(1), z: of(2) }
    }
}

impl Outposts {
    /// The corners that lie farthest along the diagonals and the axes of the frame.
    fn new(corners: &Cloud, all: &[Vector]) -> Outposts {
        let block = |number: usize| {
            let corner = |lane: usize| all[corners.farthest(Outposts::direction(number * LANES + lane))];
            Block::new(&core::array::from_fn(corner))
        };
        Outposts(core::array::from_fn(block))
    }

    /// The direction in which one of them lies far out: along a diagonal, or along an axis.
    fn direction(place: usize) -> Vector {
        let sign = |bit: usize| if place >> bit & 1 == 1 { 1.0 } else { -1.0 };
        if place < LANES {
            return Vector::new(sign(0), sign(1), sign(2));
        }
        [Vector::X, Vector::Y, Vector::Z][place % 3] * sign(0)
    }

    /// They at a pose.
    pub fn placed(&self, pose: &Pose) -> Outposts {
        let turn = Matrix::from_quat(pose.rotation);
        Outposts(self.0.map(|block| block.placed(&turn, pose.translation)))
    }

    /// From each of them, the way to that of `others` that lies the least far along the direction in which it lies far out itself. Between two
    /// solids these are some of the ways from a corner of the one to a corner of the other.
    pub fn ways_to(&self, others: &Outposts) -> Outposts {
        let block = |number: usize| {
            let ways = core::array::from_fn::<_, LANES, _>(|lane| {
                let nearest = others.farthest(-Outposts::direction(number * LANES + lane));
                nearest - self.0[number].vector(lane)
            });
            Block::new(&ways)
        };
        Outposts(core::array::from_fn(block))
    }

    /// How far the one of them that lies least far in a direction does so, times its length.
    pub fn least_along(&self, direction: Vector) -> f32 {
        let mut least = [f32::INFINITY; LANES];
        for block in &self.0 {
            let along = block.along(direction);
            least = core::array::from_fn(|lane| if along[lane] < least[lane] { along[lane] } else { least[lane] });
        }
        -largest(&least.map(|along| -along))
    }

    fn farthest(&self, direction: Vector) -> Vector {
        let all = self.0.iter().flat_map(|block| (0..LANES).map(|lane| block.vector(lane)));
        let farther = |one: &Vector, other: &Vector| one.dot(direction).total_cmp(&other.dot(direction));
        all.max_by(farther).unwrap_or(Vector::ZERO)
    }
}

impl Cloud {
    /// Of some vectors, at least one; the last block is filled up with the first one.
    pub fn new(vectors: &[Vector]) -> Cloud {
        let blocks = vectors.chunks(LANES).map(|chunk| {
            let of = |axis: usize| core::array::from_fn(|lane| chunk.get(lane).unwrap_or(&vectors[0])[axis]);
            Block { x: of(0), y: of(1), z: of(2) }
        });
        Cloud { blocks: blocks.collect(), count: vectors.len() }
    }

    /// They at a pose.
    pub fn place(&self, pose: &Pose, placed: &mut Cloud) {
        let turn = Matrix::from_quat(pose.rotation);
        placed.count = self.count;
        placed.blocks.clear();
        placed.blocks.extend(self.blocks.iter().map(|block| block.placed(&turn, pose.translation)));
    }

    /// A box around them.
    pub fn bounds(&self) -> Aabb {
        let (mut low, mut high) = ([[f32::INFINITY; LANES]; 3], [[f32::NEG_INFINITY; LANES]; 3]);
        for block in &self.blocks {
            for (axis, along) in [&block.x, &block.y, &block.z].into_iter().enumerate() {
                low[axis] =
                    core::array::from_fn(
                        |lane| if along[lane] < low[axis][lane] { along[lane] } else { low[axis][lane] },
                    );
                high[axis] =
                    core::array::from_fn(
                        |lane| if along[lane] > high[axis][lane] { along[lane] } else { high[axis][lane] },
                    );
            }
        }
        let least = low.map(|lanes| lanes.into_iter().fold(f32::INFINITY, f32::min));
        let most = high.map(|lanes| lanes.into_iter().fold(f32::NEG_INFINITY, f32::max));
        Aabb::new(Vector::from_array(least), Vector::from_array(most))
    }

    /// Adds those whose y is below a height to `low`.
    pub fn gather_below(&self, height: f32, low: &mut Vec<Vector>) {
        for (first, Block { x, y, z }) in self.blocks.iter().enumerate() {
            let is_low = y.iter().fold(false, |is, y| is | (*y < height));
            let count = if is_low { (self.count - first * LANES).min(LANES) } else { 0 };
            for lane in (0..count).filter(|lane| y[*lane] < height) {
                low.push(Vector::new(x[lane], y[lane], z[lane]));
            }
        }
    }

    /// Adds those to `low` whose y is below a height where their frame is at a pose, as they are there.
    pub fn gather_below_at(&self, pose: &Pose, height: f32, low: &mut Vec<Vector>) {
        let turn = Matrix::from_quat(pose.rotation);
        for (first, block) in self.blocks.iter().enumerate() {
            let y = block.coordinate(1, &turn, pose.translation);
            if !y.iter().fold(false, |is, y| is | (*y < height)) {
                continue;
            }
            let [x, z] = [0, 2].map(|axis| block.coordinate(axis, &turn, pose.translation));
            let count = (self.count - first * LANES).min(LANES);
            low.extend((0..count).filter(|lane| y[*lane] < height).map(|lane| Vector::new(x[lane], y[lane], z[lane])));
        }
    }

    /// How far any of them lies in a direction, times its length.
    // within another search the compiler shuffles lanes instead of loading them in their order
    #[inline(never)]
    pub fn reach(&self, direction: Vector) -> f32 {
        let mut most = [f32::NEG_INFINITY; LANES];
        for block in &self.blocks {
            let along = block.along(direction);
            most = core::array::from_fn(|lane| if along[lane] > most[lane] { along[lane] } else { most[lane] });
        }
        largest(&most)
    }

    /// The first of those that lie farthest in a direction.
    pub fn farthest(&self, direction: Vector) -> usize {
        let reach = self.reach(direction);
        first_of(reach, self.blocks.iter(), |block| block.along(direction))
    }
}

/// The place of the first number that is `sought`, where each block's are given.
fn first_of<B>(sought: f32, mut blocks: impl Iterator<Item = B>, numbers: impl Fn(B) -> [f32; LANES]) -> usize {
    let mut place = 0;
    let there = blocks.find_map(|block| {
        let numbers = numbers(block);
        place += LANES;
        numbers.iter().fold(false, |is, number| is | (*number == sought)).then_some(numbers)
    });
    there.and_then(|numbers| numbers.iter().position(|number| *number == sought)).map_or(0, |lane| place - LANES + lane)
}

/// Parry gives a face without an area a normal without a length.
fn is_unit(normal: &Vector) -> bool {
    normal.length_squared() > 0.5
}

fn largest(numbers: &[f32; LANES]) -> f32 {
    numbers.iter().fold(f32::NEG_INFINITY, |most, number| if *number > most { *number } else { most })
}

impl Hull {
    /// Of a polyhedron.
    pub fn new(polyhedron: &ConvexPolyhedron) -> Hull {
        let normals: Vec<Vector> = polyhedron.faces().iter().map(|face| face.normal).collect();
        let (corners, of_faces) = (polyhedron.points(), polyhedron.vertices_adj_to_face());
        let first =
            polyhedron.faces().iter().map(|face| corners[of_faces[face.first_vertex_or_edge as usize] as usize]);
        let offsets: Vec<f32> = first.zip(&normals).map(|(corner, normal)| normal.dot(corner)).collect();
        let block = |chunk: &[f32]| core::array::from_fn(|lane| *chunk.get(lane).unwrap_or(&offsets[0]));
        let bends = polyhedron.faces().iter().map(|face| {
            let (first, count) = (face.first_vertex_or_edge as usize, face.num_vertices_or_edges as usize);
            let of_face: Vec<Vector> = of_faces[first..first + count].iter().map(|at| corners[*at as usize]).collect();
            Bend::of(&of_face, face.normal)
        });
        Hull {
            bends: bends.collect(),
            corners: Cloud::new(corners),
            normals: Cloud::new(&normals),
            offsets: offsets.chunks(LANES).map(block).collect(),
            bounds: Cloud::new(corners).bounds(),
            outposts: Outposts::new(&Cloud::new(corners), corners),
            has_many_corners: polyhedron.faces().iter().any(|face| face.num_vertices_or_edges as usize > CORNERS),
            polyhedron: polyhedron.clone(),
        }
    }

    /// Its corners.
    pub fn corners(&self) -> &Cloud {
        &self.corners
    }

    /// A box around it at a pose: around the one in its own frame.
    pub fn bounds_at(&self, pose: &Pose) -> Aabb {
        self.bounds.transform_by(pose)
    }

    /// Some of them that lie far out.
    pub fn outposts(&self) -> &Outposts {
        &self.outposts
    }

    /// Whether one of its faces has more corners than parry's contacts know.
    pub fn has_many_corners(&self) -> bool {
        self.has_many_corners
    }

    /// Takes the face that looks most in a direction, with all of its corners.
    pub fn face_toward(&self, direction: Vector, taken: &mut Face) {
        taken.number = self.normals.farthest(direction);
        let face = &self.polyhedron.faces()[taken.number];
        let first = face.first_vertex_or_edge as usize;
        let corners = &self.polyhedron.vertices_adj_to_face()[first..first + face.num_vertices_or_edges as usize];
        taken.corners.clear();
        taken.corners.extend(corners.iter().map(|corner| self.polyhedron.points()[*corner as usize]));
        taken.normal = is_unit(&face.normal).then_some(face.normal);
    }

    /// Its faces' outer normals.
    pub fn normals(&self) -> impl Iterator<Item = Vector> {
        self.polyhedron.faces().iter().map(|face| face.normal).filter(is_unit)
    }

    /// How far it reaches in a direction from its origin, times the direction's length [m].
    pub fn reach(&self, direction: Vector) -> f32 {
        self.corners.reach(direction)
    }
}

impl SupportMap for Hull {
    fn local_support_point(&self, direction: Vector) -> Vector {
        self.polyhedron.points()[self.corners.farthest(direction)]
    }
}

impl PolygonalFeatureMap for Hull {
    fn local_support_feature(&self, direction: Vector, feature: &mut PolygonalFeature) {
        let number = self.normals.farthest(direction);
        let face = &self.polyhedron.faces()[number];
        let count = (face.num_vertices_or_edges as usize).min(CORNERS);
        let (corners, edges) = (self.polyhedron.vertices_adj_to_face(), self.polyhedron.edges_adj_to_face());
        for place in 0..count {
            let at = face.first_vertex_or_edge as usize + place;
            feature.vertices[place] = self.polyhedron.points()[corners[at] as usize];
            feature.vids[place] = PackedFeatureId::vertex(corners[at]);
            feature.eids[place] = PackedFeatureId::edge(edges[at]);
        }
        feature.fid = PackedFeatureId::face(number as u32);
        feature.num_vertices = count;
    }

    fn is_convex_polyhedron(&self) -> bool {
        true
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn it_answers_as_parry_does() {
        let corner = |index: usize| {
            let turn = |factor: usize, by: usize| ((index * factor) % by) as f32 / by as f32 - 0.5;
            Vector::new(turn(37, 101), turn(53, 97), turn(71, 89)).normalize()
        };
        let polyhedron = ConvexPolyhedron::from_convex_hull(&(1..78).map(corner).collect::<Vec<_>>()).unwrap();
        let hull = Hull::new(&polyhedron);
        // along its faces' normals several corners are farthest out
        let directions =
            (0..200).map(|index| corner(index + 7)).chain(polyhedron.faces().iter().map(|face| face.normal));
        for direction in directions {
            assert_eq!(hull.local_support_point(direction), polyhedron.local_support_point(direction));
            assert_eq!(hull.reach(direction), polyhedron.local_support_point(direction).dot(direction));
            let (mut own, mut parry) = (PolygonalFeature::default(), PolygonalFeature::default());
            hull.local_support_feature(direction, &mut own);
            polyhedron.local_support_feature(direction, &mut parry);
            assert_eq!((own.vertices, own.fid, own.num_vertices), (parry.vertices, parry.fid, parry.num_vertices));
        }
    }
    fn ball(corners: usize, radius: f32) -> Hull {
        let corner = |index: usize| {
            let turn = |factor: usize, by: usize| ((index * factor) % by) as f32 / by as f32 - 0.5;
            Vector::new(turn(37, 101), turn(53, 97), turn(71, 89)).normalize() * radius
        };
        Hull::new(&ConvexPolyhedron::from_convex_hull(&(1..corners).map(corner).collect::<Vec<_>>()).unwrap())
    }

    #[test]
    fn no_way_between_outposts_is_shorter_than_two_solids_are_apart() {
        let (first, second) = (ball(78, 0.1), ball(40, 0.2));
        let pose = Pose::new(Vector::new(0.15, -0.2, 0.1), Vector::new(0.3, 1.1, -0.4));
        let ways = first.outposts().ways_to(&second.outposts().placed(&pose));
        let mut tight = 0;
        for across in first.normals() {
            let apart =
                across.dot(pose.translation) - second.reach(pose.rotation.inverse() * -across) - first.reach(across);
            let least = ways.least_along(across);
            assert!(least > apart - 1e-6, "{least} {apart}");
            tight += usize::from(least < apart + 0.05);
        }
        assert!(tight > 40, "{tight} of {}", first.normals().count());
    }

    #[test]
    fn what_is_low_is_the_same_whether_all_is_placed_or_only_that() {
        let hull = ball(78, 0.1);
        let pose = Pose::new(Vector::new(0.3, 0.05, -2.0), Vector::new(0.7, 0.2, -0.4));
        let (mut placed, mut all, mut few) = (Cloud::default(), Vec::new(), Vec::new());
        hull.corners().place(&pose, &mut placed);
        placed.gather_below(0.0, &mut all);
        hull.corners().gather_below_at(&pose, 0.0, &mut few);
        assert!(!all.is_empty() && all == few);
        let (own, around) = (placed.bounds(), hull.bounds_at(&pose));
        assert!(around.mins.cmple(own.mins + 1e-6).all() && around.maxs.cmpge(own.maxs - 1e-6).all());
    }
}
