//! Temporary mirror of plant::Frame.
use nalgebra::{Isometry3, Vector3, Point3};
use robot_io::Time;
#[derive(Clone, Debug, Default)]
pub struct Frame { pub cycle: u64, pub time: Time, pub links_in_world: Vec<Isometry3<f64>>, pub objects_in_world: Vec<Isometry3<f64>>, pub contacts: Vec<FrameContact>, pub joint_positions: Vec<f64>, pub com_in_world: Point3<f64> }
#[derive(Clone, Debug)]
pub struct FrameContact { pub position_in_world: Point3<f64>, pub force_in_world: Vector3<f64>, pub normal_in_world: Vector3<f64>, pub link: Option<usize> }
