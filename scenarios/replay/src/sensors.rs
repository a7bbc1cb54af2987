//! Scans and pictures have channels of their own: complete, without loss, and for everybody's eyes. The words of a cycle hold
//! their digests, and a reader puts both together again.

use foxglove::Decode;
use foxglove::messages as fg;
use nalgebra::Isometry3;
use robot_io::{CameraLayout, DepthImage, Digest, Image, LaserLayout, LaserScan, Readings, RobotLayout, Sealed, Time};

use crate::show::{pose, timestamp};

/// What the topics of lasers begin with; the first one's scans are at `/lidar/raw`, others' at `/lidar/NAME/raw`.
const LIDAR: &str = "/lidar";
/// What the topic of a laser's scans ends with.
const RAW: &str = "raw";
/// What the topics of cameras begin with: `/camera/NAME/image` and `/camera/NAME/depth`.
const CAMERA: &str = "/camera";

/// What was expected and what was found.
pub(crate) type Mismatch = (String, String);

/// A sensor with a channel of its own, by its index in the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sensor {
    Laser(usize),
    Camera(usize),
    DepthCamera(usize),
}

/// The sensors of a robot that have channels of their own, with their topics, in the order of the channels.
pub(crate) fn sensors(layout: &RobotLayout) -> Vec<(Sensor, String)> {
    let laser = |(index, laser): (usize, &LaserLayout)| {
        let topic = if index == 0 { format!("{LIDAR}/{RAW}") } else { format!("{LIDAR}/{}/{RAW}", laser.name) };
        (Sensor::Laser(index), topic)
    };
    let camera =
        |(index, camera): (usize, &CameraLayout)| (Sensor::Camera(index), format!("{CAMERA}/{}/image", camera.name));
    let depth = |(index, camera): (usize, &CameraLayout)| {
        (Sensor::DepthCamera(index), format!("{CAMERA}/{}/depth", camera.name))
    };
    let lasers = layout.lasers.iter().enumerate().map(laser);
    let cameras = layout.cameras.iter().enumerate().map(camera);
    lasers.chain(cameras).chain(layout.depth_cameras.iter().enumerate().map(depth)).collect()
}

/// What has arrived for a cycle that is still to be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arrivals {
    scans: Vec<Option<Sealed<LaserScan>>>,
    images: Vec<Option<Sealed<Image>>>,
    depth_images: Vec<Option<Sealed<DepthImage>>>,
}

impl Arrivals {
    pub(crate) fn new(layout: &RobotLayout) -> Arrivals {
        Arrivals::of(&Readings::new(layout))
    }

    pub(crate) fn of(readings: &Readings) -> Arrivals {
        let Readings { scans, images, depth_images, .. } = readings.clone();
        Arrivals { scans, images, depth_images }
    }

    /// Takes a message of a sensor's channel.
    pub(crate) fn take(&mut self, sensor: Sensor, data: &[u8], layout: &RobotLayout) -> Result<(), Mismatch> {
        match sensor {
            Sensor::Laser(index) => self.scans[index] = Some(read_scan(data, &layout.lasers[index])?),
            Sensor::Camera(index) => self.images[index] = Some(read_image(data, &layout.cameras[index])?),
            Sensor::DepthCamera(index) => {
                self.depth_images[index] = Some(read_depth(data, &layout.depth_cameras[index])?);
            }
        }
        Ok(())
    }

    /// Puts what has arrived where the readings say that something has, and checks that it is what they say.
    pub(crate) fn settle(
        &mut self,
        readings: &mut Readings,
        mut digests: impl Iterator<Item = u64>,
        layout: &RobotLayout,
    ) -> Result<(), Mismatch> {
        let lasers = layout.lasers.iter().map(|laser| ("scan", laser.name.as_str()));
        settle(&mut readings.scans, &mut self.scans, &mut digests, lasers)?;
        let cameras = layout.cameras.iter().map(|camera| ("picture", camera.name.as_str()));
        settle(&mut readings.images, &mut self.images, &mut digests, cameras)?;
        let cameras = layout.depth_cameras.iter().map(|camera| ("depth picture", camera.name.as_str()));
        settle(&mut readings.depth_images, &mut self.depth_images, &mut digests, cameras)
    }
}

fn settle<'n, T>(
    slots: &mut [Option<Sealed<T>>],
    arrived: &mut [Option<Sealed<T>>],
    digests: &mut impl Iterator<Item = u64>,
    names: impl Iterator<Item = (&'static str, &'n str)>,
) -> Result<(), Mismatch> {
    for ((slot, arrived), (what, name)) in slots.iter_mut().zip(arrived).zip(names) {
        let expected = slot.as_ref().and_then(|_| digests.next()).map(Digest);
        let found = arrived.as_ref().map(Sealed::digest);
        if expected != found {
            let text = |digest: Option<Digest>| match digest {
                Some(digest) => format!("a {what} of '{name}' with the digest {digest}"),
                None => format!("no {what} of '{name}'"),
            };
            return Err((text(expected), text(found)));
        }
        *slot = arrived.take();
    }
    Ok(())
}

