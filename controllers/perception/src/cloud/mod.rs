//! Points of a depth picture, with normals, planes, and clusters of what stands on planes.

mod clusters;
mod depth_cloud;
mod planes;
mod voxels;

pub use clusters::{Cluster, ClusterFinder, ClusterSettings};
pub use depth_cloud::{DepthCloud, NormalSettings};
pub use planes::{Plane, PlaneFinder, PlaneSettings};
