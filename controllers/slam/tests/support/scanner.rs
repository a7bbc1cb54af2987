//! A laser scanner on a turning axis, as on Momaro's head.

use core::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use robot_io::{LaserScan, Period, RandomStream, ScanGeometry, Time};

use super::{Trajectory, World};

/// The scanner and how it is mounted.
#[derive(Clone, Debug)]
pub struct Scanner {
    /// How it scans.
    pub geometry: ScanGeometry,
    /// The axis' frame, at angle zero, in the base; it turns about its z.
    pub axis_in_base: Isometry3<f64>,
    /// The scanner in the frame that turns.
    pub laser_in_axis: Isometry3<f64>,
    /// How fast the axis turns [rad/s].
    pub axis_rate: f64,
    /// Standard deviation of a distance [m].
    pub noise: f64,
    /// What it draws its noise from.
    pub random: RandomStream,
}

impl Default for Scanner {
    /// A Hokuyo UTM-30LX-EW: 270° in steps of 0.25°, 40 scans a second, 30 m; here with a noise of 1 cm.
    fn default() -> Self {
        Scanner {
            geometry: ScanGeometry {
                first_angle: -0.75 * PI,
                angle_step: 0.25 * PI / 180.0,
                beams: 1081,
                period: Period::from_milliseconds(25),
                steps_per_turn: 1440,
                min_range: 0.1,
                max_range: 30.0,
            },
            axis_in_base: Isometry3::translation(0.15, 0.0, 0.65),
            laser_in_axis: Isometry3::from_parts(
                Translation3::new(0.0, 0.0, 0.045),
                UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2),
            ),
            axis_rate: 5.0,
            noise: 0.01,
            random: RandomStream::new(7, "scanner"),
        }
    }
}

impl Scanner {
    /// The same scanner with only every `step`-th beam: quicker, and still all round.
    #[must_use]
    pub fn thinned(mut self, step: usize) -> Scanner {
        let geometry = &mut self.geometry;
        geometry.angle_step *= step as f64;
        geometry.beams = geometry.beams.div_ceil(step);
        geometry.steps_per_turn /= step;
        self
    }

    /// How long a whole turn of the axis takes [s].
    pub fn turn_time(&self) -> f64 {
        2.0 * PI / self.axis_rate
    }

    /// The scanner in the base at a time [s].
    pub fn laser_in_base(&self, time: f64) -> Isometry3<f64> {
        let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), self.axis_rate * time);
        self.axis_in_base * turned * self.laser_in_axis
    }

    /// One beam at a time [s]: where it ends in the scanner's frame, up to millimetres; `None` if it meets nothing.
    pub fn beam(&self, world: &World, base_in_world: &Isometry3<f64>, time: Time, beam: usize) -> Option<Point3<f64>> {
        let laser_in_world = base_in_world * self.laser_in_base(time.seconds());
        let direction = self.geometry.direction(beam).into_inner();
        let origin = Point3::from(laser_in_world.translation.vector);
        let distance = world.cast(&origin, &(laser_in_world.rotation * direction))?;
        let measured = distance + self.noise * self.random.normal(time.nanoseconds(), beam as u32);
        let rounded = (1000.0 * measured).round() / 1000.0;
        let range = self.geometry.min_range..=self.geometry.max_range;
        range.contains(&measured).then(|| Point3::from(direction * rounded))
    }

    /// A whole scan that begins at a time.
    pub fn scan(&self, world: &World, trajectory: &Trajectory, stamp: Time) -> LaserScan {
        let range = |beam| {
            let time = stamp + self.geometry.delay(beam);
            let end = self.beam(world, &trajectory.at(time.seconds()), time, beam);
            end.map_or(0, |end| (1000.0 * end.coords.norm()).round() as u16)
        };
        let ranges: Vec<u16> = (0..self.geometry.beams).map(range).collect();
        let intensities = ranges.iter().map(|range| if *range > 0 { 1000 } else { 0 }).collect();
        LaserScan { stamp, geometry: self.geometry, ranges, intensities }
    }
}
