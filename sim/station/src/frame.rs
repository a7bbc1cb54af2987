//! Temporary mirror of plant::Frame.
use nalgebra::{Isometry3, Vector3};
use robot_io::Time;
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Frame { pub cycle: u64, pub time: Time, pub links_in_world: Vec<Isometry3<f64>>, pub objects_in_world: Vec<Isometry3<f64>>, pub contacts: Vec<ContactPoint>, pub joint_positions: Vec<f64>, pub com_in_world: Vector3<f64> }
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct ContactPoint { pub position_in_world: Vector3<f64>, pub force_in_world: Vector3<f64>, pub normal_in_world: Vector3<f64>, pub link: Option<usize> }
