//! Sensors beside the joints. Each knows the truth of the physics and shows only what such a device would.

mod attitude_filter;
mod battery;
mod beyond;
mod contact;
mod force_torque;
mod imu;
mod skin;
mod triad;

pub(crate) use battery::BatteryMonitor;
pub(crate) use beyond::Acted;
pub(crate) use contact::ContactSwitch;
pub(crate) use force_torque::ForceTorqueCell;
pub(crate) use imu::{ImuUnit, Motion};
pub(crate) use skin::Skin;

use nalgebra::Vector3;
use robot_io::RandomStream;

/// A measurement as a board sends it: drives, IMUs and monitors answer with single-precision numbers (Xsens MTi and
/// VectorNav VN-100 in their binary protocols, for example). Its step, 6e-8 of the value, is far below any noise here,
/// and a log need not keep digits that no board has measured.
pub(crate) fn on_bus(measured: f64) -> f64 {
    f64::from(measured as f32)
}

/// Three normal numbers; `index` is the first of three.
fn normal3(noise: &RandomStream, counter: u64, index: u32) -> Vector3<f64> {
    Vector3::new(noise.normal(counter, index), noise.normal(counter, index + 1), noise.normal(counter, index + 2))
}
