//! Sensors that look outwards: laser range finders and cameras, where they sit and how well they see.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use page::Fault;
use robot_io::{CameraLayout, Intrinsics, LaserLayout, Period, ScanGeometry};
use serde::Deserialize;
use toml::Spanned;

use super::Description;
use super::gather::Gather;
use super::numbers::{
    Angle, Counts, Degrees, Distance, Divergence, Length, Microseconds, Noise, Offset, Opening, Pixels, Rate,
};
use crate::Tree;

type Result<T> = core::result::Result<T, Fault>;

/// Most pixels along an edge of a picture.
const MOST_PIXELS: u32 = 4096;

/// Where a sensor sits.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorMount {
    /// Its name, of its own among all sensors that look outwards.
    pub name: String,
    /// The link that carries it.
    pub link: usize,
    /// Pose of the sensor's frame in the link's frame (file: `xyz` [m], `rpy` [rad]).
    pub pose_in_link: Isometry3<f64>,
}

/// A scanning laser range finder.
#[derive(Clone, Debug, PartialEq)]
pub struct LaserMount {
    /// Where it sits.
    pub mount: SensorMount,
    /// How it scans.
    pub geometry: ScanGeometry,
    /// Standard deviation of one range up to `near_range` [m].
    pub range_noise_near: f64,
    /// Standard deviation of one range beyond `near_range` [m].
    pub range_noise_far: f64,
    /// How far the near noise reaches [m].
    pub near_range: f64,
    /// Full opening of a beam [rad].
    pub beam_divergence: f64,
    /// Echoes that are nearer to each other than this are one [m].
    pub pulse_length: f64,
    /// Distance from which half of the echoes of a white surface, met straight on, are lost [m].
    pub white_range: f64,
}

/// A colour camera.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraMount {
    /// Where it sits. The camera looks along x of its frame, y is to the left and z up.
    pub mount: SensorMount,
    /// What it sees where.
    pub intrinsics: Intrinsics,
    /// Most pictures in a second [Hz].
    pub rate_hz: f64,
    /// From the exposure of one row to that of the next; zero for a global shutter.
    pub row_period: Period,
    /// Standard deviation of a channel [grey levels of 255].
    pub noise: f64,
}

