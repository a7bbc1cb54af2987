//! Folders of the KITTI odometry benchmark and of KITTI's raw data (Geiger, Lenz and Urtasun, 2012): a file of float32 x y z
//! reflectance for each sweep, with `times.txt` or `timestamps.txt`, and with `calib.txt` and `poses.txt` where there are any.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, Matrix3, Matrix4, Rotation3, UnitQuaternion};
use robot_io::Time;

use crate::cloud::Cloud;
use crate::error::{CloudError, mismatch};
use crate::fields::is_echo;
use crate::message::LARGEST_MESSAGE;

/// x y z reflectance.
const POINT: usize = 16;
/// Between sweeps, where no file tells: the scanner turned ten times a second [ns].
const PERIOD: u64 = 100_000_000;
/// A larger text is none of KITTI's [bytes].
const LARGEST_TEXT: u64 = 256 << 20;

/// A folder of sweeps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kitti {
    pub(crate) scans: Vec<PathBuf>,
    pub(crate) times: Vec<Time>,
    /// The file of times, if there is one.
    pub(crate) times_file: Option<PathBuf>,
    /// The file of true poses, if there is one.
    pub(crate) poses_file: Option<PathBuf>,
}

impl Kitti {
    /// Looks for sweeps in a folder, or in the folder for them within it.
    pub(crate) fn find(path: &Path) -> Result<Option<Kitti>, CloudError> {
        let places = ["", "velodyne", "velodyne_points", "data", "velodyne_points/data"].map(|name| path.join(name));
        for place in places.iter().filter(|place| place.is_dir()) {
            let scans = scans_in(place)?;
            if !scans.is_empty() {
                return Kitti::of(path, place, scans).map(Some);
            }
        }
        Ok(None)
    }

    fn of(path: &Path, place: &Path, scans: Vec<PathBuf>) -> Result<Kitti, CloudError> {
        let parent = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let near = |name: &str| [path, place, parent].map(|at| at.join(name)).into_iter().find(|file| file.is_file());
        let times_file = near("times.txt").or_else(|| near("timestamps.txt"));
        let times = match &times_file {
            Some(file) => times_of(file, scans.len())?,
            None => (0..scans.len() as u64).map(|scan| Time::from_nanoseconds(scan * PERIOD)).collect(),
        };
        Ok(Kitti { scans, times, times_file, poses_file: near("poses.txt") })
    }

    /// The sweeps, one after the other.
    pub(crate) fn clouds(&self, take: &mut dyn FnMut(Cloud) -> ControlFlow<()>) -> Result<(), CloudError> {
        for (number, (file, stamp)) in (0..).zip(self.scans.iter().zip(&self.times)) {
            let cloud =
                Cloud { number, stamp: *stamp, frame: "velodyne".to_owned(), points: points(file)?, times: None };
            if take(cloud).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The .bin files of a folder by name: KITTI's names have zeros in front.
fn scans_in(folder: &Path) -> Result<Vec<PathBuf>, CloudError> {
    let entries = std::fs::read_dir(folder).map_err(|error| CloudError::file(folder, error))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut scans: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "bin")).collect();
    scans.sort();
    Ok(scans)
}

fn points(file: &Path) -> Result<Vec<[f32; 3]>, CloudError> {
    let size = file.metadata().map_err(|error| CloudError::file(file, error))?.len();
    if size % POINT as u64 != 0 || size > LARGEST_MESSAGE as u64 {
        let expected = format!("float32 x y z reflectance: a multiple of {POINT} bytes, at most {LARGEST_MESSAGE}");
        return Err(CloudError::damaged(file, "length", mismatch(expected, format!("{size} bytes"))));
    }
    let bytes = std::fs::read(file).map_err(|error| CloudError::file(file, error))?;
    let number = |bytes: &[u8]| <[u8; 4]>::try_from(bytes).map_or(f32::NAN, f32::from_le_bytes);
    let point = |point: &[u8]| [number(&point[..4]), number(&point[4..8]), number(&point[8..12])];
    Ok(bytes.chunks_exact(POINT).map(point).filter(is_echo).collect())
}

fn text_of(file: &Path) -> Result<String, CloudError> {
    let size = file.metadata().map_err(|error| CloudError::file(file, error))?.len();
    if size > LARGEST_TEXT {
        return Err(CloudError::damaged(file, "length", mismatch(format!("at most {LARGEST_TEXT} bytes"), size)));
    }
    std::fs::read_to_string(file).map_err(|error| CloudError::file(file, error))
}

/// A time for each scan: seconds, or date and time of day.
fn times_of(file: &Path, scans: usize) -> Result<Vec<Time>, CloudError> {
    let text = text_of(file)?;
    let mut times = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let time = seconds(text).or_else(|| date(text)).filter(|time| times.last().is_none_or(|last| last < time));
        let wrong = || {
            let expected = "a time [s] or a date with a time of day, later than the one before";
            CloudError::damaged(file, format!("line {line}"), mismatch(expected, format!("'{}'", clipped(text))))
        };
        times.push(time.ok_or_else(wrong)?);
    }
    if times.len() != scans {
        return Err(CloudError::missing(file, format!("a time for each of {scans} scans"), times.len()));
    }
    Ok(times)
}

