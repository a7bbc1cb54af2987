//! Pictures of a controller's mind, for viewers, reports and logs. Whoever shows them asks by
//! [`is_same`](crate::Sealed::is_same) or `Arc::ptr_eq` whether there is something new.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use crate::{HeightMap, Path, PointCloud, Pose2, Sealed};

/// One thing to be drawn. Frames: `map` unless said otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Layer {
    /// Points, placed by the pose of their frame in the map.
    Cloud(Sealed<PointCloud>, Isometry3<f64>),
    /// Flat, oriented discs.
    Surfels(Arc<Vec<SurfelView>>),
    /// Where the map was seen from and what ties those places together.
    Graph(Arc<PoseGraphView>),
    /// Heights.
    Heights(Sealed<HeightMap>),
    /// A grid of values, for example costs.
    Grid(Arc<Grid>),
    /// A path.
    Path(Arc<Path>),
    /// A closed line on the ground, for example a footprint [m].
    Outline(Arc<Vec<[f64; 2]>>),
    /// Single places with a meaning.
    Markers(Arc<Vec<Marker>>),
}

/// A piece of surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfelView {
    /// Its middle [m].
    pub position: Point3<f64>,
    /// Its normal.
    pub normal: Vector3<f64>,
    /// Its radius [m].
    pub radius: f64,
}

/// A pose graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseGraphView {
    /// The key views.
    pub nodes: Vec<Isometry3<f64>>,
    /// What ties them together.
    pub edges: Vec<Edge>,
}

/// A constraint between two key views.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Index of one node.
    pub from: usize,
    /// Index of the other.
    pub to: usize,
    /// True if it does not follow the order of time.
    pub closes_loop: bool,
}

/// A grid of values; row r, column c is about x = `origin_x` + c·`cell`, y = `origin_y` + r·`cell`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Side of a cell [m].
    pub cell: f64,
    /// x of the first cell's middle [m].
    pub origin_x: f64,
    /// y of the first cell's middle [m].
    pub origin_y: f64,
    /// Cells along x.
    pub columns: usize,
    /// Cells along y.
    pub rows: usize,
    /// 0 (free) to 1 (forbidden), row after row; not-a-number where nothing is known.
    pub values: Vec<f32>,
}

/// A place with a meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// What it is, for example `goal`, `frontier`, `nearest reachable`.
    pub label: &'static str,
    /// Where it is.
    pub pose: Pose2,
}
