//! Sensors that look outwards: laser range finders and cameras, where they sit and how well they see.

use nalgebra::Isometry3;
use page::{Fault, Fields, Range};
use robot_io::{CameraLayout, Intrinsics, LaserLayout, Period, ScanGeometry};

use super::numbers::{DISTANCE, LENGTH, MICROSECONDS, RATE, noise};
use super::{Description, names};
use crate::Tree;

/// Most pixels along an edge of a picture.
const MOST_PIXELS: u64 = 4096;

/// What an angle in a file may be that opens.
const OPENING: Range = Range::new(1e-6, 360.0, "°");

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
    fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<SensorMount, Fault> {
        let (link, pose_in_link) = names::place(fields, tree)?;
        Ok(SensorMount { name, link, pose_in_link })
    }

    fn camera(&self, tree: &Tree, intrinsics: Intrinsics, row_period: Period, rate_hz: f64) -> CameraLayout {
        let (name, frame) = (self.name.clone(), tree.links[self.link].name.clone());
        CameraLayout { name, frame, intrinsics, row_period, rate_hz }
    }
}

impl LaserMount {
    pub(super) fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<LaserMount, Fault> {
        Ok(LaserMount {
            mount: SensorMount::read(fields, name, tree)?,
            geometry: geometry(fields)?,
            range_noise_near: fields.number("range_noise_near", noise("m"))?,
            range_noise_far: fields.number("range_noise_far", noise("m"))?,
            near_range: fields.number("near_range", DISTANCE)?,
            beam_divergence: fields.number("beam_divergence", Range::new(0.0, 1.0, "rad"))?,
            pulse_length: fields.number("pulse_length", DISTANCE)?,
            white_range: fields.number("white_range", LENGTH)?,
        })
    }
}

impl CameraMount {
    pub(super) fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<CameraMount, Fault> {
        let mount = SensorMount::read(fields, name, tree)?;
        let (intrinsics, rate_hz, row_period) = pictures(fields)?;
        Ok(CameraMount { mount, intrinsics, rate_hz, row_period, noise: fields.number("noise", noise("grey levels"))? })
    }
}

impl DepthCameraMount {
    pub(super) fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<DepthCameraMount, Fault> {
        let mount = SensorMount::read(fields, name, tree)?;
        let (intrinsics, rate_hz, row_period) = pictures(fields)?;
        let (min_range, max_range) = ranges(fields, LENGTH)?;
        Ok(DepthCameraMount {
            mount,
            intrinsics,
            rate_hz,
            row_period,
            min_range,
            max_range,
            baseline: fields.number("baseline", LENGTH)?,
            disparity_step: fields.number("disparity_step", Range::new(1e-6, 1e3, "px"))?,
            disparity_noise: fields.number("disparity_noise", noise("px"))?,
            white_range: fields.number("white_range", LENGTH)?,
        })
    }
}

/// How a laser scans: a whole number of steps in a turn, and no more beams than that.
fn geometry(fields: &mut Fields<'_>) -> Result<ScanGeometry, Fault> {
    let rays = fields.need("beams", "a whole number")?;
    let beams = rays.whole(1..=u32::MAX.into())? as usize;
    let first_angle = fields.angle("first_angle_deg", Range::new(-3600.0, 3600.0, "°"))?;
    let angle = fields.need("angle_step_deg", "an angle [°]")?;
    let step = angle.number(OPENING)?;
    let steps = 360.0 / step;
    if !(steps.round() >= 1.0 && steps < 1e6 && (steps - steps.round()).abs() < 1e-6) {
        return Err(angle.error("a whole number of steps in 360°", &format!("{step}°")));
    }
    let steps_per_turn = steps.round() as usize;
    if beams > steps_per_turn {
        return Err(rays.error(&format!("at most {steps_per_turn}, a whole turn"), &beams.to_string()));
    }
    let period = Period::from_seconds(1.0 / fields.number("rate_hz", RATE)?);
    let (min_range, max_range) = ranges(fields, DISTANCE)?;
    let angle_step = step.to_radians();
    Ok(ScanGeometry { first_angle, angle_step, beams, period, steps_per_turn, min_range, max_range })
}

/// What a camera sees where, how often, and from row to row.
fn pictures(fields: &mut Fields<'_>) -> Result<(Intrinsics, f64, Period), Fault> {
    let width = fields.whole("width", 1..=MOST_PIXELS)? as usize;
    let height = fields.whole("height", 1..=MOST_PIXELS)? as usize;
    let angle = fields.need("horizontal_fov_deg", "an angle [°]")?;
    let degrees = angle.number(OPENING)?;
    if degrees >= 170.0 {
        return Err(angle.error("below 170°, what a pinhole camera can see", &format!("{degrees}°")));
    }
    let rate_hz = fields.number("rate_hz", RATE)?;
    let row_period = row_period(fields, height as f64, 1.0 / rate_hz)?;
    Ok((Intrinsics::with_field_of_view(width, height, degrees.to_radians()), rate_hz, row_period))
}

/// A picture is read out before the next one begins.
fn row_period(fields: &mut Fields<'_>, rows: f64, picture: f64) -> Result<Period, Fault> {
    let Some(row) = fields.get("row_period_us") else { return Ok(Period::default()) };
    let microseconds = row.whole(MICROSECONDS)?;
    let period = Period::from_microseconds(microseconds);
    if rows * period.seconds() > picture {
        let expected = format!("at most {:.0} µs: {rows} rows in {picture:.4} s", 1e6 * picture / rows);
        return Err(row.error(&expected, &format!("{microseconds} µs")));
    }
    Ok(period)
}

/// The nearest and the farthest distance that are measured. They are told in whole millimetres, of which 65.535 m are the last.
fn ranges(fields: &mut Fields<'_>, nearest: Range) -> Result<(f64, f64), Fault> {
    let min = fields.number("min_range", nearest)?;
    let value = fields.need("max_range", "a distance [m]")?;
    let max = value.number(LENGTH)?;
    let most = 1e-3 * f64::from(u16::MAX);
    if max > min && max <= most {
        return Ok((min, max));
    }
    Err(value.error(&format!("above min_range {min} m and at most {most} m"), &format!("{max} m")))
}