fn seconds(text: &str) -> Option<Time> {
    let seconds: f64 = text.trim().parse().ok()?;
    (0.0..1e10).contains(&seconds).then(|| Time::from_nanoseconds((seconds * 1e9).round() as u64))
}

/// `2011-09-26 13:02:25.964389445`, as the time of that day: a drive does not last until the next one.
fn date(text: &str) -> Option<Time> {
    let (_day, clock) = text.trim().split_once(' ')?;
    let mut parts = clock.splitn(3, ':');
    let (hours, minutes): (u64, u64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let seconds = seconds(parts.next()?)?;
    let whole = hours.checked_mul(60)?.checked_add(minutes)?.checked_mul(60_000_000_000)?;
    (hours < 24 && minutes < 60).then(|| whole.checked_add(seconds.nanoseconds()).map(Time::from_nanoseconds))?
}

/// The poses of a file as the benchmark has them, a line of a 3 × 4 matrix for each scan, as poses of the laser: the benchmark's
/// are those of the left camera, and `calib.txt` beside them says where the laser is. Without it they are taken as they are; the
/// flag tells whether there was one.
pub fn poses_of(file: &Path) -> Result<(Vec<Isometry3<f64>>, bool), CloudError> {
    let text = text_of(file)?;
    let mut poses = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let wrong = || {
            let expected = "12 numbers, a rotation and a place [m] row by row";
            CloudError::damaged(file, format!("line {line}"), mismatch(expected, format!("'{}'", clipped(text))))
        };
        poses.push(matrix(text).ok_or_else(wrong)?);
    }
    let calibration = file.with_file_name("calib.txt");
    if !calibration.is_file() {
        return Ok((poses, false));
    }
    let text = text_of(&calibration)?;
    let line = text.lines().find_map(|line| line.strip_prefix("Tr:").or_else(|| line.strip_prefix("Tr_velo_to_cam:")));
    let missing = || CloudError::missing(&calibration, "a line 'Tr:' of 12 numbers, laser in camera", "none");
    let laser_in_camera = line.and_then(matrix).ok_or_else(missing)?;
    Ok((poses.iter().map(|camera| laser_in_camera.inverse() * camera * laser_in_camera).collect(), true))
}

fn matrix(text: &str) -> Option<Isometry3<f64>> {
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let numbers: [f64; 12] = numbers.try_into().ok()?;
    if !numbers.iter().all(|number| number.is_finite() && number.abs() < 1e9) {
        return None;
    }
    let rows: Matrix4<f64> = Matrix4::from_fn(|row, column| numbers.get(4 * row + column).copied().unwrap_or(0.0));
    let turn: Matrix3<f64> = rows.fixed_view::<3, 3>(0, 0).into_owned();
    let is_rotation = (turn.transpose() * turn - Matrix3::identity()).norm() < 0.01 && turn.determinant() > 0.0;
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
    is_rotation.then(|| Isometry3::from_parts([numbers[3], numbers[7], numbers[11]].into(), rotation))
}

/// As much of a text as fits into a message.
fn clipped(text: &str) -> String {
    text.chars().take(60).collect()
}
