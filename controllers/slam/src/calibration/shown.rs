//! The calibration for people: each number with its deviation.

use robot_io::Telemetry;

use super::{Calibration, CalibrationSettings, Estimated};

const LASER: [[&str; 2]; 6] = [
    ["calibration_laser_x [mm]", "calibration_laser_x_deviation [mm]"],
    ["calibration_laser_y [mm]", "calibration_laser_y_deviation [mm]"],
    ["calibration_laser_z [mm]", "calibration_laser_z_deviation [mm]"],
    ["calibration_laser_roll [deg]", "calibration_laser_roll_deviation [deg]"],
    ["calibration_laser_pitch [deg]", "calibration_laser_pitch_deviation [deg]"],
    ["calibration_laser_yaw [deg]", "calibration_laser_yaw_deviation [deg]"],
];

const AXIS: [[&str; 2]; 8] = [
    ["calibration_axis_x [mm]", "calibration_axis_x_deviation [mm]"],
    ["calibration_axis_y [mm]", "calibration_axis_y_deviation [mm]"],
    ["calibration_axis_z [mm]", "calibration_axis_z_deviation [mm]"],
    ["calibration_axis_roll [deg]", "calibration_axis_roll_deviation [deg]"],
    ["calibration_axis_pitch [deg]", "calibration_axis_pitch_deviation [deg]"],
    ["calibration_axis_yaw [deg]", "calibration_axis_yaw_deviation [deg]"],
    ["calibration_wheels [%]", "calibration_wheels_deviation [%]"],
    ["calibration_delay [ms]", "calibration_delay_deviation [ms]"],
];

impl Calibration {
    /// Adds what is known to what is shown.
    pub(crate) fn show(&self, settings: &CalibrationSettings, telemetry: &mut Telemetry) {
        show(&LASER, &self.laser(settings), telemetry);
        show(&AXIS, &self.axis(settings), telemetry);
    }
}

fn show<const N: usize>(names: &[[&'static str; 2]; N], found: &Estimated<N>, telemetry: &mut Telemetry) {
    for (index, [name, deviation]) in names.iter().enumerate() {
        let scale = match index {
            3..=5 => 180.0 / core::f64::consts::PI,
            6 => 100.0,
            _ => 1e3,
        };
        telemetry.scalar(name, scale * found.mean[index]);
        telemetry.scalar(deviation, scale * found.deviation[index]);
    }
}