/// A camera that measures depth by triangulation, as structured light does.
#[derive(Clone, Debug, PartialEq)]
pub struct DepthCameraMount {
    /// Where it sits. The camera looks along x of its frame, y is to the left and z up.
    pub mount: SensorMount,
    /// What it sees where.
    pub intrinsics: Intrinsics,
    /// Most pictures in a second [Hz].
    pub rate_hz: f64,
    /// From the exposure of one row to that of the next; zero for a global shutter.
    pub row_period: Period,
    /// Nearest depth that is measured [m].
    pub min_range: f64,
    /// Farthest depth that is measured [m].
    pub max_range: f64,
    /// Between projector and camera [m].
    pub baseline: f64,
    /// Smallest step of a disparity [px].
    pub disparity_step: f64,
    /// Standard deviation of a disparity [px].
    pub disparity_noise: f64,
    /// Distance from which half of the pixels on a white surface, met straight on, are lost [m].
    pub white_range: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LaserEntry {
    pub name: Spanned<String>,
    pub link: Spanned<String>,
    pub xyz: [Offset; 3],
    pub rpy: [Angle; 3],
    pub beams: Spanned<Counts>,
    pub first_angle_deg: Degrees,
    pub angle_step_deg: Spanned<Opening>,
    pub rate_hz: Rate,
    pub min_range: Distance,
    pub max_range: Spanned<Length>,
    pub range_noise_near: Noise,
    pub range_noise_far: Noise,
    pub near_range: Distance,
    pub beam_divergence: Divergence,
    pub pulse_length: Distance,
    pub white_range: Length,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraEntry {
    pub name: Spanned<String>,
    pub link: Spanned<String>,
    pub xyz: [Offset; 3],
    pub rpy: [Angle; 3],
    pub width: Spanned<Counts>,
    pub height: Spanned<Counts>,
    pub horizontal_fov_deg: Spanned<Opening>,
    pub rate_hz: Rate,
    pub row_period_us: Option<Spanned<Microseconds>>,
    pub noise: Noise,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DepthCameraEntry {
    pub name: Spanned<String>,
    pub link: Spanned<String>,
    pub xyz: [Offset; 3],
    pub rpy: [Angle; 3],
    pub width: Spanned<Counts>,
    pub height: Spanned<Counts>,
    pub horizontal_fov_deg: Spanned<Opening>,
    pub rate_hz: Rate,
    pub row_period_us: Option<Spanned<Microseconds>>,
    pub min_range: Length,
    pub max_range: Spanned<Length>,
    pub baseline: Length,
    pub disparity_step: Pixels,
    pub disparity_noise: Noise,
    pub white_range: Length,
}

impl Description {
    /// Names of all sensors that look outwards: lasers, cameras, depth cameras. They are switched on one by one.
    pub fn vision_sensors(&self) -> impl Iterator<Item = &str> {
        let lasers = self.lasers.iter().map(|laser| &laser.mount);
        let cameras = self.cameras.iter().map(|camera| &camera.mount);
        let depth_cameras = self.depth_cameras.iter().map(|camera| &camera.mount);
        lasers.chain(cameras).chain(depth_cameras).map(|mount| mount.name.as_str())
    }

    pub(super) fn laser_layouts(&self, tree: &Tree) -> Vec<LaserLayout> {
        let layout = |laser: &LaserMount| LaserLayout {
            name: laser.mount.name.clone(),
            frame: tree.links[laser.mount.link].name.clone(),
            geometry: laser.geometry,
        };
        self.lasers.iter().map(layout).collect()
    }

    pub(super) fn camera_layouts(&self, tree: &Tree) -> Vec<CameraLayout> {
        let layout =
            |camera: &CameraMount| camera.mount.camera(tree, camera.intrinsics, camera.row_period, camera.rate_hz);
        self.cameras.iter().map(layout).collect()
    }

    pub(super) fn depth_camera_layouts(&self, tree: &Tree) -> Vec<CameraLayout> {
        let layout =
            |camera: &DepthCameraMount| camera.mount.camera(tree, camera.intrinsics, camera.row_period, camera.rate_hz);
        self.depth_cameras.iter().map(layout).collect()
    }
}

impl SensorMount {
    fn camera(&self, tree: &Tree, intrinsics: Intrinsics, row_period: Period, rate_hz: f64) -> CameraLayout {
        let (name, frame) = (self.name.clone(), tree.links[self.link].name.clone());
        CameraLayout { name, frame, intrinsics, row_period, rate_hz }
    }
}

impl Gather<'_> {
    pub(super) fn lasers(&self) -> Result<Vec<LaserMount>> {
        self.file.laser.iter().map(|entry| self.laser(entry)).collect()
    }

    pub(super) fn cameras(&self) -> Result<Vec<CameraMount>> {
        let each = self.file.camera.iter().map(|entry| {
            let what = |field: &str| format!("[[camera]] \"{}\" {field}", entry.name.get_ref());
            Ok(CameraMount {
                mount: self.mount(&entry.name, &entry.link, entry.xyz, entry.rpy, &what("link"))?,
                intrinsics: self.intrinsics(&entry.width, &entry.height, &entry.horizontal_fov_deg, what)?,
                rate_hz: entry.rate_hz.0,
                row_period: self.row_period(entry.row_period_us.as_ref(), &entry.height, entry.rate_hz, what)?,
                noise: entry.noise.0,
            })
        });
        each.collect()
    }

    pub(super) fn depth_cameras(&self) -> Result<Vec<DepthCameraMount>> {
        let each = self.file.depth_camera.iter().map(|entry| {
            let what = |field: &str| format!("[[depth_camera]] \"{}\" {field}", entry.name.get_ref());
            self.ranges_are_in_order(entry.min_range.0, &entry.max_range, what)?;
            Ok(DepthCameraMount {
                mount: self.mount(&entry.name, &entry.link, entry.xyz, entry.rpy, &what("link"))?,
                intrinsics: self.intrinsics(&entry.width, &entry.height, &entry.horizontal_fov_deg, what)?,
                rate_hz: entry.rate_hz.0,
                row_period: self.row_period(entry.row_period_us.as_ref(), &entry.height, entry.rate_hz, what)?,
                min_range: entry.min_range.0,
                max_range: entry.max_range.get_ref().0,
                baseline: entry.baseline.0,
                disparity_step: entry.disparity_step.0,
                disparity_noise: entry.disparity_noise.0,
                white_range: entry.white_range.0,
            })
        });
        each.collect()
    }

    fn laser(&self, entry: &LaserEntry) -> Result<LaserMount> {
        let what = |field: &str| format!("[[laser]] \"{}\" {field}", entry.name.get_ref());
        self.ranges_are_in_order(entry.min_range.0, &entry.max_range, what)?;
        let step = entry.angle_step_deg.get_ref().0;
        let steps = 360.0 / step;
        if !(steps.round() >= 1.0 && steps < 1e6 && (steps - steps.round()).abs() < 1e-6) {
            let expected = "a whole number of steps in 360°";
            return Err(self.page.expected(
                &entry.angle_step_deg,
                what("angle_step_deg"),
                expected,
                format!("{step}°"),
            ));
        }
        let (beams, steps_per_turn) = (entry.beams.get_ref().0 as usize, steps.round() as usize);
        if beams > steps_per_turn {
            let expected = format!("at most {steps_per_turn}, a whole turn");
            return Err(self.page.expected(&entry.beams, what("beams"), expected, beams));
        }
        let geometry = ScanGeometry {
            first_angle: entry.first_angle_deg.0.to_radians(),
            angle_step: step.to_radians(),
            beams,
            period: Period::from_seconds(1.0 / entry.rate_hz.0),
            steps_per_turn,
            min_range: entry.min_range.0,
            max_range: entry.max_range.get_ref().0,
        };
        Ok(LaserMount {
            mount: self.mount(&entry.name, &entry.link, entry.xyz, entry.rpy, &what("link"))?,
            geometry,
            range_noise_near: entry.range_noise_near.0,
            range_noise_far: entry.range_noise_far.0,
            near_range: entry.near_range.0,
            beam_divergence: entry.beam_divergence.0,
            pulse_length: entry.pulse_length.0,
            white_range: entry.white_range.0,
        })
    }

    fn mount(
        &self,
        name: &Spanned<String>,
        link: &Spanned<String>,
        xyz: [Offset; 3],
        rpy: [Angle; 3],
        what: &str,
    ) -> Result<SensorMount> {
        let [x, y, z] = xyz.map(|value| value.0);
        let [roll, pitch, yaw] = rpy.map(|value| value.0);
        let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        let pose_in_link = Isometry3::from_parts(Translation3::new(x, y, z), rotation);
        Ok(SensorMount { name: name.get_ref().clone(), link: self.link(link, what)?, pose_in_link })
    }

    fn intrinsics(
        &self,
        width: &Spanned<Counts>,
        height: &Spanned<Counts>,
        angle: &Spanned<Opening>,
        what: impl Fn(&str) -> String,
    ) -> Result<Intrinsics> {
        for (field, pixels) in [("width", width), ("height", height)] {
            if pixels.get_ref().0 > MOST_PIXELS {
                let expected = format!("at most {MOST_PIXELS} pixels");
                return Err(self.page.expected(pixels, what(field), expected, pixels.get_ref().0));
            }
        }
        let degrees = angle.get_ref().0;
        if degrees >= 170.0 {
            let expected = "below 170°, what a pinhole camera can see";
            return Err(self.page.expected(angle, what("horizontal_fov_deg"), expected, format!("{degrees}°")));
        }
        let (width, height) = (width.get_ref().0 as usize, height.get_ref().0 as usize);
        Ok(Intrinsics::with_field_of_view(width, height, degrees.to_radians()))
    }

    /// A picture is read out before the next one begins.
    fn row_period(
        &self,
        row: Option<&Spanned<Microseconds>>,
        height: &Spanned<Counts>,
        rate: Rate,
        what: impl Fn(&str) -> String,
    ) -> Result<Period> {
        let Some(row) = row else { return Ok(Period::default()) };
        let period = Period::from_microseconds(row.get_ref().0);
        let (rows, picture) = (f64::from(height.get_ref().0), 1.0 / rate.0);
        if rows * period.seconds() > picture {
            let expected = format!("at most {:.0} µs: {rows} rows in {picture:.4} s", 1e6 * picture / rows);
            let found = format!("{} µs", row.get_ref().0);
            return Err(self.page.expected(row, what("row_period_us"), expected, found));
        }
        Ok(period)
    }

    /// Ranges are told in whole millimetres, of which 65.535 m are the last.
    fn ranges_are_in_order(&self, min: f64, max: &Spanned<Length>, what: impl Fn(&str) -> String) -> Result<()> {
        let most = 1e-3 * f64::from(u16::MAX);
        let found = max.get_ref().0;
        if found > min && found <= most {
            return Ok(());
        }
        let expected = format!("above min_range {min} m and at most {most} m");
        Err(self.page.expected(max, what("max_range"), expected, format!("{found} m")))
    }
}