/// Fills the message of a scan. The error is what the layout promises and what the scan has.
pub(crate) fn fill_scan(message: &mut fg::LaserScan, scan: &LaserScan, laser: &LaserLayout) -> Result<(), Mismatch> {
    if scan.geometry != laser.geometry {
        return Err((format!("{:?}", laser.geometry), format!("{:?}", scan.geometry)));
    }
    message.timestamp = Some(timestamp(scan.stamp));
    message.frame_id.clone_from(&laser.frame);
    message.pose = Some(pose(&Isometry3::identity()));
    message.start_angle = scan.geometry.angle(0);
    message.end_angle = scan.geometry.angle(scan.geometry.beams.saturating_sub(1));
    message.ranges.clear();
    message.ranges.extend(scan.ranges.iter().map(|range| metres(*range)));
    message.intensities.clear();
    message.intensities.extend(scan.intensities.iter().map(|intensity| f64::from(*intensity)));
    Ok(())
}

/// A distance in [m]; infinite where nothing came back, as REP 117 has it.
fn metres(range: u16) -> f64 {
    if range == 0 { f64::INFINITY } else { f64::from(range) / 1000.0 }
}

fn read_scan(data: &[u8], laser: &LaserLayout) -> Result<Sealed<LaserScan>, Mismatch> {
    let message = fg::LaserScan::decode(data).map_err(|error| foreign("a scan", error))?;
    let range = |metres: &f64| if *metres == f64::INFINITY { Ok(0) } else { small((metres * 1000.0).round(), "mm") };
    Ok(Sealed::new(LaserScan {
        stamp: time(message.timestamp),
        geometry: laser.geometry,
        ranges: message.ranges.iter().map(range).collect::<Result<_, _>>()?,
        intensities: message.intensities.iter().map(|value| small(*value, "")).collect::<Result<_, _>>()?,
    }))
}

/// A number that must be a whole one of 16 bits.
fn small(number: f64, unit: &str) -> Result<u16, Mismatch> {
    let whole = number as u16;
    let same = f64::from(whole) == number;
    same.then_some(whole).ok_or_else(|| (format!("a whole number from 0 to 65535 {unit}"), number.to_string()))
}

/// The message of a picture. The error is what the layout promises and what the picture has.
pub(crate) fn image_message(image: &Image, camera: &CameraLayout) -> Result<fg::RawImage, Mismatch> {
    same_rows(camera, image.row_period)?;
    let step = 3 * image.width;
    Ok(raw_image(image.stamp, camera, (image.width, image.height, step), "rgb8", image.rgb.clone()))
}

/// The message of a depth picture. The error is what the layout promises and what the picture has.
pub(crate) fn depth_message(image: &DepthImage, camera: &CameraLayout) -> Result<fg::RawImage, Mismatch> {
    same_rows(camera, image.row_period)?;
    let data = image.depths.iter().flat_map(|depth| depth.to_le_bytes()).collect();
    let step = 2 * image.width;
    Ok(raw_image(image.stamp, camera, (image.width, image.height, step), "16UC1", data))
}

fn same_rows(camera: &CameraLayout, found: robot_io::Period) -> Result<(), Mismatch> {
    let expected = camera.row_period;
    let text = |period| format!("a row period of {period:?}");
    if found == expected { Ok(()) } else { Err((text(expected), text(found))) }
}

fn raw_image(
    stamp: Time,
    camera: &CameraLayout,
    (width, height, step): (usize, usize, usize),
    encoding: &str,
    data: Vec<u8>,
) -> fg::RawImage {
    fg::RawImage {
        timestamp: Some(timestamp(stamp)),
        frame_id: camera.frame.clone(),
        width: width as u32,
        height: height as u32,
        encoding: encoding.to_owned(),
        step: step as u32,
        data: data.into(),
    }
}

fn read_image(data: &[u8], camera: &CameraLayout) -> Result<Sealed<Image>, Mismatch> {
    let message = fg::RawImage::decode(data).map_err(|error| foreign("a picture", error))?;
    Ok(Sealed::new(Image {
        stamp: time(message.timestamp),
        row_period: camera.row_period,
        width: message.width as usize,
        height: message.height as usize,
        rgb: message.data.to_vec(),
    }))
}

fn read_depth(data: &[u8], camera: &CameraLayout) -> Result<Sealed<DepthImage>, Mismatch> {
    let message = fg::RawImage::decode(data).map_err(|error| foreign("a depth picture", error))?;
    let (depths, _) = message.data.as_chunks::<2>();
    Ok(Sealed::new(DepthImage {
        stamp: time(message.timestamp),
        row_period: camera.row_period,
        width: message.width as usize,
        height: message.height as usize,
        depths: depths.iter().map(|depth| u16::from_le_bytes(*depth)).collect(),
    }))
}

fn foreign(expected: &str, error: impl ToString) -> Mismatch {
    (expected.to_owned(), error.to_string())
}

fn time(stamp: Option<fg::Timestamp>) -> Time {
    let nanoseconds = stamp.map_or(0, |stamp| u64::from(stamp.sec()) * 1_000_000_000 + u64::from(stamp.nsec()));
    Time::from_nanoseconds(nanoseconds)
}
